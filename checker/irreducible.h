// Primes, and polynomials that do not factor: docs/certificates.md, [8].
#pragma once

#include "checker/algebra.h"

namespace checker {
// Below 2^63 by BPSW, which GMP's test begins with: it has no pseudoprimes there. Beyond by Pocklington's theorem:
// a^(n-1) = 1 modulo n, a^((n-1)/q) - 1 is a unit for some primes q, and what these leave of n - 1 is below its root.
inline bool isPrime(const Integer &n, const Json &proof = Json::object()) {
  if (n < Integer(1) << 63) return n > 1 && mpz_probab_prime_p(n.get_mpz_t(), 25) > 0;
  const Integer base = number(proof.at("base"));
  Integer rest = n - 1, root, power;
  for (const Json &factor : proof.at("factors")) {
    const Integer q = number(factor), exponent = (n - 1) / q;
    require(isPrime(q) && rest % q == 0, "a factor is not prime, or none");
    mpz_powm(root.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), n.get_mpz_t());
    mpz_powm(power.get_mpz_t(), root.get_mpz_t(), q.get_mpz_t(), n.get_mpz_t());
    require(power == 1 && gcd(root - 1, n) == 1, "a number is not proved prime");
    while (rest % q == 0) rest /= q;
  }
  return rest * rest < n;
}

// |f(n)| = d p for a monic polynomial f over Z, with a prime p and n further than d from all roots of f: their absolute
// values are at most 1 + largest (Cauchy).
inline bool hasPrimeValue(const Element &f, const Json &reason) {
  const Integer n = number(reason.at("at")), d = number(reason.at("cofactor"));
  Integer value, power, largest;
  for (const auto &[exponent, coefficient] : f) {
    require(mpz_sizeinbase(n.get_mpz_t(), 2) * exponent < 1 << 20, "a number is too large");
    mpz_pow_ui(power.get_mpz_t(), n.get_mpz_t(), exponent);
    value += coefficient * power;
    largest = std::max<Integer>(largest, abs(coefficient));
  }
  return d > 0 && n > 1 + largest + d && value % d == 0 && isPrime(abs(value) / d, reason);
}

// On R = GF(q)[x]/(f), f monic, with F: y -> y^q, the rank of F (F - 1) is one less than the degree (Berlekamp).
inline bool isIrreducible(const Element &f, const Integer &q) {
  require(isPrime(q), "a modulus is not prime");
  const Index degree = f.rbegin()->first;
  Operator x, power, frobenius, rows; // multiplication by x, and in the end by x^q; F
  for (Index s = 0; s < degree; ++s) x[s] = {{s + 1, 1}};
  for (Index s = 0; s < degree; ++s) power[s] = {{s, 1}};
  addProduct(x[degree - 1], f, -1);
  for (std::size_t bit = mpz_sizeinbase(q.get_mpz_t(), 2); bit-- > 0;) {
    const Operator root = power;
    for (auto &[s, image] : power) image = apply(root, image, q);
    if (mpz_tstbit(q.get_mpz_t(), bit))
      for (auto &[s, image] : power) image = apply(x, image, q);
  }
  frobenius[0] = {{0, 1}};
  for (Index s = 1; s < degree; ++s) frobenius[s] = apply(power, frobenius[s - 1], q);
  for (auto [s, difference] : frobenius) {
    difference[s] -= 1;
    addRow(rows, apply(frobenius, difference, q), q);
  }
  return std::ssize(rows) + 1 == degree;
}
} // namespace checker
