// Filling the conversion list with functions on the ops' own classes.
#pragma once

#include "compiler/simulator/conversion/conversion_list.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace compiler {

/// list.on<Op>: `convert(op, call)` becomes the conversion of Op.
template <typename Op, typename Function> void on(ConversionList &list, Function convert) {
  list[Op::getOperationName()] = [convert](mlir::Operation *op, CallBuilder &call) {
    convert(mlir::cast<Op>(op), call);
  };
}

inline bool isClusterAddress(mlir::Value address) {
  return mlir::cast<mlir::LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 7;
}

} // namespace compiler
