// algctl bench: a bundle against a dense library. The measuring is the runtime's.
#include "compiler/tools/bench_command.h"
#include "compiler/tools/bench_jobs.h"

#include "algebras/expression.h"
#include "compiler/pipeline/program_cost.h"
#include "compiler/process/failure.h"
#include "compiler/schedule/cpu_prediction.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/targets.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/run_program.h"
#include "runtime/bench/bench.h"
#include "runtime/bench/gpu/measure_cases.h"
#include "runtime/bench/progress.h"
#include "runtime/bench/report.h"
#include "runtime/bench/workload.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

// What the cost model expects of a case on a GPU, in microseconds, with results in bf16: of each map's
// cheapest schedule, one after the other.
double predictedOnGpu(const algebras::Layer &layer, const std::string &map, int64_t m,
                      const std::string &target) {
  double us = 0;
  for (const algrt::Map one : algrt::requireWorkload(map).maps) {
    const Ranking ranking = rankMap(layer, one, target, m, algebras::DataType::BF16);
    if (ranking.legal.empty())
      throw Failure(fmt::format("no schedule of {} is legal on {}", algrt::name(one), target));
    us += ranking.legal.front().predicted();
  }
  return us;
}

// What was skipped, then the jobs in their order.
std::vector<algrt::TableMatch> casesOf(const BenchJobs &list) {
  std::vector<algrt::TableMatch> cases = list.skipped;
  for (const BenchJob &job : list.jobs) {
    algrt::TableMatch match;
    match.row.name = job.name.empty() ? job.bundle.substr(job.bundle.rfind('/') + 1) : job.name;
    match.row.map = job.map;
    match.row.m = job.m;
    match.row.published = job.published;
    match.row.predicted_us = job.predicted_us;
    match.bundle_path = job.bundle;
    cases.push_back(match);
  }
  return cases;
}

// What the cost model expects of a case, in microseconds.
double predictedOnCpu(const algebras::Layer &layer, const std::string &map, int64_t m, int threads) {
  const algrt::Workload &workload = algrt::requireWorkload(map);
  // A step of training meets a weight matrix that has changed.
  const bool packed = workload.maps.size() == 1;
  double us = 0;
  for (const algrt::Map one : workload.maps)
    us += predictCpu(layer, one, packed, m, threads);
  return us;
}

int benchOnGpu(const BenchCommand &options, const BenchJobs &list, const std::string &command) {
  std::vector<algrt::TableMatch> cases = casesOf(list);
  for (size_t i = 0; i < list.jobs.size(); ++i)
    if (const BenchJob &job = list.jobs[i]; job.layer && algrt::isGpuTarget(list.target))
      cases[list.skipped.size() + i].row.predicted_us =
          predictedOnGpu(*job.layer, job.map, job.m, list.target);
  return measureOnGpu(options, cases, command, algrt::Activation::Silu);
}

int bench(const BenchCommand &options, const BundleCompiler &compile, const ProgramTools &tools,
          const std::string &command) {
  if (options.products.empty() == options.table.empty())
    throw UsageError("give specs or bundles, or a table with --table");
  if (!options.folder.empty() && options.table.empty())
    throw UsageError("--bundles belongs to --table");
  for (int64_t m : options.m)
    if (m < 1)
      throw UsageError(fmt::format("--m must be at least 1, got {}", m));

  for (const std::string &product : options.products)
    if (isBundle(product))
      refuseLayerOptions(options.layer, product);
  const auto of_programs = std::ranges::count_if(
      options.products, [&](const std::string &product) { return isOfPrograms(options, product); });
  if (of_programs > 0 && of_programs < static_cast<ptrdiff_t>(options.products.size()))
    throw UsageError(
        "programs and projections are measured against different things: give each a call of its own");
  std::vector<algrt::TableRow> networks;
  if (!options.table.empty() && options.folder.empty())
    networks = networksOf(options.table);
  requireExpertCount(options.experts);
  if (options.experts && !options.table.empty())
    throw UsageError("--experts is for specs and bundles; rows of a table say it in the column experts");
  if (of_programs > 0 && options.maps != std::vector<std::string>{"forward"})
    throw UsageError("--map is for layers; of programs say --program-maps");
  if (of_programs > 0 || !networks.empty())
    return algrt::isGpuTarget(options.target) ? benchNetworksOnGpu(options, networks, compile, tools, command)
                                              : benchOnPrograms(options, networks, compile, tools);
  if (options.experts)
    throw UsageError("--experts is for feed-forward networks");
  if (options.program_maps)
    throw UsageError("--program-maps is for programs; say --map of projections");
  TemporaryFolder scratch;
  BenchJobs list;
  list.use_cache = !options.no_cache;
  list.target = options.target.empty() ? "cpu" : options.target;
  list.add(options.products, options.m, options.maps, options.layer, compile, scratch.path());
  if (!options.table.empty() && !options.folder.empty())
    list.addTable(options.table, options.folder, options.layer.dtype);
  else if (!options.table.empty())
    list.addTable(options.table, options.layer.dtype, compile, scratch.path());
  std::string why_not;
  if (algrt::measuresOnGpu(options.target, casesOf(list), options.device, why_not))
    return benchOnGpu(options, list, command);
  if (!why_not.empty())
    printWarning(fmt::format("measuring on the CPU: {}", why_not));
  list.leaveNetworksOut();
  const std::vector<BenchJob> &jobs = list.jobs;

  algrt::BenchOptions measured;
  if (options.trials != 0)
    measured.trials = options.trials;
  measured.threads = options.threads;
  measured.against_dense = options.against == "dense";
  measured.flush_bytes = options.flush_mib << 20;
  std::optional<algrt::ProgressBar> bar(std::in_place);
  algrt::BenchReport report;
  report.command = command;
  report.skipped = list.skipped;
  measured.progress = [&](double fraction, const std::string &what) {
    bar->show((static_cast<double>(report.cases.size()) + fraction) /
                  static_cast<double>(std::max<size_t>(jobs.size(), 1)),
              what);
  };

  for (const BenchJob &job : jobs)
    algrt::requireRoom(job.bundle, job.m, job.map, measured.threads);
  algrt::Bench bench(measured);
  for (const BenchJob &job : jobs) {
    report.cases.push_back(bench.measure(job.bundle, job.m, job.map));
    if (job.layer)
      report.cases.back().predicted_us = predictedOnCpu(*job.layer, job.map, job.m, bench.machine().threads);
    if (!job.name.empty())
      report.cases.back().name = job.name;
  }
  bar.reset(); // its line is gone before the results are printed

  report.machine = bench.machine();
  if (options.json)
    printJson(algrt::toJson(report));
  else
    printText(algrt::text(report));
  if (!report.cases.empty())
    return ExitCode::Done;
  printError("nothing was measured; the report says why");
  return ExitCode::Failed;
}

} // namespace

int measureOnGpu(const BenchCommand &options, const std::vector<algrt::TableMatch> &cases,
                 const std::string &command, algrt::Activation activation) {
  std::optional<algrt::ProgressBar> bar(std::in_place);
  algrt::GpuBenchOptions measured;
  measured.device = options.device;
  measured.target = options.target;
  measured.against_dense = options.against == "dense";
  measured.activation = activation;
  measured.check.threads = options.threads;
  if (options.trials != 0)
    measured.trials.evaluation_trials = options.trials;
  if (options.flush_mib != 0)
    measured.trials.flush_bytes = options.flush_mib << 20;
  measured.progress = [&](double fraction, const std::string &what) { bar->show(fraction, what); };
  const algrt::GpuReport report = algrt::measureOnGpu(measured, cases, command, {});
  bar.reset(); // its line is gone before the results are printed
  const nlohmann::ordered_json json = algrt::toJson(report);
  if (options.json)
    printJson(json);
  else
    printText(algrt::gpuText({json}) + "reproduce: " + command + "\n");
  if (!report.aborted.empty())
    throw Failure(fmt::format("the device failed, and what follows was not measured: {}", report.aborted));
  if (!report.anyWrong())
    return ExitCode::Done;
  printError("some kernels compute something else than the reference; they were not timed");
  return ExitCode::VerificationFailed;
}

void addBench(CLI::App &app, Session &session, const BundleCompiler &compile, const ProgramTools &tools) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App *command = app.add_subcommand("bench", "Measure layers against a dense library");
  command->add_option("SPEC|BUNDLE", options->products, "files that compile wrote, or specs to compile first")
      ->type_name("");
  addLayerOptions(*command, options->layer);
  CLI::Option *rows = command->add_option(
      "--m,-m", options->m, "rows, or several numbers of them (default 2048). Rows of a table say it");
  wholeNumber(rows)->delimiter(',')->allow_extra_args(false)->type_name("M,...");
  CLI::Option *maps =
      command
          ->add_option(
              "--map", options->maps,
              "forward (default), decode (each call begins at the next row type), dx, dw, or training "
              "(forward, dx and dw together). Rows of a table say it")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("MAP,...");
  command->add_option("--table", options->table, "measure every row of a table with columns m, k, n, q")
      ->type_name("FILE.csv")
      ->excludes(maps)
      ->excludes(rows);
  command
      ->add_option(
          "--bundles", options->folder,
          "folder of compiled bundles for --table; otherwise each row is compiled as Q(q), in bf16 unless "
          "--dtype or the table says f32")
      ->type_name("FOLDER");
  command->add_option("--against", options->against, "dense (default) or none")
      ->check(CLI::IsMember({"dense", "none"}))
      ->type_name("BASELINE");
  command
      ->add_option("--target", options->target,
                   fmt::format("cpu or a GPU target such as {}; specs are compiled for it, and bundles "
                               "measured there. Without it specs "
                               "are for the CPU, and bundles go to the GPU where they have kernels for it",
                               usualGpuTarget().name))
      ->type_name("TARGET");
  command->add_flag("--no-cache", options->no_cache, "compile specs anew; see algctl cache");
  wholeNumber(command->add_option("--device", options->device, "number of the CUDA device (default 0)"))
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  wholeNumber(
      command->add_option("--trials", options->trials, "trials per measurement (default 15, on a GPU 12)"))
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  wholeNumber(
      command->add_option("--threads", options->threads, "threads for both sides, 0 (default) for all"))
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  wholeNumber(command->add_option("--flush-mib", options->flush_mib,
                                  "size of the buffer that empties the caches (on a GPU 512)"))
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 20))
      ->type_name("MIB");
  addProgramMaps(*command, options->program_maps);
  wholeNumber(command->add_option("--experts", options->experts,
                                  "of a feed-forward network: its rows are divided among so many, each with "
                                  "weights of its own, and a call for each is measured, too"))
      ->type_name("N");
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      R"help(Programs are measured beside a step for each layer and the same operations as kernels of their own, and feed-forward
networks beside dense products, too. A table whose rows all have the map ffn is one of networks k -> n -> k.
Results are checked against a double-precision evaluation before anything is timed.

Examples:
  algctl bench up.alg --m 2048
  algctl bench up.alg down.alg --m 1,32,2048 --json
  algctl bench "Q(16)" --in 2048 --out 768 --dtype bf16 --m 512
  algctl bench up.alg --map dx,dw,training
  algctl bench examples/swiglu.toml --m 512 --program-maps forward,backward
  algctl bench examples/swiglu.toml --in 256 --hidden 512 --m 512 --experts 8
  algctl bench --table projections.csv --dtype f32
  algctl bench --table benchmarks/tables/swiglu_q32.csv --dtype f32
  algctl bench --table projections.csv --bundles build/bundles
  algctl bench "Q(32)" --in 2048 --out 6144 --dtype bf16 --target sm_90a    on a Hopper GPU
  algctl bench examples/swiglu.toml --m 2048,1 --target sm_90a
  algctl bench examples/swiglu.toml --m 2048 --experts 64 --target sm_90a)help");
  command->callback([&session, options, compile, tools] {
    session.run = [&session, options, compile, tools] {
      return bench(*options, compile, tools, session.command);
    };
  });
}

} // namespace compiler
