#include "algebras/cost/reach.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace algebras::cost {

namespace {

// The blocks that some of the types use. In the slots lift a block has no output group of its own.
class Marks {
public:
  // Every type: in the row lift these are the slots that exist, which nobody has to walk the terms for.
  explicit Marks(const Lift &lift) : lift_(lift) {
    if (lift.kind() == Lift::Kind::Slots)
      use({0});
  }
  Marks(const Lift &lift, const std::vector<int64_t> &types) : lift_(lift) { use(types); }

  // How many there are.
  int64_t count() const {
    return marks_ ? std::count(marks_->begin(), marks_->end(), true) : lift_.liveBlocks();
  }
  bool isUsed(int64_t weight_row, int64_t output_group) const {
    return marks_ ? (*marks_)[index(weight_row, output_group)] : lift_.isLive(weight_row, output_group);
  }

private:
  void use(const std::vector<int64_t> &types) {
    marks_.emplace(lift_.weightBlocks());
    for (int64_t type : types)
      for (int64_t group = 0; group < lift_.outputGroups(); ++group)
        for (const BlockTerm &term : lift_.terms(type, group))
          (*marks_)[index(term.weight_row, group)] = true;
  }
  int64_t index(int64_t weight_row, int64_t output_group) const {
    return lift_.kind() == Lift::Kind::Rows ? weight_row * lift_.outputGroups() + output_group : weight_row;
  }

  const Lift &lift_;
  std::optional<std::vector<bool>> marks_;
};

constexpr int64_t maximum_blocks = int64_t{1} << 28;

void requireSizes(const Lift &lift, std::span<const int64_t> rows_of_type) {
  if (lift.weightBlocks() > maximum_blocks)
    throw InputError(
        fmt::format("a weight matrix of {} blocks is too large to look through", lift.weightBlocks()))
        .hint(fmt::format("at most {} blocks are: take a smaller algebra", maximum_blocks));
  if (static_cast<int64_t>(rows_of_type.size()) != lift.types())
    throw InputError(fmt::format("row counts for {} types, but {} has {}", rows_of_type.size(),
                                 lift.algebra().name(), lift.types()));
}

std::vector<int64_t> presentTypes(std::span<const int64_t> rows_of_type) {
  std::vector<int64_t> present;
  for (size_t type = 0; type < rows_of_type.size(); ++type)
    if (rows_of_type[type] > 0)
      present.push_back(static_cast<int64_t>(type));
  return present;
}

// The marks of types some of which may be absent: their terms are looked at.
Marks reachedMarks(const Lift &lift, std::span<const int64_t> rows_of_type) {
  const std::vector<int64_t> present = presentTypes(rows_of_type);
  if (static_cast<int64_t>(present.size()) == lift.types())
    return Marks(lift);
  constexpr int64_t most_terms = int64_t{1} << 26;
  int64_t terms = 0;
  for (int64_t type : present) {
    terms = checkedAdd(terms, lift.termCountOfType(type), "the number of terms");
    if (terms > most_terms)
      throw InputError(fmt::format("{} row types of {} have more than {} terms, too many to look through",
                                   present.size(), lift.algebra().name(), most_terms))
          .hint("take a smaller algebra, or as many rows as it has types");
  }
  return Marks(lift, present);
}

// Columns of the weight matrix, as blocks: the slots lift has one.
int64_t weightColumns(const Lift &lift) { return lift.kind() == Lift::Kind::Rows ? lift.outputGroups() : 1; }

} // namespace

Reach reach(const Lift &lift, const Groups &in, const Groups &out, std::span<const int64_t> rows_of_type) {
  requireSizes(lift, rows_of_type);
  Marks live(lift), reached = reachedMarks(lift, rows_of_type);
  Reach result;
  if (in.isEqual() && out.isEqual()) { // all blocks are alike
    result.blocks = lift.weightBlocks();
    result.live_blocks = live.count();
    result.reached_blocks = reached.count();
    const int64_t size = checkedMultiply(in.width(0), out.width(0), "the size of the weight matrix");
    result.parameters = checkedMultiply(result.blocks, size, "the size of the weight matrix");
    result.live_parameters = result.live_blocks * size;
    result.reached_parameters = result.reached_blocks * size;
    return result;
  }
  for (int64_t row = 0; row < lift.weightRows(); ++row)
    for (int64_t group = 0; group < weightColumns(lift); ++group) {
      int64_t size = checkedMultiply(in.width(row), out.width(group), "the size of the weight matrix");
      bool is_live = live.isUsed(row, group), is_reached = reached.isUsed(row, group);
      ++result.blocks;
      result.live_blocks += is_live;
      result.reached_blocks += is_reached;
      result.parameters = checkedAdd(result.parameters, size, "the size of the weight matrix");
      result.live_parameters += is_live ? size : 0;
      result.reached_parameters += is_reached ? size : 0;
    }
  return result;
}

std::vector<WeightBlock> unreachedBlocks(const Lift &lift, std::span<const int64_t> rows_of_type,
                                         int64_t limit) {
  requireSizes(lift, rows_of_type);
  std::vector<WeightBlock> result;
  if (static_cast<int64_t>(presentTypes(rows_of_type).size()) == lift.types())
    return result; // what is live is what all types together reach
  Marks live(lift), reached = reachedMarks(lift, rows_of_type);
  for (int64_t row = 0; row < lift.weightRows(); ++row)
    for (int64_t group = 0; group < weightColumns(lift); ++group) {
      if (static_cast<int64_t>(result.size()) >= limit)
        return result;
      if (live.isUsed(row, group) && !reached.isUsed(row, group))
        result.push_back({row, group});
    }
  return result;
}

} // namespace algebras::cost
