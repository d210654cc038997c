#include "compiler/targets/thread_block/block_product.h"

using namespace mlir;

namespace compiler {

SmallVector<Value> BlockProducts::blocks() const {
  SmallVector<Value> all = {first().getA()};
  for (sm::MultiplyOp multiply : multiplies)
    all.push_back(multiply.getB());
  return all;
}

SmallVector<sm::MultiplyOp, 2> productsOf(ValueRange blocks) {
  SmallVector<sm::MultiplyOp, 2> products;
  for (Value weights : blocks.drop_front()) {
    auto multiply = weights.hasOneUse() ? dyn_cast<sm::MultiplyOp>(*weights.user_begin()) : sm::MultiplyOp();
    if (!multiply || multiply.getB() != weights || multiply.getA() != blocks.front() ||
        (!products.empty() && multiply->getBlock() != products.front()->getBlock()))
      return {};
    products.push_back(multiply);
  }
  if (llvm::range_size(blocks.front().getUses()) != products.size())
    return {};
  llvm::sort(products, [](sm::MultiplyOp one, sm::MultiplyOp other) { return one->isBeforeInBlock(other); });
  return products;
}

/// Products that one step makes together have one sign and one depth, and are of whole blocks.
static LogicalResult checkTogether(ArrayRef<sm::MultiplyOp> multiplies) {
  sm::MultiplyOp first = multiplies.front();
  for (sm::MultiplyOp multiply : multiplies) {
    if (multiplies.size() > 1 && (multiply.getPart() || multiply.getHeld()))
      return multiply.emitOpError("is one of several products of the same rows, which have no parts and hold "
                                  "none");
    if (multiply.getNegate() != first.getNegate() || multiply.getShallow() != first.getShallow() ||
        multiply.getShallowDepth() != first.getShallowDepth() || multiply.getType() != first.getType())
      return multiply.emitOpError(
          "must have sign, depth and sums like the first of the products of its rows");
  }
  return success();
}

FailureOr<BlockProducts> findProducts(sm::KernelOp kernel) {
  BlockProducts products;
  kernel.walk([&](sm::MultiplyOp multiply) { products.multiplies.push_back(multiply); });
  auto are_together = [&](sm::MultiplyOp multiply) {
    return multiply.getA() == products.first().getA() && multiply->getBlock() == products.first()->getBlock();
  };
  if (products.multiplies.empty() || !llvm::all_of(products.multiplies, are_together))
    return kernel.emitOpError("multiplies in ")
           << products.multiplies.size()
           << " places; operands are staged for exactly one, which may multiply "
           << "the same rows by several weight matrices";
  products.a = products.first().getA().getDefiningOp<sm::FetchOp>();
  products.parts = products.first().getA().getDefiningOp<sm::FetchPartsOp>();
  auto feeds = [&](Operation *fetch, size_t uses) {
    return fetch && fetch->getBlock() == products.first()->getBlock() &&
           llvm::range_size(fetch->getUses()) == uses;
  };
  bool fed = feeds(products.a ? products.a.getOperation() : products.parts.getOperation(),
                   products.multiplies.size());
  for (sm::MultiplyOp multiply : products.multiplies) {
    products.weight_matrices.push_back(multiply.getB().getDefiningOp<sm::FetchOp>());
    fed = fed && feeds(products.weight_matrices.back(), 1);
  }
  if (!fed)
    return products.first().emitOpError(
        "must multiply blocks that are fetched beside it and used nowhere else");
  if (failed(checkTogether(products.multiplies)))
    return failure();
  if (Value held = products.first().getHeld()) {
    products.held = held.getDefiningOp<sm::HoldOp>();
    if (!products.held || !products.held->hasOneUse())
      return products.first().emitOpError("must multiply rows that sm.hold brings for it alone");
  }
  return products;
}

SmallVector<Value> chooseProducts(OpBuilder &builder, Location location, Value condition, WriteSums then,
                                  WriteSums otherwise) {
  if (!condition)
    return otherwise();
  auto write = [&](WriteSums sums) {
    return [sums](OpBuilder &inner, Location where) { scf::YieldOp::create(inner, where, sums()); };
  };
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, location, condition, write(then), write(otherwise));
  return SmallVector<Value>(branch.getResults());
}

} // namespace compiler
