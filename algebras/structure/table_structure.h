// The structure of a table whose basis shows it.
#pragma once

#include "algebras/structure/structure.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// The slots that are matrix units modulo the radical, one row-major square for each simple component, and the
// slots that span rad, rad^2, ...
struct ShownStructure {
  std::vector<std::vector<std::int64_t>> units;
  std::vector<std::vector<std::int64_t>> radical_powers; // the last one is not empty
};

// For an associative unital table, which is not checked. Proves a structure over any field when the basis
// splits into
// - matrix units S: idempotent basis elements, and those with an inverse partner, which multiply as matrix
// units modulo N;
// - the rest N, which spans an ideal, multiplies into multiples of basis elements, and is nilpotent.
// Then N is the radical and the table of S the quotient. Nothing when the basis is not of this kind.
std::optional<ShownStructure> shownStructure(const Table &table);

// Its dimensions. Nothing when the basis is not of this kind, or the table is not associative and unital.
std::optional<Structure> tableStructure(const Table &table);

// The dimension of the centre of an associative unital table, exactly, up to dimension 128; nothing beyond.
std::optional<std::int64_t> centerDimension(const Table &table);

} // namespace algebras
