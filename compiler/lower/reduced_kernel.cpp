#include "compiler/lower/reduced_kernel.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelOp writeReducedProduct(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                             ReducedAttr schedule, Type element, Type result, const Epilogue &epilogue) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), location);
  };
  const std::int64_t rows = schedule.getRows(), columns = schedule.getColumns();
  const std::int64_t k = layout.getIn().getTotal(), n = layout.getOut().getTotal();
  const auto [bank_rows, bank_columns] = layout.getBankShape();
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());

  auto kernel = KernelOp::create(builder, location, name, layout, schedule);
  Block &operands = kernel.getBody().emplaceBlock();
  auto operand = [&](std::int64_t rows, std::int64_t columns, Type element) -> Value {
    return operands.addArgument(MatrixType::get(context, rows, columns, element), location);
  };
  Value x = operand(ShapedType::kDynamic, k, element), bank = operand(bank_rows, bank_columns, element);
  for (const Epilogue::Operand &further : epilogue.operands)
    operands.addArgument(epilogue.typeOf(further, layout), location);
  Value y = operand(ShapedType::kDynamic, n, result);
  nameOperands(epilogue, operands);
  builder.setInsertionPointToEnd(&operands);

  const Attribute owned[] = {AxisAttr::get(context, AxisKind::Batch, rows),
                             AxisAttr::get(context, AxisKind::Groups, 1),
                             AxisAttr::get(context, AxisKind::Columns, columns)};
  auto own = OwnOp::create(builder, location, builder.getArrayAttr(owned));
  Block &part = own.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  part.addArguments({index, index, index}, {location, location, location});
  Value r = part.getArgument(0), j = part.getArgument(1), c = part.getArgument(2);
  builder.setInsertionPointToEnd(&part);

  Value zero = ZeroOp::create(builder, named("zero"), fragment);
  Value sum = AddRowTermsOp::create(builder, named("total"), fragment, x, r, bank, j, c, zero);
  sum = writeEpilogue(builder, location, epilogue, operands.getArguments().drop_front(2).drop_back(),
                      {Value(), r, j, c}, sum, result);
  StoreRowsOp::create(builder, location, sum, y, r, j, c);
  return kernel;
}

} // namespace compiler
