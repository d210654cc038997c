// How a thread block goes through tiles of unequal length: those of each type's longest groups first.
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/group_order.h"
#include "compiler/targets/thread_block/thread_block_program.h"
#include "compiler/targets/thread_block/turn_order.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace compiler {

LogicalResult ThreadBlockProgram::checkOrder() {
  if (!schedule.ordersGroups())
    return success();
  if (hasParts())
    return source.emitOpError(
        "takes the tiles of long groups first: its tiles have one type and hold no rows");
  if (schedule.getLongGroups() > groupCount())
    return source.emitOpError("has ") << schedule.getLongGroups() << " long groups, of " << groupCount();
  const algebras::Lift &lift = layout.getTerms();
  if (lift.completeGraph() && !lift.isTransposed() && !layout.isBankGradient())
    return source.emitOpError(
        "takes the tiles of long groups first, but in the product of a complete graph no group "
        "has more terms than others");
  return success();
}

/// A long turn against a short one: their steps, and what the end of a tile takes on top, in steps.
Value ThreadBlockProgram::weightOfLongTurn() const {
  // Of dW the bytes of a tile are about as many as a step brings, where the copy engine runs ahead of its end.
  const double steps_of_tile_end = layout.isBankGradient() && !schedule.hasWarps() ? 1 : 4;
  const algebras::Lift &lift = layout.getTerms();
  const std::vector<double> terms = layout.isBankGradient() ? typesByRank(lift) : termsByRank(lift);
  const auto first_short = terms.begin() + schedule.getLongGroups();
  auto average = [](auto begin, auto end) {
    return begin == end ? 0.0 : std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  };
  const std::int64_t depth = schedule.getDepth();
  if (layout.isBankGradient()) {
    // The steps of a type follow from the rows of the batch.
    constexpr double parts = 4;
    Value of_type = BankSteps::stepsOfType(math, layout.getRowTypes(), *lines, depth);
    auto turn = [&](double types) {
      return math.add(math.multiply(of_type, std::llround(types * parts)),
                      std::llround(steps_of_tile_end * parts));
    };
    const double long_types = average(terms.begin(), first_short) / static_cast<double>(schedule.getSplit());
    Value weight = math.divide(turn(long_types), turn(average(first_short, terms.end())));
    return math.greatest(weight, math.constant(1));
  }
  const auto pieces = static_cast<double>((layout.getIn().getWidest() + depth - 1) / depth);
  const double long_steps =
      average(terms.begin(), first_short) * pieces / static_cast<double>(schedule.getSplit());
  const double short_steps = average(first_short, terms.end()) * pieces;
  return math.constant(std::max<std::int64_t>(
      1, std::llround((long_steps + steps_of_tile_end) / (short_steps + steps_of_tile_end))));
}

/// Where the terms table has the groups of type 0 in their order; null where the order follows from the type.
Value ThreadBlockProgram::startOfOrder() {
  const algebras::Lift &lift = layout.getTerms();
  if (lift.completeGraph())
    return {};
  const bool scaled = coefficientsOf(lift) == Coefficients::General, pieces = layout.hasUnequalGroups();
  std::int64_t slots = lift.types() * lift.outputGroups(), words = (scaled ? 3 : 2) + (pieces ? 1 : 0);
  if (layout.isBankGradient()) {
    slots = lift.bankRows() * layout.getBankColumns();
    words =
        BankSteps::wordsOfTerm(scaled ? StepTerms::Coefficients::Numbers : StepTerms::Coefficients::Signs);
  }
  const std::int64_t lists = wordsOfGroupStarts(layout);
  Value terms = math.readTerms(table, math.constant(lists + slots));
  return math.add(math.multiply(terms, words), lists + slots + 1);
}

Value ThreadBlockProgram::groupOfRank(Value order_start, Value type, Value rank) {
  const std::int64_t groups = groupCount();
  if (!order_start) {
    // A type's own group is the long one, and the others follow it.
    Value group = math.add(type, rank), all = math.constant(groups);
    return math.select(math.less(group, all), group, math.subtract(group, all));
  }
  return math.readTerms(table, math.add(order_start, math.add(math.multiply(type, groups), rank)));
}

/// Clusters take long tiles together, and where they divide them each block takes short ones for itself.
LogicalResult ThreadBlockProgram::writeOrderedWalk(tile::OwnOp own) {
  const std::int64_t groups = groupCount(), long_groups = schedule.getLongGroups();
  const std::int64_t column_clusters = columnClusters();
  Value row_clusters = rowClusters(), line_count = lineCount();
  Value tiles_of_rank = math.multiply(math.multiply(line_count, row_clusters), column_clusters);
  Value long_tiles = math.multiply(tiles_of_rank, long_groups),
        short_tiles = math.multiply(tiles_of_rank, groups - long_groups);
  Value short_turns = math.ceilDivide(short_tiles, schedule.getSplit());
  const auto [worker, all_workers] = workers();
  Value order_start = startOfOrder();
  const TurnOrder order(math, long_tiles, short_turns, worker, all_workers, weightOfLongTurn());
  auto loop = scf::ForOp::create(builder, location, math.constant(0), order.count(), math.constant(1));
  builder.setInsertionPoint(loop.getBody()->getTerminator());

  const TurnOrder::Turn turn = order.at(math, loop.getInductionVar());
  Value number = turn.number, is_there;
  if (splits()) {
    // Behind the last short tile there is the last one again, which is nobody's.
    Value mine = math.add(math.multiply(number, schedule.getSplit()), rank);
    is_there = math.either(turn.is_long, math.less(mine, short_tiles));
    number = math.select(turn.is_long, number, math.least(mine, math.add(short_tiles, -1)));
  }
  // From fast to slow as other tiles are numbered, with the rank of the group in the group's place.
  auto peel = [&](auto extent) {
    Value index = math.remainder(number, extent);
    number = math.divide(number, extent);
    return index;
  };
  const bool groups_outside = schedule.getOuter() == tile::AxisKind::Groups;
  Tile tile;
  tile.is_long = turn.is_long;
  tile.column = math.multiply(peel(column_clusters), schedule.getColumns() * schedule.getClusterColumns());
  Value group_rank;
  if (!groups_outside)
    group_rank =
        peel(math.select(turn.is_long, math.constant(long_groups), math.constant(groups - long_groups)));
  tile.row = math.multiply(peel(row_clusters), schedule.getRows() * schedule.getClusterRows());
  Value line = groups_outside ? peel(line_count) : number;
  if (groups_outside)
    group_rank = number;
  group_rank = math.select(turn.is_long, group_rank, math.add(group_rank, long_groups));

  Value has_rows = locate(line, tile);
  Value whose = layout.isBankGradient() ? tile.bank_row : tile.line.type;
  tile.group = groupOfRank(order_start, whose, group_rank);
  if (layout.hasUnequalGroups())
    has_rows = math.both(has_rows, isWithinGroups(tile));
  auto exists = scf::IfOp::create(builder, location, is_there ? math.both(is_there, has_rows) : has_rows,
                                  /*withElseRegion=*/false);
  if (place) {
    builder.setInsertionPoint(exists);
    shiftInCluster(tile);
  }
  builder.setInsertionPoint(exists.thenBlock()->getTerminator());
  return writeTile(own, tile);
}

} // namespace compiler
