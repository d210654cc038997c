// Published bounds on the rank of n x n matrix multiplication that hold over every field.
#pragma once

#include <cstdint>
#include <string>

namespace algebras {

struct RankBound {
  std::int64_t products = 0;
  std::string rule;
};

// The best of: Alder-Strassen, 2n^2 - 1; Blaser 2003, 2n^2 + n - 2 for n >= 3; Blaser 1999, (5/2) n^2 - 3n.
RankBound matrixRankLower(std::int64_t n);
// The least of n^3 and of the recursive use of Strassen's 7 for 2 x 2 and Laderman's 23 for 3 x 3 where they
// divide n.
RankBound matrixRankUpper(std::int64_t n);

} // namespace algebras
