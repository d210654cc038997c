// The whole way of a product: alg -> tile -> vector code -> machine code -> bundle. Plain C++, so that a
// command can use it without MLIR's headers.
#ifndef ALGCTL_COMPILER_PIPELINE_H
#define ALGCTL_COMPILER_PIPELINE_H

#include "compiler/spec/spec.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

struct CompileOptions {
  /// Names of CPU levels; see compiler/targets/cpu/level.h.
  std::vector<std::string> cpu_levels = {"native"};
  /// Rows of X that schedules are chosen for.
  std::int64_t rows = 2048;
  /// Prints the IR after every pass to stderr.
  bool print_ir_after_all = false;
  /// Called with what is being done next; may be empty.
  std::function<void(const std::string &)> progress;
};

/// What `emit --stage` can show, in the order of the CPU pipeline, and the projection as plain C.
enum class Stage { Alg, Tile, Vector, Llvm, Assembly, Object, C };

/// "alg", "tile", "vector", "llvm", "asm", "obj", "c".
const std::vector<std::string> &stageNames();
/// Throws std::out_of_range for a name that is not among them.
Stage stageNamed(std::string_view name);

/// The program of a compilable spec at a stage: text, but for the bytes of Stage::Object. Uses the first CPU
/// level. Throws Failure with the diagnostics of whatever went wrong, AbsentError for what this machine
/// lacks.
std::string emitStage(const Spec &spec, Stage stage, const CompileOptions &options);

/// Compiles a spec for every CPU level and writes the bundle, by rename. Throws as emitStage does, and
/// algrt::Error when the file cannot be written.
void compileBundle(const Spec &spec, const std::string &path, const CompileOptions &options);

} // namespace compiler

#endif
