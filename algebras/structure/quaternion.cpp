#include "algebras/structure/quaternion.h"

#include "algebras/linear/integer_factors.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace algebras {

namespace {

fmpz *integer(Rational &value) { return fmpq_numref(FlintAccess::get(value)); }
const fmpz *integer(const Rational &value) { return fmpq_numref(FlintAccess::get(value)); }

Rational magnitude(const Rational &value) { return value.sign() < 0 ? -value : value; }

// value = p^exponent * unit.
std::pair<int64_t, Rational> removePrime(Rational value, const Rational &p) {
  int64_t exponent = fmpz_remove(integer(value), integer(value), integer(p));
  return {exponent, value};
}

int hilbertOdd(const Rational &a, const Rational &b, const Rational &p) {
  auto [alpha, u] = removePrime(a, p);
  auto [beta, v] = removePrime(b, p);
  int result = 1;
  if (alpha % 2 && beta % 2 && fmpz_fdiv_ui(integer(p), 4) == 3)
    result = -result;
  auto legendre = [&](Rational unit) {
    fmpz_mod(integer(unit), integer(unit), integer(p));
    return fmpz_jacobi(integer(unit), integer(p));
  };
  if (beta % 2)
    result *= legendre(u);
  if (alpha % 2)
    result *= legendre(v);
  return result;
}

int hilbertTwo(const Rational &a, const Rational &b) {
  auto [alpha, u] = removePrime(a, Rational(2));
  auto [beta, v] = removePrime(b, Rational(2));
  auto residue = [](const Rational &unit) { return fmpz_fdiv_ui(integer(unit), 8); };
  auto epsilon = [&](const Rational &unit) { return residue(unit) % 4 == 3; };
  auto omega = [&](const Rational &unit) { return residue(unit) == 3 || residue(unit) == 5; };
  bool odd = (epsilon(u) && epsilon(v)) != ((alpha % 2 && omega(v)) != (beta % 2 && omega(u)));
  return odd ? -1 : 1;
}

// r with r^2 = a modulo the squarefree b, |r| <= |b|/2.
std::optional<Rational> squareRootModulo(const Rational &a, const Rational &b) {
  std::optional<std::vector<PrimePower>> primes = factorInteger(b);
  if (!primes)
    return std::nullopt;
  Rational result(0), modulus(1);
  for (PrimePower &power : *primes) {
    Rational root, rest = a;
    fmpz_mod(integer(rest), integer(rest), integer(power.prime));
    if (power.prime == Rational(2))
      root = rest;
    else if (!fmpz_sqrtmod(integer(root), integer(rest), integer(power.prime)))
      throw std::logic_error("solveConic: the conic has no rational point");
    fmpz_CRT(integer(result), integer(result), integer(modulus), integer(root), integer(power.prime), 1);
    modulus *= power.prime;
  }
  return result;
}

using Point = std::array<Rational, 3>;

std::optional<Point> descend(const Rational &a, const Rational &b) {
  const Rational zero(0), one(1);
  if (a == one)
    return Point{one, one, zero};
  if (b == one)
    return Point{one, zero, one};
  if (a == -b)
    return Point{zero, one, one};
  if (a == b) { // X^2 + Y^2 = a Z^2 gives (a Z)^2 = a (X^2 + Y^2)
    std::optional<Point> point = descend(Rational(-1), a);
    if (!point)
      return std::nullopt;
    return Point{a * (*point)[2], (*point)[0], (*point)[1]};
  }
  if (magnitude(a) > magnitude(b)) {
    std::optional<Point> point = descend(b, a);
    if (point)
      std::swap((*point)[1], (*point)[2]);
    return point;
  }
  // r^2 - a = b c m^2 with |c| < |b|; norms from Q(sqrt a) multiply.
  std::optional<Rational> r = squareRootModulo(a, b);
  if (!r)
    return std::nullopt;
  std::optional<SquareClass> rest = squareClass((*r * *r - a) / b);
  if (!rest)
    return std::nullopt;
  std::optional<Point> point = descend(a, rest->squarefree);
  if (!point)
    return std::nullopt;
  const auto &[x, y, z] = *point;
  return Point{x * *r + a * y, x + *r * y, rest->squarefree * rest->root * z};
}

} // namespace

std::optional<SquareClass> squareClass(const Rational &value) {
  std::optional<std::vector<PrimePower>> top = factorInteger(value.numerator()),
                                         bottom = factorInteger(value.denominator());
  if (!top || !bottom)
    return std::nullopt;
  SquareClass result{Rational(value.sign()), Rational(1)};
  for (const PrimePower &power : *top) {
    for (int64_t step = 0; step < power.exponent / 2; ++step)
      result.root *= power.prime;
    if (power.exponent % 2)
      result.squarefree *= power.prime;
  }
  for (const PrimePower &power : *bottom) { // 1/p = p (1/p)^2
    for (int64_t step = 0; step < (power.exponent + 1) / 2; ++step)
      result.root /= power.prime;
    if (power.exponent % 2)
      result.squarefree *= power.prime;
  }
  if (result.squarefree * result.root * result.root != value)
    throw std::logic_error("squareClass: the factors do not multiply to the number");
  // Of two numbers of which each can be factored: that cannot be any more.
  if (fmpz_bits(integer(result.squarefree)) > longest_factored)
    return std::nullopt;
  return result;
}

std::vector<std::string> ramifiedPlaces(const Rational &a, const Rational &b) {
  std::vector<Rational> primes{Rational(2)};
  for (const Rational *value : {&a, &b}) {
    std::optional<std::vector<PrimePower>> powers = factorInteger(*value);
    if (!powers)
      throw std::logic_error("ramifiedPlaces: numbers that no square class has");
    for (const PrimePower &power : *powers)
      if (std::find(primes.begin(), primes.end(), power.prime) == primes.end())
        primes.push_back(power.prime);
  }
  std::sort(primes.begin(), primes.end());
  std::vector<std::string> result;
  for (const Rational &p : primes)
    if ((p == Rational(2) ? hilbertTwo(a, b) : hilbertOdd(a, b, p)) < 0)
      result.push_back(p.toString());
  if (a.sign() < 0 && b.sign() < 0)
    result.push_back("infinity");
  if (result.size() % 2 != 0)
    throw std::logic_error("ramifiedPlaces: an odd number of places");
  return result;
}

std::optional<std::array<Rational, 3>> solveConic(const Rational &a, const Rational &b) {
  std::optional<Point> point = descend(a, b);
  if (point) {
    const auto &[x, y, z] = *point;
    if (x * x != a * y * y + b * z * z || (x.isZero() && y.isZero() && z.isZero()))
      throw std::logic_error("solveConic: not a point of the conic");
  }
  return point;
}

} // namespace algebras
