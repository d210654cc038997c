// The part of a tile's sums that one warp holds, and its tiles of 16 x 8 (sm.accumulator).
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_WARP_PART_H
#define ALGCTL_COMPILER_TARGETS_NVIDIA_WARP_PART_H

#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// Sums of a tile of 16 x 8 in one thread.
constexpr std::int64_t tile_registers = 4;

/// Which of the warpgroups that share a tile this one is. `op` is a product or a delivery of its partition,
/// for sums of so many warpgroups.
inline mlir::Value warpgroupOfTile(Instructions &write, mlir::Operation *op, std::int64_t warpgroups) {
  if (warpgroups == 1)
    return write.constant(0);
  auto number = [&](llvm::StringRef name) { return op->getAttrOfType<mlir::IntegerAttr>(name).getInt(); };
  mlir::Value warpgroup = write.subtract(write.warpgroup(), number(first_warpgroup_name));
  // Parts of the partition that take turns have as many warpgroups each as a tile needs: a power of two of
  // them.
  return number(partition_warpgroups_name) > warpgroups ? write.bitAnd(warpgroup, warpgroups - 1) : warpgroup;
}

/// Where this warp's part begins. `op` is the one that delivers sums of warpgroups; of single warps' it may
/// be null.
class WarpPart {
public:
  WarpPart(Instructions &write, sm::AccumulatorType type, mlir::Operation *op = nullptr)
      : write(write), type(type), op(op) {}

  mlir::Value firstRow() {
    if (!type.hasWarps()) {
      mlir::Value warp = write.divide(write.threadInWarpgroup(), sm::warp_threads);
      return write.add(write.multiply(warpgroupOfTile(write, op, type.getWarpgroups()), sm::warpgroup_rows),
                       write.multiply(warp, type.getRowsOfWarp()));
    }
    if (type.getWarpRows() == 1)
      return write.constant(0);
    return write.multiply(write.divide(write.warp(), type.getWarpColumns()), type.getRowsOfWarp());
  }
  mlir::Value firstColumn() {
    if (!type.hasWarps() || type.getWarpColumns() == 1)
      return write.constant(0);
    return write.multiply(write.remainder(write.warp(), type.getWarpColumns()), type.getColumnsOfWarp());
  }

private:
  Instructions &write;
  sm::AccumulatorType type;
  mlir::Operation *op;
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
