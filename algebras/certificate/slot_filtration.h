// Slots that go through the powers of the radical and fall apart into the simple components.
#pragma once

#include "algebras/structure/decomposition.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// With J = rad A: the slots of level s and more span J^s; modulo J those of level 0 fall apart into the
// components; and every slot of level s + 1 > 1 is, modulo J^(s+2), a multiple of the product of a slot of
// level 1 and one of level s.
struct SlotFiltration {
  std::vector<std::vector<int64_t>> layers;     // slots of level 1, 2, ..., ascending
  std::vector<std::vector<int64_t>> components; // of level 0, ascending, as the decomposition numbers them
};

// Nothing where the slots are not of this kind. Nearly linear in the number of constants.
std::optional<SlotFiltration> slotFiltration(const Table &table, const Decomposition &decomposition);

} // namespace algebras
