// Kernels of two layers for few rows: what a program has to be, and what its kernel takes.
#include "compiler/targets/thread_block/chained_row_program.h"
#include "compiler/targets/thread_block/only_op.h"

#include "runtime/gpu_kernel_abi.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

/// Whether a loop goes through the columns of a group in such steps.
static bool goesThroughColumns(tile::ForOp loop, int64_t step) {
  if (!loop || loop.getAxes().size() != 1)
    return false;
  auto axis = cast<tile::AxisAttr>(loop.getAxes()[0]);
  return axis.getKind() == tile::AxisKind::Columns && axis.getStep() == step;
}

LogicalResult ChainedRowProgram::find() {
  tile_.own = onlyOp<tile::ForallOp>(source_.getBody().front());
  Block &task = tile_.own.getBody().front();
  tile_.row_terms = onlyOp<tile::RowTermsOp>(task);
  tile_.columns = onlyOp<tile::ForOp>(task);
  if (!tile_.row_terms || !goesThroughColumns(tile_.columns, schedule_.getColumns()))
    return tile_.own.emitOpError("makes what one layer leaves in one tile.row_terms, and goes through the "
                                 "columns of its group in one loop, ")
           << schedule_.getColumns() << " at a time";
  tile_.layer = onlyOp<tile::LayerOp>(tile_.row_terms.getBody().front());
  if (!tile_.layer)
    return tile_.row_terms.emitOpError("makes the results of one layer");
  hidden_layout_ = tile_.layer.getLayout();
  hidden_schedule_ = tile_.layer.getReducedSchedule();
  tile_.hidden_columns = onlyOp<tile::ForOp>(tile_.layer.getBody().front());
  if (!goesThroughColumns(tile_.hidden_columns, hidden_schedule_.getColumns()))
    return tile_.layer.emitOpError("goes through the columns of a group in one loop, ")
           << hidden_schedule_.getColumns() << " at a time";
  Block &hidden = tile_.hidden_columns.getBody().front(), &own = tile_.columns.getBody().front();
  llvm::append_range(tile_.hidden_terms, hidden.getOps<tile::AddRowTermsOp>());
  tile_.hidden_store = onlyOp<tile::StoreRowsOp>(hidden);
  tile_.terms = onlyOp<tile::AddRowTermsOp>(own);
  tile_.store = onlyOp<tile::StoreRowsOp>(own);
  if (tile_.hidden_terms.empty() || !tile_.hidden_store)
    return tile_.hidden_columns.emitOpError("adds up the terms of its products, and stores what becomes of "
                                            "them once");
  if (!tile_.terms || !tile_.store)
    return tile_.columns.emitOpError("adds up the terms of one product, and stores what becomes of it once");
  return checkOrder();
}

/// What is hidden is made before it is multiplied, and nothing else is done.
LogicalResult ChainedRowProgram::checkOrder() {
  for (Operation &op : tile_.own.getBody().front())
    if (!isa<tile::BufferOp, tile::RowTermsOp, tile::ForOp, arith::ConstantOp>(op))
      return op.emitOpError("is not something that a kernel of two layers does for few rows");
  for (Block *block : {&tile_.row_terms.getBody().front(), &tile_.layer.getBody().front()})
    for (Operation &op : *block)
      if (!isa<tile::LayerOp, tile::ForOp, tile::YieldOp, arith::ConstantOp>(op))
        return op.emitOpError("is not something that a kernel of two layers does for few rows");
  if (!tile_.row_terms->isBeforeInBlock(tile_.columns))
    return tile_.columns.emitOpError("multiplies what a tile.row_terms behind it makes");
  return success();
}

LogicalResult ChainedRowProgram::check() {
  if (failed(checkLayout(layout_)) || failed(checkLayout(hidden_layout_)) || failed(checkOperands()))
    return failure();
  constexpr int64_t most_groups = int64_t{1} << 20;
  for (tile::LayoutAttr layout : {layout_, hidden_layout_}) {
    if (layout.isTransposed() || layout.getLift() != tile::LiftKind::Rows)
      return source_.emitOpError("has two layers, which are products in the lift by rows");
    if (std::max({layout.getIn().getCount(), layout.getOut().getCount(), layout.getWeights().getCount()}) >=
        most_groups)
      return source_.emitOpError("has two layers, of which each has less than ") << most_groups << " groups";
  }
  if (hidden_layout_.getAlgebra() != layout_.getAlgebra())
    return source_.emitOpError("has two layers, which are products of one algebra");
  if (hidden_schedule_.getColumns() % algrt_reduction_depth != 0)
    return tile_.layer.emitOpError("makes ")
           << hidden_schedule_.getColumns()
           << " hidden columns at a time: " << static_cast<int64_t>(algrt_reduction_depth)
           << " or several times as many";
  const int64_t width = layout_.getOut().getWidth(0), step = schedule_.getColumns();
  if (!goesBy(tile_.own, {{tile::AxisKind::Batch, schedule_.getRows()},
                          {tile::AxisKind::Groups, 1},
                          {tile::AxisKind::Columns, llvm::divideCeil(width, step) * step}}))
    return tile_.own.emitOpError("must own rows with all columns of a group: <batch, ")
           << schedule_.getRows() << ">, <groups, 1>, <columns, " << llvm::divideCeil(width, step) * step
           << ">";
  if (failed(checkPlaces()))
    return failure();
  // The weight matrices of the first layer, in the order of its products, and then that of the second.
  SmallVector<Value> multiplied;
  for (tile::AddRowTermsOp add : tile_.hidden_terms)
    multiplied.push_back(add.getWeights());
  multiplied.push_back(tile_.terms.getWeights());
  if (multiplied != SmallVector<Value>(source_weights_.begin(), source_weights_.end()))
    return source_.emitOpError(
        "takes a weight matrix for each product of its first layer, in their order, and "
        "then that of the second");
  const bool reads_elements = llvm::any_of(source_operands_, [&](BlockArgument operand) {
    auto matrix = dyn_cast<tile::MatrixType>(operand.getType());
    return matrix && matrix.getRows() != 1 && matrix.getColumns() != 1 && isOfFirstLayer(operand);
  });
  if (reads_elements)
    return source_.emitOpError("has two layers, and maps of the first one read elements of a matrix beside "
                               "its sums: they read numbers of columns and rows");
  return success();
}

/// Everything is of the rows, groups and columns that the task owns, or that its terms name.
LogicalResult ChainedRowProgram::checkPlaces() {
  Value row = tile_.own.getIndex(tile::AxisKind::Batch), group = tile_.own.getIndex(tile::AxisKind::Groups),
        hidden_group = tile_.row_terms.getBody().front().getArgument(0),
        hidden_column = tile_.hidden_columns.getBody().front().getArgument(0),
        column = tile_.columns.getBody().front().getArgument(0);
  if (tile_.row_terms.getRow() != row || tile_.row_terms.getGroup() != group)
    return tile_.row_terms.emitOpError("must go through the terms of what its task owns");
  auto check_terms = [&](tile::AddRowTermsOp add, Value rows, Value of_group, Value from) -> LogicalResult {
    if (add.getRows() != rows || add.getRow() != row || add.getGroup() != of_group ||
        add.getColumn() != from || !add.getSums().getDefiningOp<tile::ZeroOp>() ||
        !llvm::is_contained(source_weights_, add.getWeights()))
      return add.emitOpError("must add to zeros the terms of its loop's columns, by a weight matrix of the "
                             "kernel");
    return success();
  };
  for (tile::AddRowTermsOp add : tile_.hidden_terms)
    if (failed(check_terms(add, source_.getBody().getArgument(0), hidden_group, hidden_column)))
      return failure();
  if (failed(check_terms(tile_.terms, tile_.hidden_store.getTarget(), group, column)))
    return failure();
  auto buffer = tile_.hidden_store.getTarget().getDefiningOp<tile::BufferOp>();
  if (!buffer || !buffer.getBuffer().getType().getElementType().isBF16())
    return tile_.hidden_store.emitOpError("must leave bf16 in a buffer of the kernel");
  auto check_store = [&](tile::StoreRowsOp store, Value of_group, Value from) -> LogicalResult {
    if (store.getRow() != row || store.getGroup() != of_group || store.getColumn() != from)
      return store.emitOpError("must store the columns of its loop");
    return success();
  };
  if (failed(check_store(tile_.hidden_store, hidden_group, hidden_column)) ||
      failed(check_store(tile_.store, group, column)))
    return failure();
  if (tile_.store.getTarget() != source_results_.front())
    return tile_.store.emitOpError("must store to Y");
  for (tile::ForOp loop : {tile_.hidden_columns, tile_.columns})
    for (Operation &op : loop.getBody().front())
      if (!isa<tile::MapOp, tile::ZeroOp, tile::AddRowTermsOp, tile::StoreRowsOp, arith::ConstantOp>(op))
        return op.emitOpError("is not something that a kernel of two layers does for few rows");
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// What the kernel takes
//===--------------------------------------------------------------------------------------------===//

sm::MapsType ChainedRowProgram::mapsOfFurtherWeights(size_t number) {
  return mapsOfWeights(source_weights_[number], number < tile_.hidden_terms.size()
                                                    ? hidden_schedule_.getColumns()
                                                    : schedule_.getColumns());
}

bool ChainedRowProgram::isOfFirstLayer(BlockArgument operand) {
  return llvm::any_of(operand.getUsers(), [](Operation *user) {
    return static_cast<bool>(user->getParentOfType<tile::LayerOp>());
  });
}

tile::LayoutAttr ChainedRowProgram::layoutOf(BlockArgument operand) {
  return isOfFirstLayer(operand) ? hidden_layout_ : layout_;
}

bool ChainedRowProgram::readsColumns() {
  return llvm::any_of(source_operands_, [&](BlockArgument operand) {
    auto matrix = dyn_cast<tile::MatrixType>(operand.getType());
    return matrix && matrix.getColumns() != 1 && isOfFirstLayer(operand);
  });
}

int64_t ChainedRowProgram::share() const {
  const int64_t pieces = llvm::divideCeil(hiddenWidth(), algrt_reduction_depth);
  return static_cast<int64_t>(llvm::divideCeil(pieces, schedule_.getCluster())) * algrt_reduction_depth;
}

int64_t ChainedRowProgram::mostTerms() const {
  const algebras::Lift &terms = layout_.getTerms();
  constexpr int64_t of_complete_graph = 2;
  if (terms.completeGraph())
    return terms.types() > 1 ? of_complete_graph : 1;
  int64_t most = 1;
  for (int64_t type = 0; type < terms.types(); ++type)
    for (int64_t group = 0; group < terms.outputGroups(); ++group)
      most = std::max(most, static_cast<int64_t>(terms.terms(type, group).size()));
  return most;
}

LogicalResult ChainedRowProgram::declare() {
  sm::MapsType weights = mapsOfWeights(source_weights_.front(), hidden_schedule_.getColumns());
  if (!weights)
    return failure();
  FailureOr<sm::KernelOp> kernel = declareKernel(weights);
  if (failed(kernel))
    return failure();
  kernel->setHiddenLayoutAttr(hidden_layout_);
  kernel->setHiddenScheduleAttr(hidden_schedule_);
  for (tile::AddRowTermsOp add : tile_.hidden_terms)
    allocateSums(add.getResult(), hidden_schedule_);
  allocateSums(tile_.terms.getResult(), schedule_);
  // The last tile of a share may reach into the next one's columns.
  const int64_t columns = hidden_schedule_.getColumns(),
                kept = static_cast<int64_t>(llvm::divideCeil(share(), columns)) * columns;
  hidden_ = sm::AllocateHiddenBufferOp::create(
      builder_, location_,
      sm::HiddenBufferType::get(builder_.getContext(), mostTerms(), schedule_.getRows(),
                                llvm::alignTo(kept, algrt_reduction_depth)));
  return success();
}

} // namespace compiler
