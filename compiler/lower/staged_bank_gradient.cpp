#include "compiler/lower/staged_bank_gradient.h"

#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelOp writeStagedBankGradient(OpBuilder &builder, Location location, StringRef name, LayoutAttr layout,
                                 StagedAttr schedule, Type element, Type result) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), location);
  };
  const auto [bank_rows, bank_columns] = layout.getBankShape();
  const Coefficients coefficients = coefficientsOf(layout.getTerms());
  auto fragment = FragmentType::get(context, schedule.getRows(), schedule.getColumns(), builder.getF32Type());

  auto kernel = KernelOp::create(builder, location, name, layout, schedule);
  Block &operands = kernel.getBody().emplaceBlock();
  operands.addArguments({MatrixType::get(context, ShapedType::kDynamic, layout.getIn().getTotal(), element),
                         MatrixType::get(context, ShapedType::kDynamic, layout.getOut().getTotal(), element),
                         MatrixType::get(context, bank_rows, bank_columns, result)},
                        {location, location, location});
  builder.setInsertionPointToEnd(&operands);

  const std::pair<AxisKind, std::int64_t> axes[] = {{AxisKind::BankRows, 1},
                                                    {AxisKind::Features, schedule.getRows()},
                                                    {AxisKind::Groups, 1},
                                                    {AxisKind::Columns, schedule.getColumns()}};
  SmallVector<Attribute> owned;
  for (auto [kind, step] : axes)
    owned.push_back(AxisAttr::get(context, kind, step));
  auto own = OwnOp::create(builder, location, builder.getArrayAttr(owned));
  Block &tile = own.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  tile.addArguments({index, index, index, index}, {location, location, location, location});
  Value b = tile.getArgument(0), f = tile.getArgument(1), j = tile.getArgument(2), n = tile.getArgument(3);
  builder.setInsertionPointToEnd(&tile);

  Value zero = ZeroOp::create(builder, named("zero"), fragment);
  auto terms = BankTermsOp::create(builder, named("total"), TypeRange(fragment), b, j, ValueRange(zero));
  Block &term = terms.getBody().emplaceBlock();
  term.addArguments({index, index, index, builder.getF32Type(), fragment},
                    SmallVector<Location>(5, location));
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToEnd(&term);
    Value t = term.getArgument(0), k = term.getArgument(1), o = term.getArgument(2);
    Value next = MmaRowsOp::create(builder, named("next"), fragment, operands.getArgument(0), t, k, f,
                                   operands.getArgument(1), t, o, n, term.getArgument(4),
                                   coefficients == Coefficients::One ? Value() : Value(term.getArgument(3)),
                                   coefficients == Coefficients::Signs);
    YieldOp::create(builder, location, next);
  }
  StoreBankOp::create(builder, location, terms.getResult(0), operands.getArgument(2), b, f, j, n);
  return kernel;
}

} // namespace compiler
