#include "compiler/lower/kernel_builder.h"

#include "compiler/schedule/coefficients.h"

using namespace mlir;
using namespace tile;

namespace compiler {

KernelBuilder::KernelBuilder(OpBuilder &builder, Location location, const ProductsOfKernel &products,
                             ScheduleAttr schedule, bool pairs, int64_t together)
    : KernelBody(builder, location, products.layout), products_(products), schedule_(schedule), pairs_(pairs),
      together_(together) {
  const auto [k, n] = layout.getWeightShape();
  packed_weights_ = MatrixType::get(builder.getContext(), k, n, products.element,
                                    schedule.getRegisterColumns(), pairs ? 2 : 1);
}

void KernelBuilder::copyPanels(Value type, Value group, Value column, ValueRange weight_matrices,
                               ValueRange stages) {
  auto terms = TermsOp::create(builder, location, TypeRange(), type, group, ValueRange());
  Block &term = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  term.addArguments({index, index, builder.getF32Type()}, {location, location, location});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&term);
  for (auto [weights, stage] : llvm::zip_equal(weight_matrices, stages))
    CopyOp::create(builder, location, weights, term.getArgument(1), group, column, stage,
                   /*once=*/schedule_.getTypes() > 1);
  YieldOp::create(builder, location, ValueRange());
}

KernelOp KernelBuilder::contraction(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  const int64_t columns = schedule_.getRegisterColumns(), rows = schedule_.getRegisterRows();
  const bool packed = schedule_.getWeights() == tile::WeightAccess::Packed,
             copied = schedule_.getWeights() == tile::WeightAccess::Copied;
  const Coefficients coefficients = coefficientsOf(layout.getTerms());
  Type held_element = pairs_ ? products_.element : builder.getF32Type();
  auto held = BufferType::get(context, schedule_.getTypes() * schedule_.getRows(), layout.getIn().getTotal(),
                              held_element, 0, 1);
  auto staged = BufferType::get(context, layout.getWeights().getTotal(), columns, products_.element, columns,
                                pairs_ ? 2 : 1);
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());

  KernelOp kernel = this->kernel(
      name, schedule_, typesOfOperands(products_, packed ? packed_weights_ : typeOfWeights(products_)));
  Block &body = kernel.getBody().front();
  const ProductOperands operands(products_, body);
  operands.setNames();
  builder.setInsertionPointToEnd(&body);
  Block &own = loops<ForallOp>({axis(AxisKind::Types, schedule_.getTypes()),
                                axis(AxisKind::Rows, schedule_.getRows()), axis(AxisKind::Groups, 0)});
  Value held_rows =
      HoldOp::create(builder, named("held"), held, operands.rows(), own.getArgument(0), own.getArgument(1));
  SmallVector<Value> weight_matrices;
  for (Value weights : operands.weightMatrices())
    weight_matrices.push_back(copied ? BufferOp::create(builder, named("stage"), staged).getResult()
                                     : weights);

  Block &panel = loops<ForOp>({axis(AxisKind::Groups, 1), axis(AxisKind::Columns, columns)});
  Value j = panel.getArgument(0), n = panel.getArgument(1);
  Block &types = loops<ForOp>({axis(AxisKind::Types, 1)});
  Value t = types.getArgument(0);
  if (copied)
    copyPanels(t, j, n, operands.weightMatrices(), weight_matrices);

  Block &tile = loops<ForOp>({axis(AxisKind::Rows, rows)});
  Value s = tile.getArgument(0);
  auto multiply = [&](Value weights, Value k, Value b, Value c, Value sum) -> Value {
    return MmaOp::create(builder, named("next"), fragment, held_rows, t, k, s, weights, b, j, n, sum,
                         coefficients == Coefficients::One ? Value() : c,
                         coefficients == Coefficients::Signs);
  };
  SmallVector<Value> sums;
  for (ArrayRef<Value> left = weight_matrices; !left.empty();) {
    const size_t count = std::min(left.size(), static_cast<size_t>(together_));
    sums.append(writeTerms(builder, location, t, j, left.take_front(count), fragment, multiply));
    left = left.drop_front(count);
  }
  const SmallVector<Value> stored =
      writeEpilogue(builder, location, products_.epilogue, operands.furtherOperands(), {t, s, j, n}, sums);
  Value mask = MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), t, s, j, n);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results()))
    StoreOp::create(builder, location, value, target, t, s, j, n, mask);
  return kernel;
}

KernelOp KernelBuilder::pack(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  KernelOp kernel = this->kernel(name, schedule_, {typeOfWeights(products_), packed_weights_});
  Block &operands = kernel.getBody().front();
  builder.setInsertionPointToEnd(&operands);
  Block &own = loops<ForallOp>({axis(AxisKind::WeightRows, 1)});
  // In the slot lift a row group of the weight matrix is one block, which all output groups read: one step
  // covers them.
  const int64_t step = layout.getLift() == LiftKind::Slots ? layout.getOut().getCount() : 1;
  Block &panel =
      loops<ForOp>({axis(AxisKind::Groups, step), axis(AxisKind::Columns, schedule_.getRegisterColumns())});
  CopyOp::create(builder, location, operands.getArgument(0), own.getArgument(0), panel.getArgument(0),
                 panel.getArgument(1), operands.getArgument(1), /*once=*/false);
  return kernel;
}

} // namespace compiler
