#include "compiler/lower/chained_kernel.h"

#include "runtime/bundle/layer.h"

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
  SmallVector<Type> operandTypes() const;
  void nameOperands(Block &body) const;
  /// A region of the first layer; the builder stands in it until the guard goes.
  LayerOp enterFirst(TypeRange results);
  /// What the terms of (type, group) read and is not there yet.
  void makeHidden(Value type, Value group);

  size_t count(int64_t number) const { return static_cast<size_t>(number); }

  KernelBuilder &first_, &last_;
  KernelBuilder::Operands hidden_; ///< of the first layer
};

} // namespace

SmallVector<Type> ChainedKernel::operandTypes() const {
  const ProductsOfKernel &first = first_.products(), &last = last_.products();
  const SmallVector<Type> of_first = typesOfOperands(first, first_.weightsType()),
                          of_last = typesOfOperands(last, last_.weightsType());
  const size_t first_weights = count(first.weights), last_weights = count(last.weights);
  SmallVector<Type> types = {of_first.front()};
  types.append(first_weights, first_.weightsType());
  types.append(last_weights, last_.weightsType());
  llvm::append_range(types, ArrayRef(of_first).slice(1 + first_weights, first.epilogue.operands.size()));
  llvm::append_range(types, ArrayRef(of_last).drop_front(1 + last_weights));
  return types;
}

void ChainedKernel::nameOperands(Block &body) const {
  const ProductsOfKernel &first = first_.products(), &last = last_.products();
  std::vector<std::string> names = {"x"};
  for (int64_t weight = 0; weight < first.weights + last.weights; ++weight)
    names.push_back(algrt::numberedName("w", weight));
  for (const ProductsOfKernel *layer : {&first, &last})
    for (const Epilogue::Operand &operand : layer->epilogue.operands)
      names.push_back(operand.name);
  for (size_t result = 0; result < last.epilogue.results.size(); ++result)
    names.push_back(algrt::numberedName("y", static_cast<int64_t>(result)));
  for (auto [argument, name] : llvm::zip_equal(body.getArguments(), names))
    argument.setLoc(NameLoc::get(builder.getStringAttr(name), argument.getLoc()));
}

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
  KernelOp kernel = this->kernel(name, schedule, operandTypes());
  Block &body = kernel.getBody().front();
  nameOperands(body);
  ArrayRef<BlockArgument> left = body.getArguments();
  auto take = [&](size_t wanted) {
    SmallVector<Value> taken(left.take_front(wanted));
    left = left.drop_front(wanted);
    return taken;
  };
  const SmallVector<Value> rows = take(1), first_weights = take(count(first.weights)),
                           last_weights = take(count(last.weights)),
                           first_operands = take(first.epilogue.operands.size()),
                           last_operands = take(last.epilogue.operands.size()),
                           results = take(last.epilogue.results.size());

  builder.setInsertionPointToEnd(&body);
  Block &own = loops<ForallOp>({axis(AxisKind::Types, schedule.getTypes()),
                                axis(AxisKind::Rows, schedule.getRows()), axis(AxisKind::Groups, 0)});
  SmallVector<Value> buffers; // of the first layer
  {
    OpBuilder::InsertionGuard outside(builder);
    SmallVector<Type> types = {first_.heldType()};
    if (first_.schedule().getWeights() == tile::WeightAccess::Copied)
      types.append(first_weights.size(), first_.stageType());
    LayerOp layer = enterFirst(types);
    SmallVector<Value> made = {HoldOp::create(builder, named("held"), first_.heldType(), rows.front(),
                                              own.getArgument(0), own.getArgument(1))};
    if (types.size() > 1)
      made.append(first_.readableWeights(first_weights));
    YieldOp::create(builder, location, made);
    llvm::append_range(buffers, layer.getValues());
  }
  Value hidden = BufferOp::create(builder, named("hidden"), last_.heldType());
  const SmallVector<Value> targets = {hidden},
                           first_readable = buffers.size() > 1
                                                ? SmallVector<Value>(ArrayRef(buffers).drop_front())
                                                : first_weights;
  hidden_ = {buffers.front(), first_weights, first_readable, first_operands, targets};
  const SmallVector<Value> last_readable = last_.readableWeights(last_weights);
  const KernelBuilder::Operands of_last = {hidden, last_weights, last_readable, last_operands, results};

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
