#include "compiler/tools/simulate_program.h"

#include "compiler/bundle/layer_description.h"
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/listed_source.h"
#include "compiler/process/failure.h"
#include "compiler/simulator/elementwise.h"
#include "compiler/simulator/simulate.h"
#include "compiler/tools/checked_outputs.h"
#include "compiler/tools/expert_division.h"
#include "compiler/tools/program_arrays.h"
#include "compiler/tools/program_text.h"
#include "compiler/tools/reference_program.h"
#include "compiler/tools/simulated_runs.h"
#include "runtime/bench/progress.h"
#include "runtime/reference/reference.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

/// Kernels that are compiled once and run with every seed.
struct CompiledStep {
  algrt::Layer layer;
  algrt::Support support;
  SimulatedKernel kernel;
};
struct CompiledSteps {
  std::vector<CompiledStep> products;
  std::vector<SimulatedElementwiseKernel> elementwise;
};

SimulatedElementwiseKernel compileElementwise(const ElementwiseSource &source,
                                              const ProgramSimulation &options) {
  CompileOptions compile;
  compile.targets = {options.target};
  return {source.description, compileElementwiseForGpu(*source.compiled_from, options.target, compile).kernel,
          emitElementwise(*source.compiled_from, options.target, Stage::Nvvm, compile)};
}

CompiledStep compileStep(const KernelSource &source, const ProgramSimulation &options) {
  CompileOptions compile;
  compile.targets = {options.target};
  compile.rows = source.rows.value_or(options.m);
  compile.map = source.maps.front();
  compile.output = source.results.front();
  compile.experts = source.rows ? 0 : options.experts;
  if (source.next)
    compile.schedule = options.schedule;
  const KernelSource compiled =
      options.row_lists && source.takes_positions ? withListedRows(source, compile) : source;
  const GpuProgram made = gpuProgram(compiled, options.target, compile);
  return {runtimeLayer(compiled.layer, source.fusion), runtimeSupport(source.layer),
          SimulatedKernel::parse(made.nvvm, source.projection)};
}

/// Of every second seed experts have their rows in a list, where kernels find all that steps read by it.
ExpertDivision divisionOf(const algrt::Program &program, const ProgramSimulation &options, uint64_t seed) {
  if (options.experts == 0)
    return {};
  const bool listed = seed % 2 == 0 && std::ranges::all_of(program.steps, [&](const auto &step) {
                        return algrt::unlistedOperand(program, step).empty();
                      });
  return listed ? randomLists(options.m, options.experts, seed)
                : randomDivision(options.m, options.experts, seed);
}

/// The tensors of one call of a program, all as floats.
class ProgramRun {
public:
  ProgramRun(const ProgramPlan &plan, const algrt::Program &program, CompiledSteps &compiled,
             const ProgramSimulation &options, uint64_t seed)
      : plan_(plan), program_(program), compiled_(compiled), options_(options), seed_(seed),
        division_(divisionOf(program, options, seed)), rows_(division_.resultRows(options.m)) {
    ProgramArrays arrays;
    addRandomOperands(
        program, options.m, seed,
        [&](size_t projection) { return plan.kernels[projection].layer.row_types.count(); }, arrays,
        options.experts, options.scale);
    for (const auto &[name, array] : arrays) {
      inputs_[name] = array->reference();
      if (array->type == algrt::OperandType::I32)
        types_[name] = {array->as<int32_t>(), array->as<int32_t>() + options.m};
      else
        tensors_[name] = array->values();
    }
  }

  bool hasLists() const { return division_.list.has_value(); }
  /// What is wrong; empty where nothing is.
  std::string step(const algrt::ProgramStep &step, SimulatedStep &found);
  std::string outputs(SimulatedProgram &found);

private:
  /// A kernel's function, what its arguments and results are to the kernel, and which results are of bf16.
  struct Definition {
    const std::string &function;
    const std::vector<std::vector<std::string>> &operands;
    const std::vector<std::string> &results;
    std::vector<bool> bf16;
    bool rounds_between; // two layers, of which the first rounds what the second reads
  };
  bool hasTwoLayers(const algrt::ProgramStep &step) const {
    return !step.elementwise && plan_.kernels[step.projection].next;
  }
  std::string elementwise(const algrt::ProgramStep &step, SimulatedStep &found);
  std::string compareStep(const Definition &source, const algrt::ProgramStep &step,
                          const std::map<std::string, std::vector<float>> &results, SimulatedStep &found);

  const ProgramPlan &plan_;
  const algrt::Program &program_;
  CompiledSteps &compiled_;
  const ProgramSimulation &options_;
  uint64_t seed_;
  ExpertDivision division_;
  int64_t rows_; ///< of what steps leave
  ReferenceArrays inputs_;
  std::map<std::string, std::vector<float>> tensors_;
  std::map<std::string, std::vector<int32_t>> types_;
};

std::string ProgramRun::elementwise(const algrt::ProgramStep &step, SimulatedStep &found) {
  const ElementwiseSource &source = plan_.elementwise[*step.elementwise];
  const SimulatedElementwiseKernel &kernel = compiled_.elementwise[*step.elementwise];
  std::vector<std::vector<float>> inputs_of_kernel;
  std::vector<std::string> outputs_of_kernel;
  for (const algrt::ElementwiseOperand &operand : source.description.operands)
    if (operand.role == algrt::OperandRole::Output)
      outputs_of_kernel.push_back(operand.name);
    else
      inputs_of_kernel.push_back(tensors_.at(step.operands.at(operand.name)));
  ElementwiseSettings settings;
  settings.seed = seed_;
  settings.blocks = options_.blocks;
  settings.padding = static_cast<int64_t>(seed_ % 3);
  const SimulatedElementwise simulation = kernel.run(inputs_of_kernel, rows_, settings);
  found.instructions += simulation.report.statistics.calls;
  for (const simulator::Fault &fault : simulation.report.faults)
    return kernel.explain(fault);
  if (simulation.unwritten > 0)
    return fmt::format("{} elements were never written", simulation.unwritten);
  std::map<std::string, std::vector<float>> results;
  for (size_t number = 0; number < outputs_of_kernel.size(); ++number)
    results[outputs_of_kernel[number]] = simulation.outputs[number];
  std::vector<bool> bf16;
  for (const std::string &name : source.result_operands)
    bf16.push_back(source.description.findOperand(name)->type == algrt::ElementType::Bf16);
  const std::string wrong = compareStep(
      {source.function, source.operands, source.result_operands, bf16, false}, step, results, found);
  for (auto &[role, values] : results)
    tensors_[step.operands.at(role)] = std::move(values);
  return wrong;
}

std::string ProgramRun::step(const algrt::ProgramStep &step, SimulatedStep &found) {
  if (step.elementwise)
    return elementwise(step, found);
  CompiledStep &code = compiled_.products[step.projection];
  const KernelSource &source = plan_.kernels[step.projection];
  const algrt::OperandNames names = algrt::operandNames(step.map);
  ProductOperands product;
  product.layer = &code.layer;
  product.support = &code.support;
  product.m = step.rows.value_or(rows_);
  product.p0 = step.rows ? 0 : options_.p0;
  product.expert_starts = division_.starts;
  if (division_.list) {
    product.expert_rows = *division_.list;
    product.batch_rows = options_.m;
    product.x_by_list = algrt::readsBatch(program_, step);
  }
  for (const auto &[role, tensor] : step.operands) {
    if (role == "types") {
      product.types = types_.at(tensor);
      product.p0 = 0;
    } else if (const auto values = tensors_.find(tensor); values != tensors_.end()) {
      if (role == names.x)
        product.x = values->second;
      else if (role == names.w)
        product.w = values->second;
      else
        product.further[role] = values->second;
    }
  }
  std::vector<int32_t> types_by_position;
  if (code.kernel.description().listed && product.types.empty()) {
    for (const int64_t type :
         algrt::rowTypes(runtimeLayer(source.layer), product.positionCount(), product.p0, nullptr))
      types_by_position.push_back(static_cast<int32_t>(type));
    product.types = types_by_position;
    product.p0 = 0;
  }
  SimulationSettings settings = settingsOf(seed_, options_.blocks);
  settings.further_padding = static_cast<int64_t>(seed_ % 2);
  const Simulation simulation = code.kernel.run(product, settings);
  found.instructions += simulation.report.statistics.calls;
  for (const simulator::Fault &fault : simulation.report.faults)
    return code.kernel.explain(fault);
  if (simulation.unwritten > 0)
    return fmt::format("{} elements were never written", simulation.unwritten);
  std::map<std::string, std::vector<float>> results = simulation.further;
  results[names.y] = simulation.y;
  std::vector<bool> bf16;
  for (size_t number = 0; number < source.result_operands.size(); ++number)
    bf16.push_back(source.fusion ? source.fusion->results[number] == algrt::ElementType::Bf16
                                 : source.results.front() == algebras::DataType::BF16);
  const std::string wrong =
      compareStep({source.function, source.operands, source.result_operands, bf16, hasTwoLayers(step)}, step,
                  results, found);
  for (auto &[role, values] : results)
    tensors_[step.operands.at(role)] = std::move(values);
  return wrong;
}

/// A result has been rounded once to its type; sums before it are of f32. What one layer of two has made has
/// been rounded to bf16. Where that does not do, what else is rounded on the way may have been rounded
/// otherwise.
std::string ProgramRun::compareStep(const Definition &source, const algrt::ProgramStep &step,
                                    const std::map<std::string, std::vector<float>> &results,
                                    SimulatedStep &found) {
  std::map<std::string, const std::vector<float> *> by_role;
  for (const auto &[role, tensor] : step.operands)
    if (const auto values = tensors_.find(tensor); values != tensors_.end())
      by_role[role] = &values->second;
  std::map<std::string, std::vector<double>> row_types;
  for (const auto &[role, tensor] : step.operands)
    if (const auto given = types_.find(tensor); given != types_.end())
      row_types[role] = {given->second.begin(), given->second.end()};
  auto all_of = [&](const std::string &role) -> std::vector<double> {
    if (const auto given = row_types.find(role); given != row_types.end())
      return given->second;
    const std::vector<float> &values = *by_role.at(role);
    return {values.begin(), values.end()};
  };
  const auto evaluated = [&](unsigned rounding) -> std::vector<ReferenceArray> {
    if (division_.experts() == 0)
      return evaluateKernel(source.function, source.operands, options_.m, options_.p0, rounding, all_of);
    const auto of_expert = [&](int64_t expert, int64_t rows, const ReferencePositions &positions) {
      return evaluateKernel(
          source.function, source.operands, rows, positions, rounding, [&](const std::string &role) {
            return partOfExpert(program_, step.operands.at(role), all_of(role), division_, expert);
          });
    };
    return evaluateExperts(division_, options_.p0, of_expert);
  };
  const std::vector<ReferenceArray> expected = evaluated(/*rounding=*/0);
  for (size_t number = 0; number < expected.size(); ++number) {
    const std::vector<float> &actual = results.at(source.results[number]);
    const algrt::Comparison comparison = algrt::compare(actual, expected[number].values);
    const auto passes = [&](double limit) {
      return comparison.within(limit) && comparison.max_relative <= 2 * limit;
    };
    double limit =
        algrt::tolerance(source.bf16[number]) + (source.rounds_between ? algrt::tolerance(true) : 0);
    if (!passes(limit))
      limit = std::max(limit, distanceByRounding(expected[number].values, [&](unsigned draw) {
                         return evaluated(draw)[number].values;
                       }));
    found.relative_l2 = std::max(found.relative_l2, comparison.relative_l2);
    found.max_relative = std::max(found.max_relative, comparison.max_relative);
    found.limit_l2 = std::max(found.limit_l2, limit);
    found.limit_max = std::max(found.limit_max, 2 * limit);
    if (comparison.kind_mismatches > 0)
      return fmt::format("{}: {}", step.operands.at(source.results[number]),
                         algrt::mismatchText(comparison, "its definition"));
    if (!passes(limit))
      return fmt::format(
          "{} is {:.3e} away from its definition, its worst element {:.3e} of the largest; {:.0e} "
          "and {:.0e} are allowed",
          step.operands.at(source.results[number]), comparison.relative_l2, comparison.max_relative, limit,
          2 * limit);
  }
  return {};
}

std::string ProgramRun::outputs(SimulatedProgram &found) {
  ProgramArrays arrays;
  for (const algrt::ProgramOperand &operand : program_.operands)
    if (operand.role == algrt::OperandRole::Output) {
      arrays[operand.name] = makeOperand(operand, rows_);
      arrays[operand.name]->set(tensors_.at(operand.name));
    }
  const EvaluateDraw evaluate = [&](const ReferenceArrays &given, unsigned draw) {
    const auto of_network = [&](const ReferenceArrays &operands, const ReferencePositions &positions) {
      return evaluateProgram(plan_.text, program_.name, operands, positions, draw);
    };
    return division_.experts() > 0 ? evaluateExperts(program_, division_, given, options_.p0, of_network)
                                   : of_network(given, options_.p0);
  };
  const LayersOfStep layers_of = [this](const algrt::ProgramStep &step) {
    return hasTwoLayers(step) ? 2 : 1;
  };
  const ReferenceArrays expected = evaluate(inputs_, /*draw=*/0);
  std::vector<CheckedOutput> checked = compareOutputs(program_, arrays, expected, layers_of);
  allowForRounding(checked, program_, inputs_, expected, layers_of, evaluate);
  for (const CheckedOutput &output : checked) {
    found.relative_l2 = std::max(found.relative_l2, output.comparison.relative_l2);
    found.limit_l2 = std::max(found.limit_l2, output.limit);
    if (output.comparison.kind_mismatches > 0)
      return fmt::format("{}: {}", output.name,
                         algrt::mismatchText(output.comparison, "the program's definition"));
    if (!output.passed())
      return fmt::format("{} is {:.3e} away from the program's definition; {:.0e} is allowed", output.name,
                         output.comparison.relative_l2, output.limit);
  }
  return {};
}

/// One seed.
void simulateOnce(const ProgramPlan &plan, const algrt::Program &program, CompiledSteps &compiled,
                  const ProgramSimulation &options, uint64_t seed, SimulatedProgram &found) {
  ProgramRun run(plan, program, compiled, options, seed);
  found.listed_seeds += run.hasLists() ? 1 : 0;
  for (size_t number = 0; number < program.steps.size() && found.failure.empty(); ++number) {
    found.failure = run.step(program.steps[number], found.steps[number]);
    if (!found.failure.empty())
      found.failure = fmt::format("step {} of {}, {}: {}", number + 1, program.name,
                                  found.steps[number].kernel, found.failure);
  }
  if (found.failure.empty())
    found.failure = run.outputs(found);
  if (!found.failure.empty())
    found.failed_seed = seed;
}

} // namespace

std::vector<SimulatedProgram> simulatePrograms(const ProgramPlan &plan, const ProgramSimulation &options) {
  CompiledSteps compiled;
  for (const KernelSource &source : plan.kernels)
    compiled.products.push_back(atPlaceOf(source, [&] { return compileStep(source, options); }));
  for (const ElementwiseSource &source : plan.elementwise)
    compiled.elementwise.push_back(compileElementwise(source, options));
  algrt::ProgressBar bar;
  std::vector<SimulatedProgram> programs;
  for (const algrt::Program &program : plan.programs) {
    SimulatedProgram &found = programs.emplace_back();
    found.program = program.name;
    for (const algrt::ProgramStep &step : program.steps)
      found.steps.push_back(
          {plan.functionOf(step),
           step.elementwise ? "" : compiled.products[step.projection].kernel.description().schedule, 0, 0, 0,
           0, 0});
    for (int64_t number = 0; number < options.seeds && found.failure.empty(); ++number) {
      bar.show(static_cast<double>(number) / static_cast<double>(options.seeds), program.name);
      simulateOnce(plan, program, compiled, options, options.seed + static_cast<uint64_t>(number), found);
    }
  }
  return programs;
}

std::string simulatedText(const std::vector<SimulatedProgram> &programs, const ProgramSimulation &options) {
  std::string text;
  for (const SimulatedProgram &program : programs) {
    text += fmt::format(
        "{}, M = {}{} from position {}, on {}, {} {} from {}{}\n", program.program, options.m,
        dividedText(options.experts), options.p0, toString(options.target), options.seeds,
        options.seeds == 1 ? "seed" : "seeds", options.seed,
        program.listed_seeds > 0 ? fmt::format(", {} with lists of rows", program.listed_seeds) : "");
    for (const SimulatedStep &step : program.steps)
      text +=
          fmt::format("  {}: {}\n    {} instructions; L2 error {:.3e} of {:.0e}, largest {:.3e} of "
                      "{:.0e}\n",
                      step.kernel, step.schedule.empty() ? "element-wise" : "schedule " + step.schedule,
                      step.instructions, step.relative_l2, step.limit_l2, step.max_relative, step.limit_max);
    if (program.failure.empty())
      text += fmt::format("  all steps together: L2 error {:.3e}, limit {:.0e}; no faults\n",
                          program.relative_l2, program.limit_l2);
  }
  return text;
}

nlohmann::ordered_json simulatedJson(const std::vector<SimulatedProgram> &programs,
                                     const ProgramSimulation &options) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const SimulatedProgram &program : programs) {
    Json steps = Json::array();
    for (const SimulatedStep &step : program.steps)
      steps.push_back({{"kernel", step.kernel},
                       {"schedule", step.schedule},
                       {"instructions", step.instructions},
                       {"relative_l2", step.relative_l2},
                       {"limit_l2", step.limit_l2},
                       {"max_relative", step.max_relative},
                       {"limit_max", step.limit_max}});
    const bool good = program.failure.empty();
    list.push_back({{"name", program.program},
                    {"passed", good},
                    {"relative_l2", program.relative_l2},
                    {"limit_l2", program.limit_l2},
                    {"failed_seed", good ? Json() : Json(program.failed_seed)},
                    {"failure", good ? Json() : Json(program.failure)},
                    {"steps", steps}});
  }
  Json json = {{"target", toString(options.target)}, {"m", options.m}};
  if (options.experts > 0)
    json["experts"] = options.experts;
  json["offset"] = options.p0;
  json["seed"] = options.seed;
  json["seeds"] = options.seeds;
  json["programs"] = list;
  return json;
}

} // namespace compiler
