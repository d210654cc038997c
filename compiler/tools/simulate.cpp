// algctl simulate: the GPU kernel of a layer on the simulator, on given or random data, compared with a
// reference.
#include "compiler/tools/commands.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/simulate_program.h"
#include "compiler/tools/simulated_runs.h"
#include "compiler/tools/target_options.h"

#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/process/failure.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

void requireKnown(const SimulateCommand &command) {
  const std::vector<std::string> &targets = gpuTargetNames(); // the simulator runs all of them
  if (std::find(targets.begin(), targets.end(), command.target) == targets.end())
    throw AbsentError(fmt::format("no simulator runs the target {}: there is one for {}", command.target,
                                  fmt::join(targets, " and ")));
  if (!algrt::mapNamed(command.map))
    throw AbsentError(fmt::format(
        "map {} is not one that the GPU kernels compute: they compute forward, dx and dw", command.map));
  if (!std::isfinite(command.beta))
    throw UsageError("--beta is not finite");
  if (!(command.scale > 0) || !std::isfinite(command.scale))
    throw UsageError("--scale has to be above 0, and finite");
  if (command.offset < 0)
    throw UsageError(fmt::format("--offset is {}: positions count from 0", command.offset));
  if (command.m && *command.m < 1)
    throw UsageError(fmt::format("--m must be at least 1, got {}", *command.m));
}

nlohmann::ordered_json asJson(const SimulateCommand &command, const SimulatedRuns &runs,
                              const Findings &findings, const std::string &algebra) {
  const algrt::GpuKernel &kernel = runs.simulated().description();
  const bool good = findings.failure.empty();
  return {{"algebra", algebra},
          {"map", algrt::name(runs.map())},
          {"target", command.target},
          {"m", runs.rows()},
          {"k", runs.describedLayer().k},
          {"n", runs.describedLayer().n},
          {"offset", command.offset},
          {"y_dtype", algrt::name(kernel.output)},
          {"schedule", kernel.schedule},
          {"tiles", findings.tiles},
          {"blocks", findings.grid},
          {"threads", kernel.threads},
          {"seed", command.sources.seed},
          {"seeds", findings.runs},
          {"instructions", findings.calls},
          {"seconds", findings.seconds},
          {"largest_error", findings.largest_error},
          {"error_over_tolerance", findings.worst},
          {"dbias_largest_error",
           runs.dbias() ? nlohmann::ordered_json(runs.dbias()->largestError()) : nlohmann::ordered_json()},
          {"passed", good},
          {"failed_seed", good ? nlohmann::ordered_json() : nlohmann::ordered_json(findings.failed_seed)},
          {"failure", good ? nlohmann::ordered_json() : nlohmann::ordered_json(findings.failure)},
          {"faults", findings.faults}};
}

std::string asText(const SimulateCommand &command, const SimulatedRuns &runs, const Findings &findings,
                   const std::string &algebra) {
  const algrt::GpuKernel &kernel = runs.simulated().description();
  const algrt::Layer &layer = runs.describedLayer();
  std::string text = fmt::format(
      "{} {} -> {} {}{}, M = {} {}, on {}\n", algebra, layer.k, layer.n, algrt::name(kernel.output),
      runs.map() == algrt::Map::Forward ? "" : fmt::format(", {}", algrt::name(runs.map())), runs.rows(),
      command.sources.positions.any() ? "at positions of their own"
                                      : fmt::format("from position {}", command.offset),
      command.target);
  text += fmt::format("{}: {} tiles on {} blocks of {} threads\n",
                      kernel.schedule.empty() ? "a kernel" : "schedule " + kernel.schedule, findings.tiles,
                      findings.grid, kernel.threads);
  text += fmt::format("{} {} from {}: {} instructions in {:.2f} s\n", findings.runs,
                      findings.runs == 1 ? "seed" : "seeds", command.sources.seed, findings.calls,
                      findings.seconds);
  if (findings.failure.empty())
    text += fmt::format("largest error {:.3e}, {:.0f} % of what rounding allows; no faults\n",
                        findings.largest_error, 100 * findings.worst);
  if (findings.failure.empty() && runs.dbias())
    text += runs.dbias()->summary();
  return text;
}

/// All steps of all programs, for random operands.
int simulateProgramsOf(const SimulateCommand &command, const Spec &spec) {
  const ArraySources &sources = command.sources;
  if (!sources.x.empty() || !sources.dy.empty() || !sources.dw.empty() || !sources.w.empty() ||
      !sources.types.empty() || !sources.bias.empty() || sources.positions.any() || !command.output.empty() ||
      !command.dbias_output.empty() || !command.kernel.empty() || command.map != "forward" ||
      command.y_dtype != "bf16" || command.beta != 0)
    throw UsageError(
        fmt::format("{} is a program, whose steps are simulated on random operands: --m, --offset, "
                    "--target, --seed, --seeds, --blocks, --scale, --row-lists, --program-maps, --fuse, "
                    "--experts and, of kernels of two layers, --schedule say how",
                    spec.source_name));
  if (!command.m)
    throw UsageError("programs are given no array that says how many rows there are: add --m");
  if (command.row_lists && !command.schedule.empty())
    throw UsageError("--schedule is of kernels of two layers, and none of them finds its rows in lists, as "
                     "--row-lists has it");
  if (command.row_lists && command.program.experts)
    throw UsageError("--row-lists does not go with --experts, whose kernels make lists of their own where "
                     "each has many rows");
  ProgramSimulation options{targetNamed(command.target),
                            *command.m,
                            command.offset,
                            command.blocks,
                            command.sources.seed,
                            command.seeds,
                            command.row_lists,
                            command.schedule,
                            command.program.experts.value_or(0),
                            command.scale};
  CompileOptions compile;
  apply(command.program, compile);
  compile.rows = *command.m;
  compile.targets = {targetNamed(command.target)};
  // No kernel of two layers finds its rows in a list.
  if (command.row_lists && compile.fusing == Fusing::Layers)
    compile.fusing = Fusing::Products;
  compile.schedule = command.schedule;
  const ProgramPlan plan = planProgram(spec, compile);
  if (!command.schedule.empty() &&
      std::ranges::none_of(plan.kernels, [](const KernelSource &source) { return source.next.has_value(); }))
    throw UsageError(
        fmt::format("--schedule is of kernels of two layers, and {} has none for {}: algctl emit "
                    "--stage=fused says why",
                    spec.source_name, command.target));
  const std::vector<SimulatedProgram> programs = simulatePrograms(plan, options);
  if (command.json)
    printJson(simulatedJson(programs, options));
  else
    printText(simulatedText(programs, options));
  for (const SimulatedProgram &program : programs)
    if (!program.failure.empty())
      throw Failure(fmt::format("{}\nto see it again: --seed {}", program.failure, program.failed_seed));
  return ExitCode::Done;
}

int simulate(SimulateCommand command) {
  requireKnown(command);
  if (const Spec spec = loadSpec(command.spec); spec.program) {
    requireCompilable(spec);
    return simulateProgramsOf(command, spec);
  }
  requireNone(command.program, command.spec.spec);
  if (command.scale != 1)
    throw UsageError("--scale is for programs; of a layer, whose products are linear, it changes nothing");
  if (command.m)
    command.sources.m = *command.m;
  ArrayOutputs outputs(command.output, command.dbias_output, command.json);
  const Spec spec = loadSpec(command.spec);
  requireCompilable(spec);
  SimulatedRuns runs(command, spec, outputs);
  const Findings findings = runs.all();
  const std::string algebra = requireAlgebra(spec).name();
  if (command.json)
    printJson(asJson(command, runs, findings, algebra));
  else
    outputs.report(asText(command, runs, findings, algebra));
  if (!findings.failure.empty())
    throw Failure(fmt::format("{}\nto see it again: --seed {}", findings.failure, findings.failed_seed));
  return ExitCode::Done;
}

} // namespace

void addSimulate(CLI::App &app, Session &session) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App *sub =
      app.add_subcommand("simulate", "Run the GPU kernels of a layer or a program on the simulator");
  addSpecOptions(*sub, command->spec);
  sub->add_option("--target", command->target,
                  fmt::format("whose kernel: {}; {} otherwise", fmt::join(gpuTargetNames(), " or "),
                              usualGpuTarget().name))
      ->type_name("TARGET");
  auto *map = sub->add_option("--map", command->map,
                              "which product: forward (default), or the gradients dx of X and dw of W");
  map->type_name("MAP");
  wholeNumber(sub->add_option("--m,-m", command->m, "rows of the batch, where no file says it"))
      ->type_name("M");
  sub->add_option("--x", command->sources.x, "input of shape (M, K), from a .npy or safetensors file")
      ->type_name("FILE");
  sub->add_option("--dy", command->sources.dy, "gradient of Y of shape (M, N), for the maps dx and dw")
      ->type_name("FILE");
  sub->add_option("--w", command->sources.w,
                  "weight matrix of shape (K, N), or (m, K/m, N/m) in the slot lift")
      ->type_name("FILE");
  sub->add_option("--types", command->sources.types,
                  "type of every row (int32), for explicit row types, from a .npy or safetensors file")
      ->type_name("FILE");
  sub->add_option("--bias-file", command->sources.bias, "bias of shape (N,), where the layer has one")
      ->type_name("FILE");
  sub->add_option("--dw", command->sources.dw,
                  "what the map dw adds to, shaped like the weight matrix; zeros where it is left out")
      ->type_name("FILE");
  sub->add_option("--beta", command->beta,
                  "map dw: how often what was there counts, 0 (default) for not at all")
      ->type_name("B");
  outputFile(sub->add_option("-o,--output", command->output,
                             "write Y, dX or dW of the first seed as float32 .npy; - for standard output, "
                             "where the report goes to standard error"));
  outputFile(sub->add_option(
      "--dbias", command->dbias_output,
      "with --map dw of a layer with a bias, write its gradient, the sum of the rows of dY, of the "
      "first seed as float32 .npy"));
  wholeNumber(sub->add_option("--offset", command->offset, "absolute position of the first row"))
      ->type_name("P");
  sub->add_option("--positions", command->sources.positions.positions,
                  "absolute position of every row, M int32 or int64 numbers")
      ->type_name("FILE");
  sub->add_option("--sequence-starts", command->sources.positions.sequence_starts,
                  "rows of a ragged batch: the first row of every sequence, and the number of rows")
      ->type_name("FILE");
  sub->add_option("--sequence-positions", command->sources.positions.sequence_positions,
                  "position of every sequence's first row; 0 otherwise")
      ->type_name("FILE");
  sub->add_flag(
      "--row-lists", command->row_lists,
      "the kernel that finds rows in a list: taken by itself for sequences, and for positions where no "
      "vector reduction reads them");
  auto *y_dtype =
      sub->add_option("--y-dtype", command->y_dtype, "elements of the result: bf16 (default) or f32");
  y_dtype->check(CLI::IsMember({"bf16", "f32"}).description(""))->type_name("TYPE");
  auto *schedule = sub->add_option(
      "--schedule", command->schedule,
      "tile and ring, as rows=128,columns=96,depth=64,stages=3, for sm_80 with warps=2x2 and "
      "perhaps vector=1; for few rows vector reductions, as reduce=32,rows=4; of two layers of a program "
      "rows=64,hidden=64,depth=64,stages=4x2,stationary=8 or, for few rows, reduce=16,rows=4,hidden=64; "
      "chosen "
      "by cost otherwise");
  scheduleName(schedule)->type_name("SCHEDULE");
  sub->add_option("--kernel", command->kernel, "simulate this module, as emit --stage=nvvm prints it")
      ->type_name("FILE")
      ->excludes(schedule)
      ->excludes(y_dtype)
      ->excludes(map);
  wholeNumber(sub->add_option("--seed", command->sources.seed,
                              "of the interleaving, and of the random numbers that stand in for files"))
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max() / 4).description(""))
      ->type_name("S");
  wholeNumber(sub->add_option("--seeds", command->seeds, "how many seeds to run, from S on"))
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 32).description(""))
      ->type_name("COUNT");
  wholeNumber(
      sub->add_option("--blocks", command->blocks,
                      "multiprocessors of the device: blocks of the grid, where there are tiles for them"))
      ->check(CLI::Range(1, 1 << 16).description(""))
      ->type_name("COUNT");
  addProgramOptions(*sub, command->program);
  sub->add_option("--scale", command->scale,
                  "of a program, inputs are so many times as large as usual (1), where functions saturate")
      ->type_name("S");
  sub->add_flag("--json", command->json, "print one JSON object");
  sub->footer(
      R"help(The kernel's own module runs against a model of the multiprocessor (docs/simulator.md) that picks every
interleaving and every completion time from the seed, and objects to what the hardware does not promise. Exit 0:
no objection, and every element of Y is what it should be.

Examples:
  algctl simulate "Q(4)" --in 256 --out 384 --dtype bf16 --m 300 --seeds 8
  algctl simulate "Q(2)^2" --in 256 --out 256 --dtype bf16 --row-types "interval(48)" --m 500 --offset 7 --y-dtype f32
  algctl simulate "Q(4)" --in 256 --out 384 --dtype bf16 --m 300 --map dx
  algctl simulate "Q(4)" --in 64 --out 96 --dtype bf16 --m 300 --map dw --target sm_80 --y-dtype f32 --beta 1
  algctl simulate "Q(4)" --in-groups 24,40,8,56 --out-groups 16,64,40,8 --dtype bf16 --m 100 --row-types explicit
  algctl simulate "Q(3)" --in 60 --out 111 --dtype bf16 --m 100 --target sm_80
  algctl simulate "Q(4)" --in 256 --out 384 --dtype bf16 --positions positions.npy --schedule reduce=32,rows=4
  algctl simulate examples/swiglu.toml --in 128 --hidden 192 --m 70 --program-maps forward,backward --scale 100
  algctl simulate examples/adapter.mlir --m 100 --program-maps forward,backward
  algctl emit "Q(4)" --in 256 --out 384 --dtype bf16 --target=sm_90a --stage=nvvm -o kernel.mlir
  algctl simulate "Q(4)" --in 256 --out 384 --dtype bf16 --m 300 --kernel kernel.mlir)help");
  sub->callback([&session, command] { session.run = [command] { return simulate(*command); }; });
}

} // namespace compiler
