#include "algebras/error.h"
#include "algebras/expression.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace algebras;

std::string errorOf(std::string_view text, const ExpressionOptions &options = {}) {
  try {
    parseExpression(text, options);
  } catch (const InputError &error) {
    return error.render();
  }
  return "no error";
}

TEST(Expression, PrecedenceAndCanonicalNames) {
  EXPECT_EQ(parseExpression("Q(2)+Q(3)*M(2)^2").name(), "Q(2)+Q(3)*M(2)^2");
  EXPECT_EQ(parseExpression("((Q(2)) + Q(3)) * M(2)").name(), "(Q(2)+Q(3))*M(2)");
  EXPECT_EQ(parseExpression(" Q ( 2 ) * Q(2) ").name(), "Q(2)^2");
  EXPECT_EQ(parseExpression("(Q(2)*M(2))^2").name(), "Q(2)*M(2)*Q(2)*M(2)");
  EXPECT_EQ(parseExpression("(D(1)+D(2))^2").dimension(), 9);
  EXPECT_EQ(parseExpression("D(1)+D(2)^2").dimension(), 5);
  EXPECT_EQ(parseExpression("path(3)").dimension(), 5);
  EXPECT_EQ(parseExpression("T(4)").nonzeros(), 20);
  EXPECT_EQ(parseExpression("graph(3;)").dimension(), 3);
  EXPECT_EQ(parseExpression("Q(3)").kind(), Algebra::Kind::CompleteGraph);
}

TEST(Expression, ReadsBackWhatItPrints) {
  std::mt19937 random(13);
  for (int round = 0; round < 100; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 30);
    Algebra again = parseExpression(algebra.expression());
    EXPECT_EQ(again.expression(), algebra.expression());
    EXPECT_TRUE(again.expand().sameProduct(algebra.expand())) << algebra.expression();
  }
  Algebra table =
      parseExpression(R"json(table({"name":"a)}\"b","dimension":1,"constants":[[0,0,0,"1/2"]]})^2*Q(2))json");
  EXPECT_EQ(table.name(), "a)}\"b^2*Q(2)");
  EXPECT_TRUE(parseExpression(table.expression()).expand().sameProduct(table.expand()));
}

TEST(Expression, Fields) {
  ExpressionOptions seven;
  seven.field = Field::prime(7);
  EXPECT_EQ(parseExpression("Q(2)*M(2)", seven).field().name(), "GF(7)");
  const char *over_five = R"json(table({"field":"GF(5)","dimension":1,"constants":[[0,0,0,"1"]]})*Q(2))json";
  EXPECT_EQ(parseExpression(over_five).field().name(), "GF(5)");
  EXPECT_NE(errorOf(over_five, seven).find("this table is over GF(5), but the field is GF(7)"),
            std::string::npos);
}

TEST(Expression, ErrorsPointAtTheFault) {
  EXPECT_EQ(errorOf("Q(2)*"),
            "<expression>:1:6: error: an algebra is missing at the end\nQ(2)*\n     ^\n"
            "hint: the algebras are Q(n), path(n), D(n), M(n), T(n), graph(file), table(file), "
            "quiver(arrows), path_algebra(graph, n), poset(file)");
  EXPECT_EQ(errorOf("Q(0)"), "<expression>:1:3: error: the size has to be at least 1\nQ(0)\n  ^");
  EXPECT_EQ(errorOf("Q(2)^2^2"),
            "<expression>:1:7: error: a power of a power needs parentheses\nQ(2)^2^2\n      ^");
  EXPECT_NE(errorOf("Q(2)\n + R(3)").find("2:4: error: 'R' is not an algebra\n + R(3)\n   ^"),
            std::string::npos);
  for (const char *bad : {"",
                          " ",
                          "Q",
                          "Q()",
                          "Q(2",
                          "Q(2))",
                          "(Q(2)",
                          "Q(-1)",
                          "Q(2) Q(2)",
                          "+Q(2)",
                          "Q(2)^",
                          "Q(2)^0",
                          "Q(2)^-1",
                          "Q(2.5)",
                          "q(2)",
                          "Q(2)^x",
                          "graph()",
                          "graph(2; 0->)",
                          "graph(2; 0-1)",
                          "graph(2; 0->1,)",
                          "graph(2; 0->2)",
                          "graph(0;)",
                          "table()",
                          "table({)",
                          "table({}",
                          "table(nowhere.json)",
                          "graph(nowhere.dot)",
                          "graph(file.txt)",
                          "M(2)$"})
    EXPECT_NE(errorOf(bad).find("^"), std::string::npos) << bad << "\n" << errorOf(bad);
}

TEST(Expression, SizesThatOverflowAreRefused) {
  for (const char *bad : {"Q(4000000000)", "M(3000000)", "T(99999999999)", "path(9000000000000000000)",
                          "Q(2)^32", "Q(1000000)*Q(1000000)", "D(9223372036854775807)+D(1)",
                          "Q(99999999999999999999)", "D(2)^64", "graph(99999999999; 0->1)"})
    EXPECT_NE(errorOf(bad).find("error: "), std::string::npos) << bad;
  EXPECT_EQ(parseExpression("D(9223372036854775807)").dimension(), INT64_MAX);
  EXPECT_EQ(parseExpression("D(1)^64").dimension(), 1);
}

TEST(Expression, NestingIsBounded) {
  std::string deep(100000, '(');
  EXPECT_NE(errorOf(deep).find("nested deeper than 100"), std::string::npos);
  EXPECT_EQ(parseExpression(std::string(100, '(') + "Q(2)" + std::string(100, ')')).dimension(), 4);
  std::string wide = "D(1)";
  for (int term = 0; term < 5000; ++term)
    wide += "+D(1)";
  EXPECT_NE(errorOf(wide).find("more than 1024 factors"), std::string::npos);
}

TEST(Expression, FilesAndTheirErrors) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "expression files";
  fs::create_directories(folder);
  std::ofstream(folder / "a.dot") << "digraph { x -> y }";
  std::ofstream(folder / "loop.dot") << "digraph {\n x -> x }";
  std::ofstream(folder / "t.json") << R"json({"dimension":1,"constants":[[0,0,0,"1"]]})json";
  ExpressionOptions options;
  options.base_directory = folder.string();
  EXPECT_EQ(parseExpression("graph(a.dot)*table( t.json )", options).dimension(), 3);
  EXPECT_EQ(parseExpression("graph(\"" + (folder / "a.dot").string() + "\")").dimension(), 3);
  // The place in the file, not the place in the expression.
  EXPECT_NE(errorOf("graph(loop.dot)", options).find("loop.dot:2:7: error: edge x -> x is a self-loop"),
            std::string::npos);
  options.file = "spec.toml";
  options.line = 2;
  options.column = 12;
  EXPECT_NE(errorOf("Q(2)*Z(3)", options).find("spec.toml:2:17: error: 'Z' is not an algebra"),
            std::string::npos);
}

} // namespace
