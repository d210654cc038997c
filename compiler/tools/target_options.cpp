#include "compiler/tools/target_options.h"

#include "compiler/failure.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/cpu/level.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {

void addTargetOptions(CLI::App &app, TargetOptions &options) {
  const std::string group = "Target";
  app.add_option("--target", options.targets, "what to compile for, separated by commas: cpu")
      ->type_name("NAMES")
      ->capture_default_str()
      ->group(group);
  app.add_option("--cpu", options.cpu_levels, "CPU levels, separated by commas: x86-64-v3, x86-64-v4, native")
      ->type_name("LEVELS")
      ->capture_default_str()
      ->group(group);
  wholeNumber(app.add_option("--m", options.rows,
                             "rows of X that schedules are chosen for; the kernels take any number"))
      ->type_name("M")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--mlir-print-ir-after-all", options.print_ir_after_all,
               "print the IR after every pass to stderr")
      ->group(group);
}

static std::vector<std::string> names(const std::string &list) {
  std::vector<std::string> names;
  for (std::string &name : CLI::detail::split(list, ',')) {
    CLI::detail::trim(name);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

CompileOptions compileOptions(const TargetOptions &options) {
  const std::vector<std::string> targets = names(options.targets);
  if (targets.empty())
    throw UsageError("--target names no target; this build has: cpu");
  for (const std::string &target : targets) {
    if (target.starts_with("sm_"))
      throw AbsentError(fmt::format("the GPU target {} is not part of this build; it has: cpu", target));
    if (target != "cpu")
      throw UsageError(fmt::format("there is no target '{}'; this build has: cpu", target));
  }
  CompileOptions compile;
  compile.cpu_levels = names(options.cpu_levels);
  if (compile.cpu_levels.empty())
    throw UsageError(fmt::format("--cpu names no level; there are {}", fmt::join(cpuLevelNames(), ", ")));
  for (const std::string &level : compile.cpu_levels)
    if (std::find(cpuLevelNames().begin(), cpuLevelNames().end(), level) == cpuLevelNames().end())
      throw UsageError(
          fmt::format("there is no CPU level '{}'; there are {}", level, fmt::join(cpuLevelNames(), ", ")));
  if (options.rows < 1)
    throw UsageError(fmt::format("--m must be at least 1, got {}", options.rows));
  compile.rows = options.rows;
  compile.print_ir_after_all = options.print_ir_after_all;
  return compile;
}

} // namespace compiler
