// Comparisons of algebras whose relation is known.
#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/invariants/comparison.h"
#include "algebras/invariants/matching.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/random_algebra.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using namespace algebras;

Comparison compareText(std::string_view left, std::string_view right, const Field &field = {}) {
  ExpressionOptions options;
  options.field = field;
  return compare(parseExpression(left, options), parseExpression(right, options));
}

bool mentions(const Comparison &comparison, std::string_view words) {
  return std::any_of(comparison.reasons.begin(), comparison.reasons.end(),
                     [&](const std::string &reason) { return reason.find(words) != std::string::npos; });
}

// The same algebra with its slots shuffled, and scaled.
Table shuffled(const Table &table, std::mt19937 &random, bool scale) {
  std::vector<int64_t> place(table.dimension());
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    place[slot] = slot;
  std::shuffle(place.begin(), place.end(), random);
  std::vector<Rational> factors;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    factors.push_back(scale ? Rational(1 + static_cast<int64_t>(random() % 3)) : Rational(1));
  std::vector<Constant> constants;
  for (const Constant &c : table.constants())
    constants.push_back(
        {place[c.i], place[c.j], place[c.k], c.value * factors[c.i] * factors[c.j] / factors[c.k]});
  return Table("shuffled", table.field(), table.dimension(), constants);
}

TEST(Comparison, ThePapersTwoProducts) {
  Comparison comparison = compareText("Q(4)", "Q(2)^2");
  EXPECT_EQ(comparison.verdict, Verdict::NotIsomorphic);
  EXPECT_TRUE(mentions(comparison, "rad^2 of the radical has dimension 0 on the left and 4 on the right"));
  EXPECT_TRUE(mentions(comparison, "Gabriel quiver"));
}

TEST(Comparison, Reasons) {
  EXPECT_TRUE(mentions(compareText("Q(2)", "Q(3)"), "dimension: 4 against 9"));
  EXPECT_TRUE(
      mentions(compareText("M(2)", "Q(2)"), "commutative") ||
      mentions(compareText("M(2)", "Q(2)"), "the radical has dimension 0 on the left and 2 on the right"));
  Comparison fields = compare(completeGraph(2, Field::prime(5)), completeGraph(2, Field::prime(7)));
  EXPECT_EQ(fields.verdict, Verdict::NotIsomorphic);
  EXPECT_TRUE(mentions(fields, "the fields are GF(5) and GF(7)"));
  // One triangle pair against a hexagon: equal numbers everywhere but in the shape of the quiver and its
  // components.
  Comparison cycles = compareText("graph(6; 0->1, 1->2, 2->3, 3->4, 4->5, 5->0)",
                                  "graph(6; 0->1, 1->2, 2->0, 3->4, 4->5, 5->3)");
  EXPECT_EQ(cycles.verdict, Verdict::NotIsomorphic);
  EXPECT_TRUE(
      mentions(cycles, "no bijection of the simple components carries one Gabriel quiver to the other"));
  // Isomorphic quivers and different relations.
  Comparison relations = compareText(R"q(quiver("a:1->2, b:2->3, c:1->2, d:2->3", relations="a*b, c*d"))q",
                                     R"q(quiver("a:1->2, b:2->3, c:1->2, d:2->3", relations="a*b"))q");
  EXPECT_EQ(relations.verdict, Verdict::NotIsomorphic);
  // The opposite algebra of 0 -> 1 <- 2 differs by the direction of its arrows alone.
  EXPECT_EQ(compareText("graph(3; 0->1, 2->1)", "graph(3; 1->0, 1->2)").verdict, Verdict::NotIsomorphic);
}

TEST(Comparison, SemisimpleAndFields) {
  auto quadratic = [](int square) {
    return fmt::format(R"q(quiver("x:1->1", relations="x^2 - {}*e(1)"))q", square);
  };
  EXPECT_EQ(compareText(quadratic(2), quadratic(3)).verdict, Verdict::NotIsomorphic);
  EXPECT_EQ(compareText(quadratic(2), quadratic(8)).verdict, Verdict::Isomorphic);
  EXPECT_EQ(compareText(quadratic(4), "D(2)").verdict, Verdict::Isomorphic);
  EXPECT_EQ(compareText(quadratic(2), quadratic(3), Field::prime(5)).verdict,
            Verdict::Isomorphic); // both GF(25)
  EXPECT_EQ(compareText(quadratic(2), "D(2)", Field::prime(5)).verdict, Verdict::NotIsomorphic);
  // Cubic fields told apart by how a prime splits.
  Comparison cubics = compareText(R"q(quiver("x:1->1", relations="x^3 - 2*e(1)"))q",
                                  R"q(quiver("x:1->1", relations="x^3 - 3*e(1)"))q");
  EXPECT_EQ(cubics.verdict, Verdict::NotIsomorphic);
  // Quaternion algebras over Q by the places where they are ramified: (-1, -1) and (-1, -2) at 2 and
  // infinity, (-1, -3) at 3 and infinity.
  auto hamilton = [](int64_t a, int64_t b) {
    return fmt::format(R"q(quiver("i:1->1, j:1->1", relations="i^2 + {}*e(1), j^2 + {}*e(1), i*j + j*i"))q",
                       -a, -b);
  };
  Comparison ramified = compareText(hamilton(-1, -1), hamilton(-1, -3));
  EXPECT_EQ(ramified.verdict, Verdict::NotIsomorphic);
  EXPECT_NE(ramified.reasons.at(0).find("local indices 2 at 3, infinity"), std::string::npos)
      << ramified.reasons.at(0);
  EXPECT_EQ(compareText(hamilton(-1, -1), hamilton(-1, -2)).verdict, Verdict::Isomorphic);
  EXPECT_EQ(compareText(hamilton(-1, -1) + "*M(2)", hamilton(-1, -3) + "*M(2)").verdict,
            Verdict::NotIsomorphic);
  EXPECT_EQ(compareText(hamilton(-1, -1) + "*M(2)", hamilton(-1, -2) + "*M(2)").verdict, Verdict::Isomorphic);
  // M(2) and the quaternions over Q; over GF(5) quaternions are matrices.
  const char *quaternions = R"q(quiver("i:1->1, j:1->1", relations="i^2 + e(1), j^2 + e(1), i*j + j*i"))q";
  EXPECT_EQ(compareText(quaternions, "M(2)").verdict, Verdict::NotIsomorphic);
  EXPECT_EQ(compareText(quaternions, "M(2)", Field::prime(5)).verdict, Verdict::Isomorphic);
}

TEST(Comparison, OneGenerator) {
  // Q[x]/(x^2 (x-1)) in two presentations, against Q[x]/(x^3).
  const char *product = R"q(quiver("x:1->1", relations="x^2")+D(1))q";
  const char *polynomial = R"q(quiver("x:1->1", relations="x^3 - x^2"))q";
  EXPECT_EQ(compareText(product, polynomial).verdict, Verdict::Isomorphic);
  EXPECT_EQ(compareText(product, R"q(quiver("x:1->1", relations="x^3"))q").verdict, Verdict::NotIsomorphic);
  // The dual numbers over Q(i) and over Q(sqrt 2): one element generates each.
  EXPECT_EQ(compareText(R"q(quiver("x:1->1", relations="x^4 + 2*x^2 + e(1)"))q",
                        R"q(quiver("x:1->1", relations="x^4 - 4*x^2 + 4*e(1)"))q")
                .verdict,
            Verdict::NotIsomorphic);
}

TEST(Comparison, IsomorphicConstructions) {
  for (auto [left, right] : std::vector<std::pair<const char *, const char *>>{
           {"Q(3)", "Q(3)"},
           {"Q(3)", "graph(3; 0->1, 0->2, 1->0, 1->2, 2->0, 2->1)"},
           {"T(4)", "poset(path(4))"},
           {"T(4)", "path_algebra(path(4), 9)"},
           {"Q(2)*M(2)", "M(2)*Q(2)"},
           {"Q(2)+T(3)", "T(3)+Q(2)"},
           {"graph(4; 0->1, 2->3)", "graph(4; 3->0, 1->2)"},
           {R"q(quiver("a:1->2, b:2->4, c:1->3, d:3->4", relations="a*b - 2*c*d"))q",
            "poset(4; 0->1, 0->2, 1->3, 2->3)"},
           {R"q(quiver("a:1->2, b:1->2"))q", R"q(quiver("q:v->u, p:v->u"))q"}}) {
    Comparison comparison = compareText(left, right);
    EXPECT_EQ(comparison.verdict, Verdict::Isomorphic) << left << " " << right;
    if (comparison.slot_map)
      EXPECT_TRUE(isIsomorphism(parseExpression(left).expand(), parseExpression(right).expand(),
                                *comparison.slot_map));
  }
}

TEST(Comparison, ShuffledSlotsAreFound) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 24);
    for (bool scale : {false, true}) {
      Algebra other = tableAlgebra(shuffled(algebra.expand(), random, scale));
      Comparison comparison = compare(algebra, other);
      EXPECT_NE(comparison.verdict, Verdict::NotIsomorphic) << algebra.expression();
      if (!scale)
        EXPECT_EQ(comparison.verdict, Verdict::Isomorphic) << algebra.expression();
    }
  }
}

// A dense change of basis hides the slots; the invariants stay, and truncated path algebras are recognised
// all the same.
TEST(Comparison, DenseBases) {
  std::mt19937 random(8);
  for (const char *text :
       {"Q(3)", "T(3)", "path(3)+M(2)", "Q(2)*M(2)", "path_algebra(3; 0->1, 1->2, 2->0, 3)", "D(3)"})
    for (const Field &field : {Field(), Field::prime(3)}) {
      ExpressionOptions options;
      options.field = field;
      Algebra algebra = parseExpression(text, options);
      Comparison comparison =
          compare(algebra, tableAlgebra(testing_support::denseBasis(algebra.expand(), random)));
      EXPECT_EQ(comparison.verdict, Verdict::Isomorphic) << text << " over " << field.name();
    }
  // Not of these kinds: not distinguished, and never called different.
  Algebra tensor = parseExpression("Q(2)^2");
  Comparison comparison = compare(tensor, tableAlgebra(testing_support::denseBasis(tensor.expand(), random)));
  EXPECT_EQ(comparison.verdict, Verdict::Undistinguished);
}

TEST(Comparison, WithoutAssociativity) {
  Algebra cross = parseExpression(
      R"q(table({"dimension":3,"constants":[[0,1,2,"1"],[1,0,2,"-1"],[1,2,0,"1"],[2,1,0,"-1"],[2,0,1,"1"],[0,2,1,"-1"]]}))q");
  std::mt19937 random(4);
  EXPECT_EQ(compare(cross, tableAlgebra(shuffled(cross.expand(), random, false))).verdict,
            Verdict::Isomorphic);
  EXPECT_EQ(compare(cross, coordinates(3)).verdict, Verdict::NotIsomorphic);
}

// Random digraphs: the search agrees with trying all permutations.
TEST(Matching, AgainstAllPermutations) {
  std::mt19937 random(2);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    size_t n = 1 + random() % 5;
    auto random_structure = [&] {
      ColouredStructure result;
      for (size_t i = 0; i < n; ++i)
        result.colours.push_back(random() % 2);
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
          if (random() % 3 == 0)
            result.triples.push_back(
                {static_cast<int64_t>(i), static_cast<int64_t>(j), static_cast<int64_t>(j), random() % 2});
      return result;
    };
    ColouredStructure left = random_structure(), right = random_structure();
    std::vector<int64_t> permutation(n);
    for (size_t i = 0; i < n; ++i)
      permutation[i] = static_cast<int64_t>(i);
    if (round % 2) { // a copy of the left one
      std::shuffle(permutation.begin(), permutation.end(), random);
      for (size_t i = 0; i < n; ++i)
        right.colours[permutation[i]] = left.colours[i];
      right.triples = left.triples;
      for (ColouredStructure::Triple &triple : right.triples)
        for (int64_t *element : {&triple.first, &triple.second, &triple.third})
          *element = permutation[*element];
      std::sort(permutation.begin(), permutation.end());
    }
    auto key = [](const ColouredStructure::Triple &t) {
      return std::tuple(t.first, t.second, t.third, t.colour);
    };
    auto keys = [&](const ColouredStructure &structure, const std::vector<int64_t> &image) {
      std::vector<std::tuple<int64_t, int64_t, int64_t, uint64_t>> result;
      for (const ColouredStructure::Triple &t : structure.triples)
        result.push_back(key({image[t.first], image[t.second], image[t.third], t.colour}));
      std::sort(result.begin(), result.end());
      return result;
    };
    std::vector<int64_t> identity = permutation;
    bool exists = false;
    do {
      bool colours_fit = true;
      for (size_t i = 0; i < n; ++i)
        colours_fit = colours_fit && left.colours[i] == right.colours[permutation[i]];
      exists = exists || (colours_fit && keys(left, permutation) == keys(right, identity));
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    Matching matching = match(left, right);
    EXPECT_EQ(matching.verdict, exists ? Matching::Verdict::Found : Matching::Verdict::None);
    found += exists;
  }
  EXPECT_GT(found, 140);
}

} // namespace
