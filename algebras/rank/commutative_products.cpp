#include "algebras/rank/recognition.h"

#include "algebras/linear/sparse_span.h"

#include <algorithm>
#include <map>

namespace algebras {

BilinearAlgorithm commutativeProducts(const Table &table) {
  const Field &field = table.field();
  int64_t n = table.dimension();
  std::map<std::pair<int64_t, int64_t>, SparseVector> products; // of i <= j
  for (const Constant &constant : table.constants())
    if (constant.i <= constant.j)
      products[{constant.i, constant.j}].emplace_back(constant.k, constant.value);
  // The slots whose squares x_i y_i are computed: needed ones, and those that save more than they cost.
  std::vector<bool> squared(n);
  std::vector<std::vector<int64_t>> partners(n);
  for (const auto &[pair, output] : products) {
    if (pair.first == pair.second) {
      squared[pair.first] = true;
      continue;
    }
    partners[pair.first].push_back(pair.second);
    partners[pair.second].push_back(pair.first);
  }
  auto saved = [&](int64_t slot) {
    return std::count_if(partners[slot].begin(), partners[slot].end(),
                         [&](int64_t partner) { return squared[partner]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t slot = 0; slot < n; ++slot)
      if (!squared[slot] && saved(slot) >= 2)
        squared[slot] = changed = true;
    for (const auto &[pair, output] : products) // two squares, which save their own pair as well
      if (auto [i, j] = pair; !squared[i] && !squared[j] && i != j && saved(i) + saved(j) >= 2)
        squared[i] = squared[j] = changed = true;
  }
  std::vector<SparseVector> squares(n);
  BilinearAlgorithm result;
  Rational one(1), minus(-1);
  for (const auto &[pair, output] : products) {
    auto [i, j] = pair;
    if (i == j) {
      squares[i] = combine(field, one, squares[i], one, output);
    } else if (squared[i] && squared[j]) {
      SparseVector both{{i, one}, {j, one}};
      result.push_back({both, both, output});
      for (int64_t slot : {i, j})
        squares[slot] = combine(field, one, squares[slot], minus, output);
    } else {
      result.push_back({{{i, one}}, {{j, one}}, output});
      result.push_back({{{j, one}}, {{i, one}}, output});
    }
  }
  for (int64_t slot = 0; slot < n; ++slot)
    if (!squares[slot].empty())
      result.push_back({{{slot, one}}, {{slot, one}}, squares[slot]});
  return result;
}

} // namespace algebras
