#include "compiler/lower/staged_kernel.h"

#include "compiler/schedule/coefficients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelOp writeStagedProduct(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                            StagedAttr schedule, Type element, Type result) {
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
  operands.addArguments({MatrixType::get(context, ShapedType::kDynamic, k, element),
                         MatrixType::get(context, bank_rows, bank_columns, element),
                         MatrixType::get(context, ShapedType::kDynamic, n, result)},
                        {location, location, location});
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
    Value next =
        MmaOp::create(builder, named("next"), fragment, operands.getArgument(0), t, term.getArgument(0), s,
                      operands.getArgument(1), term.getArgument(1), j, c, term.getArgument(3),
                      coefficients == Coefficients::One ? Value() : Value(term.getArgument(2)),
                      coefficients == Coefficients::Signs);
    YieldOp::create(builder, location, next);
  }
  Value sum = terms.getResult(0);
  if (!result.isF32()) {
    auto map = MapOp::create(builder, named("rounded"), FragmentType::get(context, rows, columns, result),
                             ValueRange(sum));
    Block &body = map.getBody().emplaceBlock();
    body.addArgument(builder.getF32Type(), location);
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToEnd(&body);
    Value narrow = arith::TruncFOp::create(builder, location, result, body.getArgument(0));
    YieldOp::create(builder, location, narrow);
    sum = map.getResult();
  }
  Value mask = MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), t, s, j, c);
  StoreOp::create(builder, location, sum, operands.getArgument(2), t, s, j, c, mask);
  return kernel;
}

} // namespace compiler
