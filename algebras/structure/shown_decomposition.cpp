#include "algebras/structure/shown_decomposition.h"

#include "algebras/structure/structure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace algebras {

namespace {

// The slots that are matrix units modulo the radical, one row-major square for each simple component, and the
// slots that span rad, rad^2, ...
struct ShownStructure {
  std::vector<std::vector<int64_t>> units;
  std::vector<std::vector<int64_t>> radical_powers; // the last one is not empty
};

SparseVector slotVector(int64_t slot) { return {{slot, Rational(1)}}; }

Decomposition fromSlots(const Field &field, const ShownStructure &shown) {
  Decomposition result;
  for (const std::vector<int64_t> &power : shown.radical_powers) {
    std::vector<SparseVector> &basis = result.radical_powers.emplace_back();
    for (int64_t slot : power)
      basis.push_back(slotVector(slot));
  }
  for (const std::vector<int64_t> &units : shown.units) {
    SimpleComponent component;
    component.dimension = static_cast<int64_t>(units.size());
    auto d = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(units.size()))));
    component.matrix_degree = d;
    std::vector<int64_t> diagonal;
    for (int64_t a = 0; a < d; ++a)
      diagonal.push_back(units[a * d + a]);
    std::sort(diagonal.begin(), diagonal.end());
    for (int64_t slot : diagonal)
      component.idempotent.emplace_back(slot, Rational(1));
    component.center_generator = component.idempotent;
    component.center_polynomial = {field.reduce(Rational(-1)), Rational(1)};
    if (d > 1)
      for (int64_t unit : units)
        component.matrix_units.push_back(slotVector(unit));
    result.components.push_back(std::move(component));
  }
  sortComponents(result);
  return result;
}

} // namespace

std::optional<Decomposition> shownByPositions(const Algebra &algebra) {
  if (algebra.nonzeros() > Algebra::expansion_limit)
    return std::nullopt;
  int64_t n = algebra.positions();
  ShownStructure shown;
  std::vector<bool> seen(n), is_unit(algebra.dimension());
  for (int64_t i = 0; i < n; ++i) {
    if (seen[i])
      continue;
    std::vector<int64_t> mates = algebra.support(i, i);
    std::vector<int64_t> &units = shown.units.emplace_back();
    for (int64_t a : mates) {
      seen[a] = true;
      for (int64_t b : mates) {
        units.push_back(algebra.slotAt({a, b}).value());
        is_unit[units.back()] = true;
      }
    }
  }

  std::vector<int64_t> power;
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    if (!is_unit[slot])
      power.push_back(slot);
  // All constants are 1 and two slots multiply into one: rad^(s+1) is spanned by the slots that are products.
  while (!power.empty()) {
    std::vector<bool> inside(algebra.dimension());
    for (int64_t slot : power)
      inside[slot] = true;
    std::vector<int64_t> next;
    for (int64_t slot : power) {
      Position at = algebra.position(slot);
      for (int64_t k : algebra.support(at.row, at.column))
        if (!is_unit[algebra.slotAt({at.row, k}).value()] && inside[algebra.slotAt({k, at.column}).value()]) {
          next.push_back(slot);
          break;
        }
    }
    shown.radical_powers.push_back(std::move(power));
    power = std::move(next);
  }
  Decomposition result = fromSlots(algebra.field(), shown);
  if (std::optional<Structure> structure = deriveStructure(algebra))
    result.center_dimension = structure->center_dimension;
  return result;
}

} // namespace algebras
