// Bilinear algorithms: x y = sum_r alpha_r(x) beta_r(y) gamma_r.
#pragma once

#include "algebras/identity.h" // SparseVector
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// One product: alpha and beta are linear forms on x and y, gamma is the element that their product
// multiplies. Entries are canonical elements of the field.
struct BilinearProduct {
  SparseVector alpha, beta, gamma;
  bool operator==(const BilinearProduct &) const = default;
};

// The dimensions of the three spaces belong to whoever holds the list. For an algebra all three are its
// dimension.
using BilinearAlgorithm = std::vector<BilinearProduct>;

// sum_r alpha_r(i) beta_r(j) gamma_r(k) is not c[i,j,k].
struct Mismatch {
  int64_t i = 0, j = 0, k = 0;
};

// Whether the algorithm computes the product of the table: nothing when it does, which is then proved; else
// some place where it does not. Over Q the identity is checked modulo as many primes as it takes for the
// product of the primes to exceed everything that the difference, times its denominators, can be; so the
// answer is exact. Costs sum_r |alpha_r| |beta_r| |gamma_r|, with the memory of one first index at a time.
// InputError where an algorithm has an index outside the table.
std::optional<Mismatch> findMismatch(const BilinearAlgorithm &algorithm, const Table &table);

// One product for each constant, for each nonzero b_i b_j, for each (i, k), or for each (j, k), whichever is
// least.
BilinearAlgorithm ownProducts(const Table &table);
int64_t ownProductCount(const Table &table); // how many these are, without making them

// Indices i of `left` and j of `right` become i * right_dimension + j.
BilinearAlgorithm tensorAlgorithm(const Field &field, const BilinearAlgorithm &left,
                                  const BilinearAlgorithm &right, int64_t right_dimension);
// Appends `own` with all indices moved by `start`.
void appendDirect(BilinearAlgorithm &algorithm, const BilinearAlgorithm &own, int64_t start);

} // namespace algebras
