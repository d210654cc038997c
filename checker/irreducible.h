// Primes, and polynomials that do not factor: docs/certificates.md, [8].
#pragma once

#include "checker/input.h"

namespace checker {

inline bool isPrime(const Integer &n) { // below 2^63: BPSW, which GMP's test begins with, has no pseudoprimes there
  return n > 1 && mpz_sizeinbase(n.get_mpz_t(), 2) < 64 && mpz_probab_prime_p(n.get_mpz_t(), 25) > 0;
}

// A number below 2^63; or {"n", "base", "factors"} by Pocklington's theorem: a^(n-1) = 1 modulo n, a^((n-1)/q) - 1 is a
// unit for each prime q given, and what these primes leave of n - 1 is less than its root.
inline Integer provedPrime(const Json &reason) {
  const Integer n = number(reason.is_object() ? reason.at("n") : reason);
  if (isPrime(n)) return n;
  require(n > 3, "a number is not prime");
  const Integer base = number(reason.at("base"));
  Integer rest = n - 1, power;
  for (const Json &factor : reason.at("factors")) {
    const Integer q = provedPrime(factor), exponent = (n - 1) / q;
    mpz_powm(power.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), n.get_mpz_t());
    require(rest % q == 0 && gcd(power - 1, n) == 1, "a number is not proved prime");
    mpz_powm(power.get_mpz_t(), power.get_mpz_t(), q.get_mpz_t(), n.get_mpz_t());
    require(power == 1, "a number is not proved prime");
    while (rest % q == 0) rest /= q;
  }
  require(rest * rest < n, "a number is not proved prime");
  return n;
}

// f, a polynomial with integral coefficients, coprime, has |f(n)| = d p, n further than d from its roots, and p prime.
inline bool hasPrimeValue(const Element &f, const Json &reason) {
  const Integer n = number(reason.at("at")), d = number(reason.at("cofactor"));
  Integer value, power, largest;
  for (const auto &[exponent, coefficient] : f) {
    mpz_pow_ui(power.get_mpz_t(), n.get_mpz_t(), exponent);
    addProduct(value, coefficient, power);
    largest = std::max<Integer>(largest, abs(coefficient));
  }
  const Integer roots = 2 + largest / f.rbegin()->second; // Cauchy's bound on their absolute values
  return d > 0 && n > roots + d && abs(value) == d * provedPrime(reason.at("prime"));
}

// On GF(q)[x]/(f), f with a unit as leading coefficient, y -> y^q is injective and fixes only constants (Berlekamp).
inline bool isIrreducible(Element f, const Integer &q) {
  const Index degree = f.rbegin()->first;
  Integer inverse;
  if (mpz_invert(inverse.get_mpz_t(), f.rbegin()->second.get_mpz_t(), q.get_mpz_t()) == 0) return false;
  Operator x, power; // multiplication by x, and in the end by x^q
  for (Index s = 0; s < degree; ++s) {
    x[s] = {{s + 1, 1}};
    power[s] = {{s, 1}};
  }
  addProduct(x[degree - 1], f, -inverse);
  x[degree - 1] = reduced(x[degree - 1], q);
  for (std::size_t bit = mpz_sizeinbase(q.get_mpz_t(), 2); bit-- > 0;) {
    const Operator root = power;
    for (auto &[s, image] : power) image = apply(root, image, q);
    if (mpz_tstbit(q.get_mpz_t(), bit))
      for (auto &[s, image] : power) image = apply(x, image, q);
  }
  Space images(q), differences(q);
  Element image = {{0, 1}}; // of x^s: x^(q s)
  for (Index s = 0; s < degree; ++s, image = apply(power, image, q)) {
    images.insert(image);
    Element difference = image;
    difference[s] -= 1;
    differences.insert(difference);
  }
  return images.dimension() == degree && differences.dimension() + 1 == degree;
}

} // namespace checker
