// sm-pipeline-copies: copies run ahead of the products, through a ring of stages.
#include "compiler/lower/integer_arithmetic.h"
#include "compiler/schedule/staged.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/thread_block/block_product.h"

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

/// The stages of a kernel, and what goes through them.
class CopyPipeline {
public:
  CopyPipeline(const BlockProducts &from, int64_t stages)
      : products_(from), stages_(stages), builder_(products_.first()), location_(products_.first().getLoc()),
        math_(builder_, location_), fetches_(from.weight_matrices.begin(), from.weight_matrices.end()) {
    fetches_.insert(fetches_.begin(), products_.a);
  }

  LogicalResult allocate(sm::KernelOp kernel);
  /// The products of a loop over the steps of a tile.
  LogicalResult overlap(scf::ForOp loop);
  /// The products of a tile that is one step.
  void inOrder();

private:
  LogicalResult collectCoordinates(scf::ForOp loop);
  /// Copies the blocks of a step into a stage where there is such a step, and closes their group.
  void copyAhead(scf::ForOp loop, Value step, Value stage);
  void copy(const IRMapping &values, Value stage);
  void multiplyFrom(Value stage);
  Value nextStage(Value stage) const;
  Value stageBefore(Value stage) const;

  BlockProducts products_;
  int64_t stages_;
  OpBuilder builder_;
  Location location_;
  IntegerArithmetic math_;
  SmallVector<sm::FetchOp> fetches_;         ///< of A, and of B of each product
  SmallVector<Value> buffers_;               ///< one for each of them
  llvm::SetVector<Operation *> coordinates_; ///< what the fetches of a step need, in program order
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
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(&kernel.getBody().front());
  for (sm::FetchOp fetch : fetches_) {
    if (!fetch.getSource().getType().isPlain())
      return fetch.emitOpError("goes through tensor maps; threads copy through plain ones, which come from a "
                               "schedule with warps");
    sm::BlockType block = fetch.getBlock().getType();
    if (!block.getSwizzle())
      return fetch.emitOpError("does not know how its block lies in shared memory: assign swizzles first");
    auto type = sm::BufferType::get(kernel.getContext(), stages_, block.getRows(), block.getColumns(),
                                    block.getElementType(), block.getSwizzle());
    buffers_.push_back(sm::AllocateOp::create(builder_, fetch.getLoc(), type));
  }
  return success();
}

Value CopyPipeline::nextStage(Value stage) const {
  Value next = math_.add(stage, 1);
  return math_.select(math_.equal(next, stages_), 0, next);
}

Value CopyPipeline::stageBefore(Value stage) const {
  return math_.select(math_.equal(stage, 0), stages_ - 1, math_.add(stage, -1));
}

LogicalResult CopyPipeline::collectCoordinates(scf::ForOp loop) {
  Block *body = loop.getBody();
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> open;
  for (sm::FetchOp fetch : fetches_)
    llvm::append_range(open, fetch->getOperands());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == body && argument != loop.getInductionVar())
      return products_.first().emitOpError(
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
      coordinates_.insert(&op);
  return success();
}

void CopyPipeline::copy(const IRMapping &values, Value stage) {
  for (auto [of_step, buffer] : llvm::zip_equal(fetches_, buffers_)) {
    sm::FetchOp fetch = of_step;
    auto of = [&](Value value) { return values.lookupOrDefault(value); };
    sm::CopyOp::create(builder_, fetch.getLoc(), of(fetch.getSource()), of(fetch.getMap()),
                       llvm::map_to_vector(fetch.getCoordinates(), of), buffer, stage);
  }
}

void CopyPipeline::copyAhead(scf::ForOp loop, Value step, Value stage) {
  auto exists = scf::IfOp::create(builder_, location_, math_.less(step, loop.getUpperBound()),
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
    IRMapping values;
    values.map(loop.getInductionVar(), step);
    for (Operation *op : coordinates_)
      builder_.clone(*op, values);
    copy(values, stage);
  }
  sm::CopyCommitOp::create(builder_, location_);
}

void CopyPipeline::multiplyFrom(Value stage) {
  sm::MultiplyOp first = products_.first();
  builder_.setInsertionPoint(products_.multiplies.back());
  auto write = [&](IntegerAttr depth) {
    SmallVector<Value> sums;
    for (auto [multiply, weights] : llvm::zip_equal(products_.multiplies, ArrayRef(buffers_).drop_front())) {
      sm::MultiplyOp of = multiply;
      sums.push_back(sm::MmaOp::create(builder_, location_, of.getResult().getType(), buffers_[0], stage,
                                       weights, stage, of.getAccumulator(), /*negate=*/false, of.getNegate(),
                                       depth, of.getATransposed(), of.getBTransposed(), /*overwrite=*/false,
                                       /*beside=*/Value()));
    }
    return sums;
  };
  const SmallVector<Value> sums = chooseProducts(
      builder_, location_, first.getShallow(), [&] { return write(first.getShallowDepthAttr()); },
      [&] { return write(IntegerAttr()); });
  for (auto [multiply, sum] : llvm::zip_equal(products_.multiplies, sums)) {
    multiply.replaceAllUsesWith(sum);
    multiply.erase();
  }
  for (sm::FetchOp fetch : fetches_)
    fetch.erase();
}

LogicalResult CopyPipeline::overlap(scf::ForOp loop) {
  if (!matchPattern(loop.getLowerBound(), m_Zero()) || !matchPattern(loop.getStep(), m_One()))
    return loop.emitOpError("must count the steps of a tile from 0 by 1");
  if (failed(collectCoordinates(loop)))
    return failure();
  const int64_t ahead = stages_ - 1;

  // A warp may still multiply from the stages of the tile before.
  builder_.setInsertionPoint(loop);
  sm::BlockSyncOp::create(builder_, location_);
  auto first =
      scf::ForOp::create(builder_, location_, math_.constant(0), math_.constant(ahead), math_.constant(1));
  builder_.setInsertionPoint(first.getBody()->getTerminator());
  copyAhead(loop, first.getInductionVar(), first.getInductionVar());

  // The loop carries the stage of its step.
  builder_.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(math_.constant(0));
  auto steps = scf::ForOp::create(builder_, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep(), inits);
  steps.getRegion().takeBody(loop.getRegion());
  Value stage = steps.getBody()->addArgument(builder_.getIndexType(), location_);
  loop->replaceAllUsesWith(steps.getResults().drop_back());
  loop.erase();

  builder_.setInsertionPointToStart(steps.getBody());
  sm::CopyWaitOp::create(builder_, location_, ahead - 1);
  sm::BlockSyncOp::create(builder_, location_);
  copyAhead(steps, math_.add(steps.getInductionVar(), ahead), stageBefore(stage));
  multiplyFrom(stage);
  Operation *yield = steps.getBody()->getTerminator();
  builder_.setInsertionPoint(yield);
  yield->insertOperands(yield->getNumOperands(), nextStage(stage));
  return success();
}

void CopyPipeline::inOrder() {
  builder_.setInsertionPoint(products_.multiplies.back());
  Value stage = math_.constant(0);
  // A warp may still multiply from the stage.
  sm::BlockSyncOp::create(builder_, location_);
  copy(IRMapping(), stage);
  sm::CopyCommitOp::create(builder_, location_);
  sm::CopyWaitOp::create(builder_, location_, 0);
  sm::BlockSyncOp::create(builder_, location_);
  multiplyFrom(stage);
}

/// As many stages as the schedule says, or as fit.
static FailureOr<int64_t> chooseStages(sm::KernelOp kernel, BlockProducts products) {
  sm::BlockType a = products.a.getBlock().getType();
  const sm::AccumulatorType sums = products.first().getAccumulator().getType();
  const int64_t depth = products.first().getATransposed() ? a.getRows() : a.getColumns();
  const int64_t stage_bytes = stageBytes(StagedSchedule::ofThreads(sums.getRows(), sums.getColumns(), depth),
                                         static_cast<int64_t>(products.weight_matrices.size()));
  const int64_t fit = ampere_shared_bytes / stage_bytes;
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  const int64_t wanted =
      schedule && schedule.getStages() ? schedule.getStages() : std::min(usual_ampere_stages, fit);
  if (wanted < 2)
    return kernel.emitOpError("needs at least 2 stages of ")
           << stage_bytes << " bytes, so that one fills while the other is multiplied; "
           << (fit < 2 ? "shared memory has no room for them" : "its schedule has fewer stages");
  if (wanted > fit)
    return kernel.emitOpError("cannot have ")
           << wanted << " stages of " << stage_bytes << " bytes: " << fit << " fit shared memory";
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
  FailureOr<int64_t> stages = steps ? chooseStages(kernel, *products) : FailureOr<int64_t>(1);
  if (failed(stages))
    return failure();
  CopyPipeline pipeline(*products, *stages);
  if (failed(pipeline.allocate(kernel)))
    return failure();
  if (steps)
    return pipeline.overlap(loop);
  pipeline.inOrder();
  return success();
}
