// The choice for every row of the published tables.
#include "algebras/expression.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "runtime/bench/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace {

using namespace compiler;
using algebras::DataType;

const std::string tables = std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/tables/";

algebras::Layer layerOfRow(const algrt::TableRow &row) {
  return algebras::makeLayer(algebras::Lift::rows(algebras::parseExpression(fmt::format("Q({})", row.q))),
                             row.k, row.n, DataType::BF16);
}

bool isAligned(const algrt::TableRow &row) { return row.k / row.q % 8 == 0 && row.n / row.q % 8 == 0; }

// Column floor_us of the table of floors, forward rows only.
std::vector<double> publishedFloors() {
  std::ifstream file(tables + "roofline_h200.csv");
  std::string line, cell;
  std::getline(file, line);
  std::vector<double> floors;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> columns;
    while (std::getline(cells, cell, ','))
      columns.push_back(cell);
    if (columns.at(2) == "forward")
      floors.push_back(std::stod(columns.at(9)));
  }
  return floors;
}

TEST(TableFloors, AreThePublishedOnes) {
  std::vector<algrt::TableRow> rows = algrt::readTable(tables + "roofline_h200.csv");
  std::erase_if(rows, [](const algrt::TableRow &row) { return row.map != "forward"; });
  const std::vector<double> floors = publishedFloors();
  ASSERT_EQ(rows.size(), floors.size());
  ASSERT_GT(rows.size(), 40u);
  for (size_t i = 0; i < rows.size(); ++i)
    // Printed with two decimals.
    EXPECT_NEAR(
        floorOf(projectionWork(layerOfRow(rows[i]), rows[i].m, DataType::BF16), h200_machine).longest(),
        floors[i], 0.006 + 1e-5 * floors[i])
        << "line " << rows[i].line;
}

// What keeps the model honest: times of dense products that were measured elsewhere, of cuBLAS on an H200.
// Q(1) is a dense product, whose prediction comes from the same constants as everybody's.
TEST(TableDense, IsPredictedAsItWasMeasured) {
  int rows = 0;
  for (const char *table : {"projection_best_q.csv", "square_fixed_block.csv"})
    for (algrt::TableRow row : algrt::readTable(tables + table)) {
      SCOPED_TRACE(fmt::format("{}, line {}: m = {}, {} -> {}", table, row.line, row.m, row.k, row.n));
      ASSERT_TRUE(row.published.dense_us);
      row.q = 1;
      const double predicted =
          rankSchedules(layerOfRow(row), "sm_90a", row.m, DataType::BF16).legal.front().predicted();
      EXPECT_GE(predicted, 0.9 * *row.published.dense_us);
      EXPECT_LE(predicted, 1.25 * *row.published.dense_us);
      ++rows;
    }
  EXPECT_EQ(rows, 16);
}

// The manual's reason against two stages, the diagonal blocks first and all others added to their sums: what
// they cannot do without, sums in f32 written and read once more and a launch more, is beyond the target
// already.
TEST(TableTwoStages, HaveAFloorBeyondTheTarget) {
  int rows = 0;
  for (const algrt::TableRow &row : algrt::readTable(tables + "roofline_h200.csv")) {
    if (row.map != "forward")
      continue;
    const Floor floor = floorOf(projectionWork(layerOfRow(row), row.m, DataType::BF16), h200_machine);
    const double sums = 2.0 * 4 * static_cast<double>(row.m) * static_cast<double>(row.n);
    const double two_stages = std::max(floor.memory + sums / h200_machine.memory_bytes_per_us, floor.tensor) +
                              2 * h200_machine.launch_us;
    EXPECT_GT(two_stages, 1.25 * floor.longest()) << "line " << row.line;
    ++rows;
  }
  EXPECT_GT(rows, 40);
}

TEST(TableChoices, AreSensible) {
  for (const algrt::TableRow &row : algrt::readTable(tables + "roofline_h200.csv")) {
    if (row.map != "forward" || !isAligned(row))
      continue;
    SCOPED_TRACE(fmt::format("m = {}, {} -> {}, q = {}", row.m, row.k, row.n, row.q));
    const algebras::Layer layer = layerOfRow(row);
    const Ranking ranking = rankSchedules(layer, "sm_90a", row.m, DataType::BF16);
    const RankedSchedule &best = ranking.legal.front();
    // Beyond what launches cost, nothing takes three times the floor.
    EXPECT_LT(best.predicted(), 6 + 2.6 * ranking.floor_us) << toString(best.schedule);
    if (isReduction(best.schedule)) { // single rows
      EXPECT_EQ(row.m, 1) << toString(best.schedule);
      continue;
    }
    const StagedSchedule schedule = std::get<StagedSchedule>(best.schedule);
    const int64_t rows = (row.m + row.q - 1) / row.q;
    // No second block of rows that is all zeros, no more columns than a panel beyond the group.
    EXPECT_LE(schedule.rows, (rows + 63) / 64 * 64) << toString(best.schedule);
    EXPECT_LT(schedule.columns, row.n / row.q + 64) << toString(best.schedule);
    EXPECT_EQ(schedule.stages, stagesThatFit(StagedProblem(layer, DataType::BF16), schedule))
        << toString(best.schedule);
    // One with the same tile and shorter stages is never better by more than what the model can tell apart.
    // Held rows may leave no room for deep stages.
    if (row.k / row.q % 64 == 0 && schedule.stationary_groups == 0) {
      EXPECT_EQ(schedule.depth, 64) << toString(best.schedule);
    }
  }
}

// Rows whose widths no tensor map can address: what threads copy keeps up with the copy engine's neighbours.
TEST(TableChoices, AreSensibleWhereThreadsCopy) {
  int rows = 0;
  for (const algrt::TableRow &row : algrt::readTable(tables + "roofline_h200.csv")) {
    if (row.map != "forward" || isAligned(row))
      continue;
    ++rows;
    SCOPED_TRACE(fmt::format("m = {}, {} -> {}, q = {}", row.m, row.k, row.n, row.q));
    const Ranking ranking = rankSchedules(layerOfRow(row), "sm_90a", row.m, DataType::BF16);
    const RankedSchedule &best = ranking.legal.front();
    EXPECT_TRUE(isForThreads(best.schedule)) << toString(best.schedule);
    EXPECT_GE(best.predicted(), ranking.floor_us);
    EXPECT_LT(best.predicted(), 6 + 2.6 * ranking.floor_us) << toString(best.schedule);
  }
  EXPECT_GE(rows, 6);
}

// Between the rows of the tables: more rows of X never cost noticeably less, and no step costs a cliff.
TEST(TableChoices, HaveNoCliffsBetweenNumbersOfRows) {
  for (const auto &[k, n] :
       {std::pair<int64_t, int64_t>{2048, 6144}, {6144, 2048}, {5120, 25600}, {25600, 5120}})
    for (const int64_t q : {1, 2, 4, 8, 16, 32, 64, 128}) {
      const algebras::Layer layer = algebras::makeLayer(
          algebras::Lift::rows(algebras::parseExpression(fmt::format("Q({})", q))), k, n, DataType::BF16);
      double before = 0, half = 0;
      int64_t half_rows = 0;
      for (int64_t m = 1; m <= 32768; m += (m + 4) / 5) {
        const Ranking ranking = rankSchedules(layer, "sm_90a", m, DataType::BF16);
        const double us = ranking.legal.front().predicted();
        SCOPED_TRACE(fmt::format("{} -> {}, q = {}, m = {}: {}", k, n, q, m,
                                 toString(ranking.legal.front().schedule)));
        EXPECT_GE(us, 0.97 * before);
        EXPECT_GE(us, ranking.floor_us);
        // Twice as many rows take little more than twice as long; a launch is paid once.
        if (half_rows > 0 && m >= 2 * half_rows) {
          const double launch = h200_machine.launch_us;
          EXPECT_LE(us - launch,
                    2.8 * (half - launch) * static_cast<double>(m) / static_cast<double>(2 * half_rows));
          half_rows = 0;
        }
        if (half_rows == 0) {
          half_rows = m;
          half = us;
        }
        before = us;
      }
    }
}

} // namespace
