// sm-reduce-in-cluster: sums of tiles that blocks of a cluster divide go through each other's shared memory.
#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/hopper/passes.h"
#include "dialects/sm/sm.h"

namespace compiler {
#define GEN_PASS_DEF_SMREDUCEINCLUSTER
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmReduceInCluster : compiler::impl::SmReduceInClusterBase<SmReduceInCluster> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  static LogicalResult lower(sm::KernelOp kernel);
};

/// What the blocks of the cluster send each other.
struct Exchange {
  Value buffer;
  Value received; ///< a barrier for each warpgroup: the others' sums are here
  Value read;     ///< the same: the others have read what this block sent them
};

} // namespace

/// Carries a value from one time that `steps` come by to the next: through the loops and branches `around`
/// them, the outermost first. `steps` makes the next value of the one that it gets. Returns the value behind
/// them all.
static Value carry(OpBuilder &builder, ArrayRef<Operation *> around, Value value,
                   function_ref<Value(Value)> steps) {
  if (around.empty())
    return steps(value);
  Operation *op = around.front();
  builder.setInsertionPoint(op);
  auto yield_more = [](Block *block, Value last) {
    Operation *yield = block->getTerminator();
    yield->insertOperands(yield->getNumOperands(), last);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    SmallVector<Value> inits(loop.getInitArgs());
    inits.push_back(value);
    auto longer = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                     loop.getStep(), inits);
    longer.getRegion().takeBody(loop.getRegion());
    Value inner = longer.getBody()->addArgument(value.getType(), loop.getLoc());
    yield_more(longer.getBody(), carry(builder, around.drop_front(), inner, steps));
    loop->replaceAllUsesWith(longer.getResults().drop_back());
    loop.erase();
    return longer.getResults().back();
  }
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(value.getType());
  auto longer = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                                  /*addThenBlock=*/false, /*addElseBlock=*/false);
  longer.getThenRegion().takeBody(branch.getThenRegion());
  longer.getElseRegion().takeBody(branch.getElseRegion());
  if (longer.getElseRegion().empty()) {
    builder.setInsertionPointToEnd(&longer.getElseRegion().emplaceBlock());
    scf::YieldOp::create(builder, branch.getLoc());
  }
  yield_more(longer.elseBlock(), value);
  yield_more(longer.thenBlock(), carry(builder, around.drop_front(), value, steps));
  branch->replaceAllUsesWith(longer.getResults().drop_back());
  branch.erase();
  return longer.getResults().back();
}

/// The part of whichever block this is: which of their registers threads send and keep is part of the
/// instructions.
static Value addReceived(OpBuilder &builder, sm::ReduceScatterOp reduce, const Exchange &reduction_buffer,
                         Value warpgroup, Value rank, int64_t candidate) {
  Location location = reduce.getLoc();
  const IntegerArithmetic math(builder, location);
  Value this_one = candidate + 1 < reduce.getBlocks() ? math.equal(rank, candidate) : Value();
  auto part = [&](int64_t of) -> Value {
    return sm::AddReceivedOp::create(builder, location, reduce.getResult().getType(), reduce.getAccumulator(),
                                     reduction_buffer.buffer, warpgroup, of);
  };
  if (!this_one)
    return part(candidate);
  auto branch = scf::IfOp::create(builder, location, reduce.getResult().getType(), this_one,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, location, part(candidate));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, location,
                       addReceived(builder, reduce, reduction_buffer, warpgroup, rank, candidate + 1));
  return branch.getResult(0);
}

/// All that becomes of the op, where the builder stands. `parity` is that of the phase in which the sums of
/// this tile come; returns that of the next.
static Value writeReduction(OpBuilder &builder, sm::ReduceScatterOp reduce, const Exchange &reduction_buffer,
                            Value parity) {
  builder.setInsertionPoint(reduce);
  Location location = reduce.getLoc();
  const IntegerArithmetic math(builder, location);
  const int64_t blocks = reduce.getBlocks();
  Value warpgroup = sm::WarpgroupOp::create(builder, location, builder.getIndexType());
  Value rank = sm::ClusterRankOp::create(builder, location, builder.getIndexType());
  Value others = math.subtract((int64_t{1} << blocks) - 1, math.shiftLeft(1, rank));
  auto wait = [&](Value barriers, Value phase) {
    sm::WaitOp::create(builder, location, barriers, warpgroup, phase, /*cluster=*/true);
  };
  auto publish = [&](Value barriers) {
    sm::ArriveOp::create(builder, location, barriers, warpgroup, others, /*publish=*/true);
  };
  Value other_parity = math.bitXor(parity, 1);
  // For the first tile that is the phase before the barrier's first, which counts as completed.
  wait(reduction_buffer.read, other_parity);
  for (int64_t block = 0; block < blocks; ++block) {
    auto branch = scf::IfOp::create(builder, location, math.equal(rank, block),
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    sm::SendOp::create(builder, location, reduce.getAccumulator(), reduction_buffer.buffer, warpgroup, block);
  }
  publish(reduction_buffer.received);
  wait(reduction_buffer.received, parity);
  Value part = addReceived(builder, reduce, reduction_buffer, warpgroup, rank, 0);
  publish(reduction_buffer.read);
  reduce.replaceAllUsesWith(part);
  reduce.erase();
  return other_parity;
}

LogicalResult SmReduceInCluster::lower(sm::KernelOp kernel) {
  SmallVector<sm::ReduceScatterOp> reductions;
  kernel.walk([&](sm::ReduceScatterOp reduce) { reductions.push_back(reduce); });
  if (reductions.empty())
    return success();
  sm::ReduceScatterOp reduce = reductions.front();
  auto partition = reduce->getParentOfType<sm::PartitionOp>();
  if (reductions.size() > 1 || !partition)
    return reductions.back().emitOpError(
        "must be the only one of its kernel, in a partition: partition the kernel before");
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  if (const int64_t split = schedule ? schedule.getSplitK() : 1; split != reduce.getBlocks())
    return reduce.emitOpError("adds up the sums of ")
           << reduce.getBlocks() << " blocks, but the schedule of its kernel is " << kernel.getSchedule();

  SmallVector<Operation *> around;
  for (Operation *op = reduce->getParentOp(); op != partition; op = op->getParentOp()) {
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return reduce.emitOpError("must stand in nothing but loops and branches of its partition");
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.getElseRegion().isAncestor(reduce->getParentRegion()))
      return reduce.emitOpError("must stand where a condition holds, not where it does not");
    around.insert(around.begin(), op);
  }

  const auto sums = reduce.getAccumulator().getType();
  const int64_t blocks = reduce.getBlocks();
  constexpr int64_t warps_of_warpgroup = 4;
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location location = reduce.getLoc();
  auto barriers = [&]() -> Value {
    return sm::BarriersOp::create(builder, location,
                                  sm::BarriersType::get(kernel.getContext(), sums.getWarpgroups()),
                                  warps_of_warpgroup * (blocks - 1));
  };
  Exchange reduction_buffer;
  reduction_buffer.buffer = sm::AllocateReductionBufferOp::create(
      builder, location,
      sm::ReductionBufferType::get(kernel.getContext(), sums.getWarpgroups(), blocks,
                                   reduce.getResult().getType().getInstructionWidth() / 2));
  reduction_buffer.received = barriers();
  reduction_buffer.read = barriers();
  sm::InitializeOp::create(builder, location, ValueRange{reduction_buffer.received, reduction_buffer.read},
                           /*cluster=*/true);

  builder.setInsertionPointToStart(&partition.getBody().front());
  Value first = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(0));
  carry(builder, around, first,
        [&](Value parity) { return writeReduction(builder, reduce, reduction_buffer, parity); });
  return success();
}
