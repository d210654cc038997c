// Kernels of two layers: blocks that several loops multiply, in partitions.
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/partitions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace compiler {

namespace {

/// What passes through a pipe at a time: blocks that are multiplied by the same rows, or stationary rows.
struct Passage {
  SmallVector<Value> blocks;
  int64_t stages; ///< that its layer wants; 0: as many as fit
  bool second;    ///< of the second layer
  Value pipe = {};

  bool isHeld() const { return static_cast<bool>(blocks.front().getDefiningOp<sm::HoldOp>()); }
  /// Whether blocks of a cluster copy it for each other. Such stages wait for all these blocks, so that they
  /// are none of those that a block fills for itself.
  bool isMulticast() const {
    auto fetch = blocks.front().getDefiningOp<sm::FetchOp>();
    return fetch && fetch.getMask();
  }
};

/// Pipes for blocks of some types: one for both layers, or where barriers have no room for the stages of both
/// one for each.
struct SharedPipe {
  sm::PipeType type;
  bool multicast;
  int64_t stages_of_layers[2] = {0, 0};
  Value of_layers[2] = {};
};

class LayersSplit {
public:
  explicit LayersSplit(sm::KernelOp kernel) : kernel_(kernel), builder_(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult findPassages();
  /// Whether rows are those that the second layer multiplies.
  static bool areHidden(Value rows) {
    return isa<sm::FragmentType>(rows.getType()) || rows.getDefiningOp<sm::KeptRowsOp>();
  }
  /// Of the stages of a layer those of one passage.
  int64_t stagesOf(bool second, bool multicast);
  void makePipes();
  void writeMultiply(ArrayRef<Operation *> program, int64_t warpgroups, int64_t registers);
  void writeLoad(ArrayRef<Operation *> program, int64_t registers);

  sm::KernelOp kernel_;
  OpBuilder builder_;
  SmallVector<Passage> passages_;
};

} // namespace

namespace {
/// Where a fetched block is multiplied: by which rows, and as the block of which part of the sums.
struct Use {
  Value rows;
  unsigned part = 0;
};
} // namespace

/// Of its only product, beside it; without rows where there is none.
static Use useBeside(sm::FetchOp fetch) {
  if (!fetch.getBlock().hasOneUse())
    return {};
  OpOperand &use = *fetch.getBlock().use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != fetch->getBlock())
    return {};
  if (auto multiply = dyn_cast<sm::MultiplyHeldOp>(user))
    return {multiply.getRows(), (use.getOperandNumber() - multiply.getBlocks().getBeginOperandIndex()) /
                                    static_cast<unsigned>(multiply.getBeside())};
  if (auto multiply = dyn_cast<sm::MultiplyFragmentOp>(user))
    return {multiply.getRows()};
  return {};
}

LogicalResult LayersSplit::findPassages() {
  llvm::MapVector<std::tuple<Block *, Value, unsigned, int64_t>, SmallVector<Value>> fetched;
  const WalkResult walk = kernel_.walk([&](Operation *op) {
    if (auto hold = dyn_cast<sm::HoldOp>(op))
      passages_.push_back({{hold.getBlock()}, static_cast<int64_t>(hold.getStages().value_or(1)), false});
    if (isa<sm::FetchPartsOp>(op))
      return op->emitOpError("is of rows that come with every step; those of a kernel of two layers stay in "
                             "shared memory"),
             WalkResult::interrupt();
    auto fetch = dyn_cast<sm::FetchOp>(op);
    if (!fetch)
      return WalkResult::advance();
    const Use use = useBeside(fetch);
    if (!use.rows)
      return fetch.emitOpError("must be multiplied once, beside it, by rows that are there"),
             WalkResult::interrupt();
    // What is fetched behind a product of these rows is another passage: of the next chunk, where there are
    // so few of them that no loop over chunks is left.
    int64_t products_before = 0;
    for (Operation *user : use.rows.getUsers())
      if (user->getBlock() == fetch->getBlock() && user->isBeforeInBlock(fetch))
        ++products_before;
    fetched[{fetch->getBlock(), use.rows, use.part, products_before}].push_back(fetch.getBlock());
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (auto &[place, blocks] : fetched) {
    // They are taken where the first of them was fetched, and passed on where the last was.
    for (Operation *op = blocks.front().getDefiningOp(); op != blocks.back().getDefiningOp();
         op = op->getNextNode())
      if (isa<sm::FetchOp>(op) && !llvm::is_contained(blocks, op->getResult(0)))
        return op->emitOpError(
            "stands between blocks that other rows multiply: blocks that pass together are "
            "fetched one behind the other");
    Passage passage{blocks, 0, areHidden(std::get<Value>(place))};
    passage.stages = stagesOf(passage.second, passage.isMulticast());
    passages_.push_back(passage);
  }
  return success();
}

/// A step takes one stage of what the blocks of a cluster load for each other and one for each type's own.
int64_t LayersSplit::stagesOf(bool second, bool multicast) {
  const auto schedule = cast<tile::StagedAttr>(second ? kernel_.getSchedule() : *kernel_.getHiddenSchedule());
  if (schedule.getClusterTypes() == 1)
    return schedule.getStages();
  const int64_t of_cluster = schedule.getStages() / (1 + schedule.getTypes());
  return multicast ? of_cluster : schedule.getStages() - of_cluster;
}

void LayersSplit::makePipes() {
  builder_.setInsertionPointToStart(&kernel_.getBody().front());
  auto make = [&](sm::PipeType type, int64_t stages) -> Value {
    return sm::PipeOp::create(builder_, kernel_.getLoc(), type,
                              stages ? builder_.getI64IntegerAttr(stages) : IntegerAttr());
  };
  auto type_of = [&](const Passage &passage) {
    return sm::PipeType::get(kernel_.getContext(), llvm::to_vector(ValueRange(passage.blocks).getTypes()));
  };
  SmallVector<SharedPipe> shared;
  auto shared_pipe = [&](const Passage &passage) -> SharedPipe & {
    const SharedPipe wanted{type_of(passage), passage.isMulticast()};
    auto known = llvm::find_if(shared, [&](const SharedPipe &one) {
      return one.type == wanted.type && one.multicast == wanted.multicast;
    });
    return known == shared.end() ? shared.emplace_back(wanted) : *known;
  };
  for (const Passage &passage : passages_)
    if (!passage.isHeld())
      shared_pipe(passage).stages_of_layers[passage.second] = passage.stages;
  for (SharedPipe &one : shared) {
    const auto [first, second] = one.stages_of_layers;
    if (first + second <= most_stages)
      one.of_layers[0] = one.of_layers[1] = make(one.type, first + second);
    else
      for (const int layer : {0, 1})
        one.of_layers[layer] = make(one.type, one.stages_of_layers[layer]);
  }
  for (Passage &passage : passages_)
    passage.pipe = passage.isHeld() ? make(type_of(passage), passage.stages)
                                    : shared_pipe(passage).of_layers[passage.second];
}

/// The warpgroups consume the blocks where the first of them was fetched.
void LayersSplit::writeMultiply(ArrayRef<Operation *> program, int64_t warpgroups, int64_t registers) {
  addPartition(builder_, kernel_, "multiply", warpgroups, registers);
  IRMapping copies;
  for (Operation *op : program)
    builder_.clone(*op, copies);
  for (const Passage &passage : passages_) {
    builder_.setInsertionPointAfterValue(copies.lookup(passage.blocks.front()));
    auto consume = sm::ConsumeOp::create(builder_, kernel_.getLoc(), TypeRange(ValueRange(passage.blocks)),
                                         passage.pipe);
    for (auto [block, consumed] : llvm::zip_equal(passage.blocks, consume.getBlocks())) {
      Operation *copy = copies.lookup(block).getDefiningOp();
      copy->replaceAllUsesWith(ValueRange(consumed));
      copy->erase();
    }
  }
}

/// One thread produces them where the last of them is fetched, and leaves the sums as they are.
void LayersSplit::writeLoad(ArrayRef<Operation *> program, int64_t registers) {
  addPartition(builder_, kernel_, "load", 1, registers);
  auto elect = sm::ElectOp::create(builder_, kernel_.getLoc());
  builder_.setInsertionPointToEnd(&elect.getBody().emplaceBlock());
  IRMapping copies;
  for (Operation *op : program)
    builder_.clone(*op, copies);
  sm::ReleaseSuccessorOp::create(builder_, kernel_.getLoc());
  SmallVector<Operation *> computing;
  elect.walk([&](Operation *op) {
    if (isa<sm::MultiplyHeldOp, sm::MultiplyFragmentOp, sm::MapOp, sm::ClipColumnsOp, sm::FragmentOp,
            sm::KeepOp, sm::TakeColumnsOp, sm::StoreSumsOp, sm::StoreSumsInPartsOp>(op))
      computing.push_back(op);
  });
  for (Operation *op : llvm::reverse(computing)) {
    builder_.setInsertionPoint(op);
    // What a loop hands on of rows in registers nobody reads here.
    if (isa<sm::FragmentOp>(op) && !op->use_empty())
      op->replaceAllUsesWith(ub::PoisonOp::create(builder_, op->getLoc(), op->getResult(0).getType()));
    else if (!op->use_empty()) // sums, which stay those that went in
      for (Value operand : op->getOperands())
        if (operand.getType() == op->getResult(0).getType()) {
          op->getResult(0).replaceAllUsesWith(operand);
          break;
        }
    op->erase();
  }
  for (const Passage &passage : passages_) {
    SmallVector<Value> blocks;
    for (Value block : passage.blocks)
      blocks.push_back(copies.lookup(block));
    builder_.setInsertionPointAfterValue(blocks.back());
    sm::ProduceOp::create(builder_, kernel_.getLoc(), passage.pipe, blocks);
  }
}

LogicalResult LayersSplit::run() {
  if (failed(findPassages()))
    return failure();
  int64_t warpgroups = 0;
  SmallVector<Operation *> program; // but what both partitions see
  for (Operation &op : kernel_.getBody().front()) {
    if (auto kept = dyn_cast<sm::KeptRowsOp>(op))
      warpgroups = kept.getRows().getType().getRows() / sm::warpgroup_rows;
    else
      program.push_back(&op);
  }
  if (warpgroups == 0)
    return kernel_.emitOpError("has two layers, of which the second multiplies rows that are kept");
  const HopperRegisters registers = hopperRegisters(warpgroups);
  makePipes();
  writeMultiply(program, warpgroups, registers.multiply);
  writeLoad(program, registers.load);
  for (Operation *op : llvm::reverse(program))
    op->erase();
  return success();
}

LogicalResult splitLayers(sm::KernelOp kernel) { return LayersSplit(kernel).run(); }

} // namespace compiler
