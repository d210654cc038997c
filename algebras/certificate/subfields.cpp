#include "algebras/certificate/subfields.h"

#include "algebras/linear/echelon.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz_lll.h>
#include <flint/fmpz_mat.h>
#include <flint/nmod_poly.h>
#include <flint/ulong_extras.h>

#include <random>
#include <vector>

namespace algebras {

namespace {

fmpz *integer(Rational &value) { return fmpq_numref(FlintAccess::get(value)); }
const fmpz *integer(const Rational &value) { return fmpq_numref(FlintAccess::get(value)); }

Rational residue(Rational value, const Rational &modulus) {
  fmpz_mod(integer(value), integer(value), integer(modulus));
  return value;
}

// A prime modulo which f is a product of different linear factors, and its roots.
struct SplitPrime {
  int64_t p = 0;
  std::vector<Rational> roots;
};

std::optional<SplitPrime> splitPrime(const Polynomial &f) {
  constexpr ulong largest_prime = 400000; // for closures of degree up to some thousands
  int64_t m = degree(f);
  SplitPrime result;
  for (ulong p = n_nextprime(static_cast<ulong>(m), 1); p < largest_prime && result.p == 0;
       p = n_nextprime(p, 1)) {
    nmod_poly_t modular, power;
    nmod_poly_init(modular, p);
    nmod_poly_init(power, p);
    for (int64_t s = 0; s <= m; ++s)
      nmod_poly_set_coeff_ui(modular, s, f[s].integerModulo(p).value());
    nmod_poly_set_coeff_ui(power, 1, 1);
    nmod_poly_powmod_ui_binexp(power, power, p, modular);
    nmod_poly_set_coeff_ui(power, 1, n_submod(nmod_poly_get_coeff_ui(power, 1), 1, p));
    if (nmod_poly_is_zero(power)) { // f divides x^p - x
      nmod_poly_factor_t linear;
      nmod_poly_factor_init(linear);
      nmod_poly_roots(linear, modular, 0);
      result.p = static_cast<int64_t>(p);
      for (slong at = 0; at < linear->num; ++at)
        result.roots.emplace_back(
            static_cast<int64_t>(n_negmod(nmod_poly_get_coeff_ui(linear->p + at, 0), p)));
      nmod_poly_factor_clear(linear);
    }
    nmod_poly_clear(power);
    nmod_poly_clear(modular);
  }
  return result.p == 0 ? std::nullopt : std::optional(std::move(result));
}

// Newton's iteration, until the root is one modulo p^(2^doublings).
Rational liftRoot(const Polynomial &f, Rational root, Rational modulus, int doublings) {
  for (int step = 0; step < doublings; ++step) {
    modulus *= modulus;
    Rational value, slope, inverse;
    for (size_t s = f.size(); s-- > 0;) {
      slope = residue(slope * root + value, modulus);
      value = residue(value * root + f[s], modulus);
    }
    fmpz_invmod(integer(inverse), integer(slope), integer(modulus));
    root = residue(root - value * inverse, modulus);
  }
  return root;
}

// Short h with h(a) = h(b) modulo the modulus, where a and b differ by a unit.
std::vector<Polynomial> shortElements(int64_t m, const Rational &a, const Rational &b,
                                      const Rational &modulus, size_t longest) {
  fmpz_mat_t lattice;
  fmpz_mat_init(lattice, m, m);
  Rational inverse, a_power = a, b_power = b;
  fmpz_invmod(integer(inverse), integer(residue(a - b, modulus)), integer(modulus));
  fmpz_one(fmpz_mat_entry(lattice, 0, 0));
  fmpz_set(fmpz_mat_entry(lattice, 1, 1), integer(modulus));
  for (int64_t s = 2; s < m; ++s) { // z^s - c z with c = (a^s - b^s) / (a - b)
    a_power = residue(a_power * a, modulus);
    b_power = residue(b_power * b, modulus);
    fmpz_one(fmpz_mat_entry(lattice, s, s));
    Rational c = residue((b_power - a_power) * inverse, modulus);
    fmpz_set(fmpz_mat_entry(lattice, s, 1), integer(c));
  }
  fmpz_lll_t context;
  fmpz_lll_context_init_default(context);
  fmpz_lll(lattice, nullptr, context);
  std::vector<Polynomial> result;
  for (int64_t row = 0; row < m; ++row) {
    Polynomial h(m);
    size_t bits = 0;
    for (int64_t s = 0; s < m; ++s) {
      fmpz_set(integer(h[s]), fmpz_mat_entry(lattice, row, s));
      bits = std::max<size_t>(bits, fmpz_bits(integer(h[s])));
    }
    if (bits < longest)
      result.push_back(std::move(h));
  }
  fmpz_mat_clear(lattice);
  return result;
}

Matrix asRow(const Polynomial &h, int64_t m) {
  Matrix row(Field::rationals(), 1, m);
  for (size_t s = 0; s < h.size(); ++s)
    row.set(0, static_cast<int64_t>(s), h[s]);
  return row;
}

// An element of this degree in the span of as many; nothing where the span is no field.
std::optional<Polynomial> generatorOf(const Polynomial &f, const std::vector<Polynomial> &span) {
  constexpr int tries = 8;
  std::mt19937_64 random{1};
  auto d = static_cast<int64_t>(span.size());
  for (int attempt = -static_cast<int>(d); attempt < tries; ++attempt) {
    Polynomial h;
    if (attempt < 0)
      h = span[static_cast<size_t>(-attempt) - 1];
    else
      for (const Polynomial &element : span)
        h = add(Field::rationals(), h,
                scale(Field::rationals(), Rational(static_cast<int64_t>(random() % 5) - 2), element));
    while (!h.empty() && h.back().isZero())
      h.pop_back();
    if (minimalPolynomialOfDegree(f, h, d))
      return h;
  }
  return std::nullopt;
}

} // namespace

std::optional<Polynomial> minimalPolynomialOfDegree(const Polynomial &f, const Polynomial &h,
                                                    int64_t degree) {
  const Field field = Field::rationals();
  int64_t m = algebras::degree(f);
  Matrix powers(field, 0, m);
  Polynomial power = {Rational(1)};
  for (int64_t s = 0; s < degree; ++s) {
    powers = powers.above(asRow(power, m));
    power = remainder(field, multiply(field, power, h), f);
  }
  if (reducedEchelon(powers).rank() < degree)
    return std::nullopt;
  std::optional<Matrix> solution = solve(powers.transposed(), asRow(power, m).transposed());
  if (!solution)
    return std::nullopt;
  Polynomial result(degree + 1);
  for (int64_t s = 0; s < degree; ++s)
    result[s] = -solution->get(s, 0);
  result[degree] = Rational(1);
  return result;
}

void offerSubfields(const Polynomial &f, const std::function<bool(const Polynomial &)> &take) {
  constexpr int64_t largest_degree = 64;
  constexpr int rounds = 3; // each with numbers of twice the length
  int64_t m = degree(f);
  if (m < 4 || m > largest_degree)
    return;
  std::optional<SplitPrime> split = splitPrime(f);
  if (!split)
    return;
  size_t height = 1;
  for (const Rational &coefficient : f)
    height = std::max<size_t>(height, fmpz_bits(integer(coefficient)));
  std::vector<bool> found(split->roots.size());
  size_t bits = 4 * (height + static_cast<size_t>(m)); // for each dimension of the lattice
  for (int round = 0; round < rounds; ++round, bits *= 2) {
    Rational modulus(split->p);
    int doublings = 0;
    for (; fmpz_bits(integer(modulus)) < bits * static_cast<size_t>(m); ++doublings)
      modulus *= modulus;
    Rational first = liftRoot(f, split->roots[0], Rational(split->p), doublings);
    for (size_t at = 1; at < split->roots.size(); ++at) {
      if (found[at])
        continue;
      Rational other = liftRoot(f, split->roots[at], Rational(split->p), doublings);
      std::vector<Polynomial> span = shortElements(m, first, other, modulus, bits / 2);
      auto d = static_cast<int64_t>(span.size());
      if (d < 2 || d == m || m % d != 0)
        continue;
      std::optional<Polynomial> generator = generatorOf(f, span);
      found[at] = generator.has_value();
      if (generator && take(*generator))
        return;
    }
  }
}

} // namespace algebras
