// Operands that threads read and write for themselves: the plain maps of runtime/gpu_kernel_abi.h.
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_PLAIN_MAP_H
#define ALGCTL_COMPILER_TARGETS_NVIDIA_PLAIN_MAP_H

#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace compiler {

/// algrt_plain_map: the address, three strides, four extents, and the addresses of three lists.
mlir::LLVM::LLVMStructType plainMapType(mlir::MLIRContext *context);

/// Address of the row list that an operand's first map has; `maps` is the address of that map.
mlir::Value rowListOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value maps);

/// A block of an operand at four coordinates, that one of the operand's plain maps describes.
class PlainBlock {
public:
  /// `maps` is the address of the operand's first map, `index` the map and `coordinates` the block's first
  /// element, all i32.
  PlainBlock(mlir::OpBuilder &builder, mlir::Location location, sm::MapsType type, mlir::Value maps,
             mlir::Value index, mlir::ValueRange coordinates);

  /// Address of the map's first element, in global memory. It may be read wherever the map is not empty.
  mlir::Value origin() const { return map_start; }
  /// Address of the first element of a row of the block; of no use where the map does not have the row.
  mlir::Value rowStart(mlir::Value row) const;

  /// Whether rows are wherever a list says, and not at one distance.
  bool isListed() const { return listed; }
  /// Where they are not: address of the block's first element, and bytes from one row to the next, i64.
  mlir::Value start() const { return block_start; }
  mlir::Value rowBytes() const { return row_bytes; }

  /// Whether the map has this row, or this column, of the block; i1. An element is there where both hold. A
  /// vector that begins at a multiple of its length is there where its first element is.
  mlir::Value hasRow(mlir::Value row) const;
  mlir::Value hasColumn(mlir::Value column) const;

  /// The column of the operand with which the block's group begins, i32; null where groups are equal.
  mlir::Value groupStart() const { return group_start; }

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  bool listed;
  mlir::Value map_start, block_start, row_bytes;
  mlir::Value first_row, rows, first_column, columns;
  mlir::Value others_inside; ///< i1: the map has the coordinates that are one in the block; null: always
  mlir::Value group_start;
  mlir::Value row_list, first_entry; ///< of a listed block: where the list has its type's first row
};

} // namespace compiler

#endif
