#include "compiler/lower/staged_chained_kernel.h"

#include "compiler/lower/kernel_body.h"
#include "compiler/lower/layers_operands.h"

using namespace mlir;
using namespace tile;

namespace compiler {
namespace {

class StagedChainedKernel : KernelBody {
public:
  StagedChainedKernel(OpBuilder &builder, Location location, const ProductsOfKernel &first, StagedAttr hidden,
                      const ProductsOfKernel &last, StagedAttr schedule)
      : KernelBody(builder, location, last.layout), first_(first), last_(last), hidden_(hidden),
        schedule_(schedule) {}

  KernelOp write(StringRef name);

private:
  FragmentType fragmentOf(StagedAttr schedule) {
    return FragmentType::get(builder.getContext(), schedule.getTileRows(), schedule.getColumns(),
                             builder.getF32Type());
  }
  Value maskOf(FragmentType fragment, Value type, Value row, Value group, Value column) {
    auto shape = MaskType::get(builder.getContext(), fragment.getRows(), fragment.getColumns());
    return MaskOp::create(builder, named("mask"), shape, type, row, group, column);
  }
  /// Input group `group` of the second layer, of the rows that the task owns, into `target`.
  void makeHidden(const LayersOperands &operands, Value target, Value type, Value row, Value group);

  const ProductsOfKernel &first_, &last_;
  StagedAttr hidden_, schedule_;
};

} // namespace

void StagedChainedKernel::makeHidden(const LayersOperands &operands, Value target, Value type, Value row,
                                     Value group) {
  OpBuilder::InsertionGuard guard(builder);
  auto once = OnceOp::create(builder, location, type, group);
  builder.setInsertionPointToEnd(&once.getBody().emplaceBlock());
  auto layer = LayerOp::create(builder, location, TypeRange(), first_.layout, hidden_);
  Block &body = layer.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  Value column = loops<ForOp>({axis(AxisKind::Columns, hidden_.getColumns())}).getArgument(0);
  const FragmentType fragment = fragmentOf(hidden_);
  const SmallVector<Value> sums =
      writeTerms(builder, location, type, group, operands.first_weights, fragment,
                 [&](Value weights, Value k, Value b, Value, Value sum) -> Value {
                   return MmaOp::create(builder, named("next"), fragment, operands.rows, type, k, row,
                                        weights, b, group, column, sum, Value(), false);
                 });
  const SmallVector<Value> left = writeEpilogue(builder, location, first_.epilogue, operands.first_operands,
                                                {type, row, group, column}, sums);
  StoreHeldOp::create(builder, location, left.front(), target, type, row, group, column,
                      maskOf(fragment, type, row, group, column));
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, location, ValueRange());
}

KernelOp StagedChainedKernel::write(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  KernelOp kernel = this->kernel(name, schedule_,
                                 typesOfOperands(first_, typeOfWeights(first_), last_, typeOfWeights(last_)));
  Block &body = kernel.getBody().front();
  const LayersOperands operands(first_, last_, body);
  builder.setInsertionPointToEnd(&body);
  Block &tile =
      loops<ForallOp>({axis(AxisKind::Types, schedule_.getTypes()), axis(AxisKind::Rows, schedule_.getRows()),
                       axis(AxisKind::Groups, 1), axis(AxisKind::Columns, schedule_.getColumns())});
  Value t = tile.getArgument(0), s = tile.getArgument(1), j = tile.getArgument(2), c = tile.getArgument(3);
  auto held = BufferType::get(builder.getContext(), schedule_.getTileRows(), layout.getIn().getTotal(),
                              first_.epilogue.results.front().element, 0, 1);
  Value hidden = BufferOp::create(builder, named("hidden"), held);
  const FragmentType fragment = fragmentOf(schedule_);
  Value made; // the group that is there already
  const SmallVector<Value> sums =
      writeTerms(builder, location, t, j, operands.last_weights, fragment,
                 [&](Value weights, Value k, Value b, Value, Value sum) -> Value {
                   if (std::exchange(made, k) != k)
                     makeHidden(operands, hidden, t, s, k);
                   return MmaOp::create(builder, named("next"), fragment, hidden, t, k, s, weights, b, j, c,
                                        sum, Value(), false);
                 });
  const SmallVector<Value> stored =
      writeEpilogue(builder, location, last_.epilogue, operands.last_operands, {t, s, j, c}, sums);
  Value mask = maskOf(fragment, t, s, j, c);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results))
    StoreOp::create(builder, location, value, target, t, s, j, c, mask);
  return kernel;
}

KernelOp writeStagedChainedKernel(OpBuilder &builder, Location location, StringRef name,
                                  const ProductsOfKernel &first, StagedAttr hidden,
                                  const ProductsOfKernel &last, StagedAttr schedule) {
  return StagedChainedKernel(builder, location, first, hidden, last, schedule).write(name);
}

} // namespace compiler
