// The decomposition of an algebra by primitive idempotents: A is the direct sum of the e_i A e_j.
#pragma once

#include "algebras/structure/decomposition.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Where the basis elements of an adapted table lie: slot s in e_row A e_column.
struct PeircePositions {
  std::vector<int64_t> idempotents; // the slots that are primitive idempotents
  std::vector<int64_t> component;   // of each idempotent: the simple factor of A/rad
  std::vector<int64_t> row, column; // of each slot, as numbers of idempotents
  std::vector<bool> radical;        // of each slot: whether it lies in rad; rad is spanned by these
};

// Nothing where the basis is not of this kind, or some simple factor is not known to split. Linear in the
// number of constants.
std::optional<PeircePositions> adaptedPositions(const Table &table, const Decomposition &decomposition);

// Products of elements of rad, with x in e_i rad e_j for i != j.
struct OffDiagonalProducts {
  bool off_diagonal = false; // there is such an x that is not zero
  bool any = false;          // x y or y x is not zero for some y in rad
  bool chain = false;        // and y in e_j rad e_l, j != l, or y in e_h rad e_i, h != i
};
// What is found is proved: by a product that is not zero, over Q modulo a prime. What is not found may be
// there.
OffDiagonalProducts findOffDiagonalProducts(const Table &table, const std::vector<SparseVector> &idempotents,
                                            const std::vector<SparseVector> &radical);

} // namespace algebras
