// The module of a GPU kernel, read from text.
#ifndef ALGCTL_COMPILER_SIMULATOR_KERNEL_MODULE_H
#define ALGCTL_COMPILER_SIMULATOR_KERNEL_MODULE_H

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

  mlir::ModuleOp module() { return *parsed; }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
};

} // namespace compiler

#endif
