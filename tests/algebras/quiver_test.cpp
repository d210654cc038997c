// Bound quiver algebras: their bases, their notation, what is refused and why, known algebras.
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "algebras/quiver/bound_quiver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

int64_t dimension(std::string_view text) { return parseExpression(text).dimension(); }

std::vector<std::string> slots(const Algebra &algebra) {
  std::vector<std::string> names;
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    names.push_back(algebra.slotName(slot));
  return names;
}

TEST(Quiver, PathsAreTheBasis) {
  Algebra algebra = parseExpression(R"q(quiver("a:1->2, b:2->3", relations="a*b"))q");
  EXPECT_EQ(slots(algebra), (std::vector<std::string>{"e(1)", "a", "e(2)", "b", "e(3)"}));
  EXPECT_TRUE(algebra.expand().sameProduct(parseExpression("path(3)").expand()));
  EXPECT_TRUE(parseExpression(R"q(quiver("a:1->2, b:2->3"))q")
                  .expand()
                  .sameProduct(parseExpression("T(3)").expand()));

  Algebra loops = parseExpression(R"q(quiver("x:1->1, y:1->1", relations="x^2, y^2, x*y - y*x"))q");
  EXPECT_EQ(slots(loops), (std::vector<std::string>{"e(1)", "x", "y", "x*y"}));
  EXPECT_FALSE(loops.isMatrixLike());
  Facts facts = deriveFacts(loops);
  EXPECT_TRUE(*facts.commutative);
  EXPECT_EQ(facts.radical_series, (std::vector<int64_t>{3, 1, 0}));
  EXPECT_EQ(facts.center_dimension, 4);

  // Kronecker: two arrows between the same vertices, slots by (source, target, length, arrows).
  Algebra kronecker = parseExpression(R"q(quiver("a:1->2, b:1->2"))q");
  EXPECT_EQ(slots(kronecker), (std::vector<std::string>{"e(1)", "a", "b", "e(2)"}));
  EXPECT_FALSE(kronecker.isMatrixLike());
  EXPECT_EQ(deriveFacts(kronecker).center_dimension, 1);
}

TEST(Quiver, VerticesKeepTheirOrder) {
  auto first = [](const char *text) { return slots(parseExpression(text)).front(); };
  EXPECT_EQ(first(R"q(quiver("a:10->9"))q"), "e(9)"); // integers are sorted as integers
  EXPECT_EQ(first(R"q(quiver("a:v10->v9"))q"), "e(v10)");
  EXPECT_EQ(first(R"q(quiver("z, a:x->y"))q"), "e(z)");
  EXPECT_EQ(parseExpression(R"q(quiver("y, x, a:x->y, x"))q").expression(), R"q(quiver("y, x, a:x->y"))q");
  EXPECT_EQ(parseExpression(R"q(quiver(" a : 1 -> 2 , 1,2 "))q").expression(), R"q(quiver("a:1->2"))q");
}

TEST(Quiver, Expressions) {
  for (auto [text, canonical] : std::vector<std::pair<const char *, const char *>>{
           {R"q(quiver("a:1->2,b:2->3",relations=" 2*a*b "))q",
            R"q(quiver("a:1->2, b:2->3", relations="2*a*b"))q"},
           {R"q(quiver("a:1->2, b:2->4, c:1->3, d:3->4", relations="a*b = c*d"))q",
            R"q(quiver("a:1->2, b:2->4, c:1->3, d:3->4", relations="-c*d + a*b"))q"},
           {R"q(quiver("x:1->1", relations="x*x*x"))q", R"q(quiver("x:1->1", relations="x^3"))q"},
           {R"q(quiver("x:1->1", relations="x^2 = 4/6*x - e(1)"))q",
            R"q(quiver("x:1->1", relations="x^2 - 2/3*x + e(1)"))q"},
           {R"q(quiver("x:1->1", relations="x^2 = 0"))q", R"q(quiver("x:1->1", relations="x^2"))q"},
           {R"q(path_algebra(3; 0->1, 1->2, 2))q", "path_algebra(graph(3; 0->1, 1->2), 2)"},
           {R"q(path_algebra(2;, 2))q", "path_algebra(graph(2;), 2)"},
           {R"q(path_algebra(2; 5))q", "path_algebra(graph(2;), 5)"},
           {R"q(path_algebra( Q(2) , 3))q", "path_algebra(Q(2), 3)"},
           {R"q(path_algebra(quiver("x:0->0"),3))q", R"q(path_algebra(quiver("x:0->0"), 3))q"},
           {R"q(poset(3; 0->1, 1->2, 0->2))q", "poset(3; 0->1, 1->2)"},
           {R"q(poset(path(3))*M(2))q", "poset(3; 0->1, 1->2)*M(2)"},
           {R"q(poset(graph(2;))+D(1))q", "poset(2;)+D(1)"}}) {
    Algebra algebra = parseExpression(text);
    EXPECT_EQ(algebra.expression(), canonical);
    Algebra again = parseExpression(canonical);
    EXPECT_EQ(again.expression(), canonical);
    EXPECT_TRUE(again.expand().sameProduct(algebra.expand())) << text;
  }
}

TEST(Quiver, InfiniteOnesAreRefusedWithTheCycle) {
  EXPECT_EQ(
      errorOf(R"q(quiver("a:1->2, b:2->1"))q"),
      "<expression>:1:1: error: this algebra is infinite-dimensional: no relation stops the cycle a*b "
      "(1 -> 2 -> 1)\nquiver(\"a:1->2, b:2->1\")\n^\n"
      "hint: add a relation that makes a power of the cycle zero, or take path_algebra(quiver(...), n), "
      "the paths "
      "with fewer than n arrows");
  EXPECT_NE(errorOf(R"q(quiver("x:1->1"))q").find("the cycle x (1 -> 1)"), std::string::npos);
  // Two nilpotent loops whose products go on: x*y*x*y*...
  EXPECT_NE(
      errorOf(R"q(quiver("x:1->1, y:1->1", relations="x^2, y^2"))q").find("the cycle x*y (1 -> 1 -> 1)"),
      std::string::npos);
  EXPECT_NE(errorOf(R"q(quiver("x:1->1, y:1->1", relations="x*y - y*x, x^2"))q").find("the cycle y (1 -> 1)"),
            std::string::npos);
  EXPECT_EQ(dimension(R"q(quiver("a:1->2, b:2->1", relations="a*b"))q"), 5);
}

TEST(Quiver, CompletionThatDoesNotStop) {
  // The rules are y*x^n*y -> y*x^(n+1), one for every n.
  std::string error = errorOf(R"q(quiver("x:1->1, y:1->1", relations="y^2 - y*x"))q");
  EXPECT_NE(error.find("the completion of the relations did not stop within"), std::string::npos) << error;
  // Long paths, whose every rewriting is slow, give up early as well.
  EXPECT_NE(
      errorOf(R"q(quiver("x:1->1, y:1->1", relations="x^2000 - y^2000, x*y - y*x"))q").find("did not stop"),
      std::string::npos);
  // A bound on the length of paths helps.
  EXPECT_EQ(dimension(R"q(quiver("x:1->1, y:1->1", relations="y^2 - y*x, x^2"))q"), 6);
}

TEST(Quiver, RelationsThatAreNotAdmissible) {
  // Matrix units: the only algebra of these kinds whose rows are equal.
  Algebra matrices = parseExpression(R"q(quiver("a:1->2, b:2->1", relations="a*b - e(1), b*a - e(2)"))q");
  EXPECT_TRUE(matrices.expand().sameProduct(parseExpression("M(2)").expand()));
  ASSERT_TRUE(matrices.isMatrixLike());
  EXPECT_EQ(matrices.rowTypes(), 1);
  EXPECT_EQ(deriveFacts(matrices).simple_components, (std::vector<int64_t>{4}));

  EXPECT_EQ(dimension(R"q(quiver("a:1->2, b:1->2", relations="a - 2*b"))q"), 3);
  EXPECT_EQ(dimension(R"q(quiver("a:1->2, b:2->3", relations="a"))q"), 4);
  EXPECT_EQ(dimension(R"q(quiver("a:1->2, b:2->3", relations="e(2)"))q"), 2);
  EXPECT_EQ(dimension(R"q(quiver("x:1->1", relations="x^2 - e(1)"))q"), 2);
  EXPECT_EQ(dimension(R"q(quiver("x:1->1", relations="x^2 - x^3, x^4 - x"))q"),
            2); // x^4 = x^2 by the first
  EXPECT_NE(errorOf(R"q(quiver("x:1->1", relations="e(1)"))q").find("nothing is left"), std::string::npos);
  EXPECT_NE(errorOf(R"q(quiver("x:1->1", relations="x - e(1), x - 2*e(1)"))q").find("nothing is left"),
            std::string::npos);
}

TEST(Quiver, ErrorsPointAtTheFault) {
  auto expect = [](const char *text, const std::string &where, const char *what) {
    std::string error = errorOf(text);
    EXPECT_NE(error.find(what), std::string::npos) << error;
    // The caret stands under the first letter of `where`.
    std::string line = error.substr(error.find('\n') + 1);
    std::string source = line.substr(0, line.find('\n'));
    std::string caret =
        line.substr(source.size() + 1, line.find('\n', source.size() + 1) - source.size() - 1);
    ASSERT_FALSE(caret.empty()) << error;
    EXPECT_EQ(source.substr(caret.size() - 1, where.size()), where) << error;
  };
  expect(R"q(quiver("a:1->2, b:3->4", relations="a*b"))q", "b\")",
         "the path before b ends at 2, and b begins at 3");
  expect(R"q(quiver("a:1->2, b:2->3", relations="a*b + a"))q", "a\")", "this path runs from 1 to 2");
  expect(R"q(quiver("a:1->2", relations="a*c"))q", "c\"", "there is no arrow c");
  expect(R"q(quiver("a:1->2", relations="a^2"))q", "a^2", "a is no loop");
  expect(R"q(quiver("x:1->1", relations="x^0"))q", "0\"", "an exponent has to be between 1 and 4096");
  expect(R"q(quiver("x:1->1", relations="x^2 - 1"))q", "1\")", "this number stands at no path");
  expect(R"q(quiver("x:1->1", relations="x*2"))q", "2\")", "a number stands before its path");
  expect(R"q(quiver("x:1->1", relations="e(2)"))q", "2)", "there is no vertex 2");
  expect(R"q(quiver("x:1->1", relations="x^2 - x*x"))q", "x^2", "this relation says 0 = 0");
  expect(R"q(quiver("x:1->1", relations="1/0*x"))q", "1/0", "zero");
  expect(R"q(quiver("x:1->1", relations="x x"))q", "x\")", "is missing in the relations");
  expect(R"q(quiver("a:1->2, a:2->3"))q", "a:2", "two arrows are called a");
  expect(R"q(quiver("1->2"))q", "1->2", "this arrow from 1 has no name");
  expect(R"q(quiver("7:1->2"))q", "7:1", "it begins with a digit");
  expect(R"q(quiver("a:1=>2"))q", "=>2", "'->' is missing");
  expect(R"q(quiver(""))q", "\"\"", "at least one vertex");
  expect(R"q(quiver(a:1->2))q", "a:1", "'\"' is missing before the arrows");
  expect(R"q(quiver("a:1->2", "a"))q", "\"a\"", "'relations=' is missing");
  expect(R"q(path_algebra(Q(2)))q", ")", "',' is missing after the graph");
  expect(R"q(path_algebra(Q(2), 0))q", "0)", "the bound has to be at least 1");
  expect(R"q(path_algebra(M(2), 2))q", "M(2)", "'M' is not a graph");
  expect(R"q(path_algebra(quiver("a:1->2", relations="a"), 2))q", "quiver", "a quiver without relations");
  expect(R"q(path_algebra(Q(3), 100))q", "path_algebra", "more than 1048576 paths");
  expect(R"q(path_algebra(Q(5000), 2))q", "Q(5000)", "at most 1048576 vertices and 1048576 arrows");
  expect(R"q(poset(3; 0->1, 1->2, 2->0))q", "poset", "it has the cycle 0 -> 1 -> 2 -> 0");
  expect(R"q(poset(path(5000)))q", "path(5000)", "too large: the limit is 4096");
  expect(R"q(poset(M(2)))q", "M(2)", "'M' is not a graph");

  ExpressionOptions three;
  three.field = Field::prime(3);
  EXPECT_NE(errorOf(R"q(quiver("x:1->1", relations="x^2 - 1/3*x"))q", three).find("1/3*x\")\n"),
            std::string::npos);
  EXPECT_NE(
      errorOf(R"q(quiver("x:1->1", relations="3*x^2"))q", three).find("over GF(3) this relation says 0 = 0"),
      std::string::npos);
}

TEST(Quiver, TruncatedChainsAndGraphs) {
  for (int64_t n : {1, 2, 5, 12}) {
    Algebra triangular = parseExpression(fmt::format("T({})", n));
    for (const char *shape : {"path_algebra(path({0}), {0})", "poset(path({0}))"}) {
      Algebra algebra = parseExpression(fmt::format(fmt::runtime(shape), n));
      EXPECT_TRUE(algebra.expand().sameProduct(triangular.expand())) << shape << n;
      Facts facts = deriveFacts(algebra), expected = deriveFacts(triangular);
      EXPECT_EQ(facts.radical_series, expected.radical_series);
      EXPECT_EQ(facts.center_dimension, expected.center_dimension);
      EXPECT_EQ(facts.types, expected.types);
      EXPECT_EQ(facts.identity, expected.identity);
    }
  }
  EXPECT_TRUE(
      parseExpression("path_algebra(Q(4), 2)").expand().sameProduct(parseExpression("Q(4)").expand()));
  EXPECT_TRUE(
      parseExpression("path_algebra(Q(4), 1)").expand().sameProduct(parseExpression("D(4)").expand()));
  // Large ones are built without writing the table out.
  Algebra chain = parseExpression("path_algebra(path(300), 300)");
  EXPECT_EQ(chain.dimension(), 45150);
  EXPECT_EQ(chain.nonzeros(), 4545100);
  EXPECT_EQ(deriveFacts(parseExpression("path_algebra(path(100), 100)")).radical_series->at(1), 4851);
  Algebra ring = parseExpression(R"q(path_algebra(quiver("x:0->0"), 2000))q");
  EXPECT_EQ(ring.dimension(), 2000);
  EXPECT_TRUE(*deriveFacts(parseExpression(R"q(path_algebra(quiver("x:0->0"), 300))q")).commutative);
}

TEST(Quiver, KnownAlgebras) {
  // The preprojective algebra of type A3 has dimension n(n+1)(n+2)/6 = 10, of type D4 28.
  EXPECT_EQ(dimension(R"q(quiver("a:1->2, b:2->3, c:2->1, d:3->2", relations="a*c, c*a - b*d, d*b"))q"), 10);
  EXPECT_EQ(dimension(R"q(quiver("a:1->0, b:2->0, c:3->0, p:0->1, q:0->2, r:0->3",
                         relations="a*p, b*q, c*r, p*a + q*b + r*c"))q"),
            28);
  // Quaternions over Q as a quotient of a quiver with one vertex, and the exterior algebra on three loops.
  Algebra quaternions =
      parseExpression(R"q(quiver("i:1->1, j:1->1", relations="i^2 + e(1), j^2 + e(1), i*j + j*i"))q");
  EXPECT_EQ(quaternions.dimension(), 4);
  Algebra exterior = parseExpression(
      R"q(quiver("x:1->1, y:1->1, z:1->1", relations="x^2, y^2, z^2, x*y + y*x, x*z + z*x, y*z + z*y"))q");
  EXPECT_EQ(exterior.dimension(), 8);
  EXPECT_EQ(deriveFacts(exterior).radical_series, (std::vector<int64_t>{7, 4, 1, 0}));
  // The group algebra of S3 by generators and relations.
  EXPECT_EQ(dimension(R"q(quiver("s:1->1, t:1->1", relations="s^2 - e(1), t^2 - e(1), s*t*s - t*s*t"))q"), 6);
}

TEST(Quiver, MatrixLikeQuotients) {
  Algebra square = parseExpression(R"q(quiver("a:1->2, b:2->4, c:1->3, d:3->4", relations="a*b - c*d"))q");
  ASSERT_TRUE(square.isMatrixLike());
  EXPECT_TRUE(square.expand().sameProduct(parseExpression("poset(4; 0->1, 0->2, 1->3, 2->3)").expand()));
  EXPECT_EQ(square.support(0, 3), (std::vector<int64_t>{0, 1, 2, 3}));
  // With another coefficient the two paths cannot share a position in the row lift.
  EXPECT_FALSE(parseExpression(R"q(quiver("a:1->2, b:2->4, c:1->3, d:3->4", relations="a*b - 2*c*d"))q")
                   .isMatrixLike());
  // With opposite arrows whose products vanish.
  EXPECT_TRUE(parseExpression(R"q(quiver("a:1->2, b:2->1", relations="a*b, b*a"))q")
                  .expand()
                  .sameProduct(parseExpression("Q(2)").expand()));
}

} // namespace
