// algbench: measures bundles against a dense library.
#include "runtime/bench/bench.h"
#include "runtime/bench/gpu/measure_cases.h"
#include "runtime/bench/progress.h"
#include "runtime/bench/report.h"
#include "runtime/bench/table.h"
#include "runtime/bench/workload.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/gpu_targets.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "runtime/support/json_text.h"
#include "runtime/support/printable_text.h"
#include "runtime/support/standard_streams.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

namespace {

constexpr int exit_failure = 1, exit_usage = 2, exit_wrong = 3, exit_absent = 4, exit_bug = 70;

struct Arguments {
  std::vector<std::string> bundles;
  bool certificate = false;
  std::string table, folder;
  std::vector<int64_t> m = {2048};
  std::vector<std::string> maps = {"forward"};
  std::string dtype;
  std::string against = "dense";
  int trials = 0; // 0 = as many as the measurement has by itself
  int64_t flush_mib = 0, experts = 0;
  std::string activation = "silu";
  bool json = false;
  algrt::BenchOptions options;
  std::string target, json_file;
  int device = 0, row = 0;
  std::vector<std::string> reports;
};

void say(const std::string &message) { algrt::writeDiagnostic("algbench: " + message + "\n"); }

// The report has a place of its own on standard output.
std::string whyNoFile(const std::string &name) {
  return name.empty()  ? "the name of the file is empty"
         : name == "-" ? "the report goes to standard output with --json"
                       : "";
}

void declare(CLI::App &app, Arguments &arguments) {
  app.add_option("bundles", arguments.bundles, "Bundles to measure")->type_name("BUNDLE");
  CLI::Option *table =
      app.add_option(
             "--table", arguments.table,
             "Measure every row of a CSV with the columns m, k, n, q (and case, map, dtype, row_types, "
             "experts, predicted_us)")
          ->type_name("FILE.csv");
  app.add_option("--bundles", arguments.folder,
                 "Folder in which the rows of --table find their bundles (*.alg)")
      ->type_name("DIR")
      ->needs(table);
  app.add_option("--m", arguments.m, "Rows of x; several values measure each bundle several times")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  app.add_option("--map", arguments.maps,
                 "of a layer: forward, decode (rows begin at one type after the other), dx, dw or training "
                 "(forward, dx and "
                 "dw together). Rows of --table say it themselves")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("MAP,...")
      ->excludes(table);
  app.add_option("--experts", arguments.experts,
                 "On a GPU, of a network that is compiled for experts: among so many the rows are divided")
      ->excludes(table)
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  app.add_option("--activation", arguments.activation, "Of networks, what their results are checked with")
      ->capture_default_str()
      ->check(CLI::IsMember(algrt::activationNames()));
  CLI::Option *row = app.add_option("--row", arguments.row, "Only that row of the table, the first being 1");
  row->needs(table)->check(CLI::Range(1, 1 << 24));
  app.add_option("--target", arguments.target,
                 "cpu or a GPU target such as " + std::string(algrt::gpu_targets.back().name) +
                     "; without it the GPU where the bundles have kernels for it")
      ->type_name("TARGET");
  app.add_option("--device", arguments.device, "Number of the CUDA device")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 16));
  app.add_option("--trials", arguments.trials,
                 "Interleaved trials per case (15, on a GPU 12); on a CPU fewer where they take minutes")
      ->check(CLI::Range(1, 100000));
  app.add_option("--threads", arguments.options.threads, "Threads of both sides, 0 = all")
      ->capture_default_str()
      ->check(CLI::Range(0, 65536));
  app.add_option("--dtype", arguments.dtype, "Only bundles of this type")
      ->check(CLI::IsMember({"f32", "bf16"}));
  app.add_option("--against", arguments.against, "What to compare with")
      ->capture_default_str()
      ->check(CLI::IsMember({"dense", "none"}));
  app.add_option(
         "--flush-mib", arguments.flush_mib,
         "Memory touched before each flushed call; 0 = a quarter more than the last-level cache, on a "
         "GPU 512")
      ->capture_default_str()
      ->check(CLI::Range(int64_t(0), int64_t(1) << 20));
  app.add_option("--seed", arguments.options.seed, "Seed of the random operands")->capture_default_str();
  app.add_flag("--json", arguments.json, "One JSON object on stdout instead of the table");
  app.add_flag("--certificate", arguments.certificate,
               "Measure nothing: print the proof of the facts about the bundle's algebra, for algcheck");
  app.add_option("--json-file", arguments.json_file,
                 "Write the JSON object to that file too; on a GPU after every case, so that nothing "
                 "measured is lost")
      ->check(whyNoFile)
      ->type_name("FILE");
  app.add_option("--show", arguments.reports,
                 "Print the table of GPU reports written before, and measure nothing")
      ->type_name("FILE.json...");
  app.footer(
      "Examples:\n"
      "  algbench up.alg --m 2048,1            the layer at 2048 rows and at one\n"
      "  algbench up.alg --map dx,dw,training  the gradients, and a step of training\n"
      "  algbench up.alg --threads 1 --json    on one thread, for a machine to read\n"
      "  algbench --table projection_q32.csv --bundles build/bundles --dtype bf16\n"
      "  algbench up.alg --target=sm_90a --json-file up.json\n"
      "  algbench --show up.json down.json\n\n"
      "A program that is a feed-forward network is measured on a GPU (on a CPU that is what algctl bench\n"
      "does), beside what lies beside NAME.alg:\n"
      "NAME-steps.alg (compiled with --fuse products), NAME-apart.alg (--fuse nothing), of experts\n"
      "NAME-each.alg (without --experts), and dense products, between which NAME-activation.alg computes h\n"
      "from gate and up. In tables the map of such rows is ffn: k -> n -> k.\n\n"
      "Times are medians over interleaved trials, with half the distance between the quartiles. Warm: the\n"
      "call before was the same one. Flushed: the caches were overwritten before. The floor is what the\n"
      "active MACs take at the dense library's rate, or the bytes at the machine's copy bandwidth,\n"
      "whichever is longer. Every result is checked against a double-precision reference first.");
}

std::vector<algrt::TableMatch> casesOf(const Arguments &arguments) {
  const std::optional<std::string> dtype =
      arguments.dtype.empty() ? std::nullopt : std::optional(arguments.dtype);
  if (!arguments.table.empty()) {
    std::vector<algrt::TableRow> rows = algrt::readTable(arguments.table);
    if (arguments.row > int(rows.size()))
      throw algrt::Error(ALGRT_INVALID_ARGUMENT, arguments.table + " has " + std::to_string(rows.size()) +
                                                     " rows, --row asks for " +
                                                     std::to_string(arguments.row));
    if (arguments.row != 0)
      rows = {rows[size_t(arguments.row) - 1]};
    return algrt::matchTable(rows, arguments.folder, dtype);
  }
  std::vector<algrt::TableMatch> cases;
  for (const std::string &path : arguments.bundles) {
    const algrt::Bundle bundle = algrt::Bundle::open(path);
    const bool of_network = !bundle.hasProjection();
    if (of_network && arguments.maps != std::vector<std::string>{"forward"})
      throw algrt::Error(ALGRT_INVALID_ARGUMENT,
                         path + " holds programs, which are measured forward: leave out --map");
    for (int64_t m : arguments.m)
      for (const std::string &map : arguments.maps) {
        algrt::TableMatch match;
        match.row.name = path.substr(path.rfind('/') + 1);
        match.row.map = algrt::requireWorkload(map).name;
        match.row.m = m;
        if (of_network) {
          match.row.map = algrt::network_map;
          match.row.experts = arguments.experts;
        }
        if (!of_network && dtype && *dtype != algrt::name(bundle.layer().dtype))
          match.skipped = std::string("its type is ") + algrt::name(bundle.layer().dtype);
        else
          match.bundle_path = path;
        cases.push_back(match);
      }
  }
  return cases;
}

int measureOnCpu(const Arguments &arguments, std::vector<algrt::TableMatch> cases,
                 const std::string &command) {
  algrt::ProgressBar progress;
  algrt::BenchOptions options = arguments.options;
  options.against_dense = arguments.against == "dense";
  options.flush_bytes = arguments.flush_mib << 20;
  if (arguments.trials != 0)
    options.trials = arguments.trials;
  size_t done = 0;
  options.progress = [&](double fraction, const std::string &what) {
    progress.show((double(done) + fraction) / double(std::max<size_t>(1, cases.size())), what);
  };
  for (algrt::TableMatch &match : cases)
    if (match.row.map == algrt::network_map) {
      match.bundle_path.clear();
      match.skipped = algrt::why_no_network_on_cpu;
    }
  for (const algrt::TableMatch &match : cases)
    if (!match.bundle_path.empty())
      algrt::requireRoom(match.bundle_path, match.row.m, match.row.map, options.threads);
  algrt::Bench bench(options);
  algrt::BenchReport report;
  report.command = command;
  for (const algrt::TableMatch &match : cases) {
    if (match.bundle_path.empty()) {
      report.skipped.push_back(match);
    } else {
      report.cases.push_back(bench.measure(match.bundle_path, match.row.m, match.row.map));
      report.cases.back().name = match.row.name;
    }
    ++done;
  }
  report.machine = bench.machine();
  const std::string json = algrt::jsonText(toJson(report));
  if (!arguments.json_file.empty())
    algrt::writeFileByRename(arguments.json_file, json);
  algrt::writeStandardOutput(arguments.json ? json : algrt::printable(text(report)));
  if (!report.cases.empty())
    return 0;
  say("nothing was measured; the report says why");
  return exit_failure;
}

int measureOnGpu(const Arguments &arguments, const std::vector<algrt::TableMatch> &cases,
                 const std::string &command) {
  std::optional<algrt::ProgressBar> progress(std::in_place);
  algrt::GpuBenchOptions options;
  options.device = arguments.device;
  options.target = arguments.target;
  options.against_dense = arguments.against == "dense";
  options.seed = arguments.options.seed;
  options.check.threads = arguments.options.threads;
  options.activation = algrt::activationNamed(arguments.activation);
  if (arguments.trials != 0)
    options.trials.evaluation_trials = arguments.trials;
  if (arguments.flush_mib != 0)
    options.trials.flush_bytes = arguments.flush_mib << 20;
  options.progress = [&](double fraction, const std::string &what) { progress->show(fraction, what); };
  const auto save = [&](const algrt::GpuReport &report) {
    if (!arguments.json_file.empty())
      algrt::writeFileByRename(arguments.json_file, algrt::jsonText(toJson(report)));
  };
  const algrt::GpuReport report = algrt::measureOnGpu(options, cases, command, save);
  save(report);
  progress.reset(); // its line is gone before the results are printed
  algrt::writeStandardOutput(
      arguments.json ? algrt::jsonText(toJson(report))
                     : algrt::printable(algrt::gpuText({toJson(report)}) + "reproduce: " + command + "\n"));
  if (!report.aborted.empty()) {
    say("the device failed, and what follows was not measured: " + report.aborted);
    return exit_failure;
  }
  if (report.anyWrong())
    say("some kernels compute something else than the reference; they were not timed");
  return report.anyWrong() ? exit_wrong : 0;
}

int show(const std::vector<std::string> &files) {
  std::vector<nlohmann::ordered_json> reports;
  for (const std::string &file : files) {
    reports.push_back(nlohmann::ordered_json::parse(algrt::readFile(file), nullptr, false));
    if (reports.back().is_discarded())
      throw algrt::Error(ALGRT_INVALID_ARGUMENT, file + ": is not JSON");
  }
  algrt::writeStandardOutput(algrt::printable(algrt::gpuText(reports)));
  return 0;
}

int run(const Arguments &arguments, const std::string &command) {
  if (!arguments.reports.empty())
    return show(arguments.reports);
  const std::vector<algrt::TableMatch> cases = casesOf(arguments);
  std::string why_not;
  if (algrt::measuresOnGpu(arguments.target, cases, arguments.device, why_not))
    return measureOnGpu(arguments, cases, command);
  if (!why_not.empty())
    say("measuring on the CPU: " + why_not);
  return measureOnCpu(arguments, cases, command);
}

} // namespace

int main(int argc, char **argv) {
  algrt::openStandardStreams();
  algrt::installTerminateHandler("algbench", exit_failure, exit_bug, nullptr);
  CLI::App app("Measures bundles of algctl against a dense library.", "algbench");
  Arguments arguments;
  declare(app, arguments);
  app.set_version_flag("--version", algrt_version());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0) {
      say(error.what() + std::string("\nRun with --help for more information."));
      return exit_usage;
    }
    app.exit(error); // --help and --version
    if (std::cout.flush())
      return 0;
    say("cannot write to standard output");
    return exit_failure;
  }
  if (arguments.reports.empty() && (arguments.table.empty() == arguments.bundles.empty() ||
                                    (!arguments.table.empty() && arguments.folder.empty()))) {
    say("name bundles, or --table FILE.csv with --bundles DIR; see algbench --help");
    return exit_usage;
  }
  try {
    int code = 0;
    if (arguments.certificate)
      for (const std::string &path : arguments.bundles)
        algrt::writeStandardOutput(algrt::Bundle::open(path).certificate());
    else
      code = run(arguments, algrt::shellCommand("algbench", argc, argv));
    algrt::flushStandardOutput();
    return code;
  } catch (const algrt::Error &error) {
    say(error.what());
    return algrt::isAbsence(error.status()) ? exit_absent : exit_failure;
  } catch (const std::bad_alloc &) {
    say("out of memory: measure fewer rows");
    return exit_failure;
  } catch (const std::exception &error) {
    say(error.what() + std::string("\nThis is a bug in algbench: please report it with the command."));
    return exit_bug;
  }
}
