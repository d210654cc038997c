#include "compiler/pipeline/expert_programs.h"

#include "algebras/error.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/targets.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

void requireExperts(const ProgramPlan &plan, const CompileOptions &options) {
  for (const algrt::Program &program : plan.programs) {
    const bool on_device =
        std::ranges::any_of(options.targets, [](Target target) { return target != Target::Cpu; });
    if (const std::string why = algrt::whyNoExperts(program, on_device); !why.empty())
      throw algebras::InputError(
          fmt::format("the rows of program {} cannot be divided among experts: {}", program.name, why));
    for (const Target target : options.targets)
      for (const algrt::ProgramStep &step : program.steps) {
        if (target == Target::Cpu || step.elementwise)
          continue;
        const KernelSource &kernel = plan.kernels[step.projection];
        // Of two layers the planner has looked.
        const std::string why = kernel.next ? "" : whyNoExperts(kernel.layer, toString(target));
        if (!why.empty())
          atPlaceOf(kernel, [&] {
            throw algebras::InputError(fmt::format("the step {} of program {} has no kernel of experts: {}",
                                                   plan.functionOf(step), program.name, why));
          });
      }
  }
}

} // namespace compiler
