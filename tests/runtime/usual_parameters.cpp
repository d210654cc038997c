#include "tests/runtime/usual_parameters.h"

#include "runtime/bundle/json_fields.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/program.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <optional>

namespace algrt::test {

KernelParameters usualParameters(const GpuKernel &kernel, const Layer &layer) {
  const ProductParameters wanted = productParameters(kernel, layer);
  KernelParameters list;
  for (const KernelParameter &parameter : wanted.required)
    if (parameter.isMap())
      list.map(parameter.type, parameter.operand, parameter.view);
  list.add(ParameterValue::Rows).add(ParameterValue::Offset).add(ParameterValue::Terms);
  for (const KernelParameter &parameter : wanted.required)
    if (!parameter.isMap() && parameter.value != ParameterValue::Rows &&
        parameter.value != ParameterValue::Terms)
      list.add(parameter.value, parameter.operand);
  return list;
}

KernelParameters rowListParameters() {
  KernelParameters list;
  for (const ParameterValue value :
       {ParameterValue::RowList, ParameterValue::RowSource, ParameterValue::FirstPositions,
        ParameterValue::TypeWidth, ParameterValue::Rows, ParameterValue::Types, ParameterValue::RowSourceForm,
        ParameterValue::Sequences, ParameterValue::Offset})
    list.add(value);
  return list;
}

namespace {

KernelParameters parametersOf(const nlohmann::ordered_json &entry, const nlohmann::ordered_json &layer) {
  const std::string map = entry.value("map", "");
  if (map == group_rows_map)
    return rowListParameters();
  GpuKernel kernel{};
  kernel.map = mapNamed(map).value();
  kernel.copies = entry.value("copies", "engine") == "threads" ? GpuCopies::Threads : GpuCopies::Engine;
  kernel.listed = entry.value("rows", "") == "listed";
  kernel.joins_runs = entry.value("rows", "") == "joined_runs";
  kernel.slices = entry.value("slices", 0);
  kernel.terms = entry.value("terms", false);
  const nlohmann::json document = layer;
  return usualParameters(kernel, parseLayer(JsonFields(document, "layer")));
}

} // namespace

nlohmann::ordered_json withParameters(nlohmann::ordered_json manifest) {
  for (nlohmann::ordered_json &entry : manifest["kernels"]) {
    if (!entry.contains("target") || !entry["target"].is_string() || entry.contains("parameters") ||
        !isGpuTarget(entry["target"].get<std::string>()))
      continue;
    try {
      entry["parameters"] = parametersOf(entry, manifest["layer"]).json();
    } catch (const nlohmann::json::exception &) { // of a manifest that a test has spoiled
    } catch (const std::bad_optional_access &) {
    } catch (const Error &) {
    }
  }
  return manifest;
}

nlohmann::ordered_json withPrograms(nlohmann::ordered_json manifest) {
  if (manifest.contains("programs"))
    return manifest;
  manifest["programs"] = nlohmann::ordered_json::array();
  if (!manifest.contains("layer") || !manifest.contains("kernels"))
    return manifest;
  try {
    const nlohmann::json document = manifest["layer"];
    const Layer layer = parseLayer(JsonFields(document, "layer"));
    const NamedLayer own = {"", &layer};
    for (nlohmann::ordered_json &entry : manifest["kernels"])
      if (const auto map = mapNamed(entry.value("map", ""));
          map && entry.value("target", "") == "cpu" && !entry.contains("operands"))
        entry["operands"] = cpuOperands(*map, layer);
    for (const Map map : {Map::Forward, Map::Dx, Map::Dw}) {
      std::vector<OperandType> results;
      for (const nlohmann::ordered_json &entry : manifest["kernels"]) {
        const OperandType type = entry.value("output", name(layer.dtype)) == std::string("f32")
                                     ? OperandType::F32
                                     : operandType(layer.dtype);
        if (entry.value("map", "") == name(map) && std::ranges::find(results, type) == results.end())
          results.push_back(type);
      }
      if (!results.empty())
        manifest["programs"].push_back(programJson(projectionProgram(layer, map, results), {{&own, 1}}));
    }
  } catch (const nlohmann::json::exception &) { // of a manifest that a test has spoiled
  } catch (const Error &) {
  }
  return manifest;
}

} // namespace algrt::test
