// Incidence algebras against their definition.
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "tests/algebras/random_algebra.h"
#include "tests/algebras/reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace {

using namespace algebras;

// Arrows go from smaller to larger numbers, which are then shuffled.
Graph randomAcyclicGraph(std::mt19937 &random) {
  int64_t n = 1 + random() % 7;
  std::vector<int64_t> names(n);
  for (int64_t index = 0; index < n; ++index)
    names[index] = index;
  std::shuffle(names.begin(), names.end(), random);
  std::vector<Graph::Edge> edges;
  uint32_t density = random() % 100;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j)
      if (random() % 100 < density)
        edges.emplace_back(names[i], names[j]);
  return makeGraph(n, edges);
}

TEST(Poset, IncidenceAlgebraByDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Graph graph = randomAcyclicGraph(random);
    int64_t n = graph.vertexCount();
    std::vector<std::vector<bool>> below(n, std::vector<bool>(n, false)); // Warshall
    for (int64_t i = 0; i < n; ++i)
      below[i][i] = true;
    for (auto [i, j] : graph.edges())
      below[i][j] = true;
    for (int64_t k = 0; k < n; ++k)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
          if (below[i][k] && below[k][j])
            below[i][j] = true;
    std::vector<std::vector<int64_t>> slot(n, std::vector<int64_t>(n, -1));
    int64_t dimension = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (below[i][j])
          slot[i][j] = dimension++;
    std::vector<Constant> constants;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < n; ++k)
        for (int64_t j = 0; j < n; ++j)
          if (below[i][k] && below[k][j])
            constants.push_back({slot[i][k], slot[k][j], slot[i][j], Rational(1)});

    Algebra algebra = incidenceAlgebra(closeTransitively(graph));
    ASSERT_EQ(algebra.dimension(), dimension);
    EXPECT_EQ(algebra.nonzeros(), static_cast<int64_t>(constants.size()));
    Table table = algebra.expand();
    EXPECT_TRUE(table.sameProduct(Table("", Field(), dimension, constants)));
    EXPECT_TRUE(parseExpression(algebra.expression()).expand().sameProduct(table));
    EXPECT_TRUE(algebra.isMatrixLike());
    for (int64_t index = 0; index < dimension; ++index)
      EXPECT_EQ(algebra.slotAt(algebra.position(index)), index);

    reference::Product product(table);
    Facts facts = deriveFacts(algebra);
    EXPECT_EQ(facts.radical_series, product.radicalSeries()) << algebra.expression();
    EXPECT_EQ(facts.center_dimension, product.centerDimension()) << algebra.expression();
    EXPECT_EQ(facts.commutative, product.isCommutative());
    EXPECT_EQ(facts.maximal_ideals, n);
  }
}

TEST(Poset, Files) {
  std::string path = ::testing::TempDir() + "/divisors.dot";
  std::ofstream(path) << "digraph { 1 -> 2; 1 -> 3; 2 -> 6; 3 -> 6; 1 -> 6 }";
  ExpressionOptions options;
  options.base_directory = ::testing::TempDir();
  Algebra algebra = parseExpression("poset(divisors.dot)", options);
  EXPECT_EQ(algebra.expression(), "poset(4; 0->1, 0->2, 1->3, 2->3)"); // the relation 1 -> 6 is implied
  EXPECT_EQ(algebra.slotName(3), "E1_6");
  EXPECT_EQ(parseExpression("path_algebra(divisors.dot, 2)", options).dimension(), 9);
  EXPECT_EQ(parseExpression("path_algebra(\"divisors.dot\" , 3)", options).dimension(), 11);
  std::ofstream(path) << "digraph { x -> y -> z -> x }";
  try {
    parseExpression("poset(divisors.dot)", options);
    FAIL();
  } catch (const InputError &error) {
    EXPECT_NE(std::string(error.what()).find("it has the cycle x -> y -> z -> x"), std::string::npos);
  }
}

TEST(Poset, Large) {
  Algebra chain = parseExpression("poset(path(1000))");
  EXPECT_EQ(chain.dimension(), 500500);
  EXPECT_EQ(chain.nonzeros(), 167167000);
  EXPECT_EQ(deriveFacts(chain).radical_series->size(), 1000u);
}

} // namespace
