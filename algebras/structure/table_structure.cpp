#include "algebras/structure/table_structure.h"

#include "algebras/associativity.h"
#include "algebras/identity.h"

#include <algorithm>
#include <map>
#include <set>

namespace algebras {

namespace {

using Slots = std::set<std::int64_t>;

// A matrix unit's row and column, named by their idempotents.
using Unit = std::pair<std::int64_t, std::int64_t>;

// The basis elements that can be matrix units: b with b b' = e and b' b = f for basis idempotents e and f.
Slots matrixUnitCandidates(const Table &table) {
  std::map<Unit, std::vector<const Constant *>> products; // (i, j) -> its constants
  for (const Constant &constant : table.constants())
    products[{constant.i, constant.j}].push_back(&constant);
  auto exactly = [&](std::int64_t i, std::int64_t j) -> std::optional<std::int64_t> {
    auto found = products.find({i, j});
    if (found == products.end() || found->second.size() != 1 || !found->second[0]->value.isOne())
      return std::nullopt;
    return found->second[0]->k;
  };
  Slots idempotents, result;
  for (std::int64_t slot = 0; slot < table.dimension(); ++slot)
    if (exactly(slot, slot) == slot)
      idempotents.insert(slot);
  for (const auto &[pair, constants] : products) {
    std::optional<std::int64_t> forward = exactly(pair.first, pair.second),
                                back = exactly(pair.second, pair.first);
    if (forward && back && idempotents.contains(*forward) && idempotents.contains(*back))
      result.insert({pair.first, pair.second});
  }
  return result;
}

bool isIdeal(const Table &table, const Slots &units) {
  return std::all_of(table.constants().begin(), table.constants().end(), [&](const Constant &constant) {
    bool outside = !units.contains(constant.i) || !units.contains(constant.j);
    return !outside || !units.contains(constant.k);
  });
}

// The places of the units in the quotient, or nothing when they do not multiply as matrix units.
std::optional<std::map<std::int64_t, Unit>> placeUnits(const Table &table, const Slots &units) {
  std::vector<const Constant *> quotient;
  Slots idempotents;
  for (const Constant &constant : table.constants())
    if (units.contains(constant.i) && units.contains(constant.j) && units.contains(constant.k)) {
      if (!constant.value.isOne())
        return std::nullopt;
      quotient.push_back(&constant);
      if (constant.i == constant.j && constant.j == constant.k)
        idempotents.insert(constant.i);
    }
  std::map<std::int64_t, std::int64_t> rows, columns;
  for (const Constant *constant : quotient) {
    if (constant->j == constant->k && idempotents.contains(constant->i) &&
        !rows.try_emplace(constant->j, constant->i).second)
      return std::nullopt;
    if (constant->i == constant->k && idempotents.contains(constant->j) &&
        !columns.try_emplace(constant->i, constant->j).second)
      return std::nullopt;
  }
  std::map<std::int64_t, Unit> places;
  std::map<Unit, std::int64_t> at;
  for (std::int64_t unit : units) {
    if (!rows.contains(unit) || !columns.contains(unit))
      return std::nullopt;
    Unit place{rows[unit], columns[unit]};
    places[unit] = place;
    if (!at.try_emplace(place, unit).second)
      return std::nullopt;
  }
  for (const Constant *constant : quotient) {
    Unit left = places[constant->i], right = places[constant->j];
    if (left.second != right.first || places[constant->k] != Unit{left.first, right.second})
      return std::nullopt;
  }
  // No product that has to be there is missing: each row of the units gives its number of partners.
  std::map<std::int64_t, std::int64_t> row_sizes;
  for (const auto &[unit, place] : places)
    ++row_sizes[place.first];
  std::int64_t expected = 0;
  for (const auto &[unit, place] : places)
    expected += row_sizes[place.second];
  if (expected != static_cast<std::int64_t>(quotient.size()))
    return std::nullopt;
  return places;
}

// Blocks of idempotents that share units; each has to be a full square. Its units row-major.
std::optional<std::vector<std::vector<std::int64_t>>>
componentUnits(const std::map<std::int64_t, Unit> &places) {
  std::map<std::int64_t, Slots> partners; // row -> columns
  std::map<Unit, std::int64_t> at;
  for (const auto &[unit, place] : places) {
    partners[place.first].insert(place.second);
    at[place] = unit;
  }
  std::vector<std::vector<std::int64_t>> components;
  Slots seen;
  for (const auto &[row, columns] : partners) {
    if (seen.contains(row))
      continue;
    for (std::int64_t other : columns) {
      auto theirs = partners.find(other);
      if (theirs == partners.end() || theirs->second != columns || !seen.insert(other).second)
        return std::nullopt;
    }
    if (!columns.contains(row))
      return std::nullopt;
    std::vector<std::int64_t> &units = components.emplace_back();
    for (std::int64_t first : columns)
      for (std::int64_t second : columns)
        units.push_back(at.at({first, second}));
  }
  return components;
}

// The slots that span N, N^2, ...; nothing when N is not nilpotent or its products are sums.
std::optional<std::vector<std::vector<std::int64_t>>> radicalPowers(const Table &table, const Slots &units) {
  std::vector<const Constant *> inside;
  for (const Constant &constant : table.constants()) {
    if (units.contains(constant.i) || units.contains(constant.j))
      continue;
    if (!inside.empty() && inside.back()->i == constant.i && inside.back()->j == constant.j)
      return std::nullopt;
    inside.push_back(&constant);
  }
  Slots power; // a basis of N^s
  for (std::int64_t slot = 0; slot < table.dimension(); ++slot)
    if (!units.contains(slot))
      power.insert(slot);
  std::vector<std::vector<std::int64_t>> powers;
  while (!power.empty()) {
    Slots next;
    for (const Constant *constant : inside)
      if (power.contains(constant->j))
        next.insert(constant->k);
    if (next.size() >= power.size()) // N^(s+1) lies in N^s: no descent, no nilpotency
      return std::nullopt;
    powers.emplace_back(power.begin(), power.end());
    power = std::move(next);
  }
  return powers;
}

} // namespace

std::optional<ShownStructure> shownStructure(const Table &table) {
  Slots units = matrixUnitCandidates(table);
  if (units.empty() || !isIdeal(table, units))
    return std::nullopt;
  auto places = placeUnits(table, units);
  if (!places)
    return std::nullopt;
  auto components = componentUnits(*places);
  auto powers = radicalPowers(table, units);
  if (!components || !powers)
    return std::nullopt;
  return ShownStructure{std::move(*components), std::move(*powers)};
}

std::optional<Structure> tableStructure(const Table &table) {
  if (table.dimension() > table.nonzeros() || findNonassociative(table) || !findIdentity(table))
    return std::nullopt;
  std::optional<ShownStructure> shown = shownStructure(table);
  if (!shown)
    return std::nullopt;
  Structure result;
  std::int64_t above = table.dimension();
  for (const std::vector<std::int64_t> &power : shown->radical_powers) {
    result.layers.push_back(above - static_cast<std::int64_t>(power.size()));
    above = static_cast<std::int64_t>(power.size());
  }
  result.layers.push_back(above);
  for (const std::vector<std::int64_t> &units : shown->units)
    ++result.components[static_cast<std::int64_t>(units.size())];
  result.center_dimension = centerDimension(table);
  return result;
}

} // namespace algebras
