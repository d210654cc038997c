// Lower and upper bounds on algebras whose rank is known, or bounded, from elsewhere.
#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "algebras/linear/polynomial.h"
#include "algebras/rank/bounds.h"
#include "algebras/rank/minimal_rank.h"
#include "algebras/rank/recognition.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <tuple>

namespace {

using namespace algebras;

int64_t lower(const Algebra &algebra) {
  return rankLower(algebra, decompose(algebra).value()).value().products;
}

Algebra asTable(const char *expression, const Field &field = {}) {
  ExpressionOptions options;
  options.field = field;
  return tableAlgebra(parseExpression(expression, options).expand());
}

TEST(RankBounds, TablesAndConstructionsAgree) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 30);
    SCOPED_TRACE(algebra.expression());
    std::optional<Structure> structure = deriveStructure(algebra);
    ASSERT_TRUE(structure);
    EXPECT_EQ(rankLower(algebra, *structure)->products, lower(tableAlgebra(algebra.expand())));
  }
}

TEST(RankBounds, ConstructedAlgorithmsAttainTheirBound) {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    Field field = round % 3 == 0 ? Field() : Field::prime(round % 3 == 1 ? 2 : 5);
    Algebra algebra = testing_support::randomAlgebra(random, 40, field);
    SCOPED_TRACE(algebra.expression());
    std::optional<BilinearAlgorithm> algorithm = constructedAlgorithm(algebra);
    ASSERT_TRUE(algorithm);
    EXPECT_EQ(static_cast<int64_t>(algorithm->size()), rankUpper(algebra).products);
    EXPECT_FALSE(findMismatch(*algorithm, algebra.expand()));
    EXPECT_LE(lower(algebra), static_cast<int64_t>(algorithm->size()));
  }
}

TEST(RankBounds, MatrixProductsInEveryGuise) {
  for (const char *text : {"M(2)*M(2)", "M(2)*M(3)", "D(1)*M(4)", "M(3)*M(3)", "M(2)*D(1)*M(3)"}) {
    Algebra algebra = parseExpression(text);
    std::optional<BilinearAlgorithm> algorithm = constructedAlgorithm(algebra);
    ASSERT_TRUE(algorithm);
    EXPECT_EQ(static_cast<int64_t>(algorithm->size()), rankUpper(algebra).products) << text;
    EXPECT_FALSE(findMismatch(*algorithm, algebra.expand())) << text;
  }
}

TEST(PeirceBound, GainsOneWhereRadicalProductsLeaveTheDiagonal) {
  EXPECT_EQ(lower(asTable("Q(2)^2")), 29);
  EXPECT_EQ(lower(asTable("T(3)")), 10);
  EXPECT_EQ(lower(asTable("T(4)")), 2 * 10 - 4 + 1);
  EXPECT_EQ(lower(asTable("path(2)*path(2)")), 2 * 9 - 4 + 1);
  // No two edges follow each other in rad, as its square is zero.
  EXPECT_EQ(lower(asTable("Q(3)")), 15);
  EXPECT_EQ(lower(asTable("path(3)")), 7);
  EXPECT_EQ(lower(asTable("Q(2)*D(3)")), 18);
  // One for the whole direct product, however many factors gain.
  EXPECT_EQ(lower(asTable("T(3)+T(3)")), 19);
  EXPECT_EQ(lower(parseExpression("T(3)+T(3)+Q(2)^2")), 9 + 9 + 28 + 1);
  EXPECT_EQ(lower(asTable("T(3)", Field::prime(2))), 10);
  EXPECT_EQ(lower(asTable("Q(2)^2", Field::prime(3))), 29);
}

// The algebra in another basis: new element s is b_s plus a few others.
Algebra sheared(const Table &table, uint32_t seed) {
  std::mt19937 random(seed);
  int64_t n = table.dimension();
  // Elementary steps b_s <- b_s + f b_t, done on the constants.
  std::map<std::tuple<int64_t, int64_t, int64_t>, Rational> constants;
  for (const Constant &constant : table.constants())
    constants[{constant.i, constant.j, constant.k}] = constant.value;
  for (int64_t step = 0; step < 2 * n; ++step) {
    int64_t s = random() % n, t = random() % n;
    if (s == t)
      continue;
    Rational f(random() % 2 ? 1 : -1);
    std::map<std::tuple<int64_t, int64_t, int64_t>, Rational> next;
    auto add = [&](int64_t i, int64_t j, int64_t k, const Rational &value) {
      next[{i, j, k}] = table.field().add(next[{i, j, k}], value);
    };
    for (const auto &[place, value] : constants) {
      auto [i, j, k] = place;
      for (int left = 0; left < (i == t ? 2 : 1); ++left)
        for (int right = 0; right < (j == t ? 2 : 1); ++right) {
          Rational own = value * (left ? f : Rational(1)) * (right ? f : Rational(1));
          int64_t a = left ? s : i, b = right ? s : j;
          add(a, b, k, own);
          if (k == s) // b_s = b'_s - f b_t
            add(a, b, t, -f * own);
        }
    }
    constants = std::move(next);
  }
  std::vector<Constant> list;
  for (const auto &[place, value] : constants)
    list.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place), value});
  return tableAlgebra(Table("sheared", table.field(), n, std::move(list)));
}

TEST(PeirceBound, DoesNotDependOnTheBasis) {
  for (const char *text : {"Q(2)^2", "T(3)", "T(4)", "Q(3)", "path(2)*D(2)", "T(3)+D(2)"})
    for (Field field : {Field(), Field::prime(2), Field::prime(7)}) {
      SCOPED_TRACE(text + field.name());
      Algebra own = asTable(text, field);
      Algebra other = sheared(*own.table(), 3);
      ASSERT_FALSE(findNonassociative(*other.table()));
      EXPECT_EQ(lower(other), lower(own));
    }
}

Table commutative(const Field &field, std::initializer_list<std::array<int64_t, 4>> products, int64_t n) {
  std::vector<Constant> constants;
  for (int64_t s = 0; s < n; ++s) {
    constants.push_back({0, s, s, Rational(1)});
    if (s > 0)
      constants.push_back({s, 0, s, Rational(1)});
  }
  for (const auto &[i, j, k, value] : products)
    constants.push_back({i, j, k, field.reduce(Rational(value))});
  return Table("local", field, n, std::move(constants));
}

TEST(LocalAlgebras, MinimalRankOrNot) {
  // k[x,y]/(x^2,y^2): of minimal rank, unless 2 = 0.
  auto square = [](const Field &field) {
    return tableAlgebra(commutative(field, {{1, 2, 3, 1}, {2, 1, 3, 1}}, 4));
  };
  EXPECT_EQ(lower(square(Field())), 7);
  EXPECT_EQ(lower(square(Field::prime(3))), 7);
  EXPECT_EQ(lower(square(Field::prime(2))), 8);
  // The exterior algebra of a plane: x y = -y x.
  EXPECT_EQ(lower(tableAlgebra(commutative(Field(), {{1, 2, 3, 1}, {2, 1, 3, -1}}, 4))), 8);
  // k[x,y]/(x,y)^3: three products of degree two for two generators.
  EXPECT_EQ(
      lower(tableAlgebra(commutative(Field(), {{1, 1, 3, 1}, {1, 2, 4, 1}, {2, 1, 4, 1}, {2, 2, 5, 1}}, 6))),
      12);
  // k[x,y]/(x y, x^3, y^3): w_1 = x, w_2 = y.
  EXPECT_EQ(lower(tableAlgebra(commutative(Field(), {{1, 1, 3, 1}, {2, 2, 4, 1}}, 5))), 9);
  // k[x]/(x^n) over small fields.
  auto powers = [](int64_t n, const Field &field) {
    std::vector<Constant> constants;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; i + j < n; ++j)
        constants.push_back({i, j, i + j, Rational(1)});
    return tableAlgebra(Table("powers", field, n, std::move(constants)));
  };
  EXPECT_EQ(lower(powers(3, Field::prime(2))), 5);
  EXPECT_EQ(lower(powers(4, Field::prime(2))), 8);
  EXPECT_EQ(lower(powers(4, Field::prime(3))), 8);
  EXPECT_EQ(lower(powers(4, Field::prime(5))), 7);
  EXPECT_EQ(lower(powers(6, Field())), 11);
}

TEST(LocalAlgebras, OffDiagonalElementsThatALoopMovesAreSeen) {
  // k^2 with a loop z at vertex 1 and an edge u from 0 to 1, z z = 0, u z not zero: slots e0 e1 z u uz.
  std::vector<Constant> constants;
  for (auto [i, j, k] : std::initializer_list<std::array<int64_t, 3>>{
           {0, 0, 0}, {1, 1, 1}, {1, 2, 2}, {2, 1, 2}, {0, 3, 3}, {3, 1, 3}, {0, 4, 4}, {4, 1, 4}, {3, 2, 4}})
    constants.push_back({i, j, k, Rational(1)});
  Algebra loop = tableAlgebra(Table("loop", Field(), 5, std::move(constants)));
  ASSERT_FALSE(findNonassociative(*loop.table()));
  EXPECT_EQ(lower(loop), 9);
  EXPECT_EQ(lower(sheared(*loop.table(), 1)), 9);
}

TEST(SimpleFactors, QuaternionsFieldsAndMatrices) {
  EXPECT_EQ(lower(parseExpression("M(3)")), 19);
  EXPECT_EQ(lower(parseExpression("M(3)+M(3)")), 17 + 19);
  EXPECT_EQ(lower(parseExpression("M(8)+M(8)")), 127 + 127 + 18);
  EXPECT_EQ(lower(parseExpression("M(3)*Q(2)")), 2 * 36 - 2 + 2);
  EXPECT_EQ(lower(parseExpression("M(2)*Q(2)")), 31);
}

// What is recognised, from the table alone and after a change of basis: products, and the lower bound.
void expectRank(const Algebra &algebra, int64_t least, int64_t most) {
  SCOPED_TRACE(algebra.name() + " over " + algebra.field().name());
  const Table table = algebra.expand();
  for (const Algebra &own : {tableAlgebra(table), sheared(table, 4)}) {
    std::optional<SparseVector> identity = findIdentity(*own.table());
    ASSERT_TRUE(identity);
    RecognisedAlgorithm found = recognisedAlgorithm(*own.table(), *identity);
    EXPECT_FALSE(findMismatch(found.products, *own.table()));
    EXPECT_EQ(static_cast<int64_t>(found.products.size()), most) << found.rule;
    EXPECT_EQ(lower(own), least);
  }
}

// The group algebra of a cyclic group.
Algebra cyclic(int64_t n, const Field &field = {}) {
  std::vector<Constant> constants;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      constants.push_back({i, j, (i + j) % n, Rational(1)});
  return tableAlgebra(Table("C" + std::to_string(n), field, n, std::move(constants)));
}

TEST(Recognition, Constructions) {
  expectRank(parseExpression("Q(2)^2"), 29, 36);
  expectRank(parseExpression("T(3)"), 10, 10);
  expectRank(parseExpression("M(2)"), 7, 7);
  expectRank(parseExpression("M(3)"), 19, 23);
  expectRank(parseExpression("Q(3)"), 15, 15);
  expectRank(parseExpression("M(2)*Q(2)"), 31, 42);
  expectRank(parseExpression("M(2)+D(1)"), 8, 8);
  expectRank(parseExpression("D(4)"), 4, 4);
  for (const Field &field : {Field::prime(2), Field::prime(3), Field::prime(101)}) {
    ExpressionOptions options;
    options.field = field;
    expectRank(parseExpression("M(2)", options), 7, 7);
    expectRank(parseExpression("D(4)", options), 4, 4);
    expectRank(parseExpression("Q(3)+M(2)", options), 22, 22);
    expectRank(parseExpression("T(3)", options), 10, 10);
  }
}

TEST(Recognition, CyclicGroups) {
  for (auto [n, divisors] : {std::pair<int64_t, int64_t>{2, 2}, {3, 2}, {4, 3}, {5, 2}, {6, 4}, {12, 6}})
    expectRank(cyclic(n), 2 * n - divisors, 2 * n - divisors);
  expectRank(cyclic(6, Field::prime(7)), 6, 6);
  expectRank(cyclic(5, Field::prime(11)), 5, 5);
  expectRank(cyclic(3, Field::prime(2)), 4, 4);
  expectRank(cyclic(2, Field::prime(2)), 3, 3);
  expectRank(cyclic(3, Field::prime(3)), 5, 5);
}

TEST(Recognition, LocalAlgebras) {
  auto two = [](const Field &field) {
    return tableAlgebra(commutative(field, {{1, 2, 3, 1}, {2, 1, 3, 1}}, 4));
  };
  expectRank(two(Field()), 7, 7);
  expectRank(two(Field::prime(5)), 7, 7);
  expectRank(two(Field::prime(2)), 8, 8);
}

TEST(Recognition, Quaternions) {
  // i^2 = a, j^2 = b.
  auto quaternions = [](int64_t a, int64_t b, const Field &field) {
    std::vector<Constant> constants;
    auto add = [&](int64_t i, int64_t j, int64_t k, int64_t value) {
      constants.push_back({i, j, k, field.reduce(Rational(value))});
    };
    for (int64_t s = 0; s < 4; ++s) {
      add(0, s, s, 1);
      if (s > 0)
        add(s, 0, s, 1);
    }
    add(1, 1, 0, a), add(2, 2, 0, b), add(3, 3, 0, -a * b);
    add(1, 2, 3, 1), add(2, 1, 3, -1), add(2, 3, 1, -b), add(3, 2, 1, b), add(3, 1, 2, -a), add(1, 3, 2, a);
    return tableAlgebra(Table("quaternions", field, 4, std::move(constants)));
  };
  expectRank(quaternions(-1, -1, Field()), 8, 8);
  expectRank(quaternions(-1, -3, Field()), 8, 10);
  expectRank(quaternions(1, -1, Field()), 7, 7);
  expectRank(quaternions(-1, -1, Field::prime(3)), 7, 7);
  expectRank(quaternions(-1, -1, Field::prime(7)), 7, 7);
}

TEST(Recognition, FieldsOverSmallFields) {
  auto field = [](const Field &ground, std::initializer_list<int64_t> coefficients) {
    Polynomial f;
    for (int64_t value : coefficients)
      f.push_back(ground.reduce(Rational(value)));
    std::vector<Constant> constants;
    int64_t n = degree(f);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Polynomial rest = remainder(ground, monomial(i + j), f);
        for (size_t k = 0; k < rest.size(); ++k)
          if (!rest[k].isZero())
            constants.push_back({i, j, static_cast<int64_t>(k), rest[k]});
      }
    return tableAlgebra(Table("field", ground, n, std::move(constants)));
  };
  expectRank(field(Field::prime(2), {1, 1, 1}), 3, 3);
  expectRank(field(Field::prime(2), {1, 1, 0, 1}), 6, 6);
  expectRank(field(Field::prime(3), {1, 2, 0, 1}), 6, 6);
  expectRank(field(Field::prime(5), {1, 1, 0, 1}), 5, 5);
  expectRank(field(Field::prime(2), {1, 1, 0, 0, 1}), 8, 9);
  expectRank(field(Field(), {1, 0, 0, 0, 1}), 7, 7);
}

TEST(Recognition, WhatHasNoIdentityOrIsNotAssociativeGetsNoLowerBound) {
  // b0 b0 = b1, b1 b0 = b0.
  Facts facts =
      deriveFacts(tableAlgebra(Table("n", Field(), 2, {{0, 0, 1, Rational(1)}, {1, 0, 0, Rational(1)}})));
  EXPECT_FALSE(facts.alder_strassen);
  EXPECT_FALSE(facts.rank_lower);
  EXPECT_EQ(facts.rank_upper, 2);
}

} // namespace
