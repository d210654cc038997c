// convert-tile-to-sm of kernels for few rows: the kernel, and the ops of a part one by one.
#include "compiler/targets/thread_block/row_program.h"

#include "runtime/gpu_kernel_abi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

RowProgram::RowProgram(tile::KernelOp source, bool dependent)
    : KernelProgram(source), schedule_(source.getReducedSchedule()), dependent_(dependent),
      coefficients_(coefficientsOf(layout_.getTerms())) {}

LogicalResult RowProgram::check(tile::ForallOp own) {
  if (layout_.getRowTypes().getKind() == alg::RowTypeKind::Explicit)
    return source_.emitOpError("has explicit row types, which do not follow from a position");
  if (layout_.hasUnequalGroups())
    return source_.emitOpError("has groups of unequal widths, which one map cannot address");
  if (inputWidth() % schedule_.getVector() != 0 || outputWidth() % schedule_.getVector() != 0)
    return source_.emitOpError("reads ")
           << schedule_.getVector() << " elements at a time, of which groups of " << inputWidth() << " and "
           << outputWidth() << " are no multiples";
  if (!goesBy(own, {{tile::AxisKind::Batch, schedule_.getRows()},
                    {tile::AxisKind::Groups, 1},
                    {tile::AxisKind::Columns, schedule_.getColumns()}}))
    return own.emitOpError("must own one part of the schedule: <batch, ")
           << schedule_.getRows() << ">, <groups, 1>, <columns, " << schedule_.getColumns() << ">";
  return checkOperands();
}

sm::MapsType RowProgram::mapsOfRows(tile::MatrixType matrix) {
  return mapsOf(1, schedule_.getRows(), matrix.getColumns() == 1 ? 1 : schedule_.getColumns(),
                matrix.getElementType(), 3, 1);
}

LogicalResult RowProgram::declare(tile::ForallOp own) {
  MLIRContext *context = builder_.getContext();
  auto element = [](BlockArgument matrix) {
    return cast<tile::MatrixType>(matrix.getType()).getElementType();
  };
  constexpr int64_t depth = algrt_reduction_depth;
  const int64_t vector = schedule_.getVector();
  sm::MapsType x = mapsOf(1, schedule_.getRows(), depth, element(source_.getBody().getArgument(0)), 3,
                          vector),
               w = mapsOf(1, depth, schedule_.getColumns(), element(source_weights_.front()), 2, vector),
               y = mapsOfRows(cast<tile::MatrixType>(source_results_.front().getType()));
  if (!x || !w || !y)
    return failure();
  sm::KernelOp kernel = KernelProgram::declare(x, w, y);
  Block &body = kernel.getBody().front();
  positions_ = body.addArgument(sm::PositionsType::get(context), location_);
  position_bytes_ = body.addArgument(builder_.getIndexType(), location_);
  if (failed(declareFurther(body)))
    return failure();
  builder_.setInsertionPointToEnd(&body);
  // Sums of terms that something else reads.
  for (auto add : own.getOps<tile::AddRowTermsOp>())
    if (!llvm::all_of(add.getResult().getUsers(), llvm::IsaPred<tile::AddRowTermsOp>))
      sums_buffers_[add.getResult()] = sm::AllocateSumsBufferOp::create(
          builder_, location_,
          sm::SumsBufferType::get(context, schedule_.getThreads() / sm::warp_threads, schedule_.getRows(),
                                  schedule_.getColumns()));
  return success();
}

RowProgram::Part RowProgram::partAt(Value number) {
  const int64_t column_blocks = llvm::divideCeil(outputWidth(), schedule_.getColumns()),
                groups = layout_.getOut().getCount();
  Part part;
  part.column = math_.multiply(math_.remainder(number, column_blocks), schedule_.getColumns());
  Value others = math_.divide(number, column_blocks);
  part.group = math_.remainder(others, groups);
  part.row = math_.multiply(math_.divide(others, groups), schedule_.getRows());
  return part;
}

/// Columns first, then groups: blocks that run at one time share rows of X.
LogicalResult RowProgram::writeFor(tile::ForallOp own) {
  Type index = builder_.getIndexType();
  thread_ = sm::ThreadIndexOp::create(builder_, location_, index);
  lane_ = math_.remainder(thread_, schedule_.getLanes());
  slice_ = math_.divide(thread_, schedule_.getLanes());
  Value parts = math_.multiply(math_.ceilDivide(rows_, schedule_.getRows()),
                               static_cast<int64_t>(llvm::divideCeil(outputWidth(), schedule_.getColumns())) *
                                   layout_.getOut().getCount());
  Value block = sm::BlockIndexOp::create(builder_, location_, index);
  Value blocks = sm::BlockCountOp::create(builder_, location_, index);
  if (dependent_) {
    // Asked as unsigned, which the loop below does not: LLVM would take the two for one question, and write
    // what stands between them twice.
    when(math_.below(block, parts), [&] { writePrefetch(own, partAt(block)); });
    sm::WaitForPredecessorOp::create(builder_, location_);
    sm::ReleaseSuccessorOp::create(builder_, location_);
  }
  LogicalResult written = success();
  loop(block, parts, blocks, {}, [&](Value number, ValueRange) -> Values {
    written = writePart(own, partAt(number));
    return {};
  });
  return written;
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
  indices_ = {{own.getIndex(tile::AxisKind::Batch), part.row},
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
      written = writeAddRowTerms(together);
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
    auto type =
        sm::AccumulatorType::get(builder_.getContext(), schedule_.getRows(), schedule_.getColumns(), 0, 0,
                                 /*transposed=*/false, schedule_.getThreads());
    for (auto zero : own.getOps<tile::ZeroOp>())
      sums_[zero.getResult()] = sm::ZeroOp::create(builder_, location_, type);
    for (auto [fragment, buffer] : sums_buffers_)
      sums_[fragment] = sm::CollectSumsOp::create(builder_, location_, type, buffer);
    for (Operation &op : llvm::make_range(epilogue, body.end()))
      write(op);
  };
  // Not more threads than there are elements.
  const int64_t elements = schedule_.getRows() * schedule_.getColumns();
  if (elements < schedule_.getThreads())
    when(math_.less(thread_, math_.constant(elements)), finish);
  else
    finish();
  // Before the next part's sums come.
  sm::BlockSyncOp::create(builder_, location_);
  return written;
}

LogicalResult RowProgram::writeOp(Operation *op, tile::ForallOp own, const Part &part) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::ZeroOp zero) {
        auto type = sm::RowSumsType::get(builder_.getContext(), schedule_.getColumns(), schedule_.getSlices(),
                                         schedule_.getVector());
        Values &rows = row_sums_[zero.getResult()];
        rows.clear();
        for (int64_t row = 0; row < schedule_.getRows(); ++row)
          rows.push_back(sm::ZeroRowOp::create(builder_, location_, type));
        return LogicalResult(success());
      })
      .Case([&](tile::MapOp map) {
        Value zero = math_.constant(0);
        return writeMap(map, NamedPlace(own), part.column, part.group,
                        {zero, part.column, part.group, zero, part.row});
      })
      .Case([&](tile::StoreRowsOp store) { return writeStore(store); })
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

LogicalResult RowProgram::writeAddRowTerms(ArrayRef<tile::AddRowTermsOp> together) {
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
  const Values added = addRowTerms(
      weights, {indexOf(first.getRow()), indexOf(first.getGroup()), indexOf(first.getColumn())}, sums);
  const size_t rows = schedule_.getRows();
  for (auto [place, add] : llvm::enumerate(together)) {
    tile::AddRowTermsOp op = add;
    row_sums_[op.getResult()] = Values(ArrayRef(added).slice(place * rows, rows));
  }
  return success();
}

LogicalResult RowProgram::writeStore(tile::StoreRowsOp store) {
  Value sums = sums_.lookup(store.getValue()), target = operands_.lookup(store.getTarget());
  if (!sums || !target)
    return store.emitOpError(sums ? "must store to a result of the kernel"
                                  : "stores sums of which terms are still to come");
  Value zero = math_.constant(0);
  sm::StoreSumsOp::create(
      builder_, location_, sums, target, zero,
      ValueRange{indexOf(store.getColumn()), indexOf(store.getGroup()), zero, indexOf(store.getRow())});
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

LogicalResult RowProgram::write() {
  auto own = *source_.getBody().getOps<tile::ForallOp>().begin();
  sortOperands();
  if (failed(check(own)) || failed(declare(own)))
    return failure();
  return writeFor(own);
}

Value RowProgram::wide(int64_t value) {
  return arith::ConstantIntOp::create(builder_, location_, builder_.getI64Type(), value);
}

Value RowProgram::wide(Value index) {
  return arith::IndexCastUIOp::create(builder_, location_, builder_.getI64Type(), index);
}

Value RowProgram::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder_, location_, predicate, a, b);
}

RowProgram::Values RowProgram::choose(Value condition, TypeRange types, function_ref<Values()> yes,
                                      function_ref<Values()> no) {
  auto branch = scf::IfOp::create(builder_, location_, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder_, location_, yes());
  builder_.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder_, location_, no());
  return Values(branch.getResults());
}

void RowProgram::when(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder_, location_, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  body();
}

RowProgram::Values RowProgram::loop(Value first, Value end, Value step, ValueRange carried,
                                    function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder_, location_, first, end, step, carried);
  OpBuilder::InsertionGuard guard(builder_);
  if (carried.empty()) {
    builder_.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar(), {});
  } else {
    builder_.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(builder_, location_, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  }
  return Values(loop.getResults());
}

} // namespace compiler
