// sm-take-turns: parts of the warpgroups that multiply have tiles of their own.
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/thread_block/block_product.h"
#include "compiler/targets/thread_block/index_math.h"

#include "mlir/IR/IRMapping.h"

namespace compiler {
#define GEN_PASS_DEF_SMTAKETURNS
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmTakeTurns : compiler::impl::SmTakeTurnsBase<SmTakeTurns> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
          schedule && schedule.getTurns() > 1)
        if (failed(takeTurns(kernel, schedule.getTurns())))
          return signalPassFailure();
  }

private:
  static LogicalResult takeTurns(sm::KernelOp kernel, std::int64_t turns);
};

/// The part of a role's program that takes the blocks of one tile.
struct TileSteps {
  scf::ForOp tiles;
  scf::IfOp exists; ///< beside the tile's coordinates, all that the loop does
  sm::TakeOp take;

  /// The loop over steps, or where a tile is a single one the last of its products.
  Operation *steps() {
    auto loop = dyn_cast<scf::ForOp>(take->getParentOp());
    return loop && loop != tiles ? loop.getOperation() : productsOf(take.getBlocks()).back().getOperation();
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

static FailureOr<TileSteps> findSteps(sm::RoleOp role) {
  TileSteps steps;
  role.walk([&](sm::TakeOp take) { steps.take = take; });
  if (!steps.take)
    return role.emitOpError("takes no blocks: split the roles before they take turns");
  for (Operation *op = steps.take; op != role; op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op))
      steps.tiles = loop;
  if (steps.tiles)
    for (scf::IfOp branch : steps.tiles.getOps<scf::IfOp>())
      if (branch->isProperAncestor(steps.take))
        steps.exists = branch;
  if (steps.tiles && !steps.exists && steps.tiles.getNumResults() == 0)
    steps.exists = putIntoBranch(steps.tiles, steps.take);
  if (!steps.exists || steps.exists.getNumResults() != 0 || !steps.exists.getElseRegion().empty())
    return steps.take.emitOpError("must stand in a loop over tiles, where the tile exists");
  return steps;
}

/// Writes for others' tiles that their blocks are passed over.
static void passOver(OpBuilder &builder, scf::IfOp exists, sm::TakeOp original) {
  IRMapping copies;
  auto copy = cast<scf::IfOp>(builder.clone(*exists, copies));
  sm::TakeOp take = copies.lookup(original.getBlocks()[0]).getDefiningOp<sm::TakeOp>();
  Value channel = take.getChannel();
  auto loop = dyn_cast<scf::ForOp>(take->getParentOp());
  Operation *steps = loop ? loop.getOperation() : take.getOperation();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(steps);
  const IndexMath math(builder, take.getLoc());
  sm::SkipOp::create(builder, take.getLoc(), channel,
                     loop ? math.subtract(loop.getUpperBound(), loop.getLowerBound()) : math.constant(1));
  // What is delivered depends on the products, these on what is taken.
  SmallVector<Operation *> dead;
  copy.walk([&](Operation *op) {
    if (isa<sm::MapOp, sm::DeliverOp>(op))
      dead.insert(dead.begin(), op); // users before what they use
  });
  if (!loop) {
    for (sm::MultiplyOp multiply : productsOf(take.getBlocks()))
      dead.push_back(multiply);
    dead.push_back(take);
  } else {
    dead.push_back(loop);
  }
  for (Operation *op : dead)
    op->erase();
}

LogicalResult SmTakeTurns::takeTurns(sm::KernelOp kernel, std::int64_t turns) {
  sm::RoleOp role, loads;
  for (sm::RoleOp each : kernel.getBody().getOps<sm::RoleOp>())
    (each.getKind() == sm::RoleKind::Multiply ? role : loads) = each;
  if (!role || !loads)
    return kernel.emitOpError("has no roles to take turns in: split it first");
  FailureOr<TileSteps> found = findSteps(role);
  if (failed(found))
    return failure();
  const auto part_warpgroups = static_cast<std::int64_t>(role.getWarpgroups());
  role.setWarpgroups(static_cast<std::uint64_t>(part_warpgroups * turns));
  const HopperRegisters registers = hopperRegisters(part_warpgroups * turns);
  role.setRegisters(static_cast<std::uint64_t>(registers.multiply));
  loads.setRegisters(static_cast<std::uint64_t>(registers.load));

  Location location = found->exists.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  const IndexMath math(builder, location);
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  Value mine = math.divide(warpgroup, part_warpgroups);
  Value next = math.remainder(math.add(mine, 1), turns);

  // The block's tiles are numbered by what the loop steps by.
  builder.setInsertionPoint(found->exists);
  Value ordinal = math.divide(found->tiles.getInductionVar(), found->tiles.getStep());
  Value turn = math.remainder(ordinal, turns);
  Value before = math.add(math.divide(ordinal, turns), math.count(math.equal(mine, math.constant(0))));
  Value parity =
      arith::IndexCastOp::create(builder, location, builder.getI32Type(), math.remainder(before, 2));
  auto branch = scf::IfOp::create(builder, location, math.equal(turn, mine), /*withElseRegion=*/true);

  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  passOver(builder, found->exists, found->take);
  found->exists->moveBefore(branch.thenBlock()->getTerminator());
  // A tile without rows is a turn, too.
  Block &nothing = found->exists.getElseRegion().emplaceBlock();
  builder.setInsertionPointToEnd(&nothing);
  sm::AwaitTurnOp::create(builder, location, mine, parity);
  sm::PassTurnOp::create(builder, location, next);
  scf::YieldOp::create(builder, location);
  Operation *steps = found->steps();
  builder.setInsertionPoint(isa<scf::ForOp>(steps) ? steps : found->take.getOperation());
  sm::AwaitTurnOp::create(builder, location, mine, parity);
  builder.setInsertionPointAfter(steps);
  sm::PassTurnOp::create(builder, location, next);
  return success();
}
