// Operands that threads read and write for themselves: the plain maps of runtime/gpu_kernel_abi.h.
#pragma once

#include "compiler/targets/nvidia/joined_rows.h"

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
  mlir::Value origin() const { return map_start_; }
  /// Address of the first element of a row of the block; of no use where the map does not have the row.
  mlir::Value rowStart(mlir::Value row) const;
  /// Bytes from a row to the one `rows` behind it, i64; null where they are not the same from every row on.
  mlir::Value bytesOfRows(int64_t rows) const;

  /// Whether rows are wherever a list says or in joined runs, and not at one distance.
  bool isScattered() const { return listed_ || joined_; }
  /// Where they are not: address of the block's first element, and bytes from one row to the next, i64.
  mlir::Value start() const { return block_start_; }
  mlir::Value rowBytes() const { return row_bytes_; }

  /// Whether the map has this row, or this column, of the block; i1. An element is there where both hold. A
  /// vector that begins at a multiple of its length is there where its first element is.
  mlir::Value hasRow(mlir::Value row) const;
  mlir::Value hasColumn(mlir::Value column) const;

  /// The column of the operand with which the block's group begins, i32; null where groups are equal.
  mlir::Value groupStart() const { return group_start_; }

private:
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  bool listed_;
  std::optional<JoinedRows> joined_;
  mlir::Value segment_, segment_rows_; ///< of joined runs: coordinate 2, and its extent
  mlir::Value run_bytes_;              ///< of joined runs: from one to the next, i64
  mlir::Value map_start_, block_start_, row_bytes_;
  mlir::Value first_row_, rows_, first_column_, columns_;
  mlir::Value others_inside_; ///< i1: the map has the coordinates that are one in the block; null: always
  mlir::Value group_start_;
  mlir::Value row_list_, first_entry_; ///< of a listed block: where the list has its type's first row
};

} // namespace compiler
