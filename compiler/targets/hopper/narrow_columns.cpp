// sm-narrow-columns: where a tile has fewer columns than the others, instructions of its own width.
#include "compiler/targets/hopper/passes.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

namespace compiler {
#define GEN_PASS_DEF_SMNARROWCOLUMNS
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmNarrowColumns : compiler::impl::SmNarrowColumnsBase<SmNarrowColumns> {
  void runOnOperation() override {
    SmallVector<sm::ZeroOp> zeros;
    getOperation().walk([&](sm::ZeroOp zero) {
      if (zero.getNarrow())
        zeros.push_back(zero);
    });
    for (sm::ZeroOp zero : zeros)
      // Those of further sums of the same tile are done with the first.
      if (zero.getNarrow() && failed(lower(zero)))
        return signalPassFailure();
  }

private:
  static LogicalResult lower(sm::ZeroOp first);
};

/// What a tile does with its sums: from where they are zero to the end of the block of operations.
using Tile = iterator_range<Block::iterator>;

} // namespace

static Tile tileOf(sm::ZeroOp first) {
  Block *block = first->getBlock();
  return {first->getIterator(),
          block->mightHaveTerminator() ? block->getTerminator()->getIterator() : block->end()};
}

/// What the tile leaves for what stands behind it.
static SmallVector<Value> valuesBehind(Tile tile) {
  llvm::SetVector<Value> values;
  Block *block = tile.begin()->getBlock();
  for (Operation &op : tile)
    for (Value result : op.getResults())
      for (Operation *user : result.getUsers())
        if (block->mightHaveTerminator() && block->findAncestorOpInBlock(*user) == block->getTerminator())
          values.insert(result);
  return values.takeVector();
}

static Type narrowed(Type type, int64_t columns, int64_t narrow) {
  auto sums = dyn_cast<sm::AccumulatorType>(type);
  if (!sums || sums.getColumns() != columns)
    return type;
  return sm::AccumulatorType::get(type.getContext(), sums.getRows(), narrow, sums.getWarpRows(),
                                  sums.getWarpColumns(), sums.getTransposed());
}

/// Makes all sums of the tile as narrow, and what is stored of them.
static void narrowSums(Tile tile, int64_t columns, int64_t narrow) {
  auto each = [&](llvm::function_ref<void(Operation *)> what) {
    for (Operation &op : tile)
      op.walk(what);
  };
  llvm::DenseSet<Value> stages; // that hold narrow sums
  each([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(narrowed(result.getType(), columns, narrow));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(narrowed(argument.getType(), columns, narrow));
    if (auto zero = dyn_cast<sm::ZeroOp>(op)) {
      zero.getNarrowMutable().clear();
      zero.removeNarrowColumnsAttr();
    }
    if (auto write = dyn_cast<sm::WriteOp>(op))
      stages.insert(write.getTarget());
  });
  each([&](Operation *op) {
    if (auto store = dyn_cast<sm::StoreOp>(op); store && stages.contains(store.getSource()))
      store.setColumns(narrow);
  });
}

LogicalResult SmNarrowColumns::lower(sm::ZeroOp first) {
  const Tile tile = tileOf(first);
  const int64_t columns = first.getType().getColumns();
  const int64_t narrow = first.getNarrowColumnsAttr().getInt();
  Value condition = first.getNarrow();
  for (Operation &op : tile)
    if (auto zero = dyn_cast<sm::ZeroOp>(op);
        zero && (zero.getNarrow() != condition || zero.getNarrowColumns() != first.getNarrowColumns() ||
                 zero.getType().getColumns() != columns))
      return zero.emitOpError("must have as many columns as the other sums of its tile, and be narrow where "
                              "they are");
  if (matchPattern(condition, m_One())) {
    narrowSums(tile, columns, narrow);
    return success();
  }
  SmallVector<Value> values = valuesBehind(tile);
  for (Value value : values)
    if (isa<sm::AccumulatorType>(value.getType()))
      return first.emitOpError("belongs to a tile whose sums are used behind it: they have two widths");

  OpBuilder builder(first);
  Location location = first.getLoc();
  auto branch =
      scf::IfOp::create(builder, location, ValueRange(values).getTypes(), condition, /*withElseRegion=*/true);
  Block *then = branch.thenBlock(), *otherwise = branch.elseBlock();
  // Branches without results have their terminators already.
  for (Block *block : {then, otherwise})
    if (!block->empty())
      block->back().erase();
  IRMapping mapping;
  builder.setInsertionPointToEnd(then);
  for (Operation &op : tile)
    builder.clone(op, mapping);
  scf::YieldOp::create(builder, location,
                       llvm::map_to_vector(values, [&](Value value) { return mapping.lookup(value); }));
  Block *block = first->getBlock();
  for (auto [value, result] : llvm::zip_equal(values, branch.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return block->findAncestorOpInBlock(*use.getOwner()) == block->getTerminator();
    });
  otherwise->getOperations().splice(otherwise->end(), block->getOperations(), tile.begin(), tile.end());
  builder.setInsertionPointToEnd(otherwise);
  scf::YieldOp::create(builder, location, values);

  narrowSums({then->begin(), std::prev(then->end())}, columns, narrow);
  for (auto zero : otherwise->getOps<sm::ZeroOp>()) {
    zero.getNarrowMutable().clear();
    zero.removeNarrowColumnsAttr();
  }
  return success();
}
