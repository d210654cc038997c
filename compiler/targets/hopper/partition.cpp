// sm-partition: loading and multiplying in different warps.
#include "compiler/schedule/staged.h"
#include "compiler/targets/hopper/partitions.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/thread_block/block_product.h"

#include "mlir/IR/IRMapping.h"

namespace compiler {
#define GEN_PASS_DEF_SMPARTITION
#include "compiler/targets/hopper/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct SmPartition : compiler::impl::SmPartitionBase<SmPartition> {
  void runOnOperation() override {
    for (sm::KernelOp kernel : getOperation().getOps<sm::KernelOp>())
      if (failed(split(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult split(sm::KernelOp kernel);
};

} // namespace

void compiler::addPartition(OpBuilder &builder, sm::KernelOp kernel, StringRef name, int64_t warpgroups,
                            int64_t registers) {
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  auto partition =
      sm::PartitionOp::create(builder, kernel.getLoc(), name, warpgroups, registers, IntegerAttr());
  builder.setInsertionPointToEnd(&partition.getBody().emplaceBlock());
}

LogicalResult SmPartition::split(sm::KernelOp kernel) {
  if (kernel.getHiddenLayout())
    return splitLayers(kernel);
  FailureOr<BlockProducts> products = findProducts(kernel);
  if (failed(products))
    return failure();
  const int64_t warpgroups = products->first().getAccumulator().getType().getWarpgroups();
  const HopperRegisters registers = hopperRegisters(warpgroups);
  SmallVector<Operation *> program;
  for (Operation &op : kernel.getBody().front())
    program.push_back(&op);

  Location location = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  // Rows that are held come through a pipe of their own, of one stage: they change places less often.
  Value held_pipe;
  if (products->held)
    held_pipe = sm::PipeOp::create(
        builder, location, sm::PipeType::get(kernel.getContext(), {products->held.getBlock().getType()}),
        builder.getI64IntegerAttr(1));
  const SmallVector<Value> blocks = products->blocks();
  const SmallVector<Type> passed(ValueRange(blocks).getTypes());
  Value pipe =
      sm::PipeOp::create(builder, location, sm::PipeType::get(kernel.getContext(), passed), IntegerAttr());

  // The partition that multiplies consumes the blocks instead of fetching them. What only the coordinates
  // needed is dead then.
  {
    addPartition(builder, kernel, "multiply", warpgroups, registers.multiply);
    IRMapping copies;
    for (Operation *op : program)
      builder.clone(*op, copies);
    auto multiply = copies.lookup(products->first().getResult()).getDefiningOp<sm::MultiplyOp>();
    builder.setInsertionPoint(multiply);
    auto consume = sm::ConsumeOp::create(builder, multiply.getLoc(), TypeRange(passed), pipe);
    for (auto [original, block] : llvm::zip_equal(blocks, consume.getBlocks())) {
      Value fetched = copies.lookup(original);
      fetched.replaceAllUsesWith(block);
      fetched.getDefiningOp()->erase();
    }
    if (products->held) {
      auto hold = copies.lookup(products->held.getBlock()).getDefiningOp<sm::HoldOp>();
      builder.setInsertionPoint(hold);
      auto stays =
          sm::ConsumeOp::create(builder, hold.getLoc(), TypeRange(hold.getBlock().getType()), held_pipe);
      hold.replaceAllUsesWith(stays.getBlocks()[0]);
      hold.erase();
    }
  }

  // The partition that loads produces them, and leaves the sums as they are.
  {
    addPartition(builder, kernel, "load", 1, registers.load);
    auto elect = sm::ElectOp::create(builder, location);
    builder.setInsertionPointToEnd(&elect.getBody().emplaceBlock());
    IRMapping copies;
    for (Operation *op : program)
      builder.clone(*op, copies);
    sm::ReleaseSuccessorOp::create(builder, location);
    SmallVector<Operation *> results;
    elect.walk([&](Operation *op) {
      if (isa<sm::ReduceScatterOp, sm::TakeColumnsOp, sm::MapOp, sm::StoreSumsOp, sm::StoreSumsInPartsOp>(op))
        results.push_back(op);
    });
    for (Operation *op : llvm::reverse(results))
      op->erase();
    Operation *last = copies.lookup(products->multiplies.back().getResult()).getDefiningOp();
    builder.setInsertionPoint(last);
    SmallVector<Value> fetched;
    for (Value block : blocks)
      fetched.push_back(copies.lookup(block));
    sm::ProduceOp::create(builder, last->getLoc(), pipe, fetched);
    for (sm::MultiplyOp original : products->multiplies) {
      auto multiply = copies.lookup(original.getResult()).getDefiningOp<sm::MultiplyOp>();
      multiply.replaceAllUsesWith(multiply.getAccumulator());
      multiply.erase();
    }
    if (products->held) {
      Value block = copies.lookup(products->held.getBlock());
      builder.setInsertionPointAfterValue(block);
      sm::ProduceOp::create(builder, block.getLoc(), held_pipe, block);
    }
  }

  for (Operation *op : llvm::reverse(program))
    op->erase();
  return success();
}
