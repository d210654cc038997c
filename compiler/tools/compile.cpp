// algctl compile: a spec becomes a bundle.
#include "compiler/tools/commands.h"

#include "compiler/pipeline/pipeline.h"
#include "compiler/process/failure.h"
#include "compiler/schedule/dense_comparison.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/target_options.h"
#include "runtime/bench/progress.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>

namespace compiler {
namespace {

struct CompileCommand {
  SpecOptions spec;
  TargetOptions target;
  int64_t variants = 1;
  bool row_lists = false;
  ProgramOptions program;
  std::optional<std::string> maps;
  std::string y_dtype, output; // empty: not given
  int jobs = 0;
};

constexpr int64_t most_variants = 16;

bool namesGpu(const CompileOptions &options) {
  return std::any_of(options.targets.begin(), options.targets.end(),
                     [](Target target) { return entryOf(target).isGpu(); });
}

void addVariants(const CompileCommand &command, CompileOptions &options) {
  const bool gpu = namesGpu(options);
  if (command.variants < 1 || command.variants > most_variants)
    throw UsageError(fmt::format("--variants must be 1 to {}, got {}", most_variants, command.variants));
  const bool several = command.variants > 1 || !options.further_rows.empty();
  if (several && !gpu)
    throw UsageError("--variants, and several numbers of rows in --m, are for kernels of a GPU, which "
                     "--target does not name");
  if (several && !options.schedule.empty())
    throw UsageError("--schedule fixes the schedules of the kernels; leave it out, or --variants and all "
                     "but one number of rows in --m");
  options.variants = command.variants;
  if (command.row_lists && !gpu)
    throw UsageError(
        "--row-lists is for kernels of a GPU, which --target does not name; those for the CPU take "
        "rows at any positions");
  options.row_lists = command.row_lists;
}

std::vector<algrt::Map> mapsOf(const std::string &list) {
  std::vector<algrt::Map> maps;
  for (std::string &name : CLI::detail::split(list, ',')) {
    CLI::detail::trim(name);
    const std::optional<algrt::Map> map = algrt::mapNamed(name);
    if (!map)
      throw UsageError(fmt::format("--maps names '{}'; there are forward, dx and dw", name));
    if (std::find(maps.begin(), maps.end(), *map) == maps.end())
      maps.push_back(*map);
  }
  if (maps.empty())
    throw UsageError("--maps names no map; there are forward, dx and dw");
  return maps;
}

// A schedule by hand is for one map, since those of the others have other shapes.
void addScheduledMap(CompileOptions &options) {
  if (options.maps.size() == 1)
    options.scheduled_map = options.maps.front();
  else if (!options.schedule.empty() &&
           std::find(options.maps.begin(), options.maps.end(), algrt::Map::Forward) == options.maps.end())
    throw UsageError("--schedule is for the kernels of forward, or of the one map that --maps names; it "
                     "names several others");
}

void addResults(const std::string &y_dtype, CompileOptions &options) {
  if (y_dtype.empty())
    return;
  if (!namesGpu(options))
    throw UsageError("--y-dtype is for GPU targets; the CPU kernels write the layer's dtype");
  if (y_dtype != "bf16" && y_dtype != "f32")
    throw UsageError(fmt::format("--y-dtype must be bf16 or f32, got '{}'", y_dtype));
  options.results = {algebras::parseDataType(y_dtype)};
}

// Says for which rows and maps kernels of GPUs are expected to take longer than those of the dense
// projection.
void warnOfLosses(const algebras::Layer &layer, const CompileOptions &options) {
  constexpr double noticeable = 1.05; // the model is no better than that
  std::vector<int64_t> counts = options.further_rows;
  counts.insert(counts.begin(), options.rows);
  for (const Target target : options.targets) {
    if (!entryOf(target).isGpu())
      continue;
    const std::string &name = toString(target);
    std::vector<std::string> losses;
    for (const algrt::Map map : options.maps)
      for (const int64_t m : counts)
        if (const ComparedRows one = compareRows(layer, map, name, m, options.output);
            one.layer.us > noticeable * one.dense.us)
          losses.push_back(
              fmt::format("{} of {} rows ({:.2f} times)", algrt::name(map), m, one.layer.us / one.dense.us));
    if (!losses.empty())
      printWarning(fmt::format("on {} the dense projection {} -> {} is expected to take less time for {}; "
                               "algctl cost --dense --target={} compares them",
                               name, layer.in.total(), layer.out.total(), fmt::join(losses, ", "), name));
  }
}

int compile(const CompileCommand &command) {
  CompileOptions options = compileOptions(command.target);
  addVariants(command, options);
  options.maps = mapsOf(command.maps.value_or("forward,dx,dw"));
  addScheduledMap(options);
  addResults(command.y_dtype, options);
  apply(command.program, options);
  const Spec spec = loadSpec(command.spec);
  requireCompilable(spec);
  if (spec.program ? command.maps.has_value() : command.program.maps.has_value())
    throw UsageError(spec.program ? "--maps is for projections; say --program-maps of programs"
                                  : "--program-maps is for programs; say --maps of projections");
  if (!spec.program)
    requireNone(command.program, spec.source_name);
  if (options.experts > 0 && options.row_lists)
    throw UsageError("--row-lists does not go with --experts: kernels of these read positions in any case");
  if (spec.program && !command.y_dtype.empty())
    throw UsageError("--y-dtype is for projections; results of programs have the types that they say");
  OutputFile file(command.output, Contents::Binary);
  if (spec.layer && !spec.layer->lift.note().empty())
    printWarning(spec.layer->lift.note());
  options.threads = command.jobs;
  std::optional<algrt::ProgressBar> bar(std::in_place);
  options.progress = [&](size_t done, size_t total, const std::string &what) {
    bar->show(static_cast<double>(done) / static_cast<double>(total), what);
  };
  // Notes come after all jobs: the bar's line must be gone by then.
  options.note = [&](const std::string &what) {
    bar.reset();
    printWarning(what);
  };
  file.commit(compiledBundle(spec, options));
  bar.reset();
  if (options.schedule.empty() && spec.layer)
    warnOfLosses(*spec.layer, options);
  return ExitCode::Done;
}

} // namespace

void compileForBench(const Spec &spec, const BenchCompilation &how, const std::string &path) {
  const std::vector<std::string> &targets = targetNames();
  if (std::find(targets.begin(), targets.end(), how.target) == targets.end())
    throw UsageError(fmt::format("there is no target '{}' to compile for; there are {}", how.target,
                                 fmt::join(targets, ", ")));
  CompileOptions options;
  options.targets = {targetNamed(how.target)};
  options.rows = how.m;
  options.maps = how.maps;
  options.program_maps = how.program_maps;
  options.fusing = how.fusing;
  options.experts = how.experts;
  options.cache = how.use_cache ? userCache() : nullptr;
  options.note = [](const std::string &what) { printWarning(what); };
  requireCompilable(spec);
  compileBundle(spec, path, options);
}

void addCompile(CLI::App &app, Session &session) {
  auto command = std::make_shared<CompileCommand>();
  CLI::App *sub = app.add_subcommand(
      "compile", "Compile a layer or programs into a bundle of proof, manifest and kernels");
  addSpecOptions(*sub, command->spec);
  addTargetOptions(*sub, command->target);
  wholeNumber(sub->add_option("--variants", command->variants,
                              "kernels of a GPU for each number of rows: the best schedules that differ"))
      ->type_name("N")
      ->capture_default_str()
      ->group("Target");
  sub->add_flag("--row-lists", command->row_lists,
                "for GPUs, of each map one more kernel: for calls that say the position of every row, or the "
                "sequences of a ragged batch")
      ->group("Target");
  sub->add_option("--maps", command->maps,
                  "what kernels compute, separated by commas: forward, and for training the gradients dx of "
                  "X and dw of W")
      ->type_name("MAPS")
      ->default_str("forward,dx,dw")
      ->group("Target");
  sub->add_option(
         "--y-dtype", command->y_dtype,
         "elements of the results of GPU kernels, bf16 or f32; by default there are kernels for both")
      ->type_name("TYPE")
      ->group("Target");
  addProgramOptions(*sub, command->program);
  outputFile(sub->add_option("-o,--output", command->output, "the bundle to write, - for standard output"))
      ->type_name("BUNDLE")
      ->required();
  sub->add_option("-j,--jobs", command->jobs,
                  "kernels that are compiled at once; 0: as many as there are threads")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 65536));
  sub->footer(R"help(Examples:
  algctl compile examples/qwen3-1.7b-up.toml -o up.alg
  algctl compile "Q(2)^2" --in 768 --out 1536 --dtype f32 --row-types "interval(192)" -o ffn.alg
  algctl compile layer.toml --cpu x86-64-v3,x86-64-v4 -o portable.alg    kernels for two kinds of machine
  algctl compile layer.toml --target cpu,sm_90a -o up.alg                and for Hopper GPUs
  algctl compile layer.toml --target sm_90a --maps forward -o up.alg     for inference alone
  algctl compile layer.toml --target sm_90a --row-lists -o up.alg        for rows at any positions, too
  algctl compile examples/swiglu.toml --program-maps forward,backward -o swiglu.alg
  algctl compile program.mlir -o program.alg                             any functions of the dialect alg
  algctl compile layer.toml --target sm_90a --m 1,128,2048 --variants 3 -o up.alg    several kernels to choose from
  algctl compile layer.toml --target sm_90a --maps dx --y-dtype bf16 --schedule "rows=64;rows=128" -o dx.alg)help");
  sub->callback([&session, command] { session.run = [command] { return compile(*command); }; });
}

} // namespace compiler
