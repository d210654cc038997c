// convert-tile-to-sm of kernels for few rows: the kernel, and the ops of a part one by one.
#include "compiler/targets/thread_block/row_program.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

LogicalResult RowProgram::check(tile::ForallOp own) {
  if (failed(checkLayout(layout_)))
    return failure();
  if (schedule_.getCluster() > 1)
    return source_.emitOpError(
        "is of one layer, of which each block computes alone: its schedule has no cluster");
  if (!goesBy(own, {{tile::AxisKind::Batch, schedule_.getRows()},
                    {tile::AxisKind::Groups, 1},
                    {tile::AxisKind::Columns, schedule_.getColumns()}}))
    return own.emitOpError("must own one part of the schedule: <batch, ")
           << schedule_.getRows() << ">, <groups, 1>, <columns, " << schedule_.getColumns() << ">";
  return checkOperands();
}

LogicalResult RowProgram::declare(tile::ForallOp own) {
  sm::MapsType weights = mapsOfWeights(source_weights_.front(), schedule_.getColumns());
  if (!weights || failed(declareKernel(weights)))
    return failure();
  // Sums of terms that something else reads.
  for (auto add : own.getOps<tile::AddRowTermsOp>())
    if (!llvm::all_of(add.getResult().getUsers(), llvm::IsaPred<tile::AddRowTermsOp>))
      allocateSums(add.getResult(), schedule_);
  return success();
}

int64_t RowProgram::columnBlocks() const {
  return static_cast<int64_t>(llvm::divideCeil(walk_->outputWidth(), schedule_.getColumns()));
}

/// Columns first, then groups: blocks that run at one time share rows of X.
RowProgram::Part RowProgram::partAt(const Batch &batch, Value number) const {
  return {batch, math_.divide(number, columnBlocks()),
          math_.multiply(math_.remainder(number, columnBlocks()), schedule_.getColumns())};
}

/// Whether terms can be added together with others: at the same place, and not to what one of those leaves.
static bool canGoTogether(ArrayRef<tile::AddRowTermsOp> together, tile::AddRowTermsOp add) {
  tile::AddRowTermsOp first = together.front();
  return add.getRows() == first.getRows() && add.getRow() == first.getRow() &&
         add.getGroup() == first.getGroup() && add.getColumn() == first.getColumn() &&
         llvm::none_of(together, [&](auto other) { return other.getResult() == add.getSums(); });
}

/// Its terms, and behind the last of them what is done with the sums once those of all slices have met.
LogicalResult RowProgram::writePart(tile::ForallOp own, const Part &part) {
  walk_->multiplyByExpert(part.batch.expert);
  indices_ = {{own.getIndex(tile::AxisKind::Batch), part.batch.first},
              {own.getIndex(tile::AxisKind::Groups), part.group},
              {own.getIndex(tile::AxisKind::Columns), part.column}};
  Block &body = own.getBody().front();
  auto epilogue = body.begin();
  for (Operation &op : body)
    if (isa<tile::AddRowTermsOp>(op))
      epilogue = std::next(op.getIterator());
  LogicalResult written = success();
  auto write = [&](Operation &op) {
    if (succeeded(written))
      written = writeOp(&op, own, part);
  };
  // Products of the same rows go through their terms together.
  SmallVector<tile::AddRowTermsOp> together;
  auto write_together = [&] {
    if (succeeded(written) && !together.empty())
      written = writeAddRowTerms(together, part);
    together.clear();
  };
  for (Operation &op : llvm::make_range(body.begin(), epilogue)) {
    auto add = dyn_cast<tile::AddRowTermsOp>(op);
    if (!add) {
      write(op);
      continue;
    }
    if (!together.empty() && !canGoTogether(together, add))
      write_together();
    together.push_back(add);
  }
  write_together();
  if (failed(written))
    return failure();

  for (auto [fragment, buffer] : sums_buffers_)
    sm::ShareSumsOp::create(builder_, location_, row_sums_.lookup(fragment), buffer);
  sm::BlockSyncOp::create(builder_, location_);
  auto finish = [&] {
    const sm::AccumulatorType type = walk_->sumsOfThreads();
    for (auto zero : own.getOps<tile::ZeroOp>())
      sums_[zero.getResult()] = sm::ZeroOp::create(builder_, location_, type);
    for (auto [fragment, buffer] : sums_buffers_)
      sums_[fragment] = sm::CollectSumsOp::create(builder_, location_, type, buffer, /*row=*/IntegerAttr());
    for (Operation &op : llvm::make_range(epilogue, body.end()))
      write(op);
  };
  // Not more threads than there are elements.
  const int64_t elements = schedule_.getRows() * schedule_.getColumns();
  if (elements < schedule_.getThreads())
    flow_.when(math_.less(thread_, math_.constant(elements)), finish);
  else
    finish();
  // Before the next part's sums come.
  sm::BlockSyncOp::create(builder_, location_);
  return written;
}

LogicalResult RowProgram::writeOp(Operation *op, tile::ForallOp own, const Part &part) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::ZeroOp zero) {
        row_sums_[zero.getResult()] = walk_->zeroRows();
        return LogicalResult(success());
      })
      .Case([&](tile::MapOp map) {
        Value zero = math_.constant(0);
        return writeMap(map, NamedPlace(own), part.column, groupOfColumns(part.batch, part.group, layout_),
                        {zero, part.column, part.group, zero, part.batch.first});
      })
      .Case([&](tile::StoreRowsOp store) { return writeStore(store, part); })
      // Written where they are used.
      .Case<arith::ConstantOp>([&](auto) { return LogicalResult(success()); })
      .Default([&](Operation *other) -> LogicalResult {
        return other->emitOpError("is not something that a GPU target can lower");
      });
}

Value RowProgram::indexOf(Value index) {
  if (auto constant = index.getDefiningOp<arith::ConstantIndexOp>())
    return math_.constant(constant.value());
  return indices_.lookup(index);
}

LogicalResult RowProgram::writeAddRowTerms(ArrayRef<tile::AddRowTermsOp> together, const Part &part) {
  Values weights, sums;
  for (tile::AddRowTermsOp add : together) {
    auto number = llvm::find(source_weights_, add.getWeights());
    if (add.getRows() != source_.getBody().getArgument(0) || number == source_weights_.end())
      return add.emitOpError(
          "must multiply rows of X by a weight matrix, operands of the kernel in this order");
    auto given = row_sums_.find(add.getSums());
    if (given == row_sums_.end())
      return add.emitOpError("must add to zeros, or to what other terms have left");
    weights.push_back(weights_[number - source_weights_.begin()]);
    sums.append(given->second);
  }
  tile::AddRowTermsOp first = together.front();
  Value group = indexOf(first.getGroup());
  SmallVector<RowWalk::Walker> walkers;
  for (int64_t number = 0; number < schedule_.getRows(); ++number) {
    const bool walks = number == 0 || !hasOneType();
    walkers.push_back(
        walk_->walker(batch_->at(part.batch, number, /*with_type=*/walks), group, /*goes=*/{}, walks));
  }
  const Values added = walk_->addTerms(
      weights, walkers, indexOf(first.getColumn()), {},
      [&](size_t row, const RowWalk::SharedTerm &term) {
        return readerOfX(*walk_, part.batch, walkers[row].row, row == 0, term);
      },
      sums);
  const size_t rows = schedule_.getRows();
  for (auto [place, add] : llvm::enumerate(together)) {
    tile::AddRowTermsOp op = add;
    row_sums_[op.getResult()] = Values(ArrayRef(added).slice(place * rows, rows));
  }
  return success();
}

LogicalResult RowProgram::writeStore(tile::StoreRowsOp store, const Part &part) {
  Value sums = sums_.lookup(store.getValue()), target = operands_.lookup(store.getTarget());
  if (!sums || !target)
    return store.emitOpError(sums ? "must store to a result of the kernel"
                                  : "stores sums of which terms are still to come");
  storeSums(sums, target, part.batch, indexOf(store.getGroup()), indexOf(store.getColumn()));
  return success();
}

/// What a block asks of the weight matrix before the grid before it has ended.
void RowProgram::writePrefetch(tile::ForallOp own, const Part &part) {
  for (auto [number, weights] : llvm::enumerate(source_weights_))
    for (auto add : own.getOps<tile::AddRowTermsOp>())
      if (add.getWeights() == weights) {
        prefetchTerms(weights_[number], part);
        break;
      }
}

/// The diagonal block, which all rows share, and where positions are not read the blocks of the rows' types.
void RowProgram::prefetchTerms(Value weights, const Part &part) {
  Value begin = math_.constant(0), end = math_.constant(walk_->inputWidth());
  auto prefetch = [&](Value weight_row) {
    walk_->prefetchBlock(weights, weight_row, part.group, part.column, schedule_.getColumns(), begin, end);
  };
  const bool complete = walk_->isCompleteGraph();
  if (complete)
    prefetch(part.group);
  Value given = batch_->arePlaced();
  Value always = arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1);
  flow_.when(arith::XOrIOp::create(builder_, location_, given, always), [&] {
    for (int64_t number = 0; number < schedule_.getRows(); ++number) {
      Value row = math_.add(part.batch.first, number);
      flow_.when(math_.less(row, part.batch.end), [&] {
        Value type = batch_->countedType(row);
        if (complete) {
          flow_.when(math_.differ(type, part.group), [&] { prefetch(type); });
          return;
        }
        const StepTerms terms = walk_->termsOf(type, part.group);
        flow_.loop(math_.constant(0), terms.count(), math_.constant(1),
                   [&](Value ordinal) { prefetch(terms.at(ordinal).weight_row); });
      });
    }
  });
}

LogicalResult RowProgram::write() {
  auto own = *source_.getBody().getOps<tile::ForallOp>().begin();
  sortOperands();
  if (failed(check(own)) || failed(declare(own)))
    return failure();
  findRows();
  walk_.emplace(builder_, location_, layout_, schedule_, *batch_, threadOf(schedule_.getLanes()),
                /*own_groups=*/false);
  LogicalResult written = success();
  writeParts(
      columnBlocks() * layout_.getOut().getCount(), 1,
      [&](const Batch &batch, Value number) { writePrefetch(own, partAt(batch, number)); },
      [&](const Batch &batch, Value number) { written = writePart(own, partAt(batch, number)); });
  return written;
}

} // namespace compiler
