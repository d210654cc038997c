// Launches of kernels that join the runs of interval types: what their maps show, and how many tiles there
// are, against the rows of the batch one by one.
#include "tests/runtime/cuda/plan_cases.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace algrt::cuda {
namespace {

constexpr int64_t in = 16, out = 24;

struct Batch {
  int64_t types, run, m, p0;

  Layer layer() const { return layerOf(Lift::Rows, RowTypesKind::Interval, types, run, types, in, out); }
  int64_t typeOf(int64_t row) const { return (p0 + row) / run % types; }
  int64_t runOf(int64_t row) const {
    return (p0 % run + row) / run;
  } // counted from the first one, whole or not
};

Batch randomBatch(std::mt19937_64 &random, int trial) {
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  return {1 + up_to(5), int64_t(2) << up_to(3), up_to(trial % 3 == 0 ? 9 : 120), up_to(1000)};
}

GpuKernel kernelFor(Map map, bool engine) {
  GpuKernel kernel = kernelOf(ElementType::F32);
  kernel.map = map;
  kernel.joins_runs = true;
  kernel.x.rows = kernel.w.rows = kernel.y.rows = 16;
  if (!engine) {
    kernel.copies = GpuCopies::Threads;
    kernel.vector = 8;
  }
  return kernel;
}

// Rows of the batch that a map shows, by coordinates 2 and 3; nothing where it stands for no rows.
using Shown = std::map<std::pair<int64_t, int64_t>, int64_t>;

Shown shownBy(uint64_t address, std::array<int64_t, 2> extents, std::array<int64_t, 2> steps, uint64_t base,
              int64_t row_bytes) {
  Shown shown;
  for (int64_t run = 0; run < extents[1]; ++run)
    for (int64_t within = 0; within < extents[0]; ++within) {
      const int64_t bytes = int64_t(address - base) + within * steps[0] + run * steps[1];
      EXPECT_EQ(bytes % row_bytes, 0);
      shown[{within, run}] = bytes / row_bytes;
    }
  return shown;
}

// The maps of X in the order in which segments are numbered.
std::vector<Shown> mapsOfX(const LaunchPlan &plan, const Operand &x, size_t maps) {
  const int64_t row_bytes = x.leading_dimension * 2;
  std::vector<Shown> all;
  for (size_t i = 0; i < maps; ++i) {
    if (!plan.maps.empty()) {
      const TensorMap &map = plan.maps[i];
      all.push_back(shownBy(map.address, {int64_t(map.extents[2]), int64_t(map.extents[3])},
                            {int64_t(map.strides[1]), int64_t(map.strides[2])}, x.address, row_bytes));
    } else {
      const algrt_plain_map &map = plan.plain_maps[i];
      all.push_back(shownBy(map.address, {map.extents[2], map.extents[3]},
                            {map.strides[1] * 2, map.strides[2] * 2}, x.address, row_bytes));
    }
  }
  return all;
}

// Every row of the batch is shown once, where runtime/gpu_kernel_abi.h says: by the map of a partial run, or
// in its run of its type's segment.
void expectShowsRows(const Batch &batch, const std::vector<Shown> &maps) {
  const bool begins_within = batch.p0 % batch.run != 0;
  const int64_t last_run = batch.runOf(batch.m - 1);
  const bool ends_within = (batch.p0 + batch.m) % batch.run != 0;
  std::array<size_t, 4> used{};
  for (int64_t row = 0; row < batch.m; ++row) {
    const int64_t run = batch.runOf(row), within = (batch.p0 + row) % batch.run;
    size_t map;
    std::pair<int64_t, int64_t> at;
    if (begins_within && run == 0) {
      map = 0;
      at = {row, 0};
    } else if (ends_within && run == last_run) {
      map = 3;
      at = {within, 0};
    } else {
      const int64_t whole = run - begins_within, all = last_run + 1 - begins_within - ends_within,
                    longer = all % batch.types, segment = whole % batch.types;
      map = segment < longer ? 1 : 2;
      at = {(segment < longer ? segment : segment - longer) * batch.run + within, whole / batch.types};
    }
    ++used[map];
    const auto found = maps[map].find(at);
    ASSERT_NE(found, maps[map].end()) << "row " << row << ", map " << map;
    EXPECT_EQ(found->second, row) << "map " << map;
  }
  // What stands for no rows has one that nobody reads.
  for (size_t map = 0; map < 4; ++map)
    EXPECT_EQ(maps[map].size(), std::max<size_t>(used[map], 1)) << "map " << map;
}

// Tiles of 64 rows and a whole group of columns: of every segment number up to the last one that has rows.
int64_t tilesOf(const Batch &batch) {
  std::map<int64_t, int64_t> rows_of_number;
  const bool begins_within = batch.p0 % batch.run != 0, ends_within = (batch.p0 + batch.m) % batch.run != 0;
  const int64_t last_run = batch.runOf(batch.m - 1);
  for (int64_t row = 0; row < batch.m; ++row) {
    const int64_t run = batch.runOf(row);
    int64_t number = run;
    if (!(begins_within && run == 0)) {
      const int64_t all = last_run + 1 - begins_within - ends_within, whole = run - begins_within;
      number = begins_within + whole % batch.types;
      if (ends_within && run == last_run && all >= batch.types)
        number += batch.types; // the next one of its type
    }
    ++rows_of_number[number];
  }
  int64_t longest = 0;
  for (const auto &[number, rows] : rows_of_number)
    longest = std::max(longest, rows);
  return (rows_of_number.rbegin()->first + 1) * ((longest + 63) / 64) * batch.types;
}

TEST(JoinedPlan, MapsShowEveryRowOnceInTheRunOfItsType) {
  std::mt19937_64 random(31);
  for (int trial = 0; trial < 600; ++trial) {
    Batch batch = randomBatch(random, trial);
    batch.m += batch.m == 0; // without rows there is no launch
    const bool engine = trial % 2 == 0;
    const GpuKernel kernel = kernelFor(Map::Forward, engine);
    const Operand x{1 << 20, batch.types * in + 8}, w{1 << 24, batch.types * out},
        y{1 << 26, batch.types * out};
    const LaunchPlan plan = planByHand(batch.layer(), kernel, x, w, y, batch.m, batch.p0, 132);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ": " << batch.types << " types, runs of "
                                    << batch.run << ", " << batch.m << " rows from " << batch.p0);
    ASSERT_EQ(engine ? plan.maps.size() : plan.plain_maps.size(), 9u);
    expectShowsRows(batch, mapsOfX(plan, x, 4));
    EXPECT_EQ(plan.tiles, tilesOf(batch));
    for (size_t i = 0; engine && i < 4; ++i) {
      const uint32_t of_run = std::min<uint32_t>(16, uint32_t(batch.run));
      EXPECT_EQ(plan.maps[i].box, (std::array<uint32_t, 5>{64, 1, of_run, 16 / of_run, 0}));
    }
    if (HasFailure())
      return;
  }
}

TEST(JoinedPlan, GradientsOfWeightsSeeAllRowsAsTheyLieToo) {
  std::mt19937_64 random(32);
  for (int trial = 0; trial < 200; ++trial) {
    const Batch batch = randomBatch(random, trial);
    const GpuKernel kernel = kernelFor(Map::Dw, true);
    const Operand x{1 << 20, batch.types * in}, dy{1 << 24, batch.types * out},
        dw{1 << 26, batch.types * out};
    const LaunchPlan plan = planByHand(batch.layer(), kernel, x, dy, dw, batch.m, batch.p0, 132);
    SCOPED_TRACE("trial " + std::to_string(trial));
    ASSERT_EQ(plan.maps.size(), 11u); // five of X, five of dY, one of dW
    if (batch.m == 0)
      continue;
    const std::vector<Shown> maps = mapsOfX(plan, x, 5);
    expectShowsRows(batch, {maps.begin(), maps.begin() + 4});
    EXPECT_EQ(int64_t(maps[4].size()), batch.m);
    for (const auto &[at, row] : maps[4])
      EXPECT_EQ(at, std::pair(row, int64_t(0)));
    EXPECT_EQ(plan.maps[4].box, (std::array<uint32_t, 5>{64, 1, 16, 1, 0}));
    if (HasFailure())
      return;
  }
}

} // namespace
} // namespace algrt::cuda
