// Why a table has no identity.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// One of the equations for an identity u: (u b_s)_k = [s = k] (from the left), or (b_s u)_k = [s = k]; with a
// weight.
struct WeightedEquation {
  bool left = false;
  std::int64_t s = 0, k = 0;
  Rational weight;
};

// Equations whose weighted sum is 0 = 1. Nothing where the table has an identity, or the dimension exceeds
// 512 and no single equation is a contradiction.
std::optional<std::vector<WeightedEquation>> contradiction(const Table &table);

} // namespace algebras
