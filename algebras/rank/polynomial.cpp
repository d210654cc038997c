#include "algebras/rank/polynomial.h"

#include "algebras/rational_flint.h"

#include <flint/fmpq_poly.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_factor.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_factor.h>

#include <algorithm>
#include <stdexcept>

namespace algebras::rank {

namespace {

Polynomial trimmed(Polynomial f) {
  while (!f.empty() && f.back().isZero())
    f.pop_back();
  return f;
}

Polynomial monic(const Field &field, const Polynomial &f) {
  return scale(field, field.reduce(Rational(1) / f.back()), f);
}

// Free with destructors what FLINT allocates.
struct Residues {
  explicit Residues(std::uint64_t p) { nmod_poly_init(value, p); }
  ~Residues() { nmod_poly_clear(value); }
  Residues(const Residues &) = delete;
  nmod_poly_t value;
};

void toFlint(nmod_poly_t result, const Polynomial &f, std::uint64_t p) {
  for (std::size_t s = 0; s < f.size(); ++s)
    nmod_poly_set_coeff_ui(result, static_cast<slong>(s), f[s].integerModulo(p).value());
}

Rational fromWord(std::uint64_t value) {
  Rational result;
  fmpz_set_ui(fmpq_numref(FlintAccess::get(result)), value);
  return result;
}

std::vector<std::pair<Polynomial, std::int64_t>> factorModulo(const Field &field, const Polynomial &f) {
  std::uint64_t p = field.characteristic();
  Residues own(p);
  toFlint(own.value, f, p);
  nmod_poly_factor_t factors;
  nmod_poly_factor_init(factors);
  nmod_poly_factor(factors, own.value);
  std::vector<std::pair<Polynomial, std::int64_t>> result;
  for (slong index = 0; index < factors->num; ++index) {
    Polynomial one;
    for (slong s = 0; s < nmod_poly_length(factors->p + index); ++s)
      one.push_back(fromWord(nmod_poly_get_coeff_ui(factors->p + index, s)));
    result.emplace_back(std::move(one), factors->exp[index]);
  }
  nmod_poly_factor_clear(factors);
  return result;
}

std::vector<std::pair<Polynomial, std::int64_t>> factorOverRationals(const Field &field,
                                                                     const Polynomial &f) {
  fmpq_poly_t rational;
  fmpq_poly_init(rational);
  for (std::size_t s = 0; s < f.size(); ++s)
    fmpq_poly_set_coeff_fmpq(rational, static_cast<slong>(s), FlintAccess::get(f[s]));
  fmpz_poly_t integral;
  fmpz_poly_init(integral);
  fmpq_poly_get_numerator(integral, rational);
  fmpz_poly_factor_t factors;
  fmpz_poly_factor_init(factors);
  fmpz_poly_factor(factors, integral);
  std::vector<std::pair<Polynomial, std::int64_t>> result;
  for (slong index = 0; index < factors->num; ++index) {
    Polynomial one;
    for (slong s = 0; s < fmpz_poly_length(factors->p + index); ++s) {
      Rational coefficient;
      fmpz_poly_get_coeff_fmpz(fmpq_numref(FlintAccess::get(coefficient)), factors->p + index, s);
      one.push_back(std::move(coefficient));
    }
    result.emplace_back(monic(field, one), factors->exp[index]);
  }
  fmpz_poly_factor_clear(factors);
  fmpz_poly_clear(integral);
  fmpq_poly_clear(rational);
  return result;
}

} // namespace

std::int64_t degree(const Polynomial &f) { return static_cast<std::int64_t>(f.size()) - 1; }

Polynomial monomial(std::int64_t degree) {
  Polynomial result(degree + 1);
  result.back() = Rational(1);
  return result;
}

Polynomial add(const Field &field, const Polynomial &f, const Polynomial &g) {
  Polynomial result(std::max(f.size(), g.size()));
  for (std::size_t s = 0; s < result.size(); ++s)
    result[s] = field.add(s < f.size() ? f[s] : Rational(), s < g.size() ? g[s] : Rational());
  return trimmed(std::move(result));
}

Polynomial scale(const Field &field, const Rational &factor, const Polynomial &f) {
  Polynomial result;
  for (const Rational &coefficient : f)
    result.push_back(field.multiply(factor, coefficient));
  return trimmed(std::move(result));
}

Polynomial multiply(const Field &field, const Polynomial &f, const Polynomial &g) {
  if (f.empty() || g.empty())
    return {};
  Polynomial result(f.size() + g.size() - 1);
  for (std::size_t s = 0; s < f.size(); ++s)
    for (std::size_t t = 0; t < g.size(); ++t)
      result[s + t] += f[s] * g[t];
  for (Rational &coefficient : result)
    coefficient = field.reduce(coefficient);
  return trimmed(std::move(result));
}

Polynomial power(const Field &field, const Polynomial &f, std::int64_t exponent) {
  Polynomial result{Rational(1)};
  for (std::int64_t step = 0; step < exponent; ++step)
    result = multiply(field, result, f);
  return result;
}

std::pair<Polynomial, Polynomial> divide(const Field &field, const Polynomial &f, const Polynomial &g) {
  if (g.empty())
    throw std::logic_error("division by the polynomial zero");
  Rational leading = field.reduce(Rational(1) / g.back());
  Polynomial rest = f, quotient(f.size() >= g.size() ? f.size() - g.size() + 1 : 0);
  for (std::size_t s = quotient.size(); s-- > 0;) {
    quotient[s] = field.multiply(rest[s + g.size() - 1], leading);
    for (std::size_t t = 0; t < g.size(); ++t)
      rest[s + t] = field.reduce(rest[s + t] - quotient[s] * g[t]);
  }
  return {trimmed(std::move(quotient)), trimmed(std::move(rest))};
}

Polynomial remainder(const Field &field, const Polynomial &f, const Polynomial &g) {
  return divide(field, f, g).second;
}

Polynomial inverseModulo(const Field &field, const Polynomial &f, const Polynomial &g) {
  Polynomial r0 = g, r1 = remainder(field, f, g), t0, t1{Rational(1)};
  while (degree(r1) > 0) {
    auto [quotient, rest] = divide(field, r0, r1);
    Polynomial next = add(field, t0, scale(field, Rational(-1), multiply(field, quotient, t1)));
    r0 = std::exchange(r1, std::move(rest));
    t0 = std::exchange(t1, std::move(next));
  }
  if (r1.empty())
    throw std::logic_error("inverseModulo: the polynomials are not coprime");
  return remainder(field, scale(field, field.reduce(Rational(1) / r1[0]), t1), g);
}

std::vector<std::pair<Polynomial, std::int64_t>> factor(const Field &field, const Polynomial &f) {
  auto result = field.isRationals() ? factorOverRationals(field, f) : factorModulo(field, f);
  std::sort(result.begin(), result.end(), [](const auto &left, const auto &right) {
    return left.first.size() != right.first.size() ? left.first.size() < right.first.size()
                                                   : left.first < right.first;
  });
  return result;
}

std::vector<Polynomial> irreducibles(const Field &field, std::int64_t degree, std::size_t most) {
  std::uint64_t p = field.characteristic();
  std::vector<Polynomial> result;
  std::vector<std::uint64_t> digits(degree, 0);
  while (result.size() < most) {
    Residues candidate(p);
    for (std::int64_t s = 0; s < degree; ++s)
      nmod_poly_set_coeff_ui(candidate.value, s, digits[s]);
    nmod_poly_set_coeff_ui(candidate.value, degree, 1);
    if (nmod_poly_is_irreducible(candidate.value)) {
      Polynomial own;
      for (std::uint64_t digit : digits)
        own.push_back(fromWord(digit));
      own.push_back(Rational(1));
      result.push_back(std::move(own));
    }
    std::int64_t place = 0;
    while (place < degree && ++digits[place] == p)
      digits[place++] = 0;
    if (place == degree)
      break;
  }
  return result;
}

} // namespace algebras::rank
