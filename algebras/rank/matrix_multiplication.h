// Bounds on the rank of n x n matrix multiplication that hold over every field, and the algorithms of the
// upper ones.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"

#include <cstdint>
#include <string>

namespace algebras {

struct RankBound {
  int64_t products = 0;
  std::string rule;
};

// The best of: Alder-Strassen, 2n^2 - 1; Blaser 2003, 2n^2 + n - 2 for n >= 3; Blaser 1999, (5/2) n^2 - 3n.
RankBound matrixRankLower(int64_t n);
// The least that comes of Strassen's 7 for 2 x 2 and Laderman's 23 for 3 x 3, used recursively, and of
// cutting matrices into blocks of unequal sizes where these do not divide n (n <= 32).
RankBound matrixRankUpper(int64_t n);
// The algorithm of matrixRankUpper in the basis of matrix units, row-major. Coefficients are 1 and -1.
BilinearAlgorithm matrixAlgorithm(const Field &field, int64_t n);

} // namespace algebras
