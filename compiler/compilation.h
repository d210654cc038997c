// What every pipeline starts with: a context with the project's dialects, whose diagnostics become the text
// of a Failure, and the projection of a spec in the alg dialect.
#ifndef ALGCTL_COMPILER_COMPILATION_H
#define ALGCTL_COMPILER_COMPILATION_H

#include "compiler/program/projection.h"
#include "compiler/spec/spec.h"
#include "runtime/bundle/map.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace compiler {

class Compilation {
public:
  /// With `print_ir_after_all` every pass prints what it leaves to stderr.
  explicit Compilation(bool print_ir_after_all);

  /// One function for each of the maps, called as the map is.
  mlir::OwningOpRef<mlir::ModuleOp> algProgram(const Spec &spec, llvm::ArrayRef<algrt::Map> maps);

  /// Runs the passes that `fill` adds. Throws Failure with what they reported.
  void run(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> fill);

  mlir::MLIRContext &getContext() { return context; }
  /// Reads a module. Throws Failure with what is wrong with its text.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

private:
  [[noreturn]] void fail(const std::string &otherwise);

  bool print_ir_after_all;
  mlir::MLIRContext context;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler;
};

/// A module as text. With `names`, values are called as their locations say.
std::string printModule(mlir::ModuleOp module, bool names);

} // namespace compiler

#endif
