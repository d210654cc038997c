#include "algebras/facts_json.h"

#include "algebras/linear/polynomial.h"

#include <nlohmann/json.hpp>

namespace algebras {

namespace {

using nlohmann::ordered_json;

template <typename Value> ordered_json orNull(const std::optional<Value> &value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json orNull(const std::string &value) {
  return value.empty() ? ordered_json(nullptr) : ordered_json(value);
}

ordered_json identityJson(const std::optional<SparseVector> &identity) {
  if (!identity)
    return nullptr;
  ordered_json result = ordered_json::array();
  for (const auto &[slot, coefficient] : *identity)
    result.push_back(ordered_json::array({slot, coefficient.toString()}));
  return result;
}

ordered_json componentsJson(const Facts &facts) {
  if (facts.component_kinds.empty())
    return nullptr;
  ordered_json result = ordered_json::array();
  for (const auto &[kind, count] : facts.component_kinds) {
    ordered_json one;
    one["dimension"] = kind.dimension;
    one["count"] = count;
    one["center_dimension"] = kind.centerDimension();
    one["center_polynomial"] =
        kind.center_polynomial.empty() ? std::string("x - 1") : toString(kind.center_polynomial);
    one["matrix_degree"] = orNull(kind.matrix_degree);
    one["division_dimension"] = orNull(kind.divisionDimension());
    one["division_reason"] = orNull(kind.division_reason);
    result.push_back(std::move(one));
  }
  return result;
}

ordered_json proofsJson(const Facts &facts) {
  ordered_json result = ordered_json::object();
  for (const auto &[key, step] : facts.proofs)
    result[key] = step;
  return result;
}

} // namespace

ordered_json toOrderedJson(const Facts &facts) {
  ordered_json result;
  result["name"] = facts.name;
  result["field"] = facts.field.name();
  result["dimension"] = facts.dimension;
  result["nonzeros"] = facts.nonzeros;
  result["associative"] = orNull(facts.associative);
  result["unital"] = orNull(facts.unital);
  result["commutative"] = orNull(facts.commutative);
  if (facts.witness)
    result["witness"] = {facts.witness->i, facts.witness->j, facts.witness->k, facts.witness->l};
  result["identity"] = identityJson(facts.identity);
  result["left_identity"] = identityJson(facts.left_identity);
  result["right_identity"] = identityJson(facts.right_identity);
  result["center_dimension"] = orNull(facts.center_dimension);
  result["radical_dimension"] = orNull(facts.radical_dimension);
  result["radical_series"] = orNull(facts.radical_series);
  result["simple_components"] = orNull(facts.simple_components);
  result["components"] = componentsJson(facts);
  result["maximal_ideals"] = orNull(facts.maximal_ideals);
  result["alder_strassen"] = orNull(facts.alder_strassen);
  result["rank_lower"] = orNull(facts.rank_lower);
  result["rank_lower_rule"] = orNull(facts.rank_lower_rule);
  result["rank_upper"] = orNull(facts.rank_upper);
  result["rank_upper_rule"] = orNull(facts.rank_upper_rule);
  result["rank_exact"] = facts.rank_exact;
  result["active_products"] = facts.active_products;
  result["types"] = orNull(facts.types);
  result["groups"] = orNull(facts.groups);
  result["dense_products"] = orNull(facts.dense_products);
  result["fraction"] = facts.fraction ? ordered_json(facts.fraction->toDouble()) : ordered_json(nullptr);
  result["proofs"] = proofsJson(facts);
  return result;
}

nlohmann::json toJson(const Facts &facts) { return toOrderedJson(facts); }

} // namespace algebras
