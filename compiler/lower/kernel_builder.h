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

  // Parts of a kernel, where the builder stands.

  const ProductsOfKernel &products() const { return products_; }
  tile::ScheduleAttr schedule() const { return schedule_; }
  /// The weight matrices' type among the kernel's operands.
  tile::MatrixType weightsType() const;
  /// A buffer for the rows that a worker holds.
  tile::BufferType heldType() const;
  /// A buffer for one panel of each block of a weight matrix in a column of blocks.
  tile::BufferType stageType() const;
  /// What products read in place of the kernel's weight matrices: buffers for their panels, where the
  /// schedule copies, or these themselves.
  llvm::SmallVector<mlir::Value> readableWeights(mlir::ValueRange weight_matrices);

  /// What tiles of a layer are computed from.
  struct Operands {
    mlir::Value held;
    mlir::ValueRange weight_matrices, readable, further, targets;
  };
  /// Copies, where the schedule does, the panels of the weight matrices that the terms of (type, group) name.
  void copyPanels(const Operands &operands, mlir::Value type, mlir::Value group, mlir::Value column);
  /// The tiles of a type's rows in one panel of columns: a loop over these rows, with products, maps and
  /// stores to the targets.
  void tilesOfPanel(const Operands &operands, mlir::Value type, mlir::Value group, mlir::Value column);

private:
  const ProductsOfKernel &products_;
  tile::ScheduleAttr schedule_;
  bool pairs_;
  int64_t together_;
  tile::MatrixType packed_weights_;
};

} // namespace compiler
