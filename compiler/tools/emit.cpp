// algctl emit: the program at one stage of the pipeline.
#include "compiler/tools/commands.h"

#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/target_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace compiler {
namespace {

struct EmitCommand {
  SpecOptions spec;
  TargetOptions target;
  std::string stage;
  std::string map, output_dtype, kernel;
  ProgramOptions program;
  std::string output;
};

constexpr const char *dbias_map = "dbias";

// Whether a map of --map is that of a kernel which is no product.
bool isBesideProducts(const std::string &map) { return map == dbias_map || map == algrt::group_rows_map; }

// The stage, if the target has it.
Stage stageOf(const std::string &name, Target target) {
  const std::vector<std::string> stages = stageNames(target);
  if (std::find(stages.begin(), stages.end(), name) != stages.end())
    return stageNamed(name);
  if (std::find(stageNames().begin(), stageNames().end(), name) == stageNames().end())
    throw UsageError(
        fmt::format("there is no stage '{}'; {} has {}", name, toString(target), fmt::join(stages, ", ")));
  std::vector<std::string> others;
  for (const std::string &other : targetNames()) {
    const std::vector<std::string> theirs = stageNames(targetNamed(other));
    if (std::find(theirs.begin(), theirs.end(), name) != theirs.end())
      others.push_back("--target=" + other);
  }
  throw UsageError(fmt::format("the target {} has no stage {}; it has {} (for {} give {})", toString(target),
                               name, fmt::join(stages, ", "), name, fmt::join(others, " or ")));
}

CompileOptions emitOptions(const EmitCommand &command) {
  CompileOptions options = compileOptions(command.target);
  if (!options.further_schedules.empty())
    throw UsageError("emit shows one kernel: --schedule takes one schedule here");
  options.note = [](const std::string &what) { printWarning(what); };
  options.kernel = command.kernel;
  apply(command.program, options);
  if (options.targets.size() > 1)
    throw UsageError("emit shows the program of one target; --target names " +
                     std::to_string(options.targets.size()));
  // What kernels a program has is for all of them.
  if (!options.further_rows.empty() && command.stage != "fused")
    throw UsageError("emit shows a kernel for one number of rows; --m names several, which goes with "
                     "--stage=fused");
  if (!command.map.empty()) {
    if (!entryOf(options.targets.front()).isGpu())
      throw UsageError(
          "--map is for GPU targets, whose programs are one kernel; that of the CPU has all maps");
    const std::optional<algrt::Map> map = algrt::mapNamed(command.map);
    if (!map && !isBesideProducts(command.map))
      throw UsageError(
          fmt::format("--map must be forward, dx, dw, dbias or group_rows, got '{}'", command.map));
    options.map = map.value_or(algrt::Map::Forward);
  }
  if (!command.output_dtype.empty()) {
    if (!entryOf(options.targets.front()).isGpu())
      throw UsageError("--y-dtype is for GPU targets; the CPU kernels write the layer's dtype");
    if (command.output_dtype != "bf16" && command.output_dtype != "f32")
      throw UsageError(fmt::format("--y-dtype must be bf16 or f32, got '{}'", command.output_dtype));
    options.output = algebras::parseDataType(command.output_dtype);
  }
  return options;
}

// Kernels of projections are chosen by their maps, those of programs by their names, but for the one that
// lists rows.
void requireOptionsOf(const EmitCommand &command, const Spec &spec) {
  const bool maps = !command.map.empty() && command.map != algrt::group_rows_map;
  if (spec.program && (maps || !command.output_dtype.empty()))
    throw UsageError(fmt::format("{} is for projections; a kernel of {} goes by its name: --kernel",
                                 maps ? "--map" : "--y-dtype", spec.source_name));
  if (spec.program)
    return;
  if (!command.kernel.empty())
    throw UsageError(fmt::format("--kernel is for programs, and {} is none", spec.source_name));
  requireNone(command.program, spec.source_name);
}

// Two files beside each other: the launcher with the kernel inside, and its header.
int emitLauncherFiles(const EmitCommand &command, const Spec &spec, const CompileOptions &options) {
  if (command.output.empty() || namesStandardOutput(command.output))
    throw UsageError("the stage c of a GPU target is two files; say where with -o FILE.c");
  const LauncherNames names = launcherNames(command.output);
  OutputFile source(names.source_path), header(names.header_path);
  const LauncherFiles files = emitLauncher(spec, command.output, options);
  commitBoth(source, files.source, header, files.header);
  return ExitCode::Done;
}

int emit(const EmitCommand &command) {
  const CompileOptions options = emitOptions(command);
  const Stage stage = stageOf(command.stage, options.targets.front());
  const Spec spec = loadSpec(command.spec);
  requireCompilable(spec);
  requireOptionsOf(command, spec);
  if (stage == Stage::C && !isBesideProducts(command.map) && entryOf(options.targets.front()).isGpu())
    return emitLauncherFiles(command, spec, options);
  // Opened before the work starts, so that a place that cannot be written is found early.
  OutputFile file(command.output.empty() ? "-" : command.output,
                  stage == Stage::Object || stage == Stage::Cubin ? Contents::Binary : Contents::Text);
  const std::string program = command.map == algrt::group_rows_map
                                  ? emitGroupRows(options.targets.front(), stage, options)
                              : command.map == dbias_map ? emitDbias(spec, stage, options)
                                                         : emitStage(spec, stage, options);
  file.commit(program);
  return ExitCode::Done;
}

} // namespace

void addEmit(CLI::App &app, Session &session) {
  auto command = std::make_shared<EmitCommand>();
  CLI::App *sub = app.add_subcommand("emit", "Show the program at one stage of the pipeline");
  addSpecOptions(*sub, command->spec);
  addTargetOptions(*sub, command->target);
  sub->add_option(
         "--stage", command->stage,
         "alg (what is computed), fused (programs as calls of kernels, with remarks on what stayed apart), "
         "tile (how one kernel computes it), llvm, c; for the CPU vector (loops and "
         "vectors), "
         "asm, obj; for GPUs sm-synchronous and sm (what a thread block does, before and after it is made "
         "asynchronous), nvvm, ptx, cubin, sass")
      ->type_name("STAGE")
      ->required();
  sub->add_option("--kernel", command->kernel,
                  "which kernel of a program: a function of the stage fused; needed where there are several")
      ->type_name("NAME")
      ->group("Target");
  addProgramOptions(*sub, command->program);
  sub->add_option("--map", command->map,
                  "what the kernel for a GPU computes: forward (the default), the gradients dx of X, dw of W "
                  "and dbias of "
                  "a bias, or group_rows, the list of rows by type that kernels with listed rows read")
      ->type_name("MAP")
      ->group("Target");
  sub->add_option("--y-dtype", command->output_dtype,
                  "elements of the result in the kernel for a GPU: bf16 (the default), f32")
      ->type_name("TYPE")
      ->group("Target");
  outputFile(
      sub->add_option("-o,--output", command->output, "where to; standard output otherwise, as for -"));
  sub->footer(R"help(Examples:
  algctl emit "Q(4)" --in 64 --out 64 --dtype f32 --stage alg
  algctl emit examples/qwen3-1.7b-up.toml --stage tile --cpu x86-64-v4
  algctl emit layer.toml --stage asm --cpu x86-64-v3 -o kernel.s
  algctl emit layer.toml --stage ptx --target sm_90a --y-dtype f32
  algctl emit layer.toml --stage nvvm --target sm_90a --map dx
  algctl emit examples/swiglu.toml --stage fused --program-maps forward,backward
  algctl emit examples/swiglu.toml --stage tile --target sm_90a --kernel forward_0
  algctl emit layer.toml --stage c --target sm_90a -o up.c    a launcher in plain C, up.c and up.h)help");
  sub->callback([&session, command] { session.run = [command] { return emit(*command); }; });
}

} // namespace compiler
