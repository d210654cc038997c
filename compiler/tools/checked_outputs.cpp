#include "compiler/tools/checked_outputs.h"

#include "compiler/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace compiler {

using algrt::OperandRole;

// How many steps are behind each tensor of the program, one after another.
static std::map<std::string, std::int64_t> stepsBehind(const algrt::Program &program) {
  std::map<std::string, std::int64_t> behind;
  std::map<std::string, bool> written; // operands that are inputs have none behind them
  for (const algrt::ProgramOperand &operand : program.operands)
    written[operand.name] = operand.role == OperandRole::output;
  for (const algrt::ProgramBuffer &buffer : program.buffers)
    written[buffer.name] = true;
  for (const algrt::ProgramStep &step : program.steps) {
    std::int64_t most = 0;
    for (const auto &[name, tensor] : step.operands)
      most = std::max(most, behind[tensor]);
    for (const auto &[name, tensor] : step.operands)
      if (written[tensor] && behind[tensor] == 0)
        behind[tensor] = most + 1;
  }
  return behind;
}

ReferenceArrays expectedOutputs(const algrt::Bundle &bundle, const algrt::Program &program,
                                const ProgramArrays &arrays, std::int64_t p0, const ProgramTools &tools) {
  if (!tools.evaluate)
    throw AbsentError("this build has no compiler to evaluate programs with");
  const algrt::SectionEntry *text = bundle.manifest().findSection("program");
  if (text == nullptr)
    throw Failure(
        fmt::format("the bundle has no definition of its programs to compare with; maps of a projection "
                    "are checked by --map {} --check",
                    program.name));
  ReferenceArrays operands;
  for (const algrt::ProgramOperand &operand : program.operands)
    if (const auto array = arrays.find(operand.name);
        array != arrays.end() && operand.role != OperandRole::output) {
      if (operand.optional)
        throw Failure(fmt::format("--check is for rows one after another: leave {} out", operand.name));
      operands[operand.name] = array->second->reference();
    }
  return tools.evaluate(std::string(bundle.section(*text)), program.name, operands, p0);
}

std::vector<CheckedOutput> compareOutputs(const algrt::Program &program, const ProgramArrays &arrays,
                                          const ReferenceArrays &expected) {
  const auto is_bf16 = [](const auto &one) {
    if constexpr (requires { one.types; })
      return one.types.front() == algrt::OperandType::bf16;
    else
      return one.type == algrt::ElementType::bf16;
  };
  const bool bf16 =
      std::ranges::any_of(program.operands, is_bf16) || std::ranges::any_of(program.buffers, is_bf16);
  std::map<std::string, std::int64_t> steps = stepsBehind(program);
  std::vector<CheckedOutput> checked;
  for (const auto &[name, array] : expected)
    if (const auto actual = arrays.find(name); actual != arrays.end())
      checked.push_back(
          {name, algrt::compare(actual->second->values(), array.values),
           algrt::tolerance(bf16) * static_cast<double>(std::max<std::int64_t>(1, steps[name]))});
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
      throw Failure(
          output.comparison.kind_mismatches > 0
              ? fmt::format("{}: {} elements are NaN or infinite where the reference is not, or the "
                            "other way round",
                            output.name, output.comparison.kind_mismatches)
              : fmt::format("{} is {:.3e} away from the reference; {:.1e} is allowed", output.name,
                            output.comparison.relative_l2, output.limit));
}

} // namespace compiler
