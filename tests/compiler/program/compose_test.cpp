// alg-compose computes what the program did before, up to the rounding of doubles, in either lift.
#include "compiler/program/passes.h"
#include "tests/compiler/program/parsed_program.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

namespace {

using namespace program_test;

constexpr const char *rows_lift = R"mlir(
#t = #alg.algebra<"T(3)">
!x = !alg.slots<?x6xf32, rows(cyclic 3), cols([1, 2, 3])>
!h = !alg.slots<?x9xf32, rows(cyclic 3), cols([4, 3, 2])>
func.func @forward(%x: tensor<?x6xf32> loc("x"), %w: tensor<6x9xf32> loc("w"), %v: tensor<9x6xf32> loc("v"),
                   %p0: index loc("p0")) -> tensor<?x6xf32> {
  %xs = alg.slots %x rows(cyclic 3, %p0) cols([1, 2, 3]) : tensor<?x6xf32>
  %ws = alg.slots %w rows([1, 2, 3]) cols([4, 3, 2]) : tensor<6x9xf32>
  %vs = alg.slots %v rows([4, 3, 2]) cols([1, 2, 3]) : tensor<9x6xf32>
  %hs = alg.contract %xs, %ws by #t -> k : !x, !alg.slots<6x9xf32, rows([1, 2, 3]), cols([4, 3, 2])>
  %ys = alg.contract %hs, %vs by #t -> k : !h, !alg.slots<9x6xf32, rows([4, 3, 2]), cols([1, 2, 3])>
  %y = alg.gather %ys : !x
  return %y : tensor<?x6xf32>
})mlir";

// M(2) does not commute: the factors of the composition have an order.
constexpr const char *slots_lift = R"mlir(
#m = #alg.algebra<"M(2)">
!x = !alg.slots<?x8xf32, plain(4)>
!h = !alg.slots<?x12xf32, plain(4)>
func.func @forward(%x: tensor<?x8xf32> loc("x"), %w: tensor<4x2x3xf32> loc("w"), %v: tensor<4x3x2xf32> loc("v"))
    -> tensor<?x8xf32> {
  %xs = alg.slots %x plain(4) : tensor<?x8xf32>
  %ws = alg.slots %w plain(4) : tensor<4x2x3xf32>
  %vs = alg.slots %v plain(4) : tensor<4x3x2xf32>
  %hs = alg.contract %xs, %ws by #m -> k : !x, !alg.slots<4x2x3xf32, plain(4)>
  %ys = alg.contract %hs, %vs by #m -> k : !h, !alg.slots<4x3x2xf32, plain(4)>
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
})mlir";

TEST(Composition, KeepsWhatProgramsCompute) {
  ProgramContext program;
  std::mt19937 random(6);
  for (const char *text : {rows_lift, slots_lift}) {
    SCOPED_TRACE(text);
    auto module = program.parse(text);
    ASSERT_TRUE(module);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
    const NamedArrays arguments = randomArguments(random, function, 7, 1, 3);
    const std::vector<compiler::DenseArray> before = call(function, arguments);
    mlir::PassManager passes(&program.context);
    compiler::AlgComposeOptions options;
    options.constant = true;
    passes.addPass(compiler::createAlgCompose(options));
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    int of_weights = 0;
    module->walk([&](alg::ContractOp contract) { of_weights += contract.getLhs().getType().isWeights(); });
    EXPECT_EQ(of_weights, 1);
    const std::vector<compiler::DenseArray> after = call(function, arguments);
    ASSERT_EQ(after.size(), before.size());
    ASSERT_EQ(after.front().shape, before.front().shape);
    for (size_t i = 0; i < before.front().values.size(); ++i)
      EXPECT_NEAR(after.front().values[i], before.front().values[i], 1e-12);
  }
}

} // namespace
