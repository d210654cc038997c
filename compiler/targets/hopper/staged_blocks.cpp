#include "compiler/targets/hopper/staged_blocks.h"
#include "compiler/targets/hopper/staged_layers.h"

#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/hopper/part_steps.h"
#include "compiler/targets/thread_block/block_product.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

BlockPieces piecesOf(Value produced) {
  auto block = cast<sm::BlockType>(produced.getType());
  if (auto hold = produced.getDefiningOp<sm::HoldOp>()) {
    const int64_t columns = hold.getSource().getType().getColumns();
    return {block.getRows(), columns, block.getColumns() / columns};
  }
  if (auto round = produced.getDefiningOp<sm::RoundOp>()) {
    const sm::AccumulatorType sums = round.getAccumulator().getType();
    return {sums.getRowsOfWarpgroup(), sums.getColumnsOfWarpgroup(), sums.getWarpgroups()};
  }
  return {block.getRows(), block.getColumns(), 1};
}

Value placeOfPiece(OpBuilder &builder, Location location, Value buffer, int64_t pieces, Value stage,
                   Value piece) {
  if (pieces == 1)
    return stage;
  if (cast<sm::BufferType>(buffer.getType()).getStages() == pieces)
    return piece; // of the only stage
  const IntegerArithmetic math(builder, location);
  return math.add(math.multiply(stage, pieces), piece);
}

/// One load, or one for each box of a block that is higher.
static void loadBlock(OpBuilder &builder, sm::FetchOp fetch, Value buffer, Value stage) {
  Location location = fetch.getLoc();
  if (fetch.getBoxes() == 1) {
    sm::LoadOp::create(builder, location, fetch.getSource(), fetch.getMap(), fetch.getCoordinates(), buffer,
                       stage, fetch.getPart(), fetch.getPartsAttr(), fetch.getMask(), Value(), Value(),
                       IntegerAttr(), Value(), fetch.getNarrow(), fetch.getNarrowColumnsAttr(),
                       fetch.getEvictFirst());
    return;
  }
  const IntegerArithmetic math(builder, location);
  const sm::MapsType maps = fetch.getSource().getType();
  for (int64_t box = 0; box < fetch.getBoxes(); ++box) {
    SmallVector<Value> coordinates(fetch.getCoordinates());
    Value &row = coordinates[static_cast<size_t>(maps.getRowDimension())];
    row = math.add(row, box * maps.getRows());
    sm::LoadOp::create(builder, location, fetch.getSource(), fetch.getMap(), coordinates, buffer, stage,
                       Value(), IntegerAttr(), Value(), Value(), Value(),
                       builder.getI64IntegerAttr(box * maps.getRows()), Value(), fetch.getNarrow(),
                       fetch.getNarrowColumnsAttr(), fetch.getEvictFirst());
  }
}

void fillStage(OpBuilder &builder, sm::ProduceOp produce, Value staged_pipe, ArrayRef<Value> buffers,
               Value stage, Value parity) {
  SmallVector<Operation *> sources;
  for (Value block : produce.getBlocks())
    sources.push_back(block.getDefiningOp());
  builder.setInsertionPoint(produce);
  Location location = produce.getLoc();
  // Ahead of all of it: how many bytes come is announced before the first load.
  SmallVector<Value> fetched;
  if (auto parts = dyn_cast<sm::FetchPartsOp>(sources[0]))
    fetched = fetchedParts(builder, parts);
  sm::ProducerAcquireOp::create(builder, location, staged_pipe, stage, parity);
  produce.getBlocksMutable().clear();
  for (auto [op, buffer] : llvm::zip_equal(sources, buffers)) {
    if (auto rows = dyn_cast<sm::HoldOp>(op)) {
      loadPieces(builder, rows, buffer, stage);
    } else if (auto parts = dyn_cast<sm::FetchPartsOp>(op)) {
      loadParts(builder, parts, fetched, buffer, stage);
    } else if (auto fetch = dyn_cast<sm::FetchOp>(op)) {
      loadBlock(builder, fetch, buffer, stage);
    } else {
      auto round = cast<sm::RoundOp>(op);
      const int64_t pieces = round.getAccumulator().getType().getWarpgroups();
      Value warpgroup =
          pieces == 1 ? Value() : sm::WarpgroupOp::create(builder, location, builder.getIndexType());
      sm::WriteOp::create(builder, round.getLoc(), round.getAccumulator(), buffer,
                          placeOfPiece(builder, location, buffer, pieces, stage, warpgroup));
    }
    op->erase();
  }
  sm::ProducerCommitOp::create(builder, location, staged_pipe, stage);
}

//===--------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------===//

/// Products that stand beside each other, of one A and of B that come together, alike in sign and depth: the
/// instructions of all of them stand beside each other, as one group.
static SmallVector<sm::MultiplyOp> productsLike(sm::MultiplyOp first, const StagedBlocks &blocks) {
  SmallVector<sm::MultiplyOp> products = {first};
  const sm::ConsumerWaitOp wait = blocks.at(first.getB()).wait;
  for (Operation *next = first->getNextNode(); next; next = next->getNextNode()) {
    auto multiply = dyn_cast<sm::MultiplyOp>(next);
    if (!multiply || multiply.getA() != first.getA())
      continue;
    auto b = blocks.find(multiply.getB());
    const bool alike = b != blocks.end() && b->second.wait == wait && !multiply.getPart() &&
                       !first.getPart() && multiply.getNegate() == first.getNegate() &&
                       multiply.getShallow() == first.getShallow() &&
                       multiply.getShallowDepthAttr() == first.getShallowDepthAttr();
    const bool continues = llvm::any_of(
        products, [&](sm::MultiplyOp before) { return before.getResult() == multiply.getAccumulator(); });
    if (alike && !continues)
      products.push_back(multiply);
  }
  return products;
}

/// Products come from the stages. The sign and the depth are part of the instructions, so that there is a
/// product for each that may be wanted.
static void lowerProducts(OpBuilder &builder, ArrayRef<sm::MultiplyOp> multiplies,
                          const StagedBlocks &blocks) {
  sm::MultiplyOp first = multiplies.front(), last = multiplies.back();
  builder.setInsertionPoint(last);
  Location location = first.getLoc();
  auto products_from = [&](Value a, Value a_stage, bool negate, IntegerAttr depth) {
    SmallVector<Value> sums;
    for (sm::MultiplyOp multiply : multiplies) {
      StagedBlock b = blocks.at(multiply.getB());
      auto mma = sm::MmaOp::create(builder, location, multiply.getResult().getType(), a, a_stage, b.buffer,
                                   b.wait.getStage(), multiply.getAccumulator(), negate);
      mma.setDepthAttr(depth);
      mma.setATransposed(multiply.getATransposed());
      mma.setBTransposed(multiply.getBTransposed());
      sums.push_back(mma);
    }
    return sums;
  };
  auto of_any_depth = [&](llvm::function_ref<SmallVector<Value>(IntegerAttr)> products) {
    return chooseProducts(
        builder, location, first.getShallow(), [&] { return products(first.getShallowDepthAttr()); },
        [&] { return products(IntegerAttr()); });
  };
  auto products = [&] {
    StagedBlock a = blocks.at(first.getA());
    return of_any_depth([&](IntegerAttr depth) {
      return chooseProducts(
          builder, location, first.getNegate(),
          [&] { return products_from(a.buffer, a.wait.getStage(), true, depth); },
          [&] { return products_from(a.buffer, a.wait.getStage(), false, depth); });
    });
  };
  auto own = [&] {
    StagedBlock held = blocks.at(first.getHeld());
    Value place = placeOfPiece(builder, location, held.buffer, held.pieces.count, held.wait.getStage(),
                               first.getPiece());
    return of_any_depth([&](IntegerAttr depth) { return products_from(held.buffer, place, false, depth); });
  };
  SmallVector<Value> sums;
  if (first.getPart())
    sums = {productOfPart(builder, first, [&] { return products().front(); }, [&] { return own().front(); })};
  else
    sums = products();
  for (auto [multiply, sum] : llvm::zip_equal(multiplies, sums)) {
    sm::MultiplyOp done = multiply;
    done.replaceAllUsesWith(sum);
    done.erase();
  }
}

//===--------------------------------------------------------------------------------------------===//
// Stores
//===--------------------------------------------------------------------------------------------===//

/// A store for each piece: those of rounded sums lie one below the other, or where warpgroups hold columns
/// side by side.
static void lowerStore(OpBuilder &builder, sm::StoreBlockOp store, const StagedBlock &block) {
  builder.setInsertionPoint(store);
  Location location = store.getLoc();
  const IntegerArithmetic math(builder, location);
  sm::ConsumerWaitOp wait = block.wait;
  const bool below = block.pieces.rows != store.getBlock().getType().getRows();
  for (int64_t piece = 0; piece < block.pieces.count; ++piece) {
    SmallVector<Value> coordinates(store.getCoordinates());
    Value &along = coordinates[below ? 3 : 0];
    along = math.add(along, piece * (below ? block.pieces.rows : block.pieces.columns));
    Value place = placeOfPiece(builder, location, block.buffer, block.pieces.count, wait.getStage(),
                               math.constant(piece));
    sm::StoreOp::create(builder, location, block.buffer, place, store.getTarget(), store.getMap(),
                        coordinates);
  }
  store.erase();
}

LogicalResult useStages(sm::KernelOp kernel, const StagedBlocks &blocks) {
  OpBuilder builder(kernel.getContext());
  SmallVector<sm::MultiplyOp> multiplies;
  SmallVector<sm::StoreBlockOp> stores;
  kernel.walk([&](Operation *op) {
    if (auto multiply = dyn_cast<sm::MultiplyOp>(op))
      multiplies.push_back(multiply);
    else if (auto store = dyn_cast<sm::StoreBlockOp>(op))
      stores.push_back(store);
  });
  llvm::DenseSet<Operation *> done;
  for (sm::MultiplyOp multiply : multiplies) {
    if (done.contains(multiply))
      continue;
    for (Value block : {multiply.getA(), multiply.getB()}) {
      auto staged = blocks.find(block);
      if (staged == blocks.end())
        return multiply.emitOpError("multiplies a block that comes through no pipe");
      if (staged->second.pieces.count > 1)
        return multiply.emitOpError("multiplies a block that lies in ")
               << staged->second.pieces.count << " pieces; its instructions take one";
    }
    const SmallVector<sm::MultiplyOp> like = productsLike(multiply, blocks);
    done.insert(like.begin(), like.end());
    lowerProducts(builder, like, blocks);
  }
  if (failed(useStagesOfLayers(kernel, blocks)))
    return failure();
  for (sm::StoreBlockOp store : stores) {
    auto staged = blocks.find(store.getBlock());
    if (staged == blocks.end())
      return store.emitOpError("stores a block that comes through no pipe");
    lowerStore(builder, store, staged->second);
  }
  return success();
}

} // namespace compiler
