#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/hopper/pipe_barriers.h"

using namespace mlir;

namespace compiler {

static bool isProduct(Operation *op) { return isa_and_nonnull<sm::MmaOp, sm::MmaFragmentOp>(op); }

/// Makes a product, and those that stand right behind it, a group of their own; does nothing for one that
/// stands behind another. Fence and commit stand right beside them, even where a branch chooses between
/// products: ptxas adds its own where they are in another block.
static void closeGroup(OpBuilder &builder, Operation *mma) {
  if (isProduct(mma->getPrevNode()))
    return;
  builder.setInsertionPoint(mma);
  sm::MmaFenceOp::create(builder, mma->getLoc());
  Operation *last = mma;
  while (isProduct(last->getNextNode()))
    last = last->getNextNode();
  builder.setInsertionPointAfter(last);
  sm::MmaCommitOp::create(builder, mma->getLoc());
}

static bool contains(Operation *op, function_ref<bool(Operation *)> wanted) {
  return op
      ->walk(
          [&](Operation *inner) { return wanted(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Where a warpgroup multiplies in some steps only, the others have a group without products: waits count
/// groups, and every step has one. A branch that releases stages itself has waited for its products.
static void closeEmptyGroups(OpBuilder &builder, sm::PartitionOp partition) {
  partition.walk([&](scf::IfOp branch) {
    if (llvm::none_of(branch.getResultTypes(), llvm::IsaPred<sm::AccumulatorType>) ||
        contains(branch, llvm::IsaPred<sm::ConsumerReleaseOp>))
      return;
    const auto multiplies = [](Block *block) {
      return llvm::any_of(*block, [](Operation &op) { return contains(&op, isProduct); });
    };
    if (multiplies(branch.thenBlock()) && !multiplies(branch.elseBlock())) {
      builder.setInsertionPointToStart(branch.elseBlock());
      sm::MmaFenceOp::create(builder, branch.getLoc());
      sm::MmaCommitOp::create(builder, branch.getLoc());
    }
  });
}

void closeGroups(sm::KernelOp kernel) {
  OpBuilder builder(kernel);
  kernel.walk([&](Operation *op) {
    if (isProduct(op))
      closeGroup(builder, op);
  });
  for (sm::PartitionOp partition : kernel.getBody().getOps<sm::PartitionOp>())
    closeEmptyGroups(builder, partition);
}

/// The stage so many before, of all stages in a ring.
static Value stageBefore(const IntegerArithmetic &math, Value stage, int64_t steps, int64_t stages) {
  if (steps == 1) {
    Value last = math.constant(stages - 1);
    return math.select(math.equal(stage, 0), last, math.add(stage, -1));
  }
  return math.select(math.less(stage, steps), math.add(stage, stages - steps), math.add(stage, -steps));
}

static Value peersOf(Operation *step, const PipeBarriers &barriers) {
  return barriers.peers.lookup(step->getParentOfType<sm::PartitionOp>());
}

/// One arrival of every warp, where the condition holds.
static void arriveIf(OpBuilder &builder, Location location, Value condition, const PipeBarriers &barriers,
                     Value stage, Value peers) {
  auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  sm::ArriveOp::create(builder, location, barriers.empty, stage, peers);
}

/// The sums may be read from here on: what uses them behind this point uses what the wait before has seen
/// finished. Products before it add to them unsettled.
static void settle(OpBuilder &builder, Location location, Value sums) {
  auto settled = sm::SettleOp::create(builder, location, sums.getType(), sums);
  sums.replaceUsesWithIf(settled.getResult(), [&](OpOperand &use) {
    Operation *beside = settled->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return !beside || settled->isBeforeInBlock(beside);
  });
}

static bool waitsForAll(Operation *op) {
  auto wait = dyn_cast<sm::MmaWaitOp>(op);
  return wait && wait.getPending() == 0;
}

/// Groups of instructions that an op closes, itself or in whichever branch is taken; none where that depends.
static std::optional<int64_t> groupsClosedBy(Operation *op) {
  if (isa<sm::MmaCommitOp>(op))
    return 1;
  std::optional<int64_t> groups;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      int64_t here = 0;
      for (Operation &inner : block) {
        const std::optional<int64_t> of_inner = groupsClosedBy(&inner);
        if (!of_inner)
          return std::nullopt;
        here += *of_inner;
      }
      const bool always = llvm::none_of(op->getRegions(), [](Region &one) { return one.empty(); });
      if (groups.value_or(here) != here || (here > 0 && !(isa<scf::IfOp>(op) && always)))
        return std::nullopt;
      groups = here;
    }
  return groups.value_or(0);
}

namespace {
/// Where products have to be complete at the latest.
struct LatestWait {
  Operation *before;
  int64_t pending; ///< groups that may still be in flight there, since they follow
};
} // namespace

/// Of products that stand ahead of `behind`, in the same block: where the first of their sums is read, all
/// products are waited for, or the next stage of their pipe, of which `full` are the barriers, or where the
/// block ends. Where there is no other work on sums until then, which would hide the wait, that is `behind`
/// itself.
static LatestWait latestWait(ArrayRef<Value> sums, Operation *behind, Value full) {
  LatestWait latest{behind, 0};
  bool hides = false;
  for (Operation *op = behind; op; op = op->getNextNode()) {
    const std::optional<int64_t> groups = groupsClosedBy(op);
    const bool reads = llvm::any_of(sums, [&](Value sum) {
      return llvm::any_of(sum.getUsers(), [&](Operation *user) { return op->isAncestor(user); });
    });
    if (waitsForAll(op)) // which serves these products, too
      return hides ? LatestWait{op->getNextNode(), 0} : LatestWait{behind, 0};
    // But not the repeated one, behind which the products are waited for.
    auto wait = dyn_cast<sm::WaitOp>(op);
    const bool next_stage = wait && wait.getBarriers() == full && !waitsForAll(op->getNextNode());
    if (reads || !groups || next_stage || op->hasTrait<OpTrait::IsTerminator>())
      return hides ? LatestWait{op, latest.pending} : LatestWait{behind, 0};
    latest.pending += *groups;
    hides |= isa<sm::MapOp>(op) || *groups > 0;
  }
  return {behind, 0};
}

/// In a loop that adds to the sums: leaves the step's products in flight, waits for those of the step before
/// and releases that step's stages, of a pipe `taken.steps` of them. Behind the loop nothing is in flight.
void StageReleases::releaseInLoop(sm::ConsumerReleaseOp release, scf::ForOp loop, const StagesOfStep &taken,
                                  const PipeBarriers &barriers) {
  Location location = release.getLoc();
  const IntegerArithmetic math(builder_, location);
  Value peers = peersOf(release, barriers);
  Operation *&behind = waited_[loop];
  const bool first = behind == nullptr;
  builder_.setInsertionPoint(release);
  if (first)
    sm::MmaWaitOp::create(builder_, location, 1);
  Value earlier_step = math.less(loop.getLowerBound(), loop.getInductionVar());
  arriveIf(builder_, location, earlier_step, barriers,
           stageBefore(math, release.getStage(), taken.steps, barriers.stages), peers);

  if (first) {
    SmallVector<Value> sums;
    llvm::copy_if(loop.getResults(), std::back_inserter(sums),
                  [](Value result) { return isa<sm::AccumulatorType>(result.getType()); });
    const LatestWait latest = latestWait(sums, loop->getNextNode(), barriers.full);
    builder_.setInsertionPoint(latest.before);
    behind = sm::MmaWaitOp::create(builder_, location, latest.pending);
  } else {
    builder_.setInsertionPointAfter(behind);
  }
  Value any_step = math.less(loop.getLowerBound(), loop.getUpperBound());
  Value next_stage = loop.getTiedLoopResult(taken.first);
  // Of the last step each release takes another of its stages.
  const int64_t before = ++released_[{loop, release.getPipe()}];
  arriveIf(builder_, location, any_step, barriers, stageBefore(math, next_stage, before, barriers.stages),
           peers);
  if (first)
    for (Value result : loop.getResults())
      if (isa<sm::AccumulatorType>(result.getType()))
        settle(builder_, location, result);
}

/// Whether products of a step may be in flight while the next one begins: all that the loop does with sums is
/// to add to them, and the stages of a step follow those of the step before. Where a part passes over others'
/// steps they do not.
static bool onlyAdds(scf::ForOp loop) {
  if (llvm::none_of(loop.getResultTypes(), llvm::IsaPred<sm::AccumulatorType>) ||
      getConstantIntValue(loop.getStep()) != 1)
    return false;
  const auto reads = [](Operation *op) {
    return !isProduct(op) && !isa<scf::YieldOp>(op) &&
           llvm::any_of(op->getOperandTypes(), llvm::IsaPred<sm::AccumulatorType>);
  };
  return !loop.getBody()
              ->walk(
                  [&](Operation *op) { return reads(op) ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted();
}

/// The sums of the products right ahead of the op, of one group of instructions.
static SmallVector<Value> sumsOfGroup(Operation *behind) {
  SmallVector<Value> sums;
  int64_t groups = 0;
  for (Operation *op = behind->getPrevNode(); op; op = op->getPrevNode()) {
    const std::optional<int64_t> closed = groupsClosedBy(op);
    groups += closed.value_or(2);
    if (groups > 1)
      break;
    if (isProduct(op) || isa<scf::IfOp>(op))
      llvm::copy_if(op->getResults(), std::back_inserter(sums),
                    [](Value result) { return isa<sm::AccumulatorType>(result.getType()); });
  }
  return sums;
}

/// Whether there is a wait behind the last products ahead of the op, with at most so many groups in flight.
static bool isWaitedFor(Operation *behind, int64_t pending) {
  for (Operation *op = behind->getPrevNode(); op && groupsClosedBy(op) == 0; op = op->getPrevNode())
    if (auto wait = dyn_cast<sm::MmaWaitOp>(op); wait && static_cast<int64_t>(wait.getPending()) <= pending)
      return true;
  return false;
}

/// ptxas moves a wait for products ahead of arithmetic of its basic block, of the maps that are to run
/// meanwhile. It moves none across a loop: so the stage, which is there, is waited for once more.
static void keepBehindMaps(OpBuilder &builder, sm::ConsumerReleaseOp release, Value full) {
  for (Operation *op = release->getPrevNode(); op; op = op->getPrevNode())
    if (auto wait = dyn_cast<sm::WaitOp>(op);
        wait && wait.getBarriers() == full && wait.getStage() == release.getStage()) {
      builder.setInsertionPoint(release);
      builder.clone(*wait);
      return;
    }
}

/// Whether an op waits for a stage, itself or in a branch.
static bool waitsForStage(Operation &op) { return contains(&op, llvm::IsaPred<sm::WaitOp>); }

void keepMapsAheadOfWaits(sm::KernelOp kernel) {
  OpBuilder builder(kernel);
  kernel.walk([&](sm::FragmentOp fragment) {
    Operation *first_user = nullptr;
    for (Operation *user : fragment->getUsers())
      if (Operation *beside = fragment->getBlock()->findAncestorOpInBlock(*user);
          beside && (!first_user || beside->isBeforeInBlock(first_user)))
        first_user = beside;
    if (!first_user ||
        llvm::none_of(llvm::make_range(fragment->getIterator(), first_user->getIterator()), waitsForStage))
      return;
    builder.setInsertionPoint(fragment);
    Value mapped = fragment.getAccumulator();
    fragment.getAccumulatorMutable().assign(
        sm::SettleOp::create(builder, fragment.getLoc(), mapped.getType(), mapped));
  });
}

static bool isReadBehind(Value sum, Operation *op) {
  return llvm::any_of(sum.getUsers(), [&](Operation *user) {
    Operation *beside = op->getBlock()->findAncestorOpInBlock(*user);
    return !beside || op->isBeforeInBlock(beside);
  });
}

/// Where a tile is one step, or its sums are read behind every step: the products are waited for at once, or
/// where maps of other sums come first, behind these. All products of a stage are one group then.
LogicalResult StageReleases::releaseAtOnce(sm::ConsumerReleaseOp release, const PipeBarriers &barriers) {
  if (isWaitedFor(release, 0))
    return success(); // another pipe's stage has been released there
  SmallVector<Value> sums = sumsOfGroup(release);
  const LatestWait latest = latestWait(sums, release->getNextNode(), barriers.full);
  if (!sums.empty() && latest.before != release->getNextNode()) {
    release->moveBefore(latest.before);
    if (isWaitedFor(release, latest.pending))
      return success();
    if (latest.pending == 0)
      keepBehindMaps(builder_, release, barriers.full);
    builder_.setInsertionPoint(release);
    sm::MmaWaitOp::create(builder_, release.getLoc(), latest.pending);
  } else {
    // Of all products since the last wait, and of those that branches choose.
    sums.clear();
    Operation *op = release->getPrevNode();
    for (; op && !waitsForAll(op); op = op->getPrevNode())
      if (isProduct(op) || isa<scf::IfOp>(op))
        llvm::copy_if(op->getResults(), std::back_inserter(sums),
                      [](Value result) { return isa<sm::AccumulatorType>(result.getType()); });
    if (sums.empty() && op)
      return success();
    if (sums.empty())
      return release.emitOpError("must follow the products from its stage");
    builder_.setInsertionPoint(release);
    sm::MmaWaitOp::create(builder_, release.getLoc(), 0);
  }
  builder_.setInsertionPointAfter(release);
  // Sums that other products of the group have gone on adding to are theirs.
  for (Value sum : sums)
    if (isReadBehind(sum, release))
      settle(builder_, release.getLoc(), sum);
  return success();
}

/// How many stages of a pipe a step of a loop takes: as many as it releases. The first of them is carried by
/// the loop.
std::optional<StageReleases::StagesOfStep> StageReleases::stagesOfStep(Value pipe, scf::ForOp loop) {
  if (auto known = steps_.find({loop, pipe}); known != steps_.end())
    return known->second;
  StagesOfStep taken;
  for (Operation *user : pipe.getUsers()) {
    auto release = dyn_cast<sm::ConsumerReleaseOp>(user);
    if (!release || release->getParentOp() != loop)
      continue;
    ++taken.steps;
    auto stage = dyn_cast<BlockArgument>(release.getStage());
    if (stage && stage.getOwner() == loop.getBody() && stage != loop.getInductionVar())
      taken.first = stage;
  }
  if (!taken.first)
    return std::nullopt;
  steps_.insert({{loop, pipe}, taken});
  return taken;
}

LogicalResult StageReleases::lower(sm::ConsumerReleaseOp release, const PipeBarriers &barriers) {
  auto loop = dyn_cast<scf::ForOp>(release->getParentOp());
  if (release.getAfterProducts() && loop && onlyAdds(loop)) {
    const std::optional<StagesOfStep> taken = stagesOfStep(release.getPipe(), loop);
    if (!taken)
      return release.emitOpError("must stand in a loop that carries its stage");
    releaseInLoop(release, loop, *taken, barriers);
  } else {
    if (release.getAfterProducts() && failed(releaseAtOnce(release, barriers)))
      return failure();
    builder_.setInsertionPoint(release);
    sm::ArriveOp::create(builder_, release.getLoc(), barriers.empty, release.getStage(),
                         peersOf(release, barriers), /*publish=*/release.getUnread());
  }
  release.erase();
  return success();
}

} // namespace compiler
