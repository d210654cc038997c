// sm-insert-barriers: a full and an empty barrier for every slot of a ring, and waits for the products.
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/thread_block/cluster_place.h"

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
  Value peers; ///< the blocks that this one copies for and gets copies from; null where it is alone
};

struct SmInsertBarriers : compiler::impl::SmInsertBarriersBase<SmInsertBarriers> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>()) {
      if (!kernel.getBody().getOps<sm::RingOp>().empty())
        closeGroups(kernel);
      for (sm::RingOp ring : llvm::make_early_inc_range(kernel.getBody().getOps<sm::RingOp>()))
        if (failed(lower(kernel, ring)))
          return signalPassFailure();
    }
  }

private:
  static void closeGroups(sm::KernelOp kernel);
  LogicalResult lower(sm::KernelOp kernel, sm::RingOp ring);
};

} // namespace

static Value slotBefore(const IndexMath &math, Value slot, std::int64_t slots) {
  Value last = math.constant(slots - 1);
  return math.select(math.equal(slot, math.constant(0)), last, math.add(slot, -1));
}

/// What the loads bring whose conditions hold; null where none has one. The conditions are there before.
static Value conditionalBytes(OpBuilder &builder, Location location, ArrayRef<sm::LoadOp> loads) {
  const IndexMath math(builder, location);
  Value sum;
  for (sm::LoadOp load : loads)
    if (Value condition = load.getCondition()) {
      Value bytes = math.select(condition, math.constant(load.getBytes()), math.constant(0));
      sum = sum ? math.add(sum, bytes) : bytes;
    }
  return sum;
}

/// Waits for the slot to be empty, announces what will fill it, and lets the loads up to the publish signal.
static LogicalResult lowerFill(OpBuilder &builder, sm::AcquireOp acquire, const Barriers &barriers) {
  SmallVector<sm::LoadOp> loads;
  sm::PublishOp publish;
  std::int64_t bytes = 0;
  for (Operation *op = acquire->getNextNode(); op && !publish; op = op->getNextNode()) {
    if (auto load = dyn_cast<sm::LoadOp>(op)) {
      // Of a ring of one slot the buffer's slots are pieces of it.
      if (load.getSlot() != acquire.getSlot() && barriers.slots > 1)
        return load.emitOpError("loads into another slot than the one that was acquired");
      loads.push_back(load);
      // Of loads that depend on conditions it is known only then how many bytes come.
      bytes += load.getCondition() ? 0 : load.getBytes();
    }
    publish = dyn_cast<sm::PublishOp>(op);
  }
  if (!publish || publish.getSlot() != acquire.getSlot() || loads.empty())
    return acquire.emitOpError("must be followed by loads into the slot and its publication");
  builder.setInsertionPoint(acquire);
  Location location = acquire.getLoc();
  sm::WaitOp::create(builder, location, barriers.empty, acquire.getSlot(), acquire.getParity());
  sm::ExpectOp::create(builder, location, barriers.full, acquire.getSlot(), bytes,
                       conditionalBytes(builder, location, loads));
  for (sm::LoadOp load : loads) {
    load.getBarriersMutable().assign(barriers.full);
    load.getBarrierSlotMutable().assign(acquire.getSlot());
  }
  publish.erase();
  acquire.erase();
  return success();
}

/// Waits for the slot to be full.
static void lowerAwait(OpBuilder &builder, sm::AwaitOp await, const Barriers &barriers) {
  builder.setInsertionPoint(await);
  sm::WaitOp::create(builder, await.getLoc(), barriers.full, await.getSlot(), await.getParity());
  await.erase();
}

/// Makes a product, and those that stand right behind it, a group of their own; does nothing for one that
/// stands behind another. Fence and commit stand right beside them, even where a branch chooses between
/// products: ptxas adds its own where they are in another block.
static void closeGroup(OpBuilder &builder, sm::MmaOp mma) {
  if (isa_and_nonnull<sm::MmaOp>(mma->getPrevNode()))
    return;
  builder.setInsertionPoint(mma);
  sm::MmaFenceOp::create(builder, mma.getLoc());
  Operation *last = mma;
  while (isa_and_nonnull<sm::MmaOp>(last->getNextNode()))
    last = last->getNextNode();
  builder.setInsertionPointAfter(last);
  sm::MmaCommitOp::create(builder, mma.getLoc());
}

/// Where a warpgroup multiplies in some steps only, the others have a group without products: waits count
/// groups, and every step has one.
static void closeEmptyGroups(OpBuilder &builder, sm::RoleOp role) {
  role.walk([&](scf::IfOp branch) {
    if (llvm::none_of(branch.getResultTypes(), llvm::IsaPred<sm::AccumulatorType>))
      return;
    const auto multiplies = [](Block *block) {
      return block->walk([](sm::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    };
    if (multiplies(branch.thenBlock()) && !multiplies(branch.elseBlock())) {
      builder.setInsertionPointToStart(branch.elseBlock());
      sm::MmaFenceOp::create(builder, branch.getLoc());
      sm::MmaCommitOp::create(builder, branch.getLoc());
    }
  });
}

/// One arrival of every warp, where the condition holds.
static void arriveIf(OpBuilder &builder, Location location, Value condition, const Barriers &barriers,
                     Value slot) {
  auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  sm::ArriveOp::create(builder, location, barriers.empty, slot, barriers.peers);
}

/// The sums may be read from here on: everything that uses them uses what the wait before has seen finished.
static void settle(OpBuilder &builder, Location location, Value sums) {
  auto settled = sm::SettleOp::create(builder, location, sums.getType(), sums);
  sums.replaceAllUsesExcept(settled.getResult(), settled);
}

/// In a loop that adds to the sums: leaves the slot's products in flight, waits for those of the step before
/// and releases that step's slot. Behind the loop nothing is in flight.
static void releaseInLoop(OpBuilder &builder, sm::ReleaseOp release, scf::ForOp loop, BlockArgument slot,
                          const Barriers &barriers) {
  Location location = release.getLoc();
  const IndexMath math(builder, location);
  builder.setInsertionPoint(release);
  sm::MmaWaitOp::create(builder, location, 1);
  Value earlier_step = math.less(loop.getLowerBound(), loop.getInductionVar());
  arriveIf(builder, location, earlier_step, barriers, slotBefore(math, slot, barriers.slots));

  builder.setInsertionPointAfter(loop);
  sm::MmaWaitOp::create(builder, location, 0);
  Value any_step = math.less(loop.getLowerBound(), loop.getUpperBound());
  Value next_slot = loop.getTiedLoopResult(slot);
  arriveIf(builder, location, any_step, barriers, slotBefore(math, next_slot, barriers.slots));
  for (Value result : loop.getResults())
    if (isa<sm::AccumulatorType>(result.getType()))
      settle(builder, location, result);
}

/// Without a loop, a tile is one step: its products are waited for at once.
static LogicalResult releaseAtOnce(OpBuilder &builder, sm::ReleaseOp release, const Barriers &barriers) {
  Location location = release.getLoc();
  // The products that stand beside each other, or those that branches choose together.
  SmallVector<Value> sums;
  for (Operation *op = release->getPrevNode(); op && (sums.empty() || isa<sm::MmaOp>(op));
       op = op->getPrevNode())
    llvm::copy_if(op->getResults(), std::back_inserter(sums),
                  [](Value result) { return isa<sm::AccumulatorType>(result.getType()); });
  if (sums.empty())
    return release.emitOpError("must follow the products from its slot");
  builder.setInsertionPoint(release);
  sm::MmaWaitOp::create(builder, location, 0);
  sm::ArriveOp::create(builder, location, barriers.empty, release.getSlot(), barriers.peers);
  for (Value sum : sums)
    settle(builder, location, sum);
  return success();
}

static LogicalResult lowerRelease(OpBuilder &builder, sm::ReleaseOp release, const Barriers &barriers) {
  auto loop = dyn_cast<scf::ForOp>(release->getParentOp());
  const bool adds = loop && llvm::any_of(loop.getResultTypes(), llvm::IsaPred<sm::AccumulatorType>);
  if (!adds) {
    if (failed(releaseAtOnce(builder, release, barriers)))
      return failure();
  } else {
    auto slot = dyn_cast<BlockArgument>(release.getSlot());
    if (!slot || slot.getOwner() != loop.getBody() || slot == loop.getInductionVar())
      return release.emitOpError("must stand in a loop that carries its slot");
    releaseInLoop(builder, release, loop, slot, barriers);
  }
  release.erase();
  return success();
}

/// The blocks of its cluster that a role's block shares anything with. Those that it shares nothing with need
/// not wait for each other; and who arrives for the next pass through the ring has got a copy from everyone
/// at whose barrier it arrives, so that no arrival is taken for one of the pass before.
static Value peersIn(OpBuilder &builder, sm::RoleOp role, std::int64_t rows, std::int64_t columns) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&role.getBody().front());
  const ClusterPlace place(builder, role.getLoc(), rows, columns);
  if (rows == 1 || columns == 1)
    return rows == 1 ? place.row_mask : place.column_mask;
  return IndexMath(builder, role.getLoc()).bitOr(place.row_mask, place.column_mask);
}

void SmInsertBarriers::closeGroups(sm::KernelOp kernel) {
  OpBuilder builder(kernel);
  kernel.walk([&](sm::MmaOp mma) { closeGroup(builder, mma); });
  for (sm::RoleOp role : kernel.getBody().getOps<sm::RoleOp>())
    closeEmptyGroups(builder, role);
}

/// The block's threads, or the cluster's, meet once for the barriers of all rings: this is the last so far.
static void initializeBarriers(OpBuilder &builder, sm::KernelOp kernel, const Barriers &barriers, Value turns,
                               bool cluster) {
  SmallVector<Value> all;
  for (auto before : llvm::make_early_inc_range(kernel.getBody().getOps<sm::InitializeOp>())) {
    all.append(before.getBarriers().begin(), before.getBarriers().end());
    before.erase();
  }
  all.append({barriers.full, barriers.empty});
  if (turns)
    all.push_back(turns);
  sm::InitializeOp::create(builder, kernel.getLoc(), all, cluster);
}

/// A barrier for each part of the role that takes turns: the part before it arrives there. Null where all
/// warpgroups take together.
static Value lowerTurns(OpBuilder &builder, sm::RoleOp role, std::int64_t turns, std::int64_t warps) {
  if (turns == 1)
    return {};
  auto type = sm::BarriersType::get(role.getContext(), turns);
  Value barriers = sm::BarriersOp::create(builder, role.getLoc(), type, warps);
  SmallVector<Operation *> steps;
  role.walk([&](Operation *op) {
    if (isa<sm::AwaitTurnOp, sm::PassTurnOp>(op))
      steps.push_back(op);
  });
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *step : steps) {
    builder.setInsertionPoint(step);
    if (auto await = dyn_cast<sm::AwaitTurnOp>(step))
      sm::WaitOp::create(builder, step->getLoc(), barriers, await.getTurn(), await.getParity());
    else
      sm::ArriveOp::create(builder, step->getLoc(), barriers, cast<sm::PassTurnOp>(step).getTurn(), Value());
    step->erase();
  }
  return barriers;
}

LogicalResult SmInsertBarriers::lower(sm::KernelOp kernel, sm::RingOp ring) {
  std::int64_t multiplying = 0;
  sm::RoleOp multiplies;
  for (sm::RoleOp role : kernel.getBody().getOps<sm::RoleOp>())
    if (role.getKind() == sm::RoleKind::Multiply) {
      multiplying += role.getWarpgroups();
      multiplies = role;
    }
  if (multiplying == 0)
    return ring.emitOpError("has nobody who multiplies from its slots");

  OpBuilder builder(ring);
  Location location = ring.getLoc();
  const std::int64_t slots = ring.getRing().getType().getSlots();
  auto type = sm::BarriersType::get(&getContext(), slots);
  constexpr std::int64_t warps_of_warpgroup = 4;
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  const std::int64_t rows = schedule ? schedule.getClusterRows() : 1,
                     columns = schedule ? schedule.getClusterColumns() : 1;
  const bool shares = schedule && schedule.sharesCopies(), cluster = schedule && schedule.getCluster() > 1;
  // Of parts that take turns one takes a slot, and releases it.
  const std::int64_t turns = schedule ? schedule.getTurns() : 1;
  const std::int64_t warps = warps_of_warpgroup * multiplying / turns;
  Barriers barriers = {sm::BarriersOp::create(builder, location, type, 1),
                       sm::BarriersOp::create(builder, location, type, warps * (rows + columns - 1)), slots,
                       shares ? peersIn(builder, multiplies, rows, columns) : Value()};
  initializeBarriers(builder, kernel, barriers, lowerTurns(builder, multiplies, turns, warps), cluster);
  if (cluster)
    for (sm::RoleOp role : kernel.getBody().getOps<sm::RoleOp>()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&role.getBody().front());
      sm::ClusterSyncOp::create(builder, location);
    }

  SmallVector<Operation *> steps(ring.getRing().getUsers());
  for (Operation *step : steps)
    if (auto acquire = dyn_cast<sm::AcquireOp>(step)) {
      if (failed(lowerFill(builder, acquire, barriers)))
        return failure();
    } else if (auto await = dyn_cast<sm::AwaitOp>(step)) {
      lowerAwait(builder, await, barriers);
    } else if (auto back = dyn_cast<sm::GiveBackOp>(step)) {
      builder.setInsertionPoint(back);
      sm::ArriveOp::create(builder, back.getLoc(), barriers.empty, back.getSlot(), barriers.peers);
      back.erase();
    } else if (auto release = dyn_cast<sm::ReleaseOp>(step)) {
      if (failed(lowerRelease(builder, release, barriers)))
        return failure();
    }
  if (!ring.getRing().use_empty())
    return ring.emitOpError("has slots that are published but never acquired");
  ring.erase();
  return success();
}
