// Tiles, grids and terms of a launch, and what none can have.
#include "tests/runtime/cuda/plan_cases.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/error.h"

#include <bit>
#include <gtest/gtest.h>

namespace algrt::cuda {
namespace {

TEST(LaunchPlan, TilesAreCountedAsTheKernelWalks) {
  const GpuTile tile{64, 96, 64, 4, 2};
  // Q(5): 5 segments of at most 27 rows, 5 groups of 100 columns.
  const Layer cyclic = layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 100);
  EXPECT_EQ(tileCount(cyclic, tile, 131, 3), 5 * 1 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64, 3), 5 * 1 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64 + 1, 3), 5 * 2 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, tile, 1, 0), 50); // types without rows are walked, too
  EXPECT_EQ(tileCount(cyclic, tile, 0, 0), 0);
  // Runs of 70 rows, two row tiles each.
  const Layer interval = layerOf(Lift::Rows, RowTypesKind::Interval, 3, 70, 3, 8, 8);
  EXPECT_EQ(tileCount(interval, tile, 70, 0), 1 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 70, 1), 2 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 69, 71), 1 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 71, 0), 2 * 2 * 3);
  EXPECT_EQ(tileCount(interval, tile, 211, 209), 4 * 2 * 3);
  // Two or three segments at a time.
  GpuTile pairs = tile, triples = tile;
  pairs.types = 2;
  triples.types = 3;
  EXPECT_EQ(tileCount(cyclic, pairs, 5 * 64 + 1, 3), 3 * 2 * 5 * 2);
  EXPECT_EQ(tileCount(cyclic, triples, 5 * 64 + 1, 3), 2 * 2 * 5 * 2);
  EXPECT_EQ(tileCount(interval, pairs, 211, 209), 2 * 2 * 3);
  EXPECT_EQ(tileCount(interval, pairs, 70, 0), 1 * 2 * 3);
  // Held rows: all columns of two groups, and of the one that is left.
  GpuTile held = tile;
  held.stationary_groups = 2;
  EXPECT_EQ(tileCount(cyclic, held, 5 * 64 + 1, 3), 5 * 2 * 3);
  EXPECT_EQ(tileCount(interval, held, 211, 209), 4 * 2 * 2);
  // Stationary sums of dX: some columns of all groups of dY, whose blocks of a cluster count each.
  EXPECT_EQ(tileCount(cyclic, held, 5 * 64 + 1, 3, Map::Dx), 5 * 2 * 1);
  held.split_k = 4;
  EXPECT_EQ(tileCount(cyclic, held, 5 * 64 + 1, 3, Map::Dx), 4 * 5 * 2 * 1);
  const Layer slots = layerOf(Lift::Slots, RowTypesKind::Cyclic, 1, 1, 4, 8, 8);
  EXPECT_EQ(tileCount(slots, tile, 129, 0), 3 * 4);
  EXPECT_THROW(tileCount(layerOf(Lift::Rows, RowTypesKind::Cyclic, 1 << 20, 1, 1 << 20, 8, 8), tile, 1, 0),
               Error);
}

TEST(LaunchPlan, TilesOfAClusterAreCountedTogether) {
  // 5 segments of at most 129 rows are 3 row tiles of 64; 5 groups of 100 columns are 2 column tiles of 96.
  const Layer cyclic = layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 100);
  const auto count = [&](int64_t rows, int64_t columns) {
    return tileCount(cyclic, {64, 96, 64, 4, 2, rows, columns}, 5 * 128 + 1, 3);
  };
  EXPECT_EQ(count(1, 1), 5 * 3 * 5 * 2);
  EXPECT_EQ(count(2, 1), 5 * 4 * 5 * 2);
  EXPECT_EQ(count(1, 2), 5 * 3 * 5 * 2);
  EXPECT_EQ(count(4, 1), 5 * 4 * 5 * 2);
  EXPECT_EQ(count(1, 4), 5 * 3 * 5 * 4);
  EXPECT_EQ(count(2, 4), 5 * 4 * 5 * 4);
}

TEST(LaunchPlan, TilesThatBlocksDivideCountForEach) {
  const Layer cyclic = layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 100);
  GpuTile tile{64, 96, 64, 4, 2};
  const int64_t whole = tileCount(cyclic, tile, 5 * 128 + 1, 3);
  tile.split_k = 4;
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 128 + 1, 3), 4 * whole);
  // Where long groups come first they alone are divided: two of five.
  tile.longest_first = 2;
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 128 + 1, 3), whole / 5 * (2 * 4 + 3));
  tile.split_k = 1;
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 128 + 1, 3), whole);
  tile.longest_first = 0;
  tile.split_k = int64_t{1} << 60;
  EXPECT_THROW(tileCount(cyclic, tile, 5 * 128 + 1, 3), Error);
}

// In kernels of two layers blocks of a cluster divide a tile of all their types: it counts once for each of
// them, in turns of all columns of some groups.
TEST(LaunchPlan, TilesOfAClusterAlongTheTypesCountForEachBlock) {
  GpuTile tile{64, 112, 64, 4, 2};
  tile.stationary_groups = 2; // three turns for five groups
  tile.types = tile.split_k = 2;
  // Five types are three pairs, the last of which has one type; so are those of three rows.
  const Layer cyclic = layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 100);
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64, 3), 2 * 3 * 1 * 3);
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64 + 1, 3), 2 * 3 * 2 * 3);
  EXPECT_EQ(tileCount(cyclic, tile, 3, 3), 2 * 3 * 1 * 3);
  EXPECT_EQ(tileCount(cyclic, tile, 0, 3), 0);
  // Tiles of two types in clusters of two.
  tile.types = 4;
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64 + 1, 3), 2 * 2 * 2 * 3);
  tile.types = tile.split_k = 4;
  EXPECT_EQ(tileCount(cyclic, tile, 5 * 64 + 1, 3), 4 * 2 * 2 * 3);
  // Runs of 70 rows: one, two and four of them.
  const Layer interval = layerOf(Lift::Rows, RowTypesKind::Interval, 3, 70, 3, 8, 8);
  tile.types = tile.split_k = 2;
  EXPECT_EQ(tileCount(interval, tile, 70, 0), 2 * 1 * 2 * 2);
  EXPECT_EQ(tileCount(interval, tile, 70, 1), 2 * 1 * 2 * 2);
  EXPECT_EQ(tileCount(interval, tile, 211, 209), 2 * 2 * 2 * 2);
  EXPECT_EQ(tileCount(interval, tile, 141, 209), 2 * 2 * 2 * 2);
}

TEST(LaunchPlan, TheGridIsPersistentAndWholeClusters) {
  const Layer layer = layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 96); // 25 tiles
  GpuKernel kernel = kernelOf(ElementType::Bf16);
  const Operand x{16, 40}, w{16, 480}, y{16, 480};
  const auto grid = [&](int64_t cluster, int32_t multiprocessors) {
    kernel.cluster = kernel.tile.cluster_rows = cluster;
    const LaunchPlan plan = planByHand(layer, kernel, x, w, y, 7, 0, multiprocessors);
    EXPECT_EQ(plan.tiles, 25 * cluster);
    EXPECT_EQ(plan.threads, 384u);
    EXPECT_EQ(plan.shared_bytes, 200000u);
    EXPECT_EQ(int64_t(plan.cluster), cluster);
    return plan.grid;
  };
  EXPECT_EQ(grid(1, 132), 25u);
  EXPECT_EQ(grid(2, 132), 50u);
  EXPECT_EQ(grid(4, 132), 100u);
  EXPECT_EQ(grid(1, 16), 16u);
  EXPECT_EQ(grid(2, 17), 16u);
  EXPECT_EQ(grid(4, 3), 4u);
  const LaunchPlan nothing = planByHand(layer, kernel, x, w, y, 0, 3, 132);
  EXPECT_EQ(nothing.tiles, 0);
  EXPECT_EQ(nothing.grid, 0u);
  EXPECT_TRUE(nothing.maps.empty());
}

TEST(LaunchPlan, WhatNoMapCanDescribeIsRefused) {
  const Layer good = layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 16);
  const GpuKernel kernel = kernelOf(ElementType::Bf16);
  const Operand x{64, 40}, w{64, 80}, y{64, 80};
  const auto refusal = [&](const Layer &layer, Operand x, Operand w, Operand y, int64_t m, int64_t p0) {
    try {
      planByHand(layer, kernel, x, w, y, m, p0, 132);
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
  EXPECT_EQ(refusal(good, x, w, y, 10, INT64_MAX - 9), "accepted"); // the last row is at INT64_MAX
  expect(refusal(good, x, w, y, 10, INT64_MAX - 8), "ALGRT_INVALID_ARGUMENT", "p0");
  expect(refusal(good, {72, 40}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "x: starts");
  expect(refusal(good, x, {56, 80}, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "w: starts");
  expect(refusal(good, x, w, {8, 80}, 10, 1), "ALGRT_INVALID_ARGUMENT", "y: starts");
  expect(refusal(good, {64, 44}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "pad the rows to a multiple of 8");
  expect(refusal(good, {64, 32}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "width 40");
  expect(refusal(good, {64, int64_t(1) << 39}, w, y, 10, 1), "ALGRT_INVALID_ARGUMENT", "2^40");
  // Rows that are close enough, but segments that are not.
  expect(refusal(good, {64, int64_t(1) << 37}, w, y, 10, 1), "ALGRT_UNSUPPORTED", "x: a tensor map");
  EXPECT_EQ(refusal(good, {64, int64_t(1) << 37}, w, y, 5, 1), "accepted"); // segments of one row
  expect(refusal(good, {UINT64_MAX - 127, 40}, w, y, 10, 1), "ALGRT_OUT_OF_MEMORY", "x");
  expect(refusal(layerOf(Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 8, 12), x, {64, 64}, {64, 64}, 10, 0),
         "ALGRT_UNSUPPORTED", "multiples of 8");
  // One group is never stepped over.
  EXPECT_EQ(
      refusal(layerOf(Lift::Rows, RowTypesKind::Cyclic, 1, 1, 1, 8, 12), {64, 8}, {64, 16}, {64, 16}, 10, 0),
      "accepted");
  expect(refusal(layerOf(Lift::Rows, RowTypesKind::Interval, 1 << 20, 1 << 11, 5, 8, 16), x, w, y, 10, 0),
         "ALGRT_UNSUPPORTED", "repeat");
}

TEST(LaunchPlan, WhatThreadsCannotCopyIsRefused) {
  GpuKernel kernel = kernelOf(ElementType::F32);
  kernel.copies = GpuCopies::Threads;
  const auto refusal = [&](int64_t vector, const Layer &layer, Operand x, Operand w, Operand y, int64_t m) {
    kernel.vector = vector;
    try {
      planByHand(layer, kernel, x, w, y, m, 0, 132);
    } catch (const Error &error) {
      return std::string(algrt_status_name(error.status())) + " " + error.what();
    }
    return std::string("accepted");
  };
  const Layer odd = layerOf(Lift::Rows, RowTypesKind::Cyclic, 3, 1, 3, 7, 5),
              even = layerOf(Lift::Rows, RowTypesKind::Cyclic, 3, 1, 3, 24, 16);
  EXPECT_EQ(refusal(1, odd, {2, 21}, {6, 15}, {4, 15}, 10), "accepted");
  EXPECT_EQ(refusal(1, odd, {3, 21}, {6, 15}, {4, 15}, 10),
            "ALGRT_INVALID_ARGUMENT x: starts at an address that is not a multiple of 2 bytes: align it");
  EXPECT_EQ(
      refusal(2, odd, {4, 22}, {4, 16}, {8, 16}, 10),
      "ALGRT_UNSUPPORTED x: has groups of 7 columns, which the kernel's threads move 2 elements at a time: "
      "choose group widths that are multiples of 2, or compile the kernel for fewer at a time");
  EXPECT_EQ(refusal(8, even, {16, 72}, {16, 48}, {16, 48}, 10), "accepted");
  EXPECT_EQ(refusal(8, even, {8, 72}, {16, 48}, {16, 48}, 10),
            "ALGRT_INVALID_ARGUMENT x: starts at an address that is not a multiple of 16 bytes: align it");
  EXPECT_EQ(refusal(4, even, {8, 72}, {16, 48}, {16, 48}, 10), "accepted");
  EXPECT_EQ(
      refusal(8, even, {16, 76}, {16, 48}, {16, 48}, 10),
      "ALGRT_INVALID_ARGUMENT x: has rows 76 elements apart, which is 152 bytes, not a multiple of 16: pad "
      "the rows to a multiple of 8 elements");
  EXPECT_EQ(refusal(8, even, {16, 76}, {16, 48}, {16, 51}, 1), "accepted") << "one row has no distance";
  EXPECT_NE(refusal(8, even, {16, 72}, {16, 49}, {16, 48}, 1).find("w: has rows 49"), std::string::npos);
  // Four f32 are 16 bytes, which is the most that is moved at a time.
  EXPECT_EQ(refusal(8, even, {16, 72}, {16, 48}, {16, 52}, 10), "accepted");
  EXPECT_NE(refusal(8, even, {16, 72}, {16, 48}, {8, 48}, 10).find("y: starts"), std::string::npos);
}

TEST(LaunchPlan, ScaledTerms) {
  GpuKernel kernel{};
  kernel.scaled = true;
  const auto bits = [](float value) { return std::bit_cast<int32_t>(value); };
  const Layer slots = layerOf(Lift::Slots, RowTypesKind::Cyclic, 1, 1, 3, 8, 8);
  const std::string section = encodeTerms(
      1, 3, {{{0, 2, 1}, {1, 1, -0.5}, {2, 0, 1}}, {}, {{2, 1, 3}, {0, 1, 3}, {1, 0, -2}, {1, 2, -2}}});
  EXPECT_EQ(termsTable(slots, kernel, Support::parseTable(section, slots)),
            (std::vector<int32_t>{0, 3,       3,        7, /**/ 1, 1,        bits(-0.5f),
                                  0, 2,       bits(1),  2, 0,      bits(1), /**/
                                  1, 0,       bits(-2), 1, 2,      bits(-2), 0,
                                  1, bits(3), 2,        1, bits(3)}));
  const std::string beyond = encodeTerms(1, 3, {{{0, 0, 1e39}}, {}, {}});
  EXPECT_THROW(termsTable(slots, kernel, Support::parseTable(beyond, slots)), Error);
}

TEST(LaunchPlan, TermsTable) {
  const Layer complete = layerOf(Lift::Rows, RowTypesKind::Cyclic, 2, 1, 2, 8, 8);
  EXPECT_EQ(termsTable(complete, GpuKernel{}, Support::complete(2)),
            (std::vector<int32_t>{0, 1, 3, 5, 6, /**/ 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1}));
  const Layer slots = layerOf(Lift::Slots, RowTypesKind::Cyclic, 1, 1, 2, 8, 8);
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
  const Layer layer = layerOf(Lift::Rows, RowTypesKind::Cyclic, 2, 1, 4, 8, 16);
  GpuKernel kernel = kernelOf(ElementType::Bf16);
  kernel.groups = 2;
  const Layer joined = kernelLayer(layer, kernel);
  EXPECT_EQ(joined.in_groups, (std::vector<int64_t>{16, 16}));
  EXPECT_EQ(joined.weight_rows, (std::vector<int64_t>{16, 16}));
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
  const LaunchPlan plan = planByHand(layer, kernel, x, w, y, 10, 0, 132);
  EXPECT_EQ(plan.maps[0].extents[0], 16u);
  EXPECT_EQ(plan.maps[0].extents[1], 2u);
  EXPECT_EQ(plan.maps.back().extents[0], 32u);
  EXPECT_EQ(plan.tiles, tileCount(joined, kernel.tile, 10, 0));
}

// Every tile of dW, whatever the rows; its steps are counted in 32 bits.
TEST(LaunchPlan, OfTheWeightsGradientHasAllTilesWithoutRows) {
  GpuKernel kernel = kernelOf(ElementType::F32);
  kernel.map = Map::Dw;
  kernel.copies = GpuCopies::Threads;
  kernel.vector = 4;
  kernel.tile = {16, 32, 64, 4, 1};
  const Operand any{4096, 1 << 20};
  const auto plan = [&](const Layer &layer, int64_t m) {
    return planByHand(layer, kernel, any, any, any, m, 5, 132);
  };
  const Layer rows = layerOf(Lift::Rows, RowTypesKind::Interval, 4, 10, 4, 40, 72),
              slots = layerOf(Lift::Slots, RowTypesKind::Cyclic, 1, 1, 64, 40, 72);
  for (const int64_t m : {0, 1, 1000}) {
    EXPECT_EQ(plan(rows, m).tiles, 4 * 3 * 4 * 3) << m;
    EXPECT_EQ(plan(rows, m).grid, 132u);
    EXPECT_EQ(plan(rows, m).rows, m);
    EXPECT_EQ(plan(rows, m).offset, 5);
    // Those of X, of dY and of dW; the last of X and of dY is all rows.
    const LaunchPlan found = plan(rows, m);
    ASSERT_EQ(found.plain_maps.size(), 4u + 4u + 1u);
    for (const size_t last : {3u, 7u}) {
      EXPECT_EQ(found.plain_maps[last].extents[3], m);
      EXPECT_EQ(found.plain_maps[last].strides[2], m > 1 ? 1 << 20 : 0);
    }
    EXPECT_EQ(found.plain_maps[8].extents[2], 40);
    EXPECT_EQ(plan(slots, m).tiles, 64 * 3 * 3);
  }
  // Where the copy engine moves blocks it stores dW, and threads add to it. Without rows the maps of X and dY
  // are right, and of no use.
  kernel.copies = GpuCopies::Engine;
  kernel.x = {64, 64, 128};
  kernel.w = {32, 64, 64};
  kernel.y = {32, 64, 128};
  for (const int64_t m : {0, 1000}) {
    const LaunchPlan found = plan(rows, m);
    EXPECT_EQ(found.tiles, 4 * 3 * 4 * 3);
    ASSERT_EQ(found.maps.size(), 4u + 4u + 1u);
    // What lies behind a group's last feature is clipped in dimension 2.
    EXPECT_EQ(found.maps[8].extents[2], 40u);
    EXPECT_EQ(found.maps[8].box, (std::array<uint32_t, 5>{32, 1, 64, 1, 0}));
    ASSERT_EQ(found.plain_maps.size(), 1u);
    EXPECT_EQ(found.plain_maps[0].extents[2], 40);
    EXPECT_EQ(found.maps[3].extents[3], m ? 1000u : 1u);
    EXPECT_EQ(found.maps[3].box, (std::array<uint32_t, 5>{64, 1, 1, 64, 0}));
    EXPECT_EQ(found.maps[7].box, (std::array<uint32_t, 5>{32, 1, 1, 64, 0}));
    EXPECT_EQ(found.maps[7].address, 4096u);
  }
  // Clusters of tiles; with a split each long tile counts for all of its blocks.
  kernel.tile.cluster_rows = 2;
  kernel.tile.cluster_columns = 2;
  EXPECT_EQ(plan(rows, 100).tiles, 4 * 4 * 4 * 4);
  kernel.tile.cluster_rows = kernel.tile.cluster_columns = 1;
  kernel.tile.split_k = 4;
  EXPECT_EQ(plan(rows, 100).tiles, 4 * 4 * 3 * 4 * 3);
  kernel.tile.longest_first = 1;
  EXPECT_EQ(plan(rows, 100).tiles, 4 * (3 + 4) * 3 * 3);
  kernel.tile.split_k = 1;
  kernel.tile.longest_first = 0;
  kernel.copies = GpuCopies::Threads;
  EXPECT_NO_THROW(plan(slots, 1 << 24));
  try {
    plan(slots, 1 << 26);
    ADD_FAILURE() << "more steps than 32 bits count";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error.what()).find("cannot count the steps"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace algrt::cuda
