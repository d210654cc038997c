// Schedules of GPU kernels of two layers for few rows: what they fit into, and what their cost counts, beside
// a walk over everything that blocks read.
#include "compiler/schedule/chained_reduction.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "tests/schedule/layers.h"

#include "algebras/error.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

namespace {

using namespace compiler;
using algebras::DataType;
using testing::HasSubstr;

TEST(ChainedReduction, ComesBackFromText) {
  for (const char *text : {"reduce=16,rows=4,hidden=64,columns=64,vector=8,cluster=4",
                           "reduce=32,rows=1,hidden=8,columns=16,vector=4"}) {
    EXPECT_EQ(toString(parseChainedReduction(text)), text);
    EXPECT_TRUE(isChainedReduction(text));
    EXPECT_FALSE(isReduction(text));
    EXPECT_FALSE(isStagedChained(text));
  }
  EXPECT_EQ(parseChainedReduction("reduce=32"), ChainedReductionSchedule{});
  EXPECT_THROW(parseChainedReduction("reduce=32,depth=64"), algebras::InputError);
  EXPECT_THROW(parseChainedReduction("cluster=two"), algebras::InputError);
}

TEST(ChainedReduction, SaysWhyAScheduleIsIllegal) {
  const TwoLayers layers("Q(32)", 2048, 6144, 2048);
  const auto why = [&](const std::string &text, const char *target = "sm_90a") {
    return reasonOf(refusal(layers.problem(), parseChainedReduction(text), target));
  };
  EXPECT_EQ(why("reduce=16,rows=4,hidden=64,columns=64,cluster=3"), "");
  EXPECT_EQ(why("reduce=16,rows=4,hidden=64,columns=64", "sm_80"), "");
  EXPECT_THAT(why("cluster=2", "sm_80"),
              HasSubstr("a cluster of 2 blocks, and devices of sm_80 launch none"));
  EXPECT_THAT(why("cluster=9"), HasSubstr("a cluster of 9 blocks: 1 to 8 run together"));
  EXPECT_THAT(why("rows=17"), HasSubstr("of the first layer: a block takes 1 to 16 rows"));
  EXPECT_THAT(why("hidden=48"), HasSubstr("of the first layer: the columns of a block"));
  EXPECT_THAT(why("hidden=4,vector=4"), HasSubstr("4 hidden columns at a time: 8 or several times as many"));
  EXPECT_THAT(why("columns=48"), HasSubstr("slices of 48 columns"));
  EXPECT_THAT(why("columns=4"), HasSubstr("of the second layer: "));
  EXPECT_THAT(why("vector=3"), HasSubstr("reads 1, 2, 4 or 8 elements"));
  EXPECT_THAT(why("reduce=128,hidden=64,rows=8"), HasSubstr("registers for the sums of 8 rows"));
  EXPECT_THAT(reasonOf(refusal(TwoLayers("T(64)", 64 * 64, 64 * 1024, 64 * 64).problem(),
                               parseChainedReduction("reduce=32,rows=2,hidden=64"), "sm_90a")),
              HasSubstr("sums and hidden groups take"));
}

// Shared memory has to be enough for the type and the group with the most terms, of large algebras, too.
TEST(ChainedReduction, CountsTheMostTermsExactly) {
  EXPECT_EQ(TwoLayers("Q(32)", 64, 64, 64).problem().most_terms, 2);
  EXPECT_EQ(TwoLayers("Q(1)", 64, 64, 64).problem().most_terms, 1);
  EXPECT_EQ(TwoLayers("T(92)", 920, 920, 920).problem().most_terms, 92);
  EXPECT_EQ(TwoLayers("Q(2)^3", 64, 64, 64).problem().most_terms, 8);
  std::string middle = "poset(92; ";
  for (int between = 1; between < 91; ++between)
    middle += fmt::format("{}0->{}, {}->91", between > 1 ? ", " : "", between, between);
  EXPECT_EQ(TwoLayers(middle + ")", 736, 736, 736).problem().most_terms, 92);
}

TEST(ChainedReduction, SaysWhyLayersHaveNoKernel) {
  const auto why = [](const TwoLayers &layers) { return whyNoChainedReduction(layers.problem(), "sm_90a"); };
  for (const char *algebra : {"Q(32)", "T(4)", "Q(2)^3", "Q(1)"})
    EXPECT_EQ(why({algebra, 2048, 6144, 2048}), "") << algebra;
  TwoLayers changed("Q(4)", 64, 64, 64);
  changed.last.fused.weights = 2;
  EXPECT_THAT(why(changed), HasSubstr("computes one product and writes one result"));
  changed = TwoLayers("Q(4)", 64, 64, 64);
  changed.first.fused.element_operands = 1;
  EXPECT_THAT(why(changed), HasSubstr("maps between the layers read no elements"));
  changed = TwoLayers("Q(4)", 64, 64, 64);
  changed.first.dtype = DataType::F32;
  EXPECT_THAT(why(changed), HasSubstr("computes on bf16"));
  changed = TwoLayers("Q(4)", 64, 64, 64);
  changed.first.row_types = changed.last.row_types = algebras::RowTypes::explicitTypes(4);
  EXPECT_THAT(why(changed), HasSubstr("they are explicit"));
  changed = TwoLayers("Q(4)", 64, 64, 64);
  changed.last.lift = projection("T(4)", 64, 64).lift;
  EXPECT_THAT(why(changed), HasSubstr("have the same terms"));
  changed = TwoLayers("Q(4)", 64, 64, 64);
  changed.first.in = algebras::Groups::explicitWidths({8, 8, 8, 40});
  EXPECT_THAT(why(changed), HasSubstr("groups of one width"));
}

/// What the blocks of weight matrices are read for rows of these types, group by group as the kernel goes
/// through them: block after block, the least that a row's next term names.
struct BlockWalk {
  double first = 0, last = 0, terms = 0;

  BlockWalk(const TwoLayers &layers, const std::vector<int64_t> &types, int64_t group) {
    const auto ordered = [&](int64_t type, int64_t of_group) {
      std::vector<std::tuple<int64_t, int64_t, int64_t>> named;
      for (const auto &term : layers.last.lift.terms(type, of_group))
        named.emplace_back(term.input_group, of_group, term.weight_row);
      if (layers.last.lift.completeGraph() && named.size() == 2 && std::get<2>(named[0]) != of_group)
        std::swap(named[0], named[1]);
      return named;
    };
    using Lists = std::vector<std::vector<std::tuple<int64_t, int64_t, int64_t>>>;
    const auto reads = [&](const Lists &lists) {
      std::vector<size_t> next(lists.size());
      double count = 0;
      for (;;) {
        std::set<std::tuple<int64_t, int64_t, int64_t>> heads;
        for (size_t row = 0; row < lists.size(); ++row)
          if (next[row] < lists[row].size())
            heads.insert(lists[row][next[row]]);
        if (heads.empty())
          return count;
        size_t readers = 0;
        for (size_t row = 0; row < lists.size(); ++row)
          if (next[row] < lists[row].size() && lists[row][next[row]] == *heads.begin()) {
            ++readers;
            ++next[row];
          }
        count += readers == lists.size() ? 1 : static_cast<double>(readers);
      }
    };
    Lists of_last;
    size_t most = 0;
    for (const int64_t type : types) {
      of_last.push_back(ordered(type, group));
      most = std::max(most, of_last.back().size());
    }
    last = reads(of_last);
    terms = static_cast<double>(most);
    for (size_t ordinal = 0; ordinal < most; ++ordinal) {
      Lists of_first;
      for (size_t row = 0; row < types.size(); ++row)
        of_first.push_back(ordinal < of_last[row].size()
                               ? ordered(types[row], std::get<0>(of_last[row][ordinal]))
                               : std::vector<std::tuple<int64_t, int64_t, int64_t>>());
      first += reads(of_first);
    }
  }
};

// Every block is counted as the walk reads it: of complete graphs, and where terms come from a table.
TEST(ChainedReduction, CountsTheBlocksThatAWalkReads) {
  for (const char *algebra : {"Q(2)", "Q(3)", "Q(8)", "T(4)", "Q(2)^2", "Q(1)"})
    for (const int64_t rows : {1, 2, 4}) {
      SCOPED_TRACE(std::string(algebra) + ", rows " + std::to_string(rows));
      const TwoLayers layers(algebra, 768, 768, 768);
      const algebras::Lift &lift = layers.last.lift;
      double first = 0, last = 0, terms = 0, count = 0;
      for (int64_t type = 0; type < lift.types(); ++type)
        for (int64_t group = 0; group < lift.outputGroups(); ++group, ++count) {
          std::vector<int64_t> types;
          for (int64_t row = 0; row < rows; ++row)
            types.push_back((type + row) % lift.types());
          const BlockWalk walk(layers, types, group);
          first += walk.first;
          last += walk.last;
          terms += walk.terms;
        }
      const ReadBlocks found = readBlocks(layers.problem(), rows);
      EXPECT_NEAR(found.first, first / count, 1e-9);
      EXPECT_NEAR(found.last, last / count, 1e-9);
      EXPECT_NEAR(found.terms, terms / count, 1e-9);
    }
}

// Memory: X, Y and every block of a weight matrix that some row names, once.
TEST(ChainedReduction, CountsTheBytesOfTheBlocksThatRowsName) {
  const TwoLayers layers("Q(8)", 256, 512, 256);
  for (const int64_t m : {1, 3, 8, 40}) {
    std::set<std::pair<int64_t, int64_t>> first, last;
    for (int64_t row = 0; row < m; ++row)
      for (int64_t group = 0; group < 8; ++group)
        for (const auto &term : layers.last.lift.terms(row % 8, group)) {
          last.emplace(term.weight_row, group);
          first.emplace(term.weight_row, group);
        }
    const double block = 32 * 64 * 2;
    const double bytes = static_cast<double>(m) * (256 + 256) * 2 +
                         block * (2 * static_cast<double>(first.size()) + static_cast<double>(last.size()));
    ChainedReductionCosts costs(layers.problem(), m, h200_machine);
    const Cost cost = costs(*std::get_if<ChainedReductionSchedule>(
        &cheapestOfLayers(layers.problem(), "sm_90a", {m, /*placed=*/true})->schedule));
    EXPECT_NEAR(cost["memory"], bytes / h200_machine.memory_bytes_per_us, 1e-9) << m;
    EXPECT_NEAR(costs.floor().memory, cost["memory"], 1e-9);
  }
}

// The published networks, where a launch and the bytes are what there is to wait for: and waits one after
// another, where there are few bytes.
TEST(ChainedReduction, IsWithinReachOfTheFloorForThePublishedNetworks) {
  for (const auto &[in, hidden] :
       {std::pair<int64_t, int64_t>{2048, 6144}, {2560, 9728}, {4096, 12288}, {7168, 2048}})
    for (const int64_t m : {1, 2, 4, 8, 16, 32, 64}) {
      SCOPED_TRACE(std::to_string(hidden) + ", m " + std::to_string(m));
      const TwoLayers layers("Q(32)", in, hidden, in);
      const LayersPrediction made = predictLayers(layers.first, layers.last, "sm_90a", m, DataType::BF16);
      constexpr double waits_us = 1;
      EXPECT_LT(made.predicted_us, 2 * (made.floor_us + h200_machine.launch_us + waits_us));
    }
}

TEST(ChainedReduction, IsChosenWhereItIsTheCheapest) {
  const TwoLayers layers("Q(32)", 2048, 6144, 2048);
  const auto chosen = [&](RowsOfCall rows) {
    return toString(cheapestOfLayers(layers.problem(), "sm_90a", rows)->schedule);
  };
  EXPECT_TRUE(isChainedReduction(chosen({1})));
  EXPECT_TRUE(isStagedChained(chosen({2048})));
  EXPECT_TRUE(isChainedReduction(chosen({200, /*placed=*/true})));
  // Devices without clusters have kernels of one block for each part.
  const auto on_ampere = cheapestOfLayers(layers.problem(), "sm_80", {1});
  ASSERT_TRUE(on_ampere);
  EXPECT_EQ(std::get<ChainedReductionSchedule>(on_ampere->schedule).cluster, 1);
  EXPECT_FALSE(cheapestOfLayers(layers.problem(), "sm_80", {2048}));
  EXPECT_THAT(whyNoKernelOfLayers(layers.problem(), "sm_80", {2048}), HasSubstr("compute one"));
  const double least = cheapestOfLayers(layers.problem(), "sm_90a", {1})->cost.total();
  ChainedReductionCosts costs(layers.problem(), 1, h200_machine);
  for (const ChainedReductionSchedule &candidate : considerChainedReductions(layers.problem(), "sm_90a"))
    ASSERT_GE(costs(candidate).total(), least);
}

} // namespace
