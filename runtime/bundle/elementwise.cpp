#include "runtime/bundle/elementwise.h"

#include "runtime/bundle/json_fields.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace algrt {

namespace {

// No kernel comes near: parameters of a GPU's kernel alone would not hold so many.
constexpr size_t most_operands = 64;

template <typename Enumeration>
Enumeration parseOneOf(const JsonFields &fields, const char *key, std::initializer_list<Enumeration> all) {
  const std::string wanted = fields.string(key);
  std::string known;
  for (const Enumeration one : all) {
    if (wanted == name(one))
      return one;
    known += (known.empty() ? "" : ", ") + std::string(name(one));
  }
  fields.fail(key, "is '" + wanted + "', not one of " + known);
}

// The rows of a matrix that has the first dimensions of a tensor together; nothing where they leave 64 bits,
// or are no numbers and more than one.
std::optional<Extent> joinedRows(std::span<const Extent> dimensions) {
  if (dimensions.size() == 1)
    return dimensions[0];
  int64_t rows = 1;
  for (const Extent &extent : dimensions)
    if (!extent.symbol.empty() || __builtin_mul_overflow(rows, extent.constant, &rows))
      return std::nullopt;
  return Extent::number(rows);
}

bool fits(const ElementwiseOperand &operand, const Elementwise &function) {
  using Per = FusedOperand::Per;
  switch (operand.per) {
  case Per::Element: {
    const Shape &shape = operand.shape;
    return shape.size() <= 3 && shape.back() == function.columns &&
           joinedRows(std::span(shape).first(shape.size() - 1)) == function.rows;
  }
  case Per::Row:
    return operand.shape == Shape{function.rows};
  case Per::Column:
    return operand.shape == Shape{function.columns};
  case Per::Call:
    return operand.shape == Shape{Extent::number(1)};
  }
  return false;
}

ElementwiseOperand parseOperand(const JsonFields &fields, const Elementwise &function,
                                std::set<std::string> &names) {
  using Per = FusedOperand::Per;
  ElementwiseOperand operand;
  operand.name = fields.uniqueName(names);
  operand.role = parseOneOf(fields, "role", {OperandRole::Input, OperandRole::Output});
  operand.per = parseOneOf(fields, "per", {Per::Element, Per::Row, Per::Column, Per::Call});
  operand.type = parseOneOf(fields, "type", {ElementType::F32, ElementType::Bf16});
  operand.shape = parseShape(fields, "shape");
  if (!fits(operand, function))
    fields.fail("shape", "is " + text(operand.shape) + ", which is not one number per " + name(operand.per) +
                             " of the domain " + text({function.rows, function.columns}));
  if (fields.has("held_by")) {
    operand.held_by = fields.string("held_by");
    const ElementwiseOperand *factor = function.findOperand(operand.held_by);
    if (operand.role != OperandRole::Output || factor == nullptr || factor->role != OperandRole::Input ||
        factor->per != Per::Call || factor->type != ElementType::F32)
      fields.fail("held_by",
                  "is '" + operand.held_by +
                      "': what an output held counts as often as an input says that is f32 and per "
                      "call");
  }
  if (operand.role == OperandRole::Input && !function.operands.empty() &&
      function.operands.back().role == OperandRole::Output)
    fields.fail("role", "is input, behind an output: outputs come last");
  return operand;
}

ElementwiseKernel parseKernel(const JsonFields &fields, const Elementwise &function) {
  ElementwiseKernel kernel;
  kernel.target = fields.string("target");
  const bool gpu = isGpuTarget(kernel.target);
  kernel.known = gpu || kernel.target == "cpu";
  if (!kernel.known)
    return kernel;
  kernel.rows_per_task = fields.integer("rows_per_task", 0);
  kernel.columns_per_task = fields.integer("columns_per_task", 0);
  if (gpu) {
    kernel.gpu = parseElementwiseCode(fields, kernel.target, elementwiseParameters(function));
    return kernel;
  }
  kernel.level = fields.string("level");
  kernel.features = fields.strings("features");
  kernel.section = fields.string("section");
  kernel.symbol = fields.string("symbol");
  if (kernel.symbol.empty())
    fields.fail("symbol", "is empty");
  return kernel;
}

// Its numbers of rows and columns are those of a batch, M, or fixed.
void parseDomain(const JsonFields &fields, Elementwise &function) {
  const Shape domain = parseShape(fields, "domain");
  if (domain.size() != 2)
    fields.fail("domain", "has " + std::to_string(domain.size()) + " dimensions, not 2: rows and columns");
  for (const Extent &extent : domain)
    if (!extent.symbol.empty() && extent != Extent::of("M"))
      fields.fail("domain", "has " + extent.text() + ", which is neither a number nor M");
  function.rows = domain[0];
  function.columns = domain[1];
}

Elementwise parseFunction(const JsonFields &fields, std::set<std::string> &function_names) {
  Elementwise function;
  function.name = fields.uniqueName(function_names);
  parseDomain(fields, function);
  std::set<std::string> names;
  const std::vector<JsonFields> operands = fields.objects("operands");
  if (operands.size() > most_operands)
    fields.fail("operands", "are " + std::to_string(operands.size()) + ", more than the " +
                                std::to_string(most_operands) + " that this runtime reads");
  for (const JsonFields &entry : operands)
    function.operands.push_back(parseOperand(entry, function, names));
  if (function.operands.empty() || function.operands.back().role != OperandRole::Output)
    fields.fail("operands", "have no output: a function computes something");
  for (const JsonFields &entry : fields.objects("kernels"))
    function.kernels.push_back(parseKernel(entry, function));
  return function;
}

} // namespace

const ElementwiseOperand *Elementwise::findOperand(std::string_view wanted) const {
  const auto found = std::ranges::find_if(
      operands, [&](const ElementwiseOperand &operand) { return operand.name == wanted; });
  return found == operands.end() ? nullptr : &*found;
}

std::string dbiasFunction(ElementType type) { return std::string("dbias_") + name(type); }

KernelParameters elementwiseParameters(const Elementwise &function) {
  using Per = FusedOperand::Per;
  KernelParameters parameters;
  for (const ElementwiseOperand &operand : function.operands) {
    parameters.add(ParameterValue::Operand, operand.name);
    if (operand.per == Per::Element)
      parameters.add(ParameterValue::OperandStride, operand.name);
    if (operand.per == Per::Call && operand.role == OperandRole::Input)
      parameters.add(ParameterValue::Number, operand.name);
  }
  return parameters.add(ParameterValue::Rows).add(ParameterValue::Columns);
}

std::vector<Elementwise> parseElementwise(const JsonFields &document) {
  std::vector<Elementwise> functions;
  std::set<std::string> names;
  if (document.has("elementwise"))
    for (const JsonFields &fields : document.objects("elementwise"))
      functions.push_back(parseFunction(fields, names));
  return functions;
}

nlohmann::ordered_json elementwiseJson(const Elementwise &function) {
  using Json = nlohmann::ordered_json;
  Json operands = Json::array(), kernels = Json::array();
  for (const ElementwiseOperand &operand : function.operands) {
    Json &entry = operands.emplace_back();
    entry = {{"name", operand.name},
             {"role", name(operand.role)},
             {"per", name(operand.per)},
             {"type", name(operand.type)},
             {"shape", shapeJson(operand.shape)}};
    if (!operand.held_by.empty())
      entry["held_by"] = operand.held_by;
  }
  for (const ElementwiseKernel &kernel : function.kernels) {
    Json &entry = kernels.emplace_back();
    entry["target"] = kernel.target;
    if (!kernel.gpu) {
      entry["level"] = kernel.level;
      entry["features"] = kernel.features;
      entry["section"] = kernel.section;
    }
    entry["symbol"] = kernel.gpu ? kernel.gpu->symbol : kernel.symbol;
    entry["rows_per_task"] = kernel.rows_per_task;
    entry["columns_per_task"] = kernel.columns_per_task;
    if (!kernel.gpu)
      continue;
    entry["threads"] = kernel.gpu->threads;
    entry["parameters"] = kernel.gpu->parameters.json();
    for (const GpuImage &image : kernel.gpu->images)
      entry["images"].push_back({{"kind", name(image.kind)}, {"section", image.section}});
  }
  return {{"name", function.name},
          {"domain", shapeJson({function.rows, function.columns})},
          {"operands", operands},
          {"kernels", kernels}};
}

std::vector<ProgramOperand> operandsOf(const Elementwise &function) {
  std::vector<ProgramOperand> operands;
  for (const ElementwiseOperand &operand : function.operands)
    operands.push_back(
        {.name = operand.name,
         .role = operand.role,
         .types = {operandType(operand.type)},
         .shape = operand.shape,
         .anywhere = operand.per == FusedOperand::Per::Call && operand.role == OperandRole::Input});
  return operands;
}

int64_t elementwiseTasks(const ElementwiseKernel &kernel, int64_t rows, int64_t columns) {
  const auto blocks = [](int64_t size, int64_t of_task) {
    return of_task == 0 ? 1 : ceilDivide(size, of_task);
  };
  return checkedMultiply(blocks(rows, kernel.rows_per_task), blocks(columns, kernel.columns_per_task),
                         "the tasks of an element-wise function");
}

} // namespace algrt
