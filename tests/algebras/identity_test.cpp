#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/identity.h"
#include "algebras/identity/dense_identity.h"
#include "algebras/identity/one_sided.h"
#include "algebras/linear/echelon.h"
#include "algebras/structure/sparse_product.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/random_algebra.h"
#include "tests/algebras/reference.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace {

using namespace algebras;

// The same algebra in the basis b'_i = sum_j change[i][j] b_j, for an upper triangular change with ones on
// the diagonal.
Table changeBasis(const Table &table, std::mt19937 &random) {
  int64_t m = table.dimension();
  using Row = std::vector<Rational>;
  std::vector<Row> change(m, Row(m)), inverse(m, Row(m));
  for (int64_t i = 0; i < m; ++i) {
    change[i][i] = inverse[i][i] = Rational(1);
    for (int64_t j = i + 1; j < m; ++j)
      change[i][j] = table.field().reduce(Rational(static_cast<int64_t>(random() % 5) - 2));
  }
  for (int64_t i = m; i-- > 0;) // b_i = b'_i - sum_{j>i} change[i][j] b_j
    for (int64_t j = i + 1; j < m; ++j)
      for (int64_t k = j; k < m; ++k)
        inverse[i][k] -= change[i][j] * inverse[j][k];
  std::map<std::tuple<int64_t, int64_t, int64_t>, Rational> sums;
  for (const Constant &c : table.constants())
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < m; ++j) {
        Rational factor = change[i][c.i] * change[j][c.j] * c.value;
        if (factor.isZero())
          continue;
        for (int64_t k = 0; k < m; ++k)
          sums[{i, j, k}] += factor * inverse[c.k][k];
      }
  std::vector<Constant> constants;
  for (const auto &[key, value] : sums)
    constants.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), value});
  return Table("changed", table.field(), m, constants);
}

TEST(Identity, FoundInEveryBasis) {
  std::mt19937 random(7);
  for (const char *field : {"Q", "GF(2)", "GF(7)"})
    for (int round = 0; round < 12; ++round) {
      Table table =
          changeBasis(testing_support::randomAlgebra(random, 9, Field::parse(field)).expand(), random);
      std::optional<SparseVector> identity = findIdentity(table);
      ASSERT_TRUE(identity) << printTable(table);
      EXPECT_TRUE(isIdentity(table, *identity));
      reference::Product product(table);
      reference::Vector dense(table.dimension());
      uint64_t p = table.field().isRationals() ? reference::reference_prime : table.field().characteristic();
      for (const auto &[slot, value] : *identity)
        dense[slot] = Field::prime(p).reduce(value).integerModulo(p).value();
      EXPECT_TRUE(product.isIdentity(dense));
    }
}

TEST(Identity, AbsentWhereItIsAbsent) {
  std::mt19937 random(8);
  // Left identities only, nothing at all, a nilpotent product, and fewer products than slots.
  std::vector<Table> tables = {
      Table("rows", Field(), 2, {{0, 0, 0, Rational(1)}, {0, 1, 1, Rational(1)}}),
      Table("zero", Field(), 3, {}),
      Table("nilpotent", Field(), 3, {{0, 1, 2, Rational(1)}}),
      Table("huge", Field(), INT64_MAX, {{0, 0, 0, Rational(1)}}),
      Table("alike", Field(), 2,
            {{0, 0, 0, Rational(1)}, {0, 1, 0, Rational(1)}, {1, 0, 0, Rational(1)}, {1, 1, 0, Rational(1)}}),
  };
  for (const Table &table : tables) {
    EXPECT_FALSE(findIdentity(table)) << table.name();
    if (table.dimension() < 10)
      EXPECT_FALSE(findIdentity(changeBasis(table, random))) << table.name();
  }
}

TEST(Identity, FractionsAndWrongClaims) {
  Table half("half", Field(), 1, {{0, 0, 0, Rational(2)}});
  EXPECT_EQ(findIdentity(half), (SparseVector{{0, Rational(1, 2)}}));
  Table wrong("wrong", Field(), 1, {{0, 0, 0, Rational(2)}}, std::vector{Rational(1)});
  EXPECT_EQ(findIdentity(wrong), (SparseVector{{0, Rational(1, 2)}}));
  EXPECT_FALSE(isIdentity(wrong, {{0, Rational(1)}}));
}

TEST(Identity, LargeSparseTablesArePropagated) {
  std::optional<SparseVector> identity = findIdentity(parseExpression("Q(64)").expand());
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->size(), 64u);
}

bool isLeftIdentity(const Table &table, const SparseVector &u) {
  SparseProduct product(table);
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (product.multiply(u, {{slot, Rational(1)}}) != SparseVector{{slot, Rational(1)}})
      return false;
  return true;
}

// The table of x, y -> y x.
Table opposite(const Table &table) {
  std::vector<Constant> constants;
  for (const Constant &constant : table.constants())
    constants.push_back({constant.j, constant.i, constant.k, constant.value});
  return Table("opposite", table.field(), table.dimension(), constants);
}

TEST(Identity, OneSidedIdentities) {
  std::mt19937 random(9);
  for (const char *field : {"Q", "GF(2)", "GF(5)"}) {
    // The first two rows of 3 x 3 matrices: E_ab with a < 2. E00 + E11 is a left identity; there is no right
    // one.
    std::vector<Constant> constants;
    for (int64_t a = 0; a < 2; ++a)
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t c = 0; c < 3; ++c)
          constants.push_back({a * 3 + b, b * 3 + c, a * 3 + c, Rational(1)});
    Table rows("rows", Field::parse(field), 6, constants);
    for (const Table &table : {rows, changeBasis(rows, random)}) {
      EXPECT_FALSE(findIdentity(table));
      std::optional<SparseVector> left = findLeftIdentity(table);
      ASSERT_TRUE(left);
      EXPECT_TRUE(isLeftIdentity(table, *left));
      EXPECT_FALSE(findRightIdentity(table));
      EXPECT_FALSE(findLeftIdentity(opposite(table)));
      std::optional<SparseVector> right = findRightIdentity(opposite(table));
      ASSERT_TRUE(right);
      EXPECT_TRUE(isLeftIdentity(table, *right));
    }
    // Of products, factor by factor.
    Algebra algebra = tableAlgebra(rows);
    for (const Algebra &product :
         {tensor(algebra, path(2, rows.field())), directProduct(matrices(2, rows.field()), algebra),
          tensor(algebra, algebra)}) {
      std::optional<SparseVector> left = leftIdentity(product);
      ASSERT_TRUE(left) << product.name();
      EXPECT_TRUE(isLeftIdentity(product.expand(), *left));
      EXPECT_FALSE(rightIdentity(product));
    }
  }
  EXPECT_FALSE(findLeftIdentity(Table("zero", Field(), 3, {})));
  EXPECT_FALSE(findRightIdentity(Table("nilpotent", Field(), 3, {{0, 1, 2, Rational(1)}})));
}

// Dense tables are first looked at modulo a prime, which may show that there is none, and never that there is
// one.
TEST(Identity, DenseTablesByResidues) {
  std::mt19937 random(21);
  const auto p = static_cast<int64_t>(nextModulus(0));
  // Matrices of order 6 whose last row is zero, or whose last column is: the unit of the others is one-sided.
  for (const Side side : {Side::Left, Side::Right}) {
    std::vector<Constant> constants;
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 5; ++j)
        for (int64_t k = 0; k < 6; ++k)
          constants.push_back(side == Side::Left ? Constant{6 * i + j, 6 * j + k, 6 * i + k, Rational(1)}
                                                 : Constant{6 * j + k, 6 * i + j, 6 * i + k, Rational(1)});
    const Table table = testing_support::denseBasis(
        testing_support::denseBasis(Table("one-sided", Field(), 30, constants), random), random);
    ASSERT_TRUE(isDense(table));
    EXPECT_FALSE(findIdentity(table));
    EXPECT_EQ(findLeftIdentity(table).has_value(), side == Side::Left);
    EXPECT_EQ(findRightIdentity(table).has_value(), side == Side::Right);
  }
  const Table matrices = testing_support::denseBasis(
      testing_support::denseBasis(parseExpression("M(5)").expand(), random), random);
  ASSERT_TRUE(isDense(matrices));
  for (const Rational &scale : {Rational(1), Rational(p), Rational(1, p)}) {
    std::vector<Constant> constants = matrices.constants();
    for (Constant &constant : constants)
      constant.value *= scale;
    const Table scaled("scaled", Field(), 25, constants);
    EXPECT_FALSE(lacksIdentity(scaled, Side::Left)) << scale.toString();
    EXPECT_TRUE(findIdentity(scaled)) << scale.toString();
    constants[7].value += Rational(1);
    const Table damaged("damaged", Field(), 25, constants);
    EXPECT_FALSE(findIdentity(damaged)) << scale.toString();
  }
}

} // namespace
