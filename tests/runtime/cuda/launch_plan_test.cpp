// What the tensor maps of a launch cover, against addresses computed one element at a time.
#include "runtime/cuda/launch_plan.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/error.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace algrt::cuda {
namespace {

Layer layerOf(Lift lift, RowTypesKind kind, int64_t types, int64_t run, int64_t groups, int64_t in,
              int64_t out) {
  Layer layer{};
  layer.lift = lift;
  layer.dtype = ElementType::bf16;
  layer.k = groups * in;
  layer.n = groups * out;
  layer.types = types;
  layer.row_types = kind;
  layer.row_type_width = run;
  layer.in_groups.assign(size_t(groups), in);
  layer.out_groups.assign(size_t(groups), out);
  layer.bank_rows = layer.in_groups;
  return layer;
}

GpuKernel kernelOf(ElementType output) {
  GpuKernel kernel{};
  kernel.output = output;
  kernel.threads = 384;
  kernel.cluster = 1;
  kernel.shared_bytes = 200000;
  kernel.tile = {64, 96, 64, 4, 2};
  kernel.x = {64, 64, 128};
  kernel.w = {32, 16, 64};
  kernel.y = {16, 8, 0};
  return kernel;
}

// Every element that a map reaches, by its address.
void visit(const TensorMap &map, const std::function<void(uint64_t, const std::array<uint64_t, 4> &)> &body) {
  ASSERT_EQ(map.rank, 4);
  for (uint64_t d = 0; d < map.extents[3]; ++d)
    for (uint64_t c = 0; c < map.extents[2]; ++c)
      for (uint64_t b = 0; b < map.extents[1]; ++b)
        for (uint64_t a = 0; a < map.extents[0]; ++a)
          body(map.address + a * uint64_t(elementBytes(map.element)) + b * map.strides[0] +
                   c * map.strides[1] + d * map.strides[2],
               {a, b, c, d});
}

struct RowCase {
  Layer layer;
  int64_t m, p0, period, run; // run: rows of one type one after another
  bool interval;
};

// First line of each map and the rows that it is to hold, straight from the header.
std::vector<std::pair<int64_t, int64_t>> linesOf(const RowCase &c) {
  if (!c.interval)
    return {{0, c.m % c.period}, {c.m % c.period, c.m < c.period ? 0 : c.period - c.m % c.period}};
  int64_t first = 0;
  while (first < c.m && (c.p0 + first) % c.run != 0)
    ++first;
  const int64_t before = c.p0 % c.run != 0 ? 1 : 0, whole = (c.m - first) / c.run;
  return {{0, first > 0 ? 1 : 0}, {before, whole}, {before + whole, (c.m - first) % c.run > 0 ? 1 : 0}};
}

void expectCoversRows(const RowCase &c, const LaunchPlan &plan, size_t first_map, const Operand &operand,
                      ElementType element, int64_t columns, int64_t width, const GpuBox &box) {
  std::map<uint64_t, int> seen;
  const auto lines = linesOf(c);
  ASSERT_EQ(int64_t(lines.size()), rowMapCount(c.layer));
  for (size_t i = 0; i < lines.size(); ++i) {
    const TensorMap &map = plan.maps[first_map + i];
    EXPECT_EQ(map.element, element);
    EXPECT_EQ(map.swizzle, box.swizzle);
    EXPECT_EQ(map.box, (std::array<uint32_t, 5>{uint32_t(box.columns), 1, 1, uint32_t(box.rows), 0}));
    for (int s = 0; s < 3; ++s)
      EXPECT_TRUE(map.strides[size_t(s)] % 16 == 0 && map.strides[size_t(s)] < uint64_t(1) << 40);
    if (lines[i].second == 0) {
      EXPECT_EQ(map.extents[2], 1u);
      EXPECT_EQ(map.extents[3], 1u);
      continue;
    }
    EXPECT_EQ(int64_t(map.extents[2]), lines[i].second);
    visit(map, [&](uint64_t address, const std::array<uint64_t, 4> &at) {
      ++seen[address];
      const int64_t byte = int64_t(address - operand.address);
      const int64_t row = byte / (operand.leading_dimension * elementBytes(element));
      const int64_t column = byte / elementBytes(element) % operand.leading_dimension;
      EXPECT_EQ(column, int64_t(at[1]) * width + int64_t(at[0]));
      // The type as the contract gives it, and as a kernel computes it from the line.
      const int64_t type = (c.p0 + row) % (c.layer.types * c.run) / c.run;
      const int64_t line = lines[i].first + int64_t(at[2]);
      const int64_t computed =
          c.interval ? (plan.offset / c.run + line) % c.layer.types : (line + plan.offset) % c.layer.types;
      EXPECT_EQ(type, computed);
    });
  }
  EXPECT_EQ(int64_t(seen.size()), c.m * columns);
  for (int64_t row = 0; row < c.m; ++row)
    for (int64_t column = 0; column < columns; ++column)
      EXPECT_EQ(seen[operand.address +
                     uint64_t((row * operand.leading_dimension + column) * elementBytes(element))],
                1)
          << row << " " << column;
}

TEST(LaunchPlan, EveryElementIsCoveredOnce) {
  std::mt19937_64 random(7);
  const auto upTo = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 400; ++trial) {
    const int64_t q = 1 + upTo(6), in = 8 * (1 + upTo(2)), out = 8 * (1 + upTo(2));
    const bool slots = trial % 5 == 4, interval = !slots && trial % 2 == 1;
    const int64_t run = interval ? 1 + upTo(5) : 1;
    RowCase c{layerOf(slots ? Lift::slots : Lift::rows,
                      interval ? RowTypesKind::interval : RowTypesKind::cyclic, slots ? 1 : q, run, q, in,
                      out),
              1 + upTo(trial % 3 == 0 ? 3 : 40),
              upTo(1000),
              slots ? 1 : q,
              run,
              interval};
    const GpuKernel kernel = kernelOf(trial % 3 == 0 ? ElementType::bf16 : ElementType::f32);
    const Operand x{uint64_t(16 * (1 + upTo(1 << 20))), c.layer.k + 8 * upTo(2)},
        w{uint64_t(16 * (1 + upTo(1 << 20))), c.layer.bankColumns() + 8 * upTo(2)},
        y{uint64_t(16 * (1 + upTo(1 << 20))), c.layer.n + 8 * upTo(2)};
    const LaunchPlan plan = planForward(c.layer, kernel, x, w, y, c.m, c.p0, 132);
    SCOPED_TRACE("trial " + std::to_string(trial));
    EXPECT_EQ(plan.rows, c.m);
    EXPECT_EQ(plan.offset, c.p0 % (c.layer.types * run));
    const size_t row_maps = size_t(rowMapCount(c.layer));
    ASSERT_EQ(plan.maps.size(), 2 * row_maps + 1);
    expectCoversRows(c, plan, 0, x, ElementType::bf16, c.layer.k, in, kernel.x);
    expectCoversRows(c, plan, row_maps + 1, y, kernel.output, c.layer.n, out, kernel.y);

    std::map<uint64_t, int> seen;
    const TensorMap &bank = plan.maps[row_maps];
    EXPECT_EQ(bank.box, (std::array<uint32_t, 5>{32, 1, 16, 1, 0}));
    EXPECT_EQ(bank.swizzle, 64);
    visit(bank, [&](uint64_t address, const std::array<uint64_t, 4> &at) {
      ++seen[address];
      const int64_t row = int64_t(at[3]) * in + int64_t(at[2]), column = int64_t(at[1] * out + at[0]);
      EXPECT_EQ(address, w.address + uint64_t((row * w.leading_dimension + column) * 2));
    });
    EXPECT_EQ(int64_t(seen.size()), c.layer.k * c.layer.bankColumns());
    if (HasFailure())
      return;
  }
}

TEST(LaunchPlan, TilesAreCountedAsTheKernelWalks) {
  const GpuTile tile{64, 96, 64, 4, 2};
  // Q(5): 5 lines of at most 27 rows, 5 groups of 100 columns.
  const Layer cyclic = layerOf(Lift::rows, RowTypesKind::cyclic, 5, 1, 5, 8, 100);
  EXPECT_EQ(tileCount(cyclic, tile, 131, 3), 5 * 1 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64, 3), 5 * 1 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64 + 1, 3), 5 * 2 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, tile, 1, 0), 50); // types without rows are walked, too
  EXPECT_EQ(tileCount(cyclic, tile, 0, 0), 0);
  // Runs of 70 rows, two row tiles each.
  const Layer interval = layerOf(Lift::rows, RowTypesKind::interval, 3, 70, 3, 8, 8);
  EXPECT_EQ(tileCount(interval, tile, 70, 0), 1 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 70, 1), 2 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 69, 71), 1 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 71, 0), 2 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 211, 209), 4 * 2 * 3);
  const Layer slots = layerOf(Lift::slots, RowTypesKind::cyclic, 1, 1, 4, 8, 8);
  EXPECT_EQ(tileCount(slots, tile, 129, 0), 3 * 4);
  EXPECT_THROW(tileCount(layerOf(Lift::rows, RowTypesKind::cyclic, 1 << 20, 1, 1 << 20, 8, 8), tile, 1, 0),
               Error);
}

TEST(LaunchPlan, TheGridIsPersistentAndWholeClusters) {
  const Layer layer = layerOf(Lift::rows, RowTypesKind::cyclic, 5, 1, 5, 8, 96); // 25 tiles
  GpuKernel kernel = kernelOf(ElementType::bf16);
  const Operand x{16, 40}, w{16, 480}, y{16, 480};
  const auto grid = [&](int64_t cluster, int32_t multiprocessors) {
    kernel.cluster = cluster;
    const LaunchPlan plan = planForward(layer, kernel, x, w, y, 7, 0, multiprocessors);
    EXPECT_EQ(plan.tiles, 25);
    EXPECT_EQ(plan.threads, 384u);
    EXPECT_EQ(plan.shared_bytes, 200000u);
    EXPECT_EQ(int64_t(plan.cluster), cluster);
    return plan.grid;
  };
  EXPECT_EQ(grid(1, 132), 25u);
  EXPECT_EQ(grid(2, 132), 26u);
  EXPECT_EQ(grid(4, 132), 28u);
  EXPECT_EQ(grid(1, 16), 16u);
  EXPECT_EQ(grid(2, 17), 16u);
  EXPECT_EQ(grid(4, 3), 4u);
  const LaunchPlan nothing = planForward(layer, kernel, x, w, y, 0, 3, 132);
  EXPECT_EQ(nothing.tiles, 0);
  EXPECT_EQ(nothing.grid, 0u);
  EXPECT_TRUE(nothing.maps.empty());
}

TEST(LaunchPlan, WhatNoMapCanDescribeIsRefused) {
  const Layer good = layerOf(Lift::rows, RowTypesKind::cyclic, 5, 1, 5, 8, 16);
  const GpuKernel kernel = kernelOf(ElementType::bf16);
  const Operand x{64, 40}, w{64, 80}, y{64, 80};
  const auto refusal = [&](const Layer &layer, Operand x, Operand w, Operand y, int64_t m, int64_t p0) {
    try {
      planForward(layer, kernel, x, w, y, m, p0, 132);
    } catch (const Error &error) {
      return std::string(algrt_status_name(error.status())) + " " + error.what();
    }
    return std::string("accepted");
  };
  const auto expect = [](const std::string &message, const char *status, const char *words) {
    EXPECT_EQ(message.substr(0, message.find(' ')), status) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  EXPECT_EQ(refusal(good, x, w, y, 10, 1), "accepted");
  EXPECT_EQ(refusal(good, x, w, y, algrt_most_gpu_rows - 1, 1), "accepted");
  expect(refusal(good, x, w, y, algrt_most_gpu_rows, 1), "ALGRT_INVALID_ARGUMENT", "rows");
  expect(refusal(good, x, w, y, 10, INT64_MAX - 9), "ALGRT_INVALID_ARGUMENT", "p0");
  expect(refusal(good, {72, 40}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "x: starts");
  expect(refusal(good, x, {56, 80}, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "w: starts");
  expect(refusal(good, x, w, {8, 80}, 10, 1), "ALGRT_INVALID_ARGUMENT", "y: starts");
  expect(refusal(good, {64, 44}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "pad the rows to a multiple of 8");
  expect(refusal(good, {64, 32}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "width 40");
  expect(refusal(good, {64, int64_t(1) << 39}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "2^40");
  // Rows that are close enough, but lines that are not.
  expect(refusal(good, {64, int64_t(1) << 37}, w, y, 10, 1), "ALGRT_UNSUPPORTED", "x: a tensor map");
  EXPECT_EQ(refusal(good, {64, int64_t(1) << 37}, w, y, 5, 1), "accepted"); // lines of one row
  expect(refusal(good, {UINT64_MAX - 127, 40}, w, y, 10, 1), "ALGRT_OUT_OF_MEMORY", "x");
  expect(refusal(layerOf(Lift::rows, RowTypesKind::cyclic, 5, 1, 5, 8, 12), x, {64, 64}, {64, 64}, 10, 0),
         "ALGRT_UNSUPPORTED", "multiples of 8");
  // One group is never stepped over.
  EXPECT_EQ(
      refusal(layerOf(Lift::rows, RowTypesKind::cyclic, 1, 1, 1, 8, 12), {64, 8}, {64, 16}, {64, 16}, 10, 0),
      "accepted");
  expect(refusal(layerOf(Lift::rows, RowTypesKind::interval, 1 << 20, 1 << 11, 5, 8, 16), x, w, y, 10, 0),
         "ALGRT_UNSUPPORTED", "repeat");
}

TEST(LaunchPlan, TermsTable) {
  const Layer complete = layerOf(Lift::rows, RowTypesKind::cyclic, 2, 1, 2, 8, 8);
  EXPECT_EQ(termsTable(complete, GpuKernel{}, Support::complete(2)),
            (std::vector<int32_t>{0, 1, 3, 5, 6, /**/ 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1}));
  const Layer slots = layerOf(Lift::slots, RowTypesKind::cyclic, 1, 1, 2, 8, 8);
  const auto table = [&](double coefficient) {
    const std::string section = encodeTerms(1, 2, {{{0, 0, 1}, {1, 1, coefficient}}, {}});
    return termsTable(slots, GpuKernel{}, Support::parseTable(section, slots));
  };
  EXPECT_EQ(table(-1), (std::vector<int32_t>{0, 2, 2, /**/ 0, 0, 1, INT32_MIN | 1}));
  EXPECT_THROW(table(0.5), Error);
}

// Q(2)*M(2) to a kernel that computes Q(2): four groups are two, and of the four terms that a block product
// of Q(2) consists of one is left.
TEST(LaunchPlan, JoinedGroups) {
  const Layer layer = layerOf(Lift::rows, RowTypesKind::cyclic, 2, 1, 4, 8, 16);
  GpuKernel kernel = kernelOf(ElementType::bf16);
  kernel.groups = 2;
  const Layer joined = kernelLayer(layer, kernel);
  EXPECT_EQ(joined.in_groups, (std::vector<int64_t>{16, 16}));
  EXPECT_EQ(joined.bank_rows, (std::vector<int64_t>{16, 16}));
  EXPECT_EQ(joined.out_groups, (std::vector<int64_t>{32, 32}));

  std::vector<std::vector<Term>> terms;
  for (int32_t type = 0; type < 2; ++type)
    for (int32_t group = 0; group < 4; ++group) {
      terms.emplace_back();
      for (int32_t input = 0; input < 4; ++input)
        if (input / 2 == type || input / 2 == group / 2)
          terms.back().push_back({input, input, 1});
    }
  const std::string section = encodeTerms(2, 4, terms);
  EXPECT_EQ(termsTable(layer, kernel, Support::parseTable(section, layer)),
            termsTable(joined, GpuKernel{}, Support::complete(2)));

  const Operand x{64, layer.k}, w{64, layer.n}, y{64, layer.n};
  const LaunchPlan plan = planForward(layer, kernel, x, w, y, 10, 0, 132);
  EXPECT_EQ(plan.maps[0].extents[0], 16u);
  EXPECT_EQ(plan.maps[0].extents[1], 2u);
  EXPECT_EQ(plan.maps.back().extents[0], 32u);
  EXPECT_EQ(plan.tiles, tileCount(joined, kernel.tile, 10, 0));
}

} // namespace
} // namespace algrt::cuda
