// Square products of side n = q b over Q(q) * M(b) (paper, prop. quadratic-scaling).
#pragma once

#include "algebras/rational.h"

#include <cstdint>

namespace algebras::cost {

std::int64_t squareMacs(std::int64_t n,
                        std::int64_t q); // (2q^2 - q)(n/q)^3, eq. scaling-square; q must divide n
std::int64_t fixedBlockMacs(std::int64_t n,
                            std::int64_t b); // 2bn^2 - b^2 n, eq. scaling-quadratic; b must divide n
std::int64_t squareRankLower(std::int64_t n, std::int64_t q); // 2n^2 - q, Alder-Strassen
// (2q-1)/q^2 * M K N, eq. scaling-rectangular: an integer when q divides K and N.
Rational rectangularMacs(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t q);

} // namespace algebras::cost
