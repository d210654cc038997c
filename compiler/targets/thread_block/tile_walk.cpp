// How a thread block goes through tiles: by number, alone or in a cluster, one by one or all of some groups.
#include "compiler/targets/thread_block/table_words.h"
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

// Where blocks run in clusters, tiles do, too: all of a cluster go through the same steps together.
Value ThreadBlockProgram::rowClusters() const {
  const int64_t rows = schedule_.getRows() * schedule_.getClusterRows();
  if (layout_.isWeightGradient())
    return math_.constant((layout_.getWeights().getWidest() + rows - 1) / rows);
  return math_.ceilDivide(segments_->longest(), rows);
}

Value ThreadBlockProgram::segmentCount() const {
  return layout_.isWeightGradient() ? math_.constant(layout_.getWeights().getCount()) : segments_->count();
}

int64_t ThreadBlockProgram::groupCount() const {
  return layout_.isWeightGradient() ? layout_.getWeightColumns() : layout_.getOut().getCount();
}

int64_t ThreadBlockProgram::columnClusters() const {
  const int64_t columns = schedule_.getColumns() * schedule_.getClusterColumns();
  return (layout_.getOut().getWidest() + columns - 1) / columns;
}

int64_t ThreadBlockProgram::narrowColumns() const {
  const int64_t columns = schedule_.getColumns(), width = layout_.getOut().getWidest();
  const int64_t rest = width - (width - 1) / columns * columns;
  return (rest + sm::mma_columns - 1) / sm::mma_columns * sm::mma_columns;
}

// Instructions of warps are small, and divide a tile anyway; warpgroups that hold columns of the sums have 64
// of them each, whatever the group has; blocks that divide sums give each other parts of one width, and so do
// pieces in which several results are stored.
Value ThreadBlockProgram::isNarrow(const Tile &tile) const {
  if (schedule_.hasWarps() || schedule_.getRowsOn() == tile::Side::N || splits() || storesInPieces() ||
      narrowColumns() == schedule_.getColumns())
    return {};
  // A block of a cluster may have no columns at all.
  const int64_t last = (layout_.getOut().getWidest() - 1) / schedule_.getColumns() * schedule_.getColumns();
  if (last == 0)
    return math_.equal(0, 0);
  return math_.less(last - 1, tile.column);
}

void ThreadBlockProgram::markNarrow(Value block, const Tile &tile) const {
  auto fetch = block.getDefiningOp<sm::FetchOp>();
  if (!tile.narrow || !fetch)
    return;
  fetch.getNarrowMutable().assign(tile.narrow);
  fetch.setNarrowColumns(narrowColumns());
}

std::pair<Value, Value> ThreadBlockProgram::workers() {
  Value first = sm::BlockIndexOp::create(builder_, location_, builder_.getIndexType());
  Value blocks = sm::BlockCountOp::create(builder_, location_, builder_.getIndexType());
  if (schedule_.getCluster() == 1)
    return {first, blocks};
  if (splits())
    rank_ = sm::ClusterRankOp::create(builder_, location_, builder_.getIndexType());
  else
    place_.emplace(builder_, location_, schedule_.getClusterRows(), schedule_.getClusterColumns());
  first = math_.divide(first, schedule_.getCluster());
  return {first, math_.divide(blocks, schedule_.getCluster())};
}

void ThreadBlockProgram::shiftInCluster(Tile &tile) {
  tile.row = math_.add(tile.row, math_.multiply(place_->row, schedule_.getRows()));
  tile.column = math_.add(tile.column, math_.multiply(place_->column, schedule_.getColumns()));
}

LogicalResult ThreadBlockProgram::writeFor(tile::ForallOp own) {
  if (schedule_.ordersGroups())
    return writeOrderedWalk(own);
  const int64_t groups = groupCount();
  const int64_t cluster_columns = schedule_.getClusterColumns(), cluster_rows = schedule_.getClusterRows();
  const int64_t column_clusters = columnClusters();
  Value row_clusters = rowClusters();
  Value segment_blocks = hasParts() ? math_.ceilDivide(segmentCount(), schedule_.getTypes()) : segmentCount();
  // A turn is a tile, or where rows of X stay all tiles of some groups, or where sums stay the tiles of all
  // groups that have the same columns.
  const int64_t stationary = schedule_.getStationaryGroups();
  const int64_t column_turns = holds() ? 1 : column_clusters;
  const int64_t group_turns = holds()               ? (groups + stationary - 1) / stationary
                              : hasStationarySums() ? 1
                                                    : groups;
  Value tiles = math_.multiply(math_.multiply(segment_blocks, row_clusters), group_turns * column_turns);

  const auto [first, blocks] = workers();
  auto loop = scf::ForOp::create(builder_, location_, first, tiles, blocks);
  builder_.setInsertionPoint(loop.getBody()->getTerminator());

  // From fast to slow: column block, group, row block, segment; or with the group the slowest.
  Value number = loop.getInductionVar();
  auto peel = [&](auto extent) {
    Value index = math_.remainder(number, extent);
    number = math_.divide(number, extent);
    return index;
  };
  const bool groups_outside = schedule_.getOuter() == tile::AxisKind::Groups;
  Tile tile;
  auto group_at = [&](Value turn) { return math_.multiply(turn, std::max<int64_t>(stationary, 1)); };
  tile.column = math_.multiply(peel(column_turns), schedule_.getColumns() * cluster_columns);
  if (!groups_outside)
    tile.group = group_at(peel(group_turns));
  tile.row = math_.multiply(peel(row_clusters), schedule_.getRows() * cluster_rows);
  Value line_number = groups_outside ? peel(segment_blocks) : number;
  if (groups_outside)
    tile.group = group_at(number);

  // Segments differ in length, so that the last block of rows of a segment may be empty. A block of a cluster
  // has a part of what the others need, even where it has no rows or columns of its own: the condition is
  // that of the first one.
  Value is_there = locate(line_number, tile);
  if (layout_.hasUnequalGroups())
    is_there = math_.both(is_there, isWithinGroups(tile));
  auto exists = scf::IfOp::create(builder_, location_, is_there, /*withElseRegion=*/false);
  if (place_) {
    builder_.setInsertionPoint(exists);
    shiftInCluster(tile);
  }
  builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
  return writeTurn(own, tile);
}

/// A tile, or all those of a walk over groups.
LogicalResult ThreadBlockProgram::writeTurn(tile::ForallOp own, Tile &tile) {
  if (hasStationarySums())
    return writeStationarySums(own, tile);
  if (!holds())
    return writeTile(own, tile);
  writeHold(tile);
  Value end =
      math_.least(math_.add(tile.group, schedule_.getStationaryGroups()), layout_.getOut().getCount());
  auto over_groups = scf::ForOp::create(builder_, location_, tile.group, end, math_.constant(1));
  builder_.setInsertionPoint(over_groups.getBody()->getTerminator());
  tile.group = over_groups.getInductionVar();
  auto over_columns =
      scf::ForOp::create(builder_, location_, math_.constant(0), math_.constant(layout_.getOut().getWidth(0)),
                         math_.constant(schedule_.getColumns()));
  builder_.setInsertionPoint(over_columns.getBody()->getTerminator());
  tile.column = over_columns.getInductionVar();
  return writeTile(own, tile);
}

/// The rows of each part of its type's own group, all their columns.
void ThreadBlockProgram::writeHold(Tile &tile) {
  const int64_t depth = schedule_.getDepth();
  SmallVector<Value> maps, coordinates;
  for (const RowSegments::RowBlock &block : tile.parts) {
    maps.push_back(block.segment.map);
    coordinates.append({math_.constant(0), block.segment.type, block.segment.segment, block.row});
  }
  const sm::BlockType box = blockOf(x_, schedule_.getTypes());
  const int64_t columns = (layout_.getIn().getWidth(0) + depth - 1) / depth * depth;
  tile.held = sm::HoldOp::create(
      builder_, location_,
      sm::BlockType::get(box.getContext(), box.getRows(), columns, box.getElementType(), 0), x_, maps,
      coordinates);
}

/// Where groups have unequal widths, tiles are numbered as if all were as wide as the widest.
Value ThreadBlockProgram::isWithinGroups(const Tile &tile) {
  // The lists with which the table begins: input groups, output groups, row groups of the weight matrix, as
  // the layer has them. What is written of dX are input groups.
  const int64_t in = layout_.isTransposed() ? layout_.getOut().getCount() : layout_.getIn().getCount(),
                out = layout_.isTransposed() ? layout_.getIn().getCount() : layout_.getOut().getCount();
  const int64_t first_out = in + 1, first_row_group = first_out + out + 1;
  auto width = [&](int64_t list, Value group) {
    Value at = math_.add(group, list);
    return math_.subtract(readTerms(math_, table_, math_.add(at, 1)), readTerms(math_, table_, at));
  };
  Value within = math_.less(tile.column, width(layout_.isTransposed() ? 0 : first_out, tile.group));
  if (layout_.isWeightGradient())
    within = math_.both(within, math_.less(tile.row, width(first_row_group, tile.weight_row)));
  return within;
}

Value ThreadBlockProgram::locate(Value number, Tile &tile) {
  if (layout_.isWeightGradient()) {
    // Every tile of dW is written.
    tile.weight_row = number;
    return math_.equal(0, 0);
  }
  if (!hasParts()) {
    tile.segment = segments_->at(math_, number);
    return math_.less(tile.row, tile.segment.rows);
  }
  // Consecutive segments have consecutive types. Those of runs may be shorter before as well as behind.
  Value first = math_.multiply(number, schedule_.getTypes());
  tile.present = math_.constant(0);
  for (int64_t part = 0; part < schedule_.getTypes(); ++part) {
    const RowSegments::RowBlock block = segments_->blockAt(math_, math_.add(first, part), tile.row);
    tile.present = math_.select(block.exists, part + 1, tile.present);
    tile.parts.push_back(block);
  }
  return math_.less(0, tile.present);
}

} // namespace compiler
