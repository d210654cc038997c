#include "compiler/lower/reduced_kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tile;

namespace compiler {

/// The fragment with its sums rounded to `result`.
static Value writeRounding(OpBuilder &builder, Location location, Value sum, Type result) {
  auto from = cast<FragmentType>(sum.getType());
  auto map = MapOp::create(builder, NameLoc::get(builder.getStringAttr("rounded"), location),
                           FragmentType::get(builder.getContext(), from.getRows(), from.getColumns(), result),
                           ValueRange(sum));
  Block &body = map.getBody().emplaceBlock();
  body.addArgument(builder.getF32Type(), location);
  OpBuilder::InsertionGuard inner(builder);
  builder.setInsertionPointToEnd(&body);
  Value narrow = arith::TruncFOp::create(builder, location, result, body.getArgument(0));
  YieldOp::create(builder, location, narrow);
  return map.getResult();
}

KernelOp writeReducedProduct(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                             ReducedAttr schedule, Type element, Type result, bool bias) {
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
  Value bias_row = bias ? operand(1, n, element) : Value();
  Value y = operand(ShapedType::kDynamic, n, result);
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
  if (bias)
    sum = AddBiasOp::create(builder, named("biased"), fragment, sum, bias_row, j, c);
  if (!result.isF32())
    sum = writeRounding(builder, location, sum, result);
  StoreRowsOp::create(builder, location, sum, y, r, j, c);
  return kernel;
}

} // namespace compiler
