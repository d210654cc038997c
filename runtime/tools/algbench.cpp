// algbench: measures bundles against a dense library.
#include "runtime/bench/bench.h"
#include "runtime/bench/progress.h"
#include "runtime/bench/report.h"
#include "runtime/bench/table.h"
#include "runtime/bundle/bundle.h"
#include "runtime/support/error.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

constexpr int exit_failure = 1, exit_usage = 2, exit_absent = 4, exit_bug = 70;

struct Arguments {
  std::vector<std::string> bundles;
  std::string table, folder;
  std::vector<int64_t> m = {2048};
  std::string dtype;
  std::string against = "dense";
  int64_t flush_mib = 0;
  bool json = false;
  algrt::BenchOptions options;
};

void declare(CLI::App &app, Arguments &arguments) {
  app.add_option("bundles", arguments.bundles, "Bundles to measure")->type_name("BUNDLE");
  CLI::Option *table =
      app.add_option("--table", arguments.table,
                     "Measure every row of a CSV with the columns m, k, n, q (and case, map, dtype)")
          ->type_name("FILE.csv");
  app.add_option("--bundles", arguments.folder,
                 "Folder in which the rows of --table find their bundles (*.alg)")
      ->type_name("DIR")
      ->needs(table);
  app.add_option("--m", arguments.m, "Rows of x; several values measure each bundle several times")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  app.add_option("--trials", arguments.options.trials,
                 "Interleaved trials per case; fewer where they take minutes")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--threads", arguments.options.threads, "Threads of both sides, 0 = all")
      ->capture_default_str()
      ->check(CLI::Range(0, 65536));
  app.add_option("--dtype", arguments.dtype, "Only bundles of this type")
      ->check(CLI::IsMember({"f32", "bf16"}));
  app.add_option("--against", arguments.against, "What to compare with")
      ->capture_default_str()
      ->check(CLI::IsMember({"dense", "none"}));
  app.add_option("--flush-mib", arguments.flush_mib,
                 "Memory touched before each flushed call; 0 = a quarter more than the last-level cache")
      ->capture_default_str()
      ->check(CLI::Range(int64_t(0), int64_t(1) << 20));
  app.add_option("--seed", arguments.options.seed, "Seed of the random operands")->capture_default_str();
  app.add_flag("--json", arguments.json, "One JSON object on stdout instead of the table");
  app.footer(
      "Examples:\n"
      "  algbench up.alg --m 2048,1            the layer at 2048 rows and at one\n"
      "  algbench up.alg --threads 1 --json    on one thread, for a machine to read\n"
      "  algbench --table projection_q32.csv --bundles build/bundles --dtype bf16\n\n"
      "Times are medians over interleaved trials, with half the distance between the quartiles. Warm: the\n"
      "call before was the same one. Flushed: the caches were overwritten before. The floor is what the\n"
      "active MACs take at the dense library's rate, or the bytes at the machine's copy bandwidth,\n"
      "whichever is longer. Every result is checked against a double-precision reference first.");
}

std::vector<algrt::TableMatch> casesOf(const Arguments &arguments) {
  const std::optional<std::string> dtype =
      arguments.dtype.empty() ? std::nullopt : std::optional(arguments.dtype);
  if (!arguments.table.empty())
    return algrt::matchTable(algrt::readTable(arguments.table), arguments.folder, dtype);
  std::vector<algrt::TableMatch> cases;
  for (const std::string &path : arguments.bundles) {
    const algrt::Bundle bundle = algrt::Bundle::open(path);
    for (int64_t m : arguments.m) {
      algrt::TableMatch match;
      match.row.name = path.substr(path.rfind('/') + 1);
      match.row.m = m;
      if (dtype && *dtype != algrt::name(bundle.layer().dtype))
        match.skipped = std::string("its type is ") + algrt::name(bundle.layer().dtype);
      else
        match.bundle_path = path;
      cases.push_back(match);
    }
  }
  return cases;
}

int run(const Arguments &arguments, const std::string &command) {
  algrt::ProgressBar progress;
  algrt::BenchOptions options = arguments.options;
  options.against_dense = arguments.against == "dense";
  options.flush_bytes = arguments.flush_mib << 20;
  const std::vector<algrt::TableMatch> cases = casesOf(arguments);
  size_t done = 0;
  options.progress = [&](double fraction, const std::string &what) {
    progress.show((double(done) + fraction) / double(std::max<size_t>(1, cases.size())), what);
  };
  algrt::Bench bench(options);
  algrt::BenchReport report;
  report.command = command;
  for (const algrt::TableMatch &match : cases) {
    if (match.bundle_path.empty()) {
      report.skipped.push_back(match);
    } else {
      report.cases.push_back(bench.measure(match.bundle_path, match.row.m));
      report.cases.back().name = match.row.name;
      report.cases.back().map = match.row.map;
    }
    ++done;
  }
  report.machine = bench.machine();
  std::cout << (arguments.json ? toJson(report).dump(2) + "\n" : text(report));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Measures bundles of algctl against a dense library.", "algbench");
  Arguments arguments;
  declare(app, arguments);
  app.set_version_flag("--version", algrt_version());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : exit_usage;
  }
  if (arguments.table.empty() == arguments.bundles.empty() ||
      (!arguments.table.empty() && arguments.folder.empty())) {
    std::cerr << "algbench: name bundles, or --table FILE.csv with --bundles DIR; see algbench --help\n";
    return exit_usage;
  }
  try {
    return run(arguments, algrt::shellCommand("algbench", argc, argv));
  } catch (const algrt::Error &error) {
    std::cerr << "algbench: " << error.what() << "\n";
    return error.status() == ALGRT_UNSUPPORTED ? exit_absent : exit_failure;
  } catch (const std::bad_alloc &) {
    std::cerr << "algbench: out of memory: measure fewer rows\n";
    return exit_failure;
  } catch (const std::exception &error) {
    std::cerr << "algbench: " << error.what()
              << "\nThis is a bug in algbench: please report it with the command.\n";
    return exit_bug;
  }
}
