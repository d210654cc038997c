// algctl cost: what a layer costs, before anything is compiled.
#include "compiler/tools/commands.h"

#include "algebras/cost/report.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/targets.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/cost_program.h"
#include "compiler/tools/cost_text.h"
#include "compiler/tools/dense_comparison_text.h"
#include "compiler/tools/machine_file.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/program_schedules.h"
#include "compiler/tools/ranking_text.h"
#include "runtime/bundle/map.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace compiler {
namespace {

struct CostCommand {
  SpecOptions spec;
  int64_t m = 0;
  int64_t p0 = 0;
  std::vector<int64_t> tile, leaf;
  bool json = false;
  bool schedules = false, dense = false;
  std::string target, y_dtype = "bf16", map = "forward"; // no target: the one that the layer's type is for
  int64_t cores = 0;                                     // 0: the machine's
  std::string machine;
  ProgramOptions program;
  int64_t most = 10;
  bool illegal = false;
  CLI::App *command = nullptr;
};

void readTriple(const std::vector<int64_t> &given, const char *option, int64_t &first, int64_t &second,
                int64_t &third) {
  if (given.empty())
    return;
  if (given.size() != 3)
    throw UsageError(fmt::format("{} takes three numbers, not {}", option, given.size()));
  for (int64_t value : given)
    if (value < 1)
      throw UsageError(fmt::format("{} takes numbers from 1 on, not {}", option, value));
  first = given[0];
  second = given[1];
  third = given[2];
}

void requireTarget(const CostCommand &options) {
  const std::vector<std::string> &targets = targetNames();
  const bool given = options.command->get_option("--target")->count() > 0;
  if (given && std::find(targets.begin(), targets.end(), options.target) == targets.end())
    throw UsageError(fmt::format("there is no target '{}' whose schedules are ranked; there are {}",
                                 options.target, fmt::join(targets, ", ")));
  if (options.command->get_option("--cores")->count() > 0 && options.cores < 1)
    throw UsageError(fmt::format("--cores must be at least 1, got {}", options.cores));
}

void requireScheduleOptions(const CostCommand &options) {
  auto given = [&](const char *name) { return options.command->get_option(name)->count() > 0; };
  const bool predicts = options.schedules || options.dense;
  if (options.schedules && options.dense)
    throw UsageError("--dense does not go with --schedules");
  for (const char *name : {"--target", "--y-dtype", "--map", "--cores", "--machine"})
    if (!predicts && given(name))
      throw UsageError(fmt::format("{} goes with --schedules or --dense", name));
  for (const char *name : {"--most", "--illegal"})
    if (!options.schedules && given(name))
      throw UsageError(fmt::format("{} goes with --schedules", name));
  for (const char *name : {"--p0", "--tile", "--leaf"})
    if (predicts && given(name))
      throw UsageError(
          fmt::format("{} does not go with {}", name, options.schedules ? "--schedules" : "--dense"));
  if (!predicts)
    return;
  requireTarget(options);
  if (options.y_dtype != "bf16" && options.y_dtype != "f32")
    throw UsageError(fmt::format("--y-dtype is bf16 or f32, not '{}'", options.y_dtype));
  const std::optional<algrt::Map> map = algrt::mapNamed(options.map);
  if (!map)
    throw UsageError(fmt::format("--map is forward, dx or dw, not '{}'", options.map));
  if (options.most < 1)
    throw UsageError(fmt::format("--most must be at least 1, got {}", options.most));
}

// What the schedules are of: the layer, the target, and what was not said but taken.
struct Prediction {
  algebras::Layer layer;
  std::string target, note;
  CpuMachine cpu;
  algebras::DataType output;
  algrt::Map map;
};

bool isGpu(const Prediction &made) { return entryOf(targetNamed(made.target)).isGpu(); }

// A layer without a type has the one that the target computes in; without a target either, or with a type,
// the target is the one that computes in that type.
Prediction predictionOf(const CostCommand &options) {
  const Spec spec = loadSpec(options.spec);
  Prediction made{requireLayer(spec),           options.target, "", {}, algebras::DataType::F32,
                  *algrt::mapNamed(options.map)};
  algebras::DataType &dtype = made.layer.dtype;
  if (made.target.empty()) {
    made.target = dtype == algebras::DataType::F32 ? toString(Target::Cpu) : usualGpuTarget().name;
    made.note = fmt::format("no --target: {}, for a layer in {}{}", made.target, toString(dtype),
                            saysDtype(options.spec) ? "" : ", as layers without --dtype are");
  } else if (isGpu(made) && !saysDtype(options.spec)) {
    dtype = algebras::DataType::BF16;
    made.note = fmt::format("no --dtype: bf16, in which kernels of {} compute", made.target);
  }
  auto given = [&](const char *name) { return options.command->get_option(name)->count() > 0; };
  if (!isGpu(made) && given("--y-dtype"))
    throw UsageError("--y-dtype is for GPUs; results on the CPU have the type of the layer");
  for (const char *name : {"--cores", "--machine"})
    if (isGpu(made) && given(name))
      throw UsageError(fmt::format("{} is for the target cpu, not {}: of a GPU the model is of one device",
                                   name, made.target));
  made.cpu = options.machine.empty() ? hostMachine() : readMachine(options.machine);
  if (given("--cores")) {
    made.cpu.cores = options.cores;
    made.cpu.whose = "--cores";
  }
  made.output = !isGpu(made)               ? dtype
                : options.y_dtype == "f32" ? algebras::DataType::F32
                                           : algebras::DataType::BF16;
  return made;
}

// "Q(2) as a projection 64 -> 64, gradient of X, bf16 to f32".
std::string title(const Prediction &made) {
  static const char *const of[] = {"", "gradient of X, ", "gradient of W, "};
  const algebras::Layer &layer = made.layer;
  return fmt::format("{} as a projection {} -> {}, {}{} to {}", layer.lift.algebra().name(), layer.in.total(),
                     layer.out.total(), of[static_cast<int>(made.map)], toString(layer.dtype),
                     toString(made.output));
}

// The title, and under it what was taken.
std::string withNote(const std::string &title, const Prediction &made) {
  return made.note.empty() ? title : fmt::format("{}\n{}", title, made.note);
}

nlohmann::ordered_json withNote(nlohmann::ordered_json json, const Prediction &made) {
  json["note"] = made.note.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(made.note);
  return json;
}

int schedules(const CostCommand &options) {
  const Prediction made = predictionOf(options);
  const algebras::Layer &layer = made.layer;
  const Ranking ranking = rankMap(layer, made.map, made.target, options.m, made.output, made.cpu);
  RankingView view{fmt::format("{}, M = {}", title(made), options.m), options.most, options.illegal};
  // Of a layer that vector reductions can take, whatever M is asked for.
  if (isGpu(made) && made.map == algrt::Map::Forward &&
      bestReduction(rankSchedules(layer, made.target, 1, made.output)) != nullptr)
    view.batched_from = batchedFrom(layer, made.target, made.output);
  if (options.json) {
    printJson(withNote(rankingJson(ranking, view), made));
    return ExitCode::Done;
  }
  view.title = withNote(view.title, made);
  printText(rankingText(ranking, view));
  return ExitCode::Done;
}

int besideDense(const CostCommand &options) {
  const Prediction made = predictionOf(options);
  const algebras::Layer &layer = made.layer;
  const DenseComparison comparison =
      compareWithDense(layer, made.map, made.target, options.m, made.output, made.cpu);
  const std::string command = fmt::format("algctl compile \"Q(1)\" --in {} --out {} --dtype {}{} --target={}",
                                          layer.in.total(), layer.out.total(), toString(layer.dtype),
                                          layer.bias ? " --bias" : "", made.target),
                    what = title(made);
  if (options.json)
    printJson(withNote(denseComparisonJson(comparison, what, command), made));
  else
    printText(denseComparisonText(comparison, withNote(what, made), command));
  return ExitCode::Done;
}

// The schedules of the kernels of a program, one kernel after the other.
int schedulesOfProgram(const CostCommand &options, const ProgramPlan &plan, const std::string &target,
                       int64_t experts) {
  if (!entryOf(targetNamed(target)).isGpu())
    throw UsageError("--schedules of a program are those of a GPU: add --target sm_90a");
  if (options.p0 != 0)
    throw UsageError("--p0 does not go with --schedules");
  if (options.most < 1)
    throw UsageError(fmt::format("--most must be at least 1, got {}", options.most));
  const ProgramSchedulesView view{target, options.m, options.most, experts};
  if (options.json)
    printJson(programSchedulesJson(plan, view));
  else
    printText(programSchedulesText(plan, view));
  return ExitCode::Done;
}

// The steps of programs, on the target cpu unless another one is named.
int costOfProgram(const CostCommand &options, const Spec &spec, const ProgramTools &tools) {
  if (!tools.plan)
    throw AbsentError("this build has no compiler to read programs with");
  for (const char *name : {"--dense", "--tile", "--leaf", "--y-dtype", "--map", "--illegal"})
    if (options.command->get_option(name)->count() > 0)
      throw UsageError(fmt::format("{} is for one layer, and {} is a program", name, spec.source_name));
  if (!options.schedules && options.command->get_option("--most")->count() > 0)
    throw UsageError("--most goes with --schedules");
  requireTarget(options);
  CpuMachine cpu = options.machine.empty() ? hostMachine() : readMachine(options.machine);
  if (options.cores > 0) {
    cpu.cores = options.cores;
    cpu.whose = "--cores";
  }
  CompileOptions compile;
  apply(options.program, compile);
  compile.rows = options.m;
  const std::string target = options.target.empty() ? toString(Target::Cpu) : options.target;
  compile.targets = {targetNamed(target)};
  const ProgramPlan plan = tools.plan(spec, compile);
  if (options.schedules)
    return schedulesOfProgram(options, plan, target, compile.experts);
  const std::vector<ProgramCost> costs =
      costOfPrograms(plan, target, options.m, options.p0, cpu, compile.experts);
  if (options.json)
    printJson(programCostJson(plan, costs));
  else
    printText(programCostText(plan, costs));
  return ExitCode::Done;
}

int cost(const CostCommand &options, const ProgramTools &tools) {
  if (options.m < 1)
    throw UsageError(fmt::format("--m must be at least 1, got {}", options.m));
  if (options.p0 < 0)
    throw UsageError(fmt::format("--offset is {}: positions count from 0", options.p0));
  if (const Spec spec = loadSpec(options.spec); spec.program)
    return costOfProgram(options, spec, tools);
  requireNone(options.program, options.spec.spec);
  requireScheduleOptions(options);
  if (options.schedules)
    return schedules(options);
  if (options.dense)
    return besideDense(options);
  algebras::cost::CostOptions cost_options;
  readTriple(options.tile, "--tile", cost_options.tile.rows, cost_options.tile.columns,
             cost_options.tile.depth);
  readTriple(options.leaf, "--leaf", cost_options.leaf.m, cost_options.leaf.k, cost_options.leaf.n);
  Spec spec = loadSpec(options.spec);
  algebras::cost::CostReport report =
      algebras::cost::costReport(requireLayer(spec), options.m, options.p0, cost_options);
  if (options.json)
    printJson(algebras::cost::toJson(report));
  else
    printText(costText(report));
  return ExitCode::Done;
}

} // namespace

void addCost(CLI::App &app, Session &session, const ProgramTools &tools) {
  auto options = std::make_shared<CostCommand>();
  CLI::App *command =
      app.add_subcommand("cost", "Count the products, bytes and parameters of a layer; predict programs");
  addSpecOptions(*command, options->spec);
  wholeNumber(command->add_option("--m,-m", options->m, "rows of the batch"))->required()->type_name("M");
  wholeNumber(command->add_option("--p0,--offset", options->p0, "absolute position of the first row"))
      ->type_name("P");
  wholeNumber(
      command->add_option("--tile", options->tile, "tile that padding is counted for, default 128,128,1"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ROWS,COLUMNS,DEPTH");
  wholeNumber(
      command->add_option("--leaf", options->leaf, "least efficient block product, default 128,128,128"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("M,K,N");
  command->add_flag("--json", options->json, "print one JSON object");
  options->command = command;
  const std::string group = "Schedules";
  command
      ->add_flag("--schedules", options->schedules, "rank the schedules of a target by what they would cost")
      ->group(group);
  command
      ->add_flag(
          "--dense", options->dense,
          "compare the best schedules with those of the dense projection, for 1, 2, 4, ... up to M rows")
      ->group(group);
  command
      ->add_option("--target", options->target,
                   fmt::format("{}; without it {} for a layer in f32, {} for one in bf16",
                               fmt::join(targetNames(), ", "), toString(Target::Cpu), usualGpuTarget().name))
      ->type_name("NAME")
      ->group(group);
  wholeNumber(command->add_option("--cores", options->cores,
                                  "target cpu: cores of the machine; without it those of this one"))
      ->type_name("N")
      ->group(group);
  command
      ->add_option("--machine", options->machine,
                   "target cpu: another machine, described by what algctl doctor --json printed there")
      ->type_name("FILE")
      ->group(group);
  command->add_option("--y-dtype", options->y_dtype, "elements of Y on a GPU, bf16 or f32")
      ->type_name("TYPE")
      ->capture_default_str()
      ->group(group);
  command
      ->add_option("--map", options->map,
                   "what the schedules are of: forward, or the gradients dx of X and dw of W")
      ->type_name("MAP")
      ->capture_default_str()
      ->group(group);
  wholeNumber(command->add_option("--most", options->most, "schedules to list, from the best one on"))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command->add_flag("--illegal", options->illegal, "list those that were left out, each with its reason")
      ->group(group);
  addProgramOptions(*command, options->program);
  command->footer(R"help(Examples:
  algctl cost examples/qwen3-1.7b-up.toml --m 2048
  algctl cost "Q(2)^2" --in 768 --out 1536 --row-types "interval(192)" --m 768 --json
  algctl cost "Q(3)" --in-groups 640,512,896 --out-groups 2048,2048,2048 --m 100 --p0 7
  algctl cost examples/qwen3-1.7b-up.toml --m 2048 --schedules --most 5
  algctl cost examples/qwen3-1.7b-up.toml --m 2048 --schedules --map dx
  algctl cost examples/swiglu.toml --m 2048 --target sm_90a --schedules --most 5
  algctl cost examples/qwen3-1.7b-up.toml --m 4096 --dense --target=sm_80
  algctl cost examples/swiglu.toml --m 2048 --target sm_90a --program-maps forward,backward
  algctl cost examples/swiglu.toml --hidden 768 --m 2048 --target sm_90a --experts 64
  algctl cost "Q(16)" --in 2048 --out 6144 --m 2048 --dense --cores 64      f32, on a CPU with 64 cores
  algctl cost "Q(16)" --in 2048 --out 6144 --m 2048 --dense --machine doctor.json
  algctl cost examples/qwen3-1.7b-up.toml --m 2048 --schedules --map dw --y-dtype f32)help");
  command->callback(
      [&session, options, tools] { session.run = [options, tools] { return cost(*options, tools); }; });
}

} // namespace compiler
