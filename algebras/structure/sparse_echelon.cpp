#include "algebras/structure/sparse_echelon.h"

#include <iterator>

namespace algebras {

bool SparseEchelon::reduce(Sums &sums, Sums::iterator first) {
  for (auto entry = first; entry != sums.end();) {
    auto row = rows_.find(entry->first);
    if (row == rows_.end() || entry->second.isZero()) {
      entry = entry->second.isZero() ? sums.erase(entry) : std::next(entry);
      continue;
    }
    if (!spend(static_cast<int64_t>(row->second.size())))
      return false;
    Rational factor = entry->second;
    for (const auto &[slot, value] : row->second) {
      Rational &sum = sums[slot];
      sum = field_.reduce(sum - factor * value);
    }
    entry = sums.erase(entry);
  }
  return true;
}

bool SparseEchelon::insert(const SparseVector &vector) {
  // A slot that is new, or there already: the common cases.
  if (vector.size() == 1) {
    auto [row, is_new] = rows_.try_emplace(vector[0].first, SparseVector{{vector[0].first, Rational(1)}});
    if (is_new || row->second.size() == 1)
      return true;
  }
  Sums sums(vector.begin(), vector.end());
  if (!spend(static_cast<int64_t>(vector.size())) || !reduce(sums, sums.begin()))
    return false;
  if (sums.empty())
    return true;
  Rational inverse = field_.reduce(Rational(1) / sums.begin()->second);
  SparseVector row;
  for (const auto &[slot, value] : sums)
    row.emplace_back(slot, field_.multiply(inverse, value));
  rows_.emplace(row.front().first, std::move(row));
  return true;
}

std::optional<std::vector<SparseVector>> SparseEchelon::basis() {
  std::vector<SparseVector> result;
  // From the last row up: what a row is reduced by is reduced itself.
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (row->second.size() > 1) {
      Sums sums(row->second.begin(), row->second.end());
      if (!reduce(sums, std::next(sums.begin())))
        return std::nullopt;
      row->second.assign(sums.begin(), sums.end());
    }
    result.push_back(row->second);
  }
  return std::vector<SparseVector>(std::make_move_iterator(result.rbegin()),
                                   std::make_move_iterator(result.rend()));
}

} // namespace algebras
