#include "algebras/structure/small_generator.h"

#include "algebras/rational_flint.h"
#include "algebras/structure/lattice.h"
#include "algebras/structure/minimal_polynomial.h"
#include "algebras/structure/quaternion.h"

#include <flint/fmpz.h>
#include <flint/fmpz_lll.h>
#include <flint/fmpz_mat.h>

namespace algebras {

namespace {

// The rows, scaled to integers, reduced by LLL.
Matrix shortRows(const Matrix &rows) {
  fmpz_mat_t lattice;
  fmpz_mat_init(lattice, rows.rows(), rows.columns());
  fmpq_mat_get_fmpz_mat_rowwise(lattice, nullptr, rows.rational());
  fmpz_lll_t context;
  fmpz_lll_context_init_default(context);
  fmpz_lll(lattice, nullptr, context);
  Matrix result(rows.field(), rows.rows(), rows.columns());
  fmpq_mat_set_fmpz_mat(result.rational(), lattice);
  fmpz_mat_clear(lattice);
  return result;
}

const fmpz *numerator(const Rational &value) { return fmpq_numref(FlintAccess::get(value)); }
const fmpz *denominator(const Rational &value) { return fmpq_denref(FlintAccess::get(value)); }

// The integer nearest to value / divisor, for a rational value.
Rational nearest(const Rational &value, int64_t divisor) {
  Rational doubled = value / Rational(divisor) * Rational(2) + Rational(1);
  Rational bottom = doubled.denominator() * Rational(2), result;
  fmpz_fdiv_q(fmpq_numref(FlintAccess::get(result)), numerator(doubled), numerator(bottom));
  return result;
}

size_t bits(const Polynomial &polynomial) {
  size_t result = 0;
  for (const Rational &coefficient : polynomial)
    result += fmpz_bits(numerator(coefficient)) + fmpz_bits(denominator(coefficient));
  return result;
}

bool isIntegral(const Polynomial &polynomial) {
  for (const Rational &coefficient : polynomial)
    if (!coefficient.isInteger())
      return false;
  return true;
}

// The minimal polynomial of c z.
Polynomial stretched(Polynomial polynomial, const Rational &factor) {
  Rational power(1);
  for (size_t at = polynomial.size(); at-- > 0; power *= factor)
    polynomial[at] *= power;
  return polynomial;
}

class Reduction {
public:
  Reduction(const ProductOperator &product, const Matrix &e, int64_t degree)
      : product_(product), e_(e), degree_(degree) {}

  // z, moved and scaled; nothing when it does not generate the field.
  std::optional<CentralField> tidy(Matrix z) const {
    MinimalPolynomial minimal = minimalPolynomial(product_, z, e_, degree_);
    if (degree(minimal.polynomial) != degree_)
      return std::nullopt;
    Polynomial polynomial = minimal.polynomial;
    // By primes: all of the least common denominator makes it integral, and then small primes are taken out
    // again.
    Rational scale(1);
    for (const Rational &coefficient : polynomial)
      fmpz_lcm(fmpq_numref(FlintAccess::get(scale)), numerator(scale), denominator(coefficient));
    polynomial = stretched(polynomial, scale);
    // The trace into [-k/2, k/2], so that what is divisible shows.
    Rational shift = nearest(-polynomial[degree_ - 1], degree_);
    z = z.scaled(scale) - e_.scaled(shift);
    polynomial = minimalPolynomial(product_, z, e_, degree_).polynomial;
    for (int64_t p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47})
      for (;;) {
        Polynomial smaller = stretched(polynomial, Rational(1, p));
        if (!isIntegral(smaller))
          break;
        polynomial = std::move(smaller);
        z = z.scaled(Rational(1, p));
      }
    return CentralField{e_, std::move(z), std::move(polynomial)};
  }

private:
  const ProductOperator &product_;
  const Matrix &e_;
  int64_t degree_;
};

// The smallest d, where roots tell it, such that d x is integral for an x with this minimal polynomial.
Rational integralFactor(const Polynomial &polynomial) {
  Rational result(1);
  int64_t k = degree(polynomial);
  for (int64_t s = k; s-- > 0;) { // d^(k - s) times the coefficient
    Rational scaled = polynomial[s], root;
    for (int64_t power = s; power < k; ++power)
      scaled *= result;
    Rational left = scaled.denominator();
    if (fmpz_root(fmpq_numref(FlintAccess::get(root)), numerator(left), k - s) == 0)
      root = left;
    result *= root;
  }
  return result;
}

// An order of the field that its basis generates when each element is made integral: small indices are what
// random elements have in common. Nothing for large fields, and where products go on leaving the lattice.
std::optional<Lattice> generatedOrder(const ProductOperator &product, const Matrix &e, const Matrix &basis) {
  constexpr int64_t largest = 16;
  constexpr int rounds = 6;
  int64_t k = basis.rows();
  if (k > largest)
    return std::nullopt;
  Matrix rows = e;
  for (int64_t row = 0; row < k; ++row)
    rows = rows.above(
        basis.row(row).scaled(integralFactor(minimalPolynomial(product, basis.row(row), e, k).polynomial)));
  for (int64_t row = 1; row <= k; ++row)
    rows = rows.above(rows.rowRange(1, k) * product.leftMatrix(rows.row(row)));
  Lattice lattice(product, rows);
  for (int round = 0; !lattice.denominator().isOne(); ++round) {
    if (round == rounds)
      return std::nullopt;
    lattice.reduce();
    ProductOperator own(lattice.table());
    Matrix more = Matrix::identity(product.field(), k);
    for (int64_t slot = 0; slot < k; ++slot)
      more = more.above(own.leftMatrix(own.unit(slot)));
    lattice.span(more);
  }
  lattice.reduce();
  return lattice;
}

// x^2 - D for a squarefree D.
std::optional<CentralField> quadratic(const CentralField &field) {
  const Polynomial &f = field.polynomial;
  std::optional<SquareClass> discriminant = squareClass(f[1] * f[1] - Rational(4) * f[0]);
  if (!discriminant)
    return std::nullopt;
  Matrix z = (field.generator.scaled(Rational(2)) + field.idempotent.scaled(f[1]))
                 .scaled(Rational(1) / discriminant->root);
  return CentralField{field.idempotent, std::move(z), {-discriminant->squarefree, Rational(0), Rational(1)}};
}

} // namespace

CentralField withSmallGenerator(const ProductOperator &product, CentralField field, const Subspace &own) {
  constexpr int64_t most_candidates = 24;
  int64_t k = degree(field.polynomial);
  if (k == 2)
    if (std::optional<CentralField> result = quadratic(field))
      return std::move(*result);
  std::optional<Lattice> order = generatedOrder(product, field.idempotent, own.basis());
  std::optional<ProductOperator> small; // of the order: its numbers are small whatever those of the table are
  if (order)
    small.emplace(order->table());
  Matrix one = order ? order->coordinates(field.idempotent) : field.idempotent;
  Reduction reduction(small ? *small : product, one, k);
  Matrix rows = order ? Matrix::identity(product.field(), k) : shortRows(own.basis());
  std::optional<CentralField> best;
  auto consider = [&](const Matrix &z) {
    std::optional<CentralField> candidate = reduction.tidy(z);
    if (candidate && (!best || bits(candidate->polynomial) < bits(best->polynomial)))
      best = std::move(candidate);
  };
  int64_t count = 0;
  for (int64_t first = 0; first < k && count < most_candidates; ++first, ++count)
    consider(rows.row(first));
  for (int64_t first = 0; first < k && count < most_candidates; ++first)
    for (int64_t second = 0; second < first && count < most_candidates; ++second, ++count)
      consider(rows.row(first) + rows.row(second));
  if (!best)
    best = reduction.tidy(order ? order->coordinates(field.generator) : field.generator);
  if (order) {
    best->idempotent = field.idempotent;
    best->generator = best->generator * order->elements();
  }
  return std::move(best.value());
}

} // namespace algebras
