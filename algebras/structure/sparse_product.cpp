#include "algebras/structure/sparse_product.h"

#include "algebras/linear/sparse_vector.h"

#include <algorithm>
#include <map>

namespace algebras {

SparseVector SparseProduct::multiply(const SparseVector &x, const SparseVector &y) const {
  std::map<int64_t, Rational> sums;
  for (const auto &[i, a] : x)
    for (const Constant &constant : table_.row(i)) {
      auto place = std::lower_bound(y.begin(), y.end(), constant.j,
                                    [](const auto &entry, int64_t index) { return entry.first < index; });
      if (place != y.end() && place->first == constant.j)
        sums[constant.k] += a * place->second * constant.value;
    }
  SparseVector result;
  for (const auto &[slot, sum] : sums)
    if (Rational value = table_.field().reduce(sum); !value.isZero())
      result.emplace_back(slot, std::move(value));
  return result;
}

SparseVector SparseProduct::combine(const Rational &a, const SparseVector &x, const Rational &b,
                                    const SparseVector &y) const {
  return algebras::combine(table_.field(), a, x, b, y);
}

} // namespace algebras
