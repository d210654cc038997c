// Drawings: what is drawn, that it is well-formed, and that DOT output reads back as the same graph.
#include "compiler/drawing/describe.h"
#include "compiler/drawing/facts_text.h"
#include "compiler/drawing/gabriel.h"
#include "compiler/drawing/html.h"
#include "compiler/drawing/product_text.h"
#include "compiler/drawing/quiver.h"

#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/graph/graph.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace {

using algebras::Algebra;
using algebras::parseExpression;

size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
    ++found;
  return found;
}

// Every element is closed in order, attributes are quoted, entities are known: enough of XML for our own
// output.
void expectWellFormed(const std::string &text, const std::set<std::string> &void_elements = {}) {
  std::vector<std::string> open;
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    size_t end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = text.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with('!'))
      continue;
    EXPECT_EQ(count(tag, "\"") % 2, 0u) << tag;
    std::string name = tag.substr(0, tag.find_first_of(" />\n", 1));
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty()) << tag;
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (!tag.ends_with('/') && !void_elements.contains(name)) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Quiver, OfAGraphIsTheGraph) {
  Algebra algebra =
      algebras::graphAlgebra(algebras::makeGraph(3, {{0, 1}, {1, 2}, {2, 1}}, {"a", "b \"q\"", "<c>"}));
  compiler::Quiver quiver = compiler::quiverOf(algebra);
  ASSERT_EQ(quiver.labels, (std::vector<std::string>{"a", "b \"q\"", "<c>"}));
  ASSERT_EQ(quiver.arrows.size(), 3u);
  EXPECT_EQ(quiver.arrows[2].from, 2);
  EXPECT_EQ(quiver.arrows[2].to, 1);
  EXPECT_EQ(quiver.arrows[0].products, 2);
}

TEST(Quiver, DotReadsBackAsTheSameGraph) {
  for (const char *expression : {"Q(5)", "path(4)", "graph(4; 0->1, 1->3, 3->0)", "Q(13)"}) {
    Algebra algebra = parseExpression(expression);
    algebras::Graph graph =
        algebras::parseDot(compiler::toDot(compiler::quiverOf(algebra), expression), "out.dot");
    EXPECT_EQ(algebras::graphAlgebra(graph).dimension(), algebra.dimension()) << expression;
    for (auto [from, to] : graph.edges())
      EXPECT_TRUE(algebra.slotAt({from, to}).has_value()) << expression;
  }
}

TEST(Quiver, OfATensorProductIsItsRowLift) {
  compiler::Quiver quiver = compiler::quiverOf(parseExpression("Q(2)^2"));
  EXPECT_EQ(quiver.labels, (std::vector<std::string>{"0,0", "0,1", "1,0", "1,1"}));
  ASSERT_EQ(quiver.arrows.size(), 12u);
  // Group (1,1) of type (0,0) sums over the four groups between them, group (0,1) over two.
  EXPECT_EQ(quiver.arrows[2].products, 4);
  EXPECT_EQ(quiver.arrows[0].products, 2);
  EXPECT_NE(quiver.caption.find("row lift"), std::string::npos);
}

TEST(Quiver, OfADirectProductKeepsTheFactorsApart) {
  compiler::Quiver quiver = compiler::quiverOf(parseExpression("Q(2) + Q(2)"));
  std::set<std::string> labels(quiver.labels.begin(), quiver.labels.end());
  EXPECT_EQ(labels.size(), 4u);
  EXPECT_EQ(quiver.arrows.size(), 4u);
}

TEST(Quiver, WhatIsNotDrawnSaysWhy) {
  compiler::Quiver table =
      compiler::quiverOf(parseExpression(R"json(table({"dimension":1,"constants":[[0,0,0,"1"]]}))json"));
  EXPECT_FALSE(table.drawn());
  EXPECT_NE(table.caption.find("table"), std::string::npos);
  compiler::Quiver large = compiler::quiverOf(parseExpression("Q(1000000)"));
  EXPECT_FALSE(large.drawn());
  EXPECT_NE(large.caption.find("1000000 vertices"), std::string::npos);
}

TEST(Gabriel, QuiversOfKnownAlgebras) {
  auto arrows = [](const char *expression) {
    std::vector<std::tuple<int64_t, int64_t, int64_t>> result;
    for (const compiler::Arrow &arrow : compiler::gabrielQuiverOf(parseExpression(expression)).arrows)
      result.emplace_back(arrow.from, arrow.to, arrow.products);
    return result;
  };
  using Arrows = std::vector<std::tuple<int64_t, int64_t, int64_t>>;
  EXPECT_EQ(arrows("T(3)"), (Arrows{{0, 1, 1}, {1, 2, 1}}));
  EXPECT_EQ(arrows("poset(4; 0->1, 0->2, 1->3, 2->3)"), (Arrows{{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}}));
  EXPECT_EQ(arrows(R"q(quiver("x:1->1, a:1->2, b:1->2", relations="x^2"))q"), (Arrows{{0, 0, 1}, {0, 1, 2}}));
  EXPECT_EQ(arrows("Q(2)^2").size(), 8u);
  EXPECT_EQ(arrows("Q(3)").size(), 6u);
  // A table: dual numbers in a basis that hides the radical, 1 and 1 + x.
  EXPECT_EQ(
      arrows(
          R"q(table({"dimension":2,"constants":[[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"],[1,1,1,"2"],[1,1,0,"-1"]]}))q"),
      (Arrows{{0, 0, 1}}));
  compiler::Quiver matrices = compiler::gabrielQuiverOf(parseExpression("M(3)+D(1)"));
  EXPECT_EQ(matrices.labels, (std::vector<std::string>{"0.0: M(3)", "1.0"}));
  // A field of degree two does not split over Q; over GF(5) it does.
  const char *gaussian = R"q(quiver("i:1->1", relations="i^2 + e(1)"))q";
  EXPECT_FALSE(compiler::gabrielQuiverOf(parseExpression(gaussian)).drawn());
  algebras::ExpressionOptions five;
  five.field = algebras::Field::prime(5);
  EXPECT_EQ(compiler::gabrielQuiverOf(parseExpression(gaussian, five)).labels.size(), 2u);
}

TEST(Gabriel, LoopsAndManyArrowsAreDrawn) {
  Algebra algebra = parseExpression(R"q(quiver("x:1->1, a:1->2, b:1->2", relations="x^2"))q");
  compiler::Quiver quiver = compiler::gabrielQuiverOf(algebra);
  std::string dot = compiler::toDot(quiver, "q");
  EXPECT_EQ(count(dot, "\"1\" -> \"1\" [color="), 1u);
  EXPECT_EQ(count(dot, "\"1\" -> \"2\" [color="), 1u);
  EXPECT_EQ(count(dot, "label="), 1u); // two arrows in one, the loop alone
  EXPECT_EQ(count(dot, ", label=2]"), 1u);
}

TEST(Quiver, EveryVertexHasAPlaceAndPairsOfManyBecomeLines) {
  for (const char *expression : {"Q(1)", "Q(2)", "path(3)", "Q(2)^2", "Q(16)", "Q(40)", "T(5)", "D(3)"}) {
    SCOPED_TRACE(expression);
    compiler::Quiver quiver = compiler::quiverOf(parseExpression(expression));
    std::string dot = compiler::toDot(quiver, expression);
    EXPECT_EQ(count(dot, "[pos=\""), quiver.labels.size());
    EXPECT_EQ(count(dot, " -> "), quiver.arrows.size());
    for (const char *number : {"nan", "inf"})
      EXPECT_EQ(count(dot, number), 0u);
    const bool crowded = quiver.labels.size() > compiler::most_bent_pairs;
    EXPECT_EQ(count(dot, "arrowhead=none"), crowded ? quiver.arrows.size() : 0);
    // No two vertices in one place.
    std::set<std::string> places;
    for (size_t at = 0; (at = dot.find("pos=", at)) != std::string::npos; ++at)
      EXPECT_TRUE(places.insert(dot.substr(at, dot.find('!', at) - at)).second);
  }
}

TEST(Html, IsWellFormedAndSelfContained) {
  for (const char *expression :
       {"Q(3)", "Q(2)^2", "Q(32)", "Q(200)", "M(3)", "Q(2) + T(3)",
        R"json(table({"name":"<t>","dimension":1,"constants":[[0,0,0,"1"]]}))json"}) {
    SCOPED_TRACE(expression);
    Algebra algebra = parseExpression(expression);
    int drawn = 0;
    std::string html = compiler::toHtml(algebra, algebras::deriveFacts(algebra), [&](const std::string &dot) {
      EXPECT_TRUE(dot.starts_with("digraph"));
      ++drawn;
      return "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>";
    });
    expectWellFormed(html, {"meta"});
    EXPECT_EQ(count(html, "<svg"), size_t(drawn));
    for (const char *external : {"<script", "<link", "<img", "@import", "url(", "src="})
      EXPECT_EQ(html.find(external), std::string::npos) << external;
    EXPECT_EQ(count(html, "http"), count(html, "http://www.w3.org/2000/svg"));
  }
}

TEST(Html, ShowsGraphsAsTextWhereNobodyDraws) {
  Algebra algebra = algebras::graphAlgebra(algebras::makeGraph(2, {{0, 1}}, {"<script>", "a&b"}));
  std::string html = compiler::toHtml(algebra, algebras::deriveFacts(algebra),
                                      [](const std::string &) { return std::nullopt; });
  expectWellFormed(html, {"meta"});
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&quot;&lt;script&gt;&quot; -&gt; &quot;a&amp;b&quot;"), std::string::npos);
  EXPECT_NE(html.find("install the package graphviz"), std::string::npos);
}

TEST(Products, SumsReadAsOneWritesThem) {
  using algebras::Rational;
  EXPECT_EQ(compiler::sumText({}), "0");
  EXPECT_EQ(compiler::sumText({{Rational(-1), "a"}, {Rational(3, 2), "b"}, {Rational(-2), "c"}}),
            "-a + 3/2 b - 2 c");
}

TEST(Products, TheTableIsTheProduct) {
  Algebra algebra = parseExpression("Q(2)");
  std::vector<std::string> names = compiler::slotNames(algebra);
  auto table = compiler::productTable(algebra, names);
  // a_ij e_j = a_ij, e_i a_ij = a_ij, and every other product of arrows vanishes.
  auto at = [&](int64_t i, int64_t j) { return *algebra.slotAt({i, j}); };
  EXPECT_EQ(table[at(0, 1)][at(1, 1)], names[at(0, 1)]);
  EXPECT_EQ(table[at(0, 0)][at(0, 1)], names[at(0, 1)]);
  EXPECT_EQ(table[at(0, 1)][at(1, 0)], "0");
  EXPECT_EQ(table[at(1, 1)][at(0, 1)], "0");
}

TEST(Describe, WideTablesAreWrittenWithNumbers) {
  std::string text = compiler::describeText(parseExpression("Q(2)^2"), false);
  EXPECT_NE(text.find("b5  a0_1(x)a0_1"), std::string::npos) << text;
  EXPECT_EQ(compiler::describeText(parseExpression("Q(2)"), false).find("b0"), std::string::npos);
}

TEST(Describe, CutsLongListsAndSaysSo) {
  Algebra algebra = parseExpression("Q(32)");
  std::string text = compiler::describeText(algebra, false);
  EXPECT_NE(text.find("984 more slots"), std::string::npos);
  EXPECT_LT(count(text, "\n"), 120u);
  std::string full = compiler::describeText(algebra, true);
  EXPECT_EQ(count(full, "  y["), 1024u);
  EXPECT_THROW(compiler::describeText(parseExpression("Q(100000)"), true), algebras::InputError);
}

TEST(Describe, JsonHasEveryConstant) {
  Algebra algebra = parseExpression("Q(3) * M(2)");
  const nlohmann::json json = nlohmann::json::parse(compiler::describeJson(algebra));
  EXPECT_EQ(json["constants"].size(), static_cast<size_t>(algebra.nonzeros()));
  EXPECT_EQ(json["slots"].size(), static_cast<size_t>(algebra.dimension()));
  EXPECT_EQ(json["constants"][0], (nlohmann::json{0, 0, 0, "1"}));
  EXPECT_EQ(json["slots"][1], algebra.slotName(1));
  EXPECT_EQ(json["gabriel_quiver"]["sizes"], (nlohmann::json{2, 2, 2}));
  EXPECT_EQ(json["gabriel_quiver"]["arrows"].size(), 6u);
  EXPECT_EQ(json["quiver"]["vertices"].size(), 6u);
}

// Names are any text, and lists may be empty.
TEST(Describe, JsonOfTablesIsReadBack) {
  const Algebra algebra =
      parseExpression(R"json(table({"name":"a \"b\"","dimension":2,"constants":[[0,0,1,"-1/2"]]}))json");
  const nlohmann::json json = nlohmann::json::parse(compiler::describeJson(algebra));
  EXPECT_EQ(json["name"], algebra.name());
  EXPECT_EQ(json["constants"], nlohmann::json::parse(R"json([[0, 0, 1, "-1/2"]])json"));
  EXPECT_TRUE(json["gabriel_quiver"].is_null());
  EXPECT_TRUE(json["quiver"].is_null());
  EXPECT_EQ(nlohmann::json::parse(compiler::describeJson(parseExpression("D(2)")))["quiver"]["arrows"].size(),
            0u);
}

TEST(Facts, AWitnessIsNamed) {
  algebras::Facts facts = algebras::deriveFacts(
      parseExpression(R"json(table({"dimension":2,"constants":[[0,0,1,"1"],[1,0,0,"1"]]}))json"));
  std::vector<compiler::FactLine> lines = compiler::factLines(facts);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].value, "no");
  EXPECT_NE(lines[0].reason.find("witness"), std::string::npos);
}

TEST(Facts, LongNumbersAreCut) {
  std::string long_number = "1" + std::string(500, '3');
  algebras::Facts facts = algebras::deriveFacts(parseExpression(
      R"json(table({"dimension":1,"constants":[[0,0,0,"1/)json" + long_number + R"json("]]}))json"));
  std::vector<compiler::FactLine> lines = compiler::factLines(facts);
  auto unital =
      std::find_if(lines.begin(), lines.end(), [](const auto &line) { return line.label == "unital"; });
  ASSERT_NE(unital, lines.end());
  EXPECT_EQ(unital->reason.substr(0, 33), "identity: 13333333333333333333...");
  EXPECT_NE(unital->reason.find("(501 characters) b0"), std::string::npos) << unital->reason;
}

} // namespace
