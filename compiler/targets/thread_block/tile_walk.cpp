// How a thread block goes through tiles: by number, alone or in a cluster, one by one or all of some groups.
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

// Where blocks run in clusters, tiles do, too: all of a cluster go through the same steps together.
Value ThreadBlockProgram::rowClusters() const {
  const std::int64_t rows = schedule.getRows() * schedule.getClusterRows();
  if (layout.isBankGradient())
    return math.constant((layout.getBank().getWidest() + rows - 1) / rows);
  return math.ceilDivide(lines->longest(), rows);
}

Value ThreadBlockProgram::lineCount() const {
  return layout.isBankGradient() ? math.constant(layout.getBank().getCount()) : lines->count();
}

std::int64_t ThreadBlockProgram::groupCount() const {
  return layout.isBankGradient() ? layout.getBankColumns() : layout.getOut().getCount();
}

std::int64_t ThreadBlockProgram::columnClusters() const {
  const std::int64_t columns = schedule.getColumns() * schedule.getClusterColumns();
  return (layout.getOut().getWidest() + columns - 1) / columns;
}

std::pair<Value, Value> ThreadBlockProgram::workers() {
  Value first = sm::BlockIndexOp::create(builder, location, builder.getIndexType());
  Value blocks = sm::BlockCountOp::create(builder, location, builder.getIndexType());
  if (schedule.getCluster() == 1)
    return {first, blocks};
  if (splits())
    rank = sm::ClusterRankOp::create(builder, location, builder.getIndexType());
  else
    place.emplace(builder, location, schedule.getClusterRows(), schedule.getClusterColumns());
  first = math.divide(first, schedule.getCluster());
  return {first, math.divide(blocks, schedule.getCluster())};
}

void ThreadBlockProgram::shiftInCluster(Tile &tile) {
  tile.row = math.add(tile.row, math.multiply(place->row, schedule.getRows()));
  tile.column = math.add(tile.column, math.multiply(place->column, schedule.getColumns()));
}

LogicalResult ThreadBlockProgram::writeWalk(tile::OwnOp own) {
  if (schedule.ordersGroups())
    return writeOrderedWalk(own);
  const std::int64_t groups = groupCount();
  const std::int64_t cluster_columns = schedule.getClusterColumns(), cluster_rows = schedule.getClusterRows();
  const std::int64_t column_clusters = columnClusters();
  Value row_clusters = rowClusters();
  Value line_blocks = hasParts() ? math.ceilDivide(lineCount(), schedule.getTypes()) : lineCount();
  // A turn is a tile, or where rows of X stay all tiles of some groups.
  const std::int64_t held = schedule.getHeldGroups();
  const std::int64_t column_turns = holds() ? 1 : column_clusters;
  const std::int64_t group_turns = holds() ? (groups + held - 1) / held : groups;
  Value tiles = math.multiply(math.multiply(line_blocks, row_clusters), group_turns * column_turns);

  const auto [first, blocks] = workers();
  auto loop = scf::ForOp::create(builder, location, first, tiles, blocks);
  builder.setInsertionPoint(loop.getBody()->getTerminator());

  // From fast to slow: column block, group, row block, line; or with the group the slowest.
  Value number = loop.getInductionVar();
  auto peel = [&](auto extent) {
    Value index = math.remainder(number, extent);
    number = math.divide(number, extent);
    return index;
  };
  const bool groups_outside = schedule.getOuter() == tile::AxisKind::Groups;
  Tile tile;
  auto groupAt = [&](Value turn) { return math.multiply(turn, std::max<std::int64_t>(held, 1)); };
  tile.column = math.multiply(peel(column_turns), schedule.getColumns() * cluster_columns);
  if (!groups_outside)
    tile.group = groupAt(peel(group_turns));
  tile.row = math.multiply(peel(row_clusters), schedule.getRows() * cluster_rows);
  Value line_number = groups_outside ? peel(line_blocks) : number;
  if (groups_outside)
    tile.group = groupAt(number);

  // Lines differ in length, so that the last block of rows of a line may be empty. A block of a cluster has a
  // part of what the others need, even where it has no rows or columns of its own: the condition is that of
  // the first one.
  Value is_there = locate(line_number, tile);
  if (layout.hasUnequalGroups())
    is_there = math.both(is_there, isWithinGroups(tile));
  auto exists = scf::IfOp::create(builder, location, is_there, /*withElseRegion=*/false);
  if (place) {
    builder.setInsertionPoint(exists);
    shiftInCluster(tile);
  }
  builder.setInsertionPoint(exists.thenBlock()->getTerminator());
  return writeTurn(own, tile);
}

/// A tile, or all those of a walk over groups that begins with it.
LogicalResult ThreadBlockProgram::writeTurn(tile::OwnOp own, Tile &tile) {
  if (!holds())
    return writeTile(own, tile);
  writeHold(tile);
  Value end =
      math.least(math.add(tile.group, schedule.getHeldGroups()), math.constant(layout.getOut().getCount()));
  auto over_groups = scf::ForOp::create(builder, location, tile.group, end, math.constant(1));
  builder.setInsertionPoint(over_groups.getBody()->getTerminator());
  tile.group = over_groups.getInductionVar();
  auto over_columns =
      scf::ForOp::create(builder, location, math.constant(0), math.constant(layout.getOut().getWidth(0)),
                         math.constant(schedule.getColumns()));
  builder.setInsertionPoint(over_columns.getBody()->getTerminator());
  tile.column = over_columns.getInductionVar();
  return writeTile(own, tile);
}

/// The rows of each part of its type's own group, all their columns.
void ThreadBlockProgram::writeHold(Tile &tile) {
  const std::int64_t depth = schedule.getDepth();
  SmallVector<Value> maps, coordinates;
  for (const RowLines::RowBlock &block : tile.parts) {
    maps.push_back(block.line.map);
    coordinates.append({math.constant(0), block.line.type, block.line.line, block.row});
  }
  const sm::BlockType box = blockOf(x, schedule.getTypes());
  const std::int64_t columns = (layout.getIn().getWidth(0) + depth - 1) / depth * depth;
  tile.held = sm::HoldOp::create(
      builder, location,
      sm::BlockType::get(box.getContext(), box.getRows(), columns, box.getElementType(), 0), x, maps,
      coordinates);
}

/// Where groups have unequal widths, tiles are numbered as if all were as wide as the widest.
Value ThreadBlockProgram::isWithinGroups(const Tile &tile) {
  // The lists with which the table begins: input groups, output groups, row groups of the bank, as the layer
  // has them. What is written of dX are input groups.
  const std::int64_t in = layout.isTransposed() ? layout.getOut().getCount() : layout.getIn().getCount(),
                     out = layout.isTransposed() ? layout.getIn().getCount() : layout.getOut().getCount();
  const std::int64_t first_out = in + 1, first_row_group = first_out + out + 1;
  auto width = [&](std::int64_t list, Value group) {
    Value at = math.add(group, list);
    return math.subtract(math.readTerms(table, math.add(at, 1)), math.readTerms(table, at));
  };
  Value within = math.less(tile.column, width(layout.isTransposed() ? 0 : first_out, tile.group));
  if (layout.isBankGradient())
    within = math.both(within, math.less(tile.row, width(first_row_group, tile.bank_row)));
  return within;
}

Value ThreadBlockProgram::locate(Value number, Tile &tile) {
  if (layout.isBankGradient()) {
    // Every tile of dW is written.
    tile.bank_row = number;
    return math.equal(math.constant(0), math.constant(0));
  }
  if (!hasParts()) {
    tile.line = lines->at(math, number);
    return math.less(tile.row, tile.line.rows);
  }
  // Consecutive lines have consecutive types. Those of runs may be shorter before as well as behind.
  Value first = math.multiply(number, schedule.getTypes());
  tile.present = math.constant(0);
  for (std::int64_t part = 0; part < schedule.getTypes(); ++part) {
    const RowLines::RowBlock block = lines->blockAt(math, math.add(first, part), tile.row);
    tile.present = math.select(block.exists, math.constant(part + 1), tile.present);
    tile.parts.push_back(block);
  }
  return math.less(math.constant(0), tile.present);
}

} // namespace compiler
