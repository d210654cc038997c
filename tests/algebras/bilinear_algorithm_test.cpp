// Every constructed algorithm against the structure constants.
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/rank/bilinear_algorithm.h"
#include "algebras/rank/linear_maps.h"
#include "algebras/rank/matrix_multiplication.h"
#include "algebras/rank/polynomial_products.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>

namespace {

using namespace algebras;

const std::vector<Field> &fields() {
  static const std::vector<Field> all{Field(),
                                      Field::prime(2),
                                      Field::prime(3),
                                      Field::prime(5),
                                      Field::prime(7),
                                      Field::prime(101),
                                      Field::prime(9223372036854775783u)};
  return all;
}

// k[x]/(f), f monic, in the basis 1, x, x^2, ...
Table quotient(const Field &field, const Polynomial &f) {
  std::vector<Constant> constants;
  int64_t n = degree(f);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      Polynomial rest = remainder(field, monomial(i + j), f);
      for (size_t k = 0; k < rest.size(); ++k)
        if (!rest[k].isZero())
          constants.push_back({i, j, static_cast<int64_t>(k), rest[k]});
    }
  return Table("k[x]/(f)", field, n, std::move(constants));
}

Polynomial polynomial(const Field &field, std::initializer_list<int64_t> coefficients) {
  Polynomial result;
  for (int64_t value : coefficients)
    result.push_back(field.reduce(Rational(value)));
  return result;
}

TEST(BilinearAlgorithm, OwnProductsOfRandomAlgebras) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    Table table = testing_support::randomAlgebra(random, 40, fields()[round % fields().size()]).expand();
    BilinearAlgorithm own = ownProducts(table);
    EXPECT_LE(static_cast<int64_t>(own.size()), table.nonzeros());
    EXPECT_FALSE(findMismatch(own, table));
  }
}

TEST(BilinearAlgorithm, ALargeSparseOneIsVerified) {
  Table table = completeGraph(256).expand();
  BilinearAlgorithm own = ownProducts(table);
  EXPECT_EQ(own.size(), 130816u);
  EXPECT_FALSE(findMismatch(own, table));
  own[70000].gamma[0].second = Rational(2);
  EXPECT_TRUE(findMismatch(own, table));
}

TEST(BilinearAlgorithm, EveryTamperedEntryIsFound) {
  for (const Field &field : fields()) {
    Table table = matrices(2, field).expand();
    const BilinearAlgorithm strassen = matrixAlgorithm(field, 2);
    ASSERT_FALSE(findMismatch(strassen, table));
    for (size_t r = 0; r < strassen.size(); ++r)
      for (SparseVector BilinearProduct::*part :
           {&BilinearProduct::alpha, &BilinearProduct::beta, &BilinearProduct::gamma})
        for (size_t entry = 0; entry < (strassen[r].*part).size(); ++entry) {
          BilinearAlgorithm tampered = strassen;
          Rational &value = (tampered[r].*part)[entry].second;
          value = field.reduce(value + Rational(1));
          EXPECT_TRUE(findMismatch(tampered, table));
        }
    BilinearAlgorithm shorter(strassen.begin() + 1, strassen.end());
    EXPECT_TRUE(findMismatch(shorter, table));
  }
}

TEST(BilinearAlgorithm, AMismatchIsARealOne) {
  Table table = matrices(3).expand();
  BilinearAlgorithm algorithm = matrixAlgorithm(Field(), 3);
  algorithm[5].gamma[2].second = Rational(1, 1000003);
  std::optional<Mismatch> mismatch = findMismatch(algorithm, table);
  ASSERT_TRUE(mismatch);
  Rational sum;
  for (const BilinearProduct &product : algorithm)
    for (const auto &[i, a] : product.alpha)
      for (const auto &[j, b] : product.beta)
        for (const auto &[k, c] : product.gamma)
          if (i == mismatch->i && j == mismatch->j && k == mismatch->k)
            sum += a * b * c;
  for (const Constant &constant : table.constants())
    if (constant.i == mismatch->i && constant.j == mismatch->j && constant.k == mismatch->k)
      sum -= constant.value;
  EXPECT_FALSE(sum.isZero());
}

TEST(BilinearAlgorithm, ADifferenceThatVanishesModuloTheFirstPrimesIsFound) {
  // 2^31 + 11, the first prime that is tried, times the next ones: more than a product of small entries can
  // be.
  Table table("one", Field(), 1, {{0, 0, 0, Rational(1)}});
  Rational large(1);
  for (int64_t prime : {2147483659, 2147483693, 2147483713})
    large *= Rational(prime);
  BilinearAlgorithm algorithm{{{{0, Rational(1) + large}}, {{0, Rational(1)}}, {{0, Rational(1)}}}};
  EXPECT_TRUE(findMismatch(algorithm, table));
  algorithm[0].alpha[0].second = Rational(1);
  EXPECT_FALSE(findMismatch(algorithm, table));
}

TEST(BilinearAlgorithm, AnIndexOutsideIsRefused) {
  Table table("one", Field(), 1, {{0, 0, 0, Rational(1)}});
  EXPECT_THROW(findMismatch({{{{1, Rational(1)}}, {{0, Rational(1)}}, {{0, Rational(1)}}}}, table),
               InputError);
}

TEST(MatrixAlgorithms, AreCorrectAndAsLongAsTheirBound) {
  for (const Field &field : {Field(), Field::prime(2), Field::prime(7)})
    for (int64_t n = 1; n <= 8; ++n) {
      BilinearAlgorithm algorithm = matrixAlgorithm(field, n);
      EXPECT_EQ(static_cast<int64_t>(algorithm.size()), matrixRankUpper(n).products) << n;
      EXPECT_FALSE(findMismatch(algorithm, matrices(n, field).expand())) << n;
    }
  EXPECT_EQ(matrixRankUpper(2).products, 7);
  EXPECT_EQ(matrixRankUpper(3).products, 23);
  EXPECT_EQ(matrixRankUpper(4).products, 49);
  EXPECT_EQ(matrixRankUpper(6).products, 161);
  EXPECT_EQ(matrixRankUpper(96).products, 161 * 7 * 7 * 7 * 7);
  EXPECT_LT(matrixRankUpper(5).products, 125);
  for (int64_t n = 2; n < 200; ++n)
    EXPECT_LE(matrixRankLower(n).products, matrixRankUpper(n).products) << n;
}

TEST(MatrixAlgorithms, BeyondThePlannedOrders) {
  EXPECT_EQ(static_cast<int64_t>(matrixAlgorithm(Field(), 34).size()), matrixRankUpper(34).products);
}

TEST(PolynomialProducts, TruncatedOverEveryField) {
  for (const Field &field : fields()) {
    PolynomialProducts products(field);
    bool large = field.isRationals() || field.characteristic() > 100;
    for (int64_t n = 1; n <= 9; ++n) {
      BilinearAlgorithm algorithm = products.truncated(n);
      EXPECT_FALSE(findMismatch(algorithm, quotient(field, monomial(n)))) << field.name() << " " << n;
      EXPECT_EQ(static_cast<int64_t>(algorithm.size()), products.truncatedCost(n));
      if (large || static_cast<int64_t>(field.characteristic()) >= 2 * n - 4) {
        EXPECT_EQ(products.truncatedCost(n), 2 * n - 1) << field.name() << " " << n;
      }
    }
  }
}

TEST(PolynomialProducts, KnownCountsOverTheFieldOfTwoElements) {
  PolynomialProducts products{Field::prime(2)};
  std::vector<int64_t> full, truncated;
  for (int64_t n = 1; n <= 6; ++n) {
    full.push_back(products.fullCost(n));
    truncated.push_back(products.truncatedCost(n));
  }
  EXPECT_EQ(full, (std::vector<int64_t>{1, 3, 6, 9, 14, 18}));
  EXPECT_EQ(truncated, (std::vector<int64_t>{1, 3, 5, 8, 11, 15}));
}

TEST(PolynomialProducts, ModuloPolynomials) {
  for (const Field &field : fields()) {
    PolynomialProducts products(field);
    bool large = field.isRationals() || field.characteristic() > 100;
    for (const Polynomial &f :
         {polynomial(field, {-1, 0, 0, 0, 0, 0, 1}), polynomial(field, {-1, 0, 0, 1}),
          polynomial(field, {1, 0, 0, 0, 1}), polynomial(field, {1, 1, 1}), polynomial(field, {1, 0, 1}),
          polynomial(field, {0, 0, -1, 3, -3, 1}), polynomial(field, {4, 0, 5, 0, 1}),
          polynomial(field, {-2, 0, 0, 0, 0, 0, 0, 1})}) {
      BilinearAlgorithm algorithm = products.modulo(f);
      EXPECT_FALSE(findMismatch(algorithm, quotient(field, f))) << field.name();
      size_t factors = factor(field, f).size();
      if (large) {
        EXPECT_EQ(algorithm.size(), 2 * (f.size() - 1) - factors);
      } else {
        EXPECT_GE(algorithm.size(), 2 * (f.size() - 1) - factors);
      }
    }
  }
  // The cyclic group of order 6 over a field with all sixth roots of unity.
  Field seven = Field::prime(7);
  EXPECT_EQ(PolynomialProducts(seven).modulo(polynomial(seven, {-1, 0, 0, 0, 0, 0, 1})).size(), 6u);
}

TEST(LinearMaps, AChangeOfBasisIsUndone) {
  for (const Field &field : fields()) {
    Polynomial f = polynomial(field, {3, 1, 0, 0, 1});
    // 1, x + 1, x^2 + x, x^3 + 2 x: the algorithm in the basis 1, x, x^2, x^3 in their coordinates.
    std::vector<SparseVector> powers{{{0, field.reduce(Rational(1))}}};
    Table table = quotient(field, f);
    std::vector<SparseVector> basis{{{0, Rational(1)}},
                                    {{0, Rational(1)}, {1, Rational(1)}},
                                    {{1, Rational(1)}, {2, Rational(1)}},
                                    {{1, field.reduce(Rational(4))}, {3, Rational(1)}}};
    basis[3].erase(std::remove_if(basis[3].begin(), basis[3].end(),
                                  [](const auto &entry) { return entry.second.isZero(); }),
                   basis[3].end());
    std::optional<std::vector<SparseVector>> back = inverse(field, basis);
    ASSERT_TRUE(back);
    BilinearAlgorithm own = ownProducts(table);
    // To the new basis and back again.
    BilinearAlgorithm moved = transformed(field, own, transposed(basis, 4), transposed(basis, 4), *back);
    std::optional<BilinearAlgorithm> again = inOwnBasis(field, moved, basis);
    ASSERT_TRUE(again);
    EXPECT_FALSE(findMismatch(*again, table));
    EXPECT_TRUE(findMismatch(moved, table));
    basis[1] = basis[0];
    EXPECT_FALSE(inverse(field, basis));
  }
}

TEST(BilinearAlgorithm, TensorAndDirectProducts) {
  for (const Field &field : fields()) {
    Algebra left = matrices(2, field), right = completeGraph(2, field);
    BilinearAlgorithm seven = matrixAlgorithm(field, 2), six = ownProducts(right.expand());
    EXPECT_FALSE(findMismatch(tensorAlgorithm(field, seven, six, 4), tensor(left, right).expand()));
    BilinearAlgorithm sum = seven;
    appendDirect(sum, six, 4);
    EXPECT_FALSE(findMismatch(sum, directProduct(left, right).expand()));
  }
}

} // namespace
