#include "compiler/lower/reduced_chained_kernel.h"

#include "compiler/lower/kernel_body.h"
#include "compiler/lower/layers_operands.h"

using namespace mlir;
using namespace tile;

namespace compiler {
namespace {

class ReducedChainedKernel : KernelBody {
public:
  ReducedChainedKernel(OpBuilder &builder, Location location, const ProductsOfKernel &first,
                       ReducedAttr hidden, const ProductsOfKernel &last, ReducedAttr schedule)
      : KernelBody(builder, location, last.layout), first_(first), last_(last), hidden_(hidden),
        schedule_(schedule) {}

  KernelOp write(StringRef name);

private:
  FragmentType fragmentOf(ReducedAttr schedule) {
    return FragmentType::get(builder.getContext(), schedule.getRows(), schedule.getColumns(),
                             builder.getF32Type());
  }
  /// The sums of a layer's products of the same rows, of a group from a column on.
  SmallVector<Value> sumsOf(ReducedAttr schedule, Value rows, Value row, ArrayRef<Value> weights, Value group,
                            Value column);
  void makeHidden(const LayersOperands &operands, Value target, Value row, Value group);

  const ProductsOfKernel &first_, &last_;
  ReducedAttr hidden_, schedule_;
};

} // namespace

SmallVector<Value> ReducedChainedKernel::sumsOf(ReducedAttr schedule, Value rows, Value row,
                                                ArrayRef<Value> weights, Value group, Value column) {
  const FragmentType fragment = fragmentOf(schedule);
  SmallVector<Value> sums;
  for (Value matrix : weights) {
    Value zero = ZeroOp::create(builder, named("zero"), fragment);
    sums.push_back(
        AddRowTermsOp::create(builder, named("total"), fragment, rows, row, matrix, group, column, zero));
  }
  return sums;
}

/// Input groups of the second layer, of each row that of its next term, into `target`.
void ReducedChainedKernel::makeHidden(const LayersOperands &operands, Value target, Value row, Value group) {
  OpBuilder::InsertionGuard guard(builder);
  auto terms = RowTermsOp::create(builder, location, row, group);
  Block &term = terms.getBody().emplaceBlock();
  Value hidden_group = term.addArgument(builder.getIndexType(), location);
  builder.setInsertionPointToEnd(&term);
  auto layer = LayerOp::create(builder, location, TypeRange(), first_.layout, hidden_);
  Block &body = layer.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  Value column = loops<ForOp>({axis(AxisKind::Columns, hidden_.getColumns())}).getArgument(0);
  const SmallVector<Value> sums =
      sumsOf(hidden_, operands.rows, row, operands.first_weights, hidden_group, column);
  const SmallVector<Value> left = writeEpilogue(builder, location, first_.epilogue, operands.first_operands,
                                                {Value(), row, hidden_group, column}, sums);
  StoreRowsOp::create(builder, location, left.front(), target, row, hidden_group, column);
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, location, ValueRange());
}

KernelOp ReducedChainedKernel::write(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  KernelOp kernel = this->kernel(name, schedule_,
                                 typesOfOperands(first_, typeOfWeights(first_), last_, typeOfWeights(last_)));
  Block &body = kernel.getBody().front();
  const LayersOperands operands(first_, last_, body);
  builder.setInsertionPointToEnd(&body);
  const int64_t columns = schedule_.getColumns(),
                all = llvm::alignTo(layout.getOut().getWidth(0), static_cast<uint64_t>(columns));
  Block &task = loops<ForallOp>(
      {axis(AxisKind::Batch, schedule_.getRows()), axis(AxisKind::Groups, 1), axis(AxisKind::Columns, all)});
  Value row = task.getArgument(0), group = task.getArgument(1);
  auto held = BufferType::get(builder.getContext(), schedule_.getRows(), layout.getIn().getTotal(),
                              first_.epilogue.results.front().element, 0, 1);
  Value hidden = BufferOp::create(builder, named("hidden"), held);
  makeHidden(operands, hidden, row, group);
  Value column = loops<ForOp>({axis(AxisKind::Columns, columns)}).getArgument(0);
  const SmallVector<Value> sums = sumsOf(schedule_, hidden, row, operands.last_weights, group, column);
  const SmallVector<Value> stored = writeEpilogue(builder, location, last_.epilogue, operands.last_operands,
                                                  {Value(), row, group, column}, sums);
  for (auto [value, target] : llvm::zip_equal(stored, operands.results))
    StoreRowsOp::create(builder, location, value, target, row, group, column);
  return kernel;
}

KernelOp writeReducedChainedKernel(OpBuilder &builder, Location location, StringRef name,
                                   const ProductsOfKernel &first, ReducedAttr hidden,
                                   const ProductsOfKernel &last, ReducedAttr schedule) {
  return ReducedChainedKernel(builder, location, first, hidden, last, schedule).write(name);
}

} // namespace compiler
