// algctl bench: a bundle against a dense library. The measuring is the runtime's.
#include "compiler/tools/bench_jobs.h"
#include "compiler/tools/bench_program.h"
#include "compiler/tools/commands.h"

#include "algebras/expression.h"
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

struct BenchCommand {
  std::vector<std::string> products;
  SpecOptions layer;
  std::vector<int64_t> m = {2048};
  std::vector<std::string> maps = {"forward"};
  std::string table, folder, against = "dense";
  std::string target;
  int device = 0;
  int trials = 0, threads = 0; // 0: as many trials as the measurement has by itself, all threads
  int64_t flush_mib = 0;
  std::string program_maps;
  bool json = false, no_cache = false;
};

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
  std::optional<algrt::ProgressBar> bar(std::in_place);
  algrt::GpuBenchOptions measured;
  measured.device = options.device;
  measured.target = options.target;
  measured.against_dense = options.against == "dense";
  measured.check.threads = options.threads;
  if (options.trials != 0)
    measured.trials.evaluation_trials = options.trials;
  if (options.flush_mib != 0)
    measured.trials.flush_bytes = options.flush_mib << 20;
  measured.progress = [&](double fraction, const std::string &what) { bar->show(fraction, what); };
  std::vector<algrt::TableMatch> cases = casesOf(list);
  for (size_t i = 0; i < list.jobs.size(); ++i)
    if (const BenchJob &job = list.jobs[i]; job.layer && algrt::isGpuTarget(list.target))
      cases[list.skipped.size() + i].row.predicted_us =
          predictedOnGpu(*job.layer, job.map, job.m, list.target);
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

// The spec where a product is one of programs.
std::optional<Spec> programSpecOf(const BenchCommand &options, const std::string &product) {
  if (isBundle(product))
    return std::nullopt;
  SpecOptions spec_options = options.layer;
  spec_options.spec = product;
  Spec spec = loadSpec(spec_options);
  return spec.program ? std::optional(std::move(spec)) : std::nullopt;
}

bool isOfPrograms(const BenchCommand &options, const std::string &product) {
  return isBundle(product) ? holdsProgramsAlone(product) : programSpecOf(options, product).has_value();
}

// What is measured of a spec of programs: compiled as it is, with a step for each layer, with a step for each
// operation, and the activation of a feed-forward network.
ProgramBenchSource compiledSource(const BenchCommand &options, const Spec &spec, int64_t m,
                                  const BundleCompiler &compile, const ProgramTools &tools,
                                  const std::filesystem::path &scratch) {
  requireCompilable(spec);
  ProgramBenchSource source;
  BenchCompilation how{"cpu", m, {}, !options.no_cache, programMapsOf(options.program_maps)};
  const auto compiled = [&](Fusing fusing, const char *name) -> std::string {
    how.fusing = fusing;
    const std::string path = scratch / name;
    compile(spec, how, path);
    return path;
  };
  source.bundle = compiled(Fusing::Layers, "fused.alg");
  source.steps = compiled(Fusing::Products, "steps.alg");
  source.apart = compiled(Fusing::Nothing, "apart.alg");
  if (const auto *network = std::get_if<Swiglu>(&*spec.program)) {
    source.network = *network;
    Spec activation;
    activation.source_name = "the activation";
    activation.program = tools.activation(*network);
    source.activation = scratch / "activation.alg";
    compile(activation, {"cpu", m, {}, !options.no_cache}, source.activation);
  }
  return source;
}

// The network that a row of a table with the map ffn names: widths k, n and k, over Q(q).
Spec networkOf(const algrt::TableRow &row, const std::string &dtype) {
  Spec spec;
  spec.source_name = row.name;
  spec.algebra = algebras::parseExpression(fmt::format("Q({})", row.q));
  const auto cut = [&](int64_t width, const char *column) {
    if (row.q < 1 || width % row.q != 0)
      throw Failure(
          fmt::format("{}: {} is {}, which {} groups do not divide", row.name, column, width, row.q));
    return algebras::Groups::equal(row.q, width / row.q);
  };
  const std::string type = !row.dtype.empty() ? row.dtype : dtype.empty() ? "bf16" : dtype;
  const Swiglu network{.lift = algebras::Lift::rows(*spec.algebra),
                       .in = cut(row.k, "k"),
                       .hidden = cut(row.n, "n"),
                       .out = cut(row.k, "k"),
                       .dtype = algebras::parseDataType(type),
                       .row_types = algebras::RowTypes::cyclic(row.q)};
  spec.program = network;
  return spec;
}

// Programs, each beside the same in steps and operations apart where there is a spec to compile them from,
// and networks beside dense products.
int benchOnPrograms(const BenchCommand &options, const std::vector<algrt::TableRow> &table,
                    const BundleCompiler &compile, const ProgramTools &tools) {
  if (!options.target.empty() && options.target != "cpu")
    throw AbsentError("programs are measured on the CPU alone; algctl cost predicts their steps on " +
                      options.target);
  if (!table.empty() && !compile)
    throw AbsentError("this build has no compiler to make bundles for a table");
  TemporaryFolder scratch;
  std::optional<algrt::ProgressBar> bar(std::in_place);
  ProgramBench::Options measured;
  measured.trials = options.trials != 0 ? options.trials : measured.trials;
  measured.threads = options.threads;
  measured.against_dense = options.against == "dense";
  measured.flush_bytes = options.flush_mib << 20;
  measured.progress = [&](double fraction, const std::string &what) { bar->show(fraction, what); };
  ProgramBench bench(measured, tools);
  std::vector<ProgramBenchCase> cases;
  const auto measure = [&](const ProgramBenchSource &source, int64_t m) {
    for (ProgramBenchCase &one : bench.measure(source, m))
      cases.push_back(std::move(one));
  };
  for (const std::string &product : options.products)
    for (const int64_t m : options.m) {
      ProgramBenchSource source;
      source.bundle = product;
      if (const std::optional<Spec> spec = programSpecOf(options, product))
        source = compiledSource(options, *spec, m, compile, tools, scratch.path());
      source.name = product.substr(product.rfind('/') + 1);
      measure(source, m);
    }
  for (const algrt::TableRow &row : table) {
    ProgramBenchSource source =
        compiledSource(options, networkOf(row, options.layer.dtype), row.m, compile, tools, scratch.path());
    source.name = row.name;
    source.published = row.published;
    measure(source, row.m);
  }
  bar.reset();
  if (options.json)
    printJson(programBenchJson(cases));
  else
    printText(programBenchText(cases));
  return ExitCode::Done;
}

// The rows of a table that has networks alone; empty where it has others, too.
std::vector<algrt::TableRow> networksOf(const std::string &table) {
  std::vector<algrt::TableRow> rows = algrt::readTable(table);
  const bool all =
      std::ranges::all_of(rows, [](const algrt::TableRow &row) { return row.map == algrt::network_map; });
  return all ? rows : std::vector<algrt::TableRow>();
}

int bench(const BenchCommand &options, const BundleCompiler &compile, const ProgramTools &tools,
          const std::string &command) {
  if (options.products.empty() == options.table.empty())
    throw UsageError("give specs or bundles, or a table with --table");
  if (!options.folder.empty() && options.table.empty())
    throw UsageError("--bundles belongs to --table");
  for (int64_t m : options.m)
    if (m < 1)
      throw Failure(fmt::format("--m is {}: a batch needs at least one row", m));

  const auto of_programs = std::ranges::count_if(
      options.products, [&](const std::string &product) { return isOfPrograms(options, product); });
  if (of_programs > 0 && of_programs < static_cast<ptrdiff_t>(options.products.size()))
    throw UsageError(
        "programs and projections are measured against different things: give each a call of its own");
  std::vector<algrt::TableRow> networks;
  if (!options.table.empty() && options.folder.empty())
    networks = networksOf(options.table);
  if (of_programs > 0 || !networks.empty())
    return benchOnPrograms(options, networks, compile, tools);
  if (!options.program_maps.empty())
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
  return ExitCode::Done;
}

} // namespace

void addBench(CLI::App &app, Session &session, const BundleCompiler &compile, const ProgramTools &tools) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App *command = app.add_subcommand("bench", "Measure layers against a dense library");
  command->add_option("SPEC|BUNDLE", options->products, "files that compile wrote, or specs to compile first")
      ->type_name("");
  addLayerOptions(*command, options->layer);
  wholeNumber(command->add_option("--m,-m", options->m, "rows, or several numbers of them (default 2048)"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("M,...");
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
      ->excludes(maps);
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
  algctl bench --table projections.csv --dtype f32
  algctl bench --table benchmarks/tables/swiglu_q32.csv --dtype f32
  algctl bench --table projections.csv --bundles build/bundles
  algctl bench "Q(32)" --in 2048 --out 6144 --dtype bf16 --target sm_90a    on a Hopper GPU)help");
  command->callback([&session, options, compile, tools] {
    session.run = [&session, options, compile, tools] {
      return bench(*options, compile, tools, session.command);
    };
  });
}

} // namespace compiler
