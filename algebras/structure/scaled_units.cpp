// Every slot has to have one idempotent slot on its left and one on its right: these are its row and its
// column. The units of the first row may keep any scale; those of the first column follow from E_1b E_b1 =
// E_11, all others from E_ab = E_a1 E_1b. Then each constant is compared with the product that it has to be.
#include "algebras/structure/scaled_units.h"

#include <algorithm>

namespace algebras {

namespace {

// The single constant of slot i times slot j; null where there is none, or several.
const Constant *only(const Table &table, int64_t i, int64_t j) {
  std::span<const Constant> row = table.row(i);
  auto place =
      std::lower_bound(row.begin(), row.end(), j, [](const Constant &c, int64_t slot) { return c.j < slot; });
  if (place == row.end() || place->j != j || (place + 1 != row.end() && (place + 1)->j == j))
    return nullptr;
  return &*place;
}

} // namespace

std::optional<ScaledUnits> scaledUnits(const Table &table) {
  const int64_t n = table.dimension();
  int64_t d = 1;
  while (d * d < n)
    ++d;
  if (d * d != n || table.nonzeros() != n * d)
    return std::nullopt;

  // Idempotent slots, up to scale, are the diagonal.
  constexpr int64_t none = -1;
  std::vector<int64_t> order(n, none), diagonal, rows(n, none), columns(n, none);
  for (int64_t slot = 0; slot < n; ++slot)
    if (const Constant *square = only(table, slot, slot); square && square->k == slot) {
      order[slot] = static_cast<int64_t>(diagonal.size());
      diagonal.push_back(slot);
    }
  if (static_cast<int64_t>(diagonal.size()) != d)
    return std::nullopt;
  for (const Constant &constant : table.constants()) {
    if (constant.j == constant.k && order[constant.i] != none) {
      if (rows[constant.j] != none)
        return std::nullopt;
      rows[constant.j] = order[constant.i];
    }
    if (constant.i == constant.k && order[constant.j] != none) {
      if (columns[constant.i] != none)
        return std::nullopt;
      columns[constant.i] = order[constant.j];
    }
  }
  std::vector<int64_t> at(n, none); // row-major place -> slot
  for (int64_t slot = 0; slot < n; ++slot) {
    if (rows[slot] == none || columns[slot] == none || at[rows[slot] * d + columns[slot]] != none)
      return std::nullopt;
    at[rows[slot] * d + columns[slot]] = slot;
  }

  const Field &field = table.field();
  auto inverse = [&](const Rational &value) { return field.reduce(Rational(1) / value); };
  std::vector<Rational> scale(n); // of the slot, in its unit
  const Constant *first = only(table, at[0], at[0]);
  scale[at[0]] = inverse(first->value);
  for (int64_t b = 1; b < d; ++b) {
    scale[at[b]] = Rational(1);
    const Constant *product = only(table, at[b], at[b * d]);
    if (!product || product->k != at[0])
      return std::nullopt;
    scale[at[b * d]] = field.multiply(scale[at[0]], inverse(product->value));
  }
  for (int64_t a = 1; a < d; ++a)
    for (int64_t b = 1; b < d; ++b) {
      const Constant *product = only(table, at[a * d], at[b]);
      if (!product || product->k != at[a * d + b])
        return std::nullopt;
      scale[product->k] = field.multiply(field.multiply(scale[at[a * d]], scale[at[b]]), product->value);
    }
  // d^3 constants, no two for one pair of slots by what follows: so no product that has to be there is
  // missing.
  int64_t i = none, j = none;
  for (const Constant &constant : table.constants()) {
    bool again = constant.i == i && constant.j == j;
    i = constant.i;
    j = constant.j;
    if (again || columns[i] != rows[j] || constant.k != at[rows[i] * d + columns[j]] ||
        field.multiply(field.multiply(scale[i], scale[j]), constant.value) != scale[constant.k])
      return std::nullopt;
  }
  ScaledUnits result;
  result.degree = d;
  for (int64_t slot : at)
    result.units.emplace_back(slot, scale[slot]);
  return result;
}

} // namespace algebras
