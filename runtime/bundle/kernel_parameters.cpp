#include "runtime/bundle/kernel_parameters.h"

#include "runtime/bundle/json_fields.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace algrt {

namespace {

struct TypeText {
  const char *name;
  int64_t bytes, alignment;
};
constexpr TypeText types[] = {{"tensor_map", algrt_tensor_map_bytes, algrt_tensor_map_alignment},
                              {"plain_map", algrt_plain_map_bytes, alignof(algrt_plain_map)},
                              {"address", 8, 8},
                              {"i32", 4, 4},
                              {"i64", 8, 8},
                              {"f32", 4, 4}};

// In the order of ParameterValue. The type of a map is the one or the other.
struct ValueText {
  const char *name;
  ParameterType type;
  bool of_operand = false;
};
constexpr ValueText values[] = {{"map", ParameterType::PlainMap, true},
                                {"operand", ParameterType::Address, true},
                                {"element_bytes", ParameterType::I32, true},
                                {"number", ParameterType::F32, true},
                                {"rows", ParameterType::I32},
                                {"offset", ParameterType::I32},
                                {"terms", ParameterType::Address},
                                {"beta", ParameterType::F32},
                                {"experts", ParameterType::I32},
                                {"batch_rows", ParameterType::I32},
                                {"row_list", ParameterType::Address},
                                {"row_source", ParameterType::Address},
                                {"first_positions", ParameterType::Address},
                                {"type_width", ParameterType::I64},
                                {"types", ParameterType::I32},
                                {"row_source_form", ParameterType::I32},
                                {"sequences", ParameterType::I32},
                                {"row_list_of_x", ParameterType::Address},
                                {"columns", ParameterType::I32},
                                {"operand_stride", ParameterType::I64, true}};
static_assert(std::size(values) == size_t(ParameterValue::OperandStride) + 1);

constexpr const char *views[] = {"bank",     "longer_lines",  "shorter_lines",  "first_run",   "whole_runs",
                                 "last_run", "longer_joined", "shorter_joined", "listed_rows", "all_rows"};
static_assert(std::size(views) == size_t(ViewKind::AllRows) + 1);

const ValueText &textOf(ParameterValue value) { return values[size_t(value)]; }

// The one of that name; throws naming the field where there is none.
template <typename Enumeration, typename Texts, typename NameOf>
Enumeration named(const JsonFields &fields, const char *key, const Texts &texts, NameOf name_of) {
  const std::string wanted = fields.string(key);
  for (size_t i = 0; i < std::size(texts); ++i)
    if (wanted == name_of(texts[i]))
      return Enumeration(i);
  fields.fail(key, "is '" + wanted + "', which this runtime does not know");
}

int64_t alignUp(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

uint64_t hashed(uint64_t hash, std::string_view text) {
  hash = algrt_record_hash(hash, text.size());
  for (const char c : text)
    hash = algrt_record_hash(hash, uint8_t(c));
  return hash;
}

KernelParameter parseParameter(const JsonFields &fields) {
  KernelParameter parameter{};
  parameter.value =
      named<ParameterValue>(fields, "value", values, [](const ValueText &text) { return text.name; });
  parameter.type =
      named<ParameterType>(fields, "type", types, [](const TypeText &text) { return text.name; });
  const std::string what = name(parameter.value);
  const bool is_map_type =
      parameter.type == ParameterType::TensorMap || parameter.type == ParameterType::PlainMap;
  if (parameter.isMap() ? !is_map_type : parameter.type != textOf(parameter.value).type)
    fields.fail("type",
                std::string("is ") + name(parameter.type) + ", but the value " + what + " is " +
                    (parameter.isMap() ? "tensor_map or plain_map" : name(textOf(parameter.value).type)));
  if (textOf(parameter.value).of_operand != fields.has("operand"))
    fields.fail("operand", fields.has("operand") ? "is given, but the value " + what + " is of no operand"
                                                 : "is missing: the value " + what + " is of one");
  if (fields.has("operand"))
    parameter.operand = fields.string("operand");
  if (parameter.isMap() != fields.has("view"))
    fields.fail("view", fields.has("view") ? "is given, but the value " + what + " has none"
                                           : "is missing: a map shows one");
  if (parameter.isMap())
    parameter.view = named<ViewKind>(fields, "view", views, [](const char *text) { return text; });
  parameter.offset = fields.integer("offset", 0, most_parameter_bytes);
  const int64_t bytes = fields.integer("bytes", 0, most_parameter_bytes);
  if (bytes != parameterBytes(parameter.type))
    fields.fail("bytes", "is " + std::to_string(bytes) + ", but " + name(parameter.type) + " takes " +
                             std::to_string(parameterBytes(parameter.type)));
  return parameter;
}

bool isSame(const KernelParameter &a, const KernelParameter &b) {
  // An operand may have a tensor map and a plain one of a view.
  return a.value == b.value && a.type == b.type && a.operand == b.operand && (!a.isMap() || a.view == b.view);
}

} // namespace

const char *name(ParameterType type) { return types[size_t(type)].name; }
const char *name(ParameterValue value) { return textOf(value).name; }
const char *name(ViewKind view) { return views[size_t(view)]; }
int64_t parameterBytes(ParameterType type) { return types[size_t(type)].bytes; }
int64_t parameterAlignment(ParameterType type) { return types[size_t(type)].alignment; }

void KernelParameters::append(KernelParameter parameter) {
  parameter.offset = alignUp(bytes(), parameterAlignment(parameter.type));
  parameters_.push_back(std::move(parameter));
}

KernelParameters &KernelParameters::map(ParameterType type, std::string operand, ViewKind view) {
  append({ParameterValue::Map, type, 0, std::move(operand), view});
  return *this;
}

KernelParameters &KernelParameters::add(ParameterValue value, std::string operand) {
  append({value, textOf(value).type, 0, std::move(operand)});
  return *this;
}

KernelParameters KernelParameters::parse(const JsonFields &fields, const char *key) {
  KernelParameters list;
  for (const JsonFields &entry : fields.objects(key)) {
    const KernelParameter parameter = parseParameter(entry);
    const int64_t before = list.bytes(), place = alignUp(before, parameterAlignment(parameter.type));
    const auto at = [](int64_t offset) { return std::to_string(offset); };
    if (parameter.offset < before)
      entry.fail("offset", "is " + at(parameter.offset) + ", inside the parameter before it, which ends at " +
                               at(before));
    if (parameter.offset != place)
      entry.fail("offset",
                 "is " + at(parameter.offset) + ", but the next parameter of its type lies at " + at(place));
    if (parameter.end() > most_parameter_bytes)
      entry.fail("offset", "is " + at(parameter.offset) + ": all parameters take at most " +
                               at(most_parameter_bytes) + " bytes");
    if (std::ranges::any_of(list, [&](const KernelParameter &other) { return isSame(other, parameter); }))
      entry.fail("value", std::string("is ") + name(parameter.value) +
                              (parameter.operand.empty() ? "" : " of " + parameter.operand) +
                              ", which is there twice");
    if (parameter.isMap() && !list.empty() && !list.parameters_.back().isMap())
      entry.fail("value", "is a map behind other parameters: the maps are one struct, and stand together in "
                          "front of them");
    list.parameters_.push_back(parameter);
  }
  if (list.empty())
    fields.fail(key, "is empty: every kernel takes something");
  return list;
}

nlohmann::ordered_json KernelParameters::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const KernelParameter &parameter : parameters_) {
    nlohmann::ordered_json &entry = list.emplace_back();
    entry["value"] = name(parameter.value);
    if (!parameter.operand.empty())
      entry["operand"] = parameter.operand;
    if (parameter.isMap())
      entry["view"] = name(parameter.view);
    entry["type"] = name(parameter.type);
    entry["offset"] = parameter.offset;
    entry["bytes"] = parameterBytes(parameter.type);
  }
  return list;
}

const KernelParameter *KernelParameters::find(ParameterValue value, std::string_view operand) const {
  const auto found = std::ranges::find_if(parameters_, [&](const KernelParameter &parameter) {
    return parameter.value == value && parameter.operand == operand;
  });
  return found == parameters_.end() ? nullptr : &*found;
}

uint64_t KernelParameters::hash() const {
  uint64_t hash = algrt_record_hash(algrt_record_hash_begin, parameters_.size());
  for (const KernelParameter &parameter : parameters_) {
    for (const std::string_view text :
         {std::string_view(name(parameter.value)), std::string_view(name(parameter.type)),
          std::string_view(parameter.operand),
          std::string_view(parameter.isMap() ? name(parameter.view) : "")})
      hash = hashed(hash, text);
    hash = algrt_record_hash(hash, uint64_t(parameter.offset));
  }
  return hash;
}

std::vector<ViewKind> rowViews(RowTypesKind row_types, RowAccess access) {
  if (access == RowAccess::AsTheyLie)
    return {ViewKind::AllRows};
  if (access == RowAccess::Listed || row_types == RowTypesKind::ExplicitTypes)
    return {ViewKind::ListedRows};
  if (access == RowAccess::JoinedRuns)
    return {ViewKind::FirstRun, ViewKind::LongerJoined, ViewKind::ShorterJoined, ViewKind::LastRun};
  if (row_types == RowTypesKind::Interval)
    return {ViewKind::FirstRun, ViewKind::WholeRuns, ViewKind::LastRun};
  return {ViewKind::LongerSegments, ViewKind::ShorterSegments};
}

} // namespace algrt
