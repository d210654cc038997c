// Maps of finished sums on the CPU: programs from their text to machine code, run, and compared with double
// precision.
#include "tests/compiler/compiled_module.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

using compiler_test::CompiledModule;
using Elements = std::vector<float>;

/// A kernel of 4 row types, Q(4), cyclic: 16 columns of X and 20 of Y for each.
constexpr int64_t types = 4, in = 16, out = 20, k = types * in, n = types * out;
/// Of 43 rows that one type has.
constexpr int64_t most_rows = 11;

algrt_memref2 describe(Elements &matrix, int64_t rows) {
  const auto columns = static_cast<int64_t>(matrix.size()) / rows;
  return {matrix.data(), matrix.data(), 0, {rows, columns}, {columns, 1}};
}

Elements randomMatrix(std::mt19937 &random, int64_t elements, float scale = 1) {
  Elements matrix(static_cast<size_t>(elements));
  for (float &element : matrix)
    element = scale * (static_cast<float>(random()) / 0x80000000u - 1);
  return matrix;
}

/// Row `row` times column `column` of a weight matrix of Q(4): the terms of type t and group j are the groups
/// t and j.
double product(const Elements &x, const Elements &w, int64_t row, int64_t column) {
  double sum = 0;
  const int64_t type = row % types, group = column / out;
  for (int64_t term : {std::min(type, group), std::max(type, group)}) {
    for (int64_t i = term * in; i < (term + 1) * in; ++i)
      sum += static_cast<double>(x[static_cast<size_t>(row * k + i)]) *
             static_cast<double>(w[static_cast<size_t>(i * n + column)]);
    if (type == group)
      break;
  }
  return sum;
}

// Every kind of operand: a number for each column and each row, a matrix like the result, and a number.
constexpr const char *every_operand = R"mlir(
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 20>,
                       row_types = <cyclic 4>>
tile.kernel @kernel(%x: !tile.matrix<?x64xf32>, %w: !tile.matrix<64x80xf32>, %bias: !tile.matrix<1x80xf32>,
                    %scale: !tile.matrix<?x1xf32>, %residual: !tile.matrix<?x80xf32>, %alpha: f32, %y: !tile.matrix<?x80xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<8x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.buffer<8x64xf32>, !tile.matrix<64x80xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mapped = tile.map (%v = %sum : !tile.fragment<2x16xf32>, %p = %bias[%j, %n] : !tile.matrix<1x80xf32>,
                              %f = %scale[%t, %s] : !tile.matrix<?x1xf32>,
                              %e = %residual[%t, %s, %j, %n] : !tile.matrix<?x80xf32>, %a = %alpha : f32)
              -> !tile.fragment<2x16xf32> {
            %biased = arith.addf %v, %p : f32
            %scaled = arith.mulf %biased, %f : f32
            %part = arith.mulf %e, %a : f32
            %whole = arith.addf %scaled, %part : f32
            tile.yield %whole : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %mapped to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x80xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}
)mlir";

TEST(Epilogue, ReadsOperandsOfEveryKind) {
  std::mt19937 random(7);
  const CompiledModule module(every_operand);
  constexpr int64_t m = 43; // of types 0 to 2 there are eleven rows, of the last ten
  Elements alpha = {-0.75f};
  Elements x = randomMatrix(random, m * k), w = randomMatrix(random, k * n), bias = randomMatrix(random, n),
           scale = randomMatrix(random, m), residual = randomMatrix(random, m * n),
           y(static_cast<size_t>(m * n), std::numeric_limits<float>::quiet_NaN());
  module.multiply("kernel",
                  {describe(x, m), describe(w, k), describe(bias, 1), describe(scale, m),
                   describe(residual, m), describe(alpha, 1), describe(y, m)},
                  most_rows, types, 0);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      const auto at = static_cast<size_t>(row * n + column);
      const double expected =
          (product(x, w, row, column) + static_cast<double>(bias[static_cast<size_t>(column)])) *
              static_cast<double>(scale[static_cast<size_t>(row)]) +
          static_cast<double>(alpha[0]) * static_cast<double>(residual[at]);
      ASSERT_NEAR(static_cast<double>(y[at]), expected, 2e-5) << "row " << row << ", column " << column;
    }
}

// The gate of a SwiGLU network: two products of the same rows, which are held once, and one store.
constexpr const char *gate = R"mlir(
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 20>,
                       row_types = <cyclic 4>>
tile.kernel @gate(%x: !tile.matrix<?x64xf32>, %gate: !tile.matrix<64x80xf32>, %up: !tile.matrix<64x80xf32>, %y: !tile.matrix<?x80xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 2,
                register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x64xf32> -> !tile.buffer<8x64xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %first = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %gate[%b, %j, %n], %acc : !tile.buffer<8x64xf32>, !tile.matrix<64x80xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %second = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %xs[%t, %k, %s], %up[%b, %j, %n], %acc : !tile.buffer<8x64xf32>, !tile.matrix<64x80xf32>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %gated = tile.map (%p = %first : !tile.fragment<2x16xf32>, %q = %second : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xf32> {
            %one = arith.constant 1.0 : f32
            %minus = arith.negf %p : f32
            %e = math.exp %minus : f32
            %below = arith.addf %e, %one : f32
            %silu = arith.divf %p, %below : f32
            %h = arith.mulf %silu, %q : f32
            tile.yield %h : f32
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %gated to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x80xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}
)mlir";

TEST(Epilogue, TwoProductsOfTheSameRowsMakeAGate) {
  std::mt19937 random(8);
  const CompiledModule module(gate);
  constexpr int64_t m = 43;
  Elements x = randomMatrix(random, m * k), first = randomMatrix(random, k * n),
           second = randomMatrix(random, k * n),
           y(static_cast<size_t>(m * n), std::numeric_limits<float>::quiet_NaN());
  module.multiply("gate", {describe(x, m), describe(first, k), describe(second, k), describe(y, m)},
                  most_rows, types, 0);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      const double p = product(x, first, row, column), q = product(x, second, row, column);
      ASSERT_NEAR(static_cast<double>(y[static_cast<size_t>(row * n + column)]), p / (1 + std::exp(-p)) * q,
                  1e-4)
          << "row " << row << ", column " << column;
    }
}

/// A program of the alg dialect: a product and a map of it with one function.
std::string functionOf(const std::string &function) {
  return R"mlir(
func.func @f(%x: tensor<?x64xf32>, %w: tensor<64x80xf32>, %p0: index) -> tensor<?x80xf32> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xf32>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 20) : tensor<64x80xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>, !alg.slots<64x80xf32, rows(4 x 16), cols(4 x 20)>
  %h = alg.map %ys : !alg.slots<?x80xf32, rows(cyclic 4), cols(4 x 20)> {
  ^bb0(%v: f32):
    %r = )mlir" +
         function + R"mlir( %v : f32
    alg.yield %r : f32
  }
  %y = alg.gather %h : !alg.slots<?x80xf32, rows(cyclic 4), cols(4 x 20)>
  return %y : tensor<?x80xf32>
}
)mlir";
}

struct Function {
  const char *name;
  double (*exact)(double);
  float from, to;
  double relative, absolute; ///< error
};

class MathFunctions : public testing::TestWithParam<Function> {};

// One term of the sum is the argument, the others are zero: the product is exact.
TEST_P(MathFunctions, AreCloseToTheirValuesOnAnInterval) {
  const Function function = GetParam();
  const CompiledModule module(functionOf(function.name));
  constexpr int64_t m = 640;
  Elements x(static_cast<size_t>(m * k)), w(static_cast<size_t>(k * n)), y(static_cast<size_t>(m * n));
  for (int64_t row = 0; row < m; ++row)
    x[static_cast<size_t>(row * k + row % types * in)] =
        function.from + (function.to - function.from) * static_cast<float>(row) / (m - 1);
  for (int64_t group = 0; group < types; ++group)
    for (int64_t column = 0; column < n; ++column)
      w[static_cast<size_t>(group * in * n + column)] = 1;
  module.multiply("f_direct", {describe(x, m), describe(w, k), describe(y, m)}, m / types, types, 0);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column : {int64_t{0}, n - 1}) {
      const double argument = static_cast<double>(x[static_cast<size_t>(row * k + row % types * in)]);
      const double exact = function.exact(argument);
      ASSERT_NEAR(static_cast<double>(y[static_cast<size_t>(row * n + column)]), exact,
                  function.absolute + function.relative * std::fabs(exact))
          << function.name << " of " << argument;
    }
}

INSTANTIATE_TEST_SUITE_P(Epilogue, MathFunctions,
                         testing::Values(Function{"math.exp", std::exp, -87, 88, 4e-7, 0},
                                         Function{"math.tanh", std::tanh, -12, 12, 1e-6, 1e-7},
                                         Function{"math.erf", std::erf, -5, 5, 1e-6, 2e-7},
                                         Function{"math.log", std::log, 1e-3f, 900, 4e-7, 1e-7},
                                         Function{"math.log1p", std::log1p, -0.9f, 900, 2e-6, 1e-7},
                                         Function{"math.sqrt", std::sqrt, 0, 1e6f, 1e-7, 0},
                                         Function{"math.rsqrt", [](double v) { return 1 / std::sqrt(v); },
                                                  1e-3f, 1e6f, 2e-7, 0},
                                         Function{"math.sin", std::sin, -6, 6, 0, 2e-7},
                                         Function{"math.cos", std::cos, -6, 6, 0, 2e-7},
                                         Function{"math.sinh", std::sinh, -89.2f, 89.2f, 2e-6, 1e-7},
                                         Function{"math.cosh", std::cosh, -89.2f, 89.2f, 2e-6, 0},
                                         Function{"math.asinh", std::asinh, -3e4f, 3e4f, 2e-6, 1e-7},
                                         Function{"math.acosh", std::acosh, 1, 2, 2e-6, 0},
                                         Function{"math.atanh", std::atanh, -0.99f, 0.99f, 2e-6, 0},
                                         Function{"math.tan", std::tan, -1.5f, 1.5f, 2e-6, 0},
                                         Function{"math.floor", std::floor, -20, 20, 0, 0}),
                         [](const auto &instance) { return std::string(instance.param.name).substr(5); });

// Far from 0, where a period is a small part of the argument, too.
INSTANTIATE_TEST_SUITE_P(FarFromZero, MathFunctions,
                         testing::Values(Function{"math.sin", std::sin, -1e6f, 1e6f, 0, 2e-7},
                                         Function{"math.cos", std::cos, -1e4f, 1e4f, 0, 2e-7},
                                         Function{"math.asinh", std::asinh, -1e35f, 1e35f, 2e-6, 0},
                                         Function{"math.acosh", std::acosh, 3, 1e35f, 2e-6, 0}),
                         [](const auto &instance) { return std::string(instance.param.name).substr(5); });

// Near 0, where what a function adds to 1 is lost.
INSTANTIATE_TEST_SUITE_P(NearZero, MathFunctions,
                         testing::Values(Function{"math.atanh", std::atanh, -1e-6f, 1e-6f, 2e-6, 0},
                                         Function{"math.tan", std::tan, -1e-6f, 1e-6f, 2e-6, 0},
                                         Function{"math.asinh", std::asinh, -1e-6f, 1e-6f, 2e-6, 0}),
                         [](const auto &instance) { return std::string(instance.param.name).substr(5); });

// With a constant, of which the test's functions know nothing.
struct Power {
  const char *exponent;
  double value;
};

class Powers : public testing::TestWithParam<Power> {};

TEST_P(Powers, OfNumbersOfBothSignsAreThoseOfTheLibrary) {
  const Power power = GetParam();
  const std::string body =
      std::string("arith.constant ") + power.exponent + " : f32\n    %s = math.powf %v, %r";
  std::string text = functionOf(body);
  const size_t operand = text.find(" %v : f32\n    alg.yield %r");
  text.replace(operand, std::string(" %v : f32\n    alg.yield %r").size(), " : f32\n    alg.yield %s");
  const CompiledModule module(text);
  const std::vector<float> bases = {-3, -2, -1, -0.5, -0.0f, 0, 0.25, 1, 1.5, 2, 7};
  const auto m = static_cast<int64_t>(bases.size()) * types;
  Elements x(static_cast<size_t>(m * k)), w(static_cast<size_t>(k * n)), y(static_cast<size_t>(m * n));
  for (int64_t row = 0; row < m; ++row)
    x[static_cast<size_t>(row * k + row % types * in)] = bases[static_cast<size_t>(row / types)];
  for (int64_t group = 0; group < types; ++group)
    for (int64_t column = 0; column < n; ++column)
      w[static_cast<size_t>(group * in * n + column)] = 1;
  module.multiply("f_direct", {describe(x, m), describe(w, k), describe(y, m)}, m / types, types, 0);
  for (int64_t row = 0; row < m; ++row) {
    const double base = static_cast<double>(bases[static_cast<size_t>(row / types)]),
                 exact = std::pow(base, power.value);
    const auto actual = static_cast<double>(y[static_cast<size_t>(row * n)]);
    if (std::isnan(exact)) {
      EXPECT_TRUE(std::isnan(actual)) << base;
    } else if (std::fabs(exact) > static_cast<double>(std::numeric_limits<float>::max())) {
      EXPECT_TRUE(std::isinf(actual)) << base; // a zero's sign is lost in the sum
    } else {
      EXPECT_NEAR(actual, exact, 2e-5 * std::fabs(exact) + 0x1p-126) << base;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Epilogue, Powers,
                         testing::Values(Power{"4.0", 4}, Power{"-3.0", -3}, Power{"0.0", 0}, Power{"1.0", 1},
                                         Power{"17.0", 17}, Power{"64.0", 64}, Power{"65.0", 65},
                                         Power{"-2.0", -2}, Power{"0.5", 0.5}, Power{"2.5", 2.5},
                                         Power{"-1.5", -1.5}),
                         [](const auto &instance) { return "Number" + std::to_string(instance.index); });

} // namespace
