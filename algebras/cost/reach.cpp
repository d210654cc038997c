#include "algebras/cost/reach.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras::cost {

namespace {

// Marks the blocks that a type uses. In the slots lift a block has no output group of its own.
class Marks {
public:
  explicit Marks(const Lift &lift) : lift_(lift), marks_(lift.bankBlocks()) {}

  void use(std::int64_t type) {
    for (std::int64_t group = 0; group < lift_.outputGroups(); ++group)
      for (const BlockTerm &term : lift_.terms(type, group))
        marks_[index(term.bank_row, group)] = true;
  }
  bool isUsed(std::int64_t bank_row, std::int64_t output_group) const {
    return marks_[index(bank_row, output_group)];
  }

private:
  std::int64_t index(std::int64_t bank_row, std::int64_t output_group) const {
    return lift_.kind() == Lift::Kind::Rows ? bank_row * lift_.outputGroups() + output_group : bank_row;
  }

  const Lift &lift_;
  std::vector<bool> marks_;
};

constexpr std::int64_t kMaximumBlocks = std::int64_t{1} << 28;

void requireSizes(const Lift &lift, std::span<const std::int64_t> rows_of_type) {
  if (lift.bankBlocks() > kMaximumBlocks)
    throw InputError(fmt::format("a bank of {} blocks is too large to look through", lift.bankBlocks()));
  if (static_cast<std::int64_t>(rows_of_type.size()) != lift.types())
    throw InputError(fmt::format("row counts for {} types, but {} has {}", rows_of_type.size(),
                                 lift.algebra().name(), lift.types()));
}

Marks mark(const Lift &lift, std::span<const std::int64_t> rows_of_type, bool only_present) {
  requireSizes(lift, rows_of_type);
  Marks marks(lift);
  for (std::int64_t type = 0; type < lift.types(); ++type)
    if (!only_present || rows_of_type[type] > 0)
      marks.use(type);
  return marks;
}

// Columns of the bank, as blocks: the slots lift has one.
std::int64_t bankColumns(const Lift &lift) {
  return lift.kind() == Lift::Kind::Rows ? lift.outputGroups() : 1;
}

} // namespace

Reach reach(const Lift &lift, const Groups &in, const Groups &out,
            std::span<const std::int64_t> rows_of_type) {
  Marks live = mark(lift, rows_of_type, false), reached = mark(lift, rows_of_type, true);
  Reach result;
  for (std::int64_t row = 0; row < lift.bankRows(); ++row)
    for (std::int64_t group = 0; group < bankColumns(lift); ++group) {
      std::int64_t size = checkedMultiply(in.width(row), out.width(group), "the size of the bank");
      bool is_live = live.isUsed(row, group), is_reached = reached.isUsed(row, group);
      ++result.blocks;
      result.live_blocks += is_live;
      result.reached_blocks += is_reached;
      result.parameters = checkedAdd(result.parameters, size, "the size of the bank");
      result.live_parameters += is_live ? size : 0;
      result.reached_parameters += is_reached ? size : 0;
    }
  return result;
}

std::vector<BankBlock> unreachedBlocks(const Lift &lift, std::span<const std::int64_t> rows_of_type,
                                       std::int64_t limit) {
  Marks live = mark(lift, rows_of_type, false), reached = mark(lift, rows_of_type, true);
  std::vector<BankBlock> result;
  for (std::int64_t row = 0; row < lift.bankRows(); ++row)
    for (std::int64_t group = 0; group < bankColumns(lift); ++group) {
      if (static_cast<std::int64_t>(result.size()) >= limit)
        return result;
      if (live.isUsed(row, group) && !reached.isUsed(row, group))
        result.push_back({row, group});
    }
  return result;
}

} // namespace algebras::cost
