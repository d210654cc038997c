// alg-fuse computes what the program did before, to the last bit.
#include "algebras/expression.h"
#include "compiler/program/differentiate.h"
#include "compiler/program/passes.h"
#include "compiler/program/swiglu.h"
#include "tests/compiler/program/parsed_program.h"
#include "tests/compiler/program/random_program.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace program_test;
using algebras::Lift;

/// The numbers of contractions and of kernels.
struct Counts {
  int contractions = 0, steps = 0, kernels = 0;
};

/// Fuses the module and compares `forward`.
Counts checkFusion(mlir::ModuleOp module, const NamedArrays &arguments, int64_t results,
                   bool layers = false) {
  auto forward = [&] { return module.lookupSymbol<mlir::func::FuncOp>("forward"); };
  const std::vector<compiler::DenseArray> before = call(forward(), arguments);
  mlir::PassManager passes(module.getContext());
  compiler::AlgFuseOptions options;
  options.results = results;
  options.layers = layers;
  options.remarks = false;
  passes.addPass(compiler::createAlgFuse(options));
  EXPECT_TRUE(mlir::succeeded(passes.run(module)));
  EXPECT_EQ(call(forward(), arguments), before);
  Counts counts;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const bool is_kernel = function.isPrivate();
    counts.kernels += is_kernel;
    function.walk([&](mlir::Operation *op) {
      counts.contractions += mlir::isa<alg::ContractOp>(op);
      counts.steps += mlir::isa<alg::ContractOp, alg::MapOp, alg::ReduceOp>(op);
      // The program is calls alone.
      EXPECT_TRUE(is_kernel || mlir::isa<mlir::func::CallOp>(op) || mlir::isa<mlir::func::FuncOp>(op) ||
                  mlir::isa<mlir::func::ReturnOp>(op));
    });
  }
  return counts;
}

TEST(Fusion, KeepsWhatRandomProgramsCompute) {
  ProgramContext program;
  std::mt19937 random(9);
  Counts all;
  int kernels_of_layers = 0;
  for (const auto &[algebra, lift] :
       {std::pair("Q(3)", Lift::Kind::Rows), std::pair("T(3)", Lift::Kind::Rows),
        std::pair("D(3)", Lift::Kind::Slots)})
    for (int repetition = 0; repetition < 6; ++repetition) {
      const std::string text = randomProgram(random, algebra, lift, Schedule::Cyclic);
      SCOPED_TRACE(text);
      auto module = program.parse(text);
      ASSERT_TRUE(module);
      auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
      const NamedArrays arguments = randomArguments(random, function, 5, 1, 3);
      const Counts counts = checkFusion(*module, arguments, 1 + repetition % 2);
      // Products one behind the other are apart, unless a kernel may have two layers.
      EXPECT_GE(counts.kernels, counts.contractions);
      all.steps += counts.steps;
      all.kernels += counts.kernels;
      module = program.parse(text);
      kernels_of_layers += checkFusion(*module, arguments, 1 + repetition % 2, /*layers=*/true).kernels;
    }
  EXPECT_LT(all.kernels, all.steps);
  EXPECT_LT(kernels_of_layers, all.kernels);
}

// A bundle says at most 64 weight matrices of a kernel.
TEST(Fusion, LeavesKernelsWithNoMoreProductsThanABundleCanSay) {
  ProgramContext program;
  std::mt19937 random(5);
  const int products = 65;
  std::string arguments, body, sums, types, numbers, total = "%n0";
  for (int product = 0; product < products; ++product) {
    arguments += fmt::format(", %w{0}: tensor<2x2xf32> loc(\"w{0}\")", product);
    body += fmt::format("  %v{0} = alg.slots %w{0} rows(2 x 1) cols(2 x 1) : tensor<2x2xf32>\n"
                        "  %p{0} = alg.contract %xs, %v{0} by #alg.algebra<\"Q(2)\"> -> k : !x, !w\n",
                        product);
    sums += fmt::format("{}%p{}", product ? ", " : "", product);
    types += product ? ", !x" : "!x";
    numbers += fmt::format("{}%n{}: f32", product ? ", " : "", product);
  }
  std::string additions;
  for (int product = 1; product < products; ++product) {
    additions += fmt::format("    %t{0} = arith.addf {1}, %n{0} : f32\n", product, total);
    total = fmt::format("%t{}", product);
  }
  auto module = program.parse(fmt::format(R"mlir(
!x = !alg.slots<?x2xf32, rows(cyclic 2), cols(2 x 1)>
!w = !alg.slots<2x2xf32, rows(2 x 1), cols(2 x 1)>
func.func @forward(%x: tensor<?x2xf32> loc("x"){}) -> tensor<?x2xf32> {{
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 1) : tensor<?x2xf32>
{}  %ys = alg.map {} : ({}) -> !x {{
  ^bb0({}):
{}    alg.yield {} : f32
  }}
  %y = alg.gather %ys : !x
  return %y : tensor<?x2xf32>
}})mlir",
                                          arguments, body, sums, types, numbers, additions, total));
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  EXPECT_GT(checkFusion(*module, randomArguments(random, function, 3, 0, 2), 1).kernels, 1);
}

TEST(Fusion, OfSwigluIsTwoKernels) {
  ProgramContext program;
  std::mt19937 random(2);
  const Lift lift = Lift::rows(algebras::parseExpression("Q(2)"));
  for (const bool bias : {false, true}) {
    auto module = compiler::buildSwiglu(program.context, {.lift = lift,
                                                          .in = algebras::Groups::equal(2, 2),
                                                          .hidden = algebras::Groups::equal(2, 3),
                                                          .out = algebras::Groups::equal(2, 2),
                                                          .row_types = algebras::RowTypes::cyclic(2),
                                                          .bias = bias});
    ASSERT_TRUE(module);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
    const Counts counts = checkFusion(*module, randomArguments(random, function, 5, 1, 2), 1);
    EXPECT_EQ(counts.contractions, 3);
    EXPECT_EQ(counts.kernels, 2);
  }
}

// Gradients are programs: one with results that several steps read.
TEST(Fusion, KeepsWhatGradientsCompute) {
  ProgramContext program;
  std::mt19937 random(3);
  auto module = program.parse(randomProgram(random, "Q(3)", Lift::Kind::Rows, Schedule::Explicit));
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
  const NamedArrays arguments = randomArguments(random, function, 6, 0, 3);
  auto gradient = compiler::differentiate(function, {.name = "dx", .arguments = {0}, .keeping = ""});
  ASSERT_TRUE(mlir::succeeded(gradient));
  std::vector<compiler::DenseArray> upstream;
  for (const compiler::DenseArray &result : call(function, arguments))
    upstream.push_back(randomArray(random, result.shape));
  const std::vector<compiler::DenseArray> before = call(*gradient, arguments, upstream);
  mlir::PassManager passes(&program.context);
  passes.addPass(compiler::createAlgFuse());
  mlir::ScopedDiagnosticHandler quiet(&program.context, [](mlir::Diagnostic &) {});
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  EXPECT_EQ(call(module->lookupSymbol<mlir::func::FuncOp>("dx"), arguments, upstream), before);
}

} // namespace
