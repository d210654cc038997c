#include "compiler/bundle/layer_description.h"

#include "runtime/bundle/json_fields.h"

namespace compiler {

nlohmann::ordered_json layerJson(const algebras::Layer &layer) {
  using algebras::RowTypes;
  nlohmann::ordered_json row_types;
  switch (layer.row_types.kind()) {
  case RowTypes::Kind::Cyclic:
    row_types = {{"kind", "cyclic"}, {"width", 1}};
    break;
  case RowTypes::Kind::Interval:
    row_types = {{"kind", "interval"}, {"width", layer.row_types.width()}};
    break;
  case RowTypes::Kind::Explicit:
    row_types = {{"kind", "explicit"}};
    break;
  }
  const bool rows_lift = layer.lift.kind() == algebras::Lift::Kind::Rows;
  nlohmann::ordered_json json;
  json["kind"] = "projection";
  json["lift"] = rows_lift ? "rows" : "slots";
  json["dtype"] = toString(layer.dtype);
  json["k"] = layer.in.total();
  json["n"] = layer.out.total();
  json["types"] = layer.lift.types();
  json["row_types"] = row_types;
  json["in_groups"] = layer.in.widths();
  json["out_groups"] = layer.out.widths();
  json["bank_rows"] = layer.in.widths();
  if (layer.bias)
    json["bias"] = true;
  return json;
}

std::string encodeSupport(const algebras::Lift &lift) {
  std::vector<std::vector<algrt::Term>> slots;
  for (std::int64_t type = 0; type < lift.types(); ++type)
    for (std::int64_t group = 0; group < lift.outputGroups(); ++group) {
      std::vector<algrt::Term> &terms = slots.emplace_back();
      for (const algebras::BlockTerm &term : lift.terms(type, group))
        terms.push_back({static_cast<std::int32_t>(term.input_group),
                         static_cast<std::int32_t>(term.bank_row), term.coefficient.toDouble()});
    }
  return algrt::encodeTerms(lift.types(), lift.outputGroups(), slots);
}

algrt::Layer runtimeLayer(const algebras::Layer &layer) {
  const nlohmann::json json = layerJson(layer);
  return algrt::parseLayer(algrt::JsonFields(json, "layer"));
}

algrt::Support runtimeSupport(const algebras::Layer &layer) {
  if (layer.lift.completeGraph())
    return algrt::Support::complete(layer.lift.types());
  return algrt::Support::parseTable(encodeSupport(layer.lift), runtimeLayer(layer));
}

} // namespace compiler
