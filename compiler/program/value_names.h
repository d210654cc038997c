// Names of values for readers of programs: those that their locations carry.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

namespace compiler {

/// What a value is called; empty where its location does not say.
inline llvm::StringRef nameOf(mlir::Value value) {
  auto location = llvm::dyn_cast<mlir::NameLoc>(value.getLoc());
  return location ? location.getName().getValue() : llvm::StringRef();
}

inline mlir::Location namedLocation(mlir::MLIRContext *context, const llvm::Twine &name) {
  return mlir::NameLoc::get(mlir::StringAttr::get(context, name), mlir::UnknownLoc::get(context));
}

} // namespace compiler
