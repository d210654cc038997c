#include "algebras/certificate/irreducibility.h"

#include "algebras/certificate/encode.h"
#include "algebras/rational_flint.h"

#include <flint/fmpq_poly.h>
#include <flint/fmpz_factor.h>
#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>
#include <flint/ulong_extras.h>

namespace algebras {

namespace {

using nlohmann::ordered_json;

// FLINT's integers with a lifetime.
class Integer {
public:
  Integer() { fmpz_init(value_); }
  explicit Integer(slong value) { fmpz_init_set_si(value_, value); }
  Integer(const Integer &other) { fmpz_init_set(value_, other.value_); }
  Integer &operator=(const Integer &other) {
    fmpz_set(value_, other.value_);
    return *this;
  }
  ~Integer() { fmpz_clear(value_); }
  operator fmpz *() { return value_; }
  operator const fmpz *() const { return value_; }
  ordered_json json() const {
    if (fmpz_fits_si(value_))
      return fmpz_get_si(value_);
    char *text = fmpz_get_str(nullptr, 10, value_);
    ordered_json result = std::string(text);
    flint_free(text);
    return result;
  }

private:
  fmpz_t value_;
};

// The primes of the part of n that has small factors, which is divided out of n.
std::vector<Integer> divideOutSmooth(Integer &n) {
  std::vector<Integer> primes;
  fmpz_factor_t factors;
  fmpz_factor_init(factors);
  // Trial division and the elliptic curve method, for factors of up to 50 bits.
  fmpz_factor_smooth(factors, n, 50, 1);
  for (slong index = 0; index < factors->num; ++index) {
    Integer prime;
    fmpz_set(prime, factors->p + index);
    if (fmpz_is_probabprime(prime) != 1)
      continue; // the rest that was not taken apart
    for (ulong power = 0; power < factors->exp[index]; ++power)
      fmpz_divexact(n, n, prime);
    primes.push_back(prime);
  }
  fmpz_factor_clear(factors);
  return primes;
}

// Nothing for numbers below 2^63 that are prime, else Pocklington's proof; false where n is composite or n -
// 1 hard to factor.
bool addProofOfPrime(ordered_json &json, const Integer &n) {
  if (fmpz_is_probabprime(n) != 1)
    return false;
  if (fmpz_fits_si(n))
    return fmpz_is_prime(n) == 1;
  Integer before, rest, square;
  fmpz_sub_ui(before, n, 1);
  rest = before;
  std::vector<Integer> primes = divideOutSmooth(rest);
  fmpz_mul(square, rest, rest);
  if (fmpz_cmp(square, n) >= 0)
    return false;
  ordered_json factors = ordered_json::array();
  for (const Integer &prime : primes) {
    if (!fmpz_fits_si(prime) || fmpz_is_prime(prime) != 1)
      return false;
    factors.push_back(prime.json());
  }
  for (slong base = 2; base < 1000; ++base) {
    Integer power;
    fmpz_set_si(power, base);
    fmpz_powm(power, power, before, n);
    if (!fmpz_is_one(power))
      return false; // composite after all
    bool serves = true;
    for (const Integer &prime : primes) {
      Integer exponent, difference, common;
      fmpz_divexact(exponent, before, prime);
      fmpz_set_si(difference, base);
      fmpz_powm(difference, difference, exponent, n);
      fmpz_sub_ui(difference, difference, 1);
      fmpz_gcd(common, difference, n);
      serves = serves && fmpz_is_one(common);
    }
    if (serves) {
      json["base"] = base;
      json["factors"] = std::move(factors);
      return true;
    }
  }
  return false;
}

// Divides the primes below 10^4 out of `value`, as long as their product stays below `limit`.
Integer divideOutSmall(Integer &value, const Integer &limit) {
  Integer cofactor(1), next;
  n_primes_t primes;
  n_primes_init(primes);
  for (ulong prime = n_primes_next(primes); prime < 10000; prime = n_primes_next(primes))
    while (fmpz_divisible_si(value, static_cast<slong>(prime))) {
      fmpz_mul_ui(next, cofactor, prime);
      if (fmpz_cmp(next, limit) >= 0)
        break;
      cofactor = next;
      fmpz_divexact_ui(value, value, prime);
    }
  n_primes_clear(primes);
  return cofactor;
}

// |f(n)| = d p with n beyond all roots by more than d: see docs/certificates.md.
std::optional<ordered_json> primeValue(const fmpz_poly_t f) {
  constexpr int kTries = 20000;
  constexpr slong kLargestValue = 600; // bits: beyond, primes are too rare and too hard to prove
  Integer largest, roots, n, value, limit;
  for (slong s = 0; s < fmpz_poly_degree(f); ++s)
    if (fmpz_cmpabs(fmpz_poly_get_coeff_ptr(f, s), largest) > 0)
      fmpz_abs(largest, fmpz_poly_get_coeff_ptr(f, s));
  fmpz_fdiv_q(roots, largest, fmpz_poly_get_coeff_ptr(f, fmpz_poly_degree(f)));
  fmpz_add_ui(roots, roots, 2);
  fmpz_add_ui(n, roots, 1);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    fmpz_add_ui(n, n, 1);
    fmpz_sub(limit, n, roots); // of d
    fmpz_poly_evaluate_fmpz(value, f, n);
    fmpz_abs(value, value);
    if (static_cast<slong>(fmpz_bits(value)) > kLargestValue)
      return std::nullopt;
    Integer cofactor = divideOutSmall(value, limit);
    if (ordered_json reason = {{"at", n.json()}, {"cofactor", cofactor.json()}};
        addProofOfPrime(reason, value))
      return reason;
  }
  return std::nullopt;
}

} // namespace

std::optional<ordered_json> irreducibilityReason(const Polynomial &polynomial) {
  constexpr ulong kLargestPrime = 1000;
  fmpq_poly_t rational;
  fmpz_poly_t f;
  fmpq_poly_init(rational);
  fmpz_poly_init(f);
  for (std::size_t s = 0; s < polynomial.size(); ++s)
    fmpq_poly_set_coeff_fmpq(rational, static_cast<slong>(s), FlintAccess::get(polynomial[s]));
  fmpq_poly_get_numerator(f, rational);
  std::optional<ordered_json> reason;
  for (ulong q = 2; q < kLargestPrime && !reason; q = n_nextprime(q, 1)) {
    nmod_poly_t reduced;
    nmod_poly_init(reduced, q);
    fmpz_poly_get_nmod_poly(reduced, f);
    if (nmod_poly_is_irreducible(reduced))
      reason = ordered_json{{"modulo", q}};
    nmod_poly_clear(reduced);
  }
  if (!reason)
    reason = primeValue(f);
  fmpq_poly_clear(rational);
  fmpz_poly_clear(f);
  return reason;
}

SmallGenerator smallGenerator(const Polynomial &polynomial) {
  auto degree = static_cast<std::int64_t>(polynomial.size()) - 1;
  SmallGenerator result{Rational(0), Rational(1), polynomial};
  // z - a has trace 0 for a = tr(z) / degree, the negative of the second coefficient over the degree.
  result.shift = -polynomial[degree - 1] / Rational(degree);
  for (std::int64_t start = 0; start < degree; ++start) // f(x + a), by Horner's scheme
    for (std::int64_t s = degree; s-- > start;)
      result.polynomial[s] += result.shift * result.polynomial[s + 1];
  // f(c x) / c^degree has the coefficients a_s / c^(degree - s).
  auto rescale = [&](const Rational &c) {
    Rational power(1);
    for (std::int64_t s = degree; s >= 0; --s, power *= c)
      result.polynomial[s] /= power;
    result.scale *= c;
  };
  auto divides = [&](const Rational &c) {
    Rational power(1);
    for (std::int64_t s = degree; s >= 0; --s, power *= c)
      if (!(result.polynomial[s] / power).isInteger())
        return false;
    return true;
  };
  Rational denominator(1);
  for (const Rational &coefficient : result.polynomial)
    denominator *= (coefficient * denominator).denominator();
  rescale(Rational(1) / denominator);
  n_primes_t primes;
  n_primes_init(primes);
  for (ulong prime = n_primes_next(primes); prime < 10000; prime = n_primes_next(primes))
    while (divides(Rational(static_cast<std::int64_t>(prime))))
      rescale(Rational(static_cast<std::int64_t>(prime)));
  n_primes_clear(primes);
  return result;
}

} // namespace algebras
