#include "algebras/invariants/fields.h"

#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_factor.h>
#include <flint/ulong_extras.h>

#include <algorithm>
#include <vector>

namespace algebras {

namespace {

// The degrees of the irreducible factors modulo p, ascending; nothing when p divides a denominator or the
// factors are not all different. When they are, p does not divide the discriminant of f, and the degrees are
// those of the primes of the field above p (Dedekind): they depend on the field alone.
std::optional<std::vector<int64_t>> splittingType(const Polynomial &f, uint64_t p) {
  nmod_poly_t reduced;
  nmod_poly_init(reduced, p);
  bool is_integral = true;
  for (size_t power = 0; power < f.size() && is_integral; ++power) {
    const fmpq *value = FlintAccess::get(f[power]);
    uint64_t denominator = fmpz_fdiv_ui(fmpq_denref(value), p);
    if (denominator == 0)
      is_integral = false;
    else
      nmod_poly_set_coeff_ui(reduced, static_cast<slong>(power),
                             n_mulmod2(fmpz_fdiv_ui(fmpq_numref(value), p), n_invmod(denominator, p), p));
  }
  std::optional<std::vector<int64_t>> result;
  if (is_integral && nmod_poly_is_squarefree(reduced)) {
    nmod_poly_factor_t factors;
    nmod_poly_factor_init(factors);
    nmod_poly_factor(factors, reduced);
    result.emplace();
    for (slong index = 0; index < factors->num; ++index)
      result->push_back(nmod_poly_degree(factors->p + index));
    std::sort(result->begin(), result->end());
    nmod_poly_factor_clear(factors);
  }
  nmod_poly_clear(reduced);
  return result;
}

bool isSquare(const Rational &value) {
  if (value.sign() < 0)
    return false;
  const fmpq *raw = FlintAccess::get(value);
  return fmpz_is_square(fmpq_numref(raw)) && fmpz_is_square(fmpq_denref(raw));
}

Rational discriminant(const Polynomial &quadratic) {
  return quadratic[1] * quadratic[1] - Rational(4) * quadratic[0];
}

} // namespace

std::optional<bool> sameField(const Field &field, const Polynomial &f, const Polynomial &g) {
  if (f.size() != g.size())
    return false;
  if (!field.isRationals() || f == g || f.size() == 2)
    return true;
  if (f.size() == 3)
    return isSquare(discriminant(f) * discriminant(g));
  constexpr uint64_t last_prime = 1000;
  for (uint64_t p = 2; p < last_prime; p = n_nextprime(p, 1)) {
    auto left = splittingType(f, p), right = splittingType(g, p);
    if (left && right && *left != *right)
      return false;
  }
  return std::nullopt;
}

} // namespace algebras
