// Kernels of two layers: what a program has to be, what its kernel takes, and which groups a block goes
// through.
#include "compiler/targets/thread_block/chained_program.h"
#include "compiler/targets/thread_block/only_op.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

ChainedProgram::ChainedProgram(tile::KernelOp source)
    : KernelProgram(source), schedule_(source.getStagedSchedule()) {}

LogicalResult ChainedProgram::find() {
  tile_.own = onlyOp<tile::ForallOp>(source_.getBody().front());
  tile_.terms = onlyOp<tile::TermsOp>(tile_.own.getBody().front());
  if (!tile_.terms)
    return tile_.own.emitOpError("has the terms of one output group in a kernel of two layers");
  auto once = onlyOp<tile::OnceOp>(tile_.terms.getBody().front());
  if (!once)
    return tile_.terms.emitOpError(
        "must make what its products read in one tile.once where a layer of the kernel feeds another");
  tile_.layer = onlyOp<tile::LayerOp>(once.getBody().front());
  if (!tile_.layer)
    return once.emitOpError("makes the results of one layer");
  tile_.columns = onlyOp<tile::ForOp>(tile_.layer.getBody().front());
  if (!tile_.columns || tile_.columns.getAxes().size() != 1 ||
      cast<tile::AxisAttr>(tile_.columns.getAxes()[0]).getKind() != tile::AxisKind::Columns)
    return tile_.layer.emitOpError("goes through the columns of a group in one loop");
  tile_.hidden_terms = onlyOp<tile::TermsOp>(tile_.columns.getBody().front());
  tile_.store_held = onlyOp<tile::StoreHeldOp>(tile_.columns.getBody().front());
  if (!tile_.hidden_terms || !tile_.store_held)
    return tile_.columns.emitOpError("adds up the terms of a tile, and holds what becomes of it");
  hidden_layout_ = tile_.layer.getLayout();
  hidden_schedule_ = tile_.layer.getStagedSchedule();
  return success();
}

/// One product of each weight matrix, of the terms' own group and columns, and nothing else but `beside`.
static LogicalResult checkProducts(tile::TermsOp terms, Value rows, Value row, Value column, size_t beside) {
  Block &body = terms.getBody().front();
  const auto products = llvm::to_vector(body.getOps<tile::MmaOp>());
  if (products.empty() || products.size() != terms.getInits().size() ||
      llvm::range_size(body.without_terminator()) != products.size() + beside)
    return terms.emitOpError("must add one product to each sum for each term");
  for (tile::MmaOp mma : products) {
    if (mma.getScale())
      return mma.emitOpError("has coefficients, and the terms of a graph have none");
    if (mma.getRows() != rows || mma.getInputGroup() != body.getArgument(0) ||
        mma.getWeightRow() != body.getArgument(1) || mma.getRowType() != terms.getRowType() ||
        mma.getGroup() != terms.getGroup() || mma.getRow() != row || mma.getColumn() != column)
      return mma.emitOpError("must multiply what its terms name, of the rows and columns of its tile");
  }
  return success();
}

LogicalResult ChainedProgram::check() {
  if (schedule_.getCluster() != schedule_.getClusterTypes() || schedule_.hasWarps() ||
      schedule_.getRowsOn() == tile::Side::N || schedule_.ordersGroups())
    return source_.emitOpError("has two layers, whose tiles have rows on the first side, alone and in turn");
  if (schedule_.getPingPong() > 1 &&
      (schedule_.getTileRows() > sm::warpgroup_rows || schedule_.getCluster() > 1 || schedule_.getOverlap()))
    return source_.emitOpError(
        "has two layers, of whose chunks parts of the warpgroups take some each only of "
        "a tile of one warpgroup's rows, without a cluster and without overlap");
  if (schedule_.getStationaryGroups() < 1)
    return source_.emitOpError(
        "has two layers, and goes through at least one group while the hidden group of "
        "its own type stays: give its schedule stationary groups");
  if (!layout_.getTerms().isGraph() || layout_.getAlgebra() != hidden_layout_.getAlgebra() ||
      hidden_layout_.isTransposed() || hidden_layout_.getLift() != tile::LiftKind::Rows)
    return source_.emitOpError("has two layers, which are products of one graph in the lift by rows: there a "
                               "hidden group is read where it is made, or is the rows' own");
  const int64_t groups = layout_.getOut().getCount();
  if (mixesTypes() && !layout_.getTerms().completeGraph())
    return source_.emitOpError("owns several types in a tile or a cluster of two layers, which share blocks "
                               "only of a complete graph");
  for (tile::LayoutAttr layout : {layout_, hidden_layout_})
    if (layout.hasUnequalGroups() || RowSegments::areListed(layout.getRowTypes()))
      return source_.emitOpError(
          "has two layers, whose groups have one width each and whose rows follow from "
          "their positions");
  if (source_results_.size() != 1 || tile_.terms.getInits().size() != 1)
    return source_.emitOpError("has two layers, of which the second computes one product and writes it");
  if (schedule_.getColumns() < layout_.getOut().getWidth(0))
    return source_.emitOpError("has two layers: a tile has all ")
           << layout_.getOut().getWidth(0) << " columns of its group, got " << schedule_.getColumns();
  const int64_t cluster = schedule_.getClusterTypes();
  if (schedule_.getTypes() * cluster > groups)
    return source_.emitOpError("owns ")
           << schedule_.getTypes() << " types in a tile" << (cluster > 1 ? " of a cluster of " : "")
           << (cluster > 1 ? std::to_string(cluster) : "") << ", of " << groups << " that there are";
  for (tile::StagedAttr schedule : {schedule_, hidden_schedule_})
    if (schedule.getDepth() % (cluster * sm::swizzle_rows) != 0)
      return source_.emitOpError("runs in clusters of ")
             << cluster << " blocks along the types, but " << schedule.getDepth()
             << " rows of a weight matrix have no parts that are multiples of " << sm::swizzle_rows;
  const bool rows_read = llvm::any_of(source_operands_, [](BlockArgument operand) {
    auto matrix = dyn_cast<tile::MatrixType>(operand.getType());
    return matrix && matrix.getRows() != 1;
  });
  if (schedule_.getTypes() > 1 && rows_read)
    return source_.emitOpError("owns several types in a tile of two layers: its maps read no rows");
  if (!goesBy(tile_.own, {{tile::AxisKind::Types, schedule_.getTypes()},
                          {tile::AxisKind::Rows, schedule_.getRows()},
                          {tile::AxisKind::Groups, 1},
                          {tile::AxisKind::Columns, schedule_.getColumns()}}))
    return tile_.own.emitOpError("must own one tile of the schedule");
  return checkPlaces();
}

/// Everything is of the rows, groups and columns that the tile owns, or that its terms name.
LogicalResult ChainedProgram::checkPlaces() {
  Value type = tile_.own.getIndex(tile::AxisKind::Types), row = tile_.own.getIndex(tile::AxisKind::Rows),
        group = tile_.own.getIndex(tile::AxisKind::Groups),
        column = tile_.own.getIndex(tile::AxisKind::Columns);
  Value hidden_group = tile_.terms.getBody().front().getArgument(0),
        hidden_column = tile_.columns.getBody().front().getArgument(0);
  auto once = cast<tile::OnceOp>(tile_.layer->getParentOp());
  if (tile_.terms.getRowType() != type || tile_.terms.getGroup() != group)
    return tile_.terms.emitOpError("must go through the terms of what its tile owns");
  if (once.getRowType() != type || once.getGroup() != hidden_group)
    return once.emitOpError("must make the input group that the terms around it name");
  if (tile_.hidden_terms.getRowType() != type || tile_.hidden_terms.getGroup() != hidden_group)
    return tile_.hidden_terms.emitOpError("must go through the terms of the input group that is made");
  tile::StoreHeldOp store = tile_.store_held;
  if (store.getRowType() != type || store.getRow() != row || store.getGroup() != hidden_group ||
      store.getColumn() != hidden_column)
    return store.emitOpError("must hold the columns of the input group that are made");
  Block &made = tile_.columns.getBody().front();
  for (Operation &op : llvm::make_range(std::next(tile_.hidden_terms->getIterator()), made.end()))
    if (!isa<tile::MapOp, tile::MaskOp, tile::StoreHeldOp, tile::ZeroOp, arith::ConstantOp>(op))
      return op.emitOpError("is not something that a kernel of two layers does with hidden sums");
  for (auto result : tile_.own.getBody().front().getOps<tile::StoreOp>())
    if (result.getRowType() != type || result.getRow() != row || result.getGroup() != group ||
        result.getColumn() != column || result.getTarget() != source_results_.front())
      return result.emitOpError("must store what its tile owns to Y");
  return failure(
      failed(checkProducts(tile_.terms, store.getTarget(), row, column, /*beside=*/1)) ||
      failed(checkProducts(tile_.hidden_terms, source_.getBody().getArgument(0), row, hidden_column,
                           /*beside=*/0)));
}

sm::AccumulatorType ChainedProgram::sumsOf(tile::StagedAttr schedule) {
  return sm::AccumulatorType::get(source_.getContext(), schedule.getTileRows(), schedule.getColumns());
}

//===--------------------------------------------------------------------------------------------===//
// What the kernel takes
//===--------------------------------------------------------------------------------------------===//

sm::MapsType ChainedProgram::mapsOfRows(tile::MatrixType matrix) {
  const bool one = matrix.getColumns() == 1;
  constexpr int64_t pair = 2; // sums lie in pairs of columns
  const int64_t count = RowSegments::maps(layout_.getRowTypes());
  return sm::MapsType::getChecked([&] { return source_.emitError(); }, builder_.getContext(), count,
                                  schedule_.getRows(), one ? 1 : schedule_.getColumns(),
                                  matrix.getElementType(), int64_t{3}, int64_t{0}, one ? int64_t{1} : pair,
                                  /*unequal=*/false, /*listed=*/false, runOf(count));
}

sm::MapsType ChainedProgram::mapsOfFurtherWeights(size_t number) {
  if (number < tile_.hidden_terms.getInits().size())
    return cast<sm::MapsType>(w_.getType());
  auto matrix = cast<tile::MatrixType>(source_weights_[number].getType());
  return mapsOf(1, schedule_.getDepth() / schedule_.getClusterTypes(), schedule_.getColumns(),
                matrix.getElementType(), 2, 0);
}

tile::LayoutAttr ChainedProgram::layoutOf(BlockArgument operand) {
  const bool of_hidden = llvm::any_of(operand.getUsers(), [](Operation *user) {
    return static_cast<bool>(user->getParentOfType<tile::LayerOp>());
  });
  return of_hidden ? hidden_layout_ : layout_;
}

/// The kernel with its operands; the builder stands in its body afterwards.
FailureOr<sm::KernelOp> ChainedProgram::declare() {
  if (failed(checkOperands()))
    return failure();
  auto element = [](BlockArgument matrix) {
    return cast<tile::MatrixType>(matrix.getType()).getElementType();
  };
  for (BlockArgument operand : source_operands_)
    if (auto matrix = dyn_cast<tile::MatrixType>(operand.getType());
        matrix && matrix.getRows() != 1 && matrix.getColumns() != 1 && layoutOf(operand) != layout_)
      return source_.emitOpError("has two layers, and maps of the first one read elements of a matrix beside "
                                 "its sums: they read numbers of columns and rows");
  const int64_t maps = RowSegments::maps(layout_.getRowTypes()), rows = schedule_.getRows();
  sm::MapsType x = mapsOf(maps, rows, hidden_schedule_.getDepth(), element(source_.getBody().getArgument(0)),
                          3, 0),
               w = mapsOf(1, hidden_schedule_.getDepth() / schedule_.getClusterTypes(),
                          hidden_schedule_.getColumns(), element(source_weights_.front()), 2, 0),
               y = mapsOf(maps, rows, schedule_.getColumns(), element(source_results_.front()), 3, 0);
  if (!x || !w || !y)
    return failure();
  sm::KernelOp kernel = KernelProgram::declare(x, w, y);
  kernel.setHiddenLayoutAttr(hidden_layout_);
  kernel.setHiddenScheduleAttr(hidden_schedule_);
  Block &body = kernel.getBody().front();
  if (failed(declareFurther(body)))
    return failure();
  builder_.setInsertionPointToEnd(&body);
  return kernel;
}

//===--------------------------------------------------------------------------------------------===//
// Which groups a block goes through
//===--------------------------------------------------------------------------------------------===//

LogicalResult ChainedProgram::write() {
  if (failed(find()))
    return failure();
  sortOperands();
  if (failed(check()) || failed(declare()))
    return failure();
  kept_ =
      sm::KeptRowsOp::create(builder_, location_,
                             sm::BlockType::get(builder_.getContext(), schedule_.getTileRows(),
                                                chunks() * schedule_.getDepth(), builder_.getBF16Type(), 0),
                             chunks());
  sm::WaitForPredecessorOp::create(builder_, location_);
  segments_.emplace(math_, layout_.getRowTypes(), rows_, offset_, x_);
  return writeTurns();
}

/// A turn is one block of rows, of each type of a tile, with consecutive groups. From fast to slow turns are
/// numbered by groups, block of rows, segments, so that turns at one time share the weight matrices of few
/// types. The blocks of a cluster take the same turn, each with types of its own.
LogicalResult ChainedProgram::writeTurns() {
  const int64_t groups = layout_.getOut().getCount(), together = schedule_.getStationaryGroups(),
                group_turns = llvm::divideCeil(groups, together), types = schedule_.getTypes(),
                cluster = schedule_.getClusterTypes();
  Value row_blocks = math_.ceilDivide(segments_->longest(), schedule_.getRows());
  Value segments = math_.ceilDivide(segments_->count(), types * cluster);
  Value turns = math_.multiply(math_.multiply(segments, row_blocks), group_turns);
  Value first = sm::BlockIndexOp::create(builder_, location_, builder_.getIndexType());
  Value blocks = sm::BlockCountOp::create(builder_, location_, builder_.getIndexType());
  if (cluster > 1) {
    place_in_cluster_.emplace(builder_, location_, cluster, 1);
    first = math_.divide(first, cluster);
    blocks = math_.divide(blocks, cluster);
  }
  auto loop = scf::ForOp::create(builder_, location_, first, turns, blocks);
  builder_.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  Value first_group = math_.multiply(math_.remainder(number, group_turns), together);
  number = math_.divide(number, group_turns);
  Value row = math_.multiply(math_.remainder(number, row_blocks), schedule_.getRows());
  Value segment = math_.multiply(math_.divide(number, row_blocks), types * cluster);
  // Some part has rows, of this block or of another one of the cluster, which all load for each other.
  Value exists;
  for (int64_t part = 0; part < types * cluster; ++part) {
    Value here = segments_->blockAt(math_, math_.add(segment, part), row).exists;
    exists = exists ? math_.either(exists, here) : here;
  }
  if (cluster > 1)
    segment = math_.add(segment, math_.multiply(place_in_cluster_->row, types));
  Place place;
  for (int64_t part = 0; part < types; ++part)
    place.parts.push_back(segments_->blockAt(math_, math_.add(segment, part), row));

  auto has_rows = scf::IfOp::create(builder_, location_, exists, /*withElseRegion=*/false);
  builder_.setInsertionPoint(has_rows.thenBlock()->getTerminator());
  place.rows_of_types = hold(place, /*group=*/Value(), /*stages=*/1);
  if (failed(writeOwnHidden(place)))
    return failure();
  Value end = math_.least(math_.add(first_group, together), groups);
  auto over_groups = scf::ForOp::create(builder_, location_, first_group, end, math_.constant(1));
  builder_.setInsertionPoint(over_groups.getBody()->getTerminator());
  return writeGroup(place, over_groups.getInductionVar());
}

} // namespace compiler
