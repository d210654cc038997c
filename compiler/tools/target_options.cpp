#include "compiler/tools/target_options.h"

#include "algebras/error.h"
#include "compiler/cache/compilation_cache.h"
#include "compiler/schedule/cpu_level.h"
#include "compiler/schedule/schedule.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {

CLI::Option *scheduleName(CLI::Option *option) {
  return option->check([](const std::string &text) {
    return text.empty() ? std::string("the schedule is empty: leave it out for the one that costs least")
                        : "";
  });
}

void addTargetOptions(CLI::App &app, TargetOptions &options) {
  const std::string group = "Target";
  app.add_option("--target", options.targets,
                 fmt::format("what to compile for, separated by commas: {}", fmt::join(targetNames(), ", ")))
      ->type_name("NAMES")
      ->capture_default_str()
      ->group(group);
  app.add_option("--cpu", options.cpu_levels,
                 fmt::format("CPU levels, separated by commas: {}", fmt::join(cpuLevelNames(), ", ")))
      ->type_name("LEVELS")
      ->capture_default_str()
      ->group(group);
  wholeNumber(app.add_option("--m", options.rows,
                             "rows of X that schedules are chosen for, several separated by commas for a "
                             "GPU; the kernels take any number"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("M")
      ->capture_default_str()
      ->group(group);
  scheduleName(app.add_option(
                   "--schedule", options.schedule,
                   "schedule of the kernels for a GPU of the one map that --maps names, else of the forward "
                   "kernels, or of the one that emit shows, as rows=128,columns=192,depth=64,stages=4, for "
                   "sm_80 also warps=2x2,vector=8, of two layers of a program "
                   "rows=64,hidden=64,depth=64,stages=4x2,stationary=8 or, for few rows, "
                   "reduce=16,rows=4,hidden=64,columns=64,cluster=4; what is left out keeps its default. "
                   "compile takes several, "
                   "separated by semicolons"))
      ->type_name("LIST")
      ->group(group);
  app.add_flag("--no-cache", options.no_cache,
               "compile anew what an earlier run has left, and leave nothing; see algctl cache")
      ->group(group);
  app.add_flag("--mlir-print-ir-after-all", options.print_ir_after_all,
               "print the IR after every pass to stderr")
      ->group(group);
}

std::shared_ptr<const CompilationCache> userCache() {
  const std::filesystem::path folder = kernelCacheFolder();
  return folder.empty() ? nullptr : std::make_shared<const CompilationCache>(folder);
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

static std::vector<Target> targetsOf(const std::string &list) {
  std::vector<Target> targets;
  for (const std::string &name : names(list)) {
    if (std::find(targetNames().begin(), targetNames().end(), name) == targetNames().end())
      throw UsageError(
          fmt::format("there is no target '{}'; there are {}", name, fmt::join(targetNames(), ", ")));
    targets.push_back(targetNamed(name));
  }
  if (targets.empty())
    throw UsageError(fmt::format("--target names no target; there are {}", fmt::join(targetNames(), ", ")));
  return targets;
}

void requireReadable(const std::string &schedule, const std::vector<Target> &targets) {
  std::vector<std::string> gpus;
  for (const Target target : targets)
    if (entryOf(target).isGpu())
      gpus.push_back(toString(target));
  if (gpus.empty())
    throw UsageError("--schedule is for a GPU target, which --target does not name");
  if (gpus.size() > 1)
    throw UsageError(
        fmt::format("--schedule is for one GPU target, --target names {}", fmt::join(gpus, " and ")));
  try {
    if (isStagedChained(schedule))
      parseStagedChained(schedule);
    else if (isChainedReduction(schedule))
      parseChainedReduction(schedule);
    else
      parseSchedule(schedule, entryOf(targetNamed(gpus.front())).kernels);
  } catch (const algebras::InputError &error) {
    throw UsageError(
        fmt::format("--schedule: {}{}{}", error.what(), error.hint().empty() ? "" : "; ", error.hint()));
  }
}

CompileOptions compileOptions(const TargetOptions &options) {
  CompileOptions compile;
  compile.targets = targetsOf(options.targets);
  compile.cpu_levels = names(options.cpu_levels);
  if (compile.cpu_levels.empty())
    throw UsageError(fmt::format("--cpu names no level; there are {}", fmt::join(cpuLevelNames(), ", ")));
  for (const std::string &level : compile.cpu_levels)
    if (std::find(cpuLevelNames().begin(), cpuLevelNames().end(), level) == cpuLevelNames().end())
      throw UsageError(
          fmt::format("there is no CPU level '{}'; there are {}", level, fmt::join(cpuLevelNames(), ", ")));
  if (options.rows.empty())
    throw UsageError("--m names no number of rows");
  for (const int64_t rows : options.rows)
    if (rows < 1)
      throw UsageError(fmt::format("--m must be at least 1, got {}", rows));
  compile.rows = options.rows.front();
  compile.further_rows.assign(options.rows.begin() + 1, options.rows.end());
  if (!options.schedule.empty()) {
    std::vector<std::string> schedules = CLI::detail::split(options.schedule, ';');
    for (std::string &schedule : schedules) {
      CLI::detail::trim(schedule);
      if (schedule.empty())
        throw UsageError("--schedule has an empty schedule between its semicolons");
      requireReadable(schedule, compile.targets);
    }
    compile.schedule = schedules.front();
    compile.further_schedules.assign(schedules.begin() + 1, schedules.end());
  }
  compile.cache = options.no_cache ? nullptr : userCache();
  compile.print_ir_after_all = options.print_ir_after_all;
  return compile;
}

} // namespace compiler
