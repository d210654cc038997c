#include "algebras/structure/central_idempotents.h"

#include "algebras/structure/minimal_polynomial.h"
#include "algebras/structure/quotient.h"
#include "algebras/structure/small_generator.h"

#include <flint/nmod_mat.h>
#include <flint/nmod_poly.h>

#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>

namespace algebras {

namespace {

Matrix randomElement(const Field &field, int64_t dimension, int64_t range, std::mt19937_64 &random) {
  Matrix result(field, 1, dimension);
  for (int64_t slot = 0; slot < dimension; ++slot)
    result.set(0, slot, Rational(static_cast<int64_t>(random() % (2 * range + 1)) - range));
  return result;
}

// The number of powers of x that are independent modulo a prime: a lower bound for the degree of x, cheap.
bool generates(const ProductOperator &product, const Matrix &x, const Matrix &one) {
  int64_t n = product.dimension();
  Matrix left = product.leftMatrix(x), start = one;
  if (product.field().isRationals()) {
    std::optional<Matrix> modular_left, modular_one;
    for (uint64_t p = 0; !modular_left || !modular_one;) {
      p = nextModulus(p);
      modular_left = reduceModulo(left, p);
      modular_one = reduceModulo(one, p);
    }
    left = std::move(*modular_left);
    start = std::move(*modular_one);
  }
  Matrix powers(left.field(), n, n);
  for (int64_t exponent = 0; exponent < n; ++exponent) {
    for (int64_t slot = 0; slot < n; ++slot)
      nmod_mat_entry(powers.modular(), exponent, slot) = nmod_mat_entry(start.modular(), 0, slot);
    start = start * left;
  }
  return reducedEchelon(powers).rank() == n;
}

// The centre as an algebra of its own.
class Splitter {
public:
  Splitter(const ProductOperator &product, Matrix one) : product_(product), one_(std::move(one)) {}

  std::vector<CentralField> run() {
    const Field &field = product_.field();
    int64_t n = product_.dimension();
    if (n == 1)
      return {{one_, one_, {field.reduce(Rational(-1)), Rational(1)}}};
    for (int attempt = 0; field.isRationals() || (attempt < 6 && hasManyElements()); ++attempt) {
      // Over Q some small integers do: only finitely many hyperplanes are to be avoided.
      Matrix z = randomElement(field, n, field.isRationals() ? 3 + 2 * attempt : int64_t{1} << 61, random_);
      if (generates(product_, z, one_))
        return byPrimitiveElement(z);
    }
    return byRefinement();
  }

private:
  std::vector<CentralField> byPrimitiveElement(const Matrix &z) {
    const Field &field = product_.field();
    MinimalPolynomial minimal = minimalPolynomial(product_, z, one_, product_.dimension());
    std::vector<CentralField> result;
    for (const PolynomialFactor &part : factor(field, minimal.polynomial)) {
      if (part.multiplicity != 1)
        throw std::logic_error("centralFields: the algebra is not semisimple");
      Polynomial rest = divideExactly(field, minimal.polynomial, part.factor);
      Matrix e = evaluate(algebras::idempotent(field, part.factor, rest), minimal.powers);
      result.push_back(degree(part.factor) == 1 ? trivial(e)
                                                : CentralField{e, product_.multiply(e, z), part.factor});
    }
    return result;
  }

  CentralField trivial(const Matrix &e) const {
    return {e, e, {product_.field().reduce(Rational(-1)), Rational(1)}};
  }

  // Whether a random element is likely to have different eigenvalues on all fields.
  bool hasManyElements() const {
    const auto n = static_cast<double>(product_.dimension());
    return static_cast<double>(product_.field().characteristic()) >= n * n / 4;
  }

  // An ideal, as the rows that span it.
  struct Part {
    Matrix rows;
    Matrix generator; // where it is known to be a field
    Polynomial polynomial;
  };

  // Multiplication by a random z maps every ideal into itself, and takes it apart by the irreducible factors
  // of its minimal polynomial there. An ideal on which that is irreducible, of the degree of its dimension,
  // is a field, and z generates it. Every z takes two fields apart, or generates one, with a probability that
  // does not depend on the field's size but by a factor: so it goes on until all are fields. Chance decides
  // the time alone.
  std::vector<CentralField> byRefinement() {
    const Field &field = product_.field();
    const int64_t n = product_.dimension();
    std::vector<Part> open{{Matrix::identity(field, n), Matrix(field, 0, n), {}}}, done;
    while (!open.empty()) {
      const Matrix z = randomElement(field, n, int64_t{1} << 61, random_), left = product_.leftMatrix(z);
      std::vector<Part> finer;
      for (const Part &part : open)
        refine(part, z, left, finer, done);
      open = std::move(finer);
    }
    return fieldsOf(done);
  }

  static void refine(const Part &part, const Matrix &z, const Matrix &left, std::vector<Part> &open,
                     std::vector<Part> &done) {
    const Field &field = z.field();
    const Subspace space(part.rows);
    const Matrix own = space.coordinates(space.basis() * left); // z on the ideal
    const std::vector<PolynomialFactor> factors = factor(field, minimalPolynomialOf(own));
    for (const PolynomialFactor &one : factors) {
      if (one.multiplicity != 1)
        throw std::logic_error("centralFields: the algebra is not semisimple");
      const Matrix rows = factors.size() == 1
                              ? space.basis()
                              : kernel(evaluateAt(one.factor, own).transposed()) * space.basis();
      if (rows.rows() == degree(one.factor))
        done.push_back({rows, z, one.factor});
      else
        open.push_back({rows, z, {}});
    }
  }

  // Of a matrix over GF(p).
  static Polynomial minimalPolynomialOf(const Matrix &matrix) {
    nmod_poly_t minimal;
    nmod_poly_init(minimal, matrix.field().characteristic());
    nmod_mat_minpoly(minimal, matrix.modular());
    Polynomial result;
    for (slong power = 0; power < nmod_poly_length(minimal); ++power)
      result.push_back(static_cast<int64_t>(nmod_poly_get_coeff_ui(minimal, power)));
    nmod_poly_clear(minimal);
    return result;
  }

  static Matrix evaluateAt(const Polynomial &polynomial, const Matrix &matrix) {
    const Matrix one = Matrix::identity(matrix.field(), matrix.rows());
    Matrix result = one.scaled(polynomial.back());
    for (int64_t power = degree(polynomial) - 1; power >= 0; --power)
      result = result * matrix + one.scaled(polynomial[power]);
    return result;
  }

  // The identity of the algebra is the sum of those of its fields, and every idempotent its part in an ideal.
  std::vector<CentralField> fieldsOf(const std::vector<Part> &parts) const {
    const int64_t n = product_.dimension();
    Matrix all(product_.field(), 0, n);
    for (const Part &part : parts)
      all = all.above(part.rows);
    const Matrix coordinates = solve(all.transposed(), one_.transposed()).value().transposed();
    std::vector<CentralField> result;
    int64_t first = 0;
    for (const Part &part : parts) {
      std::vector<int64_t> places(static_cast<size_t>(part.rows.rows()));
      std::iota(places.begin(), places.end(), first);
      const Matrix e = coordinates.selectColumns(places) * part.rows;
      result.push_back(places.size() == 1
                           ? trivial(e)
                           : CentralField{e, product_.multiply(e, part.generator), part.polynomial});
      first += part.rows.rows();
    }
    return result;
  }

  const ProductOperator &product_;
  Matrix one_;
  std::mt19937_64 random_{1};
};

} // namespace

std::vector<CentralField> centralFields(const ProductOperator &product, const Subspace &center,
                                        const Matrix &one) {
  // The table of a centre that is everything is there already.
  std::optional<ProductOperator> table;
  if (center.dimension() < product.dimension())
    table.emplace(subalgebraTable(product, center));
  const ProductOperator &own = table ? *table : product;
  std::vector<CentralField> result = Splitter(own, center.coordinates(one)).run();
  for (CentralField &part : result) {
    if (product.field().isRationals() && degree(part.polynomial) > 1)
      part = withSmallGenerator(own, part, Subspace(own.leftMatrix(part.idempotent)));
    part.idempotent = part.idempotent * center.basis();
    part.generator = part.generator * center.basis();
  }
  return result;
}

} // namespace algebras
