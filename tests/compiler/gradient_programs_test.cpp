// The gradients of programs on a CPU, whose kernels have several results: what the definition gives, in
// double precision, and to the last bit what steps of one operation each give where both round alike, for
// every number of threads.
#include "algebras/expression.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/schedule/cpu_level.h"
#include "compiler/spec/program_spec.h"
#include "compiler/tools/checked_outputs.h"
#include "compiler/tools/opened_bundle.h"
#include "compiler/tools/program_arrays.h"
#include "tests/compiler/layers.h"
#include "tests/compiler/program/random_program.h"
#include "tests/tools/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {

using algebras::DataType;
using algebras::Groups;
using algebras::Lift;
using algebras::RowTypes;
using compiler::Activation;
using compiler::Fusing;

/// The bytes of each output.
using Results = std::map<std::string, std::vector<std::byte>>;

/// The gradients of a spec's program, and the program that keeps what they take, compiled in one way.
class Gradients {
public:
  Gradients(const compiler::Spec &spec, const std::string &level, Fusing fusing) {
    options_.cpu_levels = {level};
    options_.fusing = fusing;
    options_.rows = 40;
    options_.program_maps = {.forward = false, .backward = true, .keeping = compiler::Keeping::Always};
    plan = compiler::planProgram(spec, options_);
    path_ = folder_.path("program.alg");
    compiler::compileBundle(spec, path_, options_);
    bundle_.emplace(algrt::Bundle::open(path_));
    opened_ = compiler::openBundle(path_);
  }

  const algrt::Bundle &bundle() const { return *bundle_; }
  const std::vector<algrt::Program> &programs() const { return bundle_->manifest().programs; }

  /// The outputs become arrays, too.
  Results run(const algrt::Program &program, compiler::ProgramArrays &arrays, int64_t m, int64_t p0,
              int threads) const {
    std::vector<algrt_named_tensor> tensors;
    for (const algrt::ProgramOperand &operand : program.operands) {
      if (operand.optional)
        continue;
      if (operand.role == algrt::OperandRole::Output) {
        auto &array = arrays[operand.name] = compiler::makeOperand(operand, m);
        std::ranges::fill(array->bytes, std::byte{0xff});
      }
      tensors.push_back({operand.name.c_str(), &arrays.at(operand.name)->tensor, nullptr});
    }
    algrt_run_options options = algrt_run_options_init();
    options.threads = threads;
    options.p0 = p0;
    compiler::requireDone(algrt_run(opened_.get(), program.name.c_str(), tensors.data(),
                                    static_cast<int64_t>(tensors.size()), &options));
    Results results;
    for (const algrt::ProgramOperand &operand : program.operands)
      if (operand.role == algrt::OperandRole::Output)
        results[operand.name] = arrays.at(operand.name)->bytes;
    return results;
  }

  /// The most results that a kernel of this map has.
  size_t mostResults(algrt::Map map) const {
    size_t most = 0;
    for (const compiler::KernelSource &kernel : plan.kernels)
      if (kernel.maps.front() == map)
        most = std::max(most, kernel.fusion ? kernel.fusion->results.size() : size_t{1});
    return most;
  }

  compiler::ProgramPlan plan;

private:
  TemporaryFolder folder_;
  compiler::CompileOptions options_;
  std::string path_;
  std::optional<algrt::Bundle> bundle_;
  compiler::OpenedBundle opened_;
};

void checkGradients(const compiler::Spec &spec, const std::string &level, DataType dtype,
                    const std::function<void(const Gradients &)> &look_at) {
  SCOPED_TRACE(level);
  const Gradients together(spec, level, Fusing::Layers), apart(spec, level, Fusing::Nothing);
  look_at(together);
  ASSERT_EQ(together.programs().size(), 2U);
  for (const algrt::Program &program : together.programs())
    for (const int64_t m : {1, 7, 61}) {
      SCOPED_TRACE(program.name + " of " + std::to_string(m) + " rows");
      const bool explicit_types =
          std::ranges::any_of(program.operands, [](const algrt::ProgramOperand &operand) {
            return !operand.optional && operand.types.front() == algrt::OperandType::I32;
          });
      const int64_t p0 = explicit_types ? 0 : 5; // positions say nothing where types are given
      compiler::ProgramArrays arrays;
      compiler::addRandomOperands(together.bundle(), program, m, /*seed=*/5, arrays);
      const Results results = together.run(program, arrays, m, p0, /*threads=*/1);
      const compiler::ReferenceArrays expected =
          compiler::expectedOutputs(together.bundle(), program, arrays, p0, compiler::programTools());
      const auto check = [&] {
        for (const compiler::CheckedOutput &output : compiler::checkOutputs(
                 together.bundle(), program, arrays, expected, p0, compiler::programTools()))
          EXPECT_TRUE(output.passed())
              << output.name << ": " << output.comparison.relative_l2 << " of " << output.limit;
      };
      check();
      EXPECT_EQ(together.run(program, arrays, m, p0, /*threads=*/2), results);
      const Results of_steps = apart.run(program, arrays, m, p0, /*threads=*/1);
      check();
      // Kernels of few rows read weights as they are, others may have copied them into pairs, whose dot
      // products are rounded otherwise: of how many rows each is depends on what shares the kernel.
      if (dtype == DataType::F32 || !compiler::cpuLevel(level).bf16_dot)
        EXPECT_EQ(of_steps, results);
    }
}

struct Network {
  const char *name;
  const char *algebra;
  Groups in, hidden, out;
  RowTypes row_types;
  DataType dtype = DataType::F32;
  bool gate = true, bias = false;
  Activation activation = Activation::Silu;
  Lift::Kind lift = Lift::Kind::Rows;
};

void PrintTo(const Network &network, std::ostream *stream) { *stream << network.name; }

class GradientsOfNetworks : public testing::TestWithParam<Network> {
protected:
  void SetUp() override {
    if (compiler_test::levelsHere().empty())
      GTEST_SKIP() << "this machine is below x86-64-v3";
  }
};

TEST_P(GradientsOfNetworks, AreThoseOfTheDefinitionWhateverSharesAKernel) {
  const Network &network = GetParam();
  const algebras::Algebra algebra = algebras::parseExpression(network.algebra);
  compiler::Spec spec;
  spec.source_name = network.name;
  spec.program =
      compiler::Swiglu{.lift = network.lift == Lift::Kind::Rows ? Lift::rows(algebra) : Lift::slots(algebra),
                       .in = network.in,
                       .hidden = network.hidden,
                       .out = network.out,
                       .dtype = network.dtype,
                       .row_types = network.row_types,
                       .activation = network.activation,
                       .gate = network.gate,
                       .bias = network.bias};
  for (const char *level : {"x86-64-v3", "native"})
    checkGradients(spec, level, network.dtype, [&](const Gradients &gradients) {
      // The sums of gate and up with their map, and the gradients of both.
      EXPECT_EQ(gradients.mostResults(algrt::Map::Forward), network.gate ? 3U : 2U);
      EXPECT_GE(gradients.mostResults(algrt::Map::Dx), network.gate ? 2U : 1U);
    });
}

using enum Activation;
INSTANTIATE_TEST_SUITE_P(
    Networks, GradientsOfNetworks,
    testing::Values(Network{"Silu", "Q(3)", Groups::equal(3, 20), Groups::equal(3, 32), Groups::equal(3, 16),
                            RowTypes::cyclic(3)},
                    Network{"SiluOfBf16", "Q(3)", Groups::equal(3, 20), Groups::equal(3, 32),
                            Groups::equal(3, 16), RowTypes::cyclic(3), DataType::BF16},
                    // Narrower than a vector, and no multiple of anything.
                    Network{"Narrow", "Q(5)", Groups::equal(5, 3), Groups::equal(5, 7), Groups::equal(5, 1),
                            RowTypes::interval(5, 3), DataType::F32, true, true},
                    Network{"NarrowOfBf16", "Q(5)", Groups::equal(5, 2), Groups::equal(5, 6),
                            Groups::equal(5, 2), RowTypes::interval(5, 3), DataType::BF16, true, true},
                    Network{"ManyTypes", "Q(12)", Groups::equal(12, 4), Groups::equal(12, 11),
                            Groups::equal(12, 5), RowTypes::cyclic(12), DataType::BF16, true, false,
                            GeluTanh},
                    Network{"Unequal", "T(4)", Groups::explicitWidths({5, 8, 3, 20}),
                            Groups::explicitWidths({1, 17, 33, 9}), Groups::explicitWidths({16, 2, 7, 4}),
                            RowTypes::explicitTypes(4), DataType::F32, true, true, Gelu},
                    Network{"UnequalOfBf16", "T(4)", Groups::explicitWidths({5, 8, 3, 20}),
                            Groups::explicitWidths({1, 17, 33, 9}), Groups::explicitWidths({16, 2, 7, 4}),
                            RowTypes::cyclic(4), DataType::BF16, true, false},
                    Network{"Ungated", "Q(5)", Groups::equal(5, 9), Groups::equal(5, 24), Groups::equal(5, 8),
                            RowTypes::cyclic(5), DataType::F32, false, true, GeluTanh},
                    Network{"UngatedOfBf16", "path(3)", Groups::equal(3, 8), Groups::equal(3, 13),
                            Groups::equal(3, 8), RowTypes::cyclic(3), DataType::BF16, false, false, Relu2},
                    Network{"Slots", "M(2)", Groups::equal(4, 5), Groups::equal(4, 11), Groups::equal(4, 6),
                            RowTypes::cyclic(1), DataType::F32, true, false, Silu, Lift::Kind::Slots}),
    [](const auto &info) { return info.param.name; });

// Chains of products, maps and reductions, of which gradients read values in many places.
TEST(GradientsOfRandomPrograms, AreThoseOfTheDefinitionWhateverSharesAKernel) {
  if (compiler_test::levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  using program_test::Schedule;
  std::mt19937 random(23);
  size_t most = 0;
  for (const auto &[algebra, lift, schedule] : {std::tuple("Q(3)", Lift::Kind::Rows, Schedule::Cyclic),
                                                std::tuple("Q(3)", Lift::Kind::Rows, Schedule::Explicit),
                                                std::tuple("T(3)", Lift::Kind::Rows, Schedule::Interval),
                                                std::tuple("D(3)", Lift::Kind::Slots, Schedule::Cyclic)}) {
    compiler::Spec spec;
    spec.source_name = "random.mlir";
    spec.program =
        compiler::ProgramFile{"random.mlir", program_test::randomProgram(random, algebra, lift, schedule)};
    SCOPED_TRACE(std::get<compiler::ProgramFile>(*spec.program).text);
    checkGradients(spec, "native", DataType::F32, [&](const Gradients &gradients) {
      most =
          std::max({most, gradients.mostResults(algrt::Map::Forward), gradients.mostResults(algrt::Map::Dx)});
    });
  }
  EXPECT_GT(most, 1U);
}

} // namespace
