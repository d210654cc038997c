// Faults planted in the kernel that lists rows by type, one at a time: the simulator has to object, or the
// list is wrong. Beside those of all kernels: an access is missing or further on, a sum is off by one.
#include "compiler/failure.h"
#include "tests/mutation/edits.h"
#include "tests/mutation/mutations.h"
#include "tests/simulator/kernels/row_list_case.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <map>

using namespace mutation_test;
using namespace simulator_test;

namespace {

constexpr std::int32_t block_threads = 64;

// What survives, and why it is no fault.
const std::map<std::string, std::string> &survivors() {
  static const std::map<std::string, std::string> reasons = {
      {"late nvvm.barrier #0",
       "it comes where the loop over warps begins anew, before each read of a sum: more often "
       "than needed, by all threads alike"},
      {"late nvvm.barrier #1", "it comes where the loop over types begins anew, which all threads do alike"},
      {"always llvm.icmp #3", "a type that is none is neither the one looked for nor, unsigned, below it"},
      {"always llvm.icmp #27", "a type that is none is not the one looked for"},
  };
  return reasons;
}

std::vector<mlir::Operation *> opsOf(mlir::ModuleOp module) {
  std::vector<mlir::Operation *> ops;
  module.walk([&](mlir::Operation *op) { ops.push_back(op); });
  return ops;
}

// Those of memory and arithmetic, by the number of the op in the module.
std::vector<Mutation> furtherMutations(mlir::ModuleOp module) {
  std::vector<Mutation> found;
  std::map<std::string, int> ordinals;
  const std::vector<mlir::Operation *> ops = opsOf(module);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    mlir::Operation *op = ops[i];
    const std::string name = op->getName().getStringRef().str();
    const int ordinal = ordinals[name]++;
    auto add = [&](const std::string &what, std::function<void(mlir::Operation *)> edit) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      op->print(stream);
      found.push_back({what, what + " " + name + " #" + std::to_string(ordinal), text,
                       [i, edit](mlir::ModuleOp mutant) { edit(opsOf(mutant)[i]); }});
    };
    if (mlir::isa<mlir::LLVM::StoreOp>(op)) {
      add("delete", [](mlir::Operation *store) { store->erase(); });
      add("address +4", furtherOn(1, 4));
    }
    if (mlir::isa<mlir::LLVM::LoadOp>(op))
      add("address +4", furtherOn(0, 4));
    if (mlir::isa<mlir::LLVM::AtomicRMWOp>(op)) {
      add("delete", [](mlir::Operation *atomic) { atomic->erase(); });
      add("address +4", furtherOn(0, 4));
    }
    if (auto comparison = mlir::dyn_cast<mlir::LLVM::ICmpOp>(op)) {
      for (const std::int64_t always : {0, 1})
        add(always ? "always" : "never", [always](mlir::Operation *compare) {
          mlir::OpBuilder build(compare);
          compare->getResult(0).replaceAllUsesWith(
              constant(build, compare->getLoc(), build.getI1Type(), always));
        });
    }
  }
  return found;
}

class Laboratory {
public:
  Laboratory() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                        mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
    module = compiler::groupRowsModule(context, block_threads);
    std::mt19937_64 random(5);
    for (const RowForm form :
         {RowForm::Types, RowForm::Positions, RowForm::Sequences, RowForm::SequencesFromZero})
      for (const std::int32_t rows : {5, 150, 333})
        for (int seed = 0; seed < 3; ++seed)
          batches.push_back(randomRowList(random, form, rows));
    RowListCase few; // rows with a type: most have none, and do not count
    few.types = 3;
    few.rows = 200;
    for (std::int32_t row = 0; row < few.rows; ++row)
      few.numbers.push_back(row % 20 == 3 ? row / 20 % 3 : -1);
    batches.push_back(few);
  }
  std::string objection(mlir::ModuleOp mutant) const {
    try {
      const compiler::HostKernel kernel(mutant);
      std::uint64_t seed = 0;
      for (const RowListCase &batch : batches)
        for (const std::int64_t blocks : {2, 4})
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

TEST(GroupRowsMutants, AreFoundOut) {
  Laboratory laboratory;
  ASSERT_EQ(laboratory.objection(*laboratory.module), "") << "the kernel as it is";
  std::vector<Mutation> all = mutations(*laboratory.module);
  const std::vector<Mutation> further = furtherMutations(*laboratory.module);
  all.insert(all.end(), further.begin(), further.end());
  std::map<std::string, bool> seen;
  for (const Mutation &mutation : all) {
    if (!seen.emplace(mutation.name, true).second)
      continue; // planted already
    mlir::OwningOpRef<mlir::ModuleOp> mutant = laboratory.module->clone();
    mutation.apply(*mutant);
    const bool survives = laboratory.objection(*mutant).empty();
    EXPECT_EQ(survives, survivors().contains(mutation.name)) << mutation.name << "\n  " << mutation.op;
  }
  for (const auto &[name, reason] : survivors())
    EXPECT_TRUE(seen.contains(name)) << "listed as a survivor, but no mutation: " << name;
  EXPECT_GT(seen.size(), 50u);
}

} // namespace
