// The kernel that lists rows by type, on the model of the SM: any batch, any grid, every seed.
#include "compiler/simulator/kernel_module.h"
#include "tests/simulator/kernels/row_list_case.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

constexpr RowForm forms[] = {RowForm::Types, RowForm::Positions, RowForm::Sequences,
                             RowForm::SequencesFromZero, RowForm::EqualSequences};

class Kernel {
public:
  explicit Kernel(int64_t threads) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                        mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
    module = compiler::groupRowsModule(context, threads);
    host.emplace(*module);
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<compiler::HostKernel> host;
};

// Fewer rows than threads, as many, and pieces of several rows, the last of them shorter or empty.
TEST(GroupRows, ListsRowsByType) {
  std::mt19937_64 random(1);
  for (const int32_t threads : {32, 64, 128}) {
    const Kernel kernel(threads);
    for (const RowForm form : forms)
      for (const int32_t rows : {0, 1, 2, 31, 33, 63, 64, 65, 129, 300})
        for (uint64_t seed = 0; seed < 3; ++seed) {
          const RowListCase batch = randomRowList(random, form, rows);
          for (const int64_t blocks : {int64_t{1}, int64_t{3}, int64_t{batch.types + 1}})
            ASSERT_EQ(batch.run(*kernel.host, threads, blocks, seed), "")
                << rows << " rows of " << batch.types << " types of width " << batch.width << ", form "
                << static_cast<int>(form) << (batch.wide ? ", wide" : "") << ", " << threads << " threads, "
                << blocks << " blocks, seed " << seed;
        }
  }
}

// As many threads as the compiler takes.
TEST(GroupRows, OfWholeBlocks) {
  std::mt19937_64 random(2);
  const Kernel kernel(compiler::group_rows_threads);
  for (const RowForm form : forms)
    for (const int32_t rows : {5, 2500}) {
      const RowListCase batch = randomRowList(random, form, rows);
      EXPECT_EQ(batch.run(*kernel.host, compiler::group_rows_threads, batch.types + 1, 1), "");
    }
}

TEST(GroupRows, AllOfOneTypeOrOfNone) {
  const Kernel kernel(64);
  for (const int64_t type : {0, 4, -1}) {
    RowListCase batch;
    batch.rows = 150;
    batch.types = 5;
    batch.numbers.assign(150, type);
    for (const int64_t blocks : {1, 6})
      EXPECT_EQ(batch.run(*kernel.host, 64, blocks, 3), "") << "all of type " << type;
  }
}

// A quarter of a pipeline of 768 positions for each type, as GPT-2's layers have them.
TEST(GroupRows, LongRunsOfOneType) {
  const Kernel kernel(128);
  RowListCase batch;
  batch.form = RowForm::Sequences;
  batch.wide = true;
  batch.types = 4;
  batch.width = 192;
  batch.rows = 1000;
  batch.numbers = {0, 600, 600, 601, 1000};
  batch.firsts = {0, 3, 767, (int64_t{1} << 40) + 500};
  EXPECT_EQ(batch.run(*kernel.host, 128, 5, 1), "");
}

// Sequences that do not ascend are somebody's mistake, of which nothing may be touched that is not the
// kernel's.
TEST(GroupRows, WrongSequencesTouchNothingElse) {
  const Kernel kernel(32);
  RowListCase batch;
  batch.form = RowForm::SequencesFromZero;
  batch.types = 3;
  batch.rows = 40;
  for (const std::vector<int64_t> &starts :
       {std::vector<int64_t>{0, 70, 3, 40}, {90, 50, 40}, {5, 10}, {0, 20}, {-8, -3, 1000}}) {
    batch.numbers = starts;
    EXPECT_EQ(batch.make(*kernel.host, 32, 4, 1).fault, "");
  }
}

} // namespace
