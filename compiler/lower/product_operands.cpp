#include "compiler/lower/product_operands.h"

#include "runtime/bundle/layer.h"

using namespace mlir;

namespace compiler {

/// The type of an operand that maps read.
static Type typeOf(const Epilogue::Operand &operand, tile::LayoutAttr layout) {
  MLIRContext *context = layout.getContext();
  const std::int64_t columns = layout.getOut().getTotal();
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

tile::MatrixType typeOfBank(const ProductsOfKernel &products) {
  const auto [rows, columns] = products.layout.getBankShape();
  return tile::MatrixType::get(products.layout.getContext(), rows, columns, products.element);
}

SmallVector<Type> typesOfOperands(const ProductsOfKernel &products, tile::MatrixType bank) {
  tile::LayoutAttr layout = products.layout;
  MLIRContext *context = layout.getContext();
  SmallVector<Type> types = {
      tile::MatrixType::get(context, ShapedType::kDynamic, layout.getIn().getTotal(), products.element)};
  types.append(static_cast<std::size_t>(products.weights), bank);
  for (const Epilogue::Operand &operand : products.epilogue.operands)
    types.push_back(typeOf(operand, layout));
  for (const Epilogue::Result &result : products.epilogue.results)
    types.push_back(
        tile::MatrixType::get(context, ShapedType::kDynamic, layout.getOut().getTotal(), result.element));
  return types;
}

ProductOperands::ProductOperands(const ProductsOfKernel &products, Block &block)
    : products(&products), block(&block), weights(static_cast<std::size_t>(products.weights)) {}

void ProductOperands::setNames() const {
  const bool transposed = products->layout.isTransposed();
  std::vector<std::string> names = {transposed ? "dy" : "x"};
  for (std::int64_t weight = 0; weight < products->weights; ++weight)
    names.push_back(algrt::numberedName("w", weight));
  for (const Epilogue::Operand &operand : products->epilogue.operands)
    names.push_back(operand.name);
  for (std::size_t result = 0; result < products->epilogue.results.size(); ++result)
    names.push_back(algrt::numberedName(transposed ? "dx" : "y", static_cast<std::int64_t>(result)));
  for (auto [argument, name] : llvm::zip_equal(block->getArguments(), names))
    argument.setLoc(NameLoc::get(StringAttr::get(argument.getContext(), name), argument.getLoc()));
}

SmallVector<Value> writeTerms(OpBuilder &builder, Location location, Value type, Value group,
                              ValueRange banks, tile::FragmentType fragment,
                              function_ref<Value(Value, Value, Value, Value, Value)> multiply) {
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), location); };
  SmallVector<Value> zeros;
  for (std::size_t bank = 0; bank < banks.size(); ++bank)
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
  for (auto [bank, sum] : llvm::zip_equal(banks, term.getArguments().drop_front(3)))
    next.push_back(multiply(bank, term.getArgument(0), term.getArgument(1), term.getArgument(2), sum));
  tile::YieldOp::create(builder, location, next);
  return llvm::to_vector_of<Value>(terms.getSums());
}

} // namespace compiler
