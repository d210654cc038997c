#include "compiler/targets/nvidia/instruction_counts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace compiler {
namespace {

template <class Visit> void forEachCall(const llvm::Module &module, Visit visit) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        visit(*call);
}

/// The instruction of an assembly text, past braces, declarations and the setting of its predicates.
std::string nameOfAssembly(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.ltrim(" \t{");
    const llvm::StringRef word = line.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
    if (!word.empty() && word.front() != '.' && word.front() != '}' && !word.starts_with("setp"))
      return word.str();
  }
  return "settle";
}

} // namespace

InstructionCounts countInstructions(const llvm::Module &module) {
  InstructionCounts counts;
  forEachCall(module, [&](const llvm::CallBase &call) {
    if (call.isInlineAsm()) {
      ++counts[nameOfAssembly(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString())];
    } else if (const llvm::Function *callee = call.getCalledFunction();
               callee && callee->getName().starts_with("llvm.nvvm.") &&
               (call.isConvergent() || !call.doesNotAccessMemory())) {
      ++counts[callee->getName().str()];
    }
  });
  return counts;
}

int64_t countUnmarkedAssembly(const llvm::Module &module) {
  int64_t unmarked = 0;
  forEachCall(module,
              [&](const llvm::CallBase &call) { unmarked += call.isInlineAsm() && !call.isConvergent(); });
  return unmarked;
}

} // namespace compiler
