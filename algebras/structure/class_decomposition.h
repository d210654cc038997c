// Decompositions of sparse tables, one class of slots after another.
#pragma once

#include "algebras/structure/decomposition.h"
#include "algebras/structure/slot_classes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// A/rad, and a basis of rad: slots that lie in it, and other elements.
struct ClassDecomposition {
  std::vector<SimpleComponent> components; // in no particular order
  std::vector<bool> in_radical;            // by slot
  std::vector<SparseVector> radical_elements;
  bool by_linear_algebra = false; // some class was no multiples of matrix units
};

// For an associative unital table, which is not checked. Let I be the span of the classes before a class C.
// - Where C does not multiply into itself, its square lies in I: modulo I it lies in the radical. So it does
// where the
//   span of C, multiplied modulo I, is nilpotent.
// - Where the span of C, multiplied modulo I, has an identity u, it is an ideal of A/I with an identity, so
// that u is
//   central and A/I is the direct product of this ideal and of what is left of A/I modulo C.
// So A/rad is the product of the quotients of the classes of the second kind by their radicals. Each of these
// is decomposed by itself: multiples of matrix units at once, others up to dimension kLargestDense by dense
// linear algebra. Elements are lifted from A/I to A by subtracting their parts in the components found
// before. Nothing when some class is of neither kind, or too large, or when the table is one class that is
// dense.
std::optional<ClassDecomposition> decomposeByClasses(const TableIndex &index);

} // namespace algebras
