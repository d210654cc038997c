// algctl bench on programs: those of bundles, of specs and of the networks of a table.
#include "compiler/tools/bench_command.h"
#include "compiler/tools/bench_jobs.h"
#include "compiler/tools/bench_program.h"

#include "algebras/expression.h"
#include "compiler/pipeline/program_cost.h"
#include "compiler/process/failure.h"
#include "compiler/schedule/targets.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/run_program.h"
#include "runtime/bench/progress.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {

// The spec where a product is one of programs.
static std::optional<Spec> programSpecOf(const BenchCommand &options, const std::string &product) {
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
// operation, for the rows of one expert, and the activation of a feed-forward network. The files have the
// names by which NetworkBundles finds them beside the first.
static ProgramBenchSource compiledSource(const BenchCommand &options, const Spec &spec, int64_t m,
                                         int64_t experts, const BundleCompiler &compile,
                                         const ProgramTools &tools, const std::filesystem::path &folder) {
  requireCompilable(spec);
  ProgramBenchSource source;
  const std::string target = options.target.empty() ? "cpu" : options.target;
  BenchCompilation how{target,         m,      {}, !options.no_cache, programMapsOf(options.program_maps),
                       Fusing::Layers, experts};
  const auto compiled = [&](const char *name) -> std::string {
    const std::string path = folder / name;
    compile(spec, how, path);
    return path;
  };
  source.bundle = compiled("program.alg");
  how.fusing = Fusing::Products;
  source.steps = compiled("program-steps.alg");
  if (experts == 0) {
    how.fusing = Fusing::Nothing;
    source.apart = compiled("program-apart.alg");
  } else {
    how.fusing = Fusing::Layers;
    how.experts = 0;
    how.m = std::max<int64_t>(1, m / experts);
    source.each = compiled("program-each.alg");
  }
  if (const auto *network = std::get_if<Swiglu>(&*spec.program)) {
    source.network = *network;
    Spec activation;
    activation.source_name = "the activation";
    activation.program = tools.activation(*network);
    source.activation = folder / "program-activation.alg";
    compile(activation, {target, m, {}, !options.no_cache}, source.activation);
  }
  return source;
}

// The network that a row of a table with the map ffn names: widths k, n and k, over Q(q).
static Spec networkOf(const algrt::TableRow &row, const std::string &dtype) {
  Spec spec;
  spec.source_name = row.name;
  spec.algebra = algebras::parseExpression(fmt::format("Q({})", row.q));
  const auto cut = [&](int64_t width, const char *column) {
    return algebras::Groups::equal(row.q, dividedColumn(row, width, column) / row.q);
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

int benchOnPrograms(const BenchCommand &options, const std::vector<algrt::TableRow> &table,
                    const BundleCompiler &compile, const ProgramTools &tools) {
  if (!table.empty() && !compile)
    throw AbsentError("this build has no compiler to make bundles for a table");
  const int64_t experts = options.experts.value_or(0);
  if (experts > 0 && options.program_maps)
    throw UsageError("experts are measured forward; leave out --program-maps");
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
  const auto measure = [&](const ProgramBenchSource &source, int64_t m, int64_t of_experts) {
    for (ProgramBenchCase &one : bench.measure(source, m, of_experts))
      cases.push_back(std::move(one));
  };
  for (const std::string &product : options.products)
    for (const int64_t m : options.m) {
      ProgramBenchSource source;
      source.bundle = product;
      source.of_bundle = true;
      if (const std::optional<Spec> spec = programSpecOf(options, product))
        source = compiledSource(options, *spec, m, experts, compile, tools, scratch.path());
      source.name = product.substr(product.rfind('/') + 1);
      measure(source, m, experts);
    }
  for (const algrt::TableRow &row : table) {
    ProgramBenchSource source = atRowOf(options.table, row, [&] {
      return compiledSource(options, networkOf(row, options.layer.dtype), row.m, row.experts, compile, tools,
                            scratch.path());
    });
    source.name = row.name;
    source.published = row.published;
    measure(source, row.m, row.experts);
  }
  bar.reset();
  if (cases.empty() && !bench.skipped().empty()) {
    const SkippedProgram &first = bench.skipped().front();
    throw UsageError(
        fmt::format("--experts does not go with program {} of {}: {}", first.program, first.name, first.why));
  }
  if (options.json)
    printJson(programBenchJson(cases, bench.skipped()));
  else
    printText(programBenchText(cases, bench.skipped()));
  return ExitCode::Done;
}

// What the cost model expects of a network's program, in microseconds.
static double predictedOnGpu(const BenchCommand &options, const Spec &spec, int64_t m, int64_t experts,
                             const ProgramTools &tools) {
  CompileOptions compile;
  compile.rows = m;
  compile.experts = experts;
  compile.targets = {targetNamed(options.target)};
  return costOfPrograms(tools.plan(spec, compile), options.target, m, 0, hostMachine(), experts)
      .front()
      .predicted();
}

int benchNetworksOnGpu(const BenchCommand &options, const std::vector<algrt::TableRow> &table,
                       const BundleCompiler &compile, const ProgramTools &tools, const std::string &command) {
  if (options.program_maps)
    throw UsageError("on a GPU networks are measured forward; leave out --program-maps");
  TemporaryFolder scratch;
  std::vector<algrt::TableMatch> cases;
  std::optional<algrt::Activation> activation;
  const auto add = [&](algrt::TableRow row, const Spec &spec) {
    const auto *network = std::get_if<Swiglu>(&*spec.program);
    if (network == nullptr)
      throw AbsentError(fmt::format("{}: on a GPU feed-forward networks are measured, of [program] kind = "
                                    "\"swiglu\"; algctl cost predicts the steps of others",
                                    row.name));
    if (activation.value_or(network->activation) != network->activation)
      throw UsageError("networks of different activations are measured one call after the other");
    activation = network->activation;
    const std::filesystem::path folder = scratch.path() / std::to_string(cases.size());
    std::filesystem::create_directory(folder);
    row.map = algrt::network_map;
    row.predicted_us = predictedOnGpu(options, spec, row.m, row.experts, tools);
    cases.push_back(
        {row, compiledSource(options, spec, row.m, row.experts, compile, tools, folder).bundle, ""});
  };
  for (const std::string &product : options.products)
    for (const int64_t m : options.m) {
      algrt::TableRow row;
      row.name = product.substr(product.rfind('/') + 1);
      row.m = m;
      row.experts = options.experts.value_or(0);
      if (const std::optional<Spec> spec = programSpecOf(options, product); !spec) {
        row.map = algrt::network_map;
        cases.push_back({row, product, ""});
      } else if (!compile) {
        throw AbsentError("this build has no compiler to make bundles of a program");
      } else {
        add(row, *spec);
      }
    }
  if (!table.empty() && !compile)
    throw AbsentError("this build has no compiler to make bundles for a table");
  for (const algrt::TableRow &row : table)
    atRowOf(options.table, row, [&] { add(row, networkOf(row, options.layer.dtype)); });
  return measureOnGpu(options, cases, command, activation.value_or(algrt::Activation::Silu));
}

std::vector<algrt::TableRow> networksOf(const std::string &table) {
  std::vector<algrt::TableRow> rows = algrt::readTable(table);
  const bool all =
      std::ranges::all_of(rows, [](const algrt::TableRow &row) { return row.map == algrt::network_map; });
  return all ? rows : std::vector<algrt::TableRow>();
}

} // namespace compiler
