// The options that say what kernels are made for, shared by compile and emit.
#pragma once

#include "compiler/pipeline/pipeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace compiler {

struct TargetOptions {
  std::string targets = "cpu";
  std::string cpu_levels = "native";
  std::vector<int64_t> rows = {2048};
  std::string schedule;
  bool print_ir_after_all = false;
  bool no_cache = false;
};

void addTargetOptions(CLI::App &app, TargetOptions &options);

// Makes an option name a schedule: it refuses the empty name, which is not that of none.
CLI::Option *scheduleName(CLI::Option *option);

// What the user's earlier compilations left (kernelCacheFolder); null where there is no place for it.
std::shared_ptr<const CompilationCache> userCache();

// Throws UsageError for a schedule that cannot be read as one of the GPU targets among `targets`, and unless
// there is one such.
void requireReadable(const std::string &schedule, const std::vector<Target> &targets);

// Throws UsageError for names that do not exist and for a schedule that cannot be read.
CompileOptions compileOptions(const TargetOptions &options);

} // namespace compiler
