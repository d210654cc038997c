// The prime factors of an integer.
#pragma once

#include "algebras/rational.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

struct PrimePower {
  Rational prime;
  int64_t exponent = 1;
};

// Of |value|, an integer that is not zero: ascending, proved prime. Nothing where what is left when small
// primes and powers are taken out is too long to be factored in an instant (longest_factored).
std::optional<std::vector<PrimePower>> factorInteger(const Rational &value);
inline constexpr int64_t longest_factored = 160; // bits

} // namespace algebras
