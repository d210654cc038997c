#include "algebras/certificate/component_proof.h"

#include "algebras/certificate/division_proof.h"
#include "algebras/certificate/encode.h"
#include "algebras/certificate/field_tower.h"
#include "algebras/certificate/integral.h"
#include "algebras/linear/sparse_vector.h"
#include "algebras/structure/sparse_product.h"

namespace algebras {

namespace {

using nlohmann::ordered_json;

// By exponents, like an element by slots.
ordered_json encodePolynomial(const Polynomial &polynomial) {
  SparseVector terms;
  for (size_t exponent = 0; exponent < polynomial.size(); ++exponent)
    if (!polynomial[exponent].isZero())
      terms.emplace_back(static_cast<int64_t>(exponent), polynomial[exponent]);
  return encodeElement(terms);
}

// The generators of a tower are polynomials in the generator of the centre. The certificate's table has the
// constants times a common denominator D, and its elements are integral: for an element w, t w stands there,
// which multiplies as t D w.
std::optional<ordered_json> rationalField(const Table &table, const SimpleComponent &component) {
  SmallGenerator small = smallGenerator(component.center_polynomial);
  Rational inverse = Rational(1) / small.scale;
  SparseVector generator = combine(table.field(), inverse, component.center_generator,
                                   -(small.shift * inverse), component.idempotent);
  std::optional<std::vector<Polynomial>> tower = fieldTower(small.polynomial);
  if (!tower)
    return std::nullopt;
  SparseProduct product(table);
  std::vector<SparseVector> elements;
  for (Polynomial &element : *tower) {
    SparseVector value; // by Horner's scheme
    for (size_t s = element.size(); s-- > 0;)
      value = combine(table.field(), Rational(1), product.multiply(value, generator), element[s],
                      component.idempotent);
    Rational multiple = commonDenominator(std::span(&value, 1));
    elements.push_back(scaled(std::move(value), multiple));
    element = scale(table.field(), multiple * commonDenominator(table), element);
  }
  std::optional<std::vector<TowerStep>> steps = towerSteps(small.polynomial, *tower);
  if (!steps)
    return std::nullopt;
  ordered_json json = ordered_json::array();
  for (size_t step = 0; step < elements.size(); ++step)
    json.push_back({{"element", encodeElement(scaled(std::move(elements[step]), (*steps)[step].factor))},
                    {"polynomial", encodePolynomial((*steps)[step].polynomial)},
                    {"irreducible", std::move((*steps)[step].primes)}});
  return json;
}

} // namespace

std::optional<ComponentProof> proveComponent(const Table &table, const SimpleComponent &component,
                                             const std::vector<int64_t> &slots) {
  const Field &field = table.field();
  ComponentProof result;
  result.claimed.dimension = component.dimension;
  result.claimed.center = static_cast<int64_t>(component.center_polynomial.size()) - 1;
  int64_t quotient = component.dimension / result.claimed.center;
  int64_t degree = 1;
  while (degree * degree < quotient)
    ++degree;

  result.json = ordered_json::object();
  if (result.claimed.center > 1 && field.isRationals()) {
    std::optional<ordered_json> center = rationalField(table, component);
    if (!center)
      return std::nullopt;
    result.json["center"] = std::move(*center);
  } else if (result.claimed.center > 1) {
    result.json["center"].push_back({{"element", encodeElement(component.center_generator)},
                                     {"polynomial", encodePolynomial(component.center_polynomial)}});
  }
  if (!field.isRationals() || degree == 1) {
    result.claimed.degree = degree;
    return result;
  }
  result.claimed.degree = 0;
  if (!component.matrix_degree || (*component.matrix_degree > 1 && component.matrix_units.empty()))
    return result;
  int64_t d = *component.matrix_degree;
  if (d < degree) {
    std::optional<ordered_json> places = divisionPlaces(table, slots, component, degree, degree / d);
    if (!places)
      return result;
    result.json["division"] = std::move(*places);
  }
  result.claimed.degree = d;
  SparseVector nilpotent;
  for (int64_t a = 0; a + 1 < d; ++a)
    nilpotent = combine(field, Rational(1), nilpotent, Rational(1), component.matrix_units[a * d + a + 1]);
  if (d > 1)
    result.json["nilpotent"] = encodeMultiple(field, nilpotent);
  return result;
}

} // namespace algebras
