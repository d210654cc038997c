// From algorithms over GF(2) to algorithms over Q.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"

#include <optional>

namespace algebras::rank {

// An algorithm over Q that agrees with one over GF(2) modulo 2, lifted step by step modulo powers of 2
// (Kauers and Moosbauer 2022) and read as small rationals with odd denominators. Nothing where a step has no
// solution, the coefficients do not come out small, or the equations, dimension^3 of them, are too many. What
// comes back is still to be verified. The constants of the table are to have odd denominators.
std::optional<BilinearAlgorithm> liftFromTwo(const BilinearAlgorithm &algorithm, const Table &table);

} // namespace algebras::rank
