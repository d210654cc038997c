#include "algebras/certificate/slot_filtration.h"

#include <map>
#include <numeric>

namespace algebras {

namespace {

std::optional<std::vector<int64_t>> levels(int64_t dimension, const Decomposition &decomposition) {
  std::vector<int64_t> level(dimension);
  for (size_t s = 0; s < decomposition.radical_powers.size(); ++s)
    for (const SparseVector &row : decomposition.radical_powers[s]) {
      if (row.size() != 1)
        return std::nullopt;
      level[row[0].first] = static_cast<int64_t>(s) + 1;
    }
  return level;
}

// Whether every slot of level 2 and more is what is left of such a product modulo the next power.
bool generatedByLevelOne(const Table &table, const std::vector<int64_t> &level) {
  std::vector<bool> generated(table.dimension());
  const std::vector<Constant> &constants = table.constants();
  for (size_t at = 0; at < constants.size();) {
    int64_t i = constants[at].i, j = constants[at].j, tops = 0, top = 0;
    for (; at < constants.size() && constants[at].i == i && constants[at].j == j; ++at)
      if (level[constants[at].k] == level[i] + level[j]) {
        ++tops;
        top = constants[at].k;
      }
    if (level[i] == 1 && level[j] > 0 && tops == 1)
      generated[top] = true;
  }
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (level[slot] > 1 && !generated[slot])
      return false;
  return true;
}

// Slots of level 0 that multiply into each other modulo the radical: each with the same number.
std::vector<int64_t> parts(const Table &table, const std::vector<int64_t> &level) {
  std::vector<int64_t> parent(table.dimension());
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](int64_t slot) {
    while (parent[slot] != slot)
      slot = parent[slot] = parent[parent[slot]];
    return slot;
  };
  for (const Constant &constant : table.constants())
    if (level[constant.i] == 0 && level[constant.j] == 0 && level[constant.k] == 0) {
      parent[find(constant.i)] = find(constant.k);
      parent[find(constant.j)] = find(constant.k);
    }
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    parent[slot] = find(slot);
  return parent;
}

} // namespace

std::optional<SlotFiltration> slotFiltration(const Table &table, const Decomposition &decomposition) {
  std::optional<std::vector<int64_t>> level = levels(table.dimension(), decomposition);
  if (!level || !generatedByLevelOne(table, *level))
    return std::nullopt;
  SlotFiltration result;
  result.layers.resize(decomposition.radical_powers.size());
  result.components.resize(decomposition.components.size());
  std::vector<int64_t> part = parts(table, *level);
  // A part is a direct factor of A/rad: simple exactly if there are as many of them as components.
  std::map<int64_t, size_t> component_of;
  for (size_t c = 0; c < decomposition.components.size(); ++c)
    for (const auto &[slot, value] : decomposition.components[c].idempotent)
      if ((*level)[slot] == 0 && !component_of.try_emplace(part[slot], c).second &&
          component_of[part[slot]] != c)
        return std::nullopt;
  for (int64_t slot = 0; slot < table.dimension(); ++slot) {
    if ((*level)[slot] > 0) {
      result.layers[(*level)[slot] - 1].push_back(slot);
    } else {
      auto found = component_of.find(part[slot]);
      if (found == component_of.end())
        return std::nullopt;
      result.components[found->second].push_back(slot);
    }
  }
  for (size_t c = 0; c < result.components.size(); ++c)
    if (static_cast<int64_t>(result.components[c].size()) != decomposition.components[c].dimension)
      return std::nullopt;
  return result;
}

} // namespace algebras
