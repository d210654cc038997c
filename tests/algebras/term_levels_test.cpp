#include "algebras/term_levels.h"

#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace {

using namespace algebras;

// Dense or sparse, not associative, with signs and fractions.
Algebra randomTable(std::mt19937 &random) {
  const int64_t n = 1 + random() % 3;
  std::vector<Constant> constants;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        if (random() % 3 == 0)
          constants.push_back(
              {i, j, k, random() % 2 ? Rational(-1) : Rational(1 + random() % 5, 1 + random() % 3)});
  return tableAlgebra(Table("random", {}, n, constants));
}

Algebra randomFactor(std::mt19937 &random, bool tables) {
  if (tables && random() % 2)
    return randomTable(random);
  static const char *const some[] = {"Q(2)", "Q(3)", "T(2)",    "T(3)", "D(2)",
                                     "D(3)", "M(2)", "path(3)", "D(1)"};
  if (random() % 3)
    return parseExpression(some[random() % std::size(some)]);
  return testing_support::randomAlgebra(random, 7);
}

Algebra randomProduct(std::mt19937 &random, bool tables) {
  Algebra product = randomFactor(random, tables);
  for (size_t factors = 1 + random() % 3; factors > 0 && product.dimension() <= 40; --factors)
    product = tensor(product, randomFactor(random, tables));
  return product;
}

bool byPlace(const BlockTerm &a, const BlockTerm &b) {
  return std::tie(a.input_group, a.weight_row) < std::tie(b.input_group, b.weight_row);
}

// The product of the levels' terms, from their definition: digits by division, the last level's the lowest.
std::vector<BlockTerm> termsOf(const std::vector<Lift> &levels, int64_t type, int64_t group) {
  std::vector<BlockTerm> product{{0, 0, Rational(1)}};
  int64_t types = 1, groups = 1;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    std::vector<BlockTerm> next;
    for (const BlockTerm &low : product)
      for (const BlockTerm &high :
           level->terms(type / types % level->types(), group / groups % level->outputGroups()))
        next.push_back({high.input_group * groups + low.input_group,
                        high.weight_row * groups + low.weight_row, high.coefficient * low.coefficient});
    product = next;
    types *= level->types();
    groups *= level->outputGroups();
  }
  std::sort(product.begin(), product.end(), byPlace);
  return product;
}

void expectCounts(const Lift &lift) {
  int64_t all = 0;
  for (int64_t type = 0; type < lift.types(); ++type) {
    int64_t of_type = 0;
    for (int64_t group = 0; group < lift.outputGroups(); ++group) {
      const std::vector<BlockTerm> terms = lift.terms(type, group);
      EXPECT_TRUE(std::is_sorted(terms.begin(), terms.end(), byPlace));
      EXPECT_EQ(lift.termCount(type, group), static_cast<int64_t>(terms.size())) << type << ", " << group;
      of_type += static_cast<int64_t>(terms.size());
    }
    EXPECT_EQ(lift.termCountOfType(type), of_type) << type;
    all += of_type;
  }
  EXPECT_EQ(lift.termCount(), all);
}

// A term c x_k w of y_j, read backwards, is a term of x_k.
void expectTranspose(const Lift &lift, const Lift &transposed) {
  using Place = std::tuple<int64_t, int64_t, int64_t, int64_t>;
  std::vector<std::pair<Place, Rational>> forward, backward;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group) {
      for (const BlockTerm &term : lift.terms(type, group))
        forward.push_back(
            {{type, term.input_group, group, lift.kind() == Lift::Kind::Rows ? group : term.weight_row},
             term.coefficient});
      for (const BlockTerm &term : transposed.terms(type, group))
        backward.push_back({{type, group, term.input_group, term.weight_row}, term.coefficient});
    }
  const auto before = [](const auto &a, const auto &b) { return a.first < b.first; };
  std::sort(forward.begin(), forward.end(), before);
  std::sort(backward.begin(), backward.end(), before);
  EXPECT_EQ(forward, backward);
}

TEST(TermLevels, MultiplyToTheLift) {
  std::mt19937 random(31);
  size_t nests = 0;
  for (int round = 0; round < 120; ++round) {
    const bool tables = round % 2;
    const Algebra algebra = randomProduct(random, tables);
    SCOPED_TRACE(algebra.expression());
    std::vector<Lift> lifts{Lift::slots(algebra)};
    if (algebra.isMatrixLike())
      lifts.push_back(Lift::rows(algebra));
    for (const Lift &forward : lifts) {
      const Lift transposed = forward.transposed();
      expectTranspose(forward, transposed);
      for (const Lift &lift : {forward, transposed}) {
        expectCounts(lift);
        const std::vector<Lift> levels = termLevels(lift, 1 << random() % 10);
        nests += levels.size() > 1;
        for (const Lift &level : levels)
          EXPECT_EQ(level.isTransposed(), lift.isTransposed());
        for (int64_t type = 0; type < lift.types(); ++type)
          for (int64_t group = 0; group < lift.outputGroups(); ++group)
            EXPECT_EQ(termsOf(levels, type, group), lift.terms(type, group)) << type << ", " << group;
      }
    }
  }
  EXPECT_GT(nests, 100u); // or the test would show nothing
}

TEST(TermLevels, AreSmallWhereTheTableIsNot) {
  for (const char *expression :
       {"Q(2)^9", "Q(2)^20", "Q(64)^3", "T(2)*M(5000)", "T(1000)*Q(2)^3", "D(40000)", "T(300)"}) {
    const Lift lift = Lift::rows(parseExpression(expression));
    for (const Lift &one : {lift, lift.transposed()})
      for (const Lift &level : termLevels(one))
        EXPECT_LE(tableEntries(level), small_table) << expression << ": " << level.algebra().name();
  }
  const Lift small = Lift::rows(parseExpression("Q(2)^2"));
  ASSERT_EQ(termLevels(small).size(), 1u);
  EXPECT_EQ(tableEntries(termLevels(small).front()), 16 + 36);
  // One factor that is large stays so.
  EXPECT_EQ(tableEntries(termLevels(Lift::rows(parseExpression("path(400)*Q(2)"))).front()),
            160000 + 3 * 399 + 1);
}

} // namespace
