#include "compiler/lower/staged_kernel.h"

#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelOp writeStagedProduct(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                            StagedAttr schedule, Type element, Type result, const Epilogue &epilogue) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), location);
  };
  // Fragments hold the rows of all types of a tile, one type below the other.
  const std::int64_t rows = schedule.getTileRows(), columns = schedule.getColumns();
  const std::int64_t k = layout.getIn().getTotal(), n = layout.getOut().getTotal();
  const auto [bank_rows, bank_columns] = layout.getBankShape();
  const Coefficients coefficients = coefficientsOf(layout.getTerms());
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

  const std::pair<AxisKind, std::int64_t> axes[] = {{AxisKind::Types, schedule.getTypes()},
                                                    {AxisKind::Rows, schedule.getRows()},
                                                    {AxisKind::Groups, 1},
                                                    {AxisKind::Columns, columns}};
  SmallVector<Attribute> owned;
  for (auto [kind, step] : axes)
    owned.push_back(AxisAttr::get(context, kind, step));
  auto own = OwnOp::create(builder, location, builder.getArrayAttr(owned));
  Block &tile = own.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  tile.addArguments({index, index, index, index}, {location, location, location, location});
  Value t = tile.getArgument(0), s = tile.getArgument(1), j = tile.getArgument(2), c = tile.getArgument(3);
  builder.setInsertionPointToEnd(&tile);

  Value zero = ZeroOp::create(builder, named("zero"), fragment);
  auto terms = TermsOp::create(builder, named("total"), TypeRange(fragment), t, j, ValueRange(zero));
  Block &term = terms.getBody().emplaceBlock();
  term.addArguments({index, index, builder.getF32Type(), fragment}, {location, location, location, location});
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToEnd(&term);
    Value next = MmaOp::create(builder, named("next"), fragment, x, t, term.getArgument(0), s, bank,
                               term.getArgument(1), j, c, term.getArgument(3),
                               coefficients == Coefficients::One ? Value() : Value(term.getArgument(2)),
                               coefficients == Coefficients::Signs);
    YieldOp::create(builder, location, next);
  }
  Value sum = terms.getResult(0);
  sum = writeEpilogue(builder, location, epilogue, operands.getArguments().drop_front(2).drop_back(),
                      {t, s, j, c}, sum, result);
  Value mask = MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), t, s, j, c);
  StoreOp::create(builder, location, sum, y, t, s, j, c, mask);
  return kernel;
}

} // namespace compiler
