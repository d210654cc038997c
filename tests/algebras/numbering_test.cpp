// The numbering of slots is part of the contract.
#include "algebras/expression.h"
#include "algebras/graph/graph.h"
#include "algebras/position_names.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using namespace algebras;

// Row-major over the positions that exist.
TEST(Numbering, BasicFamiliesCountRowMajor) {
  std::mt19937 random(9);
  std::vector<Algebra> algebras = {completeGraph(4), path(5), coordinates(3), matrices(3), triangular(5)};
  for (int round = 0; round < 20; ++round)
    algebras.push_back(graphAlgebra(testing_support::randomGraph(random, 7)));
  for (const Algebra &algebra : algebras) {
    SCOPED_TRACE(algebra.expression());
    int64_t next = 0, n = algebra.positions();
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column)
        if (std::optional<int64_t> slot = algebra.slotAt({row, column})) {
          EXPECT_EQ(*slot, next);
          EXPECT_EQ(algebra.position(next), (Position{row, column}));
          ++next;
        }
    EXPECT_EQ(next, algebra.dimension());
  }
}

TEST(Numbering, GraphSlots) {
  Algebra algebra = parseExpression("graph(3; 0->2, 1->0)");
  std::vector<std::string> names;
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    names.push_back(algebra.slotName(slot));
  EXPECT_EQ(names, (std::vector<std::string>{"e0", "a0_2", "a1_0", "e1", "e2"}));
  EXPECT_EQ(parseExpression("Q(2)*M(2)").slotName(5), "a0_1(x)E0_1");
  EXPECT_EQ(parseExpression("Q(2)+D(2)").slotName(5), "1:e1");
}

// c[(i,i'),(j,j'),(k,k')] = c[i,j,k] c[i',j',k'] with the left factor major.
TEST(Numbering, TensorProductsCountTheLeftFactorAsMajor) {
  std::mt19937 random(10);
  for (int round = 0; round < 20; ++round) {
    Algebra left = testing_support::randomAlgebra(random, 7),
            right = testing_support::randomAlgebra(random, 7);
    std::vector<Constant> expected;
    int64_t m = right.dimension();
    Table a = left.expand(), b = right.expand();
    for (const Constant &x : a.constants())
      for (const Constant &y : b.constants())
        expected.push_back({x.i * m + y.i, x.j * m + y.j, x.k * m + y.k, x.value * y.value});
    EXPECT_TRUE(tensor(left, right).expand().sameProduct(Table("", Field(), left.dimension() * m, expected)));
  }
}

TEST(Numbering, DirectProductsCountTheLeftFactorFirst) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    Algebra left = testing_support::randomAlgebra(random, 9),
            right = testing_support::randomAlgebra(random, 9);
    std::vector<Constant> expected = left.expand().constants();
    int64_t start = left.dimension();
    Table b = right.expand();
    for (const Constant &y : b.constants())
      expected.push_back({start + y.i, start + y.j, start + y.k, y.value});
    EXPECT_TRUE(directProduct(left, right)
                    .expand()
                    .sameProduct(Table("", Field(), start + right.dimension(), expected)));
  }
}

// A slot at (i,k) times a slot at (k,j) is the slot at (i,j) for k in B(i,j); every other product vanishes.
TEST(Numbering, SupportsAreTheTable) {
  std::mt19937 random(12);
  for (int round = 0; round < 40; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 30);
    SCOPED_TRACE(algebra.expression());
    std::vector<Constant> expected;
    int64_t n = algebra.positions();
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        std::vector<int64_t> support = algebra.support(i, j);
        EXPECT_TRUE(std::is_sorted(support.begin(), support.end()));
        for (int64_t k : support)
          expected.push_back({algebra.slotAt({i, k}).value(), algebra.slotAt({k, j}).value(),
                              algebra.slotAt({i, j}).value(), Rational(1)});
      }
    EXPECT_TRUE(algebra.expand().sameProduct(Table("", Field(), algebra.dimension(), expected)));
    std::set<std::pair<int64_t, int64_t>> places;
    for (int64_t slot = 0; slot < algebra.dimension(); ++slot) {
      Position place = algebra.position(slot);
      EXPECT_EQ(algebra.slotAt(place), slot);
      places.emplace(place.row, place.column);
    }
    EXPECT_EQ(static_cast<int64_t>(places.size()), algebra.dimension());
  }
}

using Names = std::vector<std::string>;

TEST(Numbering, GroupsAndTypesAreNamedAfterTheirPositions) {
  const Algebra named = graphAlgebra(parseDot("digraph { gate -> up; down -> up }", "g.dot"));
  const Names vertices = {"gate", "up", "down"};
  EXPECT_EQ(groupNames(Lift::rows(named)), vertices);
  EXPECT_EQ(typeNames(Lift::rows(named)), vertices);
  EXPECT_EQ(groupNames(Lift::slots(named)).size(), static_cast<size_t>(named.dimension()));
  EXPECT_EQ(groupNames(Lift::slots(named))[1], named.slotName(1));
  EXPECT_EQ(typeNames(Lift::slots(named)), Names());
  // The types of the other factor are one, called after its first member.
  const Lift product = Lift::rows(tensor(named, matrices(2)));
  EXPECT_EQ(groupNames(product), (Names{"gate,0", "gate,1", "up,0", "up,1", "down,0", "down,1"}));
  EXPECT_EQ(typeNames(product), (Names{"gate,0", "up,0", "down,0"}));
  EXPECT_EQ(groupNames(Lift::rows(graphAlgebra(parseDot("digraph { 10 -> 20; 20 -> 5 }", "g.dot")))),
            (Names{"5", "10", "20"}));
  // A complete graph is no exception, numbers are none.
  EXPECT_EQ(groupNames(Lift::rows(graphAlgebra(parseDot("digraph { a -> b; b -> a }", "g.dot")))),
            (Names{"a", "b"}));
  for (const char *plain : {"Q(3)", "graph(3; 0->1)", "Q(2)^2", "M(2) + T(2)"})
    EXPECT_EQ(groupNames(Lift::rows(parseExpression(plain))), Names()) << plain;
}

TEST(Numbering, PowersAreRepeatedTensorProducts) {
  EXPECT_TRUE(parseExpression("Q(2)^3").expand().sameProduct(parseExpression("Q(2)*(Q(2)*Q(2))").expand()));
  EXPECT_EQ(parseExpression("Q(2)^3").factors().size(), 3u);
}

} // namespace
