// What the kernel of a thread block takes: the product's matrices, further weight matrices, what maps read,
// further results.
#include "compiler/targets/thread_block/thread_block_program.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

using namespace mlir;

namespace compiler {

/// X first, then the weight matrices in the order in which they are multiplied, what maps read, and the
/// results. Too few operands stay as they are, for declare() to refuse.
void ThreadBlockProgram::sortOperands() {
  llvm::SmallSetVector<Value, 4> multiplied, stored;
  source_.walk([&](Operation *op) {
    if (auto mma = dyn_cast<tile::MmaOp>(op))
      multiplied.insert(mma.getWeights());
    else if (auto store = dyn_cast<tile::StoreOp>(op))
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
LogicalResult ThreadBlockProgram::checkOperands() {
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

/// What only kernels of one product, or one result, can do so far.
LogicalResult ThreadBlockProgram::checkSeveral() {
  const bool rows_read = llvm::any_of(source_operands_, [](BlockArgument operand) {
    auto matrix = dyn_cast<tile::MatrixType>(operand.getType());
    return matrix && matrix.getRows() != 1;
  });
  if (hasParts() && (hasSeveralWeights() || hasSeveralResults() || rows_read))
    return source_.emitOpError(
        "shares blocks among its types, or holds rows: it computes one product, writes one result, and its "
        "maps read no rows");
  if (splits() && hasSeveralWeights())
    return source_.emitOpError(
               "divides the steps of a tile among blocks, which exchange the sums of one product; "
               "it computes ")
           << source_weights_.size();
  if (hasSeveralResults() && schedule_.getRowsOn() == tile::Side::N)
    return source_.emitOpError("writes ") << source_results_.size()
                                          << " results, the further ones by threads, which have rows of the "
                                             "sums: put rows on the first side";
  return success();
}

sm::MapsType ThreadBlockProgram::mapsOf(int64_t count, int64_t rows, int64_t columns, Type element,
                                        int64_t dimension, int64_t vector) {
  return sm::MapsType::getChecked([&] { return source_.emitError(); }, builder_.getContext(), count, rows,
                                  columns, element, dimension, /*swizzle=*/int64_t{0}, vector,
                                  layout_.hasUnequalGroups(),
                                  /*listed=*/dimension == 3 && RowSegments::areListed(layout_.getRowTypes()));
}

/// Sums lie in pairs of columns: no wider does what threads read beside them, or write as a further result,
/// need to be aligned.
constexpr int64_t most_sums_vector = 2;

/// What threads write at a time of a result, for which the lanes of a warp exchange sums. Where the copy
/// engine copies (`vector` 0) widths are multiples of as many.
static int64_t vectorOfResult(int64_t vector, Type element) {
  constexpr int64_t most_bits = 128;
  const int64_t most = most_bits / element.getIntOrFloatBitWidth();
  return vector ? std::min(vector, most) : most;
}

sm::MapsType ThreadBlockProgram::mapsOfRows(tile::MatrixType matrix) {
  const int64_t count = RowSegments::maps(layout_.getRowTypes());
  const bool listed = RowSegments::areListed(layout_.getRowTypes());
  if (matrix.getColumns() == 1)
    return sm::MapsType::getChecked([&] { return source_.emitError(); }, builder_.getContext(), count,
                                    storedRows(), int64_t{1}, matrix.getElementType(), int64_t{3}, int64_t{0},
                                    int64_t{1}, /*unequal=*/false, listed);
  const int64_t vector = schedule_.getVector();
  return mapsOf(count, storedRows(), storedColumns(), matrix.getElementType(), 3,
                vector ? std::min(vector, most_sums_vector) : most_sums_vector);
}

/// The kernel with its operands; the builder stands in its body afterwards.
FailureOr<sm::KernelOp> ThreadBlockProgram::declare() {
  if (failed(checkOperands()))
    return failure();
  const bool weights = layout_.isWeightGradient();
  auto element = [](BlockArgument matrix) {
    return cast<tile::MatrixType>(matrix.getType()).getElementType();
  };
  Type rows_element = element(source_.getBody().getArgument(0)),
       weight_element = element(source_weights_.front()), result = element(source_results_.front());
  MLIRContext *context = builder_.getContext();
  const int64_t row_maps = RowSegments::maps(layout_.getRowTypes());
  const int64_t tile_rows = schedule_.getRows(), depth = schedule_.getDepth();
  const int64_t vector = schedule_.getVector();
  // What blocks of a cluster share, each copies a part of.
  const int64_t weight_maps = WeightSteps::maps(layout_.getRowTypes());
  sm::MapsType x_maps, w_maps, y_maps, plain_maps;
  if (weights) {
    x_maps = mapsOf(weight_maps, depth / schedule_.getClusterColumns(), tile_rows, rows_element, 3, vector);
    w_maps = mapsOf(weight_maps, depth / schedule_.getClusterRows(), schedule_.getColumns(), weight_element,
                    3, vector);
    auto result_maps = [&](int64_t of_vector) {
      return mapsOf(1, tile_rows, storedColumns(), result, 2, of_vector);
    };
    y_maps = result_maps(vector ? vectorOfResult(vector, result) : 0);
    // The copy engine cannot add to what dW holds: where that counts, threads read and write it.
    plain_maps = vector ? y_maps : result_maps(vectorOfResult(vector, result));
  } else {
    x_maps = mapsOf(row_maps, tile_rows / schedule_.getClusterColumns(), depth, rows_element, 3, vector);
    w_maps = mapsOf(1, weightBlockRows() / schedule_.getClusterRows(), weightBlockColumns(), weight_element,
                    2, vector);
    y_maps = mapsOf(row_maps, storedRows(), storedColumns(), result, 3,
                    vector ? vectorOfResult(vector, result) : 0);
  }
  if (!x_maps || !w_maps || !y_maps || (weights && !plain_maps))
    return failure();

  builder_.setInsertionPoint(source_);
  auto kernel = sm::KernelOp::create(builder_, location_, source_.getSymName(), layout_, schedule_);
  Block &body = kernel.getBody().emplaceBlock();
  Type index = builder_.getIndexType();
  body.addArguments({x_maps, w_maps, y_maps, index, index, sm::TermsTableType::get(context)},
                    SmallVector<Location>(6, location_));
  x_ = body.getArgument(0);
  w_ = body.getArgument(1);
  y_ = body.getArgument(2);
  if (weights) {
    beta_ = body.addArgument(builder_.getF32Type(), location_);
    plain_result_ = y_maps.isPlain() ? y_ : body.addArgument(plain_maps, location_);
  }
  rows_ = body.getArgument(3);
  table_ = body.getArgument(5);
  weights_ = {w_};
  operands_[source_results_.front()] = y_;
  if (failed(declareFurther(body)))
    return failure();
  builder_.setInsertionPointToEnd(&body);
  return kernel;
}

/// Further weight matrices, what maps read and further results follow what every kernel takes.
LogicalResult ThreadBlockProgram::declareFurther(Block &body) {
  const algrt::OperandNames names =
      algrt::operandNames(layout_.isTransposed() ? algrt::Map::Dx : algrt::Map::Forward);
  auto named = [&](const char *first, size_t number) -> Location {
    return NameLoc::get(builder_.getStringAttr(algrt::numberedName(first, static_cast<int64_t>(number))),
                        location_);
  };
  for (size_t number = 1; number < source_weights_.size(); ++number)
    weights_.push_back(body.addArgument(w_.getType(), named(names.w, number)));
  const alg::GroupsAttr out = layout_.getOut();
  const bool one_group = layout_.hasUnequalGroups();
  for (BlockArgument operand : source_operands_) {
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

} // namespace compiler
