#include "compiler/lower/kernel_builder.h"

#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelBuilder::KernelBuilder(OpBuilder &builder, Location location, const ProductsOfKernel &products,
                             ScheduleAttr schedule, bool pairs, std::int64_t together)
    : KernelBody(builder, location, products.layout), products(products), schedule(schedule), pairs(pairs),
      together(together) {
  const auto [k, n] = layout.getBankShape();
  packed_bank = MatrixType::get(builder.getContext(), k, n, products.element, schedule.getRegisterColumns(),
                                pairs ? 2 : 1);
}

void KernelBuilder::copyPanels(Value type, Value group, Value column, ValueRange banks, ValueRange stages) {
  auto terms = TermsOp::create(builder, location, TypeRange(), type, group, ValueRange());
  Block &term = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  term.addArguments({index, index, builder.getF32Type()}, {location, location, location});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&term);
  for (auto [bank, stage] : llvm::zip_equal(banks, stages))
    CopyOp::create(builder, location, bank, term.getArgument(1), group, column, stage,
                   /*once=*/schedule.getTypes() > 1);
  YieldOp::create(builder, location, ValueRange());
}

KernelOp KernelBuilder::contraction(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  const std::int64_t columns = schedule.getRegisterColumns(), rows = schedule.getRegisterRows();
  const bool packed = schedule.getBank() == BankAccess::Packed,
             copied = schedule.getBank() == BankAccess::Copied;
  const Coefficients coefficients = coefficientsOf(layout.getTerms());
  Type held_element = pairs ? products.element : builder.getF32Type();
  auto held = BufferType::get(context, schedule.getTypes() * schedule.getRows(), layout.getIn().getTotal(),
                              held_element, 0, 1);
  auto staged = BufferType::get(context, layout.getBank().getTotal(), columns, products.element, columns,
                                pairs ? 2 : 1);
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());

  KernelOp kernel =
      this->kernel(name, schedule, typesOfOperands(products, packed ? packed_bank : typeOfBank(products)));
  Block &body = kernel.getBody().front();
  const ProductOperands operands(products, body);
  operands.setNames();
  builder.setInsertionPointToEnd(&body);
  Block &own = loops<OwnOp>({axis(AxisKind::Types, schedule.getTypes()),
                             axis(AxisKind::Rows, schedule.getRows()), axis(AxisKind::Groups, 0)});
  Value held_rows =
      HoldOp::create(builder, named("held"), held, operands.rows(), own.getArgument(0), own.getArgument(1));
  SmallVector<Value> banks;
  for (Value bank : operands.banks())
    banks.push_back(copied ? BufferOp::create(builder, named("stage"), staged).getResult() : bank);

  Block &panel = loops<WalkOp>({axis(AxisKind::Groups, 1), axis(AxisKind::Columns, columns)});
  Value j = panel.getArgument(0), n = panel.getArgument(1);
  Block &types = loops<WalkOp>({axis(AxisKind::Types, 1)});
  Value t = types.getArgument(0);
  if (copied)
    copyPanels(t, j, n, operands.banks(), banks);

  Block &tile = loops<WalkOp>({axis(AxisKind::Rows, rows)});
  Value s = tile.getArgument(0);
  auto multiply = [&](Value bank, Value k, Value b, Value c, Value sum) -> Value {
    return MmaOp::create(builder, named("next"), fragment, held_rows, t, k, s, bank, b, j, n, sum,
                         coefficients == Coefficients::One ? Value() : c,
                         coefficients == Coefficients::Signs);
  };
  SmallVector<Value> sums;
  for (ArrayRef<Value> left = banks; !left.empty();) {
    const std::size_t count = std::min(left.size(), static_cast<std::size_t>(together));
    sums.append(writeTerms(builder, location, t, j, left.take_front(count), fragment, multiply));
    left = left.drop_front(count);
  }
  const SmallVector<Value> stored =
      writeEpilogue(builder, location, products.epilogue, operands.furtherOperands(), {t, s, j, n}, sums);
  Value mask = MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), t, s, j, n);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results()))
    StoreOp::create(builder, location, value, target, t, s, j, n, mask);
  return kernel;
}

KernelOp KernelBuilder::pack(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  KernelOp kernel = this->kernel(name, schedule, {typeOfBank(products), packed_bank});
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
