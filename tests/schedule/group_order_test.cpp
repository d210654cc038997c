// Groups in the order of their terms, and how long the busiest takes where turns are unequal.
#include "algebras/expression.h"
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/unequal_turns.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace compiler;

algebras::Lift rowsOf(const std::string &expression) {
  return algebras::Lift::rows(algebras::parseExpression(expression));
}

// By definition: the longest list of every type, then the second longest, ...
std::vector<double> sortedByType(const algebras::Lift &lift) {
  std::vector<double> average(static_cast<size_t>(lift.outputGroups()));
  for (int64_t type = 0; type < lift.types(); ++type) {
    std::vector<size_t> terms;
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      terms.push_back(lift.terms(type, group).size());
    std::sort(terms.rbegin(), terms.rend());
    for (size_t rank = 0; rank < terms.size(); ++rank)
      average[rank] += static_cast<double>(terms[rank]) / static_cast<double>(lift.types());
  }
  return average;
}

TEST(GroupOrder, RanksAreSortedByTerms) {
  for (const char *expression : {"Q(1)", "Q(2)", "Q(5)", "T(4)", "path(3)", "Q(2)^2", "Q(3)*T(2)", "M(3)"})
    for (const algebras::Lift &lift : {rowsOf(expression), rowsOf(expression).transposed()}) {
      SCOPED_TRACE(std::string(expression) + (lift.isTransposed() ? ", transposed" : ""));
      const std::vector<double> ranks = termsByRank(lift), expected = sortedByType(lift);
      ASSERT_EQ(ranks.size(), expected.size());
      for (size_t rank = 0; rank < ranks.size(); ++rank)
        EXPECT_NEAR(ranks[rank], expected[rank], 1e-12) << rank;
    }
}

TEST(GroupOrder, AGradientsOwnGroupStandsOut) {
  for (const int64_t q : {3, 4, 32, 256}) {
    const algebras::Lift lift = rowsOf("Q(" + std::to_string(q) + ")");
    EXPECT_EQ(longestFirst(lift.transposed()), 1) << q;
    EXPECT_EQ(longestFirst(lift), 0) << q;
    EXPECT_EQ(whyNoOrder(lift.transposed(), 1), "") << q;
    EXPECT_NE(whyNoOrder(lift, 1), "") << q;
    EXPECT_NE(whyNoOrder(lift.transposed(), q + 1), "") << q;
  }
  EXPECT_EQ(longestFirst(rowsOf("Q(2)").transposed()), 0); // two terms and one: less than half as many again
  EXPECT_EQ(longestFirst(rowsOf("M(4)").transposed()), 0);
}

// Dealt out one by one, the long ones in turn, then each to whoever is the first to be done: nobody does
// better with long ones first.
TEST(UnequalTurns, TheBusiestIsThatOfAGreedyDeal) {
  for (const double long_time : {2.0, 7.0, 40.0})
    for (const int long_turns : {1, 5, 33, 64, 100})
      for (const int short_turns : {0, 3, 100, 1000}) {
        constexpr int workers = 33;
        std::vector<double> busy(workers);
        for (int i = 0; i < long_turns; ++i)
          busy[static_cast<size_t>(i % workers)] += long_time;
        for (int i = 0; i < short_turns; ++i)
          *std::min_element(busy.begin(), busy.end()) += 1;
        const double dealt = *std::max_element(busy.begin(), busy.end());
        const UnequalTurns turns{static_cast<double>(long_turns), long_time, static_cast<double>(short_turns),
                                 1};
        EXPECT_NEAR(turns.busiest(workers), dealt, 1) << long_time << ' ' << long_turns << ' ' << short_turns;
        EXPECT_GE(turns.busiest(workers) * workers, turns.total());
      }
}

// Nine tiles of a segment, the one of its own group long: numbers 0, 10, 20, ...
TEST(NumberedTiles, LongOnesMayMeet) {
  NumberedTiles tiles{.types = 9, .groups = 9, .segments = 9};
  EXPECT_EQ(tiles.mostLongOf(5), 9); // all of them, as 10 is a multiple of 5
  EXPECT_EQ(tiles.mostLongOf(7), 2);
  EXPECT_EQ(tiles.mostLongOf(9), 1);
  tiles.groups_outside = true;
  EXPECT_EQ(tiles.mostLongOf(5), 9);
  tiles.rows = 2;
  EXPECT_EQ(tiles.mostLongOf(18), 1);
  EXPECT_EQ(tiles.mostLongOf(1), 18);
}

} // namespace
