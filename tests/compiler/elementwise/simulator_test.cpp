// Element-wise kernels of GPUs on the simulator, compared with double precision.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/simulator/elementwise.h"
#include "tests/compiler/elementwise/elementwise_function.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace elementwise_test;
using compiler::DenseArray;
using compiler::ElementwiseSettings;

class Simulated {
public:
  explicit Simulated(const std::string &text, compiler::Target target = compiler::Target::Sm90a)
      : function(text),
        program_(compiler::gpuElementwiseProgram(function.described, target, compiler::CompileOptions())),
        kernel_(function.description(), program_.kernel, program_.nvvm) {}

  std::vector<std::vector<float>> run(const std::vector<DenseArray> &arguments, int64_t rows,
                                      const ElementwiseSettings &settings) {
    std::vector<std::vector<float>> inputs;
    for (const algrt::ElementwiseOperand &operand : function.description().operands)
      if (operand.role == algrt::OperandRole::Input) {
        const std::vector<double> &values = arguments[function.argumentOf(operand.name)].values;
        inputs.emplace_back(values.begin(), values.end());
      }
    const compiler::SimulatedElementwise result = kernel_.run(inputs, rows, settings);
    for (const simulator::Fault &fault : result.report.faults)
      ADD_FAILURE() << kernel_.explain(fault);
    EXPECT_EQ(result.unwritten, 0);
    return result.outputs;
  }

  TestFunction function;

private:
  compiler::GpuElementwiseProgram program_;
  compiler::SimulatedElementwiseKernel kernel_;
};

void expectExact(Simulated &simulated, const std::vector<DenseArray> &arguments, int64_t rows,
                 const ElementwiseSettings &settings) {
  const auto expected = simulated.function.evaluate(arguments);
  const auto outputs = simulated.run(arguments, rows, settings);
  ASSERT_EQ(outputs.size(), expected.size());
  size_t number = 0;
  for (const algrt::ElementwiseOperand &operand : simulated.function.description().operands) {
    if (operand.role == algrt::OperandRole::Input)
      continue;
    std::vector<float> wanted;
    for (const double value : expected[number].values)
      wanted.push_back(static_cast<float>(rounded(value, operand.type)));
    EXPECT_EQ(outputs[number++], wanted);
  }
}

TEST(ElementwiseSimulator, ComputesRandomFunctionsExactly) {
  std::mt19937 random(11);
  for (int repetition = 0; repetition < 25; ++repetition) {
    const std::string text = randomFunction(random);
    SCOPED_TRACE(text);
    Simulated simulated(text, repetition % 2 == 0 ? compiler::Target::Sm90a : compiler::Target::Sm80);
    for (const int64_t rows : {0, 1, 5, 33}) {
      SCOPED_TRACE(rows);
      const auto arguments = simulated.function.wholeArguments(random, rows);
      // Vectors where all lies at multiples of 16 bytes, numbers one by one elsewhere.
      expectExact(simulated, arguments, rows, {.seed = 1});
      expectExact(simulated, arguments, rows,
                  {.seed = 2, .blocks = 1, .padding = 3, .shift = 1, .numbers_with_launch = false});
    }
  }
}

/// Sums of the rows of one matrix, and of the products of two.
constexpr const char *column_sums = R"(
!v = !alg.slots<?x40xbf16, rows(cyclic 2), cols(2 x 20)>
func.func private @f(%x: tensor<?x40xbf16>) -> tensor<40xf32> {
  %v = alg.slots %x rows(cyclic 2) cols(2 x 20) : tensor<?x40xbf16>
  %y = alg.reduce sum %v over rows : !v -> tensor<40xf32>
  return %y : tensor<40xf32>
}
)",
                     *column_products = R"(
!v = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
func.func private @f(%a: tensor<?x40xf32>, %b: tensor<?x40xf32>) -> tensor<40xf32> {
  %v = alg.slots %a rows(cyclic 2) cols(2 x 20) : tensor<?x40xf32>
  %w = alg.slots %b rows(cyclic 2) cols(2 x 20) : tensor<?x40xf32>
  %m = alg.map %v, %w : (!v, !v) -> !v {
  ^bb0(%c: f32, %d: f32):
    %e = arith.mulf %c, %d : f32
    alg.yield %e : f32
  }
  %y = alg.reduce sum %m over rows : !v -> tensor<40xf32>
  return %y : tensor<40xf32>
}
)";

TEST(ElementwiseSimulator, SumsColumnsOfManyRows) {
  std::mt19937 random(13);
  for (const char *text : {column_sums, column_products}) {
    Simulated simulated(text);
    // Up to several times what the threads of a block have on their way, and a few rows more.
    for (const int64_t rows : {16, 255, 256, 271, 1000}) {
      SCOPED_TRACE(rows);
      const auto arguments = simulated.function.wholeArguments(random, rows);
      expectExact(simulated, arguments, rows, {.seed = 1});
      expectExact(simulated, arguments, rows, {.seed = 2, .blocks = 1, .padding = 3, .shift = 1});
    }
  }
}

/// Softmax's statistics, and a scale: numbers whose sums are no whole ones.
constexpr const char *exponentials = R"(
!v = !alg.slots<?x300xbf16, rows(cyclic 3), cols(3 x 100)>
!w = !alg.slots<?x300xf32, rows(cyclic 3), cols(3 x 100)>
func.func private @f(%scores: tensor<?x300xbf16>, %largest: tensor<?xf32>) -> tensor<EXTENT> {
  %v = alg.slots %scores rows(cyclic 3) cols(3 x 100) : tensor<?x300xbf16>
  %m = alg.map %v rows %largest : (!v, tensor<?xf32>) -> !w {
  ^bb0(%a: bf16, %b: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.subf %c, %b : f32
    %e = math.exp %d : f32
    alg.yield %e : f32
  }
  %y = alg.reduce sum %m over OVER : !w -> tensor<EXTENT>
  return %y : tensor<EXTENT>
}
)";

TEST(ElementwiseSimulator, AddsInOneOrder) {
  for (const auto &[over, extent] :
       {std::pair("columns", "?xf32"), std::pair("rows", "300xf32"), std::pair("all", "f32")}) {
    std::string text = exponentials;
    for (const auto &[from, to] : {std::pair<std::string, std::string>("OVER", over), {"EXTENT", extent}})
      for (size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, from.size(), to);
    Simulated simulated(text);
    std::mt19937 random(3);
    const auto arguments = simulated.function.wholeArguments(random, 37);
    const auto expected = simulated.function.evaluate(arguments);
    const auto first = simulated.run(arguments, 37, {.seed = 1, .blocks = 1});
    for (size_t i = 0; i < first[0].size(); ++i)
      EXPECT_NEAR(first[0][i], expected[0].values[i], 1e-6 * expected[0].values[i]);
    EXPECT_EQ(simulated.run(arguments, 37, {.seed = 2, .blocks = 4}), first) << over;
    EXPECT_EQ(simulated.run(arguments, 37, {.seed = 3, .padding = 1, .shift = 3}), first) << over;
  }
}

constexpr const char *row_maxima = R"(
!v = !alg.slots<?x20xbf16, rows(cyclic 2), cols(2 x 10)>
func.func private @f(%x: tensor<?x20xbf16>) -> tensor<?xbf16> {
  %v = alg.slots %x rows(cyclic 2) cols(2 x 10) : tensor<?x20xbf16>
  %y = alg.reduce maximum %v over columns : !v -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
)";

TEST(ElementwiseSimulator, MaximaAreNanWhereAnElementIs) {
  Simulated simulated(row_maxima);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  std::vector<DenseArray> arguments = {{{3, 20}, std::vector<double>(60, -2.0)}};
  arguments[0].values[7] = nan;
  std::fill(arguments[0].values.begin() + 20, arguments[0].values.begin() + 40, -inf);
  const auto outputs = simulated.run(arguments, 3, {});
  EXPECT_TRUE(std::isnan(outputs[0][0]));
  EXPECT_EQ(outputs[0][1], -inf);
  EXPECT_EQ(outputs[0][2], -2.0f);
}

TEST(ElementwisePtx, LoadsVectorsForEachTarget) {
  TestFunction function(R"(
!v = !alg.slots<?x64xf32, rows(cyclic 1), cols(1 x 64)>
func.func private @f(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %v = alg.slots %x rows(cyclic 1) cols(1 x 64) : tensor<?x64xf32>
  %y = alg.reduce sum %v over columns : !v -> tensor<?xf32>
  return %y : tensor<?xf32>
}
)");
  for (const auto &[target, name] :
       {std::pair(compiler::Target::Sm80, "sm_80"), std::pair(compiler::Target::Sm90a, "sm_90a")}) {
    const std::string ptx = compiler::emitElementwise(function.described, target, compiler::Stage::Ptx,
                                                      compiler::CompileOptions());
    EXPECT_NE(ptx.find(std::string(".target ") + name), std::string::npos);
    EXPECT_NE(ptx.find(".visible .entry f("), std::string::npos);
    EXPECT_NE(ptx.find("ld.global.v4"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("f_record"), std::string::npos);
  }
}

} // namespace
