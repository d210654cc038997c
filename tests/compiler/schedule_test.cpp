// Schedules: what is considered, and what is chosen.
#include "compiler/schedule/cpu_schedule.h"

#include "algebras/constructions.h"
#include "algebras/error.h"
#include "compiler/schedule/cpu_chained_schedule.h"
#include "compiler/schedule/cpu_gradient_schedule.h"
#include "tests/compiler/layers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace {

using namespace compiler;
using compiler_test::LayerCase;
using compiler_test::layerCases;
using compiler_test::makeSpec;

constexpr WeightAccess every_access[] = {WeightAccess::Packed, WeightAccess::Copied, WeightAccess::Direct};

algebras::Layer projection(int64_t q, int64_t in, int64_t out, algebras::DataType dtype) {
  algebras::Layer layer =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(q)), in, out, dtype);
  return layer;
}

int64_t padded(int64_t width, int64_t columns) { return (width + columns - 1) / columns * columns; }

TEST(Candidates, FitTheMachine) {
  for (const char *name : {"x86-64-v3", "x86-64-v4"})
    for (const LayerCase &which : layerCases())
      for (WeightAccess access : every_access) {
        const CpuLevel level = cpuLevel(name);
        const Spec spec = makeSpec(which);
        const std::vector<CpuSchedule> candidates = candidatesOf(considerCpu(*spec.layer, level, access));
        ASSERT_FALSE(candidates.empty()) << which.name;
        for (const CpuSchedule &candidate : candidates) {
          SCOPED_TRACE(testing::Message()
                       << which.name << ' ' << candidate.register_rows << 'x' << candidate.register_columns);
          EXPECT_EQ(candidate.weights, access);
          EXPECT_EQ(candidate.lanes, level.lanes);
          ASSERT_EQ(candidate.register_columns % level.lanes, 0);
          const int64_t vectors = candidate.register_columns / level.lanes;
          // Accumulators, the vectors of the weight matrix and a broadcast element live at the same time.
          EXPECT_LE(candidate.register_rows * vectors + vectors + 1, level.registers);
          EXPECT_GE(vectors, 1);
          ASSERT_GE(candidate.register_rows, 1);
          EXPECT_EQ(candidate.rows % candidate.register_rows, 0);
          EXPECT_GE(candidate.rows, candidate.register_rows);
          EXPECT_GE(candidate.types, 1);
          EXPECT_LE(candidate.types, spec.layer->lift.types());
          EXPECT_FALSE(candidate.pairs) << "neither level has a dot product of pairs";
        }
      }
}

TEST(Candidates, HoldNoMoreThanTheCache) {
  const CpuLevel level = cpuLevel("x86-64-v4");
  const algebras::Layer layer = projection(32, 2048, 6144, algebras::DataType::F32);
  for (const CpuSchedule &candidate : candidatesOf(considerCpu(layer, level, WeightAccess::Packed)))
    if (candidate.rows > candidate.register_rows)
      EXPECT_LE(candidate.types * candidate.rows * layer.in.total() * 4, level.l2);
}

TEST(Choice, IsTheCheapestCandidate) {
  for (const char *name : {"x86-64-v3", "x86-64-v4"})
    for (const LayerCase &which : layerCases())
      for (WeightAccess access : every_access)
        for (int64_t m : {1, 33, 2048}) {
          SCOPED_TRACE(testing::Message() << which.name << " on " << name << " for " << m);
          const CpuLevel level = cpuLevel(name);
          const Spec spec = makeSpec(which);
          const CpuSchedule chosen = chooseCpuSchedule(*spec.layer, level, access, m);
          const double cost = cpuCost(*spec.layer, chosen, m).total();
          EXPECT_GT(cost, 0);
          for (const CpuSchedule &candidate : candidatesOf(considerCpu(*spec.layer, level, access)))
            EXPECT_LE(cost, cpuCost(*spec.layer, candidate, m).total());
        }
}

// Padding is multiplied like anything else: where a panel would be mostly padding, another one is taken.
TEST(Choice, AvoidsPadding) {
  for (const char *name : {"x86-64-v3", "x86-64-v4"})
    for (int64_t width : {20, 33, 40, 65, 72, 100, 200}) {
      SCOPED_TRACE(testing::Message() << "groups of " << width << " on " << name);
      const CpuLevel level = cpuLevel(name);
      const algebras::Layer layer = projection(16, 16 * 64, 16 * width, algebras::DataType::F32);
      int64_t least = padded(width, level.lanes), most = least;
      for (const CpuSchedule &candidate : candidatesOf(considerCpu(layer, level, WeightAccess::Packed)))
        most = std::max(most, padded(width, candidate.register_columns));
      const CpuSchedule chosen = chooseCpuSchedule(layer, level, WeightAccess::Packed, 2048);
      const int64_t have = padded(width, chosen.register_columns);
      if (4 * most > 5 * least) // the worst panel multiplies a quarter more than the best
        EXPECT_LT(have, most);
    }
}

// Rows are padded as well: tiles that leave most of themselves empty are not taken where a type has few rows.
TEST(Choice, FollowsTheNumberOfRows) {
  const CpuLevel level = cpuLevel("x86-64-v4");
  const algebras::Layer layer = projection(32, 2048, 6144, algebras::DataType::F32);
  const CpuSchedule few = chooseCpuSchedule(layer, level, WeightAccess::Direct, 4 * 32);
  EXPECT_LE(padded(4, few.register_rows), 8) << "a type has 4 rows";
  const CpuSchedule many = chooseCpuSchedule(layer, level, WeightAccess::Copied, 4096);
  EXPECT_GE(many.rows, 32) << "each block of rows copies the weight matrix anew";
}

// Tasks of two layers copy their rows of X once and read a group of them at a time: all rows of a type where
// the second-level cache holds them, fewer where it does not.
TEST(Choice, RowsOfTwoLayersFitTheSecondLevelCache) {
  const CpuLevel level = cpuLevel("x86-64-v4");
  const auto chosen = [&](int64_t in, int64_t hidden) {
    algebras::Layer first = projection(32, in, hidden, algebras::DataType::F32),
                    last = projection(32, hidden, in, algebras::DataType::F32);
    first.fused.weights = 2;
    const ChainedSchedule schedule = chooseChainedSchedule(first, last, level, WeightAccess::Packed, 2048);
    EXPECT_EQ(schedule.first.rows, schedule.last.rows);
    return std::pair{schedule, chainedCost(first, last, level, schedule, 2048)};
  };
  EXPECT_GE(chosen(2048, 768).first.first.rows, 64);
  const auto [wide, of_wide] = chosen(7168, 2048);
  EXPECT_LE(wide.first.rows * 7168 * 4, level.l2);

  ChainedSchedule taller = wide;
  taller.first.rows = taller.last.rows = 2 * wide.first.rows;
  algebras::Layer first = projection(32, 7168, 2048, algebras::DataType::F32),
                  last = projection(32, 2048, 7168, algebras::DataType::F32);
  first.fused.weights = 2;
  const Cost of_taller = chainedCost(first, last, level, taller, 2048);
  EXPECT_GT(of_taller["rows"], of_wide["rows"]);
  EXPECT_LT(of_taller["weights"], of_wide["weights"]);
}

TEST(Pairs, NeedHalvesSignsAndTheInstruction) {
  CpuLevel level = cpuLevel("x86-64-v4");
  auto layer = [](const char *name) { return *makeSpec(compiler_test::layerCase(name)).layer; };
  EXPECT_FALSE(usesPairs(layer("CompleteEvenHalf"), level));
  level.bf16_dot = true;
  EXPECT_TRUE(usesPairs(layer("CompleteEvenHalf"), level));
  EXPECT_TRUE(usesPairs(layer("QuaternionsHalf"), level));
  EXPECT_FALSE(usesPairs(layer("CompleteEven"), level)) << "f32";
  EXPECT_FALSE(usesPairs(layer("CliffordRationalHalf"), level))
      << "general coefficients would have to be rounded";
}

TEST(Amx, NeedsHalvesOnesAndTheUnit) {
  CpuLevel level = cpuLevel("sapphirerapids");
  auto layer = [](const char *name) { return *makeSpec(compiler_test::layerCase(name)).layer; };
  EXPECT_TRUE(usesAmx(layer("CompleteEvenHalf"), level));
  EXPECT_FALSE(usesAmx(layer("QuaternionsHalf"), level)) << "signs";
  EXPECT_FALSE(usesAmx(layer("CompleteEven"), level)) << "f32";
  level.amx = false;
  EXPECT_FALSE(usesAmx(layer("CompleteEvenHalf"), level));
}

TEST(Amx, HasFourSquaresOfSums) {
  const CpuLevel level = cpuLevel("sapphirerapids");
  const algebras::Layer layer = projection(32, 2048, 6144, algebras::DataType::BF16);
  for (WeightAccess access : every_access) {
    int64_t candidates = 0;
    for (const CpuSchedule &candidate : candidatesOf(considerCpu(layer, level, access)))
      if (candidate.unit == MultiplyUnit::Amx) {
        ++candidates;
        EXPECT_TRUE(candidate.pairs);
        EXPECT_EQ(candidate.register_rows % 16, 0);
        EXPECT_EQ(candidate.register_columns % 16, 0);
        const int64_t squares = candidate.register_rows / 16 * (candidate.register_columns / 16);
        EXPECT_LE(squares, 4);
        EXPECT_EQ(productsTogether(candidate, 2), squares <= 2 ? 2 : 1);
        EXPECT_EQ(productsTogether(candidate, 1), 1);
        EXPECT_EQ(candidate.depth(), 32);
      }
    EXPECT_EQ(candidates > 0, access != WeightAccess::Direct) << "weights in place are no panels";
  }
  const CpuSchedule chosen = chooseCpuSchedule(layer, level, WeightAccess::Packed, 2048);
  EXPECT_EQ(chosen.unit, MultiplyUnit::Amx);
  EXPECT_EQ(chosen.register_rows, 64) << "each panel is loaded once for all rows of a type";
  // Copied panels have whole lines of the weight matrix's rows, though each is loaded for every 16 rows.
  EXPECT_EQ(chooseCpuSchedule(layer, level, WeightAccess::Copied, 2048).register_columns, 64);
  // Of several results a store has whole lines: halves would come back from afar.
  algebras::Layer of_several = layer;
  of_several.fused.results = 3;
  of_several.fused.element_operands = 1;
  EXPECT_EQ(chooseCpuSchedule(of_several, level, WeightAccess::Packed, 2048).register_columns, 32);
  CpuSchedule vectors = chosen;
  vectors.unit = MultiplyUnit::Vectors;
  vectors.register_rows = 12;
  vectors.rows = 60;
  vectors.register_columns = 32;
  EXPECT_LT(4 * cpuCost(layer, chosen, 2048)["multiply"], cpuCost(layer, vectors, 2048)["multiply"]);
}

// Groups that fill squares of the unit are for it, of both signs; narrow ones for vectors of pairs.
TEST(Amx, MultipliesInTheWeightsGradient) {
  CpuLevel level = cpuLevel("sapphirerapids");
  algebras::Layer layer = projection(32, 2048, 6144, algebras::DataType::BF16);
  const auto units = [&](const algebras::Layer &of) {
    std::vector<CpuGradientSchedule> tiles = candidatesOf(considerCpuGradient(of, level));
    EXPECT_FALSE(tiles.empty());
    std::set<MultiplyUnit> found;
    for (const CpuGradientSchedule &tile : tiles) {
      found.insert(tile.unit);
      EXPECT_TRUE(tile.pairs);
      if (tile.unit != MultiplyUnit::Amx)
        continue;
      EXPECT_EQ(tile.rows % tile.depth(), 0);
      EXPECT_EQ(tile.depth(), 32);
      EXPECT_EQ(tile.register_features % 16, 0);
      EXPECT_EQ(tile.register_columns % 16, 0);
      EXPECT_LE(tile.register_features / 16 * (tile.register_columns / 16), 4);
    }
    return found;
  };
  EXPECT_EQ(units(layer), std::set{MultiplyUnit::Amx});
  EXPECT_TRUE(units(*makeSpec(compiler_test::layerCase("QuaternionsHalf")).layer).contains(MultiplyUnit::Amx))
      << "signs";
  EXPECT_TRUE(units(projection(32, 32, 64, algebras::DataType::BF16)).contains(MultiplyUnit::Vectors));
  const CpuGradientSchedule chosen = chooseCpuGradientSchedule(layer, level, 2048);
  EXPECT_EQ(chosen.features, 64);
  EXPECT_EQ(chosen.columns, 192) << "rows of X are transposed once for a block";
  level.amx = false;
  EXPECT_EQ(units(layer), std::set{MultiplyUnit::Vectors});
}

// What the layer's products do its weight matrix's gradient does, too, and the ranking knows what it is
// worth.
TEST(Pairs, OfRowsInTheWeightsGradient) {
  CpuLevel level = cpuLevel("x86-64-v4");
  level.bf16_dot = true;
  for (const char *name : {"CompleteEvenHalf", "QuaternionsHalf", "CompleteEven", "CliffordRationalHalf"}) {
    SCOPED_TRACE(name);
    const algebras::Layer layer = *makeSpec(compiler_test::layerCase(name)).layer;
    const std::vector<CpuGradientSchedule> candidates = candidatesOf(considerCpuGradient(layer, level));
    ASSERT_FALSE(candidates.empty());
    for (const CpuGradientSchedule &candidate : candidates) {
      EXPECT_EQ(candidate.pairs, usesPairs(layer, level));
      EXPECT_EQ(candidate.rows % 2, 0);
      if (!candidate.pairs)
        continue;
      CpuGradientSchedule single = candidate;
      single.pairs = false;
      const Cost pairs = cpuGradientCost(layer, candidate, 2048),
                 widened = cpuGradientCost(layer, single, 2048);
      EXPECT_LT(pairs["bring"], widened["bring"]);
      EXPECT_LT(pairs["multiply"], widened["multiply"]);
      EXPECT_EQ(pairs["store"], widened["store"]);
    }
  }
}

TEST(Levels, AreNamed) {
  for (const std::string &name : {"x86-64-v3", "x86-64-v4", "sapphirerapids"})
    EXPECT_EQ(cpuLevel(name).name, name);
  EXPECT_THROW(cpuLevel("x86-64-v2"), algebras::InputError);
  EXPECT_THROW(cpuLevel(""), algebras::InputError);
}

} // namespace
