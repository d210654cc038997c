// What every pipeline starts with: a context with the project's dialects, whose diagnostics become the text
// of a Failure, and what a kernel is compiled from in the alg dialect.
#pragma once

#include "compiler/bundle/kernel_source.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

class Compilation {
public:
  /// With `print_ir_after_all` every pass prints what it leaves to stderr. Faults of operations that stand in
  /// the file `origin` are thrown with their places.
  explicit Compilation(bool print_ir_after_all, std::shared_ptr<const ProgramFile> origin = nullptr);

  /// What the source says of the maps: its function, or one function for each, called as the map is. A sum of
  /// a product and a bias is rounded to `result`, where the source leaves it open, or else to the layer's
  /// type.
  mlir::OwningOpRef<mlir::ModuleOp> algProgram(const KernelSource &source, llvm::ArrayRef<algrt::Map> maps,
                                               std::optional<algebras::DataType> result = {});

  /// Runs the passes that `fill` adds. Throws as check() does.
  void run(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> fill);

  /// Reads a module. Throws as check() does.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  /// Throws what has been reported unless something succeeded: algebras::InputError at its place in the
  /// origin, or else a Failure, with the sentence `otherwise` where nothing was said.
  void check(bool succeeded, const std::string &otherwise) {
    if (!succeeded)
      fail(otherwise);
  }

  mlir::MLIRContext &getContext() { return context_; }
  /// What passes remarked since the last call, each as a line without a break.
  std::vector<std::string> takeRemarks() { return std::exchange(remarks_, {}); }

private:
  /// The first fault that has a place in the origin.
  struct Placed {
    std::string message, hint;
    algebras::SourceLocation where;
  };

  void take(mlir::Diagnostic &diagnostic);
  [[noreturn]] void fail(const std::string &otherwise);

  bool print_ir_after_all_;
  std::shared_ptr<const ProgramFile> origin_;
  mlir::MLIRContext context_;
  std::string messages_;
  std::optional<Placed> placed_;
  std::vector<std::string> remarks_;
  mlir::ScopedDiagnosticHandler handler_;
};

/// The place of an operation that stands in the file; nothing for others.
std::optional<algebras::SourceLocation> placeIn(const ProgramFile &file, mlir::Location location);

/// A module as text. With `names`, values are called as their locations say.
std::string printModule(mlir::ModuleOp module, bool names);

/// The same with the locations, for Compilation::algProgram to read.
std::string printModuleWithPlaces(mlir::ModuleOp module);

} // namespace compiler
