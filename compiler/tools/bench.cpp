// algctl bench: a bundle against a dense library. The measuring is the runtime's.
#include "compiler/tools/bench_jobs.h"
#include "compiler/tools/commands.h"

#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"
#include "runtime/bench/bench.h"
#include "runtime/bench/progress.h"
#include "runtime/bench/report.h"

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
  std::vector<std::int64_t> m = {2048};
  std::string table, folder, against = "dense";
  int trials = 15, threads = 0;
  std::int64_t flush_mib = 0;
  bool json = false;
};

int bench(const BenchCommand &options, const BundleCompiler &compile, const std::string &command) {
  if (options.products.empty() == options.table.empty())
    throw UsageError("give specs or bundles, or a table with --table");
  if (!options.folder.empty() && options.table.empty())
    throw UsageError("--bundles belongs to --table");
  for (std::int64_t m : options.m)
    if (m < 1)
      throw Failure(fmt::format("--m is {}: a batch needs at least one row", m));

  TemporaryFolder scratch;
  BenchJobs list;
  list.add(options.products, options.m, options.layer, compile, scratch.path());
  if (!options.table.empty() && !options.folder.empty())
    list.addTable(options.table, options.folder, options.layer.dtype);
  else if (!options.table.empty())
    list.addTable(options.table, options.layer.dtype, compile, scratch.path());
  const std::vector<BenchJob> &jobs = list.jobs;

  algrt::BenchOptions measured;
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
                  static_cast<double>(std::max<std::size_t>(jobs.size(), 1)),
              what);
  };

  algrt::Bench bench(measured);
  for (const BenchJob &job : jobs) {
    report.cases.push_back(bench.measure(job.bundle, job.m));
    if (!job.name.empty())
      report.cases.back().name = job.name;
  }
  bar.reset(); // its line is gone before the results are printed

  report.machine = bench.machine();
  fmt::print("{}", options.json ? algrt::toJson(report).dump(2) + "\n" : algrt::text(report));
  return kDone;
}

} // namespace

void addBench(CLI::App &app, Session &session, const BundleCompiler &compile) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App *command = app.add_subcommand("bench", "Measure layers against a dense library");
  command->add_option("SPEC|BUNDLE", options->products, "files that compile wrote, or specs to compile first")
      ->type_name("");
  addLayerOptions(*command, options->layer);
  wholeNumber(command->add_option("--m,-m", options->m, "rows, or several numbers of them (default 2048)"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("M,...");
  command->add_option("--table", options->table, "measure every row of a table with columns m, k, n, q")
      ->type_name("FILE.csv");
  command
      ->add_option(
          "--bundles", options->folder,
          "folder of compiled bundles for --table; otherwise each row is compiled as Q(q), in bf16 unless "
          "--dtype or the table says f32")
      ->type_name("FOLDER");
  command->add_option("--against", options->against, "dense (default) or none")
      ->check(CLI::IsMember({"dense", "none"}))
      ->type_name("BASELINE");
  wholeNumber(command->add_option("--trials", options->trials, "trials per measurement (default 15)"))
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  wholeNumber(
      command->add_option("--threads", options->threads, "threads for both sides, 0 (default) for all"))
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  wholeNumber(
      command->add_option("--flush-mib", options->flush_mib, "size of the buffer that empties the caches"))
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20))
      ->type_name("MIB");
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(R"help(Results are checked against a double-precision evaluation before anything is timed.

Examples:
  algctl bench up.alg --m 2048
  algctl bench up.alg down.alg --m 1,32,2048 --json
  algctl bench "Q(16)" --in 2048 --out 768 --dtype bf16 --m 512
  algctl bench --table projections.csv --dtype f32
  algctl bench --table projections.csv --bundles build/bundles)help");
  command->callback([&session, options, compile] {
    session.run = [&session, options, compile] { return bench(*options, compile, session.command); };
  });
}

} // namespace compiler
