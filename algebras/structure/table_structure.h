// The structure of a table, sparse where the table is.
#pragma once

#include "algebras/structure/decomposition.h"
#include "algebras/structure/structure.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>

namespace algebras {

// For an associative unital table, which is not checked: by classes of slots (class_decomposition.h), factor
// by factor where the slots fall apart into direct factors; a factor that is of no such kind is decomposed by
// dense linear algebra up to dimension kLargestDense. Nothing when some factor is too large for that.
std::optional<Decomposition> decomposeTable(const Table &table);

// The same with its dimensions.
struct TableStructure {
  Decomposition decomposition;
  Structure structure;
};
std::optional<TableStructure> decomposeWithStructure(const Table &table);

// The dimensions alone, with less memory.
std::optional<Structure> tableStructure(const Table &table);

// The dimension of the centre of an associative unital table, exactly: equations in one or two unknowns by
// merging, the others by sparse elimination. Nothing when that would take too long.
std::optional<int64_t> centerDimension(const Table &table);

} // namespace algebras
