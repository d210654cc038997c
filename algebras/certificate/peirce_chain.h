// Slots of the radical that sharpen the Alder-Strassen bound (docs/certificates.md, [9]).
#pragma once

#include "algebras/certificate/slot_filtration.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <vector>

namespace algebras {

// Slots i, x, j with b_i b_x b_j not in J^2, or i, x, j, y, l with b_i b_x b_j b_y b_l not in J^3, where i !=
// j != l are of level 0, x and y of level 1. For tables whose simple components are the ground field. Prefers
// five slots; none where none are found within a bounded number of products.
std::vector<int64_t> findPeirceChain(const Table &table, const SlotFiltration &filtration);

} // namespace algebras
