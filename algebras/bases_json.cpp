#include "algebras/bases_json.h"

#include "algebras/structure/decomposition.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/generators.h"
#include "algebras/structure/quotient.h"

#include <nlohmann/json.hpp>

namespace algebras {

namespace {

using nlohmann::ordered_json;

ordered_json vectorJson(const SparseVector &vector) {
  ordered_json result = ordered_json::array();
  for (const auto &[slot, coefficient] : vector)
    result.push_back(ordered_json::array({slot, coefficient.toString()}));
  return result;
}

ordered_json vectorsJson(const std::vector<SparseVector> &vectors) {
  ordered_json result = ordered_json::array();
  for (const SparseVector &vector : vectors)
    result.push_back(vectorJson(vector));
  return result;
}

ordered_json componentJson(const SimpleComponent &component) {
  ordered_json result;
  result["dimension"] = component.dimension;
  result["idempotent"] = vectorJson(component.idempotent);
  result["center_generator"] = vectorJson(component.center_generator);
  result["center_polynomial"] = ordered_json::array();
  for (const Rational &coefficient : component.center_polynomial)
    result["center_polynomial"].push_back(coefficient.toString());
  result["matrix_degree"] =
      component.matrix_degree ? ordered_json(*component.matrix_degree) : ordered_json(nullptr);
  result["matrix_units"] = vectorsJson(component.matrix_units);
  return result;
}

ordered_json centerJson(const Algebra &algebra, const Facts &facts) {
  if (algebra.dimension() > largest_dense || algebra.nonzeros() > Algebra::expansion_limit || !facts.identity)
    return nullptr;
  Table table = algebra.expand();
  ProductOperator product(table);
  return vectorsJson(center(product, generatingElements(table, *facts.identity)).sparseBasis());
}

} // namespace

ordered_json basesJson(const Algebra &algebra, const Facts &facts) {
  if (!facts.associative.value_or(false) || !facts.unital.value_or(false))
    return nullptr;
  std::optional<Decomposition> decomposition = facts.decomposition ? facts.decomposition : decompose(algebra);
  if (!decomposition)
    return nullptr;
  ordered_json result;
  result["center"] = centerJson(algebra, facts);
  result["radical"] = ordered_json::array();
  result["radical_powers"] = ordered_json::array();
  for (const std::vector<SparseVector> &power : decomposition->radical_powers)
    result["radical_powers"].push_back(vectorsJson(power));
  if (!decomposition->radical_powers.empty())
    result["radical"] = result["radical_powers"][0];
  result["components"] = ordered_json::array();
  for (const SimpleComponent &component : decomposition->components)
    result["components"].push_back(componentJson(component));
  std::optional<std::vector<SparseVector>> primitive = primitiveIdempotents(algebra, *decomposition);
  result["primitive_idempotents"] = primitive ? vectorsJson(*primitive) : ordered_json(nullptr);
  return result;
}

} // namespace algebras
