#include "algebras/linear/polynomial.h"

#include "algebras/rational_flint.h"

#include <flint/fmpq_poly.h>
#include <flint/fmpz_poly_factor.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_factor.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace algebras {

namespace {

// FLINT's polynomials, released with their scope.
struct RationalPolynomial {
  fmpq_poly_t value;
  RationalPolynomial() { fmpq_poly_init(value); }
  explicit RationalPolynomial(const Polynomial &polynomial) : RationalPolynomial() {
    for (size_t at = 0; at < polynomial.size(); ++at)
      fmpq_poly_set_coeff_fmpq(value, static_cast<slong>(at), FlintAccess::get(polynomial[at]));
  }
  RationalPolynomial(const RationalPolynomial &) = delete;
  RationalPolynomial &operator=(const RationalPolynomial &) = delete;
  ~RationalPolynomial() { fmpq_poly_clear(value); }

  Polynomial get() const {
    Polynomial result(fmpq_poly_length(value));
    for (size_t at = 0; at < result.size(); ++at)
      fmpq_poly_get_coeff_fmpq(FlintAccess::get(result[at]), value, static_cast<slong>(at));
    return result;
  }
};

struct ModularPolynomial {
  nmod_poly_t value;
  explicit ModularPolynomial(uint64_t p) { nmod_poly_init(value, p); }
  ModularPolynomial(uint64_t p, const Polynomial &polynomial) : ModularPolynomial(p) {
    for (size_t at = 0; at < polynomial.size(); ++at)
      nmod_poly_set_coeff_ui(value, static_cast<slong>(at), polynomial[at].integerModulo(p).value());
  }
  ModularPolynomial(const ModularPolynomial &) = delete;
  ModularPolynomial &operator=(const ModularPolynomial &) = delete;
  ~ModularPolynomial() { nmod_poly_clear(value); }

  Polynomial get() const { return get(value); }
  static Polynomial get(const nmod_poly_struct *polynomial) {
    Polynomial result(nmod_poly_length(polynomial));
    for (size_t at = 0; at < result.size(); ++at)
      result[at] = Rational(static_cast<int64_t>(nmod_poly_get_coeff_ui(polynomial, static_cast<slong>(at))));
    return result;
  }
};

void makeMonic(const Field &field, Polynomial &polynomial) {
  Rational leading = polynomial.back();
  for (Rational &coefficient : polynomial)
    coefficient = field.reduce(coefficient / leading);
}

struct IntegerPolynomial {
  fmpz_poly_t value;
  // The polynomial times its common denominator.
  explicit IntegerPolynomial(const Polynomial &polynomial) {
    fmpz_poly_init(value);
    fmpq_poly_get_numerator(value, RationalPolynomial(polynomial).value);
  }
  IntegerPolynomial(const IntegerPolynomial &) = delete;
  IntegerPolynomial &operator=(const IntegerPolynomial &) = delete;
  ~IntegerPolynomial() { fmpz_poly_clear(value); }
};

Polynomial trimmed(Polynomial polynomial) {
  while (!polynomial.empty() && polynomial.back().isZero())
    polynomial.pop_back();
  return polynomial;
}

std::vector<PolynomialFactor> factorOverRationals(const Polynomial &polynomial) {
  fmpz_poly_factor_t factors;
  fmpz_poly_factor_init(factors);
  fmpz_poly_factor(factors, IntegerPolynomial(polynomial).value);
  std::vector<PolynomialFactor> result;
  for (slong index = 0; index < factors->num; ++index) {
    RationalPolynomial one;
    fmpq_poly_set_fmpz_poly(one.value, factors->p + index);
    result.push_back({one.get(), factors->exp[index]});
  }
  fmpz_poly_factor_clear(factors);
  return result;
}

std::vector<PolynomialFactor> factorModulo(uint64_t p, const Polynomial &polynomial) {
  ModularPolynomial modular(p, polynomial);
  nmod_poly_factor_t factors;
  nmod_poly_factor_init(factors);
  nmod_poly_factor(factors, modular.value);
  std::vector<PolynomialFactor> result;
  for (slong index = 0; index < factors->num; ++index)
    result.push_back({ModularPolynomial::get(factors->p + index), factors->exp[index]});
  nmod_poly_factor_clear(factors);
  return result;
}

} // namespace

std::vector<PolynomialFactor> factor(const Field &field, const Polynomial &polynomial) {
  if (degree(polynomial) < 1)
    throw std::logic_error("factor: a constant");
  std::vector<PolynomialFactor> result = field.isRationals()
                                             ? factorOverRationals(polynomial)
                                             : factorModulo(field.characteristic(), polynomial);
  Polynomial product{polynomial.back()};
  for (PolynomialFactor &one : result) {
    makeMonic(field, one.factor);
    product = multiply(field, product, power(field, one.factor, one.multiplicity));
  }
  if (product != polynomial)
    throw std::logic_error("factor: the factors do not multiply to the polynomial");
  std::sort(result.begin(), result.end(), [](const PolynomialFactor &a, const PolynomialFactor &b) {
    return a.factor.size() != b.factor.size() ? a.factor.size() < b.factor.size() : a.factor < b.factor;
  });
  return result;
}

Polynomial monomial(int64_t degree) {
  Polynomial result(degree + 1);
  result.back() = Rational(1);
  return result;
}

Polynomial add(const Field &field, const Polynomial &left, const Polynomial &right) {
  Polynomial result(std::max(left.size(), right.size()));
  for (size_t at = 0; at < result.size(); ++at)
    result[at] =
        field.add(at < left.size() ? left[at] : Rational(), at < right.size() ? right[at] : Rational());
  return trimmed(std::move(result));
}

Polynomial scale(const Field &field, const Rational &factor, const Polynomial &polynomial) {
  Polynomial result;
  for (const Rational &coefficient : polynomial)
    result.push_back(field.multiply(factor, coefficient));
  return trimmed(std::move(result));
}

Polynomial multiply(const Field &field, const Polynomial &left, const Polynomial &right) {
  if (field.isRationals()) {
    RationalPolynomial a(left), b(right);
    fmpq_poly_mul(a.value, a.value, b.value);
    return a.get();
  }
  ModularPolynomial a(field.characteristic(), left), b(field.characteristic(), right);
  nmod_poly_mul(a.value, a.value, b.value);
  return a.get();
}

Polynomial power(const Field &field, const Polynomial &base, int64_t exponent) {
  Polynomial result{Rational(1)};
  for (int64_t step = 0; step < exponent; ++step)
    result = multiply(field, result, base);
  return result;
}

std::pair<Polynomial, Polynomial> divide(const Field &field, const Polynomial &left,
                                         const Polynomial &right) {
  if (right.empty())
    throw std::logic_error("division by the polynomial zero");
  if (field.isRationals()) {
    RationalPolynomial a(left), b(right), quotient, rest;
    fmpq_poly_divrem(quotient.value, rest.value, a.value, b.value);
    return {quotient.get(), rest.get()};
  }
  uint64_t p = field.characteristic();
  ModularPolynomial a(p, left), b(p, right), quotient(p), rest(p);
  nmod_poly_divrem(quotient.value, rest.value, a.value, b.value);
  return {quotient.get(), rest.get()};
}

Polynomial remainder(const Field &field, const Polynomial &left, const Polynomial &right) {
  return divide(field, left, right).second;
}

Polynomial divideExactly(const Field &field, const Polynomial &left, const Polynomial &right) {
  auto [quotient, rest] = divide(field, left, right);
  if (!rest.empty())
    throw std::logic_error("divideExactly: a remainder");
  return std::move(quotient);
}

Polynomial idempotent(const Field &field, const Polynomial &f, const Polynomial &g) {
  // s f + t g = 1: h = t g.
  if (field.isRationals()) {
    RationalPolynomial a(f), b(g), common, s, t;
    fmpq_poly_xgcd(common.value, s.value, t.value, a.value, b.value);
    if (fmpq_poly_degree(common.value) != 0)
      throw std::logic_error("idempotent: the polynomials have a common factor");
    fmpq_poly_mul(t.value, t.value, b.value);
    return t.get();
  }
  uint64_t p = field.characteristic();
  ModularPolynomial a(p, f), b(p, g), common(p), s(p), t(p);
  nmod_poly_xgcd(common.value, s.value, t.value, a.value, b.value);
  if (nmod_poly_degree(common.value) != 0)
    throw std::logic_error("idempotent: the polynomials have a common factor");
  nmod_poly_mul(t.value, t.value, b.value);
  return t.get();
}

std::vector<Polynomial> irreducibles(const Field &field, int64_t degree, size_t most) {
  uint64_t p = field.characteristic();
  std::vector<Polynomial> result;
  Polynomial candidate = monomial(degree);
  while (result.size() < most) {
    if (nmod_poly_is_irreducible(ModularPolynomial(p, candidate).value))
      result.push_back(candidate);
    int64_t place = 0; // the next one, coefficients as digits
    while (place < degree) {
      candidate[place] = field.add(candidate[place], Rational(1));
      if (!candidate[place].isZero())
        break;
      ++place;
    }
    if (place == degree)
      break;
  }
  return result;
}

int64_t realRoots(const Polynomial &polynomial) {
  slong real = 0, complex = 0;
  fmpz_poly_signature(&real, &complex, IntegerPolynomial(polynomial).value);
  return real;
}

std::string toString(const Polynomial &polynomial) {
  std::string result;
  for (int64_t at = degree(polynomial); at >= 0; --at) {
    const Rational &coefficient = polynomial[at];
    if (coefficient.isZero())
      continue;
    bool negative = coefficient.sign() < 0;
    Rational size = negative ? -coefficient : coefficient;
    result += result.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (at == 0 || !size.isOne())
      result += size.toString();
    if (at > 0)
      result += at == 1 ? "x" : fmt::format("x^{}", at);
  }
  return result.empty() ? "0" : result;
}

} // namespace algebras
