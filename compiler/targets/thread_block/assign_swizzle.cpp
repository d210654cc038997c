// sm-assign-swizzle: how blocks lie in shared memory.
#include "compiler/schedule/panels.h"
#include "compiler/targets/thread_block/passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace compiler {
#define GEN_PASS_DEF_SMASSIGNSWIZZLE
#include "compiler/targets/thread_block/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

/// The same type with a swizzle; null when no swizzle divides its rows.
static Type swizzled(Type type) {
  auto choose = [](auto block) {
    return panelBytes(block.getColumns(), block.getElementType().getIntOrFloatBitWidth() / 8);
  };
  return TypeSwitch<Type, Type>(type)
      .Case([&](sm::MapsType maps) -> Type {
        const int64_t swizzle = choose(maps);
        return swizzle ? maps.withSwizzle(swizzle) : Type();
      })
      .Case([&](sm::BlockType block) -> Type {
        const int64_t swizzle = choose(block);
        return swizzle ? sm::BlockType::get(block.getContext(), block.getRows(), block.getColumns(),
                                            block.getElementType(), swizzle)
                       : Type();
      })
      .Default([](Type other) { return other; });
}

/// A block of pieces side by side, each of which lies as if it were alone.
static Type swizzledInPieces(sm::BlockType block, int64_t piece_columns) {
  const int64_t swizzle = panelBytes(piece_columns, block.getElementType().getIntOrFloatBitWidth() / 8);
  return swizzle ? sm::BlockType::get(block.getContext(), block.getRows(), block.getColumns(),
                                      block.getElementType(), swizzle)
                 : Type();
}

/// Stationary rows lie as the boxes do that bring them, kept ones as they are written.
static Type swizzledResult(Value value) {
  if (auto hold = value.getDefiningOp<sm::HoldOp>())
    return swizzledInPieces(hold.getBlock().getType(), hold.getSource().getType().getColumns());
  if (auto kept = value.getDefiningOp<sm::KeptRowsOp>())
    return swizzledInPieces(kept.getRows().getType(),
                            kept.getRows().getType().getColumns() / kept.getPiecesAttr().getInt());
  return swizzled(value.getType());
}

/// Such a result, or operand of a map, never lies in shared memory. Behind what every kernel takes, those are
/// all that have rows.
static bool isForThreads(Value value) {
  auto maps = dyn_cast<sm::MapsType>(value.getType());
  if (!maps || !maps.isPlain())
    return false;
  constexpr unsigned of_every_kernel = 6;
  auto argument = dyn_cast<BlockArgument>(value);
  return llvm::any_of(value.getUsers(), llvm::IsaPred<sm::StoreSumsOp>) ||
         (argument && argument.getArgNumber() >= of_every_kernel && maps.getRowDimension() == 3);
}

namespace {
struct SmAssignSwizzle : compiler::impl::SmAssignSwizzleBase<SmAssignSwizzle> {
  void runOnOperation() override {
    auto assign = [](Operation *owner, Value value) -> LogicalResult {
      if (isForThreads(value))
        return success();
      Type type = swizzledResult(value);
      if (!type)
        return owner->emitError("rows of ")
               << value.getType() << " are no multiple of 32 bytes, the narrowest swizzle";
      value.setType(type);
      return success();
    };
    // A block and the map that it is fetched from have the same rows, so that they get the same swizzle.
    WalkResult result = getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (failed(assign(op, argument)))
              return WalkResult::interrupt();
      for (Value value : op->getResults())
        if (failed(assign(op, value)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
