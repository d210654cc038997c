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

class PlainCode {
public:
  explicit PlainCode(ModuleOp module) : found_(mutations(module)), ops_(opsOf(module)) {}

  std::vector<Mutation> run(bool elements);

private:
  void add(const std::string &what, std::function<void(Operation *)> edit);
  /// What every such kernel may have.
  void plain(Operation *op);
  void element(Operation *op);

  std::vector<Mutation> found_;
  std::vector<Operation *> ops_;
  size_t current_ = 0;
  int ordinal_ = 0; ///< of the op among those of its name
};

void PlainCode::add(const std::string &what, std::function<void(Operation *)> edit) {
  Operation *op = ops_[current_];
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  found_.push_back({what, what + " " + op->getName().getStringRef().str() + " #" + std::to_string(ordinal_),
                    text, [i = current_, edit](ModuleOp mutant) { edit(opsOf(mutant)[i]); }});
}

void PlainCode::plain(Operation *op) {
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
      add(kept == 0 ? "delete" : "delete the other of", resultIs(kept));
  if (isa<LLVM::ICmpOp>(op))
    for (const int64_t always : {0, 1})
      add(always ? "always" : "never", [always](Operation *compare) {
        OpBuilder build(compare);
        compare->getResult(0).replaceAllUsesWith(
            constant(build, compare->getLoc(), build.getI1Type(), always));
      });
}

void PlainCode::element(Operation *op) {
  if (isa<LLVM::MaximumOp, LLVM::FMulOp>(op))
    for (const unsigned kept : {0u, 1u})
      add(kept == 0 ? "delete" : "delete the other of", resultIs(kept));
  if (isa<LLVM::SelectOp>(op))
    for (const unsigned kept : {1u, 2u})
      add(kept == 1 ? "delete" : "delete the other of", resultIs(kept));
  if (auto comparison = dyn_cast<LLVM::ICmpOp>(op)) {
    using Predicate = LLVM::ICmpPredicate;
    static const std::map<Predicate, Predicate> further = {{Predicate::ult, Predicate::ule},
                                                           {Predicate::slt, Predicate::sle},
                                                           {Predicate::ule, Predicate::ult},
                                                           {Predicate::sle, Predicate::slt}};
    if (further.contains(comparison.getPredicate()))
      add("one further", [](Operation *compare) {
        auto one = cast<LLVM::ICmpOp>(compare);
        one.setPredicate(further.at(one.getPredicate()));
      });
  }
  if (isa<LLVM::ExtractElementOp>(op))
    add("element", operand<LLVM::XOrOp>(1, 1));
  if (isa<LLVM::InsertElementOp>(op))
    add("element", operand<LLVM::XOrOp>(2, 1));
  if (isa<LLVM::UDivOp, LLVM::URemOp>(op))
    add("position", operand<LLVM::AddOp>(0, 1));
  // A stride is a parameter of the kernel.
  if (auto product = dyn_cast<LLVM::MulOp>(op))
    for (const unsigned factor : {0u, 1u}) {
      Value value = op->getOperand(factor);
      while (Operation *wider = value.getDefiningOp())
        if (isa<LLVM::SExtOp, LLVM::ZExtOp>(wider))
          value = wider->getOperand(0);
        else
          break;
      if (isa<BlockArgument>(value) && value.getParentBlock()->isEntryBlock())
        add("stride", operand<LLVM::AddOp>(factor, 1));
    }
}

std::vector<Mutation> PlainCode::run(bool elements) {
  std::map<std::string, int> ordinals;
  for (current_ = 0; current_ < ops_.size(); ++current_) {
    Operation *op = ops_[current_];
    ordinal_ = ordinals[op->getName().getStringRef().str()]++;
    plain(op);
    if (elements)
      element(op);
  }
  return std::move(found_);
}

} // namespace

std::vector<Mutation> mutationsOfPlainCode(ModuleOp module) { return PlainCode(module).run(false); }

std::vector<Mutation> mutationsOfElements(ModuleOp module) { return PlainCode(module).run(true); }

} // namespace mutation_test
