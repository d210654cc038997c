#include "algebras/certificate/field_tower.h"

#include "algebras/certificate/subfields.h"
#include "algebras/linear/echelon.h"
#include "algebras/linear/matrix.h"

#include <flint/ulong_extras.h>

namespace algebras {

namespace {

Rational leastDenominator(const Matrix &column) {
  Rational result(1);
  for (int64_t row = 0; row < column.rows(); ++row)
    result *= (column.get(row, 0) * result).denominator();
  return result;
}

// Elements of Q[z]/(f) as rows.
class Elements {
public:
  explicit Elements(const Polynomial &f) : f_(f), rows_(Field::rationals(), 0, degree(f)) {}

  Polynomial multiply(const Polynomial &left, const Polynomial &right) const {
    return remainder(Field::rationals(), algebras::multiply(Field::rationals(), left, right), f_);
  }
  size_t size() const { return elements_.size(); }
  const Polynomial &operator[](size_t at) const { return elements_[at]; }
  void push(Polynomial element) {
    rows_ = rows_.above(row(element));
    elements_.push_back(std::move(element));
  }
  // As a combination of the elements, a column.
  std::optional<Matrix> coordinates(const Polynomial &element) const {
    return solve(rows_.transposed(), row(element).transposed());
  }

private:
  Matrix row(const Polynomial &element) const {
    Matrix result(Field::rationals(), 1, degree(f_));
    for (size_t s = 0; s < element.size(); ++s)
      result.set(0, static_cast<int64_t>(s), element[s]);
    return result;
  }

  const Polynomial &f_;
  std::vector<Polynomial> elements_;
  Matrix rows_;
};

// h(w) modulo f.
Polynomial substitute(const Polynomial &f, const Polynomial &h, const Polynomial &w) {
  Elements elements(f);
  Polynomial result;
  for (size_t s = h.size(); s-- > 0;)
    result = add(Field::rationals(), elements.multiply(result, w), {h[s]});
  while (!result.empty() && result.back().isZero())
    result.pop_back();
  return result;
}

std::optional<std::vector<TowerStep>> steps(const Polynomial &f, const std::vector<Polynomial> &generators,
                                            bool several) {
  Elements monomials(f);
  monomials.push({Rational(1)});
  std::vector<TowerPolynomial> tower;
  std::vector<TowerStep> result;
  for (const Polynomial &generator : generators) {
    size_t count = monomials.size();
    // The least power that depends on monomials times those before it.
    Elements powers = monomials;
    std::optional<Matrix> relation;
    Polynomial power = generator;
    while (!(relation = powers.coordinates(power))) {
      for (size_t at = 0; at < count; ++at)
        powers.push(powers.multiply(monomials[at], power));
      power = powers.multiply(power, generator);
    }
    TowerStep step{leastDenominator(*relation), TowerPolynomial(powers.size() + 1), {}};
    Rational factor(
        1); // of the coefficients at x^s: the denominator to the power of what is missing in the degree
    for (size_t place = powers.size(); place-- > 0;) {
      if (place % count == count - 1)
        factor *= step.factor;
      step.polynomial[place] = -relation->get(static_cast<int64_t>(place), 0) * factor;
    }
    step.polynomial.back() = Rational(1);
    tower.push_back(step.polynomial);
    std::optional<nlohmann::ordered_json> primes = irreducibilityPrimes(tower, several);
    if (!primes)
      return std::nullopt;
    step.primes = std::move(*primes);
    result.push_back(std::move(step));
    Polynomial own = scale(Field::rationals(), result.back().factor, generator);
    for (size_t place = 0; monomials.size() < powers.size(); ++place)
      monomials.push(monomials.multiply(monomials[place], own));
  }
  return result;
}

} // namespace

std::optional<std::vector<Polynomial>> fieldTower(const Polynomial &f) {
  std::vector<Polynomial> generator{{Rational(0), Rational(1)}};
  if (steps(f, generator, false))
    return generator;
  std::optional<std::vector<Polynomial>> result;
  offerSubfields(f, [&](const Polynomial &w) {
    int64_t d = 2;
    std::optional<Polynomial> minimal;
    while (!(minimal = minimalPolynomialOfDegree(f, w, d)))
      ++d;
    SmallGenerator small = smallGenerator(*minimal);
    std::optional<std::vector<Polynomial>> below = fieldTower(small.polynomial);
    if (!below)
      return false;
    Polynomial root =
        scale(Field::rationals(), Rational(1) / small.scale, add(Field::rationals(), w, {-small.shift}));
    std::vector<Polynomial> generators;
    for (const Polynomial &element : *below)
      generators.push_back(substitute(f, element, root));
    generators.push_back(generator[0]);
    if (steps(f, generators, true))
      result = std::move(generators);
    return result.has_value();
  });
  if (!result && steps(f, generator, true))
    result = std::move(generator);
  return result;
}

std::optional<std::vector<TowerStep>> towerSteps(const Polynomial &f,
                                                 const std::vector<Polynomial> &generators) {
  return steps(f, generators, true);
}

SmallGenerator smallGenerator(const Polynomial &polynomial) {
  auto degree = static_cast<int64_t>(polynomial.size()) - 1;
  SmallGenerator result{Rational(0), Rational(1), polynomial};
  // z - a has trace 0 for a = tr(z) / degree, the negative of the second coefficient over the degree.
  result.shift = -polynomial[degree - 1] / Rational(degree);
  for (int64_t start = 0; start < degree; ++start) // f(x + a), by Horner's scheme
    for (int64_t s = degree; s-- > start;)
      result.polynomial[s] += result.shift * result.polynomial[s + 1];
  // f(c x) / c^degree has the coefficients a_s / c^(degree - s).
  auto rescale = [&](const Rational &c) {
    Rational power(1);
    for (int64_t s = degree; s >= 0; --s, power *= c)
      result.polynomial[s] /= power;
    result.scale *= c;
  };
  auto divides = [&](const Rational &c) {
    Rational power(1);
    for (int64_t s = degree; s >= 0; --s, power *= c)
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
    while (divides(Rational(static_cast<int64_t>(prime))))
      rescale(Rational(static_cast<int64_t>(prime)));
  n_primes_clear(primes);
  return result;
}

} // namespace algebras
