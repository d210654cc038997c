// How the parts of a time add up.
#include "compiler/schedule/cost.h"

#include <gtest/gtest.h>

namespace {

using namespace compiler;

TEST(Cost, HidesPartsBehindTheLongest) {
  Cost cost;
  cost.busy = {{"memory", 10}, {"loads", 8}, {"tensor", 5}};
  addSideBySide(cost, {.launch = 3});
  EXPECT_EQ(cost.bound_by, "memory");
  EXPECT_EQ(cost.bound(), 10);
  EXPECT_EQ(cost["tail"], 0);
  EXPECT_DOUBLE_EQ(cost["unhidden"], 0.12 * (8 + 0.12 * 5));
  EXPECT_DOUBLE_EQ(cost.total(), 3 + 10 + cost["unhidden"]);
  EXPECT_EQ(cost["grouping"], 0);
  EXPECT_EQ(cost["nothing of that name"], 0);
}

// Which part bounds: by what the busiest processor takes, or by what all take on average.
TEST(Cost, CountsTheBusiestProcessor) {
  Cost average;
  average.busy = {{"memory", 10}, {"loads", 9, 1.5}, {"tensor", 1}};
  Cost busiest = average;
  addSideBySide(average, {});
  EXPECT_EQ(average.bound_by, "memory");
  EXPECT_EQ(average["tail"], 0);
  EXPECT_DOUBLE_EQ(average["unhidden"], 0.12 * (9 + 0.12 * 1));
  addSideBySide(busiest, {.busiest_decides = true});
  EXPECT_EQ(busiest.bound_by, "loads");
  EXPECT_EQ(busiest.bound(), 9);
  EXPECT_DOUBLE_EQ(busiest["tail"], 4.5);
  EXPECT_DOUBLE_EQ(busiest["unhidden"], 0.12 * (10 + 0.12 * 1));
  EXPECT_DOUBLE_EQ(busiest.total(), 13.5 + busiest["unhidden"]);
  EXPECT_EQ(busiest.uneven("loads"), 1.5);
  EXPECT_EQ(busiest.uneven("memory"), 1);
}

TEST(Cost, AddsCautionToWhatComesBehindTheLaunch) {
  Cost cost;
  cost.busy = {{"memory", 10}, {"loads", 0}, {"tensor", 0}};
  addSideBySide(cost, {.launch = 3, .grouping = 2, .caution = 0.5});
  EXPECT_DOUBLE_EQ(cost["caution"], 6);
  EXPECT_DOUBLE_EQ(cost.total(), 3 + 2 + 10 + 6);
  double sum = 0;
  for (const CostPart &part : cost.sum)
    sum += part.us;
  EXPECT_DOUBLE_EQ(sum, cost.total());
}

TEST(Cost, OfOneThingAfterAnotherIsTheirSum) {
  Cost cost;
  cost.busy = {{"hold", 1}, {"store", 2}, {"multiply", 5}};
  addInTurn(cost, 1.25);
  EXPECT_EQ(cost.bound_by, "multiply");
  EXPECT_DOUBLE_EQ(cost["idle"], 2);
  EXPECT_DOUBLE_EQ(cost.total(), 10);
  const Cost half = cost.scaled(0.5);
  EXPECT_DOUBLE_EQ(half.total(), 5);
  EXPECT_DOUBLE_EQ(half["idle"], 1);
  EXPECT_DOUBLE_EQ(half["multiply"], 2.5);
}

} // namespace
