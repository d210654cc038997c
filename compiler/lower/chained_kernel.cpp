#include "compiler/lower/chained_kernel.h"

#include "compiler/lower/layers_operands.h"

using namespace mlir;
using namespace tile;

namespace compiler {
namespace {

class ChainedKernel : KernelBody {
public:
  ChainedKernel(OpBuilder &builder, Location location, KernelBuilder &first, KernelBuilder &last)
      : KernelBody(builder, location, last.products().layout), first_(first), last_(last) {}

  KernelOp write(StringRef name);

private:
  /// A region of the first layer; the builder stands in it until the guard goes.
  LayerOp enterFirst(TypeRange results);
  /// What the terms of (type, group) read and is not there yet.
  void makeHidden(Value type, Value group);

  KernelBuilder &first_, &last_;
  KernelBuilder::Operands hidden_; ///< of the first layer
};

} // namespace

LayerOp ChainedKernel::enterFirst(TypeRange results) {
  auto layer = LayerOp::create(builder, location, results, first_.products().layout, first_.schedule());
  builder.setInsertionPointToEnd(&layer.getBody().emplaceBlock());
  return layer;
}

void ChainedKernel::makeHidden(Value type, Value group) {
  OpBuilder::InsertionGuard guard(builder);
  auto terms = TermsOp::create(builder, location, TypeRange(), type, group, ValueRange());
  Block &term = terms.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  term.addArguments({index, index, builder.getF32Type()}, {location, location, location});
  builder.setInsertionPointToEnd(&term);
  Value k = term.getArgument(0);
  auto once = OnceOp::create(builder, location, type, k);
  YieldOp::create(builder, location, ValueRange());
  builder.setInsertionPointToEnd(&once.getBody().emplaceBlock());
  LayerOp layer = enterFirst({});
  Block &panel = loops<ForOp>({axis(AxisKind::Columns, first_.schedule().getRegisterColumns())});
  first_.copyPanels(hidden_, type, k, panel.getArgument(0));
  first_.tilesOfPanel(hidden_, type, k, panel.getArgument(0));
  builder.setInsertionPointToEnd(&layer.getBody().front());
  YieldOp::create(builder, location, ValueRange());
}

KernelOp ChainedKernel::write(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  const ProductsOfKernel &first = first_.products(), &last = last_.products();
  ScheduleAttr schedule = last_.schedule();
  KernelOp kernel =
      this->kernel(name, schedule, typesOfOperands(first, first_.weightsType(), last, last_.weightsType()));
  Block &body = kernel.getBody().front();
  const LayersOperands operands(first, last, body);

  builder.setInsertionPointToEnd(&body);
  Block &own = loops<ForallOp>({axis(AxisKind::Types, schedule.getTypes()),
                                axis(AxisKind::Rows, schedule.getRows()), axis(AxisKind::Groups, 0)});
  SmallVector<Value> buffers; // of the first layer
  {
    OpBuilder::InsertionGuard outside(builder);
    SmallVector<Type> types = {first_.heldType()};
    if (first_.schedule().getWeights() == tile::WeightAccess::Copied)
      types.append(operands.first_weights.size(), first_.stageType());
    LayerOp layer = enterFirst(types);
    SmallVector<Value> made = {HoldOp::create(builder, named("held"), first_.heldType(), operands.rows,
                                              own.getArgument(0), own.getArgument(1))};
    if (types.size() > 1)
      made.append(first_.readableWeights(operands.first_weights));
    YieldOp::create(builder, location, made);
    llvm::append_range(buffers, layer.getValues());
  }
  Value hidden = BufferOp::create(builder, named("hidden"), last_.heldType());
  const SmallVector<Value> targets = {hidden},
                           first_readable = buffers.size() > 1
                                                ? SmallVector<Value>(ArrayRef(buffers).drop_front())
                                                : operands.first_weights;
  hidden_ = {buffers.front(), operands.first_weights, first_readable, operands.first_operands, targets};
  const SmallVector<Value> last_readable = last_.readableWeights(operands.last_weights);
  const KernelBuilder::Operands of_last = {hidden, operands.last_weights, last_readable,
                                           operands.last_operands, operands.results};

  Value j = loops<ForOp>({axis(AxisKind::Groups, 1)}).getArgument(0);
  {
    OpBuilder::InsertionGuard outside(builder);
    Value t = loops<ForOp>({axis(AxisKind::Types, 1)}).getArgument(0);
    makeHidden(t, j);
  }
  Value n = loops<ForOp>({axis(AxisKind::Columns, schedule.getRegisterColumns())}).getArgument(0);
  Value t = loops<ForOp>({axis(AxisKind::Types, 1)}).getArgument(0);
  last_.copyPanels(of_last, t, j, n);
  last_.tilesOfPanel(of_last, t, j, n);
  return kernel;
}

KernelOp writeChainedKernel(OpBuilder &builder, Location location, StringRef name, KernelBuilder &first,
                            KernelBuilder &last) {
  return ChainedKernel(builder, location, first, last).write(name);
}

} // namespace compiler
