// The part of a tile's sums that one warp holds, and its tiles of 16 x 8 (sm.accumulator).
#pragma once

#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// Sums of a tile of 16 x 8 in one thread.
constexpr int64_t tile_registers = 4;

/// Which of the warpgroups that share a tile this one is. `op` is a product or a store of its partition,
/// for sums of so many warpgroups.
inline mlir::Value warpgroupOfTile(Instructions &write, mlir::Operation *op, int64_t warpgroups) {
  if (warpgroups == 1)
    return write.constant(0);
  auto number = [&](llvm::StringRef name) { return op->getAttrOfType<mlir::IntegerAttr>(name).getInt(); };
  mlir::Value warpgroup = write.subtract(write.warpgroup(), number(first_warpgroup_name));
  // Parts of the partition that take turns have as many warpgroups each as a tile needs: a power of two of
  // them.
  return number(partition_warpgroups_name) > warpgroups ? write.bitAnd(warpgroup, warpgroups - 1) : warpgroup;
}

/// Where this warp's part begins. `op` is the one that stores sums of warpgroups; of single warps' it may
/// be null.
class WarpPart {
public:
  WarpPart(Instructions &write, sm::AccumulatorType type, mlir::Operation *op = nullptr)
      : write_(write), type_(type), op_(op) {}

  mlir::Value firstRow() {
    if (!type_.hasWarps()) {
      mlir::Value warp = write_.divide(write_.threadInWarpgroup(), sm::warp_threads);
      return write_.add(
          write_.multiply(warpgroupOfTile(write_, op_, type_.getWarpgroups()), sm::warpgroup_rows),
          write_.multiply(warp, type_.getRowsOfWarp()));
    }
    if (type_.getWarpRows() == 1)
      return write_.constant(0);
    return write_.multiply(write_.divide(write_.warp(), type_.getWarpColumns()), type_.getRowsOfWarp());
  }
  mlir::Value firstColumn() {
    if (!type_.hasWarps() || type_.getWarpColumns() == 1)
      return write_.constant(0);
    return write_.multiply(write_.remainder(write_.warp(), type_.getWarpColumns()), type_.getColumnsOfWarp());
  }

private:
  Instructions &write_;
  sm::AccumulatorType type_;
  mlir::Operation *op_;
};

/// The struct of a thread's sums, taken apart.
class TileSums {
public:
  TileSums(mlir::OpBuilder &builder, mlir::Location location, sm::AccumulatorType type, mlir::Value sums)
      : builder_(builder), location_(location), sums_(sums),
        columns_(type.getColumnsOfWarp() / sm::mma_columns) {
    const int64_t count = type.getRowsOfWarp() / sm::mma_rows * columns_ * tile_registers;
    for (int64_t i = 0; i < count; ++i)
      values_.push_back(mlir::LLVM::ExtractValueOp::create(builder, location, sums, i));
  }

  /// The four sums of a tile, by its row and column among those of the part.
  llvm::MutableArrayRef<mlir::Value> of(int64_t row, int64_t column) {
    return llvm::MutableArrayRef(values_).slice((row * columns_ + column) * tile_registers, tile_registers);
  }

  /// The struct again.
  mlir::Value all() {
    mlir::Value result = mlir::LLVM::PoisonOp::create(builder_, location_, sums_.getType());
    for (auto [i, value] : llvm::enumerate(values_))
      result = mlir::LLVM::InsertValueOp::create(builder_, location_, result, value, static_cast<int64_t>(i));
    return result;
  }

private:
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  mlir::Value sums_;
  int64_t columns_;
  llvm::SmallVector<mlir::Value> values_;
};

} // namespace compiler
