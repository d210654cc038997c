// What the kernel of a thread block takes: the product's matrices, further weight matrices, what maps read,
// further results.
#include "compiler/schedule/work.h"
#include "compiler/targets/thread_block/kernel_program.h"
#include "compiler/targets/thread_block/row_segments.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

using namespace mlir;

namespace compiler {

KernelProgram::KernelProgram(tile::KernelOp source)
    : source_(source), layout_(source.getLayout()), builder_(source.getContext()), location_(source.getLoc()),
      math_(builder_, location_) {}

/// X first, then the weight matrices in the order in which they are multiplied, what maps read, and the
/// results. Too few operands stay as they are, for declare() to refuse.
void KernelProgram::sortOperands() {
  llvm::SmallSetVector<Value, 4> multiplied, stored;
  source_.walk([&](Operation *op) {
    if (auto mma = dyn_cast<tile::MmaOp>(op))
      multiplied.insert(mma.getWeights());
    else if (auto add = dyn_cast<tile::AddRowTermsOp>(op))
      multiplied.insert(add.getWeights());
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      stored.insert(store.getTarget());
    else if (auto store = dyn_cast<tile::StoreRowsOp>(op);
             store && isa<tile::MatrixType>(store.getTarget().getType()))
      stored.insert(store.getTarget());
  });
  const MutableArrayRef<BlockArgument> arguments = source_.getBody().front().getArguments();
  const bool weights = layout_.isWeightGradient();
  if (arguments.size() < 3 || (weights && arguments.size() != 3))
    return;
  // A program that multiplies or stores something else is refused where it does.
  const size_t weight_matrices = weights ? 1 : std::clamp<size_t>(multiplied.size(), 1, arguments.size() - 2),
               results =
                   weights ? 1 : std::clamp<size_t>(stored.size(), 1, arguments.size() - 1 - weight_matrices);
  for (BlockArgument argument : arguments.drop_front()) {
    const size_t number = argument.getArgNumber();
    auto &kind = number <= weight_matrices              ? source_weights_
                 : number + results >= arguments.size() ? source_results_
                                                        : source_operands_;
    kind.push_back(argument);
  }
}

/// Whether there are as many operands as a product has, and matrices where it has some.
LogicalResult KernelProgram::checkOperands() {
  if (source_weights_.empty())
    return source_.emitOpError("takes ")
           << (layout_.isWeightGradient() ? "X, dY and dW" : "X, W, what its maps read, and Y") << ", got "
           << source_.getBody().getNumArguments() << " operands";
  for (BlockArgument argument : llvm::concat<BlockArgument>(source_weights_, source_results_))
    if (!isa<tile::MatrixType>(argument.getType()))
      return source_.emitOpError(
                 "takes X, weight matrices, what its maps read, and results in this order; operand ")
             << argument.getArgNumber() << " is " << argument.getType();
  return success();
}

sm::MapsType KernelProgram::mapsOf(int64_t count, int64_t rows, int64_t columns, Type element,
                                   int64_t dimension, int64_t vector) {
  return sm::MapsType::getChecked([&] { return source_.emitError(); }, builder_.getContext(), count, rows,
                                  columns, element, dimension, /*swizzle=*/int64_t{0}, vector,
                                  layout_.hasUnequalGroups(),
                                  /*listed=*/dimension == 3 && RowSegments::areListed(layout_.getRowTypes()),
                                  dimension == 3 ? runOf(count) : int64_t{0});
}

int64_t KernelProgram::runOf(int64_t maps) const {
  return maps > 1 ? joinedRun(layout_.getRowTypes().getRowTypes()) : 0;
}

sm::KernelOp KernelProgram::declare(sm::MapsType x, sm::MapsType w, sm::MapsType y) {
  builder_.setInsertionPoint(source_);
  auto kernel =
      sm::KernelOp::create(builder_, location_, source_.getSymName(), layout_, source_.getSchedule());
  Block &body = kernel.getBody().emplaceBlock();
  Type index = builder_.getIndexType();
  body.addArguments({x, w, y, index, index, sm::TermsTableType::get(builder_.getContext())},
                    SmallVector<Location>(6, location_));
  x_ = body.getArgument(0);
  w_ = body.getArgument(1);
  y_ = body.getArgument(2);
  rows_ = body.getArgument(3);
  offset_ = body.getArgument(4);
  table_ = body.getArgument(5);
  weights_ = {w_};
  operands_[source_results_.front()] = y_;
  return kernel;
}

LogicalResult KernelProgram::declareFurther(Block &body) {
  const algrt::OperandNames names =
      algrt::operandNames(layout_.isTransposed() ? algrt::Map::Dx : algrt::Map::Forward);
  auto named = [&](const char *first, size_t number) -> Location {
    return NameLoc::get(builder_.getStringAttr(algrt::numberedName(first, static_cast<int64_t>(number))),
                        location_);
  };
  for (size_t number = 1; number < source_weights_.size(); ++number)
    weights_.push_back(body.addArgument(mapsOfFurtherWeights(number), named(names.w, number)));
  for (BlockArgument operand : source_operands_) {
    tile::LayoutAttr layout = layoutOf(operand);
    const alg::GroupsAttr out = layout.getOut();
    const bool one_group = layout.hasUnequalGroups();
    Type type = operand.getType();
    if (auto matrix = dyn_cast<tile::MatrixType>(type)) {
      if (matrix.getRows() == 1)
        type = sm::ColumnsType::getChecked(
            [&] { return source_.emitError(); }, builder_.getContext(), one_group ? 1 : out.getCount(),
            one_group ? out.getTotal() : out.getWidth(0), matrix.getElementType());
      else
        type = mapsOfRows(matrix);
      if (!type)
        return failure();
    }
    operands_[operand] = body.addArgument(type, operand.getLoc());
  }
  for (size_t number = 1; number < source_results_.size(); ++number) {
    sm::MapsType type = mapsOfRows(cast<tile::MatrixType>(source_results_[number].getType()));
    if (!type)
      return failure();
    operands_[source_results_[number]] = body.addArgument(type, named(names.y, number));
  }
  return success();
}

bool KernelProgram::goesBy(tile::ForallOp own, ArrayRef<std::pair<tile::AxisKind, int64_t>> steps) {
  return own.getAxes().size() == steps.size() && llvm::all_of(steps, [&](const auto &wanted) {
           const auto &[kind, step] = wanted;
           return own.getAxis(kind) && own.getAxis(kind).getStep() == step;
         });
}

} // namespace compiler
