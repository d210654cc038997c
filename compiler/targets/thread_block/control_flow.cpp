#include "compiler/targets/thread_block/control_flow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

ControlFlow::Values ControlFlow::choose(Value condition, TypeRange types, function_ref<Values()> yes,
                                        function_ref<Values()> no) const {
  auto branch = scf::IfOp::create(builder_, location_, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder_, location_, yes());
  builder_.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder_, location_, no());
  return Values(branch.getResults());
}

void ControlFlow::when(Value condition, function_ref<void()> body) const {
  auto branch = scf::IfOp::create(builder_, location_, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  body();
}

ControlFlow::Values ControlFlow::loop(Value first, Value end, Value step, ValueRange carried,
                                      function_ref<Values(Value, ValueRange)> body) const {
  auto loop = scf::ForOp::create(builder_, location_, first, end, step, carried);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder_, location_, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

void ControlFlow::loop(Value first, Value end, Value step, function_ref<void(Value)> body) const {
  auto loop = scf::ForOp::create(builder_, location_, first, end, step);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

ControlFlow::Values ControlFlow::loopWhile(ValueRange first, function_ref<Value(ValueRange)> goes_on,
                                           function_ref<Values(ValueRange)> body) const {
  auto walk = scf::WhileOp::create(builder_, location_, first.getTypes(), first);
  OpBuilder::InsertionGuard guard(builder_);
  auto block = [&](Region &region) {
    return builder_.createBlock(&region, {}, first.getTypes(),
                                SmallVector<Location>(first.size(), location_));
  };
  Block *before = block(walk.getBefore());
  Value condition = goes_on(before->getArguments());
  scf::ConditionOp::create(builder_, location_, condition, before->getArguments());
  Block *after = block(walk.getAfter());
  scf::YieldOp::create(builder_, location_, body(after->getArguments()));
  return Values(walk.getResults());
}

} // namespace compiler
