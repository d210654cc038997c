// What the maps of a launch cover, against addresses computed one element at a time.
#include "tests/runtime/cuda/plan_cases.h"

#include "runtime/gpu_kernel_abi.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <span>

namespace algrt::cuda {
namespace {

// What a map of either kind reaches; strides in bytes.
struct Reach {
  uint64_t address;
  int64_t element_bytes;
  std::array<uint64_t, 4> extents;
  std::array<uint64_t, 3> strides;
};

Reach reachOf(const TensorMap &map) {
  EXPECT_EQ(map.rank, 4);
  Reach reach{map.address, elementBytes(map.element), {}, {}};
  std::copy_n(map.extents.begin(), 4, reach.extents.begin());
  std::copy_n(map.strides.begin(), 3, reach.strides.begin());
  return reach;
}

Reach reachOf(const algrt_plain_map &map, ElementType element) {
  Reach reach{map.address, elementBytes(element), {}, {}};
  for (size_t i = 0; i < 4; ++i)
    reach.extents[i] = uint64_t(map.extents[i]);
  for (size_t i = 0; i < 3; ++i)
    reach.strides[i] = uint64_t(map.strides[i] * elementBytes(element));
  return reach;
}

// Every element that a map reaches, by its address.
void visit(const Reach &map, const std::function<void(uint64_t, const std::array<uint64_t, 4> &)> &body) {
  for (uint64_t d = 0; d < map.extents[3]; ++d)
    for (uint64_t c = 0; c < map.extents[2]; ++c)
      for (uint64_t b = 0; b < map.extents[1]; ++b)
        for (uint64_t a = 0; a < map.extents[0]; ++a)
          body(map.address + a * uint64_t(map.element_bytes) + b * map.strides[0] + c * map.strides[1] +
                   d * map.strides[2],
               {a, b, c, d});
}

struct RowCase {
  Layer layer;
  int64_t m, p0, period, run; // run: rows of one type one after another
  bool interval;
};

// First segment of each map and the rows that it is to hold, straight from the header.
std::vector<std::pair<int64_t, int64_t>> linesOf(const RowCase &c) {
  if (!c.interval)
    return {{0, c.m % c.period}, {c.m % c.period, c.m < c.period ? 0 : c.period - c.m % c.period}};
  int64_t first = 0;
  while (first < c.m && (c.p0 + first) % c.run != 0)
    ++first;
  const int64_t before = c.p0 % c.run != 0 ? 1 : 0, whole = (c.m - first) / c.run;
  return {{0, first > 0 ? 1 : 0}, {before, whole}, {before + whole, (c.m - first) % c.run > 0 ? 1 : 0}};
}

// `maps` are those of X or of Y.
void expectCoversRows(const RowCase &c, int64_t offset, std::span<const Reach> maps, const Operand &operand,
                      int64_t columns, int64_t width) {
  std::map<uint64_t, int> seen;
  const auto lines = linesOf(c);
  ASSERT_EQ(lines.size(), maps.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const Reach &map = maps[i];
    if (lines[i].second == 0) {
      EXPECT_EQ(map.extents[2], 1u);
      EXPECT_EQ(map.extents[3], 1u);
      continue;
    }
    EXPECT_EQ(int64_t(map.extents[2]), lines[i].second);
    visit(map, [&](uint64_t address, const std::array<uint64_t, 4> &at) {
      ++seen[address];
      const int64_t byte = int64_t(address - operand.address);
      const int64_t row = byte / (operand.leading_dimension * map.element_bytes);
      const int64_t column = byte / map.element_bytes % operand.leading_dimension;
      EXPECT_EQ(column, int64_t(at[1]) * width + int64_t(at[0]));
      // The type as the contract gives it, and as a kernel computes it from the segment.
      const int64_t type = (c.p0 + row) % (c.layer.types * c.run) / c.run;
      const int64_t line = lines[i].first + int64_t(at[2]);
      const int64_t computed =
          c.interval ? (offset / c.run + line) % c.layer.types : (line + offset) % c.layer.types;
      EXPECT_EQ(type, computed);
    });
  }
  EXPECT_EQ(int64_t(seen.size()), c.m * columns);
  for (int64_t row = 0; row < c.m; ++row)
    for (int64_t column = 0; column < columns; ++column)
      EXPECT_EQ(seen[operand.address +
                     uint64_t((row * operand.leading_dimension + column) * maps[0].element_bytes)],
                1)
          << row << " " << column;
}

// All maps of a launch.
void expectCovers(const RowCase &c, int64_t offset, const std::vector<Reach> &maps, const Operands &operands,
                  int64_t in, int64_t out) {
  const size_t row_maps = size_t(rowMapCount(c.layer));
  ASSERT_EQ(maps.size(), 2 * row_maps + 1);
  const std::span<const Reach> all(maps);
  expectCoversRows(c, offset, all.first(row_maps), operands.x, c.layer.k, in);
  expectCoversRows(c, offset, all.last(row_maps), operands.y, c.layer.n, out);
  std::map<uint64_t, int> seen;
  visit(maps[row_maps], [&](uint64_t address, const std::array<uint64_t, 4> &at) {
    ++seen[address];
    const int64_t row = int64_t(at[3]) * in + int64_t(at[2]), column = int64_t(at[1]) * out + int64_t(at[0]);
    EXPECT_EQ(address, operands.w.address + uint64_t((row * operands.w.leading_dimension + column) * 2));
  });
  EXPECT_EQ(int64_t(seen.size()), c.layer.k * c.layer.weightColumns());
}

void expectTensorMap(const TensorMap &map, ElementType element, const GpuBox &box, bool weights) {
  EXPECT_EQ(map.element, element);
  EXPECT_EQ(map.swizzle, box.swizzle);
  const auto columns = uint32_t(box.columns), rows = uint32_t(box.rows);
  EXPECT_EQ(map.box, (std::array<uint32_t, 5>{columns, 1, weights ? rows : 1, weights ? 1 : rows, 0}));
  for (size_t s = 0; s < 3; ++s)
    EXPECT_TRUE(map.strides[s] % 16 == 0 && map.strides[s] < uint64_t(1) << 40 && map.strides[s] > 0);
}

// Of trial number `trial`; widths are multiples of `unit` elements.
RowCase randomCase(std::mt19937_64 &random, int trial, int64_t unit) {
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  const int64_t q = 1 + up_to(6), in = unit * (1 + up_to(16 / unit)), out = unit * (1 + up_to(16 / unit));
  const bool slots = trial % 5 == 4, interval = !slots && trial % 2 == 1;
  const int64_t run = interval ? 1 + up_to(5) : 1;
  return {layerOf(slots ? Lift::Slots : Lift::Rows, interval ? RowTypesKind::Interval : RowTypesKind::Cyclic,
                  slots ? 1 : q, run, q, in, out),
          1 + up_to(trial % 3 == 0 ? 3 : 40),
          up_to(1000),
          slots ? 1 : q,
          run,
          interval};
}

// Runs of interval types lie further apart than their rows, the dimension behind: the driver asks for no
// order.
TEST(LaunchPlan, StridesOfTensorMapsMayFall) {
  const Layer layer = layerOf(Lift::Rows, RowTypesKind::Interval, 3, 5, 3, 8, 16);
  const LaunchPlan plan =
      planByHand(layer, kernelOf(ElementType::Bf16), {16, 32}, {16, 48}, {16, 48}, 40, 0, 132);
  ASSERT_EQ(plan.maps.size(), 7u);
  const TensorMap &whole_runs = plan.maps[1];
  EXPECT_EQ(whole_runs.strides[0], 8u * 2);
  EXPECT_EQ(whole_runs.strides[1], 5u * 32 * 2);
  EXPECT_EQ(whole_runs.strides[2], 32u * 2);
}

TEST(LaunchPlan, TensorMapsCoverEveryElementOnce) {
  std::mt19937_64 random(7);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 400; ++trial) {
    const RowCase c = randomCase(random, trial, 8);
    const GpuKernel kernel = kernelOf(trial % 3 == 0 ? ElementType::Bf16 : ElementType::F32);
    const Operands o{{uint64_t(16 * (1 + up_to(1 << 20))), c.layer.k + 8 * up_to(2)},
                     {uint64_t(16 * (1 + up_to(1 << 20))), c.layer.weightColumns() + 8 * up_to(2)},
                     {uint64_t(16 * (1 + up_to(1 << 20))), c.layer.n + 8 * up_to(2)}};
    const LaunchPlan plan = planByHand(c.layer, kernel, o.x, o.w, o.y, c.m, c.p0, 132);
    SCOPED_TRACE("trial " + std::to_string(trial));
    EXPECT_EQ(plan.rows, c.m);
    EXPECT_EQ(plan.offset, c.p0 % (c.layer.types * c.run));
    EXPECT_TRUE(plan.plain_maps.empty());
    std::vector<Reach> maps;
    for (const TensorMap &map : plan.maps)
      maps.push_back(reachOf(map));
    expectCovers(c, plan.offset, maps, o, c.layer.in_groups[0], c.layer.out_groups[0]);
    const size_t row_maps = size_t(rowMapCount(c.layer));
    for (size_t i = 0; i < row_maps; ++i) {
      expectTensorMap(plan.maps[i], ElementType::Bf16, kernel.x, false);
      expectTensorMap(plan.maps[row_maps + 1 + i], kernel.output, kernel.y, false);
    }
    expectTensorMap(plan.maps[row_maps], ElementType::Bf16, kernel.w, true);
    if (HasFailure())
      return;
  }
}

TEST(LaunchPlan, PlainMapsCoverEveryElementOnce) {
  std::mt19937_64 random(9);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 400; ++trial) {
    GpuKernel kernel = kernelOf(trial % 3 == 0 ? ElementType::Bf16 : ElementType::F32);
    kernel.copies = GpuCopies::Threads;
    kernel.vector = int64_t(1) << up_to(3);
    const RowCase c = randomCase(random, trial, kernel.vector);
    const uint64_t unit = uint64_t(2 * kernel.vector);
    const uint64_t y_unit = std::min<uint64_t>(uint64_t(kernel.vector * elementBytes(kernel.output)), 16);
    const Operands o{
        {unit * uint64_t(1 + up_to(1 << 20)), c.layer.k + kernel.vector * up_to(2)},
        {unit * uint64_t(1 + up_to(1 << 20)), c.layer.weightColumns() + kernel.vector * up_to(2)},
        {y_unit * uint64_t(1 + up_to(1 << 20)), c.layer.n + kernel.vector * up_to(2)}};
    const LaunchPlan plan = planByHand(c.layer, kernel, o.x, o.w, o.y, c.m, c.p0, 132);
    SCOPED_TRACE("trial " + std::to_string(trial));
    EXPECT_TRUE(plan.maps.empty());
    EXPECT_EQ(plan.tiles, tileCount(c.layer, kernel.tile, c.m, plan.offset));
    const size_t row_maps = size_t(rowMapCount(c.layer));
    std::vector<Reach> maps;
    for (size_t i = 0; i < plan.plain_maps.size(); ++i)
      maps.push_back(reachOf(plan.plain_maps[i], i > row_maps ? kernel.output : ElementType::Bf16));
    expectCovers(c, plan.offset, maps, o, c.layer.in_groups[0], c.layer.out_groups[0]);
    for (size_t i = 0; i < maps.size(); ++i) {
      const uint64_t moved = i > row_maps ? y_unit : unit;
      EXPECT_TRUE(maps[i].address % moved == 0 &&
                  maps[i].extents[0] * uint64_t(maps[i].element_bytes) % moved == 0);
      for (uint64_t stride : maps[i].strides)
        EXPECT_EQ(stride % moved, 0u);
    }
    if (HasFailure())
      return;
  }
}

// Rows so many and so far apart that elements, rows times distance and bytes all leave 32 bits.
TEST(LaunchPlan, PlainMapsReachBeyondThirtyTwoBits) {
  GpuKernel kernel = kernelOf(ElementType::Bf16);
  kernel.copies = GpuCopies::Threads;
  kernel.vector = 1;
  const int64_t ld = (int64_t(1) << 31) + 1, m = (int64_t(1) << 30) + 7, run = 1000;
  const Layer interval = layerOf(Lift::Rows, RowTypesKind::Interval, 3, run, 3, 5, 7);
  const LaunchPlan runs = planByHand(interval, kernel, {2, ld}, {2, 21}, {2, ld}, m, 3 * run + 999, 132);
  const int64_t whole = (m - 1) / run;
  ASSERT_EQ(runs.plain_maps.size(), 7u);
  EXPECT_EQ(runs.plain_maps[0].extents[3], 1);
  EXPECT_EQ(runs.plain_maps[1].address, 2 + uint64_t(ld) * 2);
  EXPECT_EQ(runs.plain_maps[1].strides[1], run * ld);
  EXPECT_EQ(runs.plain_maps[1].extents[2], whole);
  EXPECT_EQ(runs.plain_maps[2].address, 2 + uint64_t(1 + whole * run) * uint64_t(ld) * 2);
  EXPECT_EQ(runs.plain_maps[2].extents[3], m - 1 - whole * run);
  const Layer cyclic = layerOf(Lift::Rows, RowTypesKind::Cyclic, 3, 1, 3, 5, 7);
  const LaunchPlan phases = planByHand(cyclic, kernel, {2, ld}, {2, 21}, {2, ld}, m, 0, 132);
  EXPECT_EQ(phases.plain_maps[1].address, 2 + uint64_t(m % 3) * uint64_t(ld) * 2);
  EXPECT_EQ(phases.plain_maps[1].strides[2], 3 * ld);
  EXPECT_EQ(phases.plain_maps[1].extents[3], m / 3);
  EXPECT_EQ(phases.tiles, 3 * ((m / 3 + 1 + 63) / 64) * 3);
  // Where the last row would end beyond the last address nothing is planned.
  EXPECT_THROW(planByHand(cyclic, kernel, {2, int64_t(1) << 33}, {2, 21}, {2, ld}, m, 0, 132), Error);
}

} // namespace
} // namespace algrt::cuda
