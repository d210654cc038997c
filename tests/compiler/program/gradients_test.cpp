// alg-differentiate against central differences.
#include "compiler/program/differentiate.h"
#include "tests/compiler/program/parsed_program.h"
#include "tests/compiler/program/random_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace program_test;
using algebras::Lift;

struct Kind {
  std::string algebra;
  Lift::Kind lift;
  Schedule schedule;
};

const std::vector<Kind> kinds = {
    {"Q(3)", Lift::Kind::Rows, Schedule::Cyclic},
    {"Q(3)", Lift::Kind::Rows, Schedule::Explicit},
    {"T(3)", Lift::Kind::Rows, Schedule::Interval},
    {"Q(2)*M(2)", Lift::Kind::Rows, Schedule::Cyclic},
    {"poset(4; 0->1, 0->2, 1->3, 2->3)", Lift::Kind::Rows, Schedule::Cyclic},
    {"D(3)", Lift::Kind::Slots, Schedule::Cyclic},
    {"T(2)", Lift::Kind::Slots, Schedule::Cyclic},
    {"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})",
     Lift::Kind::Slots, Schedule::Cyclic},
};

TEST(Gradients, OfRandomProgramsAreThoseOfDifferences) {
  ProgramContext program;
  std::mt19937 random(7);
  for (const Kind &kind : kinds)
    for (int repetition = 0; repetition < 4; ++repetition) {
      const std::string text = randomProgram(random, kind.algebra, kind.lift, kind.schedule);
      SCOPED_TRACE(text);
      auto module = program.parse(text);
      ASSERT_TRUE(module);
      auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
      const int64_t types = kind.lift == Lift::Kind::Rows ? (kind.algebra == "Q(2)*M(2)" ? 2 : 3) : 1;
      checkGradients(function, randomArguments(random, function, 5, 1, types), random);
    }
}

// The body of one map, on numbers between 0 and 2.
class BodyRules : public testing::TestWithParam<std::string> {};

TEST_P(BodyRules, AreThoseOfDifferences) {
  ProgramContext program;
  std::mt19937 random(3);
  const std::string text = fmt::format(R"mlir(
!v = !alg.slots<?x6xf32, plain(3)>
func.func @forward(%x: tensor<?x6xf32> loc("x"), %z: tensor<?x6xf32> loc("z")) -> tensor<?x6xf32> {{
  %xs = alg.slots %x plain(3) : tensor<?x6xf32>
  %zs = alg.slots %z plain(3) : tensor<?x6xf32>
  %ys = alg.map %xs, %zs : !v {{
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 1.5 : f32
    %s = arith.mulf %a, %b : f32
    {}
    %t = arith.addf %r, %s : f32
    alg.yield %t : f32
  }}
  %y = alg.gather %ys : !v
  return %y : tensor<?x6xf32>
}})mlir",
                                       GetParam());
  auto module = program.parse(text);
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  NamedArrays arguments = randomArguments(random, function, 4, 0, 1);
  for (auto &[name, array] : arguments)
    for (double &value : array.values)
      value += 1;
  checkGradients(function, arguments, random);
}

INSTANTIATE_TEST_SUITE_P(
    , BodyRules,
    testing::Values("%e = math.exp %a : f32\n %d = arith.addf %e, %c : f32\n %r = arith.divf %b, %d : f32",
                    "%e = math.exp %a : f32\n %d = arith.addf %b, %e : f32\n %r = arith.divf %e, %d : f32",
                    "%r = arith.addf %a, %b : f32", "%r = arith.subf %a, %b : f32",
                    "%r = arith.mulf %a, %a : f32", "%r = arith.divf %a, %b : f32",
                    "%r = arith.negf %a : f32", "%r = arith.maximumf %a, %b : f32",
                    "%r = arith.minimumf %a, %b : f32", "%r = arith.maxnumf %b, %a : f32",
                    "%r = arith.minnumf %b, %a : f32",
                    "%k = arith.cmpf olt, %a, %b : f32\n %q = arith.negf %b : f32\n"
                    "%r = arith.select %k, %a, %q : f32",
                    "%k = arith.truncf %a : f32 to bf16\n %r = arith.extf %k : bf16 to f32",
                    "%r = math.fma %a, %b, %a : f32", "%r = math.exp %a : f32", "%r = math.exp2 %a : f32",
                    "%r = math.log2 %a : f32", "%r = math.expm1 %a : f32", "%r = math.log %a : f32",
                    "%r = math.log1p %a : f32", "%r = math.tanh %a : f32", "%r = math.erf %a : f32",
                    "%r = math.sqrt %a : f32", "%r = math.rsqrt %a : f32",
                    "%k = arith.subf %a, %c : f32\n %r = math.absf %k : f32", "%r = math.sin %a : f32",
                    "%r = math.cos %a : f32", "%r = math.powf %a, %c : f32",
                    "%k = math.tanh %a : f32\n %r = math.tan %k : f32",
                    "%k = math.tanh %a : f32\n %r = math.asin %k : f32",
                    "%k = math.tanh %a : f32\n %r = math.acos %k : f32",
                    "%k = math.tanh %a : f32\n %r = math.atanh %k : f32", "%r = math.atan %a : f32",
                    "%r = math.sinh %a : f32", "%r = math.cosh %a : f32", "%r = math.asinh %a : f32",
                    "%k = arith.addf %a, %c : f32\n %r = math.acosh %k : f32", "%r = math.erfc %a : f32",
                    "%r = math.cbrt %a : f32", "%r = math.floor %a : f32"));

// Functions whose exponential is beyond all numbers.
struct Saturating {
  std::string body;
  double slope_above; ///< of large arguments; of large negative ones it is 0
};

const std::vector<double> beyond = {-3e38, -1e4, -750, -100, 100, 750, 1e4, 3e38};

class Slopes : public testing::TestWithParam<Saturating> {};
class SlopesOfSlopes : public testing::TestWithParam<Saturating> {};

mlir::OwningOpRef<mlir::ModuleOp> ofOneNumber(ProgramContext &program, const std::string &body) {
  return program.parse(fmt::format(R"mlir(
!v = !alg.slots<?x1xf32, plain(1)>
func.func @forward(%x: tensor<?x1xf32> loc("x")) -> tensor<?x1xf32> {{
  %xs = alg.slots %x plain(1) : tensor<?x1xf32>
  %ys = alg.map %xs : !v {{
  ^bb0(%a: f32):
    %c = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    {}
    alg.yield %r : f32
  }}
  %y = alg.gather %ys : !v
  return %y : tensor<?x1xf32>
}})mlir",
                                   body));
}

TEST_P(Slopes, AreTheirLimitsWhereExponentialsAreInfinite) {
  ProgramContext program;
  auto module = ofOneNumber(program, GetParam().body);
  ASSERT_TRUE(module);
  auto gradient =
      compiler::differentiate(module->lookupSymbol<mlir::func::FuncOp>("forward"), {"gradient", {0}, ""});
  ASSERT_TRUE(mlir::succeeded(gradient));
  const auto rows = static_cast<int64_t>(beyond.size());
  const compiler::DenseArray ones{{rows, 1}, std::vector<double>(beyond.size(), 1)};
  const std::vector<compiler::DenseArray> slopes = call(*gradient, {{"x", {{rows, 1}, beyond}}}, {ones});
  ASSERT_EQ(slopes.size(), 1);
  for (size_t input = 0; input < beyond.size(); ++input)
    EXPECT_NEAR(slopes[0].values[input], beyond[input] > 0 ? GetParam().slope_above : 0, 1e-28)
        << beyond[input];
}

// And so are the slopes of slopes, and theirs: all are zero.
TEST_P(SlopesOfSlopes, VanishWhereExponentialsAreInfinite) {
  ProgramContext program;
  auto module = ofOneNumber(program, GetParam().body);
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  const auto rows = static_cast<int64_t>(beyond.size());
  const compiler::DenseArray ones{{rows, 1}, std::vector<double>(beyond.size(), 1)};
  std::vector<compiler::DenseArray> arguments = {{{rows, 1}, beyond}};
  for (const char *name : {"first", "second", "third"}) {
    SCOPED_TRACE(name);
    const unsigned of_x = function.getNumArguments() - 1; // behind the gradients of results
    auto gradient = compiler::differentiate(function, {name, {of_x}, ""});
    ASSERT_TRUE(mlir::succeeded(gradient));
    function = *gradient;
    arguments.insert(arguments.begin(), ones);
    const auto slopes = compiler::evaluate(function, arguments);
    ASSERT_TRUE(mlir::succeeded(slopes));
    for (size_t input = 0; input < beyond.size(); ++input)
      if (arguments.size() > 2) {
        EXPECT_NEAR((*slopes)[0].values[input], 0, 1e-28) << beyond[input];
      }
  }
}

// Between, they are those of differences.
TEST_P(SlopesOfSlopes, AreThoseOfDifferences) {
  ProgramContext program;
  std::mt19937 random(13);
  auto module = ofOneNumber(program, GetParam().body);
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  auto gradient = compiler::differentiate(function, {"slope", {0}, ""});
  ASSERT_TRUE(mlir::succeeded(gradient));
  checkGradients(*gradient, randomArguments(random, *gradient, 6, 0, 1), random);
}

const auto quotients =
    testing::Values(Saturating{"%d = arith.addf %c, %e : f32\n %r = arith.divf %a, %d : f32", 1},
                    // Behind a change of type, too.
                    Saturating{"%b = arith.truncf %e : f32 to bf16\n %w = arith.extf %b : bf16 to f32\n"
                               "%d = arith.addf %c, %w : f32\n %r = arith.divf %a, %d : f32",
                               1},
                    Saturating{"%d = arith.addf %e, %c : f32\n %r = arith.divf %c, %d : f32", 0},
                    Saturating{"%p = math.exp2 %n : f32\n"
                               "%d = arith.addf %c, %p : f32\n %r = arith.divf %a, %d : f32",
                               1},
                    Saturating{"%k = arith.constant 0.3 : f32\n"
                               "%d = arith.addf %k, %e : f32\n %r = arith.divf %k, %d : f32",
                               0},
                    // A part of the exponential is added, or taken away, or the constant is.
                    Saturating{"%k = arith.constant 2.5 : f32\n %t = arith.mulf %k, %e : f32\n"
                               "%d = arith.addf %c, %t : f32\n %r = arith.divf %a, %d : f32",
                               1},
                    Saturating{"%k = arith.constant 9.0 : f32\n"
                               "%d = arith.subf %k, %e : f32\n %r = arith.divf %a, %d : f32",
                               1. / 9},
                    Saturating{"%k = arith.constant -0.5 : f32\n %t = arith.mulf %e, %c : f32\n"
                               "%d = arith.subf %t, %k : f32\n %r = arith.divf %a, %d : f32",
                               2});

INSTANTIATE_TEST_SUITE_P(OfQuotients, Slopes, quotients);
INSTANTIATE_TEST_SUITE_P(OfQuotients, SlopesOfSlopes, quotients);
// Behind another function, and where the exponential is not taken.
INSTANTIATE_TEST_SUITE_P(
    OfOthers, Slopes,
    testing::Values(Saturating{"%k = arith.constant 2.0 : f32\n %m = math.expm1 %n : f32\n"
                               "%d = arith.addf %k, %m : f32\n %r = arith.divf %a, %d : f32",
                               1},
                    Saturating{"%z = arith.constant 0.0 : f32\n %p = math.exp %a : f32\n"
                               "%l = arith.subf %p, %c : f32\n %k = arith.cmpf ogt, %a, %z : f32\n"
                               "%r = arith.select %k, %a, %l : f32",
                               1},
                    Saturating{"%d = arith.addf %c, %e : f32\n %s = arith.mulf %d, %d : f32\n"
                               "%r = arith.divf %a, %s : f32",
                               1}));

// Gradients are programs, too: of contractions in modes i and j, and of products of weight matrices.
TEST(Gradients, OfGradientsAndOfProductsOfWeights) {
  ProgramContext program;
  std::mt19937 random(11);
  auto module = program.parse(R"mlir(
#q2 = #alg.algebra<"Q(2)">
!x = !alg.slots<?x5xf32, rows(cyclic 2), cols([2, 3])>
!y = !alg.slots<?x3xf32, rows(cyclic 2), cols([1, 2])>
!w = !alg.slots<5x4xf32, rows([2, 3]), cols([3, 1])>
!v = !alg.slots<4x3xf32, rows([3, 1]), cols([1, 2])>
!wv = !alg.slots<5x3xf32, rows([2, 3]), cols([1, 2])>
func.func @forward(%x: tensor<?x5xf32> loc("x"), %w: tensor<5x4xf32> loc("w"), %v: tensor<4x3xf32> loc("v"),
                   %p0: index loc("p0")) -> (tensor<?x5xf32>, tensor<5x3xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols([2, 3]) : tensor<?x5xf32>
  %ws = alg.slots %w rows([2, 3]) cols([3, 1]) : tensor<5x4xf32>
  %vs = alg.slots %v rows([3, 1]) cols([1, 2]) : tensor<4x3xf32>
  %wv = alg.contract %ws, %vs by #q2 -> k : !w, !v
  %ys = alg.contract %xs, %wv by #q2 -> k : !x, !wv
  %dw = alg.contract %xs, %ys by #q2 -> j : !x, !y
  %dx = alg.contract %ys, %dw by #q2 -> i : !y, !wv
  %a = alg.gather %dx : !x
  %b = alg.gather %dw : !wv
  return %a, %b : tensor<?x5xf32>, tensor<5x3xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  checkGradients(function, randomArguments(random, function, 5, 1, 2), random);
}

// A bias, a tensor with two views, and sums of statistics.
TEST(Gradients, OfWhatIsShared) {
  ProgramContext program;
  std::mt19937 random(5);
  auto module = program.parse(R"mlir(
!x = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!fine = !alg.slots<?x4xf32, rows(cyclic 2), cols(4 x 1)>
!w = !alg.slots<4x4xf32, rows(2 x 2), cols(2 x 2)>
func.func @forward(%x: tensor<?x4xf32> loc("x"), %w: tensor<4x4xf32> loc("w"), %b: tensor<4xf32> loc("b"))
    -> (tensor<?x4xf32>, tensor<?xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 2) : tensor<?x4xf32>
  %again = alg.slots %x rows(cyclic 2) cols(4 x 1) : tensor<?x4xf32>
  %regrouped = alg.regroup %again : !fine to !x
  %ws = alg.slots %w rows(2 x 2) cols(2 x 2) : tensor<4x4xf32>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.map %sums columns %b : (!x, tensor<4xf32>) -> !x {
  ^bb0(%sum: f32, %bias: f32):
    %biased = arith.addf %sum, %bias : f32
    alg.yield %biased : f32
  }
  %s = alg.reduce sum %ys over columns : !x -> tensor<?xf32>
  %t = alg.reduce maximum %regrouped over columns : !x -> tensor<?xf32>
  %u = arith.addf %s, %t : tensor<?xf32>
  %zs = alg.map %ys rows %u : (!x, tensor<?xf32>) -> !x {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %c : f32
    alg.yield %r : f32
  }
  %z = alg.gather %zs : !x
  return %z, %u : tensor<?x4xf32>, tensor<?xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  checkGradients(function, randomArguments(random, function, 3, 0, 2), random);
}

// Sums of columns as numbers among each other: products, quotients, differences, negatives.
TEST(Gradients, OfArithmeticOnStatistics) {
  ProgramContext program;
  std::mt19937 random(7);
  auto module = program.parse(R"mlir(
!x = !alg.slots<?x4xf32, plain(2)>
func.func @forward(%x: tensor<?x4xf32> loc("x"), %b: tensor<4xf32> loc("b")) -> (tensor<?x4xf32>, tensor<4xf32>) {
  %xs = alg.slots %x plain(2) : tensor<?x4xf32>
  %squares = alg.map %xs : !x {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %one : f32
    alg.yield %t : f32
  }
  %positive = alg.reduce sum %squares over rows : !x -> tensor<4xf32>
  %sums = alg.reduce sum %xs over rows : !x -> tensor<4xf32>
  %p = arith.mulf %sums, %b : tensor<4xf32>
  %q = arith.divf %p, %positive : tensor<4xf32>
  %n = arith.negf %q : tensor<4xf32>
  %d = arith.subf %n, %sums : tensor<4xf32>
  %e = arith.mulf %d, %d : tensor<4xf32>
  %zs = alg.map %xs columns %e : (!x, tensor<4xf32>) -> !x {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %c : f32
    alg.yield %r : f32
  }
  %z = alg.gather %zs : !x
  return %z, %d : tensor<?x4xf32>, tensor<4xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  checkGradients(function, randomArguments(random, function, 3, 0, 2), random);
}

// Elements that are equal to the maximum share its gradient.
TEST(Gradients, OfMaximaAreShared) {
  ProgramContext program;
  auto module = program.parse(R"mlir(
func.func @forward(%x: tensor<?x4xf32> loc("x")) -> tensor<?xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x4xf32>
  %y = alg.reduce maximum %xs over columns : !alg.slots<?x4xf32, plain(2)> -> tensor<?xf32>
  return %y : tensor<?xf32>
})mlir");
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  auto gradient = compiler::differentiate(function, {.name = "dx", .arguments = {0}, .keeping = ""});
  ASSERT_TRUE(mlir::succeeded(gradient));
  EXPECT_EQ(call(*gradient, {{"x", {{2, 4}, {1, 3, 3, 2, 5, 4, 4, 4}}}}, {{{2}, {6, 7}}}),
            (std::vector<compiler::DenseArray>{{{2, 4}, {0, 3, 3, 0, 7, 0, 0, 0}}}));
}

} // namespace
