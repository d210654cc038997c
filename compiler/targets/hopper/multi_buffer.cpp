// sm-multi-buffer: every pipe gets stages in shared memory.
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/hopper/pipe_walk.h"
#include "compiler/targets/hopper/staged_blocks.h"
#include "compiler/targets/hopper/staged_layers.h"
#include "dialects/sm/pipe_ends.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

namespace compiler {
#define GEN_PASS_DEF_SMMULTIBUFFER
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmMultiBuffer : compiler::impl::SmMultiBufferBase<SmMultiBuffer> {
  using SmMultiBufferBase::SmMultiBufferBase;

  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(sm::KernelOp kernel);
};

/// What becomes of a pipe.
struct PipePlan {
  sm::PipeOp pipe;
  SmallVector<BlockPieces> pieces; ///< of each of its blocks
  int64_t stage_bytes = 0;
  int64_t least_stages = 1;
  int64_t stages = 0; ///< 0 as long as it is not known
};

} // namespace

static int64_t alignedBytes(int64_t rows, int64_t columns, Type element) {
  constexpr int64_t stage_alignment = 1024;
  return static_cast<int64_t>(
      llvm::alignTo(rows * columns * (element.getIntOrFloatBitWidth() / 8), stage_alignment));
}

//===--------------------------------------------------------------------------------------------===//
// What may pass
//===--------------------------------------------------------------------------------------------===//

/// Blocks that one thread loads, or sums that all threads write.
static LogicalResult checkProduce(sm::ProduceOp produce) {
  const bool elected = produce->getParentOfType<sm::ElectOp>() != nullptr;
  for (Value block : produce.getBlocks()) {
    Operation *source = block.getDefiningOp();
    if (!isa_and_nonnull<sm::FetchOp, sm::FetchPartsOp, sm::HoldOp, sm::RoundOp>(source) ||
        source->getBlock() != produce->getBlock() || !block.hasOneUse())
      return produce.emitOpError(
          "must pass blocks that are fetched, or rounded sums, beside it and used nowhere else");
    if (isa<sm::RoundOp>(source) == elected)
      return produce.emitOpError(elected
                                     ? "passes sums, which all threads write: it cannot stand in an sm.elect"
                                     : "passes blocks that one thread loads: put it inside an sm.elect");
  }
  return success();
}

/// Blocks that are multiplied or stored beside it, and rows that are held for products elsewhere.
static LogicalResult checkConsume(sm::ConsumeOp consume) {
  for (Value block : consume.getBlocks())
    for (OpOperand &use : block.getUses()) {
      Operation *user = use.getOwner();
      if (isHeldBy(user, block))
        continue; // by as many products of a kernel of two layers as there are
      auto multiply = dyn_cast<sm::MultiplyOp>(user);
      if (multiply && multiply.getHeld() == block) {
        if (!block.hasOneUse())
          return consume.emitOpError("must take rows that are held for one product, and nothing else");
      } else if (!(isProductOfBlocks(user) || isa<sm::StoreBlockOp>(user)) ||
                 user->getBlock() != consume->getBlock()) {
        return consume.emitOpError(
            "must take blocks that are multiplied or stored beside it, and nothing else");
      }
    }
  return success();
}

/// Whether all that a loop does with sums is to add to them: then products of a step are in flight while the
/// next one begins, unless it passes over others' steps.
static bool onlyAdds(Operation *loop) {
  auto steps = dyn_cast<scf::ForOp>(loop);
  return steps && getConstantIntValue(steps.getStep()) == 1 &&
         !loop->walk([](Operation *op) {
                const bool reads = !isProductOfBlocks(op) && !isa<scf::YieldOp, scf::ForOp>(op) &&
                                   llvm::any_of(op->getOperandTypes(), llvm::IsaPred<sm::AccumulatorType>);
                return reads ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// What is multiplied in a step is released a step later. A step may take several stages.
static int64_t leastStages(sm::ConsumeOp consume) {
  const bool multiplied = llvm::any_of(consume.getBlocks(), [](Value block) {
    return llvm::any_of(block.getUsers(), [&](Operation *user) {
      auto multiply = dyn_cast<sm::MultiplyOp>(user);
      return isProductOfBlocks(user) && !isHeldBy(user, block) && !(multiply && multiply.getHeld() == block);
    });
  });
  if (!multiplied)
    return 1;
  // All that are taken ahead of the same products.
  const auto products_before = [&](Operation *op) {
    return llvm::count_if(llvm::make_range(consume->getBlock()->begin(), op->getIterator()),
                          [](Operation &before) { return isProductOfLayers(&before); });
  };
  const auto of_step = llvm::count_if(consume.getPipe().getUsers(), [&](Operation *other) {
    return isa<sm::ConsumeOp>(other) && other->getBlock() == consume->getBlock() &&
           products_before(other) == products_before(consume);
  });
  // In kernels of two layers a step that does not only add waits for its products.
  const bool of_layers = llvm::any_of(consume.getBlocks(), [](Value block) {
    return llvm::any_of(block.getUsers(), [](Operation *user) { return isProductOfLayers(user); });
  });
  return (of_step == 1 && !of_layers) || onlyAdds(consume->getParentOp()) ? 2 * of_step : of_step;
}

static LogicalResult checkSteps(PipePlan &plan) {
  for (Operation *step : plan.pipe.getPipe().getUsers()) {
    if (auto produce = dyn_cast<sm::ProduceOp>(step)) {
      if (failed(checkProduce(produce)))
        return failure();
      const SmallVector<BlockPieces> pieces =
          llvm::map_to_vector(produce.getBlocks(), [](Value block) { return piecesOf(block); });
      if (!plan.pieces.empty() && plan.pieces != pieces)
        return produce.emitOpError("passes blocks that are made in another way than others of its pipe: they "
                                   "would lie in other pieces");
      plan.pieces = pieces;
    } else if (auto consume = dyn_cast<sm::ConsumeOp>(step)) {
      if (failed(checkConsume(consume)))
        return failure();
      plan.least_stages = std::max(plan.least_stages, leastStages(consume));
    }
  }
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// How many stages
//===--------------------------------------------------------------------------------------------===//

/// Of those that do not say how many they have, each gets as many as are wanted, or where `wanted` is 0 as
/// many as fit.
static LogicalResult chooseStages(sm::KernelOp kernel, MutableArrayRef<PipePlan> plans, int64_t wanted) {
  int64_t taken = 0, each = 0;
  for (auto allocate : kernel.getBody().getOps<sm::AllocateOp>()) {
    sm::BufferType type = allocate.getBuffer().getType();
    taken += type.getStages() * alignedBytes(type.getRows(), type.getColumns(), type.getElementType());
  }
  for (auto allocate : kernel.getBody().getOps<sm::AllocateReductionBufferOp>())
    taken += allocate.getReductionBuffer().getType().getBytes();
  PipePlan *open = nullptr; // the first
  for (PipePlan &plan : plans) {
    plan.stages = static_cast<int64_t>(plan.pipe.getStages().value_or(0));
    if (plan.stages > most_stages)
      return plan.pipe.emitOpError("has at most ")
             << most_stages << " stages, which is what barriers have room for; " << plan.stages
             << " are asked for";
    taken += plan.stages * plan.stage_bytes;
    if (plan.stages == 0) {
      each += plan.stage_bytes;
      open = open ? open : &plan;
    } else if (plan.stages < plan.least_stages) {
      return plan.pipe.emitOpError("needs at least ")
             << plan.least_stages << " stages, since products from one run on while the next is waited for; "
             << plan.stages << " are asked for";
    }
  }
  const int64_t free = hopper_shared_bytes - reserved_shared_bytes - taken;
  if (free < 0)
    return kernel.emitOpError("has no room for the stages of its pipes and its other buffers: they take ")
           << taken << " bytes of " << hopper_shared_bytes - reserved_shared_bytes;
  if (!open)
    return success();
  const int64_t fit = std::min(most_stages, free / each);
  const int64_t stages = wanted ? wanted : fit;
  if (stages > fit)
    return open->pipe.emitOpError("cannot have ")
           << stages << " stages of " << each << " bytes: beside " << taken
           << " bytes for results and other pipes, " << fit << " fit shared memory";
  for (PipePlan &plan : plans) {
    if (plan.stages == 0 && stages < plan.least_stages)
      return plan.pipe.emitOpError("needs at least ")
             << plan.least_stages << " stages of " << each << " bytes; " << stages
             << (wanted ? " are asked for" : " fit shared memory");
    plan.stages = plan.stages ? plan.stages : stages;
  }
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Steps
//===--------------------------------------------------------------------------------------------===//

/// Behind which op of its block nothing multiplies rows any longer that products up to `last` read: a loop
/// that waits for its products itself, or in kernels of two layers what first reads the sums, and has waited
/// for them. Null where that is not known before the end of the block.
static Operation *behindProducts(Operation *last) {
  if (isa<scf::ForOp>(last) && !onlyAdds(last))
    return last;
  if (!isProductOfLayers(last) && !last->walk([](Operation *op) {
                                         return isProductOfLayers(op) ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
                                       })
                                       .wasInterrupted())
    return nullptr;
  // Further products of the group go on adding to these sums.
  llvm::SmallDenseSet<Operation *> leave = {last};
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode()) {
    const bool reads = llvm::any_of(op->getOperands(),
                                    [&](Value operand) { return leave.contains(operand.getDefiningOp()); });
    if (reads && isProductOfBlocks(op))
      leave.insert(op);
    else if (reads && !isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
      return op;
  }
  return nullptr;
}

/// Waits for the stage, and releases it behind the last use of its blocks. Those of stationary rows stay
/// until no product reads them any longer, or where that is not known until the end of the block of
/// operations that takes them.
static void writeConsume(OpBuilder &builder, sm::ConsumeOp consume, Value staged_pipe,
                         ArrayRef<Value> buffers, ArrayRef<BlockPieces> pieces, PipePosition position,
                         StagedBlocks &blocks) {
  builder.setInsertionPoint(consume);
  Location location = consume.getLoc();
  auto wait = sm::ConsumerWaitOp::create(builder, location, staged_pipe, position.stage, position.parity);
  Operation *last = consume;
  bool products = false, stores = false, stays = false;
  for (auto [block, buffer, piece] : llvm::zip_equal(consume.getBlocks(), buffers, pieces)) {
    blocks[block] = {buffer, piece, wait};
    for (Operation *user : block.getUsers()) {
      auto multiply = dyn_cast<sm::MultiplyOp>(user);
      if ((multiply && multiply.getHeld() == block) || isHeldBy(user, block)) {
        stays = true;
        Operation *beside = consume->getBlock()->findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(beside))
          last = beside;
        continue;
      }
      (isProductOfBlocks(user) ? products : stores) = true;
      if (last->isBeforeInBlock(user))
        last = user;
    }
  }
  // Products that stand beside each other are one group of instructions.
  while (products && isProductOfLayers(last->getNextNode()))
    last = last->getNextNode();
  Block *block = consume->getBlock();
  if (Operation *behind = stays ? behindProducts(last) : last)
    builder.setInsertionPointAfter(behind);
  else if (block->mightHaveTerminator())
    builder.setInsertionPoint(block->getTerminator());
  else
    builder.setInsertionPointToEnd(block);
  if (stores) {
    sm::StoreCommitOp::create(builder, location);
    sm::StoreWaitOp::create(builder, location, 0, /*written=*/false);
  }
  const bool unread = llvm::all_of(consume.getBlocks(), [](Value block) { return block.use_empty(); });
  sm::ConsumerReleaseOp::create(builder, location, staged_pipe, position.stage, products, unread);
  // A step may take its next stage ahead of the products of this one.
  if (isProductOfLayers(last))
    builder.setInsertionPointAfter(wait);
}

/// Allocates the stages of a pipe, and takes all partitions at its ends to them.
static LogicalResult lowerPipe(const PipePlan &plan, StagedBlocks &blocks) {
  sm::PipeOp pipe = plan.pipe;
  OpBuilder builder(pipe);
  SmallVector<Value> buffers;
  for (auto [passed, pieces] : llvm::zip_equal(pipe.getPipe().getType().getBlocks(), plan.pieces)) {
    auto block = cast<sm::BlockType>(passed);
    buffers.push_back(sm::AllocateOp::create(
        builder, pipe.getLoc(),
        sm::BufferType::get(pipe.getContext(), plan.stages * pieces.count, pieces.rows, pieces.columns,
                            block.getElementType(), block.getSwizzle())));
  }
  const bool in_turn = llvm::any_of(pipe.getPipe().getUsers(), llvm::IsaPred<sm::SkipOp>);
  Value staged_pipe = sm::StagedPipeOp::create(
      builder, pipe.getLoc(), sm::StagedPipeType::get(pipe.getContext(), plan.stages), in_turn);

  const sm::PipeEnds ends = sm::endsOf(pipe.getPipe());
  auto walk = [&](Operation *partition, int32_t parity, PipeWalk::WriteStep write) -> LogicalResult {
    FailureOr<Block *> block = blockOfSteps(cast<sm::PartitionOp>(partition), pipe.getPipe());
    if (failed(block))
      return failure();
    PipeWalk(pipe.getPipe(), plan.stages, write).run(**block, parity);
    return success();
  };
  // The first fill of a stage waits for the phase before its barrier's first, with parity 1, which counts as
  // completed.
  if (failed(walk(ends.producer(), 1, [&](OpBuilder &steps, Operation *step, PipePosition position) {
        fillStage(steps, cast<sm::ProduceOp>(step), staged_pipe, buffers, position.stage, position.parity);
      })))
    return failure();
  for (Operation *consumer : ends.consumers)
    if (failed(walk(consumer, 0, [&](OpBuilder &steps, Operation *step, PipePosition position) {
          writeConsume(steps, cast<sm::ConsumeOp>(step), staged_pipe, buffers, plan.pieces, position, blocks);
        })))
      return failure();
  return success();
}

LogicalResult SmMultiBuffer::lower(sm::KernelOp kernel) {
  StagedBlocks blocks;
  allocateKeptRows(kernel, blocks);
  SmallVector<PipePlan> plans;
  for (sm::PipeOp pipe : kernel.getBody().getOps<sm::PipeOp>()) {
    PipePlan plan;
    plan.pipe = pipe;
    if (failed(checkSteps(plan)))
      return failure();
    for (auto [passed, pieces] : llvm::zip_equal(pipe.getPipe().getType().getBlocks(), plan.pieces)) {
      auto block = cast<sm::BlockType>(passed);
      if (!block.getSwizzle())
        return pipe.emitOpError(
            "passes blocks that do not know how they lie in shared memory: assign swizzles first");
      plan.stage_bytes += pieces.count * alignedBytes(pieces.rows, pieces.columns, block.getElementType());
    }
    plans.push_back(plan);
  }
  if (plans.empty())
    return success();
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  const int64_t wanted = stages ? stages.getValue() : schedule ? schedule.getStages() : 0;
  if (failed(chooseStages(kernel, plans, wanted)))
    return failure();
  for (const PipePlan &plan : plans)
    if (failed(lowerPipe(plan, blocks)))
      return failure();
  if (failed(useStages(kernel, blocks)))
    return failure();
  for (PipePlan &plan : plans) {
    SmallVector<Operation *> steps(plan.pipe.getPipe().getUsers());
    for (Operation *step : steps)
      step->erase();
    plan.pipe.erase();
  }
  return success();
}
