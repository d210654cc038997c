// The options of commands on programs.
#pragma once

#include "compiler/pipeline/pipeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace compiler {

// The option --program-maps, which says what of programs is compiled.
void addProgramMaps(CLI::App &app, std::optional<std::string> &maps);
// What it says, where it is given. Throws UsageError for what it does not know, for keeping without backward,
// and for keeping that is asked for both always and where it is faster.
ProgramMaps programMapsOf(const std::optional<std::string> &maps);

struct ProgramOptions {
  std::optional<std::string> maps, fuse;
  std::optional<int64_t> experts;
};

// This one, --fuse: nothing, products or layers; and --experts, the networks among which rows are divided.
void addProgramOptions(CLI::App &app, ProgramOptions &options);
// What they say, where they are given. Throws UsageError as programMapsOf does, and for experts with
// backward.
void apply(const ProgramOptions &options, CompileOptions &compile);
// Throws UsageError where a number of experts is given that is none.
void requireExpertCount(const std::optional<int64_t> &experts);
// Throws UsageError where one of them is given, for what `name` names is no program.
void requireNone(const ProgramOptions &options, std::string_view name);

} // namespace compiler
