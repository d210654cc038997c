#include "compiler/targets/hopper/staged_layers.h"

#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/thread_block/block_product.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

bool isProductOfLayers(Operation *op) {
  return isa_and_nonnull<sm::MultiplyHeldOp, sm::MultiplyFragmentOp>(op);
}

bool isProductOfBlocks(Operation *op) { return isa_and_nonnull<sm::MultiplyOp>(op) || isProductOfLayers(op); }

bool isHeldBy(Operation *op, Value block) {
  auto multiply = dyn_cast<sm::MultiplyHeldOp>(op);
  return multiply && multiply.getRows() == block;
}

//===--------------------------------------------------------------------------------------------===//
// Kept rows
//===--------------------------------------------------------------------------------------------===//

/// All threads of the warpgroup have left the products that read the piece before, then all see the new one.
static void lowerKeep(OpBuilder &builder, sm::KeepOp keep, Value buffer) {
  builder.setInsertionPoint(keep);
  Location location = keep.getLoc();
  sm::SyncOp::create(builder, location);
  sm::WriteOp::create(builder, location, keep.getAccumulator(), buffer, keep.getPiece());
  sm::FenceOp::create(builder, location);
  sm::SyncOp::create(builder, location);
  keep.erase();
}

void allocateKeptRows(sm::KernelOp kernel, StagedBlocks &blocks) {
  OpBuilder builder(kernel.getContext());
  for (auto kept : llvm::make_early_inc_range(kernel.getBody().getOps<sm::KeptRowsOp>())) {
    builder.setInsertionPoint(kept);
    const sm::BlockType rows = kept.getRows().getType();
    const int64_t pieces = kept.getPiecesAttr().getInt(), columns = rows.getColumns() / pieces;
    Value buffer =
        sm::AllocateOp::create(builder, kept.getLoc(),
                               sm::BufferType::get(kernel.getContext(), pieces, rows.getRows(), columns,
                                                   rows.getElementType(), rows.getSwizzle()));
    for (Operation *user : llvm::make_early_inc_range(kept.getRows().getUsers()))
      if (auto keep = dyn_cast<sm::KeepOp>(user))
        lowerKeep(builder, keep, buffer);
    kept.getRows().replaceAllUsesWith(buffer);
    blocks[buffer] = {buffer, {rows.getRows(), columns, pieces}, {}};
    kept.erase();
  }
}

//===--------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------===//

namespace {
/// What the two kinds of products have in common.
struct Product {
  explicit Product(Operation *op)
      : op(op), held(dyn_cast<sm::MultiplyHeldOp>(op)), fragment(dyn_cast<sm::MultiplyFragmentOp>(op)) {}

  /// One, or of parts of the sums one each, or two beside each other.
  SmallVector<Value> blocks() {
    return held ? SmallVector<Value>(held.getBlocks()) : SmallVector<Value>{fragment.getB()};
  }
  size_t beside() { return held ? static_cast<size_t>(held.getBeside()) : 1; }
  /// Whether only some parts of the sums are multiplied.
  bool conditions() { return fragment && !fragment.getConditions().empty(); }
  Value accumulator() { return held ? held.getAccumulator() : fragment.getAccumulator(); }
  Value shallow() { return held ? held.getShallow() : fragment.getShallow(); }
  IntegerAttr shallowDepth() { return held ? held.getShallowDepthAttr() : fragment.getShallowDepthAttr(); }

  Operation *op;
  sm::MultiplyHeldOp held;
  sm::MultiplyFragmentOp fragment;
};
} // namespace

/// Products beside each other, of one depth: their instructions are one group. What only some parts multiply
/// stands alone.
static SmallVector<Product> productsBeside(Operation *first) {
  SmallVector<Product> products = {Product(first)};
  if (products.front().conditions())
    return products;
  for (Operation *next = first->getNextNode(); isProductOfLayers(next); next = next->getNextNode()) {
    Product product(next);
    if (product.shallow() != products.front().shallow() ||
        product.shallowDepth() != products.front().shallowDepth() || product.conditions())
      break;
    products.push_back(product);
  }
  return products;
}

static LogicalResult checkStaged(Product &product, const StagedBlocks &blocks) {
  SmallVector<Value> multiplied = product.blocks();
  if (product.held)
    multiplied.push_back(product.held.getRows());
  if (!llvm::all_of(multiplied, [&](Value block) { return blocks.contains(block); }))
    return product.op->emitOpError("multiplies a block that comes through no pipe");
  for (size_t number = 0; product.beside() == 2 && number + 1 < product.blocks().size(); number += 2)
    if (blocks.at(multiplied[number]).wait != blocks.at(multiplied[number + 1]).wait)
      return product.op->emitOpError("multiplies blocks beside each other that do not come together");
  return success();
}

/// Of values of parts of the sums that of this warpgroup's part.
static Value ofPart(OpBuilder &builder, Location location, ArrayRef<Value> values, int64_t rows) {
  if (values.size() == 1)
    return values.front();
  const IntegerArithmetic math(builder, location);
  const int64_t warpgroups = rows / sm::warpgroup_rows / static_cast<int64_t>(values.size());
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  Value part = math.divide(warpgroup, warpgroups), chosen = values.front();
  for (size_t number = 1; number < values.size(); ++number)
    chosen = math.select(math.equal(part, static_cast<int64_t>(number)), values[number], chosen);
  return chosen;
}

/// The instructions of one product on sums that are given.
static Value instructionsOf(OpBuilder &builder, Product &product, Value sums, IntegerAttr depth,
                            const StagedBlocks &blocks) {
  Location location = product.op->getLoc();
  // Blocks of one type come through one pipe, those beside each other in one stage.
  SmallVector<Value> stages, multiplied = product.blocks();
  for (size_t number = 0; number < multiplied.size(); number += product.beside())
    stages.push_back(sm::ConsumerWaitOp(blocks.at(multiplied[number]).wait).getStage());
  const StagedBlock b = blocks.at(multiplied.front());
  const int64_t rows_of_sums = cast<sm::AccumulatorType>(sums.getType()).getRows();
  Value stage = ofPart(builder, location, stages, rows_of_sums);
  if (product.fragment) {
    auto mma = sm::MmaFragmentOp::create(builder, location, sums.getType(), product.fragment.getRows(),
                                         b.buffer, stage, sums, IntegerAttr());
    mma.setDepthAttr(depth);
    return mma;
  }
  StagedBlock rows = blocks.at(product.held.getRows());
  Value place = rows.wait ? placeOfPiece(builder, location, rows.buffer, rows.pieces.count,
                                         rows.wait.getStage(), product.held.getPiece())
                          : product.held.getPiece();
  auto mma = sm::MmaOp::create(builder, location, sums.getType(), rows.buffer, place, b.buffer, stage, sums,
                               /*negate=*/false);
  mma.setDepthAttr(depth);
  if (product.beside() == 2)
    mma.getBesideMutable().assign(blocks.at(multiplied[1]).buffer);
  mma.setOverwrite(sums.getDefiningOp<sm::ZeroOp>() != nullptr);
  return mma;
}

static void lowerProducts(OpBuilder &builder, MutableArrayRef<Product> products, const StagedBlocks &blocks) {
  Product &first = products.front();
  builder.setInsertionPoint(first.op);
  Location location = first.op->getLoc();
  // Of products that go on adding to each other's sums, the last ones leave these.
  SmallVector<Value> left;
  for (Product &product : products)
    if (llvm::any_of(product.op->getResult(0).getUsers(), [&](Operation *user) {
          return llvm::none_of(products, [&](Product &other) { return other.op == user; });
        }))
      left.push_back(product.op->getResult(0));
  // Places are computed ahead of all, so that nothing stands between the instructions.
  auto write = [&](IntegerAttr depth) {
    IRMapping sums;
    SmallVector<Operation *> instructions;
    for (Product &product : products) {
      Value sum =
          instructionsOf(builder, product, sums.lookupOrDefault(product.accumulator()), depth, blocks);
      sums.map(product.op->getResult(0), sum);
      instructions.push_back(sum.getDefiningOp());
    }
    for (Operation *instruction : ArrayRef(instructions).drop_back())
      instruction->moveBefore(instructions.back());
    SmallVector<Value> results;
    for (Value value : left)
      results.push_back(sums.lookup(value));
    return results;
  };
  auto of_any_depth = [&] {
    return chooseProducts(
        builder, location, first.shallow(), [&] { return write(first.shallowDepth()); },
        [&] { return write(IntegerAttr()); });
  };
  SmallVector<Value> made;
  if (first.conditions()) {
    const int64_t rows = cast<sm::AccumulatorType>(first.accumulator().getType()).getRows();
    Value mine = ofPart(builder, location, SmallVector<Value>(first.fragment.getConditions()), rows);
    made = chooseProducts(builder, location, mine, of_any_depth,
                          [&] { return SmallVector<Value>{first.accumulator()}; });
  } else {
    made = of_any_depth();
  }
  for (auto [value, sum] : llvm::zip_equal(left, made))
    value.replaceAllUsesWith(sum);
  for (Product &product : llvm::reverse(products))
    product.op->erase();
}

LogicalResult useStagesOfLayers(sm::KernelOp kernel, const StagedBlocks &blocks) {
  SmallVector<Operation *> ops;
  const WalkResult walk = kernel.walk([&](Operation *op) {
    if (!isProductOfLayers(op))
      return WalkResult::advance();
    ops.push_back(op);
    Product product(op);
    return failed(checkStaged(product, blocks)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  OpBuilder builder(kernel.getContext());
  llvm::DenseSet<Operation *> done;
  for (Operation *op : ops) {
    if (done.contains(op))
      continue;
    SmallVector<Product> products = productsBeside(op);
    for (Product &product : products)
      done.insert(product.op);
    lowerProducts(builder, products, blocks);
  }
  return success();
}

} // namespace compiler
