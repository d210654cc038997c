#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/facts.h"
#include "algebras/graph/graph.h"
#include "algebras/table/table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace algebras;
using nlohmann::json;

std::string errorOf(std::string_view text) {
  try {
    parseTable(text, "t.json");
  } catch (const InputError &error) {
    return error.render();
  }
  return "no error";
}

TEST(Table, NormalisesAndReadsBack) {
  Table table = parseTable(R"json({"field":"GF(5)","dimension":2,
      "constants":[[1,1,0,"-1"],[0,0,0,6],[0,1,1,"1/2"],[1,0,1,"10/2"]],"identity":["6",0]})json",
                           "dir/small.json");
  EXPECT_EQ(table.name(), "small");
  ASSERT_EQ(table.constants().size(), 3u); // 10/2 is zero in GF(5)
  EXPECT_EQ(table.constants()[0], (Constant{0, 0, 0, Rational(1)}));
  EXPECT_EQ(table.constants()[1], (Constant{0, 1, 1, Rational(3)}));
  EXPECT_EQ(table.constants()[2], (Constant{1, 1, 0, Rational(4)}));
  EXPECT_EQ(*table.claimedIdentity(), (std::vector<Rational>{Rational(1), Rational(0)}));
  EXPECT_EQ(table.row(0).size(), 2u);
  Table again = parseTable(printTable(table), "x");
  EXPECT_TRUE(again.sameProduct(table));
  EXPECT_EQ(again.name(), table.name());
  EXPECT_EQ(again.claimedIdentity(), table.claimedIdentity());
}

TEST(Table, PublishedInvalidCases) {
  const json all = json::parse(std::ifstream(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json"));
  int tables = 0, graphs = 0;
  for (const json &one : all["invalid"]) {
    SCOPED_TRACE(one["name"].get<std::string>());
    if (one.contains("vertices")) {
      EXPECT_THROW(makeGraph(one["vertices"], one["edges"].get<std::vector<Graph::Edge>>()), InputError);
      ++graphs;
    } else {
      EXPECT_THROW(parseTable(one.dump(), "t"), InputError);
      ++tables;
    }
  }
  EXPECT_EQ(tables, 3);
  EXPECT_EQ(graphs, 2);
}

TEST(Table, ErrorsNameThePlace) {
  EXPECT_EQ(errorOf("{\n  \"dimension\": 1,\n  oops }").substr(0, 16), "t.json:3:3: erro");
  std::string good = R"json({"dimension":1,"constants":[[0,0,0,"1"]]})json";
  EXPECT_EQ(errorOf(good + '\0' + "left over").substr(0, 45),
            "t.json:1:42: error: not JSON: byte 0x00 canno");
  EXPECT_NE(errorOf(R"json({"dimension":1,"constants":[[0,0,0,"1"],[0,0,0,"2"]]})json")
                .find("constant [0, 0, 0] is given twice"),
            std::string::npos);
  EXPECT_NE(errorOf(R"json({"dimension":1,"constants":[[0,0,1,"1"]]})json").find("indices count from 0 to 0"),
            std::string::npos);
  EXPECT_NE(errorOf(R"json({"dimension":1,"constants":[[0,0,0,"1/0"]]})json")
                .find("constants[0][3]: '1/0' has denominator zero"),
            std::string::npos);
  EXPECT_NE(errorOf(R"json({"dimension":1,"constants":[[0,0,0,0.5]]})json").find("constants[0][3] is 0.5"),
            std::string::npos);
  EXPECT_NE(
      errorOf(R"json({"dimension":1,"constants":[],"identiy":[]})json").find("key \"identiy\" means nothing"),
      std::string::npos);
  EXPECT_NE(errorOf(R"json({"dimension":1,"dimension":2,"constants":[]})json").find("given twice"),
            std::string::npos);
  EXPECT_NE(errorOf(R"json({"constants":[]})json").find("key \"dimension\" is missing"), std::string::npos);
  EXPECT_NE(errorOf(R"json({"dimension":99999999999999999999,"constants":[]})json").find("dimension is"),
            std::string::npos);
  for (const char *bad :
       {"", "[]", "1", "{}", R"json({"dimension":0,"constants":[]})json",
        R"json({"dimension":-1,"constants":[]})json", R"json({"dimension":1.0,"constants":[]})json",
        R"json({"dimension":1,"constants":{}})json", R"json({"dimension":1,"constants":[[0,0,0]]})json",
        R"json({"dimension":1,"constants":[[0,0,0,null]]})json",
        R"json({"dimension":1,"constants":[],"identity":["1","1"]})json",
        R"json({"dimension":1,"constants":[],"field":7})json",
        R"json({"dimension":1,"constants":[[-1,0,0,"1"]]})json",
        R"json({"dimension":1,"constants":[[0,0,0,"1"]],"field":"GF(6)"})json",
        R"json({"dimension":1,"constants":[[0,0,0,"1/7"]],"field":"GF(7)"})json", "{\"dimension\":1e999}"})
    EXPECT_EQ(errorOf(bad).substr(0, 6), "t.json") << bad << "\n" << errorOf(bad);
}

// Long coefficients are no reason to be slow: the answers are those of the same algebra in a shorter basis.
TEST(Table, GiganticCoefficientsAreVerified) {
  for (size_t digits : {300u, 100000u}) {
    std::vector<Constant> constants;
    for (int64_t slot = 0; slot < 12; ++slot)
      constants.push_back(
          {slot, slot, slot,
           Rational::parse(std::string(digits + slot, '7') + "/1" + std::string(digits, '0'))});
    Facts facts = deriveFacts(tableAlgebra(Table("scaled", Field(), 12, std::move(constants))));
    EXPECT_TRUE(facts.associative.value() && facts.unital.value());
    EXPECT_EQ(facts.maximal_ideals, 12);
    EXPECT_EQ(facts.center_dimension, 12);
    EXPECT_TRUE(facts.rank_exact);
  }
}

TEST(Table, HugeDimensionsCostNothing) {
  for (const char *dimension : {"2147483648", "9223372036854775807"})
    for (const char *constants : {"[]", "[[0,0,0,1]]", "[[0,0,0,1],[1,0,1,1],[0,2,2,1],[7,8,9,\"1/2\"]]"}) {
      Facts facts = deriveFacts(tableAlgebra(parseTable(
          std::string("{\"dimension\":") + dimension + ",\"constants\":" + constants + "}", "t.json")));
      EXPECT_FALSE(facts.unital.value());
      EXPECT_TRUE(facts.associative.value());
      EXPECT_FALSE(facts.radical_dimension);
    }
}

} // namespace
