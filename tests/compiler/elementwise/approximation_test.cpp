// Functions that GPUs approximate, on the simulator: for every bf16 and for many f32, within what
// approximate-math says of their errors and what rounding to bf16 may do.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/simulator/elementwise.h"
#include "tests/compiler/elementwise/elementwise_function.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace {

using namespace elementwise_test;

struct Function {
  const char *name, *body; ///< of %x, an f32, the f32 %y
  double (*exact)(double);
  const char *instruction; ///< that it is for
  /// Errors before the result is rounded: relative to the result, and absolute.
  double relative, absolute;
};

const Function approximated_functions[] = {
    {"exp", "%y = math.exp %x : f32", [](double x) { return std::exp(x); }, "ex2.approx.ftz.f32", 1.1e-5,
     0x1p-126},
    {"sigmoid", R"(%one = arith.constant 1.0 : f32
    %m = arith.negf %x : f32
    %e = math.exp %m : f32
    %b = arith.addf %one, %e : f32
    %y = arith.divf %one, %b : f32)",
     [](double x) { return 1 / (1 + std::exp(-x)); }, "div.approx.ftz.f32", 1.2e-5, 0x1p-126},
    {"silu", R"(%one = arith.constant 1.0 : f32
    %m = arith.negf %x : f32
    %e = math.exp %m : f32
    %b = arith.addf %one, %e : f32
    %y = arith.divf %x, %b : f32)",
     [](double x) { return x / (1 + std::exp(-x)); }, "div.approx.ftz.f32", 1.2e-5, 0x1p-119},
    {"quotient", R"(%three = arith.constant 3.0 : f32
    %square = arith.mulf %x, %x : f32
    %b = arith.addf %three, %square : f32
    %y = arith.divf %x, %b : f32)",
     [](double x) {
       const auto square = static_cast<double>(static_cast<float>(x * x));
       return x / static_cast<double>(static_cast<float>(3 + square));
     },
     "div.full.f32", 0x1p-21, 0x1p-126},
    {"tanh", "%y = math.tanh %x : f32", [](double x) { return std::tanh(x); }, "tanh.approx.f32", 0x1p-11, 0},
    {"slope of tanh", R"(%one = arith.constant 1.0 : f32
    %t = math.tanh %x : f32
    %square = arith.mulf %t, %t : f32
    %y = arith.subf %one, %square : f32)",
     [](double x) { return 4 / std::pow(std::exp(std::fabs(x)) + std::exp(-std::fabs(x)), 2); },
     "ex2.approx.ftz.f32", 5e-5, 0x1p-124},
    {"gelu_tanh", R"(%one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %less = arith.constant 0.044715 : f32
    %scale = arith.constant 0.7978845608 : f32
    %square = arith.mulf %x, %x : f32
    %part = arith.mulf %x, %less : f32
    %cube = arith.mulf %square, %part : f32
    %sum = arith.addf %x, %cube : f32
    %u = arith.mulf %scale, %sum : f32
    %t = math.tanh %u : f32
    %more = arith.addf %one, %t : f32
    %p = arith.mulf %half, %x : f32
    %y = arith.mulf %p, %more : f32)",
     [](double x) { return 0.5 * x * (2 / (1 + std::exp(-2 * 0.7978845608 * (x + 0.044715 * x * x * x)))); },
     "ex2.approx.ftz.f32", 5e-5, 0x1p-119},
    {"gelu", R"(%one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %root = arith.constant 0.70710678118654752 : f32
    %u = arith.mulf %x, %root : f32
    %e = math.erf %u : f32
    %more = arith.addf %e, %one : f32
    %p = arith.mulf %half, %x : f32
    %y = arith.mulf %p, %more : f32)",
     [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }, "div.approx.ftz.f32", 5e-5,
     0x1p-119},
};

std::string textOf(const Function &function, const std::string &input) {
  std::string text = "!in = !alg.slots<?x256x" + input + R"(, rows(cyclic 1), cols(1 x 256)>
!out = !alg.slots<?x256xbf16, rows(cyclic 1), cols(1 x 256)>
func.func private @f(%a: tensor<?x256x)" +
                     input + R"(>) -> tensor<?x256xbf16> {
  %v = alg.slots %a rows(cyclic 1) cols(1 x 256) : tensor<?x256x)" +
                     input + R"(>
  %m = alg.map %v : (!in) -> !out {
  ^bb0(%given: )" + input +
                     "):\n    ";
  text += input == "f32" ? "%zero = arith.constant -0.0 : f32\n    %x = arith.addf %given, %zero : f32"
                         : "%x = arith.extf %given : bf16 to f32";
  return text + "\n    " + function.body + R"(
    %r = arith.truncf %y : f32 to bf16
    alg.yield %r : bf16
  }
  %o = alg.gather %m : !out
  return %o : tensor<?x256xbf16>
}
)";
}

/// Half the distance between neighbours of bf16 that lie around such a number.
double halfUnit(double magnitude) {
  constexpr int digits = 8, least_exponent = -126;
  return magnitude == 0 ? 0 : std::ldexp(1.0, std::max(std::ilogb(magnitude), least_exponent) - digits);
}

/// Whole rows of 256 numbers.
void expectClose(const Function &function, const std::string &input, const std::vector<float> &x,
                 compiler::Target target) {
  const TestFunction described(textOf(function, input));
  const compiler::GpuElementwiseProgram program =
      compiler::gpuElementwiseProgram(described.described, target, compiler::CompileOptions());
  const std::string ptx = compiler::emitElementwise(described.described, target, compiler::Stage::Ptx,
                                                    compiler::CompileOptions());
  EXPECT_NE(ptx.find(function.instruction), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("div.rn.f32"), std::string::npos);
  const compiler::SimulatedElementwiseKernel kernel(described.description(), program.kernel, program.nvvm);
  const auto result = kernel.run({x}, static_cast<int64_t>(x.size()) / 256, {.seed = 1});
  ASSERT_TRUE(result.report.faults.empty());
  ASSERT_EQ(result.unwritten, 0);
  const std::vector<float> &y = result.outputs.front();
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = function.exact(static_cast<double>(x[i])), actual = static_cast<double>(y[i]);
    if (std::isnan(exact)) {
      EXPECT_TRUE(std::isnan(actual)) << function.name << " of " << x[i];
      continue;
    }
    const double most = std::abs(exact) * (1 + function.relative) + function.absolute;
    // Where a number this large is rounded to infinity.
    constexpr double overflow = 0x1.ffp127;
    if (most >= overflow && std::isinf(actual)) {
      EXPECT_EQ(actual > 0, exact > 0) << function.name << " of " << x[i];
      continue;
    }
    ASSERT_LE(std::abs(actual - exact), most - std::abs(exact) + halfUnit(most))
        << function.name << " of " << x[i] << " is " << actual << ", not " << exact;
  }
}

TEST(GpuApproximation, IsCloseForEveryBf16) {
  constexpr uint32_t count = 1 << 16;
  std::vector<float> x(count);
  for (uint32_t bits = 0; bits < count; ++bits)
    x[bits] = std::bit_cast<float>(bits << 16);
  for (const Function &function : approximated_functions)
    for (const compiler::Target target : {compiler::Target::Sm80, compiler::Target::Sm90a})
      expectClose(function, "bf16", x, target);
}

TEST(GpuApproximation, IsCloseForManyF32) {
  // From all of them, and where the functions are neither 0 nor 1.
  std::vector<float> x;
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += 40009)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (float number = -100; number < 100; number += 0x1p-9f)
    x.push_back(number);
  x.resize(x.size() / 256 * 256);
  for (const Function &function : approximated_functions)
    expectClose(function, "f32", x, compiler::Target::Sm90a);
}

} // namespace
