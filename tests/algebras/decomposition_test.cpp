// Decompositions of tables whose basis hides their structure: every claim is checked by products, and the
// dimensions against known answers.
#include "algebras/expression.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/sparse_product.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace algebras;
using nlohmann::json;
using testing_support::checkDecomposition;
using testing_support::denseBasis;

Decomposition checked(const Table &table) {
  Decomposition result = decomposeDense(table, findIdentity(table).value());
  checkDecomposition(table, result);
  return result;
}

std::vector<std::int64_t> series(const Decomposition &decomposition) {
  std::vector<std::int64_t> result;
  for (const auto &power : decomposition.radical_powers)
    result.push_back(static_cast<std::int64_t>(power.size()));
  result.push_back(0);
  return result;
}

std::vector<std::int64_t> dimensions(const Decomposition &decomposition) {
  std::vector<std::int64_t> result;
  for (const SimpleComponent &component : decomposition.components)
    result.push_back(component.dimension);
  return result;
}

TEST(Decomposition, PublishedCases) {
  json all = json::parse(std::ifstream(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json"));
  for (const json &one : all["cases"]) {
    const json &expect = one["expect"];
    if (expect["radical_dimension"].is_null())
      continue;
    SCOPED_TRACE(one["name"].get<std::string>());
    Decomposition found = checked(parseTable(one.dump(), "case.json"));
    EXPECT_EQ(json(series(found)), expect["radical_series"]);
    EXPECT_EQ(json(dimensions(found)), expect["simple_components"]);
    EXPECT_EQ(json(found.center_dimension.value()), expect["center_dimension"]);
  }
}

// What the constructions know in closed form, found again behind a change of basis.
TEST(Decomposition, ConstructionsInDenseBases) {
  std::mt19937 random(3);
  for (const char *field : {"Q", "GF(2)", "GF(3)", "GF(5)", "GF(7)", "GF(9223372036854775783)"})
    for (int round = 0; round < 10; ++round) {
      Algebra algebra = testing_support::randomAlgebra(random, 14, Field::parse(field));
      SCOPED_TRACE(algebra.expression() + " over " + field);
      Decomposition known = decompose(algebra).value();
      checkDecomposition(algebra.expand(), known);
      Decomposition found = checked(denseBasis(algebra.expand(), random));
      EXPECT_EQ(series(found), series(known));
      EXPECT_EQ(dimensions(found), dimensions(known));
      EXPECT_EQ(found.center_dimension, known.center_dimension);
      if (std::string(field) != "Q")
        for (const SimpleComponent &component : found.components)
          EXPECT_EQ(component.matrix_degree.value() * component.matrix_degree.value(), component.dimension);
    }
}

} // namespace
