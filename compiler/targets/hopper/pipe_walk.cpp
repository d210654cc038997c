#include "compiler/targets/hopper/pipe_walk.h"

#include "compiler/lower/integer_arithmetic.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

FailureOr<Block *> blockOfSteps(sm::PartitionOp partition, Value pipe) {
  Block *block = nullptr;
  for (Operation *step : pipe.getUsers()) {
    if (step->getParentOfType<sm::PartitionOp>() != partition)
      continue;
    Operation *parent = step->getParentOp();
    while (isa<scf::ForOp, scf::IfOp>(parent))
      parent = parent->getParentOp();
    if (parent != partition && !(isa<sm::ElectOp>(parent) && parent->getParentOp() == partition))
      return step->emitOpError("must stand in nothing but loops and branches of its partition, or of an "
                               "sm.elect right in it");
    Block *around = &parent->getRegion(0).front();
    if (block && around != block)
      return step->emitOpError(
          "must stand where the other steps of its partition at this pipe do: all in one "
          "sm.elect, or in none");
    block = around;
  }
  return block;
}

bool PipeWalk::concerns(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::is_contained(inner->getOperands(), pipe_) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

void PipeWalk::run(Block &block, int32_t parity) {
  builder_.setInsertionPointToStart(&block);
  Location location = pipe_.getLoc();
  through(block, {arith::ConstantIndexOp::create(builder_, location, 0),
                  arith::ConstantOp::create(builder_, location, builder_.getI32IntegerAttr(parity))});
}

PipePosition PipeWalk::through(Block &block, PipePosition position) {
  SmallVector<Operation *> concerned;
  for (Operation &op : block)
    if (concerns(&op))
      concerned.push_back(&op);
  for (Operation *op : concerned)
    position = TypeSwitch<Operation *, PipePosition>(op)
                   .Case([&](scf::ForOp loop) { return throughLoop(loop, position); })
                   .Case([&](scf::IfOp branch) { return throughBranch(branch, position); })
                   .Case([&](sm::SkipOp skip) { return advanceBy(skip, position); })
                   .Default([&](Operation *step) {
                     // The last of a step is that the pipe advances.
                     const Location location = step->getLoc();
                     write_(builder_, step, position);
                     return advance(location, position);
                   });
  return position;
}

/// The loop carries the position along.
PipePosition PipeWalk::throughLoop(scf::ForOp loop, PipePosition position) {
  builder_.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.append({position.stage, position.parity});
  auto longer = scf::ForOp::create(builder_, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), inits);
  longer.getRegion().takeBody(loop.getRegion());
  Block &body = *longer.getBody();
  PipePosition inner = {body.addArgument(position.stage.getType(), loop.getLoc()),
                        body.addArgument(position.parity.getType(), loop.getLoc())};
  inner = through(body, inner);
  body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(), {inner.stage, inner.parity});
  loop->replaceAllUsesWith(longer.getResults().drop_back(2));
  loop.erase();
  return {longer.getResults().end()[-2], longer.getResults().end()[-1]};
}

/// The branch hands on the position, moved or not.
PipePosition PipeWalk::throughBranch(scf::IfOp branch, PipePosition position) {
  builder_.setInsertionPoint(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.append({position.stage.getType(), position.parity.getType()});
  auto longer =
      scf::IfOp::create(builder_, branch.getLoc(), types, branch.getCondition(), /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  longer.getThenRegion().takeBody(branch.getThenRegion());
  longer.getElseRegion().takeBody(branch.getElseRegion());
  if (longer.getElseRegion().empty()) {
    builder_.setInsertionPointToEnd(&longer.getElseRegion().emplaceBlock());
    scf::YieldOp::create(builder_, branch.getLoc());
  }
  for (Region *region : {&longer.getThenRegion(), &longer.getElseRegion()}) {
    PipePosition inner = through(region->front(), position);
    Operation *yield = region->front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), {inner.stage, inner.parity});
  }
  branch->replaceAllUsesWith(longer.getResults().drop_back(2));
  branch.erase();
  return {longer.getResults().end()[-2], longer.getResults().end()[-1]};
}

/// The next stage; behind the last one comes the first, with the other parity.
PipePosition PipeWalk::advance(Location location, PipePosition position) {
  const IntegerArithmetic math(builder_, location);
  Value next = math.add(position.stage, 1);
  Value wraps = math.equal(next, stages_);
  Value flip = math.make<arith::ExtUIOp>(builder_.getI32Type(), wraps);
  return {math.select(wraps, 0, next), math.bitXor(position.parity, flip)};
}

/// So many stages further; every time that the last one is passed, the parity changes.
PipePosition PipeWalk::advanceBy(sm::SkipOp skip, PipePosition position) {
  builder_.setInsertionPoint(skip);
  Location location = skip.getLoc();
  const IntegerArithmetic math(builder_, location);
  Value sum = math.add(position.stage, skip.getCount());
  Value passes = math.asWord(math.remainder(math.divide(sum, stages_), 2));
  const PipePosition behind = {math.remainder(sum, stages_), math.bitXor(position.parity, passes)};
  skip.erase();
  return behind;
}

} // namespace compiler
