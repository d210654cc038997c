#include "algebras/structure/lattice.h"

#include "algebras/linear/subspace.h"
#include "algebras/rational_flint.h"

#include <flint/fmpq_mat.h>
#include <flint/fmpz_lll.h>

#include <array>
#include <stdexcept>

namespace algebras {

namespace {

ScaledIntegers overDenominator(const Matrix &rational) {
  ScaledIntegers result{IntegerMatrix(rational.rows(), rational.columns()), Rational(1)};
  fmpq_mat_get_fmpz_mat_matwise(result.numerators.get(), fmpq_numref(FlintAccess::get(result.denominator)),
                                rational.rational());
  return result;
}

Matrix toRational(const IntegerMatrix &integers, const Rational &scale) {
  Matrix result(Field(), integers.rows(), integers.columns());
  fmpq_mat_set_fmpz_mat(result.rational(), integers.get());
  return result.scaled(scale);
}

// A Z-basis of the lattice that the rows span.
Matrix latticeBasis(const Matrix &rows) {
  Subspace space(rows);
  if (space.dimension() == rows.rows())
    return rows;
  ScaledIntegers hermite = overDenominator(space.coordinates(rows));
  fmpz_mat_hnf(hermite.numerators.get(), hermite.numerators.get());
  return toRational(hermite.numerators, Rational(1) / hermite.denominator).rowRange(0, space.dimension()) *
         space.basis();
}

Matrix inverse(const Matrix &matrix) {
  Matrix result(Field(), matrix.rows(), matrix.columns());
  if (!fmpq_mat_inv(result.rational(), matrix.rational()))
    throw std::logic_error("Lattice: the basis is dependent");
  return result;
}

// Of constants with rows i and columns (j, k): rows j and columns (k, i).
void turn(IntegerMatrix &constants) {
  int64_t n = constants.rows();
  IntegerMatrix turned(n, n * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        fmpz_swap(turned.at(j, k * n + i), constants.at(i, j * n + k));
  constants.swap(turned);
}

// Each of the three slots of the constants, in the order i, j, k, is multiplied by its factor.
void transform(IntegerMatrix &constants, const std::array<const IntegerMatrix *, 3> &factors) {
  IntegerMatrix moved(constants.rows(), constants.columns());
  for (const IntegerMatrix *factor : factors) {
    if (factor) {
      fmpz_mat_mul(moved.get(), factor->get(), constants.get());
      constants.swap(moved);
    }
    turn(constants);
  }
}

// Divides numerators and denominator by what they have in common.
void cancel(IntegerMatrix &numerators, Rational &denominator) {
  Rational common;
  fmpz *divisor = fmpq_numref(FlintAccess::get(common));
  fmpz_mat_content(divisor, numerators.get());
  fmpz_gcd(divisor, divisor, fmpq_numref(FlintAccess::get(denominator)));
  if (common.isZero() || common.isOne())
    return;
  fmpz_mat_scalar_divexact_fmpz(numerators.get(), numerators.get(), divisor);
  denominator /= common;
}

} // namespace

Lattice::Lattice(const ProductOperator &product, const Matrix &rows)
    : elements_(latticeBasis(rows)), constants_(elements_.rows(), elements_.rows() * elements_.rows()) {
  if (!product.field().isRationals())
    throw std::logic_error("Lattice: only algebras over Q have lattices over the integers");
  int64_t n = dimension();
  Subspace space(elements_);
  Matrix to_basis = inverse(space.coordinates(elements_));
  Matrix all(product.field(), 0, n * n);
  for (int64_t i = 0; i < n; ++i)
    all = all.above(
        (space.coordinates(elements_ * product.leftMatrix(elements_.row(i))) * to_basis).flattened());
  ScaledIntegers scaled = overDenominator(all);
  constants_.swap(scaled.numerators);
  denominator_ = scaled.denominator;
}

Table Lattice::table() const {
  int64_t n = dimension();
  std::vector<Constant> constants;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t jk = 0; jk < n * n; ++jk)
      if (const fmpz *entry = constants_.at(i, jk); !fmpz_is_zero(entry)) {
        Rational value;
        fmpz_set(fmpq_numref(FlintAccess::get(value)), entry);
        constants.push_back({i, jk / n, jk % n, value / denominator_});
      }
  return Table("lattice", Field(), n, std::move(constants));
}

Table Lattice::modulo(uint64_t p) const {
  std::optional<Table> result = ProductOperator::modulo(table(), p);
  if (!result)
    throw std::logic_error("Lattice: a residue whose modulus divides the denominator");
  return std::move(*result);
}

Matrix Lattice::coordinates(const Matrix &rows) const {
  Subspace space(elements_);
  return space.coordinates(rows) * inverse(space.coordinates(elements_));
}

void Lattice::changeBasis(const Matrix &change) {
  ScaledIntegers forward = overDenominator(change), back = overDenominator(inverse(change).transposed());
  transform(constants_, {&forward.numerators, &forward.numerators, &back.numerators});
  denominator_ *= forward.denominator * forward.denominator * back.denominator;
  cancel(constants_, denominator_);
  elements_ = change * elements_;
}

void Lattice::span(const Matrix &rows) { changeBasis(latticeBasis(rows)); }

// sum over j, k of c[x,j,k] c[y,j,k] + c[j,x,k] c[j,y,k].
void Lattice::gram(IntegerMatrix &result) {
  int64_t n = dimension();
  IntegerMatrix transposed(n * n, n), part(n, n);
  auto add_squares = [&] {
    fmpz_mat_transpose(transposed.get(), constants_.get());
    fmpz_mat_mul(part.get(), constants_.get(), transposed.get());
    fmpz_mat_add(result.get(), result.get(), part.get());
  };
  fmpz_mat_zero(result.get());
  add_squares();
  turn(constants_);
  add_squares();
  turn(constants_);
  turn(constants_);
}

void Lattice::reduce() {
  constexpr int most_rounds = 32;
  IntegerMatrix form(dimension(), dimension()), change(dimension(), dimension());
  fmpz_lll_t parameters;
  fmpz_lll_context_init(parameters, 0.99, 0.51, GRAM, APPROX);
  Rational last;
  for (int round = 0; round < most_rounds; ++round) {
    gram(form);
    Rational size;
    fmpz_mat_trace(fmpq_numref(FlintAccess::get(size)), form.get());
    if (round > 0 && size * Rational(16) > last * Rational(15)) // hardly smaller
      break;
    last = size;
    fmpz_mat_one(change.get());
    fmpz_lll(form.get(), change.get(), parameters);
    if (fmpz_mat_is_one(change.get()))
      break;
    Rational determinant;
    fmpz_mat_det(fmpq_numref(FlintAccess::get(determinant)), change.get());
    if (determinant != Rational(1) && determinant != Rational(-1))
      throw std::logic_error("Lattice: a change of basis that is not unimodular");
    changeBasis(toRational(change, Rational(1)));
  }
}

ScaledIntegers Lattice::timesBasis(const Matrix &basis) const {
  ScaledIntegers forward = overDenominator(basis), back = overDenominator(inverse(basis).transposed());
  ScaledIntegers result{constants_, denominator_ * forward.denominator * back.denominator};
  transform(result.numerators, {nullptr, &forward.numerators, &back.numerators});
  cancel(result.numerators, result.denominator);
  return result;
}

} // namespace algebras
