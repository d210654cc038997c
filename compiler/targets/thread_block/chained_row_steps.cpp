// Kernels of two layers for few rows: what a block does for its part of the result.
#include "compiler/targets/thread_block/chained_row_program.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

LogicalResult ChainedRowProgram::write() {
  if (failed(find()))
    return failure();
  sortOperands();
  if (failed(check()) || failed(declare()))
    return failure();
  findRows();
  // Both go through rows whose hidden groups are their own.
  hidden_walk_.emplace(builder_, location_, hidden_layout_, hidden_schedule_, *batch_,
                       threadOf(hidden_schedule_.getLanes()), /*own_groups=*/true);
  walk_.emplace(builder_, location_, layout_, schedule_, *batch_, threadOf(schedule_.getLanes()),
                /*own_groups=*/false);
  const int64_t cluster = schedule_.getCluster();
  begin_ = math_.constant(0);
  if (cluster > 1)
    begin_ = math_.multiply(sm::ClusterRankOp::create(builder_, location_, builder_.getIndexType()), share());
  end_ = math_.least(math_.add(begin_, share()), math_.constant(hiddenWidth()));
  // Groups first: blocks that run at one time share rows of X.
  LogicalResult written = success();
  writeParts(
      layout_.getOut().getCount(), cluster,
      [&](const Batch &batch, Value group) {
        prefetch(partAt(batch, group, /*with_types=*/false), /*before_rows=*/true);
      },
      [&](const Batch &batch, Value group) {
        written = writePart(partAt(batch, group, /*with_types=*/true));
      });
  return written;
}

ChainedRowProgram::Part ChainedRowProgram::partAt(const Batch &batch, Value group, bool with_types) const {
  Part part{batch, group, {}};
  for (int64_t row = 0; with_types && row < schedule_.getRows(); ++row)
    part.rows.push_back(batch_->at(batch, row, /*with_type=*/row == 0 || !hasOneType()));
  return part;
}

LogicalResult ChainedRowProgram::writePart(const Part &part) {
  for (RowWalk *walk : {&*hidden_walk_, &*walk_})
    walk->multiplyByExpert(part.batch.expert);
  if (dependent_)
    prefetch(part, /*before_rows=*/false);
  SmallVector<RowWalk::Walker> walkers;
  Value most; // terms of one of the rows
  for (const auto &[number, row] : llvm::enumerate(part.rows)) {
    walkers.push_back(walk_->walker(row, part.group, /*goes=*/{}, number == 0 || !hasOneType()));
    if (Value count = walkers.back().term_count)
      most = most ? math_.greatest(most, count) : count;
  }
  LogicalResult written = success();
  flow_.loop(math_.constant(0), most, math_.constant(1),
             [&](Value ordinal) { written = makeHidden(part, ordinal, walkers); });
  return failed(written) ? written : multiplyHidden(part, walkers);
}

void ChainedRowProgram::inThreadsOf(sm::AccumulatorType sums, function_ref<void()> body) {
  const int64_t elements = sums.getRows() * sums.getColumns();
  if (elements >= sums.getAllThreads())
    return body();
  Value thread = thread_;
  if (sums.getBlocks() > 1) {
    Value rank = sm::ClusterRankOp::create(builder_, location_, builder_.getIndexType());
    thread = math_.add(math_.multiply(rank, sums.getThreads()), thread_);
  }
  flow_.when(math_.less(thread, math_.constant(elements)), body);
}

LogicalResult ChainedRowProgram::writeMaps(Block &block, const NamedPlace &named, const Batch &batch,
                                           tile::LayoutAttr layout, Value column, Value group, Value row) {
  Value zero = math_.constant(0);
  for (auto map : block.getOps<tile::MapOp>())
    if (failed(writeMap(map, named, column, groupOfColumns(batch, group, layout),
                        {zero, column, group, zero, row})))
      return failure();
  return success();
}

LogicalResult ChainedRowProgram::makeHidden(const Part &part, Value ordinal,
                                            ArrayRef<RowWalk::Walker> walkers) {
  SmallVector<RowWalk::Walker> hidden;
  for (const RowWalk::Walker &walker : walkers) {
    if (!walker.terms) {
      hidden.push_back(hidden_walk_->walker(walker.row, hidden.front().group, {}, /*walks=*/false));
      continue;
    }
    Value goes = math_.less(ordinal, walker.term_count);
    Value group = flow_.choose(
        goes, builder_.getIndexType(), [&] { return Values{walker.terms->at(ordinal).input_group}; },
        [&] { return Values{math_.constant(0)}; })[0];
    hidden.push_back(hidden_walk_->walker(walker.row, group, goes, /*walks=*/true));
  }
  // The weight matrices of the first layer come in the order of its products, that of the second behind them.
  const ArrayRef<Value> weights = ArrayRef(weights_).drop_back();
  LogicalResult written = success();
  flow_.loop(begin_, end_, math_.constant(hidden_schedule_.getColumns()), [&](Value column) {
    Values zeros;
    for (size_t product = 0; product < weights.size(); ++product)
      zeros.append(hidden_walk_->zeroRows());
    const Values sums = hidden_walk_->addTerms(
        weights, hidden, column, {},
        [&](size_t row, const RowWalk::SharedTerm &term) {
          return readerOfX(*hidden_walk_, part.batch, part.rows[row], row == 0, term);
        },
        zeros);
    const size_t rows = part.rows.size();
    for (auto [product, add] : llvm::enumerate(tile_.hidden_terms))
      sm::ShareSumsOp::create(builder_, location_, ArrayRef(sums).slice(product * rows, rows),
                              sums_buffers_.lookup(tile::AddRowTermsOp(add).getResult()));
    sm::BlockSyncOp::create(builder_, location_);
    // Numbers of columns are of one group: rows with groups of their own come one by one.
    const bool one_by_one = readsColumns() && !hasOneType();
    for (size_t row = 0; row < (one_by_one ? rows : 1) && succeeded(written); ++row)
      written = storeHidden(part, ordinal, column, hidden[row].group,
                            one_by_one ? std::optional(row) : std::nullopt);
    // Before the next sums come, and before anybody reads what is hidden.
    sm::BlockSyncOp::create(builder_, location_);
  });
  return written;
}

/// Maps the sums of all rows, or of one, and leaves what becomes of them in the hidden buffer.
LogicalResult ChainedRowProgram::storeHidden(const Part &part, Value ordinal, Value column, Value group,
                                             std::optional<size_t> row) {
  const sm::AccumulatorType type = hidden_walk_->sumsOfThreads(/*blocks=*/1, /*rows=*/row ? 1 : 0);
  IntegerAttr number = row ? builder_.getI64IntegerAttr(static_cast<int64_t>(*row)) : IntegerAttr();
  Value first_row = row ? part.rows[*row].row : part.batch.first;
  LogicalResult written = success();
  inThreadsOf(type, [&] {
    for (tile::AddRowTermsOp add : tile_.hidden_terms)
      sums_[add.getResult()] =
          sm::CollectSumsOp::create(builder_, location_, type, sums_buffers_.lookup(add.getResult()), number);
    const NamedPlace named({tile_.own.getIndex(tile::AxisKind::Batch)},
                           tile_.row_terms.getBody().front().getArgument(0),
                           tile_.hidden_columns.getBody().front().getArgument(0));
    written = writeMaps(tile_.hidden_columns.getBody().front(), named, part.batch, hidden_layout_, column,
                        group, first_row);
    if (Value value = sums_.lookup(tile_.hidden_store.getValue()))
      sm::StoreHiddenOp::create(builder_, location_, value, hidden_, ordinal, math_.subtract(column, begin_),
                                math_.subtract(math_.constant(hiddenWidth()), column), number);
    else if (succeeded(written))
      written = tile_.hidden_store.emitOpError("stores sums of which terms are still to come");
  });
  return written;
}

LogicalResult ChainedRowProgram::multiplyHidden(const Part &part, ArrayRef<RowWalk::Walker> walkers) {
  constexpr int64_t depth = algrt_reduction_depth;
  const int64_t vector = schedule_.getVector();
  auto reader = [&](size_t row, const RowWalk::SharedTerm &term) -> RowWalk::Reader {
    Value ordinal = term.ordinals[row];
    return [this, ordinal, row, vector](Value first) -> Value {
      auto type = sm::PieceType::get(builder_.getContext(), 1, depth, builder_.getBF16Type(), vector);
      return sm::ReadHiddenOp::create(builder_, location_, type, hidden_, ordinal,
                                      math_.subtract(first, begin_), static_cast<int64_t>(row));
    };
  };
  Value buffer = sums_buffers_.lookup(tile_.terms.getResult());
  const RowWalk::Depth share = {math_.divide(begin_, depth), math_.ceilDivide(end_, depth)};
  auto meet = [&] {
    if (schedule_.getCluster() > 1)
      sm::ClusterSyncOp::create(builder_, location_);
    else
      sm::BlockSyncOp::create(builder_, location_);
  };
  LogicalResult written = success();
  flow_.loop(math_.constant(0), math_.constant(walk_->outputWidth()), math_.constant(schedule_.getColumns()),
             [&](Value column) {
               const Values sums =
                   walk_->addTerms(weights_.back(), walkers, column, share, reader, walk_->zeroRows());
               sm::ShareSumsOp::create(builder_, location_, sums, buffer);
               meet();
               const sm::AccumulatorType type = walk_->sumsOfThreads(schedule_.getCluster());
               inThreadsOf(type, [&] {
                 sums_[tile_.terms.getResult()] =
                     sm::CollectSumsOp::create(builder_, location_, type, buffer, /*row=*/IntegerAttr());
                 const NamedPlace named({tile_.own.getIndex(tile::AxisKind::Batch)},
                                        tile_.own.getIndex(tile::AxisKind::Groups),
                                        tile_.columns.getBody().front().getArgument(0));
                 written = writeMaps(tile_.columns.getBody().front(), named, part.batch, layout_, column,
                                     part.group, part.batch.first);
                 if (Value value = sums_.lookup(tile_.store.getValue()))
                   storeSums(value, y_, part.batch, part.group, column);
                 else if (succeeded(written))
                   written = tile_.store.emitOpError("stores sums of which terms are still to come");
               });
               // Before the next sums come, and before a block that others read of exits.
               meet();
             });
  return written;
}

//===--------------------------------------------------------------------------------------------===//
// What is asked of the second-level cache ahead of time
//===--------------------------------------------------------------------------------------------===//

/// The block's share of the columns of a block of the first layer's weight matrices.
void ChainedRowProgram::prefetchHidden(Value weight_row, Value group) {
  for (size_t number = 0; number < tile_.hidden_terms.size(); ++number)
    hidden_walk_->prefetchBlock(weights_[number], weight_row, group, begin_, share(), math_.constant(0),
                                math_.constant(hidden_walk_->inputWidth()));
}

/// The rows of a block of the second layer's weight matrix that meet the block's share.
void ChainedRowProgram::prefetchNext(Value weight_row, Value group) {
  walk_->prefetchBlock(weights_.back(), weight_row, group, math_.constant(0), walk_->outputWidth(), begin_,
                       end_);
}

/// What rows of a type read for an output group, of both layers.
void ChainedRowProgram::prefetchTerms(Value type, Value group) {
  const StepTerms terms = walk_->termsOf(type, group);
  flow_.loop(math_.constant(0), terms.count(), math_.constant(1), [&](Value ordinal) {
    const StepTerms::Term term = terms.at(ordinal);
    prefetchNext(term.weight_row, group);
    const StepTerms hidden = hidden_walk_->termsOf(type, term.input_group);
    flow_.loop(math_.constant(0), hidden.count(), math_.constant(1),
               [&](Value number) { prefetchHidden(hidden.at(number).weight_row, term.input_group); });
  });
}

/// Before rows are there, the diagonal blocks, which all of them read, and where positions are not read what
/// their types read. Behind it, with positions, the latter; of an expert, which nobody knows before, all.
void ChainedRowProgram::prefetch(const Part &part, bool before_rows) {
  if (before_rows && walk_->isCompleteGraph()) {
    prefetchHidden(part.group, part.group);
    prefetchNext(part.group, part.group);
  }
  if (hasOneType() && walk_->isCompleteGraph() && !part.batch.expert)
    return;
  Value given = batch_->arePlaced();
  Value always = arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1);
  Value wanted = part.batch.expert ? always
                 : before_rows     ? Value(arith::XOrIOp::create(builder_, location_, given, always))
                                   : given;
  flow_.when(wanted, [&] {
    for (int64_t number = 0; number < schedule_.getRows(); ++number) {
      if (number > 0 && hasOneType())
        return;
      Value row = math_.add(part.batch.first, number);
      flow_.when(math_.less(row, part.batch.end), [&] {
        prefetchTerms(before_rows ? batch_->countedType(row) : part.rows[number].type, part.group);
      });
    }
  });
}

} // namespace compiler
