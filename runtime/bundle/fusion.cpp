#include "runtime/bundle/fusion.h"

#include "runtime/bundle/json_fields.h"
#include "runtime/kernel_record.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

namespace algrt {

namespace {

using enum FusedOperand::Per;

ElementType parseType(const JsonFields &fields, const char *key, const std::string &text) {
  for (const ElementType type : {ElementType::F32, ElementType::Bf16})
    if (text == name(type))
      return type;
  fields.fail(key, "has '" + text + "', not f32 or bf16");
}

FusedOperand::Per parsePer(const JsonFields &fields) {
  const std::string wanted = fields.string("per");
  for (const FusedOperand::Per per : {Column, Row, Element, Call})
    if (wanted == name(per))
      return per;
  fields.fail("per", "is '" + wanted + "', not column, row, element or call");
}

FusedOperand parseOperand(const JsonFields &fields, bool has_next, std::set<std::string> &names) {
  FusedOperand operand{fields.uniqueName(names), parsePer(fields),
                       parseType(fields, "type", fields.string("type"))};
  if (isReservedName(operand.name))
    fields.fail("name", "is '" + operand.name + "', which kernels call something else");
  if (operand.per == Call && operand.type != ElementType::F32)
    fields.fail("type", std::string("is ") + name(operand.type) + ": a number for the call is f32");
  if (fields.has("layer"))
    operand.layer = fields.integer("layer", 0, has_next ? 1 : 0);
  return operand;
}

// Both layers together have no more weight matrices than one alone may have.
NextLayer parseNext(const JsonFields &fields, int64_t weights_of_first) {
  if (weights_of_first == most_fused)
    fields.fail("weights", "has no room: the first layer has all " + std::to_string(most_fused));
  NextLayer next{fields.integers("out_groups", 1),
                 fields.integer("weights", 1, most_fused - weights_of_first)};
  if (next.out_groups.empty())
    fields.fail("out_groups", "is empty");
  int64_t total = 0;
  for (const int64_t width : next.out_groups)
    if (__builtin_add_overflow(total, width, &total))
      fields.fail("out_groups", "add up to more than 64 bits hold");
  return next;
}

uint64_t hashed(uint64_t hash, std::string_view text) {
  hash = algrt_record_hash(hash, text.size());
  for (const char c : text)
    hash = algrt_record_hash(hash, uint8_t(c));
  return hash;
}

} // namespace

bool isReservedName(std::string_view name) {
  constexpr std::array<std::string_view, 9> alone = {
      "x",           "dy",    "types", "positions", "sequence_starts", "sequence_positions", "expert_starts",
      "expert_rows", "x_rows"};
  if (std::ranges::find(alone, name) != alone.end())
    return true;
  // With or without a number.
  return std::ranges::any_of(std::array<std::string_view, 3>{"w", "y", "dx"}, [&](std::string_view first) {
    return name.starts_with(first) &&
           std::ranges::all_of(name.substr(first.size()), [](char c) { return c >= '0' && c <= '9'; });
  });
}

Fusion parseFusion(const JsonFields &fields) {
  Fusion fusion;
  fusion.weights = fields.integer("weights", 1, most_fused);
  if (fields.has("next"))
    fusion.next = parseNext(fields.object("next"), fusion.weights);
  const auto require_few = [&](const char *key, size_t count) {
    if (count > size_t(most_fused))
      fields.fail(key, "are " + std::to_string(count) + ", more than the " + std::to_string(most_fused) +
                           " that this runtime reads");
  };
  const std::vector<JsonFields> operands = fields.objects("operands");
  require_few("operands", operands.size());
  std::set<std::string> names;
  for (const JsonFields &entry : operands)
    fusion.operands.push_back(parseOperand(entry, fusion.next.has_value(), names));
  const std::vector<std::string> results = fields.strings("results");
  require_few("results", results.size());
  for (const std::string &type : results)
    fusion.results.push_back(parseType(fields, "results", type));
  if (fusion.results.empty())
    fields.fail("results", "is empty: a kernel writes something");
  return fusion;
}

nlohmann::ordered_json fusionJson(const Fusion &fusion) {
  nlohmann::ordered_json operands = nlohmann::ordered_json::array(),
                         results = nlohmann::ordered_json::array();
  for (const FusedOperand &operand : fusion.operands) {
    operands.push_back({{"name", operand.name}, {"per", name(operand.per)}, {"type", name(operand.type)}});
    if (operand.layer > 0)
      operands.back()["layer"] = operand.layer;
  }
  for (const ElementType type : fusion.results)
    results.push_back(name(type));
  nlohmann::ordered_json json = {{"weights", fusion.weights}, {"operands", operands}, {"results", results}};
  if (fusion.next)
    json["next"] = {{"out_groups", fusion.next->out_groups}, {"weights", fusion.next->weights}};
  return json;
}

uint64_t hashOfFusion(const Fusion &fusion) {
  uint64_t hash = algrt_record_hash(algrt_record_hash_begin, uint64_t(fusion.weights));
  hash = algrt_record_hash(hash, fusion.operands.size());
  for (const FusedOperand &operand : fusion.operands)
    for (const std::string_view text : {std::string_view(operand.name), std::string_view(name(operand.per)),
                                        std::string_view(name(operand.type))})
      hash = hashed(hash, text);
  hash = algrt_record_hash(hash, fusion.results.size());
  for (const ElementType type : fusion.results)
    hash = hashed(hash, name(type));
  if (!fusion.next)
    return hash;
  for (const FusedOperand &operand : fusion.operands)
    hash = algrt_record_hash(hash, uint64_t(operand.layer));
  hash = algrt_record_hash(hash, uint64_t(fusion.next->weights));
  for (const int64_t width : fusion.next->out_groups)
    hash = algrt_record_hash(hash, uint64_t(width));
  return hash;
}

Fusion fusionOf(const Layer &layer, Map map) {
  if (layer.fusion)
    return *layer.fusion;
  Fusion plain{1, {}, {layer.dtype}};
  if (map == Map::Forward && layer.bias)
    plain.operands.push_back({"bias", Column, layer.dtype});
  return plain;
}

std::vector<std::string> productOperands(const Layer &layer, Map map) {
  const OperandNames names = operandNames(map);
  const Fusion fusion = fusionOf(layer, map);
  std::vector<std::string> list = {names.x};
  for (int64_t i = 0; i < fusion.allWeights(); ++i)
    list.push_back(numberedName(names.w, i));
  for (const FusedOperand &operand : fusion.operands)
    list.push_back(operand.name);
  for (size_t i = 0; i < fusion.results.size(); ++i)
    list.push_back(numberedName(names.y, int64_t(i)));
  return list;
}

} // namespace algrt
