// What a thread block does with finished sums before they are stored.
#include "compiler/targets/thread_block/table_words.h"
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

/// The ops behind a tile's products, on the sums that this block stores: all, or its part where blocks divide
/// them.
LogicalResult ThreadBlockProgram::writeEpilogue(ArrayRef<Operation *> ops, tile::ForallOp own,
                                                const Tile &tile) {
  auto write = [&](const Tile &stored) -> LogicalResult {
    for (Operation *op : ops)
      if (failed(writeOp(op, own, stored)))
        return failure();
    return success();
  };
  auto write_pieces = [&]() -> LogicalResult {
    const llvm::DenseMap<Value, Value> whole = sums_;
    const auto piece = sm::AccumulatorType::get(builder_.getContext(), storedRows(), storedColumns());
    for (int64_t from = 0; from < schedule_.getColumns(); from += storedColumns()) {
      llvm::SmallDenseSet<Value> taken;
      for (Operation *op : ops)
        for (Value fragment : op->getOperands())
          if (Value sums = whole.lookup(fragment); sums && taken.insert(fragment).second)
            sums_[fragment] = sm::TakeColumnsOp::create(builder_, location_, piece, sums, from);
      Tile part = tile;
      part.column = math_.add(tile.column, from);
      if (failed(write(part)))
        return failure();
    }
    sums_ = whole;
    return success();
  };
  auto write_part = [&]() -> LogicalResult {
    Tile part = tile;
    llvm::SmallDenseSet<Value> divided;
    for (Operation *op : ops)
      for (Value fragment : op->getOperands())
        if (auto whole = sums_.find(fragment); whole != sums_.end() && !divided.contains(fragment)) {
          const bool transposed = cast<sm::AccumulatorType>(whole->second.getType()).getTransposed();
          auto type = sm::AccumulatorType::get(builder_.getContext(), storedRows(), storedColumns(), 0, 0,
                                               transposed);
          Value sum = sm::ReduceScatterOp::create(builder_, location_, type, whole->second);
          whole->second = sum;
          divided.insert(fragment);
          Value &begins = transposed ? part.row : part.column;
          begins = math_.add(transposed ? tile.row : tile.column,
                             math_.multiply(rank_, type.getInstructionWidth()));
        }
    return write(part);
  };
  if (storesInPieces())
    return write_pieces();
  if (!splits())
    return write(tile);
  if (!splitsSome())
    return write_part();
  auto branch = scf::IfOp::create(builder_, location_, tile.is_long, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  const llvm::DenseMap<Value, Value> whole = sums_;
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(write_part()))
    return failure();
  sums_ = whole;
  builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
  return write(tile);
}

} // namespace compiler
