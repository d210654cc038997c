// What kernels of vector reductions take, and which parts of the result a block has.
#include "compiler/targets/thread_block/few_rows_program.h"

#include "runtime/gpu_kernel_abi.h"

#include <algorithm>

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

/// Of what maps read. One column stands for a number of each row (`sm.map`): of a matrix with more, maps are
/// two columns wide also where a part of the result has one.
sm::MapsType FewRowsProgram::mapsOfRows(tile::MatrixType matrix) {
  const int64_t columns = matrix.getColumns() == 1 ? 1 : std::max<int64_t>(2, schedule_.getColumns());
  return mapsOf(1, schedule_.getRows(), columns, matrix.getElementType(), 3, 1);
}

sm::MapsType FewRowsProgram::mapsOfWeights(BlockArgument weights, int64_t columns) {
  return mapsOf(1, algrt_reduction_depth, columns, cast<tile::MatrixType>(weights.getType()).getElementType(),
                2, schedule_.getVector());
}

FailureOr<sm::KernelOp> FewRowsProgram::declareKernel(sm::MapsType weights) {
  auto first = cast<tile::MatrixType>(source_.getBody().getArgument(0).getType());
  sm::MapsType x = mapsOf(1, schedule_.getRows(), algrt_reduction_depth, first.getElementType(), 3,
                          schedule_.getVector()),
               y = mapsOf(1, schedule_.getRows(), schedule_.getColumns(),
                          cast<tile::MatrixType>(source_results_.front().getType()).getElementType(), 3, 1);
  if (!x || !y)
    return failure();
  sm::KernelOp kernel = KernelProgram::declare(x, weights, y);
  Block &body = kernel.getBody().front();
  positions_ = body.addArgument(sm::PositionsType::get(builder_.getContext()), location_);
  position_bytes_ = body.addArgument(builder_.getIndexType(), location_);
  if (source_.getExperts()) {
    expert_starts_ = body.addArgument(sm::ExpertStartsType::get(builder_.getContext()), location_);
    experts_ = body.addArgument(builder_.getIndexType(), location_);
    x_rows_ = body.addArgument(sm::ExpertRowsType::get(builder_.getContext()), location_);
    expert_rows_ = body.addArgument(sm::ExpertRowsType::get(builder_.getContext()), location_);
    batch_rows_ = body.addArgument(builder_.getIndexType(), location_);
  }
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
  batch_.emplace(
      builder_, location_, layout_.getRowTypes(),
      BatchRows::Operands{rows_, offset_, positions_, position_bytes_, x_rows_, expert_rows_, batch_rows_});
}

RowWalk::Thread FewRowsProgram::threadOf(int64_t lanes) {
  return {thread_, math_.remainder(thread_, lanes), math_.divide(thread_, lanes), table_};
}

void FewRowsProgram::writeParts(int64_t parts_of_batch, int64_t blocks_together, OfPart prefetch,
                                OfPart part) {
  Type index = builder_.getIndexType();
  Value block = sm::BlockIndexOp::create(builder_, location_, index);
  Value blocks = sm::BlockCountOp::create(builder_, location_, index);
  if (blocks_together > 1) {
    block = math_.divide(block, blocks_together);
    blocks = math_.divide(blocks, blocks_together);
  }
  Value parts = math_.multiply(batchesOf(math_.constant(0), rows_), parts_of_batch);
  auto at = [&](OfPart body) {
    return [this, body, parts_of_batch](Value number) {
      body({math_.multiply(math_.divide(number, parts_of_batch), schedule_.getRows()), rows_, Value()},
           math_.remainder(number, parts_of_batch));
    };
  };
  if (dependent_) {
    // Asked as unsigned, which the loop below does not: LLVM would take the two for one question, and write
    // what stands between them twice.
    if (!experts_)
      flow_.when(math_.below(block, parts), [&] { at(prefetch)(block); });
    sm::WaitForPredecessorOp::create(builder_, location_);
    sm::ReleaseSuccessorOp::create(builder_, location_);
  }
  if (experts_)
    writePartsOfExperts(block, blocks, parts_of_batch, part);
  else
    flow_.loop(block, parts, blocks, at(part));
}

Value FewRowsProgram::batchesOf(Value first, Value end) const {
  return math_.ceilDivide(math_.subtract(end, first), schedule_.getRows());
}

Value FewRowsProgram::expertStart(Value expert) {
  Value row = math_.asIndex(
      sm::ReadExpertStartOp::create(builder_, location_, builder_.getI32Type(), expert_starts_, expert));
  return math_.greatest(math_.least(row, rows_), math_.constant(0));
}

/// Parts are numbered expert by expert, and each block comes to its own in this order: it goes on from the
/// expert of its part before. An expert without rows has no part.
void FewRowsProgram::writePartsOfExperts(Value block, Value blocks, int64_t parts_of_batch, OfPart part) {
  // The number of a part; an expert, the batches of all before it, its first row, and where its rows end.
  enum : size_t { Number, Expert, Before, First, End };
  auto batches = [&](ValueRange at) { return batchesOf(at[First], math_.greatest(at[End], at[First])); };
  auto go_to_expert = [&](Values from) {
    return flow_.loopWhile(
        from,
        [&](ValueRange at) {
          Value behind =
              math_.atLeast(math_.divide(at[Number], parts_of_batch), math_.add(at[Before], batches(at)));
          return math_.both(math_.less(at[Expert], experts_), behind);
        },
        [&](ValueRange at) {
          Value next = math_.add(at[Expert], 1);
          // Behind the last expert nothing is read.
          Value end = flow_.choose(
              math_.less(next, experts_), builder_.getIndexType(),
              [&] { return Values{expertStart(math_.add(next, 1))}; }, [&] { return Values{at[End]}; })[0];
          return Values{at[Number], next, math_.add(at[Before], batches(at)), at[End], end};
        });
  };
  Value zero = math_.constant(0);
  flow_.loopWhile(
      go_to_expert({block, zero, zero, expertStart(zero), expertStart(math_.constant(1))}),
      [&](ValueRange at) { return math_.less(at[Expert], experts_); },
      [&](ValueRange at) {
        Value batch = math_.subtract(math_.divide(at[Number], parts_of_batch), at[Before]);
        part({math_.add(at[First], math_.multiply(batch, schedule_.getRows())), at[End], at[Expert]},
             math_.remainder(at[Number], parts_of_batch));
        Values next(at);
        next[Number] = math_.add(next[Number], blocks);
        return go_to_expert(next);
      });
}

void FewRowsProgram::storeSums(Value sums, Value target, const Batch &batch, Value group, Value column) {
  Value zero = math_.constant(0);
  auto store = sm::StoreSumsOp::create(builder_, location_, sums, target, zero,
                                       ValueRange{column, group, zero, batch.first});
  if (batch.expert)
    store.getRowsBeforeMutable().assign(batch.end);
}

Value FewRowsProgram::groupOfColumns(const Batch &batch, Value group, tile::LayoutAttr layout) const {
  return batch.expert ? math_.add(group, math_.multiply(batch.expert, layout.getOut().getCount())) : group;
}

RowWalk::Reader FewRowsProgram::readerOfX(const RowWalk &walk, const Batch &batch, const BatchRows::Row &row,
                                          bool is_first, const RowWalk::SharedTerm &term) {
  Value zero = math_.constant(0), number = row.row_of_x;
  if (!number && is_first)
    number = row.row;
  if (!number)
    number = math_.least(row.row, math_.subtract(batch.end, math_.constant(1)));
  Value view = walk.locate(x_, {zero, term.input_group, zero, number});
  const int64_t width = walk.inputWidth(), vector = schedule_.getVector();
  return [this, view, width, vector](Value depth) -> Value {
    auto type =
        sm::PieceType::get(builder_.getContext(), 1, algrt_reduction_depth, builder_.getBF16Type(), vector);
    return sm::ReadOp::create(builder_, location_, type, view, depth, width);
  };
}

} // namespace compiler
