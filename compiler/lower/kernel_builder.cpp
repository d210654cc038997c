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

MatrixType KernelBuilder::weightsType() const {
  return schedule_.getWeights() == tile::WeightAccess::Packed ? packed_weights_ : typeOfWeights(products_);
}

BufferType KernelBuilder::heldType() const {
  return BufferType::get(builder.getContext(), schedule_.getTypes() * schedule_.getRows(),
                         layout.getIn().getTotal(), pairs_ ? products_.element : builder.getF32Type(), 0, 1);
}

BufferType KernelBuilder::stageType() const {
  const int64_t columns = schedule_.getRegisterColumns();
  return BufferType::get(builder.getContext(), layout.getWeights().getTotal(), columns, products_.element,
                         columns, pairs_ ? 2 : 1);
}

SmallVector<Value> KernelBuilder::readableWeights(ValueRange weight_matrices) {
  if (schedule_.getWeights() != tile::WeightAccess::Copied)
    return llvm::to_vector_of<Value>(weight_matrices);
  SmallVector<Value> stages;
  for (size_t i = 0; i < weight_matrices.size(); ++i)
    stages.push_back(BufferOp::create(builder, named("stage"), stageType()));
  return stages;
}

void KernelBuilder::copyPanels(const Operands &operands, Value type, Value group, Value column) {
  if (schedule_.getWeights() != tile::WeightAccess::Copied)
    return;
  auto terms = TermsOp::create(builder, location, TypeRange(), type, group, ValueRange());
  Block &term = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  term.addArguments({index, index, builder.getF32Type()}, {location, location, location});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&term);
  for (auto [weights, stage] : llvm::zip_equal(operands.weight_matrices, operands.readable))
    CopyOp::create(builder, location, weights, term.getArgument(1), group, column, stage,
                   /*once=*/schedule_.getTypes() > 1);
  YieldOp::create(builder, location, ValueRange());
}

void KernelBuilder::tilesOfPanel(const Operands &operands, Value type, Value group, Value column) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  const int64_t columns = schedule_.getRegisterColumns(), rows = schedule_.getRegisterRows();
  const Coefficients coefficients = coefficientsOf(layout.getTerms());
  auto fragment = FragmentType::get(context, rows, columns, builder.getF32Type());
  Block &tile = loops<ForOp>({axis(AxisKind::Rows, rows)});
  Value row = tile.getArgument(0);
  auto multiply = [&](Value weights, Value k, Value b, Value c, Value sum) -> Value {
    return MmaOp::create(builder, named("next"), fragment, operands.held, type, k, row, weights, b, group,
                         column, sum, coefficients == Coefficients::One ? Value() : c,
                         coefficients == Coefficients::Signs);
  };
  SmallVector<Value> sums;
  for (ValueRange left = operands.readable; !left.empty();) {
    const size_t count = std::min(left.size(), static_cast<size_t>(together_));
    sums.append(writeTerms(builder, location, type, group, left.take_front(count), fragment, multiply));
    left = left.drop_front(count);
  }
  const SmallVector<Value> stored = writeEpilogue(builder, location, products_.epilogue, operands.further,
                                                  {type, row, group, column}, sums);
  Value mask =
      MaskOp::create(builder, named("mask"), MaskType::get(context, rows, columns), type, row, group, column);
  for (auto [value, target] : llvm::zip_equal(stored, operands.targets))
    if (isa<BufferType>(target.getType()))
      StoreHeldOp::create(builder, location, value, target, type, row, group, column, mask);
    else
      StoreOp::create(builder, location, value, target, type, row, group, column, mask);
}

KernelOp KernelBuilder::contraction(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  KernelOp kernel = this->kernel(name, schedule_, typesOfOperands(products_, weightsType()));
  Block &body = kernel.getBody().front();
  const ProductOperands operands(products_, body);
  operands.setNames();
  builder.setInsertionPointToEnd(&body);
  Block &own = loops<ForallOp>({axis(AxisKind::Types, schedule_.getTypes()),
                                axis(AxisKind::Rows, schedule_.getRows()), axis(AxisKind::Groups, 0)});
  Value held = HoldOp::create(builder, named("held"), heldType(), operands.rows(), own.getArgument(0),
                              own.getArgument(1));
  const SmallVector<Value> readable = readableWeights(operands.weightMatrices());
  const Operands parts = {held, operands.weightMatrices(), readable, operands.furtherOperands(),
                          operands.results()};
  Block &panel =
      loops<ForOp>({axis(AxisKind::Groups, 1), axis(AxisKind::Columns, schedule_.getRegisterColumns())});
  Value j = panel.getArgument(0), n = panel.getArgument(1);
  Value t = loops<ForOp>({axis(AxisKind::Types, 1)}).getArgument(0);
  copyPanels(parts, t, j, n);
  tilesOfPanel(parts, t, j, n);
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
