#include "compiler/tools/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

// "x [M, 2048] bf16": what a call gives, or gets.
std::string operandText(const algrt::ProgramOperand &operand) {
  std::vector<std::string> types;
  for (const algrt::OperandType type : operand.types)
    types.emplace_back(algrt::name(type));
  return fmt::format("{} {} {}{}", operand.name, algrt::text(operand.shape), fmt::join(types, " or "),
                     operand.optional                             ? ", optional"
                     : operand.host                               ? ", in CPU memory"
                     : operand.role == algrt::OperandRole::Weight ? ", weight"
                                                                  : "");
}

std::vector<std::string> connections(const algrt::ProgramStep &step) {
  std::vector<std::string> list;
  for (const auto &[name, own] : step.operands)
    list.push_back(name == own ? name : fmt::format("{} = {}", name, own));
  return list;
}

} // namespace

// "element-wise on [M, 256]: x per element to y per row"
static std::string elementwiseText(const algrt::Elementwise &function) {
  std::vector<std::string> read, written;
  for (const algrt::ElementwiseOperand &operand : function.operands)
    (operand.role == algrt::OperandRole::Output ? written : read)
        .push_back(fmt::format("{} per {}", operand.name, algrt::name(operand.per)));
  return fmt::format("element-wise on {}: {} to {}",
                     algrt::text(algrt::Shape{function.rows, function.columns}),
                     read.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(read, ", ")),
                     fmt::join(written, ", "));
}

std::string stepText(const ProgramPlan &plan, const algrt::ProgramStep &step) {
  if (step.elementwise)
    return elementwiseText(plan.elementwise[*step.elementwise].description);
  const KernelSource &kernel = plan.kernels[step.projection];
  const algebras::Layer &layer = kernel.layer;
  std::string text = fmt::format("{} of {} {} -> {}, {}", algrt::name(step.map), layer.lift.algebra().name(),
                                 layer.in.total(), layer.out.total(), toString(layer.dtype));
  if (step.rows)
    text += fmt::format(", {} rows", *step.rows);
  if (!kernel.fusion)
    return text;
  const algrt::Fusion &fusion = *kernel.fusion;
  if (fusion.weights > 1)
    text += fmt::format(", {} products", fusion.weights);
  if (fusion.next)
    text += fmt::format(", then {} to {}",
                        fusion.next->weights == 1 ? "a product"
                                                  : fmt::format("{} products", fusion.next->weights),
                        fusion.next->n());
  if (!fusion.operands.empty()) {
    std::vector<std::string> names;
    for (const algrt::FusedOperand &operand : fusion.operands)
      names.push_back(fmt::format("{} per {}", operand.name, algrt::name(operand.per)));
    text += fmt::format(", maps with {}", fmt::join(names, ", "));
  }
  return text;
}

std::string programsText(const ProgramPlan &plan) {
  std::string text;
  for (const algrt::Program &program : plan.programs) {
    text += fmt::format("{}\n", program.name);
    for (const algrt::ProgramOperand &operand : program.operands)
      text += fmt::format("  {:<12}{}\n", operand.role == algrt::OperandRole::Output ? "writes" : "reads",
                          operandText(operand));
    for (const algrt::ProgramBuffer &buffer : program.buffers)
      text += fmt::format("  {:<12}{} {} {}\n", "hands on", buffer.name, algrt::text(buffer.shape),
                          algrt::name(buffer.type));
    for (const algrt::ProgramStep &step : program.steps)
      text += fmt::format("  {:<12}{}\n  {:<12}  {}\n", plan.functionOf(step), stepText(plan, step), "",
                          fmt::join(connections(step), ", "));
  }
  return text;
}

// "forward of up": what a step does.
static std::string stepText(const algrt::ProgramStep &step, const algrt::Bundle &bundle) {
  if (step.elementwise)
    return bundle.manifest().elementwise[*step.elementwise].name;
  const std::string &projection = bundle.projectionName(step.projection);
  return algrt::name(step.map) + (projection.empty() ? "" : " of " + projection);
}

std::string programText(const algrt::Program &program, const algrt::Bundle &bundle) {
  std::string text = fmt::format("  {}\n", program.name);
  for (const algrt::ProgramOperand &operand : program.operands)
    text += fmt::format("    {:<18}{}\n", operand.role == algrt::OperandRole::Output ? "writes" : "reads",
                        operandText(operand));
  for (const algrt::ProgramBuffer &buffer : program.buffers)
    text += fmt::format("    {:<18}{} {} {}\n", "hands on", buffer.name, algrt::text(buffer.shape),
                        algrt::name(buffer.type));
  for (const algrt::ProgramStep &step : program.steps) {
    const std::string function = stepText(step, bundle);
    if (program.steps.size() == 1 && function == program.name)
      continue; // a map of the bundle's own projection, under its name
    std::vector<std::string> operands;
    for (const auto &[name, own] : step.operands)
      operands.push_back(fmt::format("{} = {}", name, own));
    text += fmt::format("    {:<18}{}{}: {}\n", "step", function,
                        step.rows ? fmt::format(", {} rows", *step.rows) : "", fmt::join(operands, ", "));
  }
  return text;
}

nlohmann::ordered_json programsJson(const ProgramPlan &plan) {
  using Json = nlohmann::ordered_json;
  Json programs = Json::array();
  for (const algrt::Program &program : plan.programs) {
    Json operands = Json::array(), buffers = operands, steps = operands;
    const auto shape_json = [](const algrt::Shape &shape) {
      Json list = Json::array();
      for (const algrt::Extent &extent : shape)
        list.push_back(extent.symbol.empty() ? Json(extent.constant) : Json(extent.text()));
      return list;
    };
    for (const algrt::ProgramOperand &operand : program.operands)
      operands.push_back({{"name", operand.name},
                          {"role", algrt::name(operand.role)},
                          {"optional", operand.optional},
                          {"type", algrt::name(operand.types.front())},
                          {"shape", shape_json(operand.shape)}});
    for (const algrt::ProgramBuffer &buffer : program.buffers)
      buffers.push_back(
          {{"name", buffer.name}, {"type", algrt::name(buffer.type)}, {"shape", shape_json(buffer.shape)}});
    for (const algrt::ProgramStep &step : program.steps)
      steps.push_back({{"kernel", plan.functionOf(step)},
                       {"computes", stepText(plan, step)},
                       {"operands", step.operands}});
    programs.push_back(
        {{"name", program.name}, {"operands", operands}, {"buffers", buffers}, {"steps", steps}});
  }
  return programs;
}

} // namespace compiler
