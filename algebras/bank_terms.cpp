#include "algebras/bank_terms.h"

#include "algebras/checked.h"

#include <numeric>
#include <stdexcept>

namespace algebras {

BankTerms::BankTerms(const Lift &lift)
    : bank_rows_(lift.bankRows()), bank_columns_(lift.kind() == Lift::Kind::Rows ? lift.outputGroups() : 1) {
  if (lift.isTransposed())
    throw std::logic_error("the bank's gradient is read off the lift itself, not its transpose");
  const char *what = "the number of blocks of the bank";
  starts_.resize(checkedAdd(checkedMultiply(bank_rows_, bank_columns_, what), 1, what));
  auto forEach = [&](auto visit) {
    for (std::int64_t type = 0; type < lift.types(); ++type)
      for (std::int64_t group = 0; group < lift.outputGroups(); ++group)
        for (const BlockTerm &term : lift.terms(type, group))
          visit(term.bank_row * bank_columns_ + (bank_columns_ == 1 ? 0 : group),
                BankTerm{type, term.input_group, group, term.coefficient});
  };
  // Counting sort, which keeps the order of the visits.
  forEach([&](std::int64_t block, const BankTerm &) { ++starts_[block + 1]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  terms_.resize(starts_.back());
  std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
  forEach([&](std::int64_t block, BankTerm term) { terms_[next[block]++] = std::move(term); });
}

std::span<const BankTerm> BankTerms::of(std::int64_t bank_row, std::int64_t bank_column) const {
  if (bank_row < 0 || bank_row >= bank_rows_ || bank_column < 0 || bank_column >= bank_columns_)
    throw std::out_of_range("a block that the bank does not have");
  const std::int64_t block = bank_row * bank_columns_ + bank_column;
  return std::span(terms_).subspan(starts_[block], starts_[block + 1] - starts_[block]);
}

} // namespace algebras
