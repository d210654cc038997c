#include "algebras/certificate/component_proof.h"

#include "algebras/certificate/encode.h"
#include "algebras/certificate/integral.h"
#include "algebras/certificate/irreducibility.h"
#include "algebras/linear/sparse_vector.h"

namespace algebras {

namespace {

using nlohmann::ordered_json;

// By exponents, like an element by slots.
ordered_json encodePolynomial(const Polynomial &polynomial) {
  SparseVector terms;
  for (std::size_t exponent = 0; exponent < polynomial.size(); ++exponent)
    if (!polynomial[exponent].isZero())
      terms.emplace_back(static_cast<std::int64_t>(exponent), polynomial[exponent]);
  return encodeElement(terms);
}

// The certificate's table has the constants times a common denominator D, and its elements are integral: a
// generator z with the polynomial f becomes t z, which satisfies (t D)^m f(x / (t D)) there.
bool addRationalField(ordered_json &json, const Table &table, const SimpleComponent &component) {
  SmallGenerator small = smallGenerator(component.center_polynomial);
  Rational inverse = Rational(1) / small.scale;
  SparseVector generator = combine(table.field(), inverse, component.center_generator,
                                   -(small.shift * inverse), component.idempotent);
  Rational multiple = commonDenominator(std::span(&generator, 1)),
           factor = multiple * commonDenominator(table), power(1);
  for (std::size_t s = small.polynomial.size(); s-- > 0; power *= factor)
    small.polynomial[s] *= power;
  std::optional<ordered_json> reason = irreducibilityReason(small.polynomial);
  if (!reason)
    return false;
  json["center"] = encodeElement(scaled(generator, multiple));
  json["polynomial"] = encodePolynomial(small.polynomial);
  json["irreducible"] = std::move(*reason);
  return true;
}

} // namespace

std::optional<ComponentProof> proveComponent(const Table &table, const SimpleComponent &component) {
  const Field &field = table.field();
  ComponentProof result;
  result.claimed.dimension = component.dimension;
  result.claimed.center = static_cast<std::int64_t>(component.center_polynomial.size()) - 1;
  std::int64_t quotient = component.dimension / result.claimed.center;
  std::int64_t degree = 1;
  while (degree * degree < quotient)
    ++degree;
  bool split = degree > 1 && component.matrix_degree == degree && !component.matrix_units.empty();
  result.claimed.degree = !field.isRationals() || degree == 1 || split ? degree : 0;

  result.json = ordered_json::object();
  if (result.claimed.center > 1 && field.isRationals()) {
    if (!addRationalField(result.json, table, component))
      return std::nullopt;
  } else if (result.claimed.center > 1) {
    result.json["center"] = encodeElement(component.center_generator);
    result.json["polynomial"] = encodePolynomial(component.center_polynomial);
  }
  if (split && field.isRationals()) {
    SparseVector nilpotent;
    for (std::int64_t a = 0; a + 1 < degree; ++a)
      nilpotent =
          combine(field, Rational(1), nilpotent, Rational(1), component.matrix_units[a * degree + a + 1]);
    result.json["nilpotent"] = encodeMultiple(field, nilpotent);
  }
  return result;
}

} // namespace algebras
