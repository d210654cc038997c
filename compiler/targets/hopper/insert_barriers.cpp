// sm-insert-barriers: a full and an empty barrier for every stage of every pipe, and waits for the products.
#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/hopper/pipe_barriers.h"
#include "compiler/targets/thread_block/cluster_place.h"
#include "dialects/sm/pipe_ends.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"

namespace compiler {
#define GEN_PASS_DEF_SMINSERTBARRIERS
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmInsertBarriers : compiler::impl::SmInsertBarriersBase<SmInsertBarriers> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (!kernel.getBody().getOps<sm::StagedPipeOp>().empty() && failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  static LogicalResult lower(sm::KernelOp kernel);
};

/// What fills a stage: loads of one thread, or writes of all threads of the partition.
struct Fill {
  sm::ProducerAcquireOp acquire;
  sm::ProducerCommitOp commit;
  SmallVector<sm::LoadOp> loads;
};

constexpr int64_t warps_of_warpgroup = 4;

} // namespace

//===--------------------------------------------------------------------------------------------===//
// Filling stages
//===--------------------------------------------------------------------------------------------===//

/// What stands between the acquisition and the commit.
static FailureOr<Fill> findFill(sm::ProducerAcquireOp acquire, int64_t stages) {
  Fill fill;
  fill.acquire = acquire;
  bool writes = false;
  for (Operation *op = acquire->getNextNode(); op && !fill.commit; op = op->getNextNode()) {
    if (auto load = dyn_cast<sm::LoadOp>(op)) {
      // Of a pipe of one stage the buffer's places are pieces of it.
      if (load.getStage() != acquire.getStage() && stages > 1 &&
          load.getTarget().getType().getStages() == stages)
        return load.emitOpError("loads into another stage than the one that was acquired");
      fill.loads.push_back(load);
    }
    writes |= isa<sm::WriteOp>(op);
    if (auto commit = dyn_cast<sm::ProducerCommitOp>(op); commit && commit.getPipe() == acquire.getPipe())
      fill.commit = commit;
  }
  if (!fill.commit || fill.commit.getStage() != acquire.getStage() || (fill.loads.empty() && !writes))
    return acquire.emitOpError(
        "must be followed by what fills the stage, loads or writes, and by its commit");
  if (!fill.loads.empty() && writes)
    return acquire.emitOpError("must be followed by loads into the stage or by writes, not by both");
  auto partition = acquire->getParentOfType<sm::PartitionOp>();
  if (!fill.loads.empty() && partition.getWarpgroups() > 1)
    return acquire.emitOpError("is for loads, which one thread makes, but @")
           << partition.getSymName() << " has " << partition.getWarpgroups() << " warpgroups with one each";
  return fill;
}

/// What a load brings whatever holds.
static int64_t certainBytes(sm::LoadOp load) {
  if (load.getCondition())
    return 0;
  return load.getNarrow() ? load.getNarrowBytes() : load.getBytes();
}

/// What the loads bring beyond that where their conditions say so; null where none has one. The conditions
/// are there before.
static Value conditionalBytes(OpBuilder &builder, Location location, ArrayRef<sm::LoadOp> loads) {
  const IntegerArithmetic math(builder, location);
  Value sum;
  for (sm::LoadOp load : loads) {
    const int64_t uncertain = load.getBytes() - certainBytes(load);
    if (uncertain == 0 || (load.getNarrow() && matchPattern(load.getNarrow(), m_One())))
      continue;
    Value bytes = load.getNarrow() ? math.select(load.getNarrow(), math.constant(0), uncertain)
                                   : math.select(load.getCondition(), uncertain, 0);
    sum = sum ? math.add(sum, bytes) : bytes;
  }
  return sum;
}

/// Waits for the stage to be empty, announces what will fill it, and lets the loads signal; or lets every
/// warp say that it has written, and that the copy engine and the tensor cores may see it.
static void lowerFill(OpBuilder &builder, const Fill &fill, const PipeBarriers &barriers) {
  sm::ProducerAcquireOp acquire = fill.acquire;
  sm::ProducerCommitOp commit = fill.commit;
  Location location = acquire.getLoc();
  builder.setInsertionPoint(acquire);
  sm::WaitOp::create(builder, location, barriers.empty, acquire.getStage(), acquire.getParity());
  if (fill.loads.empty()) {
    builder.setInsertionPoint(commit);
    sm::FenceOp::create(builder, location);
    sm::ArriveOp::create(builder, location, barriers.full, commit.getStage(), Value(), /*publish=*/true);
  } else {
    int64_t bytes = 0;
    // Of loads that depend on conditions it is known only then how many bytes come.
    for (sm::LoadOp load : fill.loads)
      bytes += certainBytes(load);
    sm::ExpectOp::create(builder, location, barriers.full, acquire.getStage(), bytes,
                         conditionalBytes(builder, location, fill.loads));
    for (sm::LoadOp load : fill.loads) {
      load.getBarriersMutable().assign(barriers.full);
      load.getBarrierStageMutable().assign(acquire.getStage());
    }
  }
  commit.erase();
  acquire.erase();
}

//===--------------------------------------------------------------------------------------------===//
// Barriers
//===--------------------------------------------------------------------------------------------===//

/// The blocks of its cluster that a partition's block shares anything with. Those that it shares nothing with
/// need not wait for each other; and who arrives for the next pass through the stages has got a copy from
/// everyone at whose barrier it arrives, so that no arrival is taken for one of the pass before.
static Value peersIn(OpBuilder &builder, sm::PartitionOp partition, int64_t rows, int64_t columns) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&partition.getBody().front());
  const ClusterPlace place(builder, partition.getLoc(), rows, columns);
  if (rows == 1 || columns == 1)
    return rows == 1 ? place.row_mask : place.column_mask;
  return IntegerArithmetic(builder, partition.getLoc()).bitOr(place.row_mask, place.column_mask);
}

/// Of a consumer for each stage: one of every warp that consumes it, or where one thread does one of that.
static FailureOr<int64_t> arrivalsOf(sm::StagedPipeOp pipe, sm::PartitionOp consumer) {
  std::optional<bool> elected;
  for (Operation *step : pipe.getPipe().getUsers()) {
    if (!isa<sm::ConsumerReleaseOp>(step) || step->getParentOfType<sm::PartitionOp>() != consumer)
      continue;
    const bool here = step->getParentOfType<sm::ElectOp>() != nullptr;
    if (elected.value_or(here) != here)
      return step->emitOpError("must stand in an sm.elect where others of its partition do");
    elected = here;
  }
  const int64_t warpgroups =
      pipe.getInTurn() ? consumer.getWarpgroupsOfTurn() : static_cast<int64_t>(consumer.getWarpgroups());
  return warpgroups * (*elected ? 1 : warps_of_warpgroup);
}

/// The block's threads, or the cluster's, meet once for all barriers: this is the last so far.
static void initializeBarriers(OpBuilder &builder, sm::KernelOp kernel, ValueRange added, bool cluster) {
  SmallVector<Value> all;
  for (auto before : llvm::make_early_inc_range(kernel.getBody().getOps<sm::InitializeOp>())) {
    all.append(before.getBarriers().begin(), before.getBarriers().end());
    before.erase();
  }
  all.append(added.begin(), added.end());
  sm::InitializeOp::create(builder, kernel.getLoc(), all, cluster);
}

/// A barrier for each part of a partition that waits for its turns: the part before it arrives there. Null
/// where none waits.
static Value lowerTurns(OpBuilder &builder, sm::PartitionOp partition) {
  SmallVector<Operation *> steps;
  partition.walk([&](Operation *op) {
    if (isa<sm::AwaitTurnOp, sm::PassTurnOp>(op))
      steps.push_back(op);
  });
  if (steps.empty())
    return {};
  auto type = sm::BarriersType::get(partition.getContext(), static_cast<int64_t>(*partition.getTurns()));
  Value barriers = sm::BarriersOp::create(builder, partition.getLoc(), type,
                                          warps_of_warpgroup * partition.getWarpgroupsOfTurn());
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *step : steps) {
    builder.setInsertionPoint(step);
    if (auto await = dyn_cast<sm::AwaitTurnOp>(step)) {
      sm::WaitOp::create(builder, step->getLoc(), barriers, await.getTurn(), await.getParity());
    } else {
      auto pass = cast<sm::PassTurnOp>(step);
      sm::ArriveOp::create(builder, step->getLoc(), barriers, pass.getTurn(), Value(),
                           /*publish=*/pass.getUnread());
    }
    step->erase();
  }
  return barriers;
}

/// Writes all but the releases, which follow products of several pipes.
static FailureOr<PipeBarriers> lowerPipe(sm::KernelOp kernel, sm::StagedPipeOp pipe) {
  OpBuilder builder(pipe);
  Location location = pipe.getLoc();
  PipeBarriers barriers;
  barriers.stages = pipe.getPipe().getType().getStages();
  SmallVector<Fill> fills;
  SmallVector<sm::ConsumerWaitOp> waits;
  for (Operation *step : pipe.getPipe().getUsers())
    if (auto acquire = dyn_cast<sm::ProducerAcquireOp>(step)) {
      FailureOr<Fill> fill = findFill(acquire, barriers.stages);
      if (failed(fill))
        return failure();
      if (!fills.empty() && fills.front().loads.empty() != fill->loads.empty())
        return acquire.emitOpError("must be followed by loads where others of its pipe are, or by writes");
      fills.push_back(*fill);
    } else if (auto wait = dyn_cast<sm::ConsumerWaitOp>(step)) {
      waits.push_back(wait);
    }

  // One thread announces the bytes of loads; of what threads write every warp says that it is there.
  const sm::PipeEnds ends = sm::endsOf(pipe.getPipe());
  const bool loads = !fills.front().loads.empty();
  const int64_t filling =
      loads ? 1 : warps_of_warpgroup * static_cast<int64_t>(ends.producer().getWarpgroups());
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  // Blocks that follow one another in types read the same columns of the weight matrices, as those that
  // follow one another in rows do.
  const bool shares =
      schedule && llvm::any_of(fills, [](const Fill &fill) {
        return llvm::any_of(fill.loads, [](sm::LoadOp load) { return static_cast<bool>(load.getMask()); });
      });
  const int64_t rows = shares ? schedule.getClusterRows() * schedule.getClusterTypes() : 1,
                columns = shares ? schedule.getClusterColumns() : 1;
  int64_t emptying = 0;
  for (Operation *consumer : ends.consumers) {
    FailureOr<int64_t> arrivals = arrivalsOf(pipe, cast<sm::PartitionOp>(consumer));
    if (failed(arrivals))
      return failure();
    emptying += *arrivals * (rows + columns - 1);
    if (shares)
      barriers.peers[consumer] = peersIn(builder, cast<sm::PartitionOp>(consumer), rows, columns);
  }
  auto type = sm::BarriersType::get(kernel.getContext(), barriers.stages);
  barriers.full = sm::BarriersOp::create(builder, location, type, filling);
  barriers.empty = sm::BarriersOp::create(builder, location, type, emptying);

  OpBuilder::InsertionGuard guard(builder);
  for (const Fill &fill : fills)
    lowerFill(builder, fill, barriers);
  for (sm::ConsumerWaitOp wait : waits) {
    builder.setInsertionPoint(wait);
    sm::WaitOp::create(builder, wait.getLoc(), barriers.full, wait.getStage(), wait.getParity());
    wait.erase();
  }
  return barriers;
}

LogicalResult SmInsertBarriers::lower(sm::KernelOp kernel) {
  closeGroups(kernel);
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  const bool cluster = schedule && schedule.getCluster() > 1;
  llvm::MapVector<Value, PipeBarriers> pipes;
  SmallVector<Value> added;
  Operation *last = nullptr;
  for (sm::StagedPipeOp pipe : kernel.getBody().getOps<sm::StagedPipeOp>()) {
    FailureOr<PipeBarriers> barriers = lowerPipe(kernel, pipe);
    if (failed(barriers))
      return failure();
    added.append({barriers->full, barriers->empty});
    pipes.insert({pipe.getPipe(), *barriers});
    last = pipe;
  }
  OpBuilder builder(last);
  for (sm::PartitionOp partition : kernel.getBody().getOps<sm::PartitionOp>())
    if (Value turns = lowerTurns(builder, partition))
      added.push_back(turns);
  initializeBarriers(builder, kernel, added, cluster);
  if (cluster)
    for (sm::PartitionOp partition : kernel.getBody().getOps<sm::PartitionOp>()) {
      builder.setInsertionPointToEnd(&partition.getBody().front());
      sm::ClusterSyncOp::create(builder, last->getLoc());
    }

  SmallVector<sm::ConsumerReleaseOp> releases;
  kernel.walk([&](sm::ConsumerReleaseOp release) { releases.push_back(release); });
  StageReleases stages(builder);
  for (sm::ConsumerReleaseOp release : releases)
    if (failed(stages.lower(release, pipes.find(release.getPipe())->second)))
      return failure();
  keepMapsAheadOfWaits(kernel);
  for (auto &[pipe, barriers] : pipes) {
    if (!pipe.use_empty())
      return (*pipe.user_begin())->emitOpError("commits a stage that has not been acquired before it");
    pipe.getDefiningOp()->erase();
  }
  return success();
}
