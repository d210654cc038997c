// Slot views of programs whose activations all have one schedule of row types.
#pragma once

#include "algebras/layer.h"
#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace compiler {

class ProgramViews {
public:
  /// Everything but the widths is taken from `layer`.
  ProgramViews(mlir::MLIRContext &context, const algebras::Layer &layer);

  mlir::Type element() const { return element_type_; }
  /// Activations of any number of rows, and weights from one cut of features to another.
  alg::SlotsType activations(const algebras::Groups &features) const;
  alg::SlotsType weights(const algebras::Groups &inputs, const algebras::Groups &outputs) const;
  /// A tensor of one element for each feature.
  mlir::RankedTensorType columns(const algebras::Groups &features) const;

  /// The argument that gives rows their types: `p0`, the position of the first one, or `types`, a vector.
  /// There is none in the slot lift.
  bool hasSchedule() const { return rows_lift_; }
  mlir::Type scheduleType() const;
  llvm::StringRef scheduleName() const { return explicit_types_ ? "types" : "p0"; }

  /// The view of a tensor, called `name`; `schedule` is that argument.
  mlir::Value view(mlir::OpBuilder &builder, const llvm::Twine &name, alg::SlotsType type, mlir::Value tensor,
                   mlir::Value schedule) const;

private:
  mlir::MLIRContext *context_;
  algebras::RowTypes row_types_;
  int64_t slots_;
  bool rows_lift_, explicit_types_;
  mlir::Type element_type_;
};

/// An empty function at the end of the module, whose arguments are called `names`. The builder is set into
/// it.
mlir::func::FuncOp addFunction(mlir::OpBuilder &builder, mlir::ModuleOp module, llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> names, mlir::TypeRange arguments,
                               mlir::TypeRange results);

} // namespace compiler
