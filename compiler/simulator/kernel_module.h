// The module of a GPU kernel, read from text.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace compiler {

/// Keeps the context with the dialects of such a module: llvm, nvvm, sm.
class KernelModule {
public:
  /// Throws Failure with the place of what could not be read, algebras::InputError where it is nested too
  /// deep.
  KernelModule(const std::string &text, const std::string &name);

  mlir::ModuleOp module() { return *parsed_; }

private:
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> parsed_;
};

} // namespace compiler
