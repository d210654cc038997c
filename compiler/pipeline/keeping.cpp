#include "compiler/pipeline/keeping.h"

#include "compiler/pipeline/program_cost.h"
#include "compiler/pipeline/program_module.h"
#include "compiler/pipeline/program_plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

/// What a step of training takes: the programs, those that keep something in the place of those that do not,
/// and their gradients.
static double trainingTime(const ProgramPlan &plan, Target target, int64_t rows) {
  const std::vector<ProgramCost> costs =
      costOfPrograms(plan, toString(target), rows, 0, compiledForMachine());
  double sum = 0;
  for (const ProgramCost &cost : costs)
    if (llvm::none_of(costs,
                      [&](const ProgramCost &other) { return other.program == keepingName(cost.program); }))
      sum += cost.predicted();
  return sum;
}

std::optional<std::string> settleKeeping(const Spec &spec, CompileOptions &options) {
  if (options.program_maps.keeping != Keeping::WhereFaster)
    return std::nullopt;
  auto planned = [&](Keeping keeping) {
    CompileOptions asked = options;
    asked.program_maps = {.forward = true, .backward = true, .keeping = keeping};
    return planProgram(spec, asked);
  };
  const ProgramPlan again = planned(Keeping::Never), kept = planned(Keeping::Always);
  std::string why;
  bool keeps = true;
  for (const Target target : options.targets) {
    const double us_again = trainingTime(again, target, options.rows),
                 us_kept = trainingTime(kept, target, options.rows);
    keeps = keeps && us_kept < us_again;
    why += fmt::format("{}{:.1f} us with what is kept and {:.1f} with what is computed again on {}",
                       why.empty() ? "" : ", ", us_kept, us_again, toString(target));
  }
  options.program_maps.keeping = keeps ? Keeping::Always : Keeping::Never;
  return fmt::format("gradients {}: a step of training with M = {} is predicted to take {}",
                     keeps ? "take what the programs keep" : "compute what they need again", options.rows,
                     why);
}

} // namespace compiler
