#include "compiler/pipeline/expert_programs.h"

#include "algebras/error.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/targets.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

/// Why a GPU has no kernel for a step whose rows are divided among experts; empty where it has one.
static std::string whyNoStep(const ProgramPlan &plan, const algrt::Program &program,
                             const algrt::ProgramStep &step, Target target) {
  const std::string name = toString(target);
  if (step.elementwise) {
    const auto weight = std::ranges::find_if(step.operands, [&](const auto &entry) {
      const algrt::ProgramOperand *operand = program.findOperand(entry.second);
      return operand && operand->role == algrt::OperandRole::Weight;
    });
    return weight == step.operands.end()
               ? ""
               : fmt::format(
                     "on {} kernels of element-wise functions tell no experts apart, and it reads the "
                     "weight {}",
                     name, weight->second);
  }
  if (step.map != algrt::Map::Forward)
    return fmt::format("on {} kernels of experts compute no gradients", name);
  const KernelSource &kernel = plan.kernels[step.projection];
  // Of two layers the planner has looked.
  return kernel.next ? "" : whyNoExperts(kernel.layer, name);
}

void requireExperts(const ProgramPlan &plan, const CompileOptions &options) {
  for (const algrt::Program &program : plan.programs) {
    const bool on_device =
        std::ranges::any_of(options.targets, [](Target target) { return target != Target::Cpu; });
    if (const std::string why = algrt::whyNoExperts(program, on_device); !why.empty())
      throw algebras::InputError(
          fmt::format("the rows of program {} cannot be divided among experts: {}", program.name, why));
    for (const Target target : options.targets)
      for (const algrt::ProgramStep &step : program.steps)
        if (const std::string why = target == Target::Cpu ? "" : whyNoStep(plan, program, step, target);
            !why.empty())
          throw algebras::InputError(fmt::format("the step {} of program {} has no kernel of experts: {}",
                                                 plan.functionOf(step), program.name, why));
  }
}

} // namespace compiler
