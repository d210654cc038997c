#include "algebras/rank/quaternion_algorithm.h"

#include "algebras/linear/subspace.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>

namespace algebras {

namespace {

// The root of a rational square.
std::optional<Rational> squareRoot(const Rational &value) {
  const fmpq *raw = FlintAccess::get(value);
  if (value.sign() < 0 || !fmpz_is_square(fmpq_numref(raw)) || !fmpz_is_square(fmpq_denref(raw)))
    return std::nullopt;
  Rational result;
  fmpz_sqrt(fmpq_numref(FlintAccess::get(result)), fmpq_numref(raw));
  fmpz_sqrt(fmpq_denref(FlintAccess::get(result)), fmpq_denref(raw));
  return result;
}

} // namespace

std::optional<QuaternionBasis> quaternionBasis(const ProductOperator &product, const Matrix &one) {
  const Field &field = product.field();
  if (field.characteristic() == 2 || product.dimension() != 4)
    return std::nullopt;
  Matrix pure = kernel(product.traces()); // the elements of trace zero
  if (pure.rows() != 3)
    return std::nullopt;
  int64_t place = 0;
  while (one.isZeroAt(0, place))
    ++place;
  // c with x = c 1.
  auto scalar = [&](const Matrix &x) -> std::optional<Rational> {
    Rational c = field.reduce(x.get(0, place) / one.get(0, place));
    if (!(x == one.scaled(c)))
      return std::nullopt;
    return c;
  };
  auto element = [&](const Matrix &rows, std::initializer_list<int64_t> coefficients) {
    Matrix own(field, 1, rows.rows());
    int64_t s = 0;
    for (int64_t value : coefficients)
      own.set(0, s++, Rational(value));
    return own * rows;
  };
  struct Choice {
    Matrix element;
    Rational square;
    bool minus_is_square;
  };
  // The best of some elements: minus its square is a square, or at least it is invertible. Scaled to square
  // -1 where it can be.
  auto better = [&](std::optional<Choice> &best, const Matrix &x) {
    if (best && best->minus_is_square)
      return;
    std::optional<Rational> square = scalar(product.multiply(x, x));
    if (!square || square->isZero())
      return;
    std::optional<Rational> root;
    if (field.isRationals())
      root = squareRoot(-*square);
    if (root)
      best = Choice{x.scaled(Rational(1) / *root), Rational(-1), true};
    else if (!best)
      best = Choice{x, *square, false};
  };
  std::optional<Choice> i, j;
  for (int64_t range : {1, 4})
    for (int64_t x = -range; x <= range; ++x)
      for (int64_t y = -range; y <= range; ++y)
        for (int64_t z = 0; z <= range; ++z)
          better(i, element(pure, {x, y, z}));
  if (!i)
    return std::nullopt;
  // The pure x with i x + x i = 0.
  Matrix anticommutator = pure * product.leftMatrix(i->element) + pure * product.rightMatrix(i->element);
  Matrix across = kernel(anticommutator.transposed()) * pure;
  if (across.rows() != 2)
    return std::nullopt;
  for (int64_t range : {1, 6})
    for (int64_t x = -range; x <= range; ++x)
      for (int64_t y = 0; y <= range; ++y)
        better(j, element(across, {x, y}));
  if (!j)
    return std::nullopt;
  return QuaternionBasis{i->square,
                         j->square,
                         {one.sparseRow(0), i->element.sparseRow(0), j->element.sparseRow(0),
                          product.multiply(i->element, j->element).sparseRow(0)}};
}

Table commutativeCompanion(const Field &field, const Rational &a, const Rational &b) {
  Rational one(1), ma = field.reduce(-a), mb = field.reduce(-b), ab = field.multiply(a, b);
  std::vector<Constant> constants{{1, 1, 0, ma},  {2, 2, 0, mb}, {3, 3, 0, ab}, {1, 2, 3, one},
                                  {2, 1, 3, one}, {1, 3, 2, ma}, {3, 1, 2, ma}, {2, 3, 1, mb},
                                  {3, 2, 1, mb},  {0, 0, 0, one}};
  for (int64_t s = 1; s < 4; ++s) {
    constants.push_back({0, s, s, one});
    constants.push_back({s, 0, s, one});
  }
  return Table("companion", field, 4, std::move(constants));
}

BilinearAlgorithm quaternionProducts(const Field &field, const Rational &a, const Rational &b,
                                     const BilinearAlgorithm &companion) {
  BilinearAlgorithm result = companion;
  for (BilinearProduct &product : result)
    for (auto &[slot, value] : product.gamma)
      if (slot == 0)
        value = field.reduce(-value);
  auto correct = [&](int64_t i, int64_t j, int64_t k, const Rational &value) {
    result.push_back({{{i, Rational(1)}}, {{j, Rational(1)}}, {{k, field.reduce(value)}}});
  };
  correct(0, 0, 0, Rational(2));
  correct(3, 2, 1, Rational(2) * b);
  correct(1, 3, 2, Rational(2) * a);
  correct(2, 1, 3, Rational(-2));
  return result;
}

} // namespace algebras
