// The whole way of a product: from its spec through the programs of a target to machine code and a bundle.
// Plain C++, so that a command can use it without MLIR's headers.
#pragma once

#include "compiler/bundle/compile_jobs.h"
#include "compiler/schedule/targets.h"
#include "compiler/spec/spec.h"
#include "runtime/bundle/manifest.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

struct LauncherFiles;

class CompilationCache;

/// Whether what gradients need of a program is kept; where it is left to the prediction, a step of training,
/// the program and its gradient, has to take less with it on all targets.
enum class Keeping { Never, Always, WhereFaster };

/// What of programs is compiled: they themselves, and what takes the gradients of their results to those of
/// their operands.
struct ProgramMaps {
  bool forward = true;
  bool backward = false;
  /// Whether gradients take the sums of products, and what reductions give, from a further program that
  /// returns them after the results, NAME_keeping. Otherwise they compute what they need of these again.
  Keeping keeping = Keeping::Never;
};

/// What of a program may be one kernel, each with all that is before it.
enum class Fusing {
  Nothing,  ///< every operation is a kernel of its own, to compare with
  Products, ///< products of the same rows, and maps of their sums
  Layers    ///< products of what such a kernel leaves, where that is possible and predicted to be faster
};

struct CompileOptions {
  std::vector<Target> targets = {Target::Cpu};
  /// Names of CPU levels; see compiler/schedule/cpu_level.h.
  std::vector<std::string> cpu_levels = {"native"};
  /// Rows of X that schedules are chosen for.
  int64_t rows = 2048;
  /// Further numbers of rows that a bundle's GPU kernels are scheduled for, each in a variant of its own.
  std::vector<int64_t> further_rows;
  std::vector<int64_t> allRows() const {
    std::vector<int64_t> all = {rows};
    all.insert(all.end(), further_rows.begin(), further_rows.end());
    return all;
  }
  /// GPU kernels of a bundle for each number of rows: so many different schedules, the best first.
  int64_t variants = 1;
  /// The schedule of GPU kernels, as compiler/schedule/schedule.h reads it; chosen by cost when empty.
  std::string schedule;
  /// Further schedules, each of which is a kernel of its own in a bundle.
  std::vector<std::string> further_schedules;
  /// The map of a bundle's kernels that these schedules are for; those of others are chosen by cost.
  algrt::Map scheduled_map = algrt::Map::Forward;
  /// Elements that threads copy at a time where they copy, on sm_80; 0: as many as the layer allows.
  int64_t vector = 0;
  /// Whether a bundle's GPU kernels of each map are joined by one that finds rows in a list, for calls that
  /// say the position of every row. Where row types are explicit all do, in any case.
  bool row_lists = false;
  /// Every row says where it is, which kernels of vector reductions alone read on a GPU.
  bool positions = false;
  /// Of programs: GPU kernels are for calls whose rows are divided among experts, and for them alone, with
  /// the best schedules for so many. 0: they are for one network.
  int64_t experts = 0;
  /// What the kernels of a bundle compute.
  std::vector<algrt::Map> maps = {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw};
  /// Which kernel of programs emit shows; empty where there is one alone.
  std::string kernel;
  /// Of programs: themselves, and their gradients.
  ProgramMaps program_maps;
  /// Which operations of programs share kernels.
  Fusing fusing = Fusing::Layers;
  /// What the one GPU kernel computes that emit and simulate show.
  algrt::Map map = algrt::Map::Forward;
  /// Elements of Y in the one GPU kernel that emit shows.
  algebras::DataType output = algebras::DataType::BF16;
  /// Types of results of which a projection's bundle has GPU kernels.
  std::vector<algebras::DataType> results = {algebras::DataType::BF16, algebras::DataType::F32};
  /// Prints the IR after every pass to stderr.
  bool print_ir_after_all = false;
  /// Kernels that are compiled at once; 0: as many as there are threads.
  int threads = 0;
  /// What earlier compilations left; null: everything is made anew.
  std::shared_ptr<const CompilationCache> cache;
  /// May be empty.
  JobProgress progress;
  /// Called with what the user should know although nothing failed; may be empty.
  std::function<void(const std::string &)> note;
};

/// What `emit --stage` can show.
enum class Stage {
  Alg,           ///< what is computed
  Fused,         ///< the same as calls of kernels
  Tile,          ///< how one kernel computes it
  Vector,        ///< CPU: loops and vectors
  SmSynchronous, ///< GPU: a thread block's program as it is written down first, its blocks as values
  Sm,            ///< GPU: the same with partitions, stages of pipes and barriers
  Nvvm,          ///< GPU: instructions; what the simulator runs
  Llvm,          ///< LLVM IR after optimisation
  Assembly,      ///< CPU
  Object,        ///< CPU: bytes
  Ptx,           ///< GPU
  Cubin,         ///< GPU: bytes
  Sass,          ///< GPU: the cubin disassembled
  C,             ///< CPU: the projection as plain C; GPU: a launcher with the kernel inside
};

/// "alg", "fused", "tile", "vector", "sm-synchronous", "sm", "nvvm", "llvm", "asm", "obj", "ptx", "cubin",
/// "sass", "c".
const std::vector<std::string> &stageNames();
/// Those that a target has, in the order of its pipeline.
std::vector<std::string> stageNames(Target target);
/// Throws std::out_of_range for a name that is not among them.
Stage stageNamed(std::string_view name);

/// The program of a compilable spec at a stage of the first target: text, but for the bytes of Stage::Object
/// and Stage::Cubin. Uses the first CPU level. Throws Failure with the diagnostics of whatever went wrong,
/// algebras::InputError for a layer that the target has no kernels for, AbsentError for what this machine
/// lacks, std::invalid_argument for a stage that the target does not have.
std::string emitStage(const Spec &spec, Stage stage, const CompileOptions &options);

/// The kernel that sums the gradient of the bias of a spec's layer, in the type `options.output`, at a stage
/// of the first target. Throws as above, and UsageError where the layer has no bias.
std::string emitDbias(const Spec &spec, Stage stage, const CompileOptions &options);

/// The stage c of the first target, a GPU: a kernel of a spec, of a program the one that options.kernel
/// names, as gpu_pipeline.h has it.
LauncherFiles emitLauncher(const Spec &spec, const std::string &path, const CompileOptions &options);

/// The bundle of a spec for every target and CPU level. Throws as emitStage does.
std::string compiledBundle(const Spec &spec, const CompileOptions &options);
/// Writes it to a file, by rename. Throws algrt::Error when that fails, too.
void compileBundle(const Spec &spec, const std::string &path, const CompileOptions &options);

} // namespace compiler
