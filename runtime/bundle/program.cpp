#include "runtime/bundle/program.h"

#include "runtime/bundle/fusion.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

namespace algrt {

namespace {

constexpr const char *roles[] = {"input", "weight", "output"};
constexpr const char *operand_types[] = {"f32", "bf16", "i32", "i64"};

bool isLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

// A number of digits at the beginning of the text, which is taken off.
std::optional<int64_t> takeNumber(std::string_view &text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() || !isDigit(text.front()))
    return std::nullopt;
  text.remove_prefix(size_t(end - text.data()));
  return number;
}

bool take(std::string_view &text, std::string_view wanted) {
  if (!text.starts_with(wanted))
    return false;
  text.remove_prefix(wanted.size());
  return true;
}

Shape shapeOf(FusedOperand::Per per, const Extent &rows, const Extent &width) {
  switch (per) {
  case FusedOperand::Per::Column:
    return {width};
  case FusedOperand::Per::Row:
    return {rows};
  case FusedOperand::Per::Element:
    return {rows, width};
  case FusedOperand::Per::Call:
    break;
  }
  return {Extent::number(1)};
}

// What says the types of a layer's rows.
void addRowOperands(const Layer &layer, std::vector<ProgramOperand> &operands) {
  const std::vector<OperandType> numbers = {OperandType::I32, OperandType::I64};
  const auto add = [&](const char *name, const std::vector<OperandType> &types, const Extent &extent,
                       bool optional) {
    operands.push_back({name, OperandRole::Input, optional, types, {extent}});
  };
  if (layer.lift == Lift::Rows && layer.row_types == RowTypesKind::ExplicitTypes) {
    add("types", {OperandType::I32}, Extent::of("M"), /*optional=*/false);
    return;
  }
  add("positions", numbers, Extent::of("M"), /*optional=*/true);
  add("sequence_starts", numbers, Extent::of("S", 1), /*optional=*/true);
  add("sequence_positions", numbers, Extent::of("S"), /*optional=*/true);
}

} // namespace

const char *name(OperandRole role) { return roles[size_t(role)]; }
const char *name(OperandType type) { return operand_types[size_t(type)]; }

OperandType operandType(ElementType type) {
  return type == ElementType::F32 ? OperandType::F32 : OperandType::Bf16;
}

std::optional<Extent> Extent::parse(std::string_view text) {
  Extent extent;
  extent.factor = 1;
  if (const std::optional<int64_t> factor = takeNumber(text)) {
    if (!take(text, "*"))
      return std::nullopt;
    extent.factor = *factor;
  }
  size_t length = 0;
  while (length < text.size() && (isLetter(text[length]) || (length > 0 && isDigit(text[length]))))
    ++length;
  extent.symbol = text.substr(0, length);
  text.remove_prefix(length);
  if (extent.symbol.empty() || extent.factor == 0)
    return std::nullopt;
  if (take(text, " + ")) {
    const std::optional<int64_t> constant = takeNumber(text);
    if (!constant)
      return std::nullopt;
    extent.constant = *constant;
  }
  return text.empty() ? std::optional(extent) : std::nullopt;
}

std::string Extent::text() const {
  if (symbol.empty())
    return std::to_string(constant);
  return (factor == 1 ? "" : std::to_string(factor) + "*") + symbol +
         (constant == 0 ? "" : " + " + std::to_string(constant));
}

int64_t Extent::lengthFor(int64_t m) const {
  return checkedAdd(checkedMultiply(factor, m, "an extent"), constant, "an extent");
}

std::string text(const Shape &shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i == 0 ? "" : ", ") + shape[i].text();
  return result + "]";
}

const ProgramOperand *Program::findOperand(std::string_view wanted) const {
  const auto found =
      std::ranges::find(operands, wanted, [](const auto &one) { return std::string_view(one.name); });
  return found == operands.end() ? nullptr : &*found;
}

const ProgramBuffer *Program::findBuffer(std::string_view wanted) const {
  const auto found =
      std::ranges::find(buffers, wanted, [](const auto &one) { return std::string_view(one.name); });
  return found == buffers.end() ? nullptr : &*found;
}

bool mayBeginEarly(const Program &program, size_t number, int64_t m) {
  if (number == 0)
    return false;
  const ProgramStep &before = program.steps[number - 1], &step = program.steps[number];
  if (before.elementwise || step.elementwise || before.rows.value_or(m) == 0)
    return false;
  const auto is_made = [&](const auto &operand) {
    return operand.first.starts_with(operandNames(step.map).w) &&
           program.findBuffer(operand.second) != nullptr;
  };
  return step.map == Map::Dw || std::ranges::none_of(step.operands, is_made);
}

std::string whyNoExperts(const Program &program, bool on_device) {
  const Extent rows = Extent::of("M");
  const auto has_rows_first = [&](const Shape &shape) {
    return shape[0] == rows &&
           std::all_of(shape.begin() + 1, shape.end(), [](const Extent &one) { return one.symbol.empty(); });
  };
  const auto reason = [&](const std::string &name, const Shape &shape) {
    return name + " of shape " + text(shape) + " is not one row after another";
  };
  for (const ProgramOperand &operand : program.operands) {
    const bool varies =
        std::ranges::any_of(operand.shape, [](const Extent &one) { return !one.symbol.empty(); });
    if (operand.role == OperandRole::Output ? !has_rows_first(operand.shape)
                                            : varies && !operand.optional && !has_rows_first(operand.shape))
      return reason(operand.name, operand.shape);
  }
  if (!on_device)
    return "";
  for (const ProgramBuffer &buffer : program.buffers)
    if (!has_rows_first(buffer.shape))
      return reason(buffer.name, buffer.shape);
  for (const ProgramStep &step : program.steps) {
    if (step.rows)
      return "a step multiplies weight matrices, and not rows: compile with --experts, or --fuse nothing";
    if (!step.elementwise && step.map != Map::Forward)
      return "kernels of " + std::string(name(step.map)) + " on a CUDA device are of one network";
    for (const auto &[operand, own] : step.operands)
      if (const ProgramOperand *read = program.findOperand(own);
          step.elementwise && read != nullptr && read->role == OperandRole::Weight)
        return own + " is a weight of each expert, which kernels of element-wise functions on a CUDA device "
                     "do not tell apart";
  }
  return "";
}

Program withExperts(Program program, int64_t experts) {
  for (ProgramOperand &operand : program.operands)
    if (operand.role == OperandRole::Weight)
      operand.shape.insert(operand.shape.begin(), Extent::number(experts));
  return program;
}

static bool isInput(const Program &program, const std::string &own) {
  const ProgramOperand *operand = program.findOperand(own);
  return operand != nullptr && operand->role == OperandRole::Input;
}

std::string unlistedOperand(const Program &program, const ProgramStep &step) {
  for (const auto &[operand, own] : step.operands) {
    const bool found_by_list =
        !step.elementwise && (operand == operandNames(step.map).x || operand == "positions");
    if (!found_by_list && isInput(program, own) && program.findOperand(own)->shape[0].symbol == "M")
      return own;
  }
  return "";
}

bool readsBatch(const Program &program, const ProgramStep &step) {
  return !step.elementwise && isInput(program, step.operands.at(operandNames(step.map).x));
}

Program withListedRows(Program program) {
  for (ProgramOperand &operand : program.operands)
    if (operand.role == OperandRole::Output && operand.shape[0].symbol == "M")
      operand.shape[0].symbol = "R";
  return program;
}

std::vector<ProgramOperand> operandsOf(const Layer &layer, Map map, const std::vector<OperandType> &results) {
  const OperandNames names = operandNames(map);
  const std::vector<OperandType> own = {operandType(layer.dtype)};
  const Extent rows = Extent::of("M"), k = Extent::number(layer.k), n = Extent::number(layer.n);
  const int64_t slots = int64_t(layer.weight_rows.size());
  const Shape weight_shape = layer.lift == Lift::Rows
                                 ? Shape{k, n}
                                 : Shape{Extent::number(slots), Extent::number(layer.k / slots),
                                         Extent::number(layer.weightColumns())};
  const Extent width = map == Map::Dx ? k : n; // of results whose rows are of the batch
  std::vector<ProgramOperand> operands;
  const auto add = [&](std::string name, OperandRole role, const std::vector<OperandType> &types, Shape shape,
                       bool optional = false) {
    operands.push_back({std::move(name), role, optional, types, std::move(shape)});
  };
  add(names.x, OperandRole::Input, own, {rows, map == Map::Dx ? n : k});
  if (layer.fusion) {
    const Fusion &fusion = *layer.fusion;
    for (int64_t i = 0; i < fusion.weights; ++i)
      add(numberedName(names.w, i), OperandRole::Weight, own, weight_shape);
    const Extent output = fusion.next ? Extent::number(fusion.next->n()) : width;
    for (int64_t i = fusion.weights; i < fusion.allWeights(); ++i)
      add(numberedName(names.w, i), OperandRole::Weight, own, {n, output});
    for (const FusedOperand &operand : fusion.operands) {
      add(operand.name, OperandRole::Input, {operandType(operand.type)},
          shapeOf(operand.per, rows, operand.layer == 0 ? width : output));
      operands.back().host = operand.per == FusedOperand::Per::Call;
    }
    for (size_t i = 0; i < fusion.results.size(); ++i)
      add(numberedName(names.y, int64_t(i)), OperandRole::Output, {operandType(fusion.results[i])},
          {rows, output});
    addRowOperands(layer, operands);
    return operands;
  }
  if (map == Map::Dw)
    add(names.w, OperandRole::Input, own, {rows, n});
  else
    add(names.w, OperandRole::Weight, own, weight_shape);
  if (map == Map::Forward && layer.bias)
    add("bias", OperandRole::Weight, own, {n});
  if (map == Map::Dw)
    add(names.y, OperandRole::Output, results, weight_shape);
  else
    add(names.y, OperandRole::Output, results, {rows, width});
  if (map == Map::Dw && layer.bias)
    add("dbias", OperandRole::Output, {OperandType::F32, operandType(layer.dtype)}, {n}, /*optional=*/true);
  addRowOperands(layer, operands);
  // A type is there once, also where results are of the layer's.
  for (ProgramOperand &operand : operands)
    if (operand.types.size() == 2 && operand.types[0] == operand.types[1])
      operand.types.pop_back();
  return operands;
}

Program projectionProgram(const Layer &layer, Map map, const std::vector<OperandType> &results) {
  Program program;
  program.name = name(map);
  program.operands = operandsOf(layer, map, results);
  ProgramStep &step = program.steps.emplace_back();
  step.map = map;
  for (const ProgramOperand &operand : program.operands)
    step.operands[operand.name] = operand.name;
  return program;
}

nlohmann::ordered_json programJson(const Program &program, const StepFunctions &functions) {
  using Json = nlohmann::ordered_json;
  Json operands = Json::array(), steps = Json::array();
  for (const ProgramOperand &operand : program.operands) {
    Json &entry = operands.emplace_back();
    entry["name"] = operand.name;
    entry["role"] = name(operand.role);
    if (operand.optional)
      entry["optional"] = true;
    for (const OperandType type : operand.types)
      entry["types"].push_back(name(type));
    entry["shape"] = shapeJson(operand.shape);
  }
  for (const ProgramStep &step : program.steps) {
    Json &entry = steps.emplace_back();
    if (step.elementwise) {
      entry["elementwise"] = functions.elementwise[*step.elementwise].name;
    } else {
      if (const std::string &named = functions.projections[step.projection].name; !named.empty())
        entry["projection"] = named;
      entry["map"] = name(step.map);
      if (step.rows)
        entry["rows"] = *step.rows;
    }
    entry["operands"] = step.operands;
  }
  Json json = {{"name", program.name}, {"operands", operands}};
  for (const ProgramBuffer &buffer : program.buffers)
    json["buffers"].push_back(
        {{"name", buffer.name}, {"type", name(buffer.type)}, {"shape", shapeJson(buffer.shape)}});
  json["steps"] = steps;
  return json;
}

} // namespace algrt
