#include "tests/mutation/plain_code.h"

#include "tests/mutation/edits.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace mutation_test {
namespace {

std::vector<Operation *> opsOf(ModuleOp module) {
  std::vector<Operation *> ops;
  module.walk([&](Operation *op) { ops.push_back(op); });
  return ops;
}

} // namespace

std::vector<Mutation> mutationsOfPlainCode(ModuleOp module) {
  std::vector<Mutation> found = mutations(module);
  std::map<std::string, int> ordinals;
  const std::vector<Operation *> ops = opsOf(module);
  for (size_t i = 0; i < ops.size(); ++i) {
    Operation *op = ops[i];
    const std::string name = op->getName().getStringRef().str();
    const int ordinal = ordinals[name]++;
    auto add = [&](const std::string &what, std::function<void(Operation *)> edit) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      op->print(stream);
      found.push_back({what, what + " " + name + " #" + std::to_string(ordinal), text,
                       [i, edit](ModuleOp mutant) { edit(opsOf(mutant)[i]); }});
    };
    if (isa<LLVM::StoreOp>(op)) {
      add("delete", [](Operation *store) { store->erase(); });
      add("address +4", furtherOn(1, 4));
    }
    if (isa<LLVM::LoadOp>(op))
      add("address +4", furtherOn(0, 4));
    if (isa<LLVM::AtomicRMWOp>(op)) {
      add("delete", [](Operation *atomic) { atomic->erase(); });
      add("address +4", furtherOn(0, 4));
    }
    if (isa<LLVM::FAddOp>(op))
      for (const unsigned kept : {0u, 1u})
        add(kept == 0 ? "delete" : "delete the other of",
            [kept](Operation *sum) { sum->getResult(0).replaceAllUsesWith(sum->getOperand(kept)); });
    if (auto comparison = dyn_cast<LLVM::ICmpOp>(op)) {
      for (const int64_t always : {0, 1})
        add(always ? "always" : "never", [always](Operation *compare) {
          OpBuilder build(compare);
          compare->getResult(0).replaceAllUsesWith(
              constant(build, compare->getLoc(), build.getI1Type(), always));
        });
    }
  }
  return found;
}

} // namespace mutation_test
