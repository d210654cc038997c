// Writes the tile kernels of one projection for a given schedule.
#ifndef ALGCTL_COMPILER_LOWER_KERNEL_BUILDER_H
#define ALGCTL_COMPILER_LOWER_KERNEL_BUILDER_H

#include "compiler/lower/epilogue.h"
#include "compiler/lower/kernel_body.h"

namespace compiler {

class KernelBuilder : KernelBody {
public:
  /// Kernels go where `builder` stands. `element` is the type of X, W and Y in memory. `pairs` says that held
  /// rows and panels keep bf16 in pairs for the machine's dot product; otherwise rows are held in f32.
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location location, tile::LayoutAttr layout,
                tile::ScheduleAttr schedule, mlir::Type element, bool pairs);

  /// The layout's contraction of rows with the bank, which is read as the schedule says: Y = X (times) W, or
  /// in mode i dX = dY (times) W^T, with the epilogue's maps of the sums.
  tile::KernelOp contraction(llvm::StringRef name, const Epilogue &epilogue);

  /// Rewrites the bank into the panels that the packed kernel of the same schedule reads.
  tile::KernelOp pack(llvm::StringRef name);

private:
  /// The terms of (type, group) with `body` filled in; `init` is null where nothing is carried.
  mlir::Value
  terms(mlir::Value type, mlir::Value group, mlir::Value init,
        llvm::function_ref<mlir::Value(mlir::Value k, mlir::Value b, mlir::Value c, mlir::Value sum)> body);

  mlir::Type element;
  bool pairs;
  tile::MatrixType user_bank, packed_bank;
};

} // namespace compiler

#endif
