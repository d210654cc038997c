#include "tests/algebras/examples.h"

#include "algebras/structure/product_operator.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace examples {

using namespace algebras;

Table group(const Field &field, int64_t order, const std::function<int64_t(int64_t, int64_t)> &product) {
  std::vector<Constant> constants;
  for (int64_t g = 0; g < order; ++g)
    for (int64_t h = 0; h < order; ++h)
      constants.push_back({g, h, product(g, h), Rational(1)});
  return Table("group algebra", field, order, std::move(constants));
}

Table cyclicGroup(const Field &field, int64_t order) {
  return group(field, order, [=](int64_t g, int64_t h) { return (g + h) % order; });
}

Table dihedralGroup(const Field &field, int64_t sides) {
  // r^a s^b at a + b * sides.
  return group(field, 2 * sides, [=](int64_t g, int64_t h) {
    int64_t turn = h % sides;
    if (g >= sides)
      turn = sides - turn;
    return (g % sides + turn) % sides + (g / sides + h / sides) % 2 * sides;
  });
}

Table symmetricGroup(const Field &field, int64_t letters) {
  std::vector<std::vector<int>> elements;
  std::map<std::vector<int>, int64_t> number;
  std::vector<int> letter(letters);
  std::iota(letter.begin(), letter.end(), 0);
  do {
    number[letter] = static_cast<int64_t>(elements.size());
    elements.push_back(letter);
  } while (std::next_permutation(letter.begin(), letter.end()));
  return group(field, static_cast<int64_t>(elements.size()), [&](int64_t g, int64_t h) {
    std::vector<int> composed(letters);
    for (int64_t at = 0; at < letters; ++at)
      composed[at] = elements[g][elements[h][at]];
    return number.at(composed);
  });
}

Table clifford(const Field &field, const std::vector<int64_t> &squares) {
  auto size = uint64_t{1} << squares.size();
  std::vector<Constant> constants;
  for (uint64_t left = 0; left < size; ++left)
    for (uint64_t right = 0; right < size; ++right) {
      int64_t value = 1;
      for (size_t at = 0; at < squares.size(); ++at) {
        if (!(right >> at & 1))
          continue;
        if (std::popcount(left >> (at + 1)) % 2) // moved past the later ones on the left
          value = -value;
        if (left >> at & 1)
          value *= squares[at];
      }
      constants.push_back({static_cast<int64_t>(left), static_cast<int64_t>(right),
                           static_cast<int64_t>(left ^ right), Rational(value)});
    }
  return Table("Clifford algebra", field, static_cast<int64_t>(size), std::move(constants));
}

Table polynomials(const Field &field, const std::vector<int64_t> &modulus) {
  auto n = static_cast<int64_t>(modulus.size());
  std::vector<std::vector<Rational>> power(2 * n, std::vector<Rational>(n)); // x^e modulo the polynomial
  for (int64_t e = 0; e < n; ++e)
    power[e][e] = Rational(1);
  for (int64_t e = n; e < 2 * n; ++e)
    for (int64_t at = 0; at < n; ++at)
      power[e][at] =
          (at > 0 ? power[e - 1][at - 1] : Rational(0)) - power[e - 1][n - 1] * Rational(modulus[at]);
  std::vector<Constant> constants;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        if (!power[i + j][k].isZero())
          constants.push_back({i, j, k, power[i + j][k]});
  return Table("polynomials", field, n, std::move(constants));
}

Table cyclic(const std::vector<int64_t> &modulus, const std::vector<int64_t> &image, int64_t a) {
  Field q;
  auto n = static_cast<int64_t>(modulus.size());
  ProductOperator field(polynomials(q, modulus));
  // Row i: sigma^j(x^i).
  Matrix sigma = Matrix::identity(q, n), power = Matrix::identity(q, n), x(q, 1, n), own = field.unit(0);
  for (size_t at = 0; at < image.size(); ++at)
    x.set(0, static_cast<int64_t>(at), Rational(image[at]));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t column = 0; column < n; ++column)
      sigma.set(i, column, own.get(0, column));
    own = field.multiply(own, x);
  }
  std::vector<Constant> constants;
  for (int64_t j = 0; j < n; ++j, power = power * sigma)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < n; ++k) {
        Matrix product = field.multiply(field.unit(i), power.row(k)); // x^i u^j x^k = x^i sigma^j(x^k) u^j
        for (int64_t l = 0; l < n; ++l)
          for (const auto &[exponent, value] : product.sparseRow(0))
            constants.push_back(
                {i * n + j, k * n + l, exponent * n + (j + l) % n, j + l >= n ? value * Rational(a) : value});
      }
  return Table("cyclic algebra", q, n * n, std::move(constants));
}

} // namespace examples
