#include "algebras/linear/integer_factors.h"

#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
#include <flint/fmpz_factor.h>
#include <flint/ulong_extras.h>

#include <algorithm>
#include <stdexcept>

namespace algebras {

namespace {

fmpz *integer(Rational &value) { return fmpq_numref(FlintAccess::get(value)); }

// rest = (what it is afterwards)^(exponent that is returned), the exponent as large as can be.
int64_t takeRoot(Rational &rest) {
  int64_t exponent = 1;
  Rational root;
  while (int own = fmpz_is_perfect_power(integer(root), integer(rest))) {
    exponent *= own;
    rest = root;
  }
  return exponent;
}

} // namespace

std::optional<std::vector<PrimePower>> factorInteger(const Rational &value) {
  if (value.isZero() || !value.isInteger())
    throw std::logic_error("factorInteger: not an integer other than zero");
  constexpr slong small_primes = 1024;
  std::vector<PrimePower> result;
  Rational rest = value.sign() < 0 ? -value : value;
  const mp_limb_t *primes = n_primes_arr_readonly(small_primes);
  for (slong index = 0; index < small_primes && !rest.isOne(); ++index) {
    Rational prime(static_cast<int64_t>(primes[index]));
    if (slong exponent = fmpz_remove(integer(rest), integer(rest), integer(prime)))
      result.push_back({prime, exponent});
  }
  if (rest.isOne())
    return result;
  int64_t exponent = takeRoot(rest);
  if (fmpz_bits(integer(rest)) > longest_factored)
    return std::nullopt;
  fmpz_factor_t factors;
  fmpz_factor_init(factors);
  fmpz_factor(factors, integer(rest));
  for (slong index = 0; index < factors->num; ++index) {
    PrimePower power{Rational(), exponent * static_cast<int64_t>(factors->exp[index])};
    fmpz_set(integer(power.prime), factors->p + index);
    result.push_back(std::move(power));
  }
  fmpz_factor_clear(factors);
  std::sort(result.begin(), result.end(),
            [](const PrimePower &a, const PrimePower &b) { return a.prime < b.prime; });
  return result;
}

} // namespace algebras
