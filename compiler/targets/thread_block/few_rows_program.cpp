// What kernels of vector reductions take, and which parts of the result a block has.
#include "compiler/targets/thread_block/few_rows_program.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

LogicalResult FewRowsProgram::checkLayout(tile::LayoutAttr layout) {
  if (layout.getRowTypes().getKind() == alg::RowTypeKind::Explicit)
    return source_.emitOpError("has explicit row types, which do not follow from a position");
  if (layout.hasUnequalGroups())
    return source_.emitOpError("has groups of unequal widths, which one map cannot address");
  const int64_t in = layout.getIn().getWidth(0), out = layout.getOut().getWidth(0);
  if (in % schedule_.getVector() != 0 || out % schedule_.getVector() != 0)
    return source_.emitOpError("reads ")
           << schedule_.getVector() << " elements at a time, of which groups of " << in << " and " << out
           << " are no multiples";
  return success();
}

sm::MapsType FewRowsProgram::mapsOfRows(tile::MatrixType matrix) {
  return mapsOf(1, schedule_.getRows(), matrix.getColumns() == 1 ? 1 : schedule_.getColumns(),
                matrix.getElementType(), 3, 1);
}

sm::MapsType FewRowsProgram::mapsOfWeights(BlockArgument weights, int64_t columns) {
  return mapsOf(1, algrt_reduction_depth, columns, cast<tile::MatrixType>(weights.getType()).getElementType(),
                2, schedule_.getVector());
}

FailureOr<sm::KernelOp> FewRowsProgram::declareKernel(sm::MapsType weights) {
  auto first = cast<tile::MatrixType>(source_.getBody().getArgument(0).getType());
  sm::MapsType x = mapsOf(1, schedule_.getRows(), algrt_reduction_depth, first.getElementType(), 3,
                          schedule_.getVector()),
               y = mapsOfRows(cast<tile::MatrixType>(source_results_.front().getType()));
  if (!x || !y)
    return failure();
  sm::KernelOp kernel = KernelProgram::declare(x, weights, y);
  Block &body = kernel.getBody().front();
  positions_ = body.addArgument(sm::PositionsType::get(builder_.getContext()), location_);
  position_bytes_ = body.addArgument(builder_.getIndexType(), location_);
  if (failed(declareFurther(body)))
    return failure();
  builder_.setInsertionPointToEnd(&body);
  return kernel;
}

void FewRowsProgram::allocateSums(Value fragment, tile::ReducedAttr schedule) {
  sums_buffers_[fragment] = sm::AllocateSumsBufferOp::create(
      builder_, location_,
      sm::SumsBufferType::get(builder_.getContext(), schedule.getThreads() / sm::warp_threads,
                              schedule.getRows(), schedule.getColumns()));
}

void FewRowsProgram::findRows() {
  thread_ = sm::ThreadIndexOp::create(builder_, location_, builder_.getIndexType());
  batch_.emplace(builder_, location_, layout_.getRowTypes(),
                 BatchRows::Operands{rows_, offset_, positions_, position_bytes_});
}

RowWalk::Thread FewRowsProgram::threadOf(int64_t lanes) {
  return {thread_, math_.remainder(thread_, lanes), math_.divide(thread_, lanes), table_};
}

void FewRowsProgram::writeParts(Value parts, int64_t blocks_together, function_ref<void(Value)> prefetch,
                                function_ref<void(Value)> part) {
  Type index = builder_.getIndexType();
  Value block = sm::BlockIndexOp::create(builder_, location_, index);
  Value blocks = sm::BlockCountOp::create(builder_, location_, index);
  if (blocks_together > 1) {
    block = math_.divide(block, blocks_together);
    blocks = math_.divide(blocks, blocks_together);
  }
  if (dependent_) {
    // Asked as unsigned, which the loop below does not: LLVM would take the two for one question, and write
    // what stands between them twice.
    flow_.when(math_.below(block, parts), [&] { prefetch(block); });
    sm::WaitForPredecessorOp::create(builder_, location_);
    sm::ReleaseSuccessorOp::create(builder_, location_);
  }
  flow_.loop(block, parts, blocks, part);
}

RowWalk::Reader FewRowsProgram::readerOfX(const RowWalk &walk, const BatchRows::Row &row, bool is_first,
                                          const RowWalk::SharedTerm &term) {
  Value zero = math_.constant(0), last = math_.subtract(rows_, math_.constant(1));
  Value number = is_first ? row.row : math_.least(row.row, last);
  Value view = walk.locate(x_, {zero, term.input_group, zero, number});
  const int64_t width = walk.inputWidth(), vector = schedule_.getVector();
  return [this, view, width, vector](Value depth) -> Value {
    auto type =
        sm::PieceType::get(builder_.getContext(), 1, algrt_reduction_depth, builder_.getBF16Type(), vector);
    return sm::ReadOp::create(builder_, location_, type, view, depth, width);
  };
}

} // namespace compiler
