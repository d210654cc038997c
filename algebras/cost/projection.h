// MACs of projections (paper, prop. parameters and app. vjp). All counts are exact; InputError where they
// leave 64 bits.
#pragma once

#include "algebras/groups.h"
#include "algebras/lift.h"
#include "algebras/rational.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algebras::cost {

// MACs of one row of `type`: the sum of s_k r_j over its terms. For Q(q) this is C_i = sum_j s_j r_j + s_i (N
// - r_i) (eq. unequal-row-cost), in closed form.
int64_t rowMacs(const Lift &lift, const Groups &in, const Groups &out, int64_t type);
// eq. unequal-row-cost by itself, for Q(q) with q = in.count().
int64_t completeGraphRowMacs(const Groups &in, const Groups &out, int64_t type);
// rowMacs of every type; linear in the number of terms, or in the groups for Q(q).
std::vector<int64_t> allRowMacs(const Lift &lift, const Groups &in, const Groups &out);

// Forward MACs of a batch with rows_of_type[i] rows of type i (eq. rectangular-batch-cost).
int64_t batchMacs(const Lift &lift, const Groups &in, const Groups &out,
                  std::span<const int64_t> rows_of_type);
int64_t denseMacs(int64_t m, int64_t k, int64_t n);
// Forward, dX and dW: three times the forward count (eq. three-pass-projection-cost).
int64_t trainingMacs(int64_t forward);

Rational rho(int64_t q); // (2q-1)/q^2, eq. rho
Rational
equalGroupFraction(const Lift &lift); // active over dense for equal groups and equally frequent types

} // namespace algebras::cost
