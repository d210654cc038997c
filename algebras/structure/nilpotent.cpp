#include "algebras/structure/nilpotent.h"

#include "algebras/structure/sparse_echelon.h"

#include <map>

namespace algebras {

std::optional<bool> isNilpotent(const Table &table) {
  constexpr int64_t most_operations = int64_t{1} << 22;
  int64_t budget = most_operations;
  const Field &field = table.field();
  std::vector<SparseVector> power;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    power.push_back({{slot, Rational(1)}});
  while (!power.empty()) {
    SparseEchelon next(field, most_operations);
    for (const SparseVector &element : power) {
      std::map<int64_t, std::map<int64_t, Rational>> products; // element b_j, by j
      for (const auto &[i, value] : element)
        for (const Constant &constant : table.row(i)) {
          Rational &sum = products[constant.j][constant.k];
          sum = field.reduce(sum + value * constant.value);
          --budget;
        }
      for (const auto &[j, sums] : products) {
        SparseVector product;
        for (const auto &[slot, value] : sums)
          if (!value.isZero())
            product.emplace_back(slot, value);
        if (budget < 0 || (!product.empty() && !next.insert(product)))
          return std::nullopt;
      }
    }
    if (next.rank() == static_cast<int64_t>(power.size()))
      return false;
    std::optional<std::vector<SparseVector>> basis = next.basis();
    if (!basis)
      return std::nullopt;
    power = std::move(*basis);
  }
  return true;
}

} // namespace algebras
