// Elements of the radical that sharpen the Alder-Strassen bound (docs/certificates.md, [9]).
#pragma once

#include "algebras/structure/decomposition.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// e_i x e_j is not in J^2; or, with three ends, e_i x e_j y e_l is not in J^3: i != j != l, x and y in J.
struct PeirceChain {
  std::vector<std::int64_t> ends; // numbers of components
  std::vector<SparseVector> elements;
};

// Where all simple components are the ground field. Prefers three ends; nothing where none is found.
std::optional<PeirceChain> findPeirceChain(const Table &table, const Decomposition &decomposition);

} // namespace algebras
