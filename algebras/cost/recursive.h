// Recursive products Q(2)^L (paper, app. tensor-square). Types and groups are bit strings, the first factor
// the highest bit.
#pragma once

#include "algebras/groups.h"
#include "algebras/lift.h"
#include "algebras/rational.h"

#include <cstdint>

namespace algebras::cost {

// MACs of one row of type alpha, eq. recursive-unequal-cost: sum over delta and over beta between alpha and
// delta.
std::int64_t recursiveRowMacs(std::int64_t levels, const Groups &in, const Groups &out, std::int64_t alpha);
// Mean over uniform types, eq. recursive-uniform-cost: sum of 2^-h(beta,delta) s_beta r_delta. O(4^levels).
Rational recursiveMeanMacs(std::int64_t levels, const Groups &in, const Groups &out);
// The same mean as a sum over the support of any row lift: how often block (k,j) is used, over types.
Rational meanMacs(const Lift &lift, const Groups &in, const Groups &out);
Rational recursiveFraction(std::int64_t levels);     // (3/4)^L
std::int64_t recursiveProducts(std::int64_t levels); // 6^L

} // namespace algebras::cost
