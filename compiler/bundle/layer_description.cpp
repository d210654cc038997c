#include "compiler/bundle/layer_description.h"

#include "algebras/checked.h"
#include "algebras/position_names.h"
#include "algebras/term_levels.h"
#include "runtime/bundle/fusion.h"
#include "runtime/bundle/json_fields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <map>
#include <string>

namespace compiler {

nlohmann::ordered_json layerJson(const algebras::Layer &layer, const std::optional<algrt::Fusion> &fusion) {
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
  if (fusion)
    json["fused"] = algrt::fusionJson(*fusion);
  if (const auto groups = algebras::groupNames(layer.lift); !groups.empty())
    json["group_names"] = groups;
  if (const auto types = algebras::typeNames(layer.lift); !types.empty())
    json["type_names"] = types;
  return json;
}

static std::string encodeTable(const algebras::Lift &lift) {
  std::vector<std::vector<algrt::Term>> slots;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group) {
      std::vector<algrt::Term> &terms = slots.emplace_back();
      for (const algebras::BlockTerm &term : lift.terms(type, group))
        terms.push_back({static_cast<int32_t>(term.input_group), static_cast<int32_t>(term.weight_row),
                         term.coefficient.toDouble()});
    }
  return algrt::encodeTerms(lift.types(), lift.outputGroups(), slots);
}

static algrt::SupportKind kindOf(const algebras::Lift &lift) {
  using algebras::TermFormula;
  if (!lift.formula())
    return algrt::SupportKind::Table;
  switch (*lift.formula()) {
  case TermFormula::Complete:
    return algrt::SupportKind::Complete;
  case TermFormula::Triangular:
    return algrt::SupportKind::Triangular;
  case TermFormula::Diagonal:
    return algrt::SupportKind::Diagonal;
  case TermFormula::Full:
    return algrt::SupportKind::Full;
  }
  llvm_unreachable("all formulas are above");
}

/// The factors of a product, or the lift itself.
static std::vector<algebras::Lift> factorsOf(const algebras::Lift &lift) {
  return lift.formula() || lift.factors().empty() ? std::vector{lift} : lift.factors();
}

EncodedSupport encodeSupport(const algebras::Lift &lift) {
  const std::vector<algebras::Lift> factors = factorsOf(lift);
  EncodedSupport support;
  std::map<std::string, std::string> sections; // equal factors share one
  nlohmann::ordered_json list;
  for (const algebras::Lift &factor : factors) {
    const algrt::SupportKind kind = kindOf(factor);
    nlohmann::ordered_json &entry = list.emplace_back();
    entry["kind"] = algrt::name(kind);
    if (kind == algrt::SupportKind::Table) {
      std::string name = "terms";
      if (factors.size() > 1)
        name += "-" + std::to_string(sections.size());
      const auto [found, added] = sections.try_emplace(encodeTable(factor), name);
      if (added)
        support.sections.push_back({name, "terms", found->first});
      entry["section"] = found->second;
    } else if (factors.size() > 1) {
      entry["groups"] = factor.outputGroups();
    }
  }
  if (factors.size() > 1)
    support.json = {{"kind", "product"}, {"factors", list}};
  else
    support.json = list.front();
  return support;
}

int64_t supportEntries(const algebras::Lift &lift) {
  int64_t entries = 0;
  for (const algebras::Lift &factor : factorsOf(lift))
    entries =
        algebras::checkedAdd(entries, algebras::tableEntries(factor), "the size of the tables of terms");
  return entries;
}

algrt::Layer runtimeLayer(const algebras::Layer &layer, const std::optional<algrt::Fusion> &fusion) {
  const nlohmann::json json = layerJson(layer, fusion);
  return algrt::parseLayer(algrt::JsonFields(json, "layer"));
}

algrt::Support runtimeSupport(const algebras::Layer &layer) {
  const EncodedSupport support = encodeSupport(layer.lift);
  const algrt::Layer runtime_layer = runtimeLayer(layer);
  const nlohmann::json json = support.json;
  const auto content_of = [&](const std::string &name) -> std::string_view {
    return llvm::find_if(support.sections, [&](const auto &section) { return section.name == name; })->bytes;
  };
  return algrt::Support::parse(
      algrt::parseSupportDescription(algrt::JsonFields(json, "support"), runtime_layer), content_of,
      runtime_layer);
}

} // namespace compiler
