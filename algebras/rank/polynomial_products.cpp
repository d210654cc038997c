#include "algebras/rank/polynomial_products.h"

#include "algebras/rank/linear_maps.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace algebras {

namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;

SparseVector sparse(const Polynomial &f) {
  SparseVector result;
  for (size_t s = 0; s < f.size(); ++s)
    if (!f[s].isZero())
      result.emplace_back(static_cast<int64_t>(s), f[s]);
  return result;
}

SparseVector unit(int64_t slot) { return {{slot, Rational(1)}}; }

// 0, 1, -1, 2, -2, 1/2, -1/2, 3, ...: small heights first.
std::vector<Rational> rationalPoints(size_t count) {
  std::vector<Rational> result{Rational(0), Rational(1), Rational(-1)};
  for (int64_t height = 2; result.size() < count; ++height)
    for (int64_t other = 1; other < height; ++other) {
      if (Rational(height, other).denominator() != Rational(other))
        continue; // not in lowest terms
      for (Rational value : {Rational(height, other), Rational(other, height)}) {
        result.push_back(value);
        result.push_back(-value);
      }
    }
  result.resize(count);
  return result;
}

Polynomial linear(const Field &field, const Rational &root) { return {field.reduce(-root), Rational(1)}; }

} // namespace

// What k[x]/(g^exponent) costs, with g irreducible of this degree.
int64_t PolynomialProducts::modulusCost(int64_t degree, int64_t exponent) {
  return degree == 1 ? truncatedPlan(exponent).cost : fullPlan(degree * exponent).cost;
}

// Powers of irreducible polynomials, and of the point at infinity, whose degrees add up to 2n - 1, each of
// degree below n. The best choice by counting, where the least irreducible polynomials are on offer.
std::vector<PolynomialProducts::Modulus> PolynomialProducts::cheapestModuli(int64_t n) {
  int64_t target = 2 * n - 1;
  std::vector<Modulus> offered{{{}, 1}};
  if (field_.isRationals()) {
    for (const Rational &point : rationalPoints(target - 1))
      offered.push_back({linear(field_, point), 1});
    return offered;
  }
  int64_t sum = 1;
  for (int64_t d = 1; d < n && sum < target; ++d) {
    for (Polynomial &base : irreducibles(field_, d, (target - sum + d - 1) / d)) {
      sum += d;
      offered.push_back({std::move(base), 1});
    }
    if (d == 1 && sum == target) // points suffice
      return offered;
  }
  if (sum < target)
    return {};

  struct Choice {
    int64_t cost = never, exponent = 0;
  };
  // best[m][degree]: the first m offers, degrees adding up to at least `degree`.
  std::vector<std::vector<Choice>> best(offered.size() + 1, std::vector<Choice>(target + 1));
  best[0][0].cost = 0;
  for (size_t m = 1; m <= offered.size(); ++m) {
    int64_t d = std::max<int64_t>(1, degree(offered[m - 1].base));
    for (int64_t sum = 0; sum <= target; ++sum) {
      best[m][sum] = {best[m - 1][sum].cost, 0};
      for (int64_t exponent = 1; exponent * d < n; ++exponent) {
        int64_t rest = best[m - 1][std::max<int64_t>(0, sum - exponent * d)].cost;
        int64_t cost = rest + modulusCost(d, exponent);
        if (cost < best[m][sum].cost)
          best[m][sum] = {cost, exponent};
        if (exponent * d >= sum)
          break;
      }
    }
  }
  if (best[offered.size()][target].cost >= never)
    return {};
  std::vector<Modulus> result;
  int64_t left = target;
  for (size_t m = offered.size(); m > 0; --m)
    if (int64_t exponent = best[m][left].exponent; exponent > 0) {
      result.push_back({offered[m - 1].base, exponent});
      left = std::max<int64_t>(0, left - exponent * std::max<int64_t>(1, degree(result.back().base)));
    }
  return result;
}

const PolynomialProducts::FullPlan &PolynomialProducts::fullPlan(int64_t n) {
  if (auto known = full_plans_.find(n); known != full_plans_.end())
    return known->second;
  FullPlan plan{n * n, 0, {}}; // the definition
  if (n > 1) {
    int64_t half = (n + 1) / 2;
    int64_t karatsuba = 2 * fullPlan(half).cost + fullPlan(n - half).cost;
    if (std::vector<Modulus> moduli = cheapestModuli(n); !moduli.empty()) {
      int64_t cost = 0;
      for (const Modulus &modulus : moduli)
        cost += modulusCost(std::max<int64_t>(1, degree(modulus.base)), modulus.exponent);
      plan = {cost, 0, std::move(moduli)};
    }
    if (karatsuba < plan.cost)
      plan = {karatsuba, half, {}};
  }
  return full_plans_[n] = std::move(plan);
}

const PolynomialProducts::TruncatedPlan &PolynomialProducts::truncatedPlan(int64_t n) {
  if (auto known = truncated_plans_.find(n); known != truncated_plans_.end())
    return known->second;
  TruncatedPlan plan{fullPlan(n).cost, n};
  for (int64_t split = (n + 1) / 2; split < n; ++split)
    if (int64_t cost = fullPlan(split).cost + 2 * truncatedPlan(n - split).cost; cost < plan.cost)
      plan = {cost, split};
  return truncated_plans_[n] = plan;
}

// k[x]/(base^exponent) as a part of k[x]/(all), with idempotent e; inputs of that many coefficients.
BilinearAlgorithm PolynomialProducts::localAlgorithm(const Polynomial &base, int64_t exponent, int64_t inputs,
                                                     const Polynomial &e, const Polynomial &all) {
  int64_t d = degree(base);
  Polynomial modulus = power(field_, base, exponent);
  // The local basis: powers of base where it is linear, and of x otherwise.
  Polynomial step = d == 1 ? base : monomial(1);
  int64_t length = d * exponent;
  BilinearAlgorithm local = d == 1 ? truncated(exponent) : full(length);
  // The coordinates of x^s in the local basis, which for linear bases are a Taylor expansion.
  std::vector<SparseVector> coordinates;
  for (int64_t s = 0; s < inputs; ++s) {
    Polynomial rest = remainder(field_, monomial(s), modulus);
    if (d > 1) {
      coordinates.push_back(sparse(rest));
      continue;
    }
    SparseVector own;
    for (int64_t t = 0; !rest.empty(); ++t) {
      auto [quotient, value] = divide(field_, rest, base);
      if (!value.empty())
        own.emplace_back(t, value[0]);
      rest = std::move(quotient);
    }
    coordinates.push_back(std::move(own));
  }
  std::vector<SparseVector> forms = transposed(coordinates, length), images;
  Polynomial image = e;
  for (int64_t s = 0; s < 2 * length - 1; ++s) {
    images.push_back(sparse(image));
    image = remainder(field_, multiply(field_, image, step), all);
  }
  return transformed(field_, local, forms, forms, images);
}

BilinearAlgorithm PolynomialProducts::byRemainders(int64_t n, std::vector<Modulus> moduli) {
  int64_t coefficients = 2 * n - 1, finite = 0, at_infinity = 0;
  Polynomial all{Rational(1)};
  for (const Modulus &modulus : moduli) {
    if (modulus.base.empty()) {
      at_infinity = modulus.exponent;
      continue;
    }
    all = multiply(field_, all, power(field_, modulus.base, modulus.exponent));
    finite = degree(all);
  }
  at_infinity = std::min(at_infinity, std::max<int64_t>(0, coefficients - finite));
  if (finite + at_infinity < coefficients)
    throw std::logic_error("byRemainders: too few moduli");

  BilinearAlgorithm result;
  for (const Modulus &modulus : moduli) {
    if (modulus.base.empty())
      continue;
    Polynomial own = power(field_, modulus.base, modulus.exponent);
    Polynomial others = divideExactly(field_, all, own);
    BilinearAlgorithm local =
        localAlgorithm(modulus.base, modulus.exponent, n, idempotent(field_, own, others), all);
    result.insert(result.end(), local.begin(), local.end());
  }
  if (at_infinity > 0) {
    // The highest coefficients, from a truncated product of the reversed polynomials; x^s stands for itself
    // less its remainder, which the finite part counts.
    std::vector<SparseVector> forms, images;
    for (int64_t s = 0; s < at_infinity; ++s) {
      forms.push_back(s < n ? unit(n - 1 - s) : SparseVector{});
      Polynomial high = monomial(coefficients - 1 - s);
      images.push_back(sparse(add(field_, high, scale(field_, Rational(-1), remainder(field_, high, all)))));
    }
    // A truncated product may be cut out of a full one: what is beyond is dropped.
    images.resize(2 * at_infinity - 1);
    BilinearAlgorithm local = transformed(field_, truncated(at_infinity), forms, forms, images);
    result.insert(result.end(), local.begin(), local.end());
  }
  return result;
}

BilinearAlgorithm PolynomialProducts::byKaratsuba(int64_t n, int64_t half) {
  // (a + X b)(c + X d) = a c (1 - X) + (a + b)(c + d) X + b d (X^2 - X), X = x^half.
  std::vector<SparseVector> low, high, both;
  for (int64_t s = 0; s < half; ++s) {
    low.push_back(unit(s));
    if (half + s < n)
      high.push_back(unit(half + s));
    both.push_back(half + s < n ? SparseVector{{s, Rational(1)}, {half + s, Rational(1)}} : unit(s));
  }
  Rational minus = field_.reduce(Rational(-1));
  std::vector<SparseVector> low_images, high_images, both_images;
  for (int64_t s = 0; s < 2 * half - 1; ++s) {
    low_images.push_back({{s, Rational(1)}, {s + half, minus}});
    both_images.push_back(unit(s + half));
    high_images.push_back({{s + half, minus}, {s + 2 * half, Rational(1)}});
  }
  BilinearAlgorithm result, lower = full(half), upper = full(n - half);
  for (const BilinearAlgorithm &part :
       {transformed(field_, lower, low, low, low_images), transformed(field_, lower, both, both, both_images),
        transformed(field_, upper, high, high, high_images)})
    result.insert(result.end(), part.begin(), part.end());
  return result;
}

BilinearAlgorithm PolynomialProducts::full(int64_t n) {
  FullPlan plan = fullPlan(n);
  if (plan.split > 0)
    return byKaratsuba(n, plan.split);
  if (!plan.moduli.empty())
    return byRemainders(n, std::move(plan.moduli));
  BilinearAlgorithm result;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      result.push_back({unit(i), unit(j), unit(i + j)});
  return result;
}

BilinearAlgorithm PolynomialProducts::truncated(int64_t n) {
  TruncatedPlan plan = truncatedPlan(n);
  std::vector<SparseVector> identity, images;
  for (int64_t s = 0; s < n; ++s)
    identity.push_back(unit(s));
  images = identity;
  images.resize(2 * n - 1);
  BilinearAlgorithm result = transformed(field_, full(plan.split), identity, identity, images);
  if (plan.split == n)
    return result;
  // a c + X (a d + b c), with a and c of length `split`, X = x^split.
  BilinearAlgorithm rest = truncated(n - plan.split);
  std::vector<SparseVector> high(identity.begin() + plan.split, identity.end());
  std::vector<SparseVector> low(identity.begin(), identity.begin() + (n - plan.split));
  for (const BilinearAlgorithm &part :
       {transformed(field_, rest, low, high, high), transformed(field_, rest, high, low, high)})
    result.insert(result.end(), part.begin(), part.end());
  return result;
}

BilinearAlgorithm PolynomialProducts::modulo(const Polynomial &f) {
  BilinearAlgorithm result;
  for (const auto &[base, exponent] : factor(field_, f)) {
    Polynomial own = power(field_, base, exponent);
    Polynomial others = divideExactly(field_, f, own);
    BilinearAlgorithm local = localAlgorithm(base, exponent, degree(f), idempotent(field_, own, others), f);
    result.insert(result.end(), local.begin(), local.end());
  }
  return result;
}

} // namespace algebras
