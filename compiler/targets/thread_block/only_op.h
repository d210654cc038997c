// The only op of a kind.
#pragma once

#include "mlir/IR/Block.h"

#include "llvm/ADT/STLExtras.h"

namespace compiler {

/// In a block; null where there are none or several.
template <class Op> Op onlyOp(mlir::Block &block) {
  auto ops = block.getOps<Op>();
  return llvm::hasSingleElement(ops) ? *ops.begin() : Op();
}

} // namespace compiler
