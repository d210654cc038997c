// algctl emit: the program at one stage of the pipeline.
#include "compiler/tools/commands.h"

#include "compiler/failure.h"
#include "compiler/pipeline.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
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
  std::string output;
};

Stage stageOf(const std::string &name) {
  static const std::vector<std::string> gpu_stages = {"nvvm", "ptx", "cubin", "sass"};
  if (std::find(gpu_stages.begin(), gpu_stages.end(), name) != gpu_stages.end())
    throw AbsentError(
        fmt::format("the stage {} belongs to the GPU targets, which are not part of this build; it has: {}",
                    name, fmt::join(stageNames(), ", ")));
  if (std::find(stageNames().begin(), stageNames().end(), name) == stageNames().end())
    throw UsageError(
        fmt::format("there is no stage '{}'; there are {}", name, fmt::join(stageNames(), ", ")));
  return stageNamed(name);
}

int emit(const EmitCommand &command) {
  const Stage stage = stageOf(command.stage);
  const CompileOptions options = compileOptions(command.target);
  const Spec spec = loadSpec(command.spec);
  requireCompilable(spec);
  // Opened before the work starts, so that a place that cannot be written is found early.
  std::unique_ptr<OutputFile> file;
  if (!command.output.empty() && command.output != "-")
    file = std::make_unique<OutputFile>(command.output);
  const std::string program = emitStage(spec, stage, options);
  if (file)
    file->commit(program);
  else
    writeOutput("", program);
  return kDone;
}

} // namespace

void addEmit(CLI::App &app, Session &session) {
  auto command = std::make_shared<EmitCommand>();
  CLI::App *sub = app.add_subcommand("emit", "Show the program at one stage of the pipeline");
  addSpecOptions(*sub, command->spec);
  addTargetOptions(*sub, command->target);
  sub->add_option(
         "--stage", command->stage,
         "alg (what is computed), tile (how one kernel computes it), vector (loops and vectors), llvm, asm, "
         "obj, c (plain C)")
      ->type_name("STAGE")
      ->required();
  sub->add_option("-o,--output", command->output, "where to; standard output otherwise")->type_name("FILE");
  sub->footer(R"help(Examples:
  algctl emit "Q(4)" --in 64 --out 64 --dtype f32 --stage alg
  algctl emit examples/qwen3-1.7b-up.toml --stage tile --cpu x86-64-v4
  algctl emit layer.toml --stage asm --cpu x86-64-v3 -o kernel.s)help");
  sub->callback([&session, command] { session.run = [command] { return emit(*command); }; });
}

} // namespace compiler
