// Primes, and polynomials that do not factor: docs/certificates.md, [8].
#pragma once

#include "checker/algebra.h"
#include <set>

namespace checker {
inline bool isPrime(const Integer &n) { // by BPSW, which GMP's test begins with: it has no pseudoprimes below 2^64
  return n > 1 && n < Integer(1) << 63 && mpz_probab_prime_p(n.get_mpz_t(), 25) > 0;
}
// On R = GF(q)[x]/(f), f monic, with F: y -> y^q, the rank of F (F - 1) is one less than the degree (Berlekamp).
inline bool isIrreducible(const Element &f, const Integer &q) {
  const Index degree = f.rbegin()->first;
  Operator x, power, frobenius, rows; // multiplication by x, and in the end by x^q; F
  for (Index s = 0; s < degree; ++s) x[s] = {{s + 1, 1}};
  for (Index s = 0; s < degree; ++s) power[s] = {{s, 1}};
  addProduct(x[degree - 1], f, -1);
  for (size_t bit = mpz_sizeinbase(q.get_mpz_t(), 2); bit-- > 0;) {
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
// The last polynomial of a tower has no factors over the field that those before it give: the degree of one would be
// that of a product of factors at each of these primes of the field. By such a prime the generators of the field become
// numbers modulo q, simple roots of their polynomials.
inline bool isIrreducible(const std::vector<Element> &tower, const Json &primes) {
  std::map<Index, size_t> degrees; // of products of factors -> at how many primes there are such
  for (const Json &prime : primes) {
    const Integer q = number(prime.at("modulo"));
    require(isPrime(q), "a modulus is not prime");
    std::vector<Integer> values = {1}; // of the monomials in the generators
    Element f;
    for (size_t step = 0; step < tower.size(); ++step) {
      const Index count = std::ssize(values), degree = tower[step].rbegin()->first / count;
      f.clear();
      for (const auto &[place, c] : tower[step]) f[place / count] += c * values[place % count];
      if (f = reduced(f, q); step + 1 == tower.size()) break;
      Integer value, slope, root = number(prime.at("roots").at(step));
      for (Index s = degree; s >= 0; --s) slope = slope * root + value, value = value * root + f[s];
      require(value % q == 0 && slope % q != 0, "a root is none, or not a simple one");
      for (Index at = 0; at < count * (degree - 1); ++at) values.push_back(values[at] * root % q);
    }
    std::set<Index> own = {0};
    std::vector<Element> factors = {f};
    if (prime.contains("factors")) factors = elements(prime["factors"], f.rbegin()->first, q);
    Element all = {{0, 1}};
    for (const Element &factor : factors) {
      require(!factor.empty() && factor.rbegin()->second == 1 && isIrreducible(factor, q), "a factor may factor");
      Element product;
      for (const auto &[s, coefficient] : factor)
        for (const auto &[t, other] : all) product[s + t] += coefficient * other;
      all = reduced(product, q);
      for (Index sum : std::set(own)) own.insert(sum + factor.rbegin()->first);
    }
    require(all == f, "these are not the factors");
    for (Index sum : own) ++degrees[sum];
  }
  std::erase_if(degrees, [&](const auto &entry) { return entry.second < primes.size(); });
  return degrees.size() == 2; // 0 and that of the polynomial
}
} // namespace checker
