// Schedules of GPU kernels of two layers: what they fit into, and what their cost counts, beside a walk over
// all that every thread block brings.
#include "compiler/schedule/engine_parts.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/staged_chained.h"
#include "tests/schedule/layers.h"

#include "algebras/error.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace compiler;
using algebras::DataType;
using testing::HasSubstr;

TwoLayers qwen(int64_t in, int64_t hidden) { return {"Q(32)", in, hidden, in}; }

TEST(StagedChained, ComesBackFromText) {
  for (const char *text :
       {"rows=64,hidden=64,depth=64,stages=4x2,stationary=8",
        "rows=128,hidden=32,depth=16,stages=9x3,stationary=1,types=2,row_stages=1",
        "rows=64,hidden=64,depth=64,stages=5x2,stationary=8,cluster_types=2",
        "rows=64,hidden=64,depth=64,stages=5x2,stationary=8,evict_first=1",
        "rows=64,hidden=64,depth=80,stages=4x4,stationary=8,evict_first=1,overlap=1",
        "rows=64,hidden=64,depth=80,stages=4x5,stationary=8,row_stages=1,ping_pong=2",
        "rows=64,hidden=64,depth=64,stages=6x3,stationary=8,types=2,row_stages=1,cluster_types=4"})
    EXPECT_EQ(toString(parseStagedChained(text)), text);
  EXPECT_EQ(parseStagedChained("rows=64"), StagedChainedSchedule{});
  EXPECT_THROW(parseStagedChained("rows=64,columns=64"), algebras::InputError);
  EXPECT_THROW(parseStagedChained("stages=4"), algebras::InputError);
}

TEST(StagedChained, SaysWhyAScheduleIsIllegal) {
  const TwoLayers layers = qwen(2048, 6144);
  const auto why = [&](const std::string &text) {
    return reasonOf(refusal(layers.problem(), parseStagedChained(text)));
  };
  EXPECT_EQ(why("rows=64,hidden=64,depth=64,stages=0x2,stationary=8"), "");
  EXPECT_THAT(why("rows=32"), HasSubstr("32 rows of 1 types: a tile has 64 for each of 1 to 4 warpgroups"));
  EXPECT_THAT(why("rows=64,types=5"), HasSubstr("64 rows of 5 types"));
  EXPECT_THAT(why("hidden=48"), HasSubstr("48 hidden columns at a time"));
  EXPECT_THAT(why("depth=48"), HasSubstr("a depth of 48"));
  EXPECT_THAT(why("overlap=2"), HasSubstr("overlap=2: 1, or 0"));
  EXPECT_THAT(why("stationary=33"), HasSubstr("33 groups in a turn, of 32"));
  EXPECT_EQ(why("stages=0x2,cluster_types=2"), "");
  EXPECT_EQ(why("stages=0x2,cluster_types=4"), "");
  for (const char *clusters : {"cluster_types=3", "cluster_types=8", "cluster_types=0"})
    EXPECT_THAT(why(clusters), HasSubstr("tiles of 1 types: 1, 2 or 4 tiles, of 32 types in all"));
  // Parts of a block begin where the swizzle does: of what is deep in the first layer, and in the second.
  EXPECT_THAT(
      why("depth=16,cluster_types=4"),
      HasSubstr("clusters of 4 tiles: blocks of weights that are 16 and 64 rows deep cannot be loaded in "
                "parts that are multiples of 8 rows"));
  EXPECT_THAT(why("hidden=16,cluster_types=4"), HasSubstr("64 and 16 rows deep"));
  EXPECT_EQ(why("hidden=16,depth=16,stages=0x2,cluster_types=2"), "");
  EXPECT_THAT(why("row_stages=3"), HasSubstr("3 groups of X at a time"));
  EXPECT_THAT(why("stages=4x1"), HasSubstr("1 stages of the second layer's blocks: a step takes 2"));
  EXPECT_THAT(why("types=2,stages=4x2"), HasSubstr("a step takes 3"));
  EXPECT_THAT(why("stages=1x2"), HasSubstr("1 stages: 2 to"));
  EXPECT_THAT(why("rows=256"), HasSubstr("registers of a thread, of 104 that 4 warpgroups leave it"));
  EXPECT_THAT(reasonOf(refusal(qwen(4096, 12288).problem(), parseStagedChained("rows=128"))),
              HasSubstr("stages of 16384 bytes fit beside"));
  const TwoLayers of_three{"Q(3)", 768, 768, 384};
  EXPECT_THAT(reasonOf(refusal(of_three.problem(), parseStagedChained("cluster_types=4,stationary=1"))),
              HasSubstr("clusters of 4 tiles of 1 types: 1, 2 or 4 tiles, of 3 types in all"));
  EXPECT_THAT(reasonOf(refusal(of_three.problem(),
                               parseStagedChained("types=2,cluster_types=2,stages=0x3,stationary=1"))),
              HasSubstr("clusters of 2 tiles of 2 types"));
  TwoLayers reading = qwen(2048, 6144);
  reading.last.fused.element_operands = 1;
  EXPECT_THAT(reasonOf(refusal(reading.problem(), parseStagedChained("types=2,stages=0x3"))),
              HasSubstr("maps that read rows"));
}

TEST(StagedChained, SaysWhyLayersHaveNoKernel) {
  const auto why = [](const TwoLayers &layers, const char *target = "sm_90a") {
    return whyNotChained(layers.problem(), target);
  };
  EXPECT_EQ(why(qwen(2048, 6144)), "");
  EXPECT_EQ(why(qwen(2048, 768)), "");
  EXPECT_THAT(why(qwen(2048, 6144), "sm_80"), HasSubstr("the kernels of sm_80 compute one"));
  EXPECT_THAT(why({"T(4)", 256, 256, 256}), HasSubstr("only products of a graph"));
  EXPECT_THAT(why({"Q(4)", 240, 256 + 16, 256}), HasSubstr("multiples of 8 features"));
  EXPECT_THAT(why({"Q(2)", 256, 256, 1024}), HasSubstr("at most 256, and there are 512"));
  EXPECT_THAT(why({"Q(2)", 4096, 4096, 256}), HasSubstr("no schedule of both fits"));
  TwoLayers changed = qwen(2048, 6144);
  changed.first.fused.element_operands = 1;
  EXPECT_THAT(why(changed), HasSubstr("maps between the layers read no elements"));
  changed = qwen(2048, 6144);
  changed.last.fused.weights = 2;
  EXPECT_THAT(why(changed), HasSubstr("computes one product and writes one result"));
  changed = qwen(2048, 6144);
  changed.first.dtype = changed.last.dtype = DataType::F32;
  EXPECT_THAT(why(changed), HasSubstr("computes on bf16"));
}

/// What all thread blocks bring and multiply, cluster by cluster, turn by turn and group by group.
struct Walk {
  double sent = 0, received = 0, boxes = 0, cycles = 0, tiles = 0, turns = 0;

  Walk(const TwoLayers &layers, const StagedChainedSchedule &s, int64_t m)
      : types_(static_cast<double>(s.types)), parts_(static_cast<double>(s.cluster_types)) {
    const int64_t q = layers.last.out.count(), k = layers.first.in.width(0), h = layers.first.out.width(0),
                  n = layers.last.out.width(0), columns = (n + 15) / 16 * 16,
                  weights = layers.first.fused.weights;
    const auto instructions = [](int64_t depth, int64_t width) {
      return static_cast<double>((depth + 15) / 16) *
             std::max(static_cast<double>(width) / 2, 16 + static_cast<double>(width) / 4);
    };
    const int64_t chunks = (h + s.hidden - 1) / s.hidden, steps = (k + s.depth - 1) / s.depth,
                  warpgroups = s.rows / 64;
    const double hidden_product =
                     static_cast<double>(warpgroups * chunks * weights) * instructions(k, s.hidden),
                 output_product = static_cast<double>(warpgroups) * instructions(h, columns);
    // Whole panels are as wide as a swizzle can be.
    const int64_t panel = columns % 64 == 0 ? 64 : columns % 32 == 0 ? 32 : 16;
    const Block hidden{static_cast<double>(2 * weights * k * h),
                       static_cast<double>(2 * weights * steps * s.depth * chunks * s.hidden),
                       static_cast<double>(weights * steps * chunks)},
        output{static_cast<double>(2 * h * n), static_cast<double>(2 * chunks * s.hidden * columns),
               static_cast<double>(chunks * (columns / panel))};
    const int64_t segments = std::min(q, m), together = s.types * s.cluster_types;
    for (int64_t cluster = 0; cluster < segments; cluster += together)
      for (int64_t row = 0; row < (m + q - 1) / q; row += s.rows)
        // Blocks that have no rows, or no segments, are still a part of the cluster.
        for (int64_t first = cluster; first < cluster + together; first += s.types)
          for (int64_t group = 0; group < q; group += s.stationary_groups) {
            turns += 1;
            double rows = 0;
            for (int64_t type = first; type < first + s.types; ++type) {
              const int64_t of_type = type < segments ? (m - type + q - 1) / q : 0;
              rows += static_cast<double>(std::clamp<int64_t>(of_type - row, 0, s.rows));
            }
            const auto bring_rows = [&] {
              sent += rows * 2 * static_cast<double>(k);
              received += types_ * static_cast<double>(s.rows * 2 * steps * s.depth);
              boxes += types_ * static_cast<double>(steps);
            };
            bring_rows();
            bringOwn(hidden);
            cycles += types_ * hidden_product;
            for (int64_t j = group; j < std::min(q, group + s.stationary_groups); ++j) {
              tiles += 1;
              // The only type of a tile passes over its own group, where no other block waits for it.
              if (together == 1 && j == first) {
                bringOwn(output);
                cycles += output_product;
                continue;
              }
              bring_rows();
              for (const Block &block : {hidden, output}) {
                bringOwn(block);
                // What is the group's own each block of the cluster loads a part of, for all.
                sent += block.sent / parts_;
                received += block.received;
                boxes += block.boxes;
              }
              cycles += 2 * types_ * (hidden_product + output_product);
            }
          }
  }

private:
  /// All that one output group reads of a weight matrix: what the cache sends of it, what a thread block
  /// receives, and in how many boxes of its whole depth.
  struct Block {
    double sent, received, boxes;
  };

  /// For each type of the tile, in boxes that have a part of the depth as they have for what is shared.
  void bringOwn(const Block &block) {
    sent += types_ * block.sent;
    received += types_ * block.received;
    boxes += types_ * block.boxes * parts_;
  }

  double types_, parts_;
};

// Schedules and shapes at random, where all tiles are whole.
TEST(StagedChained, CostsWhatAWalkOverAllGroupsCounts) {
  using namespace engine_parts;
  std::mt19937_64 random(20);
  int compared = 0, compared_clusters = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int64_t q = int64_t{1} << (1 + random() % 5);
    const auto width = [&] { return q * 8 * static_cast<int64_t>(1 + random() % 8); };
    const int64_t in = width(), hidden = width(), out = width();
    const TwoLayers layers("Q(" + std::to_string(q) + ")", in, hidden, out,
                           1 + static_cast<int64_t>(random() % 2));
    const int64_t m = q * 64 * (1 + static_cast<int64_t>(random() % 4));
    if (!whyNotChained(layers.problem(), "sm_90a").empty())
      continue;
    const StagedChainedCosts costs(layers.problem(), m, h200_machine);
    const std::vector<StagedChainedSchedule> candidates = considerStagedChained(layers.problem());
    for (int pick = 0; pick < 6; ++pick) {
      StagedChainedSchedule schedule = candidates[random() % candidates.size()];
      // Clusters are not considered, and may be asked for.
      schedule.cluster_types = int64_t{1} << random() % 3;
      if (refusal(layers.problem(), schedule))
        continue;
      const Walk walk(layers, schedule, m);
      const Cost cost = costs(schedule);
      SCOPED_TRACE(toString(schedule));
      // Also of clusters that are not full.
      EXPECT_DOUBLE_EQ(cost.tiles, walk.tiles);
      EXPECT_DOUBLE_EQ(cost.turns, walk.turns);
      if (q % (schedule.types * schedule.cluster_types) != 0 || m / q % schedule.rows != 0 ||
          q % schedule.stationary_groups != 0)
        continue;
      ++compared;
      compared_clusters += schedule.cluster_types > 1 ? 1 : 0;
      // Loads are bound by what the cache sends, what multiprocessors take in, or what threads issue.
      const double in_cycles = 1 / (h200_machine.multiprocessors * h200_machine.dense_clock);
      const int64_t columns = (layers.last.out.width(0) + 15) / 16 * 16;
      const auto in_flight = static_cast<double>((schedule.stages - 1) * layers.first.fused.weights * 2 *
                                                     schedule.depth * schedule.hidden +
                                                 (schedule.next_stages - 1) * 2 * schedule.hidden * columns);
      const double loads = std::max({walk.sent / (1.2 * h200_machine.cache_bytes_per_us),
                                     walk.received / takesIn(in_flight, h200_machine),
                                     walk.boxes * cycles_per_copy * in_cycles});
      EXPECT_NEAR(cost["loads"], loads, 1e-9 * loads);
      EXPECT_NEAR(cost["products"] + cost["padding"], std::max(walk.cycles * in_cycles, cost["products"]),
                  1e-9 * cost.total());
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(compared_clusters, 100);
}

// Lines that other blocks read as well must stay: groups of 304 and of 80 columns share theirs with the next
// group, half of a line with the next block of the same group.
TEST(StagedChained, WholeLinesLeaveTheCacheFirst) {
  const auto why = [](const TwoLayers &layers, const char *text) {
    return reasonOf(refusal(layers.problem(), parseStagedChained(text)));
  };
  const TwoLayers small = qwen(2048, 6144), middle = qwen(2560, 9728), narrow = qwen(7168, 2048);
  EXPECT_EQ(why(small, "stages=0x3,evict_first=1"), "");
  EXPECT_EQ(why(small, "hidden=32,stages=0x3,evict_first=1"), ""); // of the second layer
  EXPECT_EQ(why(narrow, "depth=32,stages=0x2,evict_first=1"), "");
  EXPECT_THAT(why(narrow, "hidden=32,depth=32,stages=0x2,evict_first=1"),
              HasSubstr("groups of 64 and 224 columns, made 32 at a time: other blocks read their lines"));
  EXPECT_THAT(why(middle, "depth=32,stages=0x2,evict_first=1"), HasSubstr("groups of 304 and 80 columns"));
  EXPECT_THAT(why(small, "stages=0x3,evict_first=2"), HasSubstr("evict_first=2: 1, or 0"));
}

// Where a type has no more rows than a tile, X is taken for what stays in the cache instead; elsewhere other
// tiles read the same weights, and nothing is gained.
TEST(StagedChained, WeightsThatAreReadOnceLeaveTheCacheFirst) {
  const TwoLayers layers = qwen(2048, 6144);
  StagedChainedSchedule schedule = parseStagedChained("stages=5x4,stationary=4,types=2");
  const auto saved = [&](int64_t m) {
    const StagedChainedCosts costs(layers.problem(), m, h200_machine);
    schedule.evict_first = 0;
    const double kept = costs(schedule)["memory"];
    schedule.evict_first = 1;
    return kept - costs(schedule)["memory"];
  };
  const double x = 2.0 * 2048 * 2048 / h200_machine.memory_bytes_per_us;
  EXPECT_NEAR(saved(2048), 0.4 * x, 1e-6);
  EXPECT_EQ(saved(8192), 0);
  // Intervals of 64 rows may come back to each type.
  TwoLayers intervals = qwen(2048, 6144);
  for (algebras::Layer *layer : {&intervals.first, &intervals.last})
    layer->row_types = algebras::RowTypes::interval(32, 64);
  const StagedChainedCosts costs(intervals.problem(), 4096, h200_machine);
  const double once = costs(schedule)["memory"];
  schedule.evict_first = 0;
  EXPECT_EQ(costs(schedule)["memory"], once);
  // Those of 32 are joined: one kernel of either kind takes the same.
  for (algebras::Layer *layer : {&intervals.first, &intervals.last})
    layer->row_types = algebras::RowTypes::interval(32, 32);
  EXPECT_EQ(StagedChainedCosts(intervals.problem(), 4096, h200_machine)(schedule).total(),
            StagedChainedCosts(layers.problem(), 4096, h200_machine)(schedule).total());
  const auto chosen = cheapestOfLayers(layers.problem(), "sm_90a", {2048});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(std::get<StagedChainedSchedule>(chosen->schedule).evict_first, 1);
}

// What blocks of a cluster share is sent once. Where stages enough are under way, loads take less for it.
TEST(StagedChained, ClustersTakeLessFromTheCache) {
  const TwoLayers layers = qwen(4096, 12288);
  const StagedChainedCosts costs(layers.problem(), 2048, h200_machine);
  const auto loads = [&](const char *text) {
    const StagedChainedSchedule schedule = parseStagedChained(text);
    EXPECT_EQ(reasonOf(refusal(layers.problem(), schedule)), "");
    return costs(schedule)["loads"];
  };
  EXPECT_NEAR(loads("rows=64,hidden=64,depth=64,stages=6x2,stationary=8,row_stages=1"), 76.3, 0.1);
  EXPECT_NEAR(loads("rows=64,hidden=64,depth=64,stages=6x2,stationary=8,row_stages=1,cluster_types=2"), 74.9,
              0.1);
}

// A stage that blocks share waits for the slowest of them, and so does the end of a tile: 32 x 32 tiles of 6
// chunks, each of two steps of the first layer and one of the second. The group of the rows' own type, which
// no cluster passes over, is the rest.
TEST(StagedChained, BlocksOfAClusterWaitForEachOther) {
  const TwoLayers layers = qwen(4096, 12288);
  const StagedChainedCosts costs(layers.problem(), 2048, h200_machine);
  const auto cost_of = [&](int64_t cluster) {
    StagedChainedSchedule schedule =
        parseStagedChained("rows=64,hidden=64,depth=64,stages=6x2,stationary=8,row_stages=1");
    schedule.cluster_types = cluster;
    return costs(schedule);
  };
  const double in_us = 1 / (h200_machine.multiprocessors * h200_machine.dense_clock);
  const double tiles = 32 * 32, stages = tiles * 6 * 3 * engine_parts::cycles_per_shared_stage * in_us,
               ends = tiles * engine_parts::cycles_per_doubled_cluster * in_us;
  const Cost alone = cost_of(1), pair = cost_of(2), four = cost_of(4);
  EXPECT_GT(pair["tensor"] - alone["tensor"], stages + ends);
  EXPECT_LT(pair["tensor"] - alone["tensor"], 1.5 * (stages + ends));
  EXPECT_NEAR(four["tensor"] - pair["tensor"], ends, 1e-9);
  // And what is predicted for them is trusted by a fiftieth less for each doubling.
  EXPECT_EQ(alone["caution"], 0);
  for (const auto &[cost, doublings] : {std::pair(pair, 1), std::pair(four, 2)})
    EXPECT_NEAR(cost["caution"], 0.02 * doublings * (cost.total() - cost["launch"] - cost["caution"]), 1e-9);
}

// By parts of a microsecond.
TEST(StagedChained, LaunchesOfClustersBeginLater) {
  const TwoLayers layers = qwen(2048, 6144);
  const StagedChainedCosts costs(layers.problem(), 2048, h200_machine);
  const auto launch = [&](int64_t cluster) {
    StagedChainedSchedule schedule = parseStagedChained("rows=64,hidden=64,depth=64,stages=6x2,stationary=8");
    schedule.cluster_types = cluster;
    return costs(schedule).sum.back().us;
  };
  EXPECT_DOUBLE_EQ(launch(2), launch(1) + h200_machine.pair_start_us);
  EXPECT_DOUBLE_EQ(launch(4), launch(1) + h200_machine.cluster_start_us);
}

// Stages as deep as an input group waste nothing of one whose width is no multiple of 64.
TEST(StagedChained, TakesWholeInputGroups) {
  const TwoLayers narrow = qwen(2560, 9728), odd = qwen(32 * 72, 32 * 128), wide("Q(4)", 2048, 512, 256);
  const auto why = [](const TwoLayers &layers, const std::string &text) {
    return reasonOf(refusal(layers.problem(), parseStagedChained(text)));
  };
  EXPECT_EQ(why(narrow, "depth=80,stages=4x4"), "");
  EXPECT_THAT(why(narrow, "depth=48,stages=4x4"),
              HasSubstr("a depth of 48: a stage is one swizzled panel of X deep, 16, 32 or 64, or as deep as "
                        "the input groups of 80"));
  EXPECT_THAT(why(narrow, "depth=80,stages=4x4,row_stages=1,cluster_types=4"),
              HasSubstr("80 and 64 rows deep cannot be loaded in parts that are multiples of 8 rows"));
  EXPECT_THAT(why(odd, "depth=72,stages=4x4"), HasSubstr("where these are multiples of 16"));
  EXPECT_THAT(why(wide, "depth=512,stages=2x2"), HasSubstr("and at most 256"));
  const StagedChainedCosts costs(narrow.problem(), 2048, h200_machine);
  const auto of = [&](const char *text) { return costs(parseStagedChained(text)); };
  const Cost in_steps = of("depth=32,stages=12x4,stationary=8"),
             whole = of("depth=80,stages=5x4,stationary=8");
  EXPECT_LT(whole["loads"], in_steps["loads"]);
  EXPECT_EQ(whole["caution"], 0);
  const LayersPrediction made = predictLayers(narrow.first, narrow.last, "sm_90a", 2048, DataType::BF16);
  EXPECT_EQ(parseStagedChained(made.schedule).depth, 80);
}

// A chunk is multiplied behind the next one's products; only the first one's map runs beside nothing.
TEST(StagedChained, MapsOverlapWithTheSecondLayer) {
  const TwoLayers layers = qwen(4096, 12288);
  const StagedChainedCosts costs(layers.problem(), 2048, h200_machine);
  StagedChainedSchedule schedule =
      parseStagedChained("rows=64,hidden=64,depth=64,stages=4x4,stationary=8,row_stages=1");
  const Cost in_turn = costs(schedule);
  schedule.overlap = 1;
  EXPECT_EQ(reasonOf(refusal(layers.problem(), schedule)), "");
  const Cost overlapped = costs(schedule);
  EXPECT_DOUBLE_EQ(in_turn["products"] + in_turn["padding"], overlapped["products"] + overlapped["padding"]);
  EXPECT_LT(overlapped["feeding"], in_turn["feeding"] / 2);
  EXPECT_LT(overlapped["rows"], in_turn["rows"]);
  EXPECT_LT(overlapped.total(), in_turn.total());
  const LayersPrediction made = predictLayers(layers.first, layers.last, "sm_90a", 2048, DataType::BF16);
  EXPECT_EQ(parseStagedChained(made.schedule).overlap, 1);
  // Two warpgroups and more run their maps beside each other's products.
  for (const StagedChainedSchedule &candidate : considerStagedChained(qwen(2048, 6144).problem()))
    EXPECT_TRUE((candidate.overlap == 0 && candidate.ping_pong == 1) || candidate.warpgroupsOfTile() == 1)
        << toString(candidate);

  // One chunk has no next one; and rows in registers are twice as many.
  EXPECT_THAT(reasonOf(refusal(qwen(2048, 2048).problem(), parseStagedChained("stages=0x2,overlap=1"))),
              HasSubstr("overlap of a hidden group's columns, 64 made 64 at a time: there are no next ones"));
  const TwoLayers widest("Q(8)", 1024, 1024, 8 * 224);
  const auto why = [&](const char *text) {
    return reasonOf(refusal(widest.problem(), parseStagedChained(text)));
  };
  EXPECT_EQ(why("hidden=64,depth=32,stages=0x2"), "");
  EXPECT_THAT(why("hidden=64,depth=32,stages=0x2,overlap=1"), HasSubstr("registers of a thread"));
}

// Where output groups are narrow, maps take longer than the second layer's products beside them.
TEST(StagedChained, WarpgroupsTakeChunksInTurn) {
  const TwoLayers layers = qwen(2560, 9728);
  const StagedChainedCosts costs(layers.problem(), 2048, h200_machine);
  const auto cost = [&](const char *beside) {
    const std::string text =
        fmt::format("rows=64,hidden=64,depth=80,stages=4x5,stationary=8,row_stages=1{}", beside);
    EXPECT_EQ(reasonOf(refusal(layers.problem(), parseStagedChained(text))), "");
    return costs(parseStagedChained(text));
  };
  const Cost alone = cost(""), overlapped = cost(",overlap=1"), in_turn = cost(",ping_pong=2");
  EXPECT_DOUBLE_EQ(in_turn["products"] + in_turn["padding"], alone["products"] + alone["padding"]);
  EXPECT_LT(in_turn["feeding"], overlapped["feeding"] / 2);
  EXPECT_GT(in_turn["shared"], overlapped["shared"]); // sums are written and read once more
  EXPECT_LT(in_turn.total(), overlapped.total());
  const LayersPrediction made = predictLayers(layers.first, layers.last, "sm_90a", 2048, DataType::BF16);
  EXPECT_EQ(parseStagedChained(made.schedule).ping_pong, 2);
  for (const StagedChainedSchedule &candidate : considerStagedChained(layers.problem(), 32))
    EXPECT_EQ(candidate.ping_pong, 1) << toString(candidate);

  const auto why = [&](const TwoLayers &of, const char *text) {
    return reasonOf(refusal(of.problem(), parseStagedChained(text)));
  };
  EXPECT_THAT(why(layers, "ping_pong=3"), HasSubstr("ping_pong=3: 1, or 2"));
  for (const char *beside : {"overlap=1", "types=2", "cluster_types=2", "rows=128"})
    EXPECT_THAT(why(layers, fmt::format("hidden=16,depth=16,stages=0x4,ping_pong=2,{}", beside).c_str()),
                HasSubstr("beside other warpgroups, a cluster or overlap"));
  EXPECT_THAT(why(qwen(2048, 2048), "stages=0x4,ping_pong=2"), HasSubstr("there is one chunk"));
  // Rings have room for what is passed over.
  EXPECT_THAT(why(layers, "depth=80,stages=0x3,row_stages=1,ping_pong=2"),
              HasSubstr("3 stages of the second layer's blocks: a step takes 4"));
  EXPECT_THAT(why(layers, "depth=80,stages=3x4,row_stages=1,ping_pong=2"),
              HasSubstr("3 stages: 4 to 4 are possible"));
  EXPECT_THAT(why(qwen(4096, 12288), "stages=0x4,row_stages=1,ping_pong=2"), HasSubstr("8 are needed"));
}

// Of a graph types have as many tiles with both terms as edges, and share nothing.
TEST(StagedChained, GraphsHaveKernelsToo) {
  const TwoLayers complete("Q(8)", 1024, 3072, 1024), path("path(8)", 1024, 3072, 1024);
  EXPECT_EQ(whyNotChained(path.problem(), "sm_90a"), "");
  for (const StagedChainedSchedule &candidate : considerStagedChained(path.problem()))
    EXPECT_EQ(candidate.types * candidate.cluster_types, 1) << toString(candidate);
  for (const char *shared : {"types=2", "cluster_types=2"})
    EXPECT_THAT(
        reasonOf(refusal(path.problem(), parseStagedChained(fmt::format("hidden=32,stages=0x3,{}", shared)))),
        HasSubstr("only types of a complete graph share blocks"));
  const StagedChainedSchedule schedule =
      parseStagedChained("rows=64,hidden=32,depth=64,stages=4x2,stationary=8");
  // With padding: what the kernel multiplies, whatever the layers have to.
  const auto products = [&](const TwoLayers &layers) {
    const Cost cost = StagedChainedCosts(layers.problem(), 2048, h200_machine)(schedule);
    return cost["products"] + cost["padding"];
  };
  // 8 groups of its own and 56 edges, and 7 of these: an own hidden group has one term, the others have two.
  EXPECT_NEAR(products(path) / products(complete), (8 * 2 + 8 + 7 * 6) / (8 * 2 + 8 + 56 * 6.0), 1e-9);
}

TEST(StagedChained, IsWithinReachOfTheFloorForThePublishedNetworks) {
  // in, hidden, and how far the prediction may be above the floor for 2048 rows.
  const std::tuple<int64_t, int64_t, double> published[] = {
      {2048, 6144, 1.35}, {2560, 9728, 1.35}, {4096, 12288, 1.35}, {2048, 768, 1.6}, {7168, 2048, 1.4}};
  for (const auto &[in, hidden, most] : published) {
    SCOPED_TRACE(hidden);
    const TwoLayers layers = qwen(in, hidden);
    const LayersPrediction made = predictLayers(layers.first, layers.last, "sm_90a", 2048, DataType::BF16);
    EXPECT_GT(made.predicted_us, made.floor_us);
    EXPECT_LT(made.predicted_us, most * made.floor_us);
    EXPECT_EQ(reasonOf(refusal(layers.problem(), parseStagedChained(made.schedule))), "");
  }
}

TEST(StagedChained, ChoosesTheCheapestOfAllCandidates) {
  const TwoLayers layers = qwen(2048, 6144);
  for (const int64_t m : {1, 40, 512, 8192}) {
    const StagedChainedCosts costs(layers.problem(), m, h200_machine);
    const auto best = cheapestOfLayers(layers.problem(), "sm_90a", {m});
    ASSERT_TRUE(best);
    for (const StagedChainedSchedule &candidate : considerStagedChained(layers.problem(), m))
      ASSERT_LE(best->cost.total(), costs(candidate).total());
    EXPECT_GE(best->cost.total(), costs.floor().longest());
  }
}

} // namespace
