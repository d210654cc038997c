#include "algebras/lift.h"

#include "algebras/checked.h"
#include "algebras/error.h"
#include "algebras/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace algebras {

namespace {

void requireIndex(std::int64_t index, std::int64_t size, const char *what) {
  if (index < 0 || index >= size)
    throw std::out_of_range(fmt::format("{} {} of {}", what, index, size));
}

// What falls apart into blocks seldom means the row lift.
std::string rowsNote(const Algebra &algebra) {
  if (algebra.kind() == Algebra::Kind::Coordinates && algebra.parameter() > 1)
    return fmt::format(
        "in the row lift a token of {} reads one group of {} and writes it alone; a block-diagonal layer, "
        "where every token uses all groups, is lift = \"slots\"",
        algebra.name(), algebra.parameter());
  if (algebra.kind() == Algebra::Kind::DirectProduct)
    return fmt::format(
        "in the row lift a token of {} uses the groups of one factor only; a layer where every token uses "
        "all factors is lift = \"slots\"",
        algebra.name());
  return {};
}

} // namespace

// The terms of (type, output group), one list after another.
struct Lift::TransposedTerms {
  std::vector<std::int64_t> starts; // of each list, and the end of the last
  std::vector<BlockTerm> terms;
};

Lift::Lift(Kind kind, const Algebra &algebra) : kind_(kind), algebra_(algebra) {
  if (kind == Kind::Rows) {
    types_ = algebra.rowTypes();
    groups_ = algebra.positions();
    note_ = rowsNote(algebra);
  } else {
    groups_ = algebra.dimension();
  }
}

Lift Lift::rows(const Algebra &algebra) {
  if (!algebra.isMatrixLike())
    throw InputError(
        fmt::format("{} has no rows: its slots do not sit at positions of a matrix", algebra.name()))
        .hint("use lift = \"slots\", where a token carries all slots");
  return Lift(Kind::Rows, algebra);
}

Lift Lift::slots(const Algebra &algebra) { return Lift(Kind::Slots, algebra); }

Lift Lift::parse(std::string_view kind, const Algebra &algebra) {
  if (kind == "rows")
    return rows(algebra);
  if (kind == "slots")
    return slots(algebra);
  throw InputError(fmt::format("'{}' is not a lift", kind.substr(0, 80))).hint("write \"rows\" or \"slots\"");
}

Lift Lift::transposed() const {
  Lift result = *this;
  result.transposed_ = !transposed_;
  result.transposed_terms_ = nullptr;
  if (!result.transposed_ || completeGraph())
    return result;
  // Counting sort by (type, input group), which keeps the output groups ascending.
  auto sorted = std::make_shared<TransposedTerms>();
  sorted->starts.resize(checkedAdd(checkedMultiply(types_, groups_, "the number of groups of all types"), 1,
                                   "the number of groups of all types"));
  auto forEach = [&](auto visit) {
    for (std::int64_t type = 0; type < types_; ++type)
      for (std::int64_t group = 0; group < groups_; ++group)
        for (const BlockTerm &term : terms(type, group))
          visit(type * groups_ + term.input_group, group, term);
  };
  forEach([&](std::int64_t list, std::int64_t, const BlockTerm &) { ++sorted->starts[list + 1]; });
  std::partial_sum(sorted->starts.begin(), sorted->starts.end(), sorted->starts.begin());
  sorted->terms.resize(sorted->starts.back());
  std::vector<std::int64_t> next(sorted->starts.begin(), sorted->starts.end() - 1);
  forEach([&](std::int64_t list, std::int64_t group, const BlockTerm &term) {
    const std::int64_t bank_row = kind_ == Kind::Rows ? group : term.bank_row;
    sorted->terms[next[list]++] = {group, bank_row, term.coefficient};
  });
  result.transposed_terms_ = std::move(sorted);
  return result;
}

std::int64_t Lift::typeOfRow(std::int64_t position) const {
  if (kind_ == Kind::Slots)
    throw std::logic_error("the slots lift has no rows");
  return algebra_.rowTypeOf(position);
}

std::vector<BlockTerm> Lift::terms(std::int64_t type, std::int64_t output_group) const {
  requireIndex(type, types_, "row type");
  requireIndex(output_group, groups_, "output group");
  std::vector<BlockTerm> result;
  if (transposed_terms_) {
    auto list = transposed_terms_->starts.begin() + (type * groups_ + output_group);
    return {transposed_terms_->terms.begin() + list[0], transposed_terms_->terms.begin() + list[1]};
  }
  if (transposed_) { // of a complete graph: y_j needs x_j of every type, and x_i of type i
    if (type != output_group)
      return {{output_group, output_group, Rational(1)}};
    for (std::int64_t j = 0; j < groups_; ++j)
      result.push_back({j, j, Rational(1)});
    return result;
  }
  if (kind_ == Kind::Rows) {
    for (std::int64_t k : algebra_.support(algebra_.firstRowOf(type), output_group))
      result.push_back({k, k, Rational(1)}); // all constants of matrix-like algebras are 1
    return result;
  }
  for (const Constant &constant : algebra_.constantsInto(output_group)) // sorted by (i, j)
    result.push_back({constant.i, constant.j, constant.value});
  return result;
}

std::int64_t Lift::termCount() const {
  if (kind_ == Kind::Slots || types_ == groups_)
    return algebra_.nonzeros();
  // Rows of one type are equal, so that each type's first row stands for it.
  std::int64_t count = 0;
  for (std::int64_t type = 0; type < types_; ++type)
    for (std::int64_t group = 0; group < groups_; ++group)
      count = checkedAdd(count,
                         static_cast<std::int64_t>(algebra_.support(algebra_.firstRowOf(type), group).size()),
                         "the number of terms");
  return count;
}

std::optional<std::int64_t> Lift::completeGraph() const {
  // (i,i), (j,j) exist always, so B(i,j) contains i and j wherever (i,j) exists: with all n^2 positions
  // there, 2n^2 - n products leave room for nothing else.
  if (kind_ != Kind::Rows || algebra_.dimension() != groups_ * groups_ ||
      algebra_.nonzeros() != 2 * groups_ * groups_ - groups_)
    return std::nullopt;
  return groups_;
}

bool Lift::reads(std::int64_t type, std::int64_t group) const {
  requireIndex(type, types_, "row type");
  requireIndex(group, groups_, "input group");
  if (transposed_)
    return transposed().writes(type, group);
  if (kind_ == Kind::Rows) // (i,k) times (k,k) is kept wherever (i,k) exists
    return algebra_.slotAt({algebra_.firstRowOf(type), group}).has_value();
  for (std::int64_t output = 0; output < groups_; ++output)
    for (const Constant &constant : algebra_.constantsInto(output))
      if (constant.i == group)
        return true;
  return false;
}

bool Lift::writes(std::int64_t type, std::int64_t group) const {
  requireIndex(type, types_, "row type");
  requireIndex(group, groups_, "output group");
  if (transposed_)
    return transposed().reads(type, group);
  if (kind_ == Kind::Rows)
    return algebra_.slotAt({algebra_.firstRowOf(type), group}).has_value();
  return !algebra_.constantsInto(group).empty();
}

bool Lift::isLive(std::int64_t bank_row, std::int64_t output_group) const {
  requireIndex(bank_row, groups_, "bank row");
  requireIndex(output_group, groups_, "output group");
  if (transposed_ && kind_ == Kind::Rows)
    std::swap(bank_row, output_group);
  if (kind_ == Kind::Rows) // (k,k) times (k,j) is kept wherever (k,j) exists
    return algebra_.slotAt({bank_row, output_group}).has_value();
  for (std::int64_t output = 0; output < groups_; ++output)
    for (const Constant &constant : algebra_.constantsInto(output))
      if (constant.j == bank_row)
        return true;
  return false;
}

std::int64_t Lift::liveBlocks() const {
  if (kind_ == Kind::Rows)
    return algebra_.dimension();
  if (algebra_.isMatrixLike())
    return groups_; // unital: no slot is without effect
  std::vector<bool> live(groups_);
  for (std::int64_t output = 0; output < groups_; ++output)
    for (const Constant &constant : algebra_.constantsInto(output))
      live[constant.j] = true;
  return std::count(live.begin(), live.end(), true);
}

std::int64_t Lift::bankBlocks() const {
  return kind_ == Kind::Rows ? checkedMultiply(groups_, groups_, "the number of blocks of the bank")
                             : groups_;
}

bool Lift::bankIdentityIsIdentity() const {
  if (kind_ == Kind::Rows)
    return algebra_.dimension() == bankBlocks();
  return algebra_.isMatrixLike() || findIdentity(algebra_.expand()).has_value();
}

} // namespace algebras
