#include "algebras/weight_terms.h"

#include "algebras/checked.h"

#include <numeric>
#include <stdexcept>

namespace algebras {

WeightTerms::WeightTerms(const Lift &lift)
    : weight_rows_(lift.weightRows()),
      weight_columns_(lift.kind() == Lift::Kind::Rows ? lift.outputGroups() : 1) {
  if (lift.isTransposed())
    throw std::logic_error("the weight matrix's gradient is read off the lift itself, not its transpose");
  const char *what = "the number of blocks of the weight matrix";
  starts_.resize(checkedAdd(checkedMultiply(weight_rows_, weight_columns_, what), 1, what));
  auto for_each = [&](auto visit) {
    for (int64_t type = 0; type < lift.types(); ++type)
      for (int64_t group = 0; group < lift.outputGroups(); ++group)
        for (const BlockTerm &term : lift.terms(type, group))
          visit(term.weight_row * weight_columns_ + (weight_columns_ == 1 ? 0 : group),
                WeightTerm{type, term.input_group, group, term.coefficient});
  };
  // Counting sort, which keeps the order of the visits.
  for_each([&](int64_t block, const WeightTerm &) { ++starts_[block + 1]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  terms_.resize(starts_.back());
  std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
  for_each([&](int64_t block, WeightTerm term) { terms_[next[block]++] = std::move(term); });
}

std::span<const WeightTerm> WeightTerms::of(int64_t weight_row, int64_t weight_column) const {
  if (weight_row < 0 || weight_row >= weight_rows_ || weight_column < 0 || weight_column >= weight_columns_)
    throw std::out_of_range("a block that the weight matrix does not have");
  const int64_t block = weight_row * weight_columns_ + weight_column;
  return std::span(terms_).subspan(starts_[block], starts_[block + 1] - starts_[block]);
}

} // namespace algebras
