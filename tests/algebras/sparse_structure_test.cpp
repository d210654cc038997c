// Structure found in sparse tables whose basis is permuted, rescaled, or mixed a little.
#include "algebras/expression.h"
#include "algebras/structure/class_decomposition.h"
#include "algebras/structure/direct_factors.h"
#include "algebras/structure/radical_powers.h"
#include "algebras/structure/scaled_units.h"
#include "algebras/structure/table_structure.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/random_algebra.h"
#include "tests/algebras/reference.h"
#include "tests/algebras/sparse_basis.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace algebras;
using namespace testing_support;
using nlohmann::json;

std::vector<int64_t> series(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const auto &power : decomposition.radical_powers)
    result.push_back(static_cast<int64_t>(power.size()));
  result.push_back(0);
  return result;
}

std::vector<int64_t> dimensions(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const SimpleComponent &component : decomposition.components)
    result.push_back(component.dimension);
  return result;
}

void expectLike(const Decomposition &known, const Table &table) {
  std::optional<Decomposition> found = decomposeTable(table);
  ASSERT_TRUE(found);
  checkDecomposition(table, *found);
  EXPECT_EQ(series(*found), series(known));
  EXPECT_EQ(dimensions(*found), dimensions(known));
  EXPECT_EQ(found->center_dimension, known.center_dimension);
  std::optional<Structure> structure = tableStructure(table);
  ASSERT_TRUE(structure);
  EXPECT_EQ(structure->radicalSeries(), series(known));
  EXPECT_EQ(structure->maximalIdeals(), static_cast<int64_t>(known.components.size()));
}

TEST(SparseStructure, ConstructionsInDisguise) {
  std::mt19937 random(11);
  for (const char *field : {"Q", "GF(2)", "GF(3)", "GF(5)", "GF(9223372036854775783)"})
    for (int round = 0; round < 25; ++round) {
      Algebra algebra = randomAlgebra(random, 24, Field::parse(field));
      SCOPED_TRACE(algebra.expression() + " over " + field);
      Decomposition known = decompose(algebra).value();
      Table plain = permuted(algebra.expand(), random);
      expectLike(known, plain);
      expectLike(known, rescaled(plain, random));
      expectLike(known, withSums(plain, 1 + round % 4, random));
      expectLike(known, rescaled(withSums(rescaled(plain, random), 2, random), random));
    }
}

// Whatever the classes of slots can say by themselves is right.
TEST(SparseStructure, PublishedCases) {
  json all = json::parse(std::ifstream(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json"));
  std::mt19937 random(12);
  int seen = 0;
  for (const json &one : all["cases"]) {
    const json &expect = one["expect"];
    if (expect["radical_dimension"].is_null())
      continue;
    SCOPED_TRACE(one["name"].get<std::string>());
    Table table = parseTable(one.dump(), "case.json");
    for (const Table &basis :
         {table, rescaled(permuted(table, random), random), withSums(table, 2, random)}) {
      std::optional<Decomposition> found = decomposeTable(basis);
      ASSERT_TRUE(found);
      checkDecomposition(basis, *found);
      EXPECT_EQ(json(series(*found)), expect["radical_series"]);
      EXPECT_EQ(json(dimensions(*found)), expect["simple_components"]);
      EXPECT_EQ(json(found->center_dimension.value()), expect["center_dimension"]);
    }
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

// A direct sum of published algebras falls apart again.
TEST(SparseStructure, DirectSumsOfPublishedCases) {
  json all = json::parse(std::ifstream(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json"));
  std::map<std::string, std::vector<json>> by_field;
  for (const json &one : all["cases"])
    if (!one["expect"]["radical_dimension"].is_null() && one["dimension"].get<int>() <= 16)
      by_field[one["field"]].push_back(one);
  std::mt19937 random(13);
  for (const auto &[field, cases] : by_field)
    for (int round = 0; round < 6; ++round) {
      std::vector<Constant> constants;
      int64_t start = 0, radical = 0, center = 0;
      std::vector<int64_t> components;
      for (int summand = 0; summand < 3; ++summand) {
        const json &one = cases[random() % cases.size()];
        Table table = parseTable(one.dump(), "case.json");
        for (const Constant &c : table.constants())
          constants.push_back({c.i + start, c.j + start, c.k + start, c.value});
        start += table.dimension();
        radical += one["expect"]["radical_dimension"].get<int64_t>();
        center += one["expect"]["center_dimension"].get<int64_t>();
        for (int64_t dimension : one["expect"]["simple_components"])
          components.push_back(dimension);
      }
      Table sum = rescaled(permuted(Table("sum", Field::parse(field), start, constants), random), random);
      EXPECT_GE(directFactors(sum).size(), 3u);
      std::sort(components.begin(), components.end());
      std::optional<Decomposition> found = decomposeTable(sum);
      ASSERT_TRUE(found);
      checkDecomposition(sum, *found);
      EXPECT_EQ(dimensions(*found), components);
      EXPECT_EQ(series(*found).front(), radical);
      EXPECT_EQ(found->center_dimension, center);
    }
}

TEST(SparseStructure, CentersAgreeWithBruteForce) {
  std::mt19937 random(14);
  for (const char *field : {"Q", "GF(2)", "GF(3)"})
    for (int round = 0; round < 30; ++round) {
      Table table = withSums(rescaled(randomAlgebra(random, 20, Field::parse(field)).expand(), random),
                             round % 5, random);
      EXPECT_EQ(centerDimension(table), reference::Product(table).centerDimension()) << printTable(table);
    }
}

TEST(SparseStructure, LargeTables) {
  std::mt19937 random(15);
  Table graph = rescaled(permuted(parseExpression("Q(64)").expand(), random), random);
  Structure structure = tableStructure(graph).value();
  EXPECT_EQ(structure.radicalSeries(), (std::vector<int64_t>{64 * 63, 0}));
  EXPECT_EQ(structure.components, (std::map<SimpleKind, int64_t>{{1, 64}}));
  EXPECT_EQ(structure.center_dimension, 1);
  Table blocks = rescaled(permuted(parseExpression("Q(16)*M(4) + D(500)").expand(), random), random);
  structure = tableStructure(blocks).value();
  EXPECT_EQ(structure.components, (std::map<SimpleKind, int64_t>{{1, 500}, {16, 16}}));
  EXPECT_EQ(structure.center_dimension, 501);
  // The depth of long radicals is found in one walk.
  std::vector<Constant> constants;
  for (int64_t i = 0; i < 500; ++i)
    for (int64_t j = 0; i + j < 500; ++j)
      constants.push_back({i, j, i + j, Rational(1)});
  structure = tableStructure(Table("k[x]/(x^500)", Field(), 500, std::move(constants))).value();
  EXPECT_EQ(structure.layers, std::vector<int64_t>(500, 1));
  EXPECT_EQ(structure.center_dimension, 500);
}

// Sums among the slots of the radical make classes that multiply, and are nilpotent all the same. The table
// is too large for dense linear algebra.
TEST(SparseStructure, MixedRadicals) {
  std::mt19937 random(17);
  Table plain = parseExpression("Q(2)^5 + Q(6)").expand();
  std::vector<int64_t> expected = tableStructure(plain).value().radicalSeries();
  EXPECT_GT(plain.dimension(), 1024);
  TableIndex index(plain);
  std::vector<bool> in_radical = decomposeByClasses(index).value().in_radical;
  std::vector<int64_t> radical;
  for (int64_t slot = 0; slot < plain.dimension(); ++slot)
    if (in_radical[slot])
      radical.push_back(slot);
  Table mixed = plain;
  for (int step = 0; step < 30; ++step)
    mixed =
        withSum(mixed, radical[random() % radical.size()], radical[random() % radical.size()], Rational(2));
  std::optional<Structure> found = tableStructure(rescaled(permuted(mixed, random), random));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->radicalSeries(), expected);
  EXPECT_EQ(found->maximalIdeals(), 32 + 6);
  EXPECT_EQ(found->center_dimension, tableStructure(plain).value().center_dimension);
}

TEST(SparseStructure, UnitsAreFoundOnlyWhereTheyAre) {
  std::mt19937 random(16);
  Table matrices = rescaled(permuted(parseExpression("M(5)").expand(), random), random);
  std::optional<ScaledUnits> units = scaledUnits(matrices);
  ASSERT_TRUE(units);
  EXPECT_EQ(units->degree, 5);
  EXPECT_FALSE(scaledUnits(parseExpression("T(3)").expand()));
  EXPECT_FALSE(scaledUnits(parseExpression("D(4)").expand()));
  EXPECT_FALSE(scaledUnits(parseExpression("Q(2)").expand()));
  // One constant of another size: no matrix algebra any more.
  for (size_t guilty = 0; guilty < matrices.constants().size(); ++guilty) {
    std::vector<Constant> constants = matrices.constants();
    constants[guilty].value += Rational(1);
    if (!constants[guilty].value.isZero())
      EXPECT_FALSE(scaledUnits(Table("wrong", Field(), 25, std::move(constants)))) << guilty;
  }
}

} // namespace
