// Why a table has no identity.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// One of the equations for a left identity u, (u b_s)_k = [s = k], or for a right one, (b_s u)_k = [s = k];
// with a weight.
struct WeightedEquation {
  int64_t s = 0, k = 0;
  Rational weight;
};

// Equations of one side whose weighted sum is 0 = 1. Nothing where the table has such an identity, or the
// dimension exceeds 512 and no single equation is a contradiction.
std::optional<std::vector<WeightedEquation>> contradiction(const Table &table, bool left);

} // namespace algebras
