#include "algebras/structure/direct_factors.h"

#include <boost/pending/disjoint_sets.hpp>

#include <utility>

namespace algebras {

std::vector<DirectFactor> directFactors(const Table &table) {
  std::vector<int64_t> rank(table.dimension()), parent(table.dimension());
  boost::disjoint_sets<int64_t *, int64_t *> sets(rank.data(), parent.data());
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    sets.make_set(slot);
  for (const Constant &constant : table.constants()) {
    sets.union_set(constant.i, constant.j);
    sets.union_set(constant.i, constant.k);
  }
  constexpr int64_t none = -1;
  std::vector<int64_t> number(table.dimension(), none), place(table.dimension());
  std::vector<std::vector<int64_t>> slots;
  for (int64_t slot = 0; slot < table.dimension(); ++slot) {
    int64_t root = sets.find_set(slot);
    if (number[root] == none) {
      number[root] = static_cast<int64_t>(slots.size());
      slots.emplace_back();
    }
    number[slot] = number[root];
    place[slot] = static_cast<int64_t>(slots[number[slot]].size());
    slots[number[slot]].push_back(slot);
  }
  std::vector<std::vector<Constant>> constants(slots.size());
  for (const Constant &constant : table.constants())
    constants[number[constant.i]].push_back(
        {place[constant.i], place[constant.j], place[constant.k], constant.value});
  std::vector<DirectFactor> result;
  for (size_t index = 0; index < slots.size(); ++index) {
    auto dimension = static_cast<int64_t>(slots[index].size());
    result.push_back(
        {Table("factor", table.field(), dimension, std::move(constants[index])), std::move(slots[index])});
  }
  return result;
}

} // namespace algebras
