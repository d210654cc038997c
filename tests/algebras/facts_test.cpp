// Every fact against brute force on expand(), and against the published cases.
#include "algebras/bases_json.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "algebras/facts_json.h"
#include "algebras/structure/table_structure.h"
#include "tests/algebras/examples.h"
#include "tests/algebras/random_algebra.h"
#include "tests/algebras/reference.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>

namespace {

using namespace algebras;
using nlohmann::json;

const json &cases() {
  static const json all = json::parse(std::ifstream(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json"));
  return all;
}

reference::Vector dense(const SparseVector &vector, int64_t dimension, uint64_t p) {
  reference::Vector result(dimension);
  for (const auto &[slot, coefficient] : vector)
    result[slot] = Field::prime(p).reduce(coefficient).integerModulo(p).value();
  return result;
}

void expectFacts(const Algebra &algebra) {
  SCOPED_TRACE(algebra.expression());
  Facts facts = deriveFacts(algebra);
  Table table = algebra.expand();
  reference::Product product(table);
  EXPECT_EQ(facts.nonzeros, table.nonzeros());
  EXPECT_EQ(facts.dimension, table.dimension());
  EXPECT_TRUE(facts.associative.value());
  EXPECT_FALSE(findNonassociative(table));
  EXPECT_EQ(facts.commutative.value(), product.isCommutative());
  ASSERT_TRUE(facts.identity);
  EXPECT_TRUE(product.isIdentity(dense(*facts.identity, facts.dimension, reference::reference_prime)));
  EXPECT_EQ(findIdentity(table), facts.identity);
  EXPECT_EQ(facts.center_dimension, product.centerDimension());
  EXPECT_EQ(facts.radical_series, product.radicalSeries());
  EXPECT_EQ(facts.radical_dimension, facts.radical_series->front());
  EXPECT_EQ(facts.maximal_ideals, product.quotientCenterDimension());
  EXPECT_EQ(static_cast<int64_t>(facts.simple_components->size()), facts.maximal_ideals);
  EXPECT_EQ(std::accumulate(facts.simple_components->begin(), facts.simple_components->end(), int64_t{0}),
            facts.dimension - *facts.radical_dimension);
  EXPECT_EQ(facts.alder_strassen, 2 * facts.dimension - *facts.maximal_ideals);
  EXPECT_GE(*facts.rank_lower, *facts.alder_strassen);
  EXPECT_LE(*facts.rank_lower, *facts.rank_upper);
  EXPECT_LE(*facts.rank_upper, facts.nonzeros);
  EXPECT_EQ(facts.rank_exact, facts.rank_lower == facts.rank_upper);

  // The table by itself shows the same structure.
  std::optional<Structure> shown = tableStructure(table);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->radicalSeries(), *facts.radical_series);
  EXPECT_EQ(shown->maximalIdeals(), facts.maximal_ideals);
  EXPECT_EQ(shown->center_dimension, facts.center_dimension);
}

TEST(Facts, RandomGraphsAgreeWithBruteForce) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round)
    expectFacts(graphAlgebra(testing_support::randomGraph(random, 5)));
}

TEST(Facts, RandomExpressionsAgreeWithBruteForce) {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round)
    expectFacts(testing_support::randomAlgebra(random, 36));
}

TEST(Facts, SmallTensorProductsAgreeWithBruteForce) {
  for (const char *text :
       {"Q(2)^2", "Q(2)*M(2)", "T(2)*T(3)", "path(3)*D(2)", "(Q(2)+M(2))*T(2)", "M(2)*M(2)", "Q(3)*Q(2)"})
    expectFacts(parseExpression(text));
}

TEST(Facts, SimpleComponentsAreKnownOneByOne) {
  EXPECT_EQ(deriveFacts(parseExpression("(D(2)+M(3))*M(2)+T(2)")).simple_components,
            (std::vector<int64_t>{1, 1, 4, 4, 36}));
}

TEST(Facts, LargeAlgebrasInClosedForm) {
  Facts q256 = deriveFacts(parseExpression("Q(256)"));
  EXPECT_EQ(q256.rank_lower, 2 * 256 * 256 - 256);
  EXPECT_TRUE(q256.rank_exact);
  EXPECT_EQ(q256.identity->size(), 256u);
  Facts power = deriveFacts(parseExpression("Q(2)^8"));
  EXPECT_EQ(power.dimension, 65536);
  EXPECT_EQ(power.nonzeros, 1679616); // 6^8
  // Layers of the tensor power: binomial(8, s) 2^8, as for a tensor power of 2 + 2x.
  std::vector<int64_t> series{0};
  int64_t binomial = 1;
  for (int64_t s = 8; s >= 1; --s) {
    series.insert(series.begin(), series.front() + binomial * 256);
    binomial = binomial * s / (9 - s);
  }
  EXPECT_EQ(power.radical_series, series);
  Facts blocks = deriveFacts(parseExpression("Q(64)*M(4)"));
  EXPECT_EQ(blocks.types, 64);
  EXPECT_EQ(blocks.groups, 256);
  EXPECT_EQ(blocks.maximal_ideals, 64);
  EXPECT_EQ(blocks.fraction, Rational(127, 4096));
  // Gigantic, but still only closed forms.
  EXPECT_EQ(deriveFacts(parseExpression("Q(1000000)")).radical_dimension, 999999000000);
}

TEST(Facts, RankRules) {
  auto rank = [](const char *text) {
    Facts facts = deriveFacts(parseExpression(text));
    return std::pair(*facts.rank_lower, *facts.rank_upper);
  };
  EXPECT_EQ(rank("M(1)"), std::pair(int64_t{1}, int64_t{1}));
  EXPECT_EQ(rank("M(2)"), std::pair(int64_t{7}, int64_t{7}));
  EXPECT_EQ(rank("M(3)"), std::pair(int64_t{19}, int64_t{23}));
  EXPECT_EQ(rank("M(4)"), std::pair(int64_t{34}, int64_t{49}));
  EXPECT_EQ(rank("M(8)"), std::pair(int64_t{136}, int64_t{343}));
  EXPECT_EQ(rank("M(2)*M(2)"), std::pair(int64_t{34}, int64_t{49}));
  EXPECT_EQ(rank("Q(2)^2"), std::pair(int64_t{29}, int64_t{36}));
  EXPECT_EQ(rank("D(5)"), std::pair(int64_t{5}, int64_t{5}));
  EXPECT_EQ(rank("T(3)"), std::pair(int64_t{10}, int64_t{10}));
  EXPECT_EQ(rank("T(2)"), std::pair(int64_t{4}, int64_t{4}));
  EXPECT_EQ(rank("M(2)+D(1)"), std::pair(int64_t{8}, int64_t{8}));
  EXPECT_EQ(rank("Q(2)*M(2)"), std::pair(int64_t{31}, int64_t{42}));
  EXPECT_EQ(deriveFacts(parseExpression("Q(3)")).rank_upper_rule, "graph product: |V| + 2|E|, theorem");
  EXPECT_EQ(deriveFacts(parseExpression("Q(3)")).rank_lower_rule, "alder-strassen");
}

TEST(Facts, PublishedCases) {
  for (const json &one : cases()["cases"]) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const json &expect = one["expect"];
    Facts facts = deriveFacts(tableAlgebra(parseTable(one.dump(), "case.json")));
    EXPECT_EQ(json(facts.associative.value()), expect["associative"]);
    EXPECT_EQ(json(facts.unital.value()), expect["unital"]);
    EXPECT_EQ(facts.identity.has_value(), !expect["identity"].is_null());
    if (facts.identity && !expect["identity"].is_null()) {
      std::vector<std::string> identity(facts.dimension, "0");
      for (const auto &[slot, coefficient] : *facts.identity)
        identity[slot] = coefficient.toString();
      EXPECT_EQ(json(identity), expect["identity"]);
    }
    EXPECT_EQ(facts.witness.has_value(), !*facts.associative);
    json printed = toJson(facts);
    for (const char *key : {"center_dimension", "radical_dimension", "radical_series", "simple_components",
                            "maximal_ideals", "alder_strassen"})
      EXPECT_EQ(printed[key], expect[key]) << key;
  }
}

Table table(const char *constants, int64_t dimension, const char *field = "Q") {
  return parseTable(
      json{{"field", field}, {"dimension", dimension}, {"constants", json::parse(constants)}}.dump(), "t");
}

TEST(Facts, ProductsWithTablesKeepLawsAndWitnesses) {
  Algebra octonions = [] {
    for (const json &one : cases()["cases"])
      if (one["name"] == "octonions")
        return tableAlgebra(parseTable(one.dump(), "octonions.json"));
    throw std::logic_error("octonions are missing");
  }();
  for (const Algebra &algebra : {tensor(path(2), octonions), tensor(octonions, coordinates(2)),
                                 directProduct(completeGraph(2), octonions)}) {
    SCOPED_TRACE(algebra.name());
    Facts facts = deriveFacts(algebra);
    EXPECT_FALSE(facts.associative.value());
    EXPECT_TRUE(facts.unital.value());
    ASSERT_TRUE(facts.witness);
    const Witness &w = *facts.witness;
    EXPECT_TRUE(reference::Product(algebra.expand()).differs(w.i, w.j, w.k, w.l));
    EXPECT_TRUE(reference::Product(algebra.expand())
                    .isIdentity(dense(*facts.identity, facts.dimension, reference::reference_prime)));
  }
  // Far beyond what can be expanded.
  EXPECT_TRUE(deriveFacts(tensor(power(completeGraph(2), 8), octonions)).witness);
}

TEST(Facts, AnticommutativeFactorsWithoutIdentity) {
  // b0 b1 = b2 = -b1 b0: anticommutative, so that its square commutes.
  Algebra wedge = tableAlgebra(table(R"([[0,1,2,"1"],[1,0,2,"-1"]])", 3));
  EXPECT_FALSE(deriveFacts(wedge).commutative.value());
  EXPECT_TRUE(deriveFacts(tensor(wedge, wedge)).commutative.value());
  EXPECT_TRUE(reference::Product(tensor(wedge, wedge).expand()).isCommutative());
}

TEST(Facts, ABasisThatHidesAnIdempotent) {
  // 1 and b with b b = 2 b: two copies of the field; over GF(2) b is nilpotent.
  const char *constants = R"([[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"],[1,1,1,"2"]])";
  Facts facts = deriveFacts(tableAlgebra(table(constants, 2)));
  EXPECT_TRUE(facts.associative.value() && facts.unital.value());
  EXPECT_EQ(facts.center_dimension, 2);
  EXPECT_EQ(facts.maximal_ideals, 2);
  EXPECT_EQ(facts.radical_dimension, 0);
  facts = deriveFacts(tableAlgebra(table(constants, 2, "GF(2)")));
  EXPECT_EQ(facts.maximal_ideals, 1);
  EXPECT_EQ(facts.radical_dimension, 1);
}

TEST(Facts, TensorProductsWhoseFactorsDoNotSplit) {
  auto facts = [](const Algebra &algebra) { return deriveFacts(algebra); };
  Algebra i = tableAlgebra(examples::polynomials(Field(), {1, 0})),
          h = tableAlgebra(examples::clifford(Field(), {-1, -1}));
  EXPECT_EQ(facts(tensor(i, i)).maximal_ideals, 2);
  EXPECT_EQ(facts(tensor(i, i)).alder_strassen, 6);
  EXPECT_EQ(facts(tensor(h, i)).simple_components, (std::vector<int64_t>{8})); // M_2(Q(i))
  Facts split = facts(tensor(h, h));
  EXPECT_EQ(split.component_kinds.begin()->first.matrix_degree, 4);
  // One factor that does not split, in closed form, far beyond what is expanded.
  Facts large = facts(tensor(h, completeGraph(200)));
  EXPECT_EQ(large.dimension, 160000);
  EXPECT_EQ(large.maximal_ideals, 200);
  EXPECT_EQ(large.radical_dimension, 4 * (40000 - 200));
  EXPECT_EQ(large.component_kinds.begin()->first.divisionDimension(), 4);
  EXPECT_EQ(large.component_kinds.begin()->first.division_reason,
            "quaternion algebra (-1, -1) over Q, ramified at 2 and infinity");
  Facts matrices_over_h = facts(tensor(matrices(2), h));
  EXPECT_EQ(matrices_over_h.component_kinds.begin()->first.matrix_degree, 2);
  EXPECT_EQ(matrices_over_h.simple_components, (std::vector<int64_t>{16}));
  EXPECT_EQ(facts(tensor(tensor(i, i), completeGraph(3))).maximal_ideals, 6);
}

TEST(Facts, OneSidedIdentitiesAreNamed) {
  Facts rows = deriveFacts(tableAlgebra(table(R"([[0,0,0,"1"],[0,1,1,"1"]])", 2)));
  EXPECT_FALSE(*rows.unital);
  EXPECT_EQ(toJson(rows)["left_identity"], json::parse(R"([[0,"1"]])"));
  EXPECT_TRUE(toJson(rows)["right_identity"].is_null());
  EXPECT_FALSE(rows.radical_dimension);
}

TEST(Facts, TheZeroProductIsAssociativeAndNotUnital) {
  for (const char *field : {"Q", "GF(2)"}) {
    Facts facts = deriveFacts(tableAlgebra(table("[]", 3, field)));
    EXPECT_TRUE(*facts.associative && *facts.commutative);
    EXPECT_FALSE(*facts.unital);
    EXPECT_FALSE(facts.maximal_ideals || facts.left_identity || facts.right_identity);
    EXPECT_EQ(facts.rank_upper, 0);
  }
}

TEST(Facts, EveryClaimNamesTheStepThatProvesIt) {
  for (const char *text : {"Q(3)", "Q(2)*M(2)"}) {
    Facts facts = deriveFacts(parseExpression(text));
    for (const Facts &one : {facts, deriveFacts(tableAlgebra(parseExpression(text).expand()))})
      for (const char *key : {"associative", "unital", "commutative", "center_dimension", "radical_dimension",
                              "radical_series", "simple_components", "maximal_ideals", "alder_strassen"})
        EXPECT_FALSE(toJson(one)["proofs"][key].get<std::string>().empty()) << key;
  }
}

TEST(Facts, BasesAreListed) {
  Algebra algebra = parseExpression("T(2)");
  nlohmann::ordered_json bases = basesJson(algebra, deriveFacts(algebra));
  EXPECT_EQ(json(bases["radical"]), json::parse(R"([[[1,"1"]]])"));
  EXPECT_EQ(json(bases["center"]), json::parse(R"([[[0,"1"],[2,"1"]]])"));
  EXPECT_EQ(json(bases["primitive_idempotents"]), json::parse(R"([[[0,"1"]],[[2,"1"]]])"));
  EXPECT_EQ(bases["components"].size(), 2u);
  Algebra rows = tableAlgebra(table(R"([[0,0,0,"1"],[0,1,1,"1"]])", 2));
  EXPECT_TRUE(basesJson(rows, deriveFacts(rows)).is_null());
}

TEST(Facts, AClaimedIdentityIsChecked) {
  json document{{"dimension", 1}, {"constants", {{0, 0, 0, "1"}}}, {"identity", {"1"}}};
  EXPECT_TRUE(deriveFacts(tableAlgebra(parseTable(document.dump(), "t"))).unital.value());
  document["identity"] = {"2"};
  EXPECT_THROW(deriveFacts(tableAlgebra(parseTable(document.dump(), "t"))), InputError);
}

TEST(Facts, JsonHasTheKeysOfTheContract) {
  json printed = toJson(deriveFacts(parseExpression("Q(2)")));
  for (const char *key : {"name",
                          "field",
                          "dimension",
                          "nonzeros",
                          "associative",
                          "unital",
                          "commutative",
                          "identity",
                          "center_dimension",
                          "radical_dimension",
                          "radical_series",
                          "simple_components",
                          "maximal_ideals",
                          "alder_strassen",
                          "rank_lower",
                          "rank_lower_rule",
                          "rank_upper",
                          "rank_upper_rule",
                          "rank_exact",
                          "active_products",
                          "types",
                          "groups",
                          "dense_products",
                          "fraction"})
    EXPECT_TRUE(printed.contains(key)) << key;
  EXPECT_EQ(printed["identity"], json::parse(R"([[0,"1"],[3,"1"]])"));
  EXPECT_EQ(printed["fraction"], 0.75);
  EXPECT_FALSE(printed.contains("witness"));
}

} // namespace
