#include "compiler/lower/layers_operands.h"

#include "runtime/bundle/layer.h"

using namespace mlir;

namespace compiler {

SmallVector<Type> typesOfOperands(const ProductsOfKernel &first, tile::MatrixType first_weights,
                                  const ProductsOfKernel &last, tile::MatrixType last_weights) {
  const SmallVector<Type> of_first = typesOfOperands(first, first_weights),
                          of_last = typesOfOperands(last, last_weights);
  const auto first_count = static_cast<size_t>(first.weights), last_count = static_cast<size_t>(last.weights);
  SmallVector<Type> types = {of_first.front()};
  types.append(first_count, first_weights);
  types.append(last_count, last_weights);
  llvm::append_range(types, ArrayRef(of_first).slice(1 + first_count, first.epilogue.operands.size()));
  llvm::append_range(types, ArrayRef(of_last).drop_front(1 + last_count));
  return types;
}

static void nameOperands(const ProductsOfKernel &first, const ProductsOfKernel &last, Block &block) {
  std::vector<std::string> names = {"x"};
  for (int64_t weight = 0; weight < first.weights + last.weights; ++weight)
    names.push_back(algrt::numberedName("w", weight));
  for (const ProductsOfKernel *layer : {&first, &last})
    for (const Epilogue::Operand &operand : layer->epilogue.operands)
      names.push_back(operand.name);
  for (size_t result = 0; result < last.epilogue.results.size(); ++result)
    names.push_back(algrt::numberedName("y", static_cast<int64_t>(result)));
  for (auto [argument, name] : llvm::zip_equal(block.getArguments(), names))
    argument.setLoc(NameLoc::get(StringAttr::get(argument.getContext(), name), argument.getLoc()));
}

LayersOperands::LayersOperands(const ProductsOfKernel &first, const ProductsOfKernel &last, Block &block) {
  nameOperands(first, last, block);
  ArrayRef<BlockArgument> left = block.getArguments();
  auto take = [&](size_t wanted) {
    SmallVector<Value> taken(left.take_front(wanted));
    left = left.drop_front(wanted);
    return taken;
  };
  rows = take(1).front();
  first_weights = take(static_cast<size_t>(first.weights));
  last_weights = take(static_cast<size_t>(last.weights));
  first_operands = take(first.epilogue.operands.size());
  last_operands = take(last.epilogue.operands.size());
  results = take(last.epilogue.results.size());
}

} // namespace compiler
