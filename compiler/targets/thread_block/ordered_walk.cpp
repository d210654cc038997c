// How a thread block goes through tiles of unequal length: those of each type's longest groups first.
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/group_order.h"
#include "compiler/targets/thread_block/table_words.h"
#include "compiler/targets/thread_block/thread_block_program.h"
#include "compiler/targets/thread_block/turn_order.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace compiler {

LogicalResult ThreadBlockProgram::checkOrder() {
  if (!schedule_.ordersGroups())
    return success();
  if (hasParts())
    return source_.emitOpError(
        "takes the tiles of long groups first: its tiles have one type and hold no rows");
  if (schedule_.getLongestFirst() > groupCount())
    return source_.emitOpError("has ") << schedule_.getLongestFirst() << " long groups, of " << groupCount();
  const algebras::Lift &lift = layout_.getTerms();
  if (lift.completeGraph() && !lift.isTransposed() && !layout_.isWeightGradient())
    return source_.emitOpError(
        "takes the tiles of long groups first, but in the product of a complete graph no group "
        "has more terms than others");
  return success();
}

/// A long turn against a short one: their steps, and what the end of a tile takes on top, in steps.
Value ThreadBlockProgram::weightOfLongTurn() const {
  // Of dW the bytes of a tile are about as many as a step brings, where the copy engine runs ahead of its
  // end.
  const double steps_of_tile_end = layout_.isWeightGradient() && !schedule_.hasWarps() ? 1 : 4;
  const algebras::Lift &lift = layout_.getTerms();
  const std::vector<double> terms = layout_.isWeightGradient() ? typesByRank(lift) : termsByRank(lift);
  const auto first_short = terms.begin() + schedule_.getLongestFirst();
  auto average = [](auto begin, auto end) {
    return begin == end ? 0.0 : std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  };
  const int64_t depth = schedule_.getDepth();
  if (layout_.isWeightGradient()) {
    // The steps of a type follow from the rows of the batch.
    constexpr double parts = 4;
    Value of_type = segments_->stepsOfType(math_, depth);
    auto turn = [&](double types) {
      return math_.add(math_.multiply(of_type, std::llround(types * parts)),
                       std::llround(steps_of_tile_end * parts));
    };
    const double long_types =
        average(terms.begin(), first_short) / static_cast<double>(schedule_.getSplitK());
    Value weight = math_.divide(turn(long_types), turn(average(first_short, terms.end())));
    return math_.greatest(weight, 1);
  }
  const auto pieces = static_cast<double>((layout_.getIn().getWidest() + depth - 1) / depth);
  const double long_steps =
      average(terms.begin(), first_short) * pieces / static_cast<double>(schedule_.getSplitK());
  const double short_steps = average(first_short, terms.end()) * pieces;
  return math_.constant(std::max<int64_t>(
      1, std::llround((long_steps + steps_of_tile_end) / (short_steps + steps_of_tile_end))));
}

/// Where the terms table has the groups of type 0 in their order; null where the order follows from the type.
Value ThreadBlockProgram::startOfOrder() {
  const algebras::Lift &lift = layout_.getTerms();
  if (lift.completeGraph())
    return {};
  const bool scaled = coefficientsOf(lift) == Coefficients::General, pieces = layout_.hasUnequalGroups();
  int64_t slots = lift.types() * lift.outputGroups(), words = (scaled ? 3 : 2) + (pieces ? 1 : 0);
  if (layout_.isWeightGradient()) {
    slots = lift.weightRows() * layout_.getWeightColumns();
    words = WeightSteps::wordsOfTerm(scaled ? Coefficients::General : Coefficients::Signs);
  }
  const int64_t lists = wordsOfGroupStarts(layout_);
  Value terms = readTerms(math_, table_, math_.constant(lists + slots));
  return math_.add(math_.multiply(terms, words), lists + slots + 1);
}

Value ThreadBlockProgram::groupOfRank(Value order_start, Value type, Value rank) {
  const int64_t groups = groupCount();
  if (!order_start) {
    // A type's own group is the long one, and the others follow it.
    Value group = math_.add(type, rank), all = math_.constant(groups);
    return math_.select(math_.less(group, all), group, math_.subtract(group, all));
  }
  return readTerms(math_, table_, math_.add(order_start, math_.add(math_.multiply(type, groups), rank)));
}

/// Clusters take long tiles together, and where they divide them each block takes short ones for itself.
LogicalResult ThreadBlockProgram::writeOrderedWalk(tile::ForallOp own) {
  const int64_t groups = groupCount(), longest_first = schedule_.getLongestFirst();
  const int64_t column_clusters = columnClusters();
  Value row_clusters = rowClusters(), segment_count = segmentCount();
  Value tiles_of_rank = math_.multiply(math_.multiply(segment_count, row_clusters), column_clusters);
  Value long_tiles = math_.multiply(tiles_of_rank, longest_first),
        short_tiles = math_.multiply(tiles_of_rank, groups - longest_first);
  Value short_turns = math_.ceilDivide(short_tiles, schedule_.getSplitK());
  const auto [worker, all_workers] = workers();
  Value order_start = startOfOrder();
  const TurnOrder order(math_, long_tiles, short_turns, worker, all_workers, weightOfLongTurn());
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(0), order.count(), math_.constant(1));
  builder_.setInsertionPoint(loop.getBody()->getTerminator());

  const TurnOrder::Turn turn = order.at(math_, loop.getInductionVar());
  Value number = turn.number, is_there;
  if (splits()) {
    // Behind the last short tile there is the last one again, which is nobody's.
    Value mine = math_.add(math_.multiply(number, schedule_.getSplitK()), rank_);
    is_there = math_.either(turn.is_long, math_.less(mine, short_tiles));
    number = math_.select(turn.is_long, number, math_.least(mine, math_.add(short_tiles, -1)));
  }
  // From fast to slow as other tiles are numbered, with the rank of the group in the group's place.
  auto peel = [&](auto extent) {
    Value index = math_.remainder(number, extent);
    number = math_.divide(number, extent);
    return index;
  };
  const bool groups_outside = schedule_.getOuter() == tile::AxisKind::Groups;
  Tile tile;
  tile.is_long = turn.is_long;
  tile.column = math_.multiply(peel(column_clusters), schedule_.getColumns() * schedule_.getClusterColumns());
  Value group_rank;
  if (!groups_outside)
    group_rank = peel(math_.select(turn.is_long, longest_first, groups - longest_first));
  tile.row = math_.multiply(peel(row_clusters), schedule_.getRows() * schedule_.getClusterRows());
  Value segment = groups_outside ? peel(segment_count) : number;
  if (groups_outside)
    group_rank = number;
  group_rank = math_.select(turn.is_long, group_rank, math_.add(group_rank, longest_first));

  Value has_rows = locate(segment, tile);
  Value whose = layout_.isWeightGradient() ? tile.weight_row : tile.segment.type;
  tile.group = groupOfRank(order_start, whose, group_rank);
  if (layout_.hasUnequalGroups())
    has_rows = math_.both(has_rows, isWithinGroups(tile));
  auto exists = scf::IfOp::create(builder_, location_, is_there ? math_.both(is_there, has_rows) : has_rows,
                                  /*withElseRegion=*/false);
  if (place_) {
    builder_.setInsertionPoint(exists);
    shiftInCluster(tile);
  }
  builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
  return writeTile(own, tile);
}

} // namespace compiler
