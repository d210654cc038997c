#include "algebras/structure/sparse_product.h"

#include <algorithm>

namespace algebras {

namespace {

SparseVector gather(const Field &field, const std::map<std::int64_t, Rational> &sums) {
  SparseVector result;
  for (const auto &[slot, sum] : sums)
    if (Rational value = field.reduce(sum); !value.isZero())
      result.emplace_back(slot, std::move(value));
  return result;
}

} // namespace

SparseVector SparseProduct::multiply(const SparseVector &x, const SparseVector &y) const {
  std::map<std::int64_t, Rational> sums;
  for (const auto &[i, a] : x)
    for (const Constant &constant : table_.row(i)) {
      auto place =
          std::lower_bound(y.begin(), y.end(), constant.j,
                           [](const auto &entry, std::int64_t index) { return entry.first < index; });
      if (place != y.end() && place->first == constant.j)
        sums[constant.k] += a * place->second * constant.value;
    }
  return gather(table_.field(), sums);
}

SparseVector SparseProduct::combine(const Rational &a, const SparseVector &x, const Rational &b,
                                    const SparseVector &y) const {
  std::map<std::int64_t, Rational> sums;
  for (const auto &[slot, value] : x)
    sums[slot] += a * value;
  for (const auto &[slot, value] : y)
    sums[slot] += b * value;
  return gather(table_.field(), sums);
}

} // namespace algebras
