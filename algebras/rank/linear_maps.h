// Changes of coordinates of bilinear algorithms.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"

#include <vector>

namespace algebras {

// sum_s vector(s) rows[s].
SparseVector combine(const Field &field, const SparseVector &vector, const std::vector<SparseVector> &rows);

// The algorithm for (x, y) -> G(A(x) B(y)): left_forms[i] is coordinate i of A as a form, right_forms[j] that
// of B, images[k] the image of basis element k under G.
BilinearAlgorithm transformed(const Field &field, const BilinearAlgorithm &algorithm,
                              const std::vector<SparseVector> &left_forms,
                              const std::vector<SparseVector> &right_forms,
                              const std::vector<SparseVector> &images);

// The rows of a matrix become its columns.
std::vector<SparseVector> transposed(const std::vector<SparseVector> &rows, int64_t columns);

// The inverse of the square matrix with these rows; nothing where it is singular. Dense.
std::optional<std::vector<SparseVector>> inverse(const Field &field, const std::vector<SparseVector> &rows);

// The algorithm in the algebra's own basis, given one in the basis whose element s is basis[s]; nothing where
// that is no basis.
std::optional<BilinearAlgorithm> inOwnBasis(const Field &field, const BilinearAlgorithm &algorithm,
                                            const std::vector<SparseVector> &basis);

} // namespace algebras
