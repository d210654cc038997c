#include "compiler/lower/reduced_kernel.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelOp writeReducedProduct(OpBuilder &builder, Location location, StringRef name,
                             const ProductsOfKernel &products, ReducedAttr schedule) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), location);
  };
  const int64_t rows = schedule.getRows(), columns = schedule.getColumns();
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());

  auto kernel = KernelOp::create(builder, location, name, products.layout, schedule);
  Block &body = kernel.getBody().emplaceBlock();
  const SmallVector<Type> types = typesOfOperands(products, typeOfWeights(products));
  body.addArguments(types, SmallVector<Location>(types.size(), location));
  const ProductOperands operands(products, body);
  operands.setNames();
  builder.setInsertionPointToEnd(&body);

  const Attribute owned[] = {AxisAttr::get(context, AxisKind::Batch, rows),
                             AxisAttr::get(context, AxisKind::Groups, 1),
                             AxisAttr::get(context, AxisKind::Columns, columns)};
  auto own = ForallOp::create(builder, location, builder.getArrayAttr(owned));
  Block &part = own.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  part.addArguments({index, index, index}, {location, location, location});
  Value r = part.getArgument(0), j = part.getArgument(1), c = part.getArgument(2);
  builder.setInsertionPointToEnd(&part);

  SmallVector<Value> sums;
  for (Value weights : operands.weightMatrices()) {
    Value zero = ZeroOp::create(builder, named("zero"), fragment);
    sums.push_back(
        AddRowTermsOp::create(builder, named("total"), fragment, operands.rows(), r, weights, j, c, zero));
  }
  const SmallVector<Value> stored = writeEpilogue(builder, location, products.epilogue,
                                                  operands.furtherOperands(), {Value(), r, j, c}, sums);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results()))
    StoreRowsOp::create(builder, location, value, target, r, j, c);
  return kernel;
}

} // namespace compiler
