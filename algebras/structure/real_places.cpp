#include "algebras/structure/real_places.h"

#include <flint/fmpq_poly.h>

#include <stdexcept>

namespace algebras {

namespace {

int sign(const fmpq_poly_t polynomial, slong exponent) {
  return fmpz_sgn(fmpq_poly_numref(polynomial) + exponent);
}

} // namespace

int64_t signature(const Matrix &symmetric) {
  fmpq_poly_t polynomial;
  fmpq_poly_init(polynomial);
  fmpq_mat_charpoly(polynomial, symmetric.rational());
  // Changes of sign: positive roots; those of p(-x): negative ones.
  int64_t positive = 0, negative = 0;
  int last = 0, last_mirrored = 0;
  for (slong exponent = 0; exponent < fmpq_poly_length(polynomial); ++exponent) {
    int own = sign(polynomial, exponent), mirrored = exponent % 2 ? -own : own;
    if (own == 0)
      continue;
    positive += last != 0 && own != last;
    negative += last_mirrored != 0 && mirrored != last_mirrored;
    last = own;
    last_mirrored = mirrored;
  }
  fmpq_poly_clear(polynomial);
  return positive - negative;
}

int64_t negativeRealPlaces(const ProductOperator &product, const Subspace &field, const Matrix &a,
                           const Matrix &b) {
  int64_t k = field.dimension();
  // Products of basis elements of K, and traces of multiplication on K.
  std::vector<Matrix> times;
  Matrix traces(field.field(), k, 1);
  for (int64_t index = 0; index < k; ++index) {
    times.push_back(field.coordinates(field.basis() * product.leftMatrix(field.basis().row(index))));
    Rational trace;
    for (int64_t at = 0; at < k; ++at)
      trace += times.back().get(at, at);
    traces.set(index, 0, trace);
  }
  auto signature_of = [&](const Matrix &g) {
    Matrix by_g = field.coordinates(field.basis() * product.leftMatrix(g)); // coordinates of g k_i
    Matrix form(field.field(), k, k);
    for (int64_t first = 0; first < k; ++first) {
      Matrix row = by_g * times[first] * traces; // Tr(g k_i k_first)
      for (int64_t second = 0; second < k; ++second)
        form.set(first, second, row.get(second, 0));
    }
    return signature(form);
  };
  // q_1 by the identity of K: the trace form itself.
  Matrix trace_form(field.field(), k, k);
  for (int64_t first = 0; first < k; ++first) {
    Matrix row = times[first] * traces;
    for (int64_t second = 0; second < k; ++second)
      trace_form.set(first, second, row.get(second, 0));
  }
  int64_t sum =
      signature(trace_form) - signature_of(a) - signature_of(b) + signature_of(product.multiply(a, b));
  if (sum < 0 || sum % 4 != 0)
    throw std::logic_error("negativeRealPlaces: signatures that do not fit together");
  return sum / 4;
}

} // namespace algebras
