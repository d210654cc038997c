// Faults planted in the kernel that lists rows by type, one at a time: the simulator has to object, or the
// list is wrong.
#include "compiler/process/failure.h"
#include "tests/mutation/plain_code.h"
#include "tests/simulator/kernels/row_list_case.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>
#include <map>

using namespace mutation_test;
using namespace simulator_test;

namespace {

constexpr int32_t block_threads = 64;

// What survives, and why it is no fault.
const std::map<std::string, std::string> &survivors() {
  static const std::map<std::string, std::string> reasons = {
      {"late nvvm.barrier #0",
       "it comes where the loop over warps begins anew, before each read of a sum: more often "
       "than needed, by all threads alike"},
      {"late nvvm.barrier #1", "it comes where the loop over types begins anew, which all threads do alike"},
      {"always llvm.icmp #3", "a type that is none is neither the one looked for nor, unsigned, below it"},
      {"always llvm.icmp #28", "a type that is none is not the one looked for"},
  };
  return reasons;
}

const std::map<std::string, std::string> &survivorsOfExperts() {
  static const std::map<std::string, std::string> reasons = {
      {"late nvvm.barrier #0", "as in the kernel of one network"},
      {"late nvvm.barrier #1", "as in the kernel of one network"},
  };
  return reasons;
}

class Laboratory {
public:
  explicit Laboratory(compiler::ListedNetworks networks) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                        mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
    module = compiler::groupRowsModule(context, block_threads, networks);
    std::mt19937_64 random(5);
    if (networks == compiler::ListedNetworks::Experts) {
      for (const int32_t rows : {5, 150, 333})
        for (int seed = 0; seed < 12; ++seed)
          batches.push_back(randomExpertList(random, rows));
      RowListCase last_row; // one thread has rows of no expert before the only one of an expert
      last_row.form = RowForm::EqualSequences;
      last_row.rows = 333;
      last_row.experts.starts = {332, 333};
      batches.push_back(last_row);
      return;
    }
    for (const RowForm form : {RowForm::Types, RowForm::Positions, RowForm::Sequences,
                               RowForm::SequencesFromZero, RowForm::EqualSequences})
      for (const int32_t rows : {5, 150, 333})
        for (int seed = 0; seed < 3; ++seed)
          batches.push_back(randomRowList(random, form, rows));
    RowListCase few; // rows with a type: most have none, and do not count
    few.types = 3;
    few.rows = 200;
    for (int32_t row = 0; row < few.rows; ++row)
      few.numbers.push_back(row % 20 == 3 ? row / 20 % 3 : -1);
    batches.push_back(few);
  }
  std::string objection(mlir::ModuleOp mutant) const {
    try {
      const compiler::HostKernel kernel(mutant);
      uint64_t seed = 0;
      for (const RowListCase &batch : batches)
        for (const int64_t blocks : {2, 4})
          if (std::string text = batch.run(kernel, block_threads, blocks, ++seed); !text.empty())
            return text;
    } catch (const compiler::Failure &failure) {
      return failure.what();
    }
    return "";
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<RowListCase> batches;
};

void expectFoundOut(compiler::ListedNetworks networks, const std::map<std::string, std::string> &survivors) {
  Laboratory laboratory(networks);
  ASSERT_EQ(laboratory.objection(*laboratory.module), "") << "the kernel as it is";
  std::map<std::string, bool> seen;
  for (const Mutation &mutation : mutationsOfPlainCode(*laboratory.module)) {
    if (!seen.emplace(mutation.name, true).second)
      continue; // planted already
    mlir::OwningOpRef<mlir::ModuleOp> mutant = laboratory.module->clone();
    mutation.apply(*mutant);
    const bool survives = laboratory.objection(*mutant).empty();
    EXPECT_EQ(survives, survivors.contains(mutation.name)) << mutation.name << "\n  " << mutation.op;
  }
  for (const auto &[name, reason] : survivors)
    EXPECT_TRUE(seen.contains(name)) << "listed as a survivor, but no mutation: " << name;
  EXPECT_GT(seen.size(), 50u);
}

TEST(GroupRowsMutants, AreFoundOut) { expectFoundOut(compiler::ListedNetworks::One, survivors()); }
TEST(GroupRowsMutants, OfExpertsAreFoundOut) {
  expectFoundOut(compiler::ListedNetworks::Experts, survivorsOfExperts());
}

} // namespace
