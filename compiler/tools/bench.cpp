// algctl bench: a bundle against a dense library. The measuring is the runtime's.
#include "compiler/tools/commands.h"

#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"
#include "runtime/bench/bench.h"
#include "runtime/bench/progress.h"
#include "runtime/bench/table.h"
#include "runtime/bundle/bundle.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

struct BenchCommand {
  std::vector<std::string> bundles;
  std::vector<std::int64_t> m = {2048};
  std::string table, folder, dtype, against = "dense";
  int trials = 15, threads = 0;
  std::int64_t flush_mib = 0;
  bool json = false;
};

struct Job {
  std::string bundle, name;
  std::int64_t m = 0;
};

void listJobs(const BenchCommand &options, std::vector<Job> &jobs, std::vector<algrt::TableMatch> &skipped) {
  for (const std::string &bundle : options.bundles)
    for (std::int64_t m : options.m)
      jobs.push_back({bundle, "", m});
  if (options.table.empty())
    return;
  std::optional<std::string> dtype;
  if (!options.dtype.empty())
    dtype = options.dtype;
  for (const algrt::TableMatch &match :
       algrt::matchTable(algrt::readTable(options.table), options.folder, dtype)) {
    if (match.skipped.empty())
      jobs.push_back({match.bundle_path, match.row.name, match.row.m});
    else
      skipped.push_back(match);
  }
}

nlohmann::ordered_json asJson(const algrt::Machine &machine, const std::vector<algrt::BenchCase> &cases,
                              const std::vector<algrt::TableMatch> &skipped) {
  nlohmann::ordered_json json;
  json["machine"] = algrt::toJson(machine);
  json["cases"] = nlohmann::ordered_json::array();
  for (const algrt::BenchCase &result : cases)
    json["cases"].push_back(algrt::toJson(result));
  json["skipped"] = nlohmann::ordered_json::array();
  for (const algrt::TableMatch &match : skipped)
    json["skipped"].push_back(
        {{"case", match.row.name}, {"map", match.row.map}, {"m", match.row.m}, {"reason", match.skipped}});
  return json;
}

int bench(const BenchCommand &options) {
  if (options.bundles.empty() == options.table.empty())
    throw UsageError("give bundles, or --table with --bundles");
  if (!options.table.empty() && options.folder.empty())
    throw UsageError("--table needs --bundles, the folder with the compiled bundles");
  for (std::int64_t m : options.m)
    if (m < 1)
      throw Failure(fmt::format("--m is {}: a batch needs at least one row", m));

  std::vector<Job> jobs;
  std::vector<algrt::TableMatch> skipped;
  listJobs(options, jobs, skipped);

  // Before the machine is measured, which takes seconds: are these bundles?
  for (const Job &job : jobs)
    algrt::Bundle::open(job.bundle);

  algrt::BenchOptions measured;
  measured.trials = options.trials;
  measured.threads = options.threads;
  measured.against_dense = options.against == "dense";
  measured.flush_bytes = options.flush_mib << 20;
  std::optional<algrt::ProgressBar> bar(std::in_place);
  std::vector<algrt::BenchCase> cases;
  measured.progress = [&](double fraction, const std::string &what) {
    bar->show((static_cast<double>(cases.size()) + fraction) /
                  static_cast<double>(std::max<std::size_t>(jobs.size(), 1)),
              what);
  };

  algrt::Bench bench(measured);
  for (const Job &job : jobs) {
    cases.push_back(bench.measure(job.bundle, job.m));
    if (!job.name.empty())
      cases.back().name = job.name;
  }
  bar.reset(); // its line is gone before the results are printed

  if (options.json) {
    fmt::print("{}\n", asJson(bench.machine(), cases, skipped).dump(2));
    return kDone;
  }
  fmt::print("{}", algrt::textTable(cases));
  for (const algrt::TableMatch &match : skipped)
    fmt::print("skipped {}, {} rows: {}\n", match.row.name, match.row.m, match.skipped);
  return kDone;
}

} // namespace

void addBench(CLI::App &app, Session &session) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App *command = app.add_subcommand("bench", "Measure bundles against a dense library");
  command->add_option("BUNDLE", options->bundles, "files that compile wrote")->type_name("");
  wholeNumber(command->add_option("--m,-m", options->m, "rows, or several numbers of them (default 2048)"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("M,...");
  command->add_option("--table", options->table, "measure every row of a table with columns m, k, n, q")
      ->type_name("FILE.csv");
  command->add_option("--bundles", options->folder, "folder of the bundles for --table")->type_name("FOLDER");
  command->add_option("--dtype", options->dtype, "only bundles of this element type, for --table")
      ->check(CLI::IsMember({"f32", "bf16"}))
      ->type_name("TYPE");
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
  algctl bench --table projections.csv --bundles build/bundles --dtype bf16)help");
  command->callback([&session, options] { session.run = [options] { return bench(*options); }; });
}

} // namespace compiler
