#include "compiler/targets/thread_block/block_product.h"

using namespace mlir;

namespace compiler {

FailureOr<BlockProduct> findProduct(sm::KernelOp kernel) {
  SmallVector<sm::MultiplyOp> all;
  kernel.walk([&](sm::MultiplyOp multiply) { all.push_back(multiply); });
  if (all.size() != 1)
    return kernel.emitOpError("multiplies in ")
           << all.size() << " places; operands are staged for exactly one";
  BlockProduct product = {all[0],
                          all[0].getA().getDefiningOp<sm::FetchOp>(),
                          all[0].getB().getDefiningOp<sm::FetchOp>(),
                          all[0].getA().getDefiningOp<sm::FetchPartsOp>(),
                          {}};
  auto feeds = [&](Operation *fetch) {
    return fetch && fetch->getBlock() == all[0]->getBlock() && fetch->hasOneUse();
  };
  Operation *a = product.a ? product.a.getOperation() : product.parts.getOperation();
  if (!feeds(a) || !feeds(product.b))
    return all[0].emitOpError("must multiply blocks that are fetched beside it and used nowhere else");
  if (Value held = all[0].getHeld()) {
    product.held = held.getDefiningOp<sm::HoldOp>();
    if (!product.held || !product.held->hasOneUse())
      return all[0].emitOpError("must multiply rows that sm.hold brings for it alone");
  }
  return product;
}

Value chooseProduct(OpBuilder &builder, Location location, Value condition, function_ref<Value()> then,
                    function_ref<Value()> otherwise) {
  if (!condition)
    return otherwise();
  auto write = [&](function_ref<Value()> sums) {
    return [sums](OpBuilder &inner, Location where) { scf::YieldOp::create(inner, where, sums()); };
  };
  OpBuilder::InsertionGuard guard(builder);
  return scf::IfOp::create(builder, location, condition, write(then), write(otherwise)).getResult(0);
}

} // namespace compiler
