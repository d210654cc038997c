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
  explicit Kernel(int64_t threads, compiler::ListedNetworks networks = compiler::ListedNetworks::One) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                        mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
    module = compiler::groupRowsModule(context, threads, networks);
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

// Of each expert, one after another, the rows of each type; rows of the batch for X where a list names them.
TEST(GroupRows, OfExpertsListsTheRowsOfEach) {
  std::mt19937_64 random(7);
  for (const int32_t threads : {32, 64, 128}) {
    const Kernel kernel(threads, compiler::ListedNetworks::Experts);
    for (const int32_t rows : {1, 2, 31, 33, 65, 129, 300})
      for (uint64_t seed = 0; seed < 12; ++seed) {
        const RowListCase batch = randomExpertList(random, rows);
        const int32_t segments = batch.types * batch.experts.count();
        for (const int64_t blocks : {int64_t{1}, int64_t{3}, int64_t{segments + 1}})
          ASSERT_EQ(batch.run(*kernel.host, threads, blocks, seed), "")
              << rows << " rows of " << batch.experts.count() << " experts, " << threads << " threads, "
              << blocks << " blocks, seed " << seed;
      }
  }
}

// Starts that no host has looked at: nothing else is touched, and no type has rows that are not there.
TEST(GroupRows, WrongStartsOfExpertsTouchNothingElse) {
  const Kernel kernel(32, compiler::ListedNetworks::Experts);
  RowListCase batch;
  batch.form = RowForm::EqualSequences;
  batch.types = 3;
  batch.rows = 40;
  batch.experts.batch_rows = 25;
  batch.experts.list_of_x = true;
  for (int32_t row = 0; row < batch.rows; ++row)
    batch.experts.list.push_back(row * 7 % 60 - 20);
  for (const std::vector<int32_t> &starts :
       {std::vector<int32_t>{-7, 5, 5, 90, 40}, {40, 70, 3, 20, 0}, {-9, -3, 0, 100, 100}, {5, 9, 3, 5, 5}}) {
    batch.experts.starts = starts;
    const RowListCase::Made made = batch.make(*kernel.host, 32, 4, 1);
    EXPECT_EQ(made.fault, "");
    const auto segments = static_cast<size_t>(batch.types * batch.experts.count());
    for (size_t word = 1; word <= segments + 1; ++word) {
      EXPECT_GE(made.list[word], 0);
      EXPECT_LE(made.list[word], batch.rows);
    }
    // What a segment's rows are is written, wherever they begin.
    for (size_t segment = 0; segment < segments; ++segment)
      for (int32_t place = made.list[segment + 1]; place < made.list[segment + 2]; ++place) {
        EXPECT_GE(made.list[segments + 2 + static_cast<size_t>(place)], 0);
        EXPECT_LT(made.list[segments + 2 + static_cast<size_t>(place)], batch.rows);
        EXPECT_GE(made.of_x[segments + 2 + static_cast<size_t>(place)], 0);
        EXPECT_LT(made.of_x[segments + 2 + static_cast<size_t>(place)], batch.experts.batch_rows);
      }
  }
}

} // namespace
