// Kernels whose rows are divided among experts on the model: every row has, bit for bit, the result that it
// has in a launch of its expert's network alone, by the kernel of one network of the same schedule.
#include "algebras/expression.h"
#include "compiler/bundle/layer_description.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/simulator/simulate.h"
#include "runtime/bundle/fusion.h"
#include "runtime/numeric/bfloat16.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using Values = std::vector<float>;

struct Case {
  const char *name;
  std::string algebra;
  int64_t in, hidden, out;
  std::string schedule = {}; // of the first step; empty: chosen by cost
  compiler::Fusing fusing = compiler::Fusing::Layers;
  bool bias = true;
  compiler::Target target = compiler::Target::Sm90a;
  int64_t interval = 0; // 0: cyclic row types
  bool slots = false;   // the slot lift
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

compiler::Spec network(const Case &which) {
  const algebras::Algebra algebra = algebras::parseExpression(which.algebra);
  const algebras::Lift lift = which.slots ? algebras::Lift::slots(algebra) : algebras::Lift::rows(algebra);
  const auto equal = [&](int64_t count, int64_t total) {
    return algebras::Groups::equal(count, total / count);
  };
  compiler::Spec spec;
  spec.source_name = "experts";
  spec.program = compiler::Swiglu{
      .lift = lift,
      .in = equal(lift.inputGroups(), which.in),
      .hidden = equal(lift.outputGroups(), which.hidden),
      .out = equal(lift.outputGroups(), which.out),
      .row_types = which.interval > 0 ? algebras::RowTypes::interval(lift.types(), which.interval)
                                      : algebras::RowTypes::cyclic(lift.types()),
      .bias = which.bias};
  return spec;
}

/// What the first step of the network reads, of so many experts, and its kernels.
class Step {
public:
  Step(const Case &which, int64_t m, int64_t experts, uint64_t seed)
      : experts_(experts), source_(sourceOf(which)),
        layer_(compiler::runtimeLayer(source_.layer, source_.fusion)),
        support_(compiler::runtimeSupport(source_.layer)), random_(seed) {
    x_ = draw(m * layer_.k);
    for (int64_t number = 0; number < (layer_.fusion ? layer_.fusion->allWeights() : 1); ++number) {
      const algrt::Layer own = layer_.fusion ? algrt::layerOfWeight(layer_, number) : layer_;
      weights_.push_back(draw(experts * own.k * own.weightColumns()));
    }
    if (layer_.fusion)
      for (const algrt::FusedOperand &operand : layer_.fusion->operands) {
        EXPECT_EQ(operand.per, algrt::FusedOperand::Per::Column);
        const bool hidden = layer_.fusion->next && operand.layer == 0;
        columns_[operand.name] = draw(experts * (hidden ? layer_.n : layer_.outputColumns()));
      }
  }

  compiler::SimulatedKernel kernel(const Case &which, int64_t m, int64_t experts,
                                   const std::string &schedule) {
    compiler::CompileOptions options = optionsFor(which);
    options.rows = m;
    options.experts = experts;
    options.schedule = schedule;
    options.output = source_.results.front();
    return compiler::SimulatedKernel::parse(compiler::gpuProgram(source_, which.target, options).nvvm,
                                            which.name);
  }

  /// Rows from `first` on, by the weights of an expert, or all rows of all experts.
  Values run(const compiler::SimulatedKernel &kernel, const std::vector<int32_t> &starts,
             const std::vector<int64_t> &positions, uint64_t seed, int64_t first, int64_t rows,
             std::optional<int64_t> expert) {
    compiler::ProductOperands product;
    product.layer = &layer_;
    product.support = &support_;
    product.m = rows;
    product.p0 = first + 3;
    product.x =
        std::span(x_).subspan(static_cast<size_t>(first * layer_.k), static_cast<size_t>(rows * layer_.k));
    if (!positions.empty()) {
      product.positions = std::span(positions).subspan(static_cast<size_t>(first), static_cast<size_t>(rows));
      product.p0 = 0;
    }
    setWeights(product, expert);
    if (!expert)
      product.expert_starts = starts;
    const compiler::Simulation simulation = launch(kernel, product, seed);
    // Rows that are nobody's are not written.
    if (const int64_t owned = expert ? rows : starts.back() - starts.front();
        std::ranges::is_sorted(starts) && owned <= rows)
      EXPECT_EQ(simulation.unwritten, (rows - owned) * width());
    return simulation.y;
  }

  /// The rows of a list, of all experts; or the same rows one after another without the list.
  Values runList(const compiler::SimulatedKernel &kernel, const std::vector<int32_t> &starts,
                 const std::vector<int32_t> &list, const std::vector<int64_t> &positions, uint64_t seed,
                 bool by_list, bool x_by_list) {
    const auto rows = static_cast<int64_t>(x_.size()) / layer_.k;
    Values gathered;
    std::vector<int64_t> positions_of_entries;
    for (const int32_t entry : list) {
      const int64_t row = std::clamp<int64_t>(entry, 0, rows - 1);
      gathered.insert(gathered.end(), x_.begin() + row * layer_.k, x_.begin() + (row + 1) * layer_.k);
      positions_of_entries.push_back(positions.empty() ? 3 + row : positions[static_cast<size_t>(row)]);
    }
    compiler::ProductOperands product;
    product.layer = &layer_;
    product.support = &support_;
    product.m = static_cast<int64_t>(list.size());
    product.expert_starts = starts;
    product.x = by_list && x_by_list ? std::span<const float>(x_) : gathered;
    product.positions = by_list ? positions : positions_of_entries;
    if (product.positions.empty())
      product.p0 = 3;
    if (by_list) {
      product.expert_rows = list;
      product.batch_rows = rows;
      product.x_by_list = x_by_list;
    }
    setWeights(product, std::nullopt);
    return launch(kernel, product, seed).y;
  }

  int64_t width() const { return layer_.fusion ? layer_.outputColumns() : layer_.n; }

private:
  static compiler::CompileOptions optionsFor(const Case &which) {
    compiler::CompileOptions options;
    options.targets = {which.target};
    options.fusing = which.fusing;
    options.schedule = which.schedule;
    return options;
  }
  static compiler::KernelSource sourceOf(const Case &which) {
    compiler::CompileOptions options = optionsFor(which);
    options.rows = 32;
    options.experts = 4;
    const compiler::ProgramPlan plan = compiler::planProgram(network(which), options);
    return plan.kernels[plan.programs.front().steps.front().projection];
  }
  /// Of one expert, or of all.
  void setWeights(compiler::ProductOperands &product, std::optional<int64_t> expert) const {
    const auto part = [&](const Values &values) {
      const size_t own = values.size() / static_cast<size_t>(experts_);
      return expert ? std::span(values).subspan(static_cast<size_t>(*expert) * own, own) : std::span(values);
    };
    product.w = part(weights_.front());
    for (size_t number = 1; number < weights_.size(); ++number)
      product.further[algrt::numberedName("w", static_cast<int64_t>(number))] = part(weights_[number]);
    for (const auto &[name, values] : columns_)
      product.further[name] = part(values);
  }
  static compiler::Simulation launch(const compiler::SimulatedKernel &kernel,
                                     const compiler::ProductOperands &product, uint64_t seed) {
    compiler::SimulationSettings settings;
    settings.seed = seed;
    settings.blocks = 8 + static_cast<int32_t>(seed % 3) * 8;
    settings.x_padding = static_cast<int64_t>(seed % 2);
    settings.w_padding = static_cast<int64_t>(seed / 2 % 2);
    settings.y_padding = static_cast<int64_t>(seed % 3);
    compiler::Simulation simulation = kernel.run(product, settings);
    for (const simulator::Fault &fault : simulation.report.faults)
      ADD_FAILURE() << kernel.explain(fault);
    return simulation;
  }
  Values draw(int64_t count) {
    std::normal_distribution<float> normal(0, 0.4F);
    Values values(static_cast<size_t>(count));
    for (float &value : values)
      value = algrt::roundToBfloat16(normal(random_));
    return values;
  }

  int64_t experts_;
  compiler::KernelSource source_;
  algrt::Layer layer_;
  algrt::Support support_;
  std::mt19937_64 random_;
  Values x_;
  std::vector<Values> weights_;
  std::map<std::string, Values> columns_;
};

/// Experts with few rows and many, and with none: also the first, the last and some behind each other.
std::vector<int32_t> drawnStarts(int64_t m, int64_t experts, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> starts;
  for (int64_t i = 0; i <= experts; ++i)
    starts.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(m + 1)));
  std::ranges::sort(starts);
  if (seed % 2 == 0) {
    starts.front() = 0;
    starts.back() = static_cast<int32_t>(m);
  }
  return starts;
}

class ExpertKernel : public testing::TestWithParam<Case> {};
/// Kernels of one layer that find rows in lists, here those by the definition.
class ListedExpertKernel : public testing::TestWithParam<Case> {};

void expectBitsOfExpertsAlone(const Case &which, bool reads_positions) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int64_t m = seed == 5 ? 1 : 9 + static_cast<int64_t>(seed) * 4,
                  experts = seed == 6 ? 1 : 2 + static_cast<int64_t>(seed);
    Step step(which, m, experts, seed);
    const compiler::SimulatedKernel divided = step.kernel(which, m, experts, which.schedule);
    ASSERT_TRUE(divided.description().takesExperts());
    const compiler::SimulatedKernel alone = step.kernel(which, m, 0, divided.description().schedule);
    ASSERT_FALSE(alone.description().takesExperts());
    std::vector<int64_t> positions;
    if (seed % 3 == 0 && reads_positions)
      for (int64_t row = 0; row < m; ++row)
        positions.push_back(row * row * 7 % 1000);
    const std::vector<int32_t> starts = drawnStarts(m, experts, seed);
    const Values all = step.run(divided, starts, positions, seed, 0, m, std::nullopt);
    const auto width = static_cast<size_t>(step.width());
    for (int64_t expert = 0; expert < experts; ++expert) {
      const int64_t first = starts[static_cast<size_t>(expert)],
                    rows = starts[static_cast<size_t>(expert) + 1] - first;
      if (rows == 0)
        continue;
      const Values own = step.run(alone, starts, positions, seed + 1, first, rows, expert);
      for (size_t at = 0; at < own.size(); ++at)
        ASSERT_EQ(own[at], all[static_cast<size_t>(first) * width + at])
            << "expert " << expert << ", element " << at;
    }
  }
}

TEST_P(ExpertKernel, HasTheBitsOfItsExpertsAlone) { expectBitsOfExpertsAlone(GetParam(), true); }
TEST_P(ListedExpertKernel, HasTheBitsOfItsExpertsAlone) { expectBitsOfExpertsAlone(GetParam(), false); }

void expectBitsOfRowsInTheOrderOfAList(const Case &which) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const int64_t m = seed == 5 ? 1 : 5 + static_cast<int64_t>(random() % 20),
                  entries = seed == 3 ? 1 : 1 + static_cast<int64_t>(random() % 24),
                  experts = seed == 4 ? 1 : 2 + static_cast<int64_t>(seed);
    Step step(which, m, experts, seed);
    const compiler::SimulatedKernel kernel = step.kernel(which, m, experts, which.schedule);
    std::vector<int64_t> positions;
    if (seed % 3 == 0)
      for (int64_t row = 0; row < m; ++row)
        positions.push_back(row * row * 7 % 1000);
    std::vector<int32_t> list;
    for (int64_t entry = 0; entry < entries; ++entry)
      list.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(m)));
    std::vector<int32_t> starts = drawnStarts(entries, experts, seed);
    starts.front() = 0;
    starts.back() = static_cast<int32_t>(entries);
    const Values ordered = step.runList(kernel, starts, list, positions, seed + 1, false, false);
    EXPECT_EQ(step.runList(kernel, starts, list, positions, seed, true, true), ordered);
    EXPECT_EQ(step.runList(kernel, starts, list, positions, seed, true, false), ordered);
  }
}

// Rows that a list names have the bits that they have one after another, in a batch that is shorter or longer
// than the list, at positions that are counted or given; also where an earlier step has left a row of x for
// each entry.
TEST_P(ExpertKernel, HasTheBitsOfRowsInTheOrderOfAList) { expectBitsOfRowsInTheOrderOfAList(GetParam()); }
TEST_P(ListedExpertKernel, HasTheBitsOfRowsInTheOrderOfAList) {
  expectBitsOfRowsInTheOrderOfAList(GetParam());
}

// Entries that no host has looked at count as the nearest row, so that nothing else is read.
void expectStaysWithinTheBatchWhateverTheList(const Case &which) {
  constexpr int64_t m = 5;
  Step step(which, m, 3, 1);
  const compiler::SimulatedKernel kernel = step.kernel(which, m, 3, which.schedule);
  const std::vector<int32_t> starts = {0, 2, 2, 7}, list = {5,
                                                            -1,
                                                            2,
                                                            std::numeric_limits<int32_t>::min(),
                                                            1 << 30,
                                                            4,
                                                            std::numeric_limits<int32_t>::max()};
  const std::vector<int64_t> positions = {9, 0, 4, 2, 6};
  const Values ordered = step.runList(kernel, starts, list, positions, 2, false, false);
  EXPECT_EQ(step.runList(kernel, starts, list, positions, 3, true, true), ordered);
}

// What no host has looked at: starts that descend, or lie outside of the batch, name no row that is not
// there.
void expectStaysWithinTheBatchWhateverTheStarts(const Case &which) {
  constexpr int64_t m = 13, experts = 4;
  Step step(which, m, experts, 1);
  const compiler::SimulatedKernel kernel = step.kernel(which, m, experts, which.schedule);
  for (const std::vector<int32_t> &starts :
       {std::vector<int32_t>{-7, 5, 5, 9, 40}, {13, 20, 20, 13, 0}, {-9, -3, 0, 100, 100}, {5, 9, 3, 5, 5}})
    step.run(kernel, starts, {}, 3, 0, m, std::nullopt);
}

TEST_P(ExpertKernel, StaysWithinTheBatchWhateverTheList) {
  expectStaysWithinTheBatchWhateverTheList(GetParam());
}
TEST_P(ExpertKernel, StaysWithinTheBatchWhateverTheStarts) {
  expectStaysWithinTheBatchWhateverTheStarts(GetParam());
}
TEST_P(ListedExpertKernel, StaysWithinTheBatchWhateverTheList) {
  expectStaysWithinTheBatchWhateverTheList(GetParam());
}
TEST_P(ListedExpertKernel, StaysWithinTheBatchWhateverTheStarts) {
  expectStaysWithinTheBatchWhateverTheStarts(GetParam());
}

using enum compiler::Fusing;
INSTANTIATE_TEST_SUITE_P(
    Kernels, ExpertKernel,
    testing::Values(
        // Both layers, whose blocks compute a part alone or as a cluster, with rows of one type and of many.
        Case{"Layers", "Q(3)", 48, 96, 48, "reduce=16,rows=2,hidden=16,columns=16,vector=8"},
        Case{"LayersOfClusters", "Q(3)", 48, 96, 48,
             "reduce=16,rows=4,hidden=16,columns=8,vector=8,cluster=2"},
        Case{"LayersOfATable", "T(4)", 64, 64, 64, "reduce=16,rows=4,hidden=16,columns=16,vector=8"},
        Case{"LayersOfOneType", "Q(1)", 32, 48, 32, "reduce=16,rows=4,hidden=16,columns=16,vector=8"},
        Case{"LayersOfSingleElements", "Q(3)", 15, 39, 21, "reduce=16,rows=2,hidden=8,columns=8,vector=1"},
        Case{"LayersOfRuns", "Q(3)", 48, 48, 48, "reduce=16,rows=4,hidden=16,columns=16,vector=8", Layers,
             false, compiler::Target::Sm90a, 4},
        Case{"LayersOnAmpere", "Q(3)", 48, 96, 48, "reduce=16,rows=2,hidden=16,columns=16,vector=8", Layers,
             true, compiler::Target::Sm80},
        // Gate, up and activation.
        Case{"Products", "Q(4)", 64, 96, 64, "", Products},
        Case{"ProductsWithoutBias", "Q(2)^2", 64, 96, 64, "", Products, false},
        Case{"ProductsOfATable", "T(4)", 64, 64, 64, "", Products, true, compiler::Target::Sm80},
        Case{"ProductsOfSlots", "Q(2)", 64, 64, 64, "", Products, true, compiler::Target::Sm90a, 0, true}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

// Every expert has segments of its own, several blocks of rows of some and none of others.
INSTANTIATE_TEST_SUITE_P(
    Kernels, ListedExpertKernel,
    testing::Values(Case{"Products", "Q(4)", 64, 96, 64,
                         "rows=16,columns=16,depth=16,stages=2,warps=1x1,vector=8", Products},
                    Case{"ProductsWithoutBias", "Q(2)^2", 64, 96, 64,
                         "rows=32,columns=16,depth=16,stages=3,warps=2x1,vector=4", Products, false},
                    Case{"ProductsOfATable", "T(4)", 64, 64, 64,
                         "rows=16,columns=16,depth=16,stages=2,warps=1x2,vector=2", Products, true,
                         compiler::Target::Sm80},
                    Case{"ProductsOfRuns", "Q(3)", 48, 48, 48,
                         "rows=16,columns=16,depth=16,stages=2,warps=1x1,vector=1", Products, true,
                         compiler::Target::Sm90a, 4}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

} // namespace
