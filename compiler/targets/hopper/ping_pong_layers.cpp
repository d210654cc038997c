// sm-ping-pong, kernels of two layers: parts of the warpgroups have chunks of the hidden groups of their own.
#include "compiler/lower/integer_arithmetic.h"
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/partitions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace compiler {

namespace {

/// Named barriers of both parts: the first one's sums are there; the second one has read them.
enum PartBarrier : int64_t { PartialWritten = 0, PartialRead = 1 };

/// A loop over the chunks of a hidden group.
struct ChunkLoop {
  scf::ForOp loop;
  int64_t chunks;
  llvm::MapVector<Value, int64_t> blocks; ///< that a chunk takes from pipes: how often it consumes
};

class LayersPingPong {
public:
  explicit LayersPingPong(sm::PartitionOp partition) : partition_(partition), builder_(partition) {}

  LogicalResult run();

private:
  LogicalResult findLoops();
  LogicalResult addLoop(scf::ForOp loop);
  void passOver(const ChunkLoop &one, Value chunks);
  void takeTurns(const ChunkLoop &one);
  LogicalResult bringTogether(sm::StoreSumsOp store, Value buffer);

  sm::PartitionOp partition_;
  OpBuilder builder_;
  Value part_, is_last_; // of this warpgroup
  SmallVector<ChunkLoop> loops_;
};

} // namespace

static constexpr int64_t parts = 2;

/// Chunks are what is kept, and what multiplies kept rows.
LogicalResult LayersPingPong::findLoops() {
  llvm::SetVector<Operation *> loops;
  const WalkResult walk = partition_.walk([&](Operation *op) {
    auto held = dyn_cast<sm::MultiplyHeldOp>(op);
    if (!isa<sm::KeepOp>(op) && !(held && held.getRows().getDefiningOp<sm::KeptRowsOp>()))
      return WalkResult::advance();
    if (!isa<scf::ForOp>(op->getParentOp()))
      return op->emitOpError(
                 "must stand in a loop over the chunks of its hidden group, of which parts of the "
                 "warpgroups take some each"),
             WalkResult::interrupt();
    loops.insert(op->getParentOp());
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *loop : loops)
    if (failed(addLoop(cast<scf::ForOp>(loop))))
      return failure();
  return success();
}

LogicalResult LayersPingPong::addLoop(scf::ForOp loop) {
  const auto from = getConstantIntValue(loop.getLowerBound()), to = getConstantIntValue(loop.getUpperBound()),
             by = getConstantIntValue(loop.getStep());
  if (from != 0 || by != 1 || !to || *to < parts)
    return loop.emitOpError("must go through the chunks of a hidden group one by one, at least ")
           << parts << " of them: one for each part of the warpgroups";
  ChunkLoop chunk_loop{loop, *to, {}};
  const WalkResult walk = loop.walk([&](sm::ConsumeOp consume) {
    int64_t times = 1;
    for (Operation *op = consume->getParentOp(); op != loop; op = op->getParentOp()) {
      auto steps = dyn_cast<scf::ForOp>(op);
      const std::optional<APInt> trips = steps ? steps.getStaticTripCount() : std::nullopt;
      if (!trips)
        return consume.emitOpError("must stand in nothing but loops of a known number of steps"),
               WalkResult::interrupt();
      times *= trips->getSExtValue();
    }
    chunk_loop.blocks[consume.getPipe()] += times;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  loops_.push_back(std::move(chunk_loop));
  return success();
}

/// Takes the blocks of so many chunks, 0 or 1, and leaves them as they are. They have to be waited for even
/// so: a wait sees the parity of a stage's phase alone, and a part that did not know of the phase before
/// could take it for its own. And they are released even so, which keeps the stage until this part has seen
/// it.
void LayersPingPong::passOver(const ChunkLoop &one, Value chunks) {
  const Location location = one.loop->getLoc();
  OpBuilder::InsertionGuard guard(builder_);
  const IntegerArithmetic math(builder_, location);
  for (auto [pipe, blocks] : one.blocks) {
    auto loop = scf::ForOp::create(builder_, location, math.constant(0), math.multiply(chunks, blocks),
                                   math.constant(1));
    OpBuilder::InsertionGuard inside(builder_);
    builder_.setInsertionPoint(loop.getBody()->getTerminator());
    sm::ConsumeOp::create(builder_, location, cast<sm::PipeType>(pipe.getType()).getBlocks(), pipe);
  }
}

void LayersPingPong::takeTurns(const ChunkLoop &one) {
  scf::ForOp loop = one.loop;
  const IntegerArithmetic math(builder_, loop.getLoc());
  builder_.setInsertionPoint(loop);
  passOver(one, part_);
  loop.setLowerBound(part_);
  loop.setStep(math.constant(parts));
  builder_.setInsertionPoint(loop.getBody()->getTerminator());
  passOver(one, math.select(math.equal(loop.getInductionVar(), one.chunks - 1), math.constant(0), 1));
}

/// The first part leaves its sums in shared memory and goes on; the second one adds them to its own, maps and
/// stores.
LogicalResult LayersPingPong::bringTogether(sm::StoreSumsOp store, Value buffer) {
  Operation *made = store->getPrevNode();
  while (made && !(isa<scf::ForOp, scf::IfOp>(made) && made->getNumResults() == 1 &&
                   isa<sm::AccumulatorType>(made->getResult(0).getType())))
    made = made->getPrevNode();
  if (!made)
    return store.emitOpError("must follow the loops that add up what it stores, each part some of the terms");
  Value sums = made->getResult(0);
  Location location = store.getLoc();
  builder_.setInsertionPointAfter(made);
  auto branch = scf::IfOp::create(builder_, location, is_last_, /*withElseRegion=*/true);
  Block *block = made->getBlock(), *then = branch.thenBlock();
  then->getOperations().splice(then->begin(), block->getOperations(), std::next(branch->getIterator()),
                               block->mightHaveTerminator() ? block->getTerminator()->getIterator()
                                                            : block->end());
  builder_.setInsertionPointToStart(then);
  sm::SyncPartsOp::create(builder_, location, PartialWritten);
  auto all = sm::AddPartialOp::create(builder_, location, sums.getType(), sums, buffer);
  sm::ArrivePartsOp::create(builder_, location, PartialRead);
  sums.replaceUsesWithIf(all.getResult(), [&](OpOperand &use) {
    return use.getOwner() != all && branch.getThenRegion().isAncestor(use.getOwner()->getParentRegion());
  });
  store.setByOnePart(true);
  builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
  sm::SyncPartsOp::create(builder_, location, PartialRead);
  sm::WritePartialOp::create(builder_, location, sums, buffer);
  sm::ArrivePartsOp::create(builder_, location, PartialWritten);
  return success();
}

LogicalResult LayersPingPong::run() {
  Location location = partition_.getLoc();
  SmallVector<sm::StoreSumsOp> stores;
  partition_.walk([&](sm::StoreSumsOp store) { stores.push_back(store); });
  if (stores.size() != 1)
    return partition_.emitOpError("stores the sums of a tile once, got ") << stores.size();
  const sm::AccumulatorType sums = stores.front().getAccumulator().getType();
  if (static_cast<int64_t>(partition_.getWarpgroups()) != 1 || sums.getWarpgroups() != 1)
    return partition_.emitOpError("has tiles of one warpgroup where parts take chunks in turn, got ")
           << partition_.getWarpgroups();
  if (failed(findLoops()))
    return failure();
  builder_.setInsertionPoint(partition_);
  Value buffer = sm::AllocateReductionBufferOp::create(
      builder_, location,
      sm::ReductionBufferType::get(partition_.getContext(), 1, parts, sums.getInstructionWidth() / 2));
  partition_.setWarpgroups(static_cast<uint64_t>(parts));
  partition_.setTurns(parts);
  Block &body = partition_.getBody().front();
  builder_.setInsertionPointToStart(&body);
  const IntegerArithmetic math(builder_, location);
  part_ = sm::WarpgroupOp::create(builder_, location, builder_.getIndexType());
  is_last_ = math.equal(part_, parts - 1);
  // Nothing has been left there that would have to be read first.
  auto at_first = scf::IfOp::create(builder_, location, is_last_, /*withElseRegion=*/false);
  builder_.setInsertionPoint(at_first.thenBlock()->getTerminator());
  sm::ArrivePartsOp::create(builder_, location, PartialRead);
  for (const ChunkLoop &one : loops_)
    takeTurns(one);
  if (failed(bringTogether(stores.front(), buffer)))
    return failure();
  // The last arrival is waited for, too: a block leaves no barrier half complete.
  builder_.setInsertionPointToEnd(&body);
  auto at_last = scf::IfOp::create(builder_, location, is_last_, /*withElseRegion=*/true);
  builder_.setInsertionPoint(at_last.elseBlock()->getTerminator());
  sm::SyncPartsOp::create(builder_, location, PartialRead);
  return success();
}

LogicalResult pingPongLayers(sm::PartitionOp partition, int64_t turns) {
  if (turns != parts)
    return partition.emitOpError("has ") << parts << " parts that take chunks in turn, got " << turns;
  return LayersPingPong(partition).run();
}

} // namespace compiler
