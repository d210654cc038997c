// Writes the CPU's tile kernels of products for a given schedule.
#pragma once

#include "compiler/lower/kernel_body.h"
#include "compiler/lower/product_operands.h"

namespace compiler {

class KernelBuilder : KernelBody {
public:
  /// Kernels go where `builder` stands. `pairs` says that stationary rows and panels keep bf16 in pairs for
  /// the machine's dot product; otherwise rows are held in f32. So many weight matrices as `together` says
  /// are multiplied at a time. The products must outlive this object.
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location location, const ProductsOfKernel &products,
                tile::ScheduleAttr schedule, bool pairs, int64_t together);

  /// The layout's contraction of rows with each weight matrix, which is read as the schedule says: Y = X
  /// (times) W, or in mode i dX = dY (times) W^T, with the epilogue's maps of the sums.
  tile::KernelOp contraction(llvm::StringRef name);

  /// Rewrites a weight matrix into the panels that the packed kernel of the same schedule reads.
  tile::KernelOp pack(llvm::StringRef name);

private:
  /// Copies the panels of the weight matrices that the terms of (type, group) name into their stages.
  void copyPanels(mlir::Value type, mlir::Value group, mlir::Value column, mlir::ValueRange weight_matrices,
                  mlir::ValueRange stages);

  const ProductsOfKernel &products_;
  tile::ScheduleAttr schedule_;
  bool pairs_;
  int64_t together_;
  tile::MatrixType packed_weights_;
};

} // namespace compiler
