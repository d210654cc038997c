// Slot views of programs whose activations all have one schedule of row types.
#ifndef ALGCTL_COMPILER_PROGRAM_PROGRAM_VIEWS_H
#define ALGCTL_COMPILER_PROGRAM_PROGRAM_VIEWS_H

#include "algebras/layer.h"
#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace compiler {

class ProgramViews {
public:
  /// Everything but the widths is taken from `layer`.
  ProgramViews(mlir::MLIRContext &context, const algebras::Layer &layer);

  mlir::Type element() const { return element_type; }
  /// Activations of any number of rows, and weights from one cut of features to another.
  alg::SlotsType activations(const algebras::Groups &features) const;
  alg::SlotsType bank(const algebras::Groups &inputs, const algebras::Groups &outputs) const;
  /// A tensor of one element for each feature.
  mlir::RankedTensorType columns(const algebras::Groups &features) const;

  /// The argument that gives rows their types: `p0`, the position of the first one, or `types`, a vector.
  /// There is none in the slot lift.
  bool hasSchedule() const { return rows_lift; }
  mlir::Type scheduleType() const;
  llvm::StringRef scheduleName() const { return explicit_types ? "types" : "p0"; }

  /// The view of a tensor, called `name`; `schedule` is that argument.
  mlir::Value view(mlir::OpBuilder &builder, const llvm::Twine &name, alg::SlotsType type, mlir::Value tensor,
                   mlir::Value schedule) const;

private:
  mlir::MLIRContext *context;
  algebras::RowTypes row_types;
  std::int64_t slots;
  bool rows_lift, explicit_types;
  mlir::Type element_type;
};

/// An empty function at the end of the module, whose arguments are called `names`. The builder is set into
/// it.
mlir::func::FuncOp addFunction(mlir::OpBuilder &builder, mlir::ModuleOp module, llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> names, mlir::TypeRange arguments,
                               mlir::TypeRange results);

} // namespace compiler

#endif
