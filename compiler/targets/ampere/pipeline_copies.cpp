// sm-pipeline-copies: copies run ahead of the products, through a ring of slots.
#include "compiler/schedule/staged.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/thread_block/block_product.h"
#include "compiler/targets/thread_block/index_math.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace compiler {
#define GEN_PASS_DEF_SMPIPELINECOPIES
#include "compiler/targets/ampere/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

/// The slots of a kernel, and what goes through them.
class CopyPipeline {
public:
  CopyPipeline(const BlockProducts &from, std::int64_t slots)
      : products(from), slots(slots), builder(products.first()), location(products.first().getLoc()),
        math(builder, location), fetches(from.banks.begin(), from.banks.end()) {
    fetches.insert(fetches.begin(), products.a);
  }

  LogicalResult allocate(sm::KernelOp kernel);
  /// The products of a loop over the steps of a tile.
  LogicalResult overlap(scf::ForOp loop);
  /// The products of a tile that is one step.
  void inOrder();

private:
  LogicalResult collectCoordinates(scf::ForOp loop);
  /// Copies the blocks of a step into a slot where there is such a step, and closes their group.
  void copyAhead(scf::ForOp loop, Value step, Value slot);
  void copy(const IRMapping &values, Value slot);
  void multiplyFrom(Value slot);
  Value nextSlot(Value slot) const;
  Value slotBefore(Value slot) const;

  BlockProducts products;
  std::int64_t slots;
  OpBuilder builder;
  Location location;
  IndexMath math;
  SmallVector<sm::FetchOp> fetches;         ///< of A, and of B of each product
  SmallVector<Value> buffers;               ///< one for each of them
  llvm::SetVector<Operation *> coordinates; ///< what the fetches of a step need, in program order
};

struct SmPipelineCopies : compiler::impl::SmPipelineCopiesBase<SmPipelineCopies> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (failed(pipeline(kernel)))
        return signalPassFailure();
  }

private:
  static LogicalResult pipeline(sm::KernelOp kernel);
};

} // namespace

LogicalResult CopyPipeline::allocate(sm::KernelOp kernel) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  for (sm::FetchOp fetch : fetches) {
    if (!fetch.getSource().getType().isPlain())
      return fetch.emitOpError("goes through tensor maps; threads copy through plain ones, which come from a "
                               "schedule with warps");
    sm::BlockType block = fetch.getBlock().getType();
    if (!block.getSwizzle())
      return fetch.emitOpError("does not know how its block lies in shared memory: assign swizzles first");
    auto type = sm::BufferType::get(kernel.getContext(), slots, block.getRows(), block.getColumns(),
                                    block.getElementType(), block.getSwizzle());
    buffers.push_back(sm::AllocateOp::create(builder, fetch.getLoc(), type));
  }
  return success();
}

Value CopyPipeline::nextSlot(Value slot) const {
  Value next = math.add(slot, 1);
  return math.select(math.equal(next, math.constant(slots)), math.constant(0), next);
}

Value CopyPipeline::slotBefore(Value slot) const {
  return math.select(math.equal(slot, math.constant(0)), math.constant(slots - 1), math.add(slot, -1));
}

LogicalResult CopyPipeline::collectCoordinates(scf::ForOp loop) {
  Block *body = loop.getBody();
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> open;
  for (sm::FetchOp fetch : fetches)
    llvm::append_range(open, fetch->getOperands());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == body && argument != loop.getInductionVar())
      return products.first().emitOpError(
          "multiplies blocks whose coordinates depend on what the loop carries");
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !needed.insert(op).second)
      continue;
    if (op->getNumRegions() || !(isMemoryEffectFree(op) || isa<sm::ReadTermsOp>(op)))
      return op->emitOpError("is needed for the coordinates of a block, and cannot be run ahead of its step");
    llvm::append_range(open, op->getOperands());
  }
  for (Operation &op : *body)
    if (needed.contains(&op))
      coordinates.insert(&op);
  return success();
}

void CopyPipeline::copy(const IRMapping &values, Value slot) {
  for (auto [of_step, buffer] : llvm::zip_equal(fetches, buffers)) {
    sm::FetchOp fetch = of_step;
    auto of = [&](Value value) { return values.lookupOrDefault(value); };
    sm::CopyOp::create(builder, fetch.getLoc(), of(fetch.getSource()), of(fetch.getMap()),
                       llvm::map_to_vector(fetch.getCoordinates(), of), buffer, slot);
  }
}

void CopyPipeline::copyAhead(scf::ForOp loop, Value step, Value slot) {
  auto exists = scf::IfOp::create(builder, location, math.less(step, loop.getUpperBound()),
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(exists.thenBlock()->getTerminator());
    IRMapping values;
    values.map(loop.getInductionVar(), step);
    for (Operation *op : coordinates)
      builder.clone(*op, values);
    copy(values, slot);
  }
  sm::CopyCommitOp::create(builder, location);
}

void CopyPipeline::multiplyFrom(Value slot) {
  sm::MultiplyOp first = products.first();
  builder.setInsertionPoint(products.multiplies.back());
  auto write = [&](IntegerAttr depth) {
    SmallVector<Value> sums;
    for (auto [multiply, bank] : llvm::zip_equal(products.multiplies, ArrayRef(buffers).drop_front())) {
      sm::MultiplyOp of = multiply;
      sums.push_back(sm::MmaOp::create(builder, location, of.getResult().getType(), buffers[0], slot, bank,
                                       slot, of.getAccumulator(), /*negate=*/false, of.getNegate(), depth,
                                       of.getATransposed(), of.getBTransposed()));
    }
    return sums;
  };
  const SmallVector<Value> sums = chooseProducts(
      builder, location, first.getShallow(), [&] { return write(first.getShallowDepthAttr()); },
      [&] { return write(IntegerAttr()); });
  for (auto [multiply, sum] : llvm::zip_equal(products.multiplies, sums)) {
    multiply.replaceAllUsesWith(sum);
    multiply.erase();
  }
  for (sm::FetchOp fetch : fetches)
    fetch.erase();
}

LogicalResult CopyPipeline::overlap(scf::ForOp loop) {
  if (!matchPattern(loop.getLowerBound(), m_Zero()) || !matchPattern(loop.getStep(), m_One()))
    return loop.emitOpError("must count the steps of a tile from 0 by 1");
  if (failed(collectCoordinates(loop)))
    return failure();
  const std::int64_t ahead = slots - 1;

  // A warp may still multiply from the slots of the tile before.
  builder.setInsertionPoint(loop);
  sm::BlockSyncOp::create(builder, location);
  auto first =
      scf::ForOp::create(builder, location, math.constant(0), math.constant(ahead), math.constant(1));
  builder.setInsertionPoint(first.getBody()->getTerminator());
  copyAhead(loop, first.getInductionVar(), first.getInductionVar());

  // The loop carries the slot of its step.
  builder.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(math.constant(0));
  auto steps = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep(), inits);
  steps.getRegion().takeBody(loop.getRegion());
  Value slot = steps.getBody()->addArgument(builder.getIndexType(), location);
  loop->replaceAllUsesWith(steps.getResults().drop_back());
  loop.erase();

  builder.setInsertionPointToStart(steps.getBody());
  sm::CopyWaitOp::create(builder, location, ahead - 1);
  sm::BlockSyncOp::create(builder, location);
  copyAhead(steps, math.add(steps.getInductionVar(), ahead), slotBefore(slot));
  multiplyFrom(slot);
  Operation *yield = steps.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  yield->insertOperands(yield->getNumOperands(), nextSlot(slot));
  return success();
}

void CopyPipeline::inOrder() {
  builder.setInsertionPoint(products.multiplies.back());
  Value slot = math.constant(0);
  // A warp may still multiply from the slot.
  sm::BlockSyncOp::create(builder, location);
  copy(IRMapping(), slot);
  sm::CopyCommitOp::create(builder, location);
  sm::CopyWaitOp::create(builder, location, 0);
  sm::BlockSyncOp::create(builder, location);
  multiplyFrom(slot);
}

/// As many slots as the schedule has stages, or as fit.
static FailureOr<std::int64_t> chooseSlots(sm::KernelOp kernel, BlockProducts products) {
  sm::BlockType a = products.a.getBlock().getType();
  const sm::AccumulatorType sums = products.first().getAccumulator().getType();
  const std::int64_t depth = products.first().getATransposed() ? a.getRows() : a.getColumns();
  const std::int64_t slot = stageBytes(StagedSchedule::ofThreads(sums.getRows(), sums.getColumns(), depth),
                                       static_cast<std::int64_t>(products.banks.size()));
  const std::int64_t fit = ampere_shared_bytes / slot;
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  const std::int64_t wanted =
      schedule && schedule.getStages() ? schedule.getStages() : std::min(usual_ampere_stages, fit);
  if (wanted < 2)
    return kernel.emitOpError("needs at least 2 slots of ")
           << slot << " bytes, so that one fills while the other is multiplied; "
           << (fit < 2 ? "shared memory has no room for them" : "its schedule has fewer stages");
  if (wanted > fit)
    return kernel.emitOpError("cannot have ")
           << wanted << " slots of " << slot << " bytes: " << fit << " fit shared memory";
  return wanted;
}

LogicalResult SmPipelineCopies::pipeline(sm::KernelOp kernel) {
  FailureOr<BlockProducts> products = findProducts(kernel);
  if (failed(products))
    return failure();
  if (products->parts)
    return products->parts.emitOpError("brings rows of several types, which threads do not copy");
  auto loop = dyn_cast<scf::ForOp>(products->first()->getParentOp());
  const bool steps = loop && llvm::any_of(loop.getResultTypes(), llvm::IsaPred<sm::AccumulatorType>);
  FailureOr<std::int64_t> slots = steps ? chooseSlots(kernel, *products) : FailureOr<std::int64_t>(1);
  if (failed(slots))
    return failure();
  CopyPipeline pipeline(*products, *slots);
  if (failed(pipeline.allocate(kernel)))
    return failure();
  if (steps)
    return pipeline.overlap(loop);
  pipeline.inOrder();
  return success();
}
