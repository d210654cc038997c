// Operands that threads read and write for themselves: the plain maps of runtime/gpu_kernel_abi.h.
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_PLAIN_MAP_H
#define ALGCTL_COMPILER_TARGETS_NVIDIA_PLAIN_MAP_H

#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace compiler {

/// algrt_plain_map: the address, three strides, four extents.
mlir::LLVM::LLVMStructType plainMapType(mlir::MLIRContext *context);

/// A block of an operand at four coordinates, that one of the operand's plain maps describes.
class PlainBlock {
public:
  /// `maps` is the address of the operand's first map, `index` the map and `coordinates` the block's first
  /// element, all i32.
  PlainBlock(mlir::OpBuilder &builder, mlir::Location location, sm::MapsType type, mlir::Value maps,
             mlir::Value index, mlir::ValueRange coordinates);

  /// Address of the block's first element, and of the map's; in global memory. The second one may be read
  /// wherever the map is not empty.
  mlir::Value start() const { return block_start; }
  mlir::Value origin() const { return map_start; }
  /// Bytes from one row of the block to the next, i64.
  mlir::Value rowBytes() const { return row_bytes; }

  /// Whether the map has this row, or this column, of the block; i1. An element is there where both hold. A
  /// vector that begins at a multiple of its length is there where its first element is.
  mlir::Value hasRow(mlir::Value row) const;
  mlir::Value hasColumn(mlir::Value column) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Value map_start, block_start, row_bytes;
  mlir::Value first_row, rows, first_column, columns;
  mlir::Value others_inside; ///< i1: the map has the two coordinates that are one in the block
};

} // namespace compiler

#endif
