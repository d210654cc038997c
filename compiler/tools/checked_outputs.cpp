#include "compiler/tools/checked_outputs.h"

#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

namespace compiler {

using algrt::OperandRole;

LayersOfStep layersOfSteps(const algrt::Bundle &bundle) {
  return [&bundle](const algrt::ProgramStep &step) -> int64_t {
    if (step.elementwise)
      return 1;
    const std::optional<algrt::Fusion> &fusion = bundle.projection(step.projection).layer().fusion;
    return fusion && fusion->next ? 2 : 1;
  };
}

// How many layers are behind each tensor of the program, one after another.
static std::map<std::string, int64_t> layersBehind(const algrt::Program &program,
                                                   const LayersOfStep &layers_of) {
  std::map<std::string, int64_t> behind;
  std::map<std::string, bool> written; // operands that are inputs have none behind them
  for (const algrt::ProgramOperand &operand : program.operands)
    written[operand.name] = operand.role == OperandRole::Output;
  for (const algrt::ProgramBuffer &buffer : program.buffers)
    written[buffer.name] = true;
  for (const algrt::ProgramStep &step : program.steps) {
    int64_t most = 0;
    for (const auto &[name, tensor] : step.operands)
      most = std::max(most, behind[tensor]);
    for (const auto &[name, tensor] : step.operands)
      if (written[tensor] && behind[tensor] == 0)
        behind[tensor] = most + layers_of(step);
  }
  return behind;
}

static ReferenceArrays evaluate(const algrt::Bundle &bundle, const algrt::Program &program,
                                const ReferenceArrays &operands, int64_t p0, const ProgramTools &tools,
                                const ExpertDivision &division, unsigned rounding) {
  if (!tools.evaluate)
    throw AbsentError("this build has no compiler to evaluate programs with");
  const algrt::SectionEntry *text = bundle.manifest().findSection("program");
  if (text == nullptr)
    throw Failure(
        fmt::format("the bundle has no definition of its programs to compare with; maps of a projection "
                    "are checked by --map {} --check",
                    program.name));
  const auto of_one = [&](const ReferenceArrays &own, const ReferencePositions &positions) {
    return tools.evaluate(std::string(bundle.section(*text)), program.name, own, positions, rounding);
  };
  return division.experts() > 0 ? evaluateExperts(program, division, operands, p0, of_one)
                                : of_one(operands, p0);
}

static ReferenceArrays operandsOf(const algrt::Program &program, const ProgramArrays &arrays) {
  ReferenceArrays operands;
  for (const algrt::ProgramOperand &operand : program.operands)
    if (const auto array = arrays.find(operand.name);
        array != arrays.end() && operand.role != OperandRole::Output) {
      if (operand.optional)
        throw UsageError(fmt::format("--check is for rows one after another: leave {} out", operand.name));
      operands[operand.name] = array->second->reference();
    }
  return operands;
}

ReferenceArrays expectedOutputs(const algrt::Bundle &bundle, const algrt::Program &program,
                                const ProgramArrays &arrays, int64_t p0, const ProgramTools &tools,
                                const ExpertDivision &division) {
  return evaluate(bundle, program, operandsOf(program, arrays), p0, tools, division, /*rounding=*/0);
}

// Whether anything that the program reads, hands on or writes is rounded to bf16.
static bool roundsToBf16(const algrt::Program &program) {
  return std::ranges::any_of(
             program.operands,
             [](const auto &operand) { return operand.types.front() == algrt::OperandType::Bf16; }) ||
         std::ranges::any_of(program.buffers,
                             [](const auto &buffer) { return buffer.type == algrt::ElementType::Bf16; });
}

std::vector<CheckedOutput> compareOutputs(const algrt::Program &program, const ProgramArrays &arrays,
                                          const ReferenceArrays &expected, const LayersOfStep &layers_of) {
  const bool bf16 = roundsToBf16(program);
  std::map<std::string, int64_t> layers = layersBehind(program, layers_of);
  std::vector<CheckedOutput> checked;
  for (const auto &[name, array] : expected)
    if (const auto actual = arrays.find(name); actual != arrays.end())
      checked.push_back({name, algrt::compare(actual->second->values(), array.values),
                         algrt::tolerance(bf16) * static_cast<double>(std::max<int64_t>(1, layers[name]))});
  return checked;
}

constexpr unsigned draws = 3; // one may leave a single number where it was by chance

// The square of the relative L2 distance, absolute where all values are 0, as algrt::compare has it.
static double relativeSquare(const std::vector<double> &moved, const std::vector<double> &values) {
  double distance = 0, length = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    distance += (moved[i] - values[i]) * (moved[i] - values[i]);
    length += values[i] * values[i];
  }
  return length > 0 ? distance / length : distance;
}

// Below 1, which zeros would pass.
static double limitOf(double squares) { return std::min(0.5, 3 * std::sqrt(squares / draws)); }

double distanceByRounding(const std::vector<double> &values,
                          const std::function<std::vector<double>(unsigned draw)> &moved) {
  double squares = 0;
  for (unsigned draw = 1; draw <= draws; ++draw)
    squares += relativeSquare(moved(draw), values);
  return limitOf(squares);
}

void allowForRounding(std::vector<CheckedOutput> &checked, const algrt::Program &program,
                      const ReferenceArrays &operands, const ReferenceArrays &expected,
                      const LayersOfStep &layers_of, const EvaluateDraw &evaluate) {
  if (std::ranges::all_of(checked, &CheckedOutput::passed))
    return;
  const double half_unit = roundsToBf16(program) ? 0x1p-9 : 0x1p-24;
  std::map<std::string, int64_t> layers = layersBehind(program, layers_of);
  std::map<std::string, double> squares;
  std::mt19937 random(1);
  for (unsigned draw = 1; draw <= draws; ++draw) {
    ReferenceArrays moved = operands;
    for (const algrt::ProgramOperand &operand : program.operands)
      if (const auto found = moved.find(operand.name);
          found != moved.end() && (operand.types.front() == algrt::OperandType::F32 ||
                                   operand.types.front() == algrt::OperandType::Bf16))
        for (double &value : found->second.values)
          value *= 1 + ((random() & 1) != 0 ? half_unit : -half_unit);
    for (const auto &[name, result] : evaluate(moved, draw))
      squares[name] += relativeSquare(result.values, expected.at(name).values);
  }
  // For each layer that rounds.
  for (CheckedOutput &output : checked)
    output.limit = std::max(output.limit, limitOf(squares[output.name]) *
                                              static_cast<double>(std::max<int64_t>(1, layers[output.name])));
}

std::vector<CheckedOutput> checkOutputs(const algrt::Bundle &bundle, const algrt::Program &program,
                                        const ProgramArrays &arrays, const ReferenceArrays &expected,
                                        int64_t p0, const ProgramTools &tools,
                                        const ExpertDivision &division) {
  const LayersOfStep layers_of = layersOfSteps(bundle);
  std::vector<CheckedOutput> checked = compareOutputs(program, arrays, expected, layers_of);
  allowForRounding(checked, program, operandsOf(program, arrays), expected, layers_of,
                   [&](const ReferenceArrays &operands, unsigned draw) {
                     return evaluate(bundle, program, operands, p0, tools, division, draw);
                   });
  return checked;
}

std::string checkText(const std::vector<CheckedOutput> &checked) {
  std::string text;
  for (const CheckedOutput &output : checked)
    text += fmt::format("{}: relative L2 error {:.3e}, limit {:.1e}: {}\n", output.name,
                        output.comparison.relative_l2, output.limit, output.passed() ? "good" : "WRONG");
  return text;
}

nlohmann::ordered_json checkJson(const std::vector<CheckedOutput> &checked) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CheckedOutput &output : checked)
    json.push_back({{"name", output.name},
                    {"passed", output.passed()},
                    {"relative_l2", output.comparison.relative_l2},
                    {"limit", output.limit},
                    {"max_rel_error", output.comparison.max_relative},
                    {"kind_mismatches", output.comparison.kind_mismatches}});
  return json;
}

void requireRight(const std::vector<CheckedOutput> &checked) {
  for (const CheckedOutput &output : checked)
    if (!output.passed())
      throw Failure(output.comparison.kind_mismatches > 0
                        ? fmt::format("{}: {}", output.name, algrt::mismatchText(output.comparison))
                        : fmt::format("{} is {:.3e} away from the reference; {:.1e} is allowed", output.name,
                                      output.comparison.relative_l2, output.limit));
}

} // namespace compiler
