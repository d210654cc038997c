#include "compiler/lower/kernel_builder.h"

#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelBuilder::KernelBuilder(OpBuilder &builder, Location location, LayoutAttr layout, ScheduleAttr schedule,
                             Type element, bool pairs)
    : KernelBody(builder, location, layout, schedule), element(element), pairs(pairs) {
  const auto [k, n] = layout.getBankShape();
  user_bank = MatrixType::get(builder.getContext(), k, n, element);
  packed_bank =
      MatrixType::get(builder.getContext(), k, n, element, schedule.getRegisterColumns(), pairs ? 2 : 1);
}

Value KernelBuilder::terms(Value type, Value group, Value init,
                           function_ref<Value(Value, Value, Value, Value)> body) {
  ValueRange inits = init ? ValueRange(init) : ValueRange();
  auto terms = TermsOp::create(builder, named("total"), inits.getTypes(), type, group, inits);
  Block &block = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  block.addArguments({index, index, builder.getF32Type()}, {location, location, location});
  if (init)
    block.addArgument(init.getType(), location);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  Value sum = body(block.getArgument(0), block.getArgument(1), block.getArgument(2),
                   init ? Value(block.getArgument(3)) : Value());
  YieldOp::create(builder, location, sum ? ValueRange(sum) : ValueRange());
  return init ? terms.getResult(0) : Value();
}

KernelOp KernelBuilder::contraction(StringRef name, const Epilogue &epilogue) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  const std::int64_t columns = schedule.getRegisterColumns(), rows = schedule.getRegisterRows();
  const bool packed = schedule.getBank() == BankAccess::Packed,
             copied = schedule.getBank() == BankAccess::Copied;
  const Coefficients coefficients = coefficientsOf(layout.getTerms());
  auto x = MatrixType::get(context, ShapedType::kDynamic, layout.getIn().getTotal(), element);
  auto y = MatrixType::get(context, ShapedType::kDynamic, layout.getOut().getTotal(), element);
  Type held_element = pairs ? element : builder.getF32Type();
  auto held = BufferType::get(context, schedule.getTypes() * schedule.getRows(), layout.getIn().getTotal(),
                              held_element, 0, 1);
  auto staged =
      BufferType::get(context, layout.getBank().getTotal(), columns, element, columns, pairs ? 2 : 1);
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());

  SmallVector<Type> types_of_operands = {x, packed ? packed_bank : user_bank};
  for (const Epilogue::Operand &operand : epilogue.operands)
    types_of_operands.push_back(epilogue.typeOf(operand, layout));
  types_of_operands.push_back(y);
  KernelOp kernel = this->kernel(name, types_of_operands);
  Block &operands = kernel.getBody().front();
  nameOperands(epilogue, operands);
  Value result = operands.getArguments().back();
  builder.setInsertionPointToEnd(&operands);
  Block &own = loops<OwnOp>({axis(AxisKind::Types, schedule.getTypes()),
                             axis(AxisKind::Rows, schedule.getRows()), axis(AxisKind::Groups, 0)});
  Value held_rows = HoldOp::create(builder, named("held"), held, operands.getArgument(0), own.getArgument(0),
                                   own.getArgument(1));
  Value bank =
      copied ? BufferOp::create(builder, named("stage"), staged).getResult() : Value(operands.getArgument(1));

  Block &panel = loops<WalkOp>({axis(AxisKind::Groups, 1), axis(AxisKind::Columns, columns)});
  Value j = panel.getArgument(0), n = panel.getArgument(1);
  Block &types = loops<WalkOp>({axis(AxisKind::Types, 1)});
  Value t = types.getArgument(0);
  if (copied)
    terms(t, j, {}, [&](Value, Value b, Value, Value) -> Value {
      CopyOp::create(builder, location, operands.getArgument(1), b, j, n, bank,
                     /*once=*/schedule.getTypes() > 1);
      return {};
    });

  Block &tile = loops<WalkOp>({axis(AxisKind::Rows, rows)});
  Value s = tile.getArgument(0);
  Value zero = ZeroOp::create(builder, named("zero"), fragment);
  Value sum = terms(t, j, zero, [&](Value k, Value b, Value c, Value sum) -> Value {
    return MmaOp::create(builder, named("next"), fragment, held_rows, t, k, s, bank, b, j, n, sum,
                         coefficients == Coefficients::One ? Value() : c,
                         coefficients == Coefficients::Signs);
  });
  sum = writeEpilogue(builder, location, epilogue, operands.getArguments().drop_front(2).drop_back(),
                      {t, s, j, n}, sum, element);
  Value mask = MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), t, s, j, n);
  StoreOp::create(builder, location, sum, result, t, s, j, n, mask);
  return kernel;
}

KernelOp KernelBuilder::pack(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  KernelOp kernel = this->kernel(name, {user_bank, packed_bank});
  Block &operands = kernel.getBody().front();
  builder.setInsertionPointToEnd(&operands);
  Block &own = loops<OwnOp>({axis(AxisKind::BankRows, 1)});
  // In the slot lift a row group of the bank is one block, which all output groups read: one step covers
  // them.
  const std::int64_t step = layout.getLift() == LiftKind::Slots ? layout.getOut().getCount() : 1;
  Block &panel =
      loops<WalkOp>({axis(AxisKind::Groups, step), axis(AxisKind::Columns, schedule.getRegisterColumns())});
  CopyOp::create(builder, location, operands.getArgument(0), own.getArgument(0), panel.getArgument(0),
                 panel.getArgument(1), operands.getArgument(1), /*once=*/false);
  return kernel;
}

} // namespace compiler
