// algctl simulate: the GPU kernel of a layer on the simulator, on given or random data, compared with a
// reference.
#include "compiler/tools/commands.h"
#include "compiler/tools/target_options.h"

#include "compiler/bundle/layer_description.h"
#include "compiler/gpu_pipeline.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/simulator/simulate.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/text_file.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/run_arrays.h"
#include "compiler/tools/simulated_bias_gradient.h"
#include "runtime/cpu/row_types.h"
#include "runtime/numpy/npy.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

/// Bytes of a file that --kernel names; the module of a kernel has some hundred kilobytes.
constexpr std::int64_t kMostKernelText = std::int64_t{1} << 28;

struct SimulateCommand {
  SpecOptions spec;
  ArraySources sources;
  std::optional<std::int64_t> m;
  std::string target = "sm_90a", map = "forward", y_dtype = "bf16", schedule, kernel, output, dbias_output;
  std::int64_t offset = 0, seeds = 1, blocks = 3;
  float beta = 0;
  bool row_lists = false, json = false;
};

/// What all seeds together showed.
struct Findings {
  std::int64_t runs = 0, calls = 0, steps = 0;
  std::int64_t tiles = 0;
  std::uint32_t grid = 0;
  double seconds = 0, largest_error = 0, worst = 0;
  std::string failure; ///< of the first seed that failed; empty when all went well
  std::uint64_t failed_seed = 0;
  std::vector<nlohmann::ordered_json> faults; ///< of that seed
};

/// Those whose kernels the simulator runs: all GPUs.
std::vector<std::string> simulatedTargets() {
  std::vector<std::string> names;
  for (const std::string &name : targetNames())
    if (targetNamed(name) != Target::Cpu)
      names.push_back(name);
  return names;
}

void requireKnown(const SimulateCommand &command) {
  const std::vector<std::string> targets = simulatedTargets();
  if (std::find(targets.begin(), targets.end(), command.target) == targets.end())
    throw AbsentError(fmt::format("no simulator runs the target {}: there is one for {}", command.target,
                                  fmt::join(targets, " and ")));
  if (!algrt::mapNamed(command.map))
    throw AbsentError(fmt::format(
        "map {} is not one that the GPU kernels compute: they compute forward, dx and dw", command.map));
  if (command.offset < 0)
    throw Failure(fmt::format("--offset is {}: positions count from 0", command.offset));
  if (command.m && *command.m < 1)
    throw Failure(fmt::format("--m is {}: a batch needs at least one row", *command.m));
}

/// Whether a kernel that finds rows in a list is to be made of a layer whose types follow from positions:
/// where that is asked for, and where rows are not one after another and no vector reduction takes them.
bool wantsLists(const SimulateCommand &command, const algebras::Layer &layer) {
  using algebras::RowTypes;
  if (layer.lift.kind() == algebras::Lift::Kind::Slots || layer.row_types.kind() == RowTypes::Kind::Explicit)
    return false;
  const bool reduces = command.schedule.empty()
                           ? command.map == "forward" && layer.in.isEqual() && layer.out.isEqual()
                           : isReduction(command.schedule);
  const bool sequences = !command.sources.positions.sequence_starts.empty();
  return command.row_lists || (command.sources.positions.any() && (sequences || !reduces));
}

/// The module that is simulated: the one of --kernel, or what the compiler writes for the layer.
SimulatedKernel simulatedKernel(const SimulateCommand &command, const Spec &spec) {
  if (!command.kernel.empty())
    return SimulatedKernel::parse(readTextFile(command.kernel, kMostKernelText), command.kernel);
  CompileOptions options;
  const Target target = targetNamed(command.target);
  options.targets = {target};
  if (!command.schedule.empty())
    requireReadable(command.schedule, options.targets);
  options.schedule = command.schedule;
  options.positions = command.sources.positions.any() && !wantsLists(command, requireLayer(spec));
  options.map = *algrt::mapNamed(command.map);
  options.output = command.y_dtype == "f32" ? algebras::DataType::F32 : algebras::DataType::BF16;
  if (command.m)
    options.rows = *command.m;
  const Spec &simulated = wantsLists(command, requireLayer(spec)) ? withListedRows(spec) : spec;
  return SimulatedKernel::parse(gpuProgram(simulated, target, options).nvvm, "the kernel");
}

/// Every seed has padding of its own between the rows of the matrices.
SimulationSettings settingsOf(std::uint64_t seed, std::int64_t blocks) {
  SimulationSettings settings;
  settings.seed = seed;
  settings.blocks = static_cast<std::int32_t>(blocks);
  settings.x_padding = static_cast<std::int64_t>(seed % 3);
  settings.w_padding = static_cast<std::int64_t>(seed / 3 % 3);
  settings.y_padding = static_cast<std::int64_t>(seed / 2 % 3);
  settings.x_shift = static_cast<std::int64_t>(seed % 2);
  settings.w_shift = static_cast<std::int64_t>(seed / 2 % 4);
  settings.y_shift = static_cast<std::int64_t>(seed / 3 % 2);
  return settings;
}

class Runs {
public:
  Runs(const SimulateCommand &command, const Spec &spec)
      : command(command), given(runtimeLayer(requireLayer(spec))), layer(given),
        support(runtimeSupport(requireLayer(spec))), kernel(simulatedKernel(command, spec)) {
    if (given.row_types == algrt::RowTypesKind::explicit_types && command.offset != 0)
      throw Failure(
          fmt::format("--offset is {}: explicit row types do not depend on positions", command.offset));
    if (kernel.description().listed) {
      layer.row_types = algrt::RowTypesKind::explicit_types;
      layer.row_type_width = 0;
    } else if (command.sources.positions.any() && !kernel.description().isReduction()) {
      throw Failure("the kernel finds rows one after another, and neither by their positions nor in a list");
    }
    if (map() != algrt::Map::dw && !command.dbias_output.empty())
      throw Failure("--dbias is for the map dw");
    if (map() == algrt::Map::dw && (given.bias || !command.dbias_output.empty()))
      bias_gradient.emplace(command.dbias_output);
  }

  Findings all() {
    Findings findings;
    const auto first = command.sources.seed;
    for (std::int64_t i = 0; i < command.seeds && findings.failure.empty(); ++i)
      one(first + static_cast<std::uint64_t>(i), findings);
    return findings;
  }

  const SimulatedKernel &simulated() const { return kernel; }
  const algrt::Layer &describedLayer() const { return layer; }
  std::int64_t rows() const { return arrays.m; }
  algrt::Map map() const { return kernel.description().map; }
  /// Null where there is none.
  const BiasGradientCheck *biasGradient() const { return bias_gradient ? &*bias_gradient : nullptr; }

private:
  void one(std::uint64_t seed, Findings &findings) {
    ArraySources sources = command.sources;
    sources.seed = seed;
    sources.offset = command.offset;
    const algrt::Map map = this->map();
    const bool bank_gradient = map == algrt::Map::dw;
    if (command.beta != 0 && !bank_gradient)
      throw Failure("--beta is for the map dw, which may add to what dW holds");
    arrays = makeArrays(given, sources, map);
    if (bank_gradient)
      prepareHeld(sources);
    if (kernel.description().listed && given.row_types != algrt::RowTypesKind::explicit_types)
      arrays.types = typesByPosition();
    ProductOperands product;
    product.layer = &layer;
    product.support = &support;
    product.m = arrays.m;
    product.p0 = kernel.description().listed ? 0 : command.offset;
    product.x = map == algrt::Map::dx ? arrays.dy : arrays.x;
    product.w = bank_gradient ? arrays.dy : arrays.w;
    if (bank_gradient)
      product.held = arrays.w;
    product.beta = command.beta;
    product.bias = arrays.bias;
    product.types = arrays.types;
    if (const auto &positions = arrays.positions.positions; positions && !kernel.description().listed) {
      product.positions = *positions;
      // Both types are tried, where the numbers fit either.
      const bool narrow = std::ranges::all_of(*positions, [](std::int64_t position) {
        return position <= std::numeric_limits<std::int32_t>::max();
      });
      product.wide_positions = !narrow || seed % 2 == 0;
    }
    const auto start = std::chrono::steady_clock::now();
    const Simulation simulation = kernel.run(product, settingsOf(seed, command.blocks));
    findings.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++findings.runs;
    findings.calls += simulation.report.statistics.calls;
    findings.grid = simulation.grid;
    findings.tiles = simulation.tiles;

    std::string wrong;
    for (const simulator::Fault &fault : simulation.report.faults) {
      wrong += (wrong.empty() ? "" : "\n") + kernel.explain(fault);
      findings.faults.push_back(faultJson(fault, kernel.host()));
    }
    if (wrong.empty() && simulation.unwritten > 0)
      wrong = fmt::format("{} of the {} elements of {} were never written", simulation.unwritten,
                          simulation.y.size(), resultName(map));
    if (wrong.empty()) {
      const ExpectedProduct expected = expectedProduct(product, map);
      const Agreement found = agreement(simulation.y, expected, kernel.description().output);
      findings.largest_error = std::max(findings.largest_error, found.largest_error);
      findings.worst = std::max(findings.worst, found.worst);
      if (found.wrong > 0)
        wrong = fmt::format("{} of the {} elements of {} are wrong: {}", found.wrong, simulation.y.size(),
                            resultName(map), describeFirst(found, simulation.y, expected, layer, map));
    }
    if (wrong.empty() && bias_gradient) {
      wrong = bias_gradient->check(
          {arrays.m, layer.n, arrays.dy, kernel.description().output, {}, command.beta}, seed);
      std::ranges::copy(bias_gradient->faults(), std::back_inserter(findings.faults));
    }
    if (!wrong.empty()) {
      findings.failure = wrong;
      findings.failed_seed = seed;
    }
    if (!command.output.empty() && findings.runs == 1)
      algrt::writeNpy(
          command.output,
          std::vector<std::int64_t>{map == algrt::Map::dw ? layer.k : arrays.m, resultColumns(layer, map)},
          simulation.y);
  }

  /// What dW holds before: random numbers where no file says it and it counts, as the kernel's result has
  /// them.
  void prepareHeld(const ArraySources &sources) {
    if (sources.dw.empty() && command.beta != 0)
      arrays.w = algrt::randomValues(layer.k * layer.bankColumns(), 1.0, 4 * sources.seed + 1);
    if (kernel.description().output == algrt::ElementType::bf16)
      algrt::roundToBfloat16(arrays.w);
  }

  /// What a device would read from the call's tensors, checked as on the CPU.
  std::vector<std::int32_t> typesByPosition() const {
    const RowPositions &rows = arrays.positions;
    auto vectorOf = [](const std::optional<std::vector<std::int64_t>> &numbers) {
      return numbers ? algrt::IntegerVector{numbers->data(), static_cast<std::int64_t>(numbers->size()), 8}
                     : algrt::IntegerVector{};
    };
    algrt::RowSource source;
    if (!rows.any()) {
      const std::vector<std::int64_t> types = algrt::rowTypes(given, arrays.m, command.offset, nullptr);
      return {types.begin(), types.end()};
    }
    source.kind = rows.positions ? algrt::RowSourceKind::positions : algrt::RowSourceKind::sequences;
    source.positions = vectorOf(rows.positions);
    source.sequence_starts = vectorOf(rows.sequence_starts);
    source.sequence_positions = vectorOf(rows.sequence_positions);
    algrt::checkRows(source, arrays.m);
    std::vector<std::int32_t> types(static_cast<std::size_t>(arrays.m));
    algrt::typesOfRows(given, source, arrays.m, types.data());
    return types;
  }

  const SimulateCommand &command;
  algrt::Layer given; ///< the spec's
  algrt::Layer layer; ///< as the kernel sees it: of listed rows the types are explicit
  algrt::Support support;
  SimulatedKernel kernel;
  std::optional<BiasGradientCheck> bias_gradient; ///< where that of a bias comes with the bank's
  RunArrays arrays;
};

nlohmann::ordered_json asJson(const SimulateCommand &command, const Runs &runs, const Findings &findings,
                              const std::string &algebra) {
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
          {"dbias_largest_error", runs.biasGradient()
                                      ? nlohmann::ordered_json(runs.biasGradient()->largestError())
                                      : nlohmann::ordered_json()},
          {"passed", good},
          {"failed_seed", good ? nlohmann::ordered_json() : nlohmann::ordered_json(findings.failed_seed)},
          {"failure", good ? nlohmann::ordered_json() : nlohmann::ordered_json(findings.failure)},
          {"faults", findings.faults}};
}

std::string asText(const SimulateCommand &command, const Runs &runs, const Findings &findings,
                   const std::string &algebra) {
  const algrt::GpuKernel &kernel = runs.simulated().description();
  const algrt::Layer &layer = runs.describedLayer();
  std::string text = fmt::format(
      "{} {} -> {} {}{}, M = {} {}, on {}\n", algebra, layer.k, layer.n, algrt::name(kernel.output),
      runs.map() == algrt::Map::forward ? "" : fmt::format(", {}", algrt::name(runs.map())), runs.rows(),
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
  if (findings.failure.empty() && runs.biasGradient())
    text += runs.biasGradient()->summary();
  return text;
}

int simulate(SimulateCommand command) {
  requireKnown(command);
  if (command.m)
    command.sources.m = *command.m;
  for (const std::string &file : {command.output, command.dbias_output})
    if (!file.empty())
      requireWritable(file);
  const Spec spec = loadSpec(command.spec);
  requireCompilable(spec);
  Runs runs(command, spec);
  const Findings findings = runs.all();
  const std::string algebra = spec.algebra.name();
  if (command.json)
    fmt::print("{}\n", asJson(command, runs, findings, algebra).dump(2));
  else
    fmt::print("{}", asText(command, runs, findings, algebra));
  if (!findings.failure.empty())
    throw Failure(fmt::format("{}\nto see it again: --seed {}", findings.failure, findings.failed_seed));
  return kDone;
}

} // namespace

void addSimulate(CLI::App &app, Session &session) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App *sub = app.add_subcommand("simulate", "Run the GPU kernel of a layer on the simulator");
  addSpecOptions(*sub, command->spec);
  sub->add_option("--target", command->target,
                  fmt::format("whose kernel: {}; sm_90a otherwise", fmt::join(simulatedTargets(), " or ")))
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
  sub->add_option("--w", command->sources.w, "bank of shape (K, N), or (m, K/m, N/m) in the slot lift")
      ->type_name("FILE");
  sub->add_option("--types", command->sources.types,
                  "type of every row (int32), for explicit row types, from a .npy or safetensors file")
      ->type_name("FILE");
  sub->add_option("--bias-file", command->sources.bias, "bias of shape (N,), where the layer has one")
      ->type_name("FILE");
  sub->add_option("--dw", command->sources.dw, "what dW holds before, of the bank's shape, for the map dw")
      ->type_name("FILE");
  sub->add_option("--beta", command->beta, "how often that counts; 0, the default: it is not read")
      ->type_name("NUMBER");
  sub->add_option("-o,--output", command->output, "write Y, dX or dW of the first seed as float32 .npy")
      ->type_name("FILE");
  sub->add_option(
         "--dbias", command->dbias_output,
         "with --map dw of a layer with a bias, write its gradient, the sum of the rows of dY, of the "
         "first seed as float32 .npy")
      ->type_name("FILE");
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
  auto *schedule =
      sub->add_option("--schedule", command->schedule,
                      "tile and ring, as rows=128,columns=96,depth=64,stages=3, for sm_80 with warps=2x2 and "
                      "perhaps vector=1; for few rows vector reductions, as reduce=32,rows=4; chosen by cost "
                      "otherwise");
  schedule->type_name("SCHEDULE");
  sub->add_option("--kernel", command->kernel, "simulate this module, as emit --stage=nvvm prints it")
      ->type_name("FILE")
      ->excludes(schedule)
      ->excludes(y_dtype)
      ->excludes(map);
  wholeNumber(sub->add_option("--seed", command->sources.seed,
                              "of the interleaving, and of the random numbers that stand in for files"))
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max() / 4).description(""))
      ->type_name("S");
  wholeNumber(sub->add_option("--seeds", command->seeds, "how many seeds to run, from S on"))
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32).description(""))
      ->type_name("COUNT");
  wholeNumber(
      sub->add_option("--blocks", command->blocks,
                      "multiprocessors of the device: blocks of the grid, where there are tiles for them"))
      ->check(CLI::Range(1, 1 << 16).description(""))
      ->type_name("COUNT");
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
  algctl emit "Q(4)" --in 256 --out 384 --dtype bf16 --target=sm_90a --stage=nvvm -o kernel.mlir
  algctl simulate "Q(4)" --in 256 --out 384 --dtype bf16 --m 300 --kernel kernel.mlir)help");
  sub->callback([&session, command] { session.run = [command] { return simulate(*command); }; });
}

} // namespace compiler
