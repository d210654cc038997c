#include "algebras/structure/central_idempotents.h"

#include "algebras/structure/minimal_polynomial.h"
#include "algebras/structure/quotient.h"
#include "algebras/structure/small_generator.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace algebras {

namespace {

Matrix randomElement(const Field &field, std::int64_t dimension, std::int64_t range,
                     std::mt19937_64 &random) {
  Matrix result(field, 1, dimension);
  for (std::int64_t slot = 0; slot < dimension; ++slot)
    result.set(0, slot, Rational(static_cast<std::int64_t>(random() % (2 * range + 1)) - range));
  return result;
}

// The number of powers of x that are independent modulo a prime: a lower bound for the degree of x, cheap.
bool generates(const ProductOperator &product, const Matrix &x, const Matrix &one) {
  std::int64_t n = product.dimension();
  Matrix left = product.leftMatrix(x), start = one;
  if (product.field().isRationals()) {
    std::optional<Matrix> modular_left, modular_one;
    for (std::uint64_t p = 0; !modular_left || !modular_one;) {
      p = nextModulus(p);
      modular_left = reduceModulo(left, p);
      modular_one = reduceModulo(one, p);
    }
    left = std::move(*modular_left);
    start = std::move(*modular_one);
  }
  Matrix powers(left.field(), n, n);
  for (std::int64_t exponent = 0; exponent < n; ++exponent) {
    for (std::int64_t slot = 0; slot < n; ++slot)
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
    std::int64_t n = product_.dimension();
    if (n == 1)
      return {{one_, one_, {field.reduce(Rational(-1)), Rational(1)}}};
    for (int attempt = 0; field.isRationals() || attempt < 6; ++attempt) {
      // Over Q some small integers do: only finitely many hyperplanes are to be avoided.
      Matrix z =
          randomElement(field, n, field.isRationals() ? 3 + 2 * attempt : std::int64_t{1} << 61, random_);
      if (generates(product_, z, one_))
        return byPrimitiveElement(z);
    }
    return byFrobenius();
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

  std::vector<CentralField> byFrobenius() {
    const Field &field = product_.field();
    std::int64_t n = product_.dimension();
    Matrix frobenius(field, n, n);
    for (std::int64_t slot = 0; slot < n; ++slot) {
      Matrix image = power(product_.unit(slot), field.characteristic());
      for (std::int64_t column = 0; column < n; ++column)
        nmod_mat_entry(frobenius.modular(), slot, column) = nmod_mat_entry(image.modular(), 0, column);
    }
    Matrix fixed = kernel((frobenius - Matrix::identity(field, n)).transposed());
    std::vector<Matrix> idempotents{one_};
    for (std::int64_t row = 0; row < fixed.rows(); ++row) {
      std::vector<Matrix> finer;
      for (const Matrix &e : idempotents)
        split(e, product_.multiply(e, fixed.row(row)), fixed.rows(), finer);
      idempotents = std::move(finer);
    }
    if (static_cast<std::int64_t>(idempotents.size()) != fixed.rows())
      throw std::logic_error("centralFields: the fixed elements of z^p do not separate the fields");
    std::vector<CentralField> result;
    for (const Matrix &e : idempotents)
      result.push_back(fieldOf(e));
    return result;
  }

  // e in the eigenspaces of k, which are defined over GF(p).
  void split(const Matrix &e, const Matrix &k, std::int64_t bound, std::vector<Matrix> &parts) {
    const Field &field = product_.field();
    MinimalPolynomial minimal = minimalPolynomial(product_, k, e, bound);
    std::vector<PolynomialFactor> factors = factor(field, minimal.polynomial);
    if (factors.size() == 1) {
      parts.push_back(e);
      return;
    }
    for (const PolynomialFactor &part : factors)
      parts.push_back(evaluate(
          algebras::idempotent(field, part.factor, divideExactly(field, minimal.polynomial, part.factor)),
          minimal.powers));
  }

  CentralField fieldOf(const Matrix &e) {
    Subspace own(product_.leftMatrix(e));
    if (own.dimension() == 1)
      return trivial(e);
    // At least half of the elements of a finite field generate it.
    for (;;) {
      Matrix z =
          randomElement(product_.field(), own.dimension(), std::int64_t{1} << 61, random_) * own.basis();
      MinimalPolynomial minimal = minimalPolynomial(product_, z, e, own.dimension());
      if (degree(minimal.polynomial) != own.dimension())
        continue;
      std::vector<PolynomialFactor> factors = factor(product_.field(), minimal.polynomial);
      if (factors.size() != 1 || factors[0].multiplicity != 1)
        throw std::logic_error("centralFields: a part that is no field");
      return {e, z, minimal.polynomial};
    }
  }

  Matrix power(Matrix base, std::uint64_t exponent) const {
    Matrix result = one_;
    for (; exponent > 0; exponent >>= 1) {
      if (exponent & 1)
        result = product_.multiply(result, base);
      if (exponent > 1)
        base = product_.multiply(base, base);
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
  Table table = subalgebraTable(product, center);
  ProductOperator own(table);
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
