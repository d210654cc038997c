// sm-insert-barriers: a full and an empty barrier for every slot of a ring, and waits for the products.
#include "compiler/targets/hopper/index_math.h"
#include "compiler/targets/hopper/passes.h"

namespace compiler {
#define GEN_PASS_DEF_SMINSERTBARRIERS
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

/// The barriers of a ring.
struct Barriers {
  Value full, empty;
  std::int64_t slots;
};

struct SmInsertBarriers : compiler::impl::SmInsertBarriersBase<SmInsertBarriers> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      for (sm::RingOp ring : llvm::make_early_inc_range(kernel.getBody().getOps<sm::RingOp>()))
        if (failed(lower(kernel, ring)))
          return signalPassFailure();
  }

private:
  LogicalResult lower(sm::KernelOp kernel, sm::RingOp ring);
};

} // namespace

static Value slotBefore(const IndexMath &math, Value slot, std::int64_t slots) {
  Value last = math.constant(slots - 1);
  return math.select(math.equal(slot, math.constant(0)), last, math.add(slot, -1));
}

/// Waits for the slot to be empty, announces what will fill it, and lets the loads up to the publish signal.
static LogicalResult lowerFill(OpBuilder &builder, sm::AcquireOp acquire, const Barriers &barriers) {
  SmallVector<sm::LoadOp> loads;
  sm::PublishOp publish;
  std::int64_t bytes = 0;
  for (Operation *op = acquire->getNextNode(); op && !publish; op = op->getNextNode()) {
    if (auto load = dyn_cast<sm::LoadOp>(op)) {
      if (load.getSlot() != acquire.getSlot())
        return load.emitOpError("loads into another slot than the one that was acquired");
      loads.push_back(load);
      bytes += load.getTarget().getType().getSlotBytes();
    }
    publish = dyn_cast<sm::PublishOp>(op);
  }
  if (!publish || publish.getSlot() != acquire.getSlot() || loads.empty())
    return acquire.emitOpError("must be followed by loads into the slot and its publication");
  builder.setInsertionPoint(acquire);
  Location location = acquire.getLoc();
  sm::WaitOp::create(builder, location, barriers.empty, acquire.getSlot(), acquire.getParity());
  sm::ExpectOp::create(builder, location, barriers.full, acquire.getSlot(), bytes);
  for (sm::LoadOp load : loads) {
    load.getBarriersMutable().assign(barriers.full);
    load.getBarrierSlotMutable().assign(acquire.getSlot());
  }
  publish.erase();
  acquire.erase();
  return success();
}

/// Waits for the slot to be full; products may follow.
static void lowerAwait(OpBuilder &builder, sm::AwaitOp await, const Barriers &barriers) {
  builder.setInsertionPoint(await);
  sm::WaitOp::create(builder, await.getLoc(), barriers.full, await.getSlot(), await.getParity());
  sm::MmaFenceOp::create(builder, await.getLoc());
  await.erase();
}

/// One arrival of every warp, where the condition holds.
static void arriveIf(OpBuilder &builder, Location location, Value condition, Value empty, Value slot) {
  auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  sm::ArriveOp::create(builder, location, empty, slot);
}

/// Leaves the slot's products in flight, waits for those of the step before and releases that step's slot.
/// Behind the loop nothing is in flight.
static LogicalResult lowerRelease(OpBuilder &builder, sm::ReleaseOp release, const Barriers &barriers) {
  auto loop = dyn_cast<scf::ForOp>(release->getParentOp());
  auto slot = dyn_cast<BlockArgument>(release.getSlot());
  if (!loop || !slot || slot.getOwner() != loop.getBody() || slot == loop.getInductionVar())
    return release.emitOpError("must stand in the loop over the steps of a tile, which carries its slot");
  Location location = release.getLoc();
  const IndexMath math(builder, location);

  builder.setInsertionPoint(release);
  sm::MmaCommitOp::create(builder, location);
  sm::MmaWaitOp::create(builder, location, 1);
  Value earlier_step = math.less(loop.getLowerBound(), loop.getInductionVar());
  arriveIf(builder, location, earlier_step, barriers.empty, slotBefore(math, slot, barriers.slots));

  builder.setInsertionPointAfter(loop);
  sm::MmaWaitOp::create(builder, location, 0);
  Value any_step = math.less(loop.getLowerBound(), loop.getUpperBound());
  Value next_slot = loop.getTiedLoopResult(slot);
  arriveIf(builder, location, any_step, barriers.empty, slotBefore(math, next_slot, barriers.slots));
  for (Value result : loop.getResults())
    if (isa<sm::AccumulatorType>(result.getType())) {
      auto settled = sm::SettleOp::create(builder, location, result.getType(), result);
      result.replaceAllUsesExcept(settled.getResult(), settled);
    }
  release.erase();
  return success();
}

LogicalResult SmInsertBarriers::lower(sm::KernelOp kernel, sm::RingOp ring) {
  std::int64_t multiplying = 0;
  for (sm::RoleOp role : kernel.getBody().getOps<sm::RoleOp>())
    if (role.getKind() == sm::RoleKind::Multiply)
      multiplying += role.getWarpgroups();
  if (multiplying == 0)
    return ring.emitOpError("has nobody who multiplies from its slots");

  OpBuilder builder(ring);
  Location location = ring.getLoc();
  const std::int64_t slots = ring.getRing().getType().getSlots();
  auto type = sm::BarriersType::get(&getContext(), slots);
  constexpr std::int64_t warps_of_warpgroup = 4;
  Barriers barriers = {sm::BarriersOp::create(builder, location, type, 1),
                       sm::BarriersOp::create(builder, location, type, warps_of_warpgroup * multiplying),
                       slots};
  sm::InitializeOp::create(builder, location, ValueRange{barriers.full, barriers.empty});

  SmallVector<Operation *> steps(ring.getRing().getUsers());
  for (Operation *step : steps)
    if (auto acquire = dyn_cast<sm::AcquireOp>(step)) {
      if (failed(lowerFill(builder, acquire, barriers)))
        return failure();
    } else if (auto await = dyn_cast<sm::AwaitOp>(step)) {
      lowerAwait(builder, await, barriers);
    } else if (auto release = dyn_cast<sm::ReleaseOp>(step)) {
      if (failed(lowerRelease(builder, release, barriers)))
        return failure();
    }
  if (!ring.getRing().use_empty())
    return ring.emitOpError("has slots that are published but never acquired");
  ring.erase();
  return success();
}
