#include "algebras/associativity.h"

#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "algebras/linear/echelon.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/random_algebra.h"
#include "tests/algebras/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace {

using namespace algebras;

void expectAgreement(const Table &table) {
  SCOPED_TRACE(printTable(table));
  reference::Product product(table);
  std::optional<Witness> witness = findNonassociative(table);
  EXPECT_EQ(!witness, product.isAssociative());
  if (witness)
    EXPECT_TRUE(product.differs(witness->i, witness->j, witness->k, witness->l));
}

// One constant of an associative table changed: almost always a failure, and never a false one.
TEST(Associativity, DamagedTables) {
  std::mt19937 random(5);
  for (const char *field : {"Q", "GF(2)", "GF(5)", "GF(1000003)"})
    for (int round = 0; round < 25; ++round) {
      Table whole = testing_support::randomAlgebra(random, 14, Field::parse(field)).expand();
      expectAgreement(whole);
      std::vector<Constant> constants = whole.constants();
      Constant &victim = constants[random() % constants.size()];
      switch (random() % 3) {
      case 0:
        victim.value = victim.value * Rational(3, 1);
        break;
      case 1:
        constants.erase(constants.begin() + static_cast<ptrdiff_t>(random() % constants.size()));
        break;
      default:
        victim.k = static_cast<int64_t>(random() % whole.dimension());
      }
      std::sort(constants.begin(), constants.end(), [](const Constant &a, const Constant &b) {
        return std::tie(a.i, a.j, a.k) < std::tie(b.i, b.j, b.k);
      });
      if (std::adjacent_find(constants.begin(), constants.end(), [](const Constant &a, const Constant &b) {
            return a.i == b.i && a.j == b.j && a.k == b.k;
          }) == constants.end())
        expectAgreement(Table("damaged", whole.field(), whole.dimension(), constants));
    }
}

// Dense random tables, small and large coefficients: the three arithmetics.
TEST(Associativity, RandomTables) {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    int64_t dimension = 1 + static_cast<int64_t>(random() % 3);
    std::vector<Constant> constants;
    for (int64_t i = 0; i < dimension; ++i)
      for (int64_t j = 0; j < dimension; ++j)
        for (int64_t k = 0; k < dimension; ++k)
          if (random() % 3 == 0)
            constants.push_back({i, j, k, Rational(static_cast<int64_t>(random() % 3) - 1, 1 + round % 2)});
    expectAgreement(Table("random", Field(), dimension, constants));
  }
}

TEST(Associativity, HugeCoefficientsStayExact) {
  // b0 = scale * identity of D(2) in a scaled basis: associative for every scale.
  for (const char *text : {"1", "1/3", "123456789123456789123456789", "1/99999999999999999999999"}) {
    Rational scale = Rational::parse(text);
    Table table("scaled", Field(), 2, {{0, 0, 0, scale}, {1, 1, 1, scale}, {0, 1, 1, Rational(0)}});
    EXPECT_FALSE(findNonassociative(table)) << text;
    Table bad("bad", Field(), 2, {{0, 0, 0, scale}, {0, 1, 1, scale + Rational(1)}, {1, 0, 1, scale}});
    EXPECT_TRUE(findNonassociative(bad)) << text;
  }
}

TEST(Associativity, LargeSparseTables) {
  EXPECT_FALSE(findNonassociative(parseExpression("Q(64)").expand()));
  Table whole = parseExpression("Q(2)^5").expand();
  EXPECT_FALSE(findNonassociative(whole));
  std::vector<Constant> constants = whole.constants();
  constants.back().value = Rational(2);
  EXPECT_TRUE(findNonassociative(Table("damaged", Field(), whole.dimension(), constants)));
  // Far more slots than products.
  EXPECT_FALSE(findNonassociative(Table("sparse", Field(), INT64_MAX, {{INT64_MAX - 1, 3, 5, Rational(1)}})));
}

// Beyond the size at which one first index is no longer examined at once.
TEST(Associativity, DenseMatrixAlgebra) {
  // c[i,j,k] = 1 throughout: b_i b_j is the sum of all slots, and so is every triple product, times the
  // dimension.
  std::vector<Constant> constants;
  constexpr int64_t table_dimension = 40;
  for (int64_t i = 0; i < table_dimension; ++i)
    for (int64_t j = 0; j < table_dimension; ++j)
      for (int64_t k = 0; k < table_dimension; ++k)
        constants.push_back({i, j, k, Rational(1)});
  EXPECT_FALSE(findNonassociative(Table("all", Field(), table_dimension, constants)));
  constants[5 * table_dimension * table_dimension + 7 * table_dimension + 9].value = Rational(2);
  EXPECT_TRUE(findNonassociative(Table("nearly all", Field(), table_dimension, constants)));
}

// A table of dimension 36 in a dense basis has more pairs than are examined: second slots that generate it
// are enough. Word-sized integers, gigantic ones and residues take different ways.
TEST(Associativity, DenseTablesByGeneratingElements) {
  std::mt19937 random(9);
  for (const char *field : {"Q", "GF(2)", "GF(7)", "GF(9223372036854775783)"}) {
    SCOPED_TRACE(field);
    Table table =
        testing_support::denseBasis(parseExpression("M(6)", {.field = Field::parse(field)}).expand(), random);
    table = testing_support::denseBasis(table, random);
    Associativity whole = examineAssociativity(table);
    EXPECT_FALSE(whole.witness);
    EXPECT_GT(whole.seconds, 0);
    EXPECT_LT(whole.seconds, 12);
    for (int round = 0; round < 4; ++round) {
      std::vector<Constant> constants = table.constants();
      Constant &victim = constants[random() % constants.size()];
      victim.value = table.field().reduce(victim.value + Rational(1));
      Table damaged("damaged", table.field(), table.dimension(), constants);
      std::optional<Witness> witness = findNonassociative(damaged);
      ASSERT_TRUE(witness);
      EXPECT_TRUE(reference::Product(damaged).differs(witness->i, witness->j, witness->k, witness->l));
    }
  }
  // All constants times a long rational number: still associative; one of them more: not.
  Rational scale =
      Rational::parse("1000000000000000000000000000000000000000000000000000000000000000000000003/17");
  Table table = testing_support::denseBasis(
      testing_support::denseBasis(parseExpression("M(6)").expand(), random), random);
  std::vector<Constant> constants = table.constants();
  for (Constant &constant : constants)
    constant.value *= scale;
  Associativity scaled = examineAssociativity(Table("scaled", Field(), 36, constants));
  EXPECT_FALSE(scaled.witness);
  EXPECT_GT(scaled.seconds, 0);
  constants[constants.size() / 2].value += scale;
  EXPECT_TRUE(findNonassociative(Table("damaged", Field(), 36, constants)));
}

// Long rationals cost nothing where the product is not associative: residues show it, and the witness is
// exact.
TEST(Associativity, DenseTablesOfLongRationalsByResidues) {
  std::mt19937_64 random(10);
  constexpr int64_t table_dimension = 12;
  std::vector<Constant> constants;
  auto digits = [&] { return std::to_string(random() >> 1) + std::to_string(random() >> 1); };
  for (int64_t i = 0; i < table_dimension; ++i)
    for (int64_t j = 0; j < table_dimension; ++j)
      for (int64_t k = 0; k < table_dimension; ++k)
        constants.push_back({i, j, k, Rational::parse(digits() + "/" + digits())});
  const Table table("long", Field(), table_dimension, constants);
  const Associativity examined = examineAssociativity(table);
  ASSERT_TRUE(examined.witness);
  EXPECT_EQ(examined.modulus, nextModulus(0));
  const auto [i, j, k, l] = *examined.witness;
  Rational left(0), right(0);
  auto constant = [&](int64_t a, int64_t b, int64_t c) {
    return constants[(a * table_dimension + b) * table_dimension + c].value;
  };
  for (int64_t s = 0; s < table_dimension; ++s) {
    left += constant(i, j, s) * constant(s, k, l);
    right += constant(j, k, s) * constant(i, s, l);
  }
  EXPECT_NE(left, right);
  EXPECT_FALSE(findIdentity(table));
  const Facts facts = deriveFacts(tableAlgebra(table));
  EXPECT_FALSE(*facts.associative);
  EXPECT_NE(facts.proofs.front().second.find("found modulo " + std::to_string(examined.modulus)),
            std::string::npos);
}

// What vanishes modulo the prime is decided without it, and so is a table that it cannot reduce.
TEST(Associativity, ResiduesAloneProveNothing) {
  std::mt19937 random(12);
  const auto p = static_cast<int64_t>(nextModulus(0));
  const Table table = testing_support::denseBasis(
      testing_support::denseBasis(parseExpression("M(3)").expand(), random), random);
  for (const Rational &step : {Rational(p), Rational(1, p), Rational(1)}) {
    std::vector<Constant> constants = table.constants();
    constants[constants.size() / 2].value += step;
    const Table damaged("damaged", Field(), 9, constants);
    const Associativity examined = examineAssociativity(damaged);
    ASSERT_TRUE(examined.witness);
    EXPECT_EQ(examined.modulus == nextModulus(0), step == Rational(1)) << step.toString();
    EXPECT_EQ(examined.modulus == 0, step == Rational(p)) << step.toString();
  }
  EXPECT_FALSE(examineAssociativity(table).witness);
  EXPECT_EQ(examineAssociativity(table).modulus, 0u);
}

} // namespace
