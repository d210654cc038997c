// sm-ping-pong: parts of the warpgroups that multiply have tiles of their own.
#include "compiler/lower/integer_arithmetic.h"
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/partitions.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/hopper/staged_layers.h"
#include "compiler/targets/thread_block/block_product.h"

#include "mlir/IR/IRMapping.h"

namespace compiler {
#define GEN_PASS_DEF_SMPINGPONG
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmPingPong : compiler::impl::SmPingPongBase<SmPingPong> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
          schedule && schedule.getPingPong() > 1)
        if (failed(pingPong(kernel, schedule.getPingPong())))
          return signalPassFailure();
  }

private:
  static LogicalResult pingPong(sm::KernelOp kernel, int64_t turns);
};

/// The part of a partition's program that consumes the blocks of one tile.
struct TileSteps {
  scf::ForOp tiles;
  scf::IfOp exists; ///< beside the tile's coordinates, all that the loop does
  sm::ConsumeOp consume;

  /// The loop over steps, or where a tile is a single one the last of its products.
  Operation *steps() {
    auto loop = dyn_cast<scf::ForOp>(consume->getParentOp());
    return loop && loop != tiles ? loop.getOperation()
                                 : productsOf(consume.getBlocks()).back().getOperation();
  }
};

} // namespace

/// Of a loop whose tiles all exist, as those of dW: what it does from the tile's steps on becomes a branch
/// that is always taken.
static scf::IfOp putIntoBranch(scf::ForOp tiles, Operation *steps) {
  while (steps->getParentOp() != tiles)
    steps = steps->getParentOp();
  OpBuilder builder(steps);
  Location location = steps->getLoc();
  Value always = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
  auto branch = scf::IfOp::create(builder, location, always, /*withElseRegion=*/false);
  Block *then = branch.thenBlock();
  then->getOperations().splice(then->begin(), tiles.getBody()->getOperations(), steps->getIterator(),
                               tiles.getBody()->getTerminator()->getIterator());
  return branch;
}

static FailureOr<TileSteps> findSteps(sm::PartitionOp partition) {
  TileSteps steps;
  SmallVector<sm::ConsumeOp> consumes;
  partition.walk([&](sm::ConsumeOp consume) { consumes.push_back(consume); });
  if (consumes.size() > 1)
    return consumes.back().emitOpError(
        "is a second one of its partition, whose parts can take turns at one alone");
  if (!consumes.empty())
    steps.consume = consumes.front();
  if (!steps.consume)
    return partition.emitOpError("takes blocks from no pipe: nothing to take turns at");
  for (Operation *op = steps.consume; op != partition; op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op))
      steps.tiles = loop;
  if (steps.tiles)
    for (scf::IfOp branch : steps.tiles.getOps<scf::IfOp>())
      if (branch->isProperAncestor(steps.consume))
        steps.exists = branch;
  if (steps.tiles && !steps.exists && steps.tiles.getNumResults() == 0)
    steps.exists = putIntoBranch(steps.tiles, steps.consume);
  if (!steps.exists || steps.exists.getNumResults() != 0 || !steps.exists.getElseRegion().empty())
    return steps.consume.emitOpError("must stand in a loop over tiles, where the tile exists");
  return steps;
}

/// Writes for others' tiles that their blocks are passed over.
static void passOver(OpBuilder &builder, scf::IfOp exists, sm::ConsumeOp original) {
  IRMapping copies;
  auto copy = cast<scf::IfOp>(builder.clone(*exists, copies));
  sm::ConsumeOp consume = copies.lookup(original.getBlocks()[0]).getDefiningOp<sm::ConsumeOp>();
  Value pipe = consume.getPipe();
  auto loop = dyn_cast<scf::ForOp>(consume->getParentOp());
  Operation *steps = loop ? loop.getOperation() : consume.getOperation();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(steps);
  const IntegerArithmetic math(builder, consume.getLoc());
  sm::SkipOp::create(builder, consume.getLoc(), pipe,
                     loop ? math.subtract(loop.getUpperBound(), loop.getLowerBound()) : math.constant(1));
  // What is stored depends on the products, these on what is taken.
  SmallVector<Operation *> dead;
  copy.walk([&](Operation *op) {
    if (isa<sm::MapOp, sm::TakeColumnsOp, sm::StoreSumsOp>(op))
      dead.insert(dead.begin(), op); // users before what they use
  });
  if (!loop) {
    for (sm::MultiplyOp multiply : productsOf(consume.getBlocks()))
      dead.push_back(multiply);
    dead.push_back(consume);
  } else {
    dead.push_back(loop);
  }
  for (Operation *op : dead)
    op->erase();
}

LogicalResult SmPingPong::pingPong(sm::KernelOp kernel, int64_t turns) {
  // The one that multiplies takes turns; what it has more of registers the others have less.
  sm::PartitionOp partition;
  SmallVector<sm::PartitionOp> others;
  for (sm::PartitionOp each : kernel.getBody().getOps<sm::PartitionOp>())
    if (!each.walk([](Operation *op) {
               return isProductOfBlocks(op) ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted())
      others.push_back(each);
    else if (partition)
      return each.emitOpError("multiplies as another partition does: one alone can take turns");
    else
      partition = each;
  if (!partition || others.empty())
    return kernel.emitOpError("has no partition to take turns in beside others: partition it first");
  const auto part_warpgroups = static_cast<int64_t>(partition.getWarpgroups());
  const HopperRegisters registers = hopperRegisters(part_warpgroups * turns);
  partition.setRegisters(static_cast<uint64_t>(registers.multiply));
  for (sm::PartitionOp other : others)
    other.setRegisters(static_cast<uint64_t>(registers.load));
  if (kernel.getHiddenSchedule())
    return pingPongLayers(partition, turns);
  FailureOr<TileSteps> found = findSteps(partition);
  if (failed(found))
    return failure();
  partition.setWarpgroups(static_cast<uint64_t>(part_warpgroups * turns));
  partition.setTurns(turns);

  Location location = found->exists.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&partition.getBody().front());
  const IntegerArithmetic math(builder, location);
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  Value mine = math.divide(warpgroup, part_warpgroups);
  Value next = math.remainder(math.add(mine, 1), turns);

  // The block's tiles are numbered by what the loop steps by.
  builder.setInsertionPoint(found->exists);
  Value ordinal = math.divide(found->tiles.getInductionVar(), found->tiles.getStep());
  Value turn = math.remainder(ordinal, turns);
  Value before = math.add(math.divide(ordinal, turns), math.count(math.equal(mine, 0)));
  Value parity = math.asWord(math.remainder(before, 2));
  auto branch = scf::IfOp::create(builder, location, math.equal(turn, mine), /*withElseRegion=*/true);

  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  passOver(builder, found->exists, found->consume);
  found->exists->moveBefore(branch.thenBlock()->getTerminator());
  // A tile without rows is a turn, too.
  Block &nothing = found->exists.getElseRegion().emplaceBlock();
  builder.setInsertionPointToEnd(&nothing);
  sm::AwaitTurnOp::create(builder, location, mine, parity);
  sm::PassTurnOp::create(builder, location, next, /*unread=*/true);
  scf::YieldOp::create(builder, location);
  Operation *steps = found->steps();
  builder.setInsertionPoint(isa<scf::ForOp>(steps) ? steps : found->consume.getOperation());
  sm::AwaitTurnOp::create(builder, location, mine, parity);
  builder.setInsertionPointAfter(steps);
  sm::PassTurnOp::create(builder, location, next, /*unread=*/false);
  return success();
}
