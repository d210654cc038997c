// The part of a tile's sums that one warp holds, and its tiles (sm.accumulator with warps).
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_WARP_PART_H
#define ALGCTL_COMPILER_TARGETS_NVIDIA_WARP_PART_H

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// Sums of a tile of 16 x 8 in one thread.
constexpr std::int64_t tile_registers = 4;

/// Where this warp's part begins.
class WarpPart {
public:
  WarpPart(Instructions &write, sm::AccumulatorType type) : write(write), type(type) {}

  mlir::Value firstRow() {
    if (type.getWarpRows() == 1)
      return write.constant(0);
    return write.multiply(write.divide(write.warp(), type.getWarpColumns()), type.getRowsOfWarp());
  }
  mlir::Value firstColumn() {
    if (type.getWarpColumns() == 1)
      return write.constant(0);
    return write.multiply(write.remainder(write.warp(), type.getWarpColumns()), type.getColumnsOfWarp());
  }

private:
  Instructions &write;
  sm::AccumulatorType type;
};

/// The struct of a thread's sums, taken apart.
class TileSums {
public:
  TileSums(mlir::OpBuilder &builder, mlir::Location location, sm::AccumulatorType type, mlir::Value sums)
      : builder(builder), location(location), sums(sums), columns(type.getColumnsOfWarp() / sm::mma_columns) {
    const std::int64_t count = type.getRowsOfWarp() / sm::mma_rows * columns * tile_registers;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(mlir::LLVM::ExtractValueOp::create(builder, location, sums, i));
  }

  /// The four sums of a tile, by its row and column among those of the part.
  llvm::MutableArrayRef<mlir::Value> of(std::int64_t row, std::int64_t column) {
    return llvm::MutableArrayRef(values).slice((row * columns + column) * tile_registers, tile_registers);
  }

  /// The struct again.
  mlir::Value all() {
    mlir::Value result = mlir::LLVM::PoisonOp::create(builder, location, sums.getType());
    for (auto [i, value] : llvm::enumerate(values))
      result =
          mlir::LLVM::InsertValueOp::create(builder, location, result, value, static_cast<std::int64_t>(i));
    return result;
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Value sums;
  std::int64_t columns;
  llvm::SmallVector<mlir::Value> values;
};

} // namespace compiler

#endif
