// What a kernel takes whose operands come in stages.
#include "compiler/targets/thread_block/thread_block_program.h"

using namespace mlir;

namespace compiler {

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
                                    int64_t{1}, /*unequal=*/false, listed, runOf(count));
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

  sm::KernelOp kernel = KernelProgram::declare(x_maps, w_maps, y_maps);
  Block &body = kernel.getBody().front();
  if (weights) {
    beta_ = body.addArgument(builder_.getF32Type(), location_);
    plain_result_ = y_maps.isPlain() ? y_ : body.addArgument(plain_maps, location_);
  }
  if (source_.getExperts())
    experts_ = body.addArgument(builder_.getIndexType(), location_);
  if (failed(declareFurther(body)))
    return failure();
  builder_.setInsertionPointToEnd(&body);
  return kernel;
}

} // namespace compiler
