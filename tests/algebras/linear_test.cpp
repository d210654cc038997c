// Exact linear algebra, by what its answers have to satisfy.
#include "algebras/linear/modular_span.h"
#include "algebras/linear/polynomial.h"
#include "algebras/linear/subspace.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace algebras;

const char *const fields[] = {"Q", "GF(2)", "GF(3)", "GF(1000003)", "GF(9223372036854775783)"};

Matrix randomMatrix(const Field &field, int64_t rows, int64_t columns, std::mt19937_64 &random,
                    int64_t size = 9) {
  Matrix result(field, rows, columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      Rational value(static_cast<int64_t>(random() % (2 * size + 1)) - size);
      if (field.isRationals())
        value /= Rational(1 + static_cast<int64_t>(random() % 5));
      result.set(row, column, value);
    }
  return result;
}

TEST(Linear, EchelonFormsAreReducedAndSpanTheRows) {
  std::mt19937_64 random(1);
  for (const char *name : fields)
    for (int round = 0; round < 20; ++round) {
      Field field = Field::parse(name);
      int64_t rank = 1 + static_cast<int64_t>(random() % 5);
      // Rows of rank at most `rank`.
      Matrix matrix = randomMatrix(field, 8, rank, random) * randomMatrix(field, rank, 9, random);
      Echelon echelon = reducedEchelon(matrix);
      EXPECT_LE(echelon.rank(), rank);
      for (int64_t row = 0; row < echelon.rank(); ++row) {
        for (int64_t column = 0; column < echelon.pivots[row]; ++column)
          EXPECT_TRUE(echelon.rows.isZeroAt(row, column));
        for (int64_t other = 0; other < echelon.rank(); ++other)
          EXPECT_EQ(echelon.rows.get(other, echelon.pivots[row]), Rational(other == row));
      }
      // Each row is the combination of basis rows that its entries at the pivots give.
      EXPECT_EQ(matrix.selectColumns(echelon.pivots) * echelon.rows, matrix);
      Matrix null = kernel(matrix);
      EXPECT_EQ(null.rows(), 9 - echelon.rank());
      EXPECT_TRUE((matrix * null.transposed()).isZero());
      EXPECT_EQ(reducedEchelon(null).rank(), null.rows());
    }
}

TEST(Linear, GiganticEntries) {
  Rational big = Rational::parse("123456789012345678901234567890123456789012345678901234567890/7");
  Matrix matrix(Field(), 2, 3);
  for (int64_t column = 0; column < 3; ++column) {
    matrix.set(0, column, big + Rational(column));
    matrix.set(1, column, big * big - Rational(column * column));
  }
  Matrix null = kernel(matrix);
  ASSERT_EQ(null.rows(), 1);
  EXPECT_TRUE((matrix * null.transposed()).isZero());
}

TEST(Linear, SolutionsAndTheirAbsence) {
  std::mt19937_64 random(2);
  for (const char *name : fields) {
    Field field = Field::parse(name);
    for (int round = 0; round < 20; ++round) {
      Matrix matrix = randomMatrix(field, 5, 2, random) * randomMatrix(field, 2, 6, random);
      Matrix right = matrix * randomMatrix(field, 6, 2, random);
      std::optional<Matrix> solution = solve(matrix, right);
      ASSERT_TRUE(solution);
      EXPECT_EQ(matrix * *solution, right);
      // A right side outside the columns has none.
      int64_t rank = reducedEchelon(matrix).rank();
      Matrix other = randomMatrix(field, 5, 1, random);
      bool inside = reducedEchelon(matrix.besides(other)).rank() == rank;
      EXPECT_EQ(solve(matrix, other).has_value(), inside);
    }
  }
}

TEST(Linear, SumsAndIntersections) {
  std::mt19937_64 random(3);
  for (const char *name : fields) {
    Field field = Field::parse(name);
    for (int round = 0; round < 20; ++round) {
      Matrix shared = randomMatrix(field, 2, 8, random);
      Subspace left(shared.above(randomMatrix(field, 2, 8, random))),
          right(shared.above(randomMatrix(field, 1, 8, random)));
      Subspace both = intersection(left, right), all = sum(left, right);
      EXPECT_TRUE(both.contains(shared));
      EXPECT_TRUE(left.contains(both.basis()) && right.contains(both.basis()));
      EXPECT_TRUE(all.contains(left.basis()) && all.contains(right.basis()));
      EXPECT_EQ(both.dimension() + all.dimension(), left.dimension() + right.dimension());
      EXPECT_EQ(left.coordinates(both.basis()) * left.basis(), both.basis());
      EXPECT_EQ(left.freeColumns().size() + left.pivots().size(), 8u);
    }
  }
}

TEST(Linear, ModularSpansAgreeWithEchelonForms) {
  std::mt19937_64 random(4);
  Field field = Field::prime(1000003);
  for (int round = 0; round < 20; ++round) {
    Matrix matrix = randomMatrix(field, 9, 3, random) * randomMatrix(field, 3, 7, random);
    ModularSpan span(1000003, 7);
    for (int64_t row = 0; row < 9; ++row) {
      const mp_limb_t *first = matrix.modular()->rows[row];
      int64_t before = span.dimension();
      EXPECT_EQ(span.insert(ModularSpan::Vector(first, first + 7)), span.dimension() == before + 1);
      EXPECT_EQ(span.dimension(), reducedEchelon(matrix.rowRange(0, row + 1)).rank());
    }
    EXPECT_EQ(span.firstMissing() >= 0, !span.isEverything());
  }
}

TEST(Linear, PolynomialsDivideAndAdd) {
  auto integers = [](std::vector<int64_t> values) { return Polynomial(values.begin(), values.end()); };
  for (const Field &field : {Field(), Field::prime(7)}) {
    Polynomial f = integers({3, 0, 2, 5}), g = integers({1, 2});
    auto [quotient, rest] = divide(field, f, g);
    EXPECT_LT(degree(rest), degree(g));
    EXPECT_EQ(add(field, multiply(field, quotient, g), rest), f);
    EXPECT_EQ(remainder(field, f, g), rest);
    EXPECT_TRUE(add(field, f, scale(field, field.reduce(Rational(-1)), f)).empty());
    EXPECT_THROW(divide(field, f, {}), std::logic_error);
  }
  EXPECT_EQ(monomial(2), integers({0, 0, 1}));
  // Over GF(2): x^2 + x + 1; the two of degree 3, in order of their coefficients as digits.
  Field two = Field::prime(2);
  EXPECT_EQ(irreducibles(two, 2, 9), (std::vector<Polynomial>{integers({1, 1, 1})}));
  EXPECT_EQ(irreducibles(two, 3, 9),
            (std::vector<Polynomial>{integers({1, 1, 0, 1}), integers({1, 0, 1, 1})}));
  EXPECT_EQ(irreducibles(Field::prime(5), 1, 3).size(), 3u);
  EXPECT_EQ(realRoots(integers({-2, 0, 0, 1})), 1);
  EXPECT_EQ(realRoots(integers({-2, 0, 1})), 2);
  EXPECT_EQ(realRoots(integers({1, 0, 0, 0, 1})), 0);
}

TEST(Linear, PolynomialsFactorAndGiveIdempotents) {
  Field q;
  auto integers = [](std::vector<int64_t> values) { return Polynomial(values.begin(), values.end()); };
  // (x^2 + 1)^2 (x - 3), and x^4 + 1, which factors modulo every prime.
  Polynomial square = multiply(q, power(q, integers({1, 0, 1}), 2), integers({-3, 1}));
  std::vector<PolynomialFactor> factors = factor(q, square);
  ASSERT_EQ(factors.size(), 2u);
  EXPECT_EQ(toString(factors[0].factor), "x - 3");
  EXPECT_EQ(toString(factors[1].factor), "x^2 + 1");
  EXPECT_EQ(factors[1].multiplicity, 2);
  EXPECT_EQ(factor(q, integers({1, 0, 0, 0, 1})).size(), 1u);
  EXPECT_EQ(factor(Field::prime(7), integers({1, 0, 0, 0, 1})).size(), 2u);
  for (const Field &field : {q, Field::prime(5)}) {
    Polynomial f = integers({2, 0, 1}), g = integers({1, 1}), h = idempotent(field, f, g);
    // h is divisible by g, and h - 1 by f.
    EXPECT_NO_THROW(divideExactly(field, h, g));
    h[0] = field.reduce(h[0] - Rational(1));
    EXPECT_NO_THROW(divideExactly(field, h, f));
    EXPECT_THROW(divideExactly(field, h, integers({3, 1})), std::logic_error);
    EXPECT_THROW(idempotent(field, f, multiply(field, f, g)), std::logic_error);
  }
}

} // namespace
