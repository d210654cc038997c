#include "compiler/lower/product_operands.h"

#include "runtime/bundle/layer.h"

using namespace mlir;

namespace compiler {

/// The type of an operand that maps read.
static Type typeOf(const Epilogue::Operand &operand, tile::LayoutAttr layout) {
  MLIRContext *context = layout.getContext();
  const int64_t columns = layout.getOut().getTotal();
  switch (operand.shape) {
  case Epilogue::Shape::PerColumn:
    return tile::MatrixType::get(context, 1, columns, operand.element);
  case Epilogue::Shape::PerRow:
    return tile::MatrixType::get(context, ShapedType::kDynamic, 1, operand.element);
  case Epilogue::Shape::PerElement:
    return tile::MatrixType::get(context, ShapedType::kDynamic, columns, operand.element);
  case Epilogue::Shape::Number:
    return operand.element;
  }
  llvm_unreachable("all shapes are above");
}

tile::MatrixType typeOfWeights(const ProductsOfKernel &products) {
  const auto [rows, columns] = products.layout.getWeightShape();
  return tile::MatrixType::get(products.layout.getContext(), rows, columns, products.element);
}

SmallVector<Type> typesOfOperands(const ProductsOfKernel &products, tile::MatrixType weights) {
  tile::LayoutAttr layout = products.layout;
  MLIRContext *context = layout.getContext();
  SmallVector<Type> types = {
      tile::MatrixType::get(context, ShapedType::kDynamic, layout.getIn().getTotal(), products.element)};
  types.append(static_cast<size_t>(products.weights), weights);
  for (const Epilogue::Operand &operand : products.epilogue.operands)
    types.push_back(typeOf(operand, layout));
  for (const Epilogue::Result &result : products.epilogue.results)
    types.push_back(
        tile::MatrixType::get(context, ShapedType::kDynamic, layout.getOut().getTotal(), result.element));
  return types;
}

ProductOperands::ProductOperands(const ProductsOfKernel &products, Block &block)
    : products_(&products), block_(&block), weights_(static_cast<size_t>(products.weights)) {}

void ProductOperands::setNames() const {
  const bool transposed = products_->layout.isTransposed();
  std::vector<std::string> names = {transposed ? "dy" : "x"};
  for (int64_t weight = 0; weight < products_->weights; ++weight)
    names.push_back(algrt::numberedName("w", weight));
  for (const Epilogue::Operand &operand : products_->epilogue.operands)
    names.push_back(operand.name);
  for (size_t result = 0; result < products_->epilogue.results.size(); ++result)
    names.push_back(algrt::numberedName(transposed ? "dx" : "y", static_cast<int64_t>(result)));
  for (auto [argument, name] : llvm::zip_equal(block_->getArguments(), names))
    argument.setLoc(NameLoc::get(StringAttr::get(argument.getContext(), name), argument.getLoc()));
}

SmallVector<Value> writeTerms(OpBuilder &builder, Location location, Value type, Value group,
                              ValueRange weight_matrices, tile::FragmentType fragment,
                              function_ref<Value(Value, Value, Value, Value, Value)> multiply) {
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), location); };
  SmallVector<Value> zeros;
  for (size_t product = 0; product < weight_matrices.size(); ++product)
    zeros.push_back(tile::ZeroOp::create(builder, named("zero"), fragment));
  auto terms =
      tile::TermsOp::create(builder, named("total"), ValueRange(zeros).getTypes(), type, group, zeros);
  Block &term = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  term.addArguments({index, index, builder.getF32Type()}, {location, location, location});
  term.addArguments(ValueRange(zeros).getTypes(), SmallVector<Location>(zeros.size(), location));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&term);
  SmallVector<Value> next;
  for (auto [weight_matrix, sum] : llvm::zip_equal(weight_matrices, term.getArguments().drop_front(3)))
    next.push_back(
        multiply(weight_matrix, term.getArgument(0), term.getArgument(1), term.getArgument(2), sum));
  tile::YieldOp::create(builder, location, next);
  return llvm::to_vector_of<Value>(terms.getSums());
}

} // namespace compiler
