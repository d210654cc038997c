// The reference against products written down by hand.
#include "tests/compiler/program/parsed_program.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace program_test;
using compiler::DenseArray;
using std::vector;

// Rows of type i of Q(2) sum groups i and j into group j.
TEST(Evaluate, RowLiftByHand) {
  ProgramContext program;
  auto module = program.parse(R"mlir(
!x = !alg.slots<?x2xf32, rows(cyclic 2), cols(2 x 1)>
!w = !alg.slots<2x2xf32, rows(2 x 1), cols(2 x 1)>
func.func @forward(%x: tensor<?x2xf32> loc("x"), %w: tensor<2x2xf32> loc("w"), %p0: index loc("p0"),
                   %b: tensor<2xf32> loc("b")) -> tensor<?x2xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 1) : tensor<?x2xf32>
  %ws = alg.slots %w rows(2 x 1) cols(2 x 1) : tensor<2x2xf32>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.map %sums columns %b : (!x, tensor<2xf32>) -> !x {
  ^bb0(%sum: f32, %bias: f32):
    %biased = arith.addf %sum, %bias : f32
    alg.yield %biased : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x2xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  NamedArrays arguments = {{"x", {{2, 2}, {1, 2, 3, 4}}},
                           {"w", {{2, 2}, {10, 100, 1000, 10000}}},
                           {"b", {{2}, {0.5, 0.25}}},
                           {"p0", {{}, {0}}}};
  // Row 0 has type 0: y_0 = x_0 w_00, y_1 = x_0 w_01 + x_1 w_11; row 1 has type 1: y_0 = x_0 w_00 + x_1 w_10.
  EXPECT_EQ(call(function, arguments), (vector<DenseArray>{{{2, 2}, {10.5, 20100.25, 4030.5, 40000.25}}}));
  arguments["p0"] = {{}, {1}};
  const vector<DenseArray> from_one = {{{2, 2}, {2010.5, 20000.25, 30.5, 40300.25}}};
  EXPECT_EQ(call(function, arguments), from_one);
  // Where each row is, in the place of the first one's position.
  arguments["p0"] = {{2}, {7, 4}};
  EXPECT_EQ(call(function, arguments), from_one);
  arguments["p0"] = {{2}, {1, 3}};
  EXPECT_EQ(call(function, arguments), (vector<DenseArray>{{{2, 2}, {2010.5, 20000.25, 4030.5, 40000.25}}}));
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&program.context,
                                        [&](mlir::Diagnostic &diagnostic) { said = diagnostic.str(); });
  EXPECT_TRUE(mlir::failed(compiler::evaluate(
      function, {arguments["x"], arguments["w"], DenseArray{{3}, {0, 1, 2}}, arguments["b"]})));
  EXPECT_NE(said.find("has 2 rows, and there are positions of 3"), std::string::npos) << said;
}

// Sums that are rounded to bf16, and statistics, are moved as results of maps are.
TEST(Evaluate, MovesWhatIsRounded) {
  ProgramContext program;
  auto module = program.parse(R"mlir(
!x = !alg.slots<?x2xbf16, rows(cyclic 2), cols(2 x 1)>
func.func @forward(%x: tensor<?x2xbf16> loc("x"), %p0: index loc("p0"))
    -> (tensor<2xbf16>, tensor<?xf32>, tensor<?xbf16>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 1) : tensor<?x2xbf16>
  %sums = alg.reduce sum %xs over rows : !x -> tensor<2xbf16>
  %wide = alg.reduce sum %xs over columns : !x -> tensor<?xf32>
  %narrow = arith.truncf %wide : tensor<?xf32> to tensor<?xbf16>
  return %sums, %wide, %narrow : tensor<2xbf16>, tensor<?xf32>, tensor<?xbf16>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  const vector<DenseArray> arguments = {{{2, 2}, {1, 2, 3, 4}}, {{}, {0}}};
  const auto exact = compiler::evaluate(function, arguments);
  ASSERT_TRUE(mlir::succeeded(exact));
  EXPECT_EQ(*exact, (vector<DenseArray>{{{2}, {4, 6}}, {{2}, {3, 7}}, {{2}, {3, 7}}}));
  const auto moved = compiler::evaluate(function, arguments, compiler::Rounding{1});
  ASSERT_TRUE(mlir::succeeded(moved));
  for (const size_t result : {0, 1, 2})
    for (const size_t element : {0, 1}) {
      const double is = (*moved)[result].values[element], was = (*exact)[result].values[element];
      EXPECT_EQ(is != was, result != 1) << result;
      EXPECT_NEAR(is, was, was * 0x1p-9) << result;
    }
}

TEST(Evaluate, SlotLiftByHand) {
  ProgramContext program;
  auto module = program.parse(R"mlir(
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">
!x = !alg.slots<?x2xf32, plain(2)>
!w = !alg.slots<2x1x1xf32, plain(2)>
func.func @forward(%x: tensor<?x2xf32> loc("x"), %w: tensor<2x1x1xf32> loc("w"))
    -> (tensor<?x2xf32>, tensor<2x1x1xf32>) {
  %xs = alg.slots %x plain(2) : tensor<?x2xf32>
  %ws = alg.slots %w plain(2) : tensor<2x1x1xf32>
  %ys = alg.contract %xs, %ws by #complex -> k : !x, !w
  %vs = alg.contract %ws, %ws by #complex -> k : !w, !w
  %y = alg.gather %ys : !x
  %v = alg.gather %vs : !w
  return %y, %v : tensor<?x2xf32>, tensor<2x1x1xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  // (1 + 2i)(3 + 4i) = -5 + 10i, (3 + 4i)^2 = -7 + 24i
  EXPECT_EQ(call(function, {{"x", {{1, 2}, {1, 2}}}, {"w", {{2, 1, 1}, {3, 4}}}}),
            (vector<DenseArray>{{{1, 2}, {-5, 10}}, {{2, 1, 1}, {-7, 24}}}));
}

// (x w) v = x (w v), which is what an associative algebra is for.
TEST(Evaluate, CompositionIsAssociative) {
  ProgramContext program;
  std::mt19937 random(2);
  auto module = program.parse(R"mlir(
#a = #alg.algebra<"poset(3; 0->1, 1->2)">
!x = !alg.slots<?x6xf32, rows(cyclic 3), cols([1, 2, 3])>
!w = !alg.slots<6x4xf32, rows([1, 2, 3]), cols([1, 1, 2])>
!v = !alg.slots<4x6xf32, rows([1, 1, 2]), cols([1, 2, 3])>
func.func @forward(%x: tensor<?x6xf32> loc("x"), %w: tensor<6x4xf32> loc("w"), %v: tensor<4x6xf32> loc("v"))
    -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %xs = alg.slots %x rows(cyclic 3) cols([1, 2, 3]) : tensor<?x6xf32>
  %ws = alg.slots %w rows([1, 2, 3]) cols([1, 1, 2]) : tensor<6x4xf32>
  %vs = alg.slots %v rows([1, 1, 2]) cols([1, 2, 3]) : tensor<4x6xf32>
  %hs = alg.contract %xs, %ws by #a -> k : !x, !w
  %ys = alg.contract %hs, %vs by #a -> k : !alg.slots<?x4xf32, rows(cyclic 3), cols([1, 1, 2])>, !v
  %wv = alg.contract %ws, %vs by #a -> k : !w, !v
  %zs = alg.contract %xs, %wv by #a -> k : !x, !alg.slots<6x6xf32, rows([1, 2, 3]), cols([1, 2, 3])>
  %y = alg.gather %ys : !x
  %z = alg.gather %zs : !x
  return %y, %z : tensor<?x6xf32>, tensor<?x6xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  const vector<DenseArray> results = call(function, randomArguments(random, function, 7, 0, 3));
  ASSERT_EQ(results.size(), 2U);
  double largest = 0;
  for (size_t i = 0; i < results[0].values.size(); ++i) {
    EXPECT_NEAR(results[0].values[i], results[1].values[i], 1e-12);
    largest = std::max(largest, std::fabs(results[0].values[i]));
  }
  EXPECT_GT(largest, 0.1);
}

// 2^53 + 1 is no double, and the last position of all least of all.
TEST(Evaluate, PositionsAreExact) {
  ProgramContext program;
  std::mt19937 random(4);
  auto module = program.parse(R"mlir(
#a = #alg.algebra<"Q(3)">
!x = !alg.slots<?x3xf32, rows(cyclic 3), cols(3 x 1)>
!w = !alg.slots<3x3xf32, rows(3 x 1), cols(3 x 1)>
func.func private @product(%x: tensor<?x3xf32>, %w: tensor<3x3xf32>, %p0: index) -> tensor<?x3xf32> {
  %xs = alg.slots %x rows(cyclic 3, %p0) cols(3 x 1) : tensor<?x3xf32>
  %ws = alg.slots %w rows(3 x 1) cols(3 x 1) : tensor<3x3xf32>
  %ys = alg.contract %xs, %ws by #a -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x3xf32>
}
func.func @forward(%x: tensor<?x3xf32> loc("x"), %w: tensor<3x3xf32> loc("w"), %p0: index) -> tensor<?x3xf32> {
  %y = call @product(%x, %w, %p0) : (tensor<?x3xf32>, tensor<3x3xf32>, index) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  std::uniform_real_distribution<double> uniform(-1, 1);
  DenseArray x{{1, 3}, {}}, w{{3, 3}, {}};
  for (DenseArray *array : {&x, &w})
    for (int64_t i = 0; i < compiler::elementCount(array->shape); ++i)
      array->values.push_back(uniform(random));
  const auto at = [&](int64_t position) {
    const auto results = compiler::evaluate(function, {x, w, {{}, {0}, position}});
    return mlir::succeeded(results) ? results->front().values : vector<double>();
  };
  for (const int64_t position : {(int64_t{1} << 53) + 1, std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(at(position), at(position % 3));
    EXPECT_NE(at(position), at((position % 3 + 1) % 3));
  }
}

TEST(Evaluate, CallsAndWrongArguments) {
  ProgramContext program;
  auto module = program.parse(R"mlir(
func.func private @twice(%s: tensor<?xf32>) -> tensor<?xf32> {
  %t = arith.addf %s, %s : tensor<?xf32>
  return %t : tensor<?xf32>
}
func.func @forward(%s: tensor<?xf32> loc("s")) -> tensor<?xf32> {
  %t = call @twice(%s) : (tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  EXPECT_EQ(call(function, {{"s", {{2}, {1, 2}}}}), (vector<DenseArray>{{{2}, {2, 4}}}));
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&program.context,
                                        [&](mlir::Diagnostic &diagnostic) { said = diagnostic.str(); });
  EXPECT_TRUE(mlir::failed(compiler::evaluate(function, {DenseArray{{2, 1}, {1, 2}}})));
  EXPECT_EQ(said, "argument 0 is 'tensor<?xf32>', and the array has another shape");
  EXPECT_TRUE(mlir::failed(compiler::evaluate(function, {})));
  EXPECT_EQ(said, "takes 1 arguments, not 0");
}

} // namespace
