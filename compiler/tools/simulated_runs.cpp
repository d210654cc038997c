#include "compiler/tools/simulated_runs.h"

#include "compiler/tools/run_check.h"

#include "compiler/bundle/layer_description.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/process/failure.h"
#include "compiler/schedule/schedule.h"
#include "compiler/spec/text_file.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/target_options.h"
#include "runtime/cpu/row_types.h"
#include "runtime/numpy/npy.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace compiler {
namespace {

/// Bytes of a file that --kernel names; the module of a kernel has some hundred kilobytes.
constexpr int64_t most_kernel_text = int64_t{1} << 28;

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
    return SimulatedKernel::parse(readTextFile(command.kernel, most_kernel_text), command.kernel);
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

} // namespace

static nlohmann::ordered_json faultJson(const simulator::Fault &fault, const HostKernel &kernel) {
  auto op = [&](int32_t site) {
    return kernel.site(site).empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(kernel.site(site));
  };
  return {{"kind", simulator::name(fault.kind)}, {"what", fault.message}, {"op", op(fault.site)},
          {"other_op", op(fault.other_site)},    {"block", fault.block},  {"thread", fault.thread}};
}

SimulationSettings settingsOf(uint64_t seed, int64_t blocks) {
  SimulationSettings settings;
  settings.seed = seed;
  settings.blocks = static_cast<int32_t>(blocks);
  settings.x_padding = static_cast<int64_t>(seed % 3);
  settings.w_padding = static_cast<int64_t>(seed / 3 % 3);
  settings.y_padding = static_cast<int64_t>(seed / 2 % 3);
  return settings;
}

SimulatedRuns::SimulatedRuns(const SimulateCommand &command, const Spec &spec, const ArrayOutputs &outputs)
    : command_(command), outputs_(outputs), given_(runtimeLayer(requireLayer(spec))), layer_(given_),
      support_(runtimeSupport(requireLayer(spec))), kernel_(simulatedKernel(command, spec)) {
  if (given_.row_types == algrt::RowTypesKind::ExplicitTypes && command.offset != 0)
    throw Failure(
        fmt::format("--offset is {}: explicit row types do not depend on positions", command.offset));
  if (kernel_.description().listed) {
    layer_.row_types = algrt::RowTypesKind::ExplicitTypes;
    layer_.row_type_width = 0;
  } else if (command.sources.positions.any() && !kernel_.description().isReduction()) {
    throw Failure("the kernel finds rows one after another, and neither by their positions nor in a list");
  }
  if (map() != algrt::Map::Dw && !command.dbias_output.empty())
    throw UsageError("--dbias is for the map dw");
  if (map() == algrt::Map::Dw && (given_.bias || !command.dbias_output.empty()))
    dbias_.emplace(projectionSource(spec, {algrt::Map::Dw}), targetNamed(command.target),
                   kernel_.description().output, outputs.dbias.get());
}

Findings SimulatedRuns::all() {
  Findings findings;
  bar_.emplace();
  const auto first = command_.sources.seed;
  for (int64_t i = 0; i < command_.seeds && findings.failure.empty(); ++i)
    one(first + static_cast<uint64_t>(i), findings);
  bar_.reset(); // its line is gone before the results are printed
  return findings;
}

/// What a run takes besides its arrays: the device's memory and what the simulator knows of it, then the
/// reference, which begins when the device's is given back but for the result.
int64_t SimulatedRuns::furtherBytes(int64_t m) const {
  using algrt::checkedAdd, algrt::checkedMultiply;
  const int64_t columns = resultColumns(layer_, map()), rows = map() == algrt::Map::Dw ? layer_.k : m;
  const int64_t result =
      checkedMultiply(checkedMultiply(rows, columns, "the size of the result"), int64_t{4}, "the result");
  int64_t bytes = std::max(kernel_.bytes(layer_, m),
                           checkedAdd(expectedProductBytes(layer_, m, map()), result, "the reference"));
  if (dbias_) // after both
    bytes = std::max(bytes, SimulatedSums::bytes(layer_.n, m));
  if (outputs_.result)
    bytes = checkedAdd(bytes, result, "the result");
  return bytes;
}

void SimulatedRuns::one(uint64_t seed, Findings &findings) {
  ArraySources sources = command_.sources;
  sources.further = [this](int64_t m) { return furtherBytes(m); };
  sources.seed = seed;
  sources.offset = command_.offset;
  const algrt::Map map = this->map();
  const bool weight_gradient = map == algrt::Map::Dw;
  if (command_.beta != 0 && !weight_gradient)
    throw UsageError("--beta is for the map dw, which may add to what dW holds");
  arrays_ = makeArrays(given_, sources, map);
  if (weight_gradient)
    prepareHeld();
  if (kernel_.description().listed && given_.row_types != algrt::RowTypesKind::ExplicitTypes)
    arrays_.types = typesByPosition();
  ProductOperands product;
  product.layer = &layer_;
  product.support = &support_;
  product.m = arrays_.m;
  product.p0 = kernel_.description().listed ? 0 : command_.offset;
  product.x = map == algrt::Map::Dx ? arrays_.dy : arrays_.x;
  product.w = weight_gradient ? arrays_.dy : arrays_.w;
  if (weight_gradient)
    product.held = arrays_.w;
  product.beta = command_.beta;
  product.bias = arrays_.bias;
  product.types = arrays_.types;
  if (const auto &positions = arrays_.positions.positions; positions && !kernel_.description().listed) {
    product.positions = *positions;
    // Both types are tried, where the numbers fit either.
    const bool narrow = std::ranges::all_of(
        *positions, [](int64_t position) { return position <= std::numeric_limits<int32_t>::max(); });
    product.wide_positions = !narrow || seed % 2 == 0;
  }
  const auto start = std::chrono::steady_clock::now();
  SimulationSettings settings = settingsOf(seed, command_.blocks);
  settings.x_shift = static_cast<int64_t>(seed % 2);
  settings.w_shift = static_cast<int64_t>(seed / 2 % 4);
  settings.y_shift = static_cast<int64_t>(seed / 3 % 2);
  settings.progress = [&](double fraction) {
    bar_->show((static_cast<double>(findings.runs) + fraction) / static_cast<double>(command_.seeds),
               fmt::format("seed {}", seed));
  };
  const Simulation simulation = kernel_.run(product, settings);
  findings.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++findings.runs;
  findings.calls += simulation.report.statistics.calls;
  findings.grid = simulation.grid;
  findings.tiles = simulation.tiles;

  std::string wrong;
  for (const simulator::Fault &fault : simulation.report.faults) {
    wrong += (wrong.empty() ? "" : "\n") + kernel_.explain(fault);
    findings.faults.push_back(faultJson(fault, kernel_.host()));
  }
  if (wrong.empty() && simulation.unwritten > 0)
    wrong = fmt::format("{} of the {} elements of {} were never written", simulation.unwritten,
                        simulation.y.size(), resultName(map));
  if (wrong.empty()) {
    const ExpectedProduct expected = expectedProduct(product, map);
    const Agreement found = agreement(simulation.y, expected, kernel_.description().output);
    findings.largest_error = std::max(findings.largest_error, found.largest_error);
    findings.worst = std::max(findings.worst, found.worst);
    if (found.wrong > 0)
      wrong = fmt::format("{} of the {} elements of {} are wrong: {}", found.wrong, simulation.y.size(),
                          resultName(map), describeFirst(found, simulation.y, expected, layer_, map));
  }
  if (wrong.empty() && dbias_) {
    wrong = dbias_->check(arrays_.dy, arrays_.m, layer_.n, command_.beta, seed);
    for (const simulator::Fault &fault : dbias_->faults())
      findings.faults.push_back(faultJson(fault, dbias_->host()));
  }
  if (!wrong.empty()) {
    findings.failure = wrong;
    findings.failed_seed = seed;
  }
  if (outputs_.result && findings.runs == 1)
    outputs_.result->commit(algrt::encodeNpy(resultArrayShape(given_, arrays_.m, map), simulation.y));
}

/// What dW holds before, as the kernel's result has it: zeros where no file says it, as in algctl run.
void SimulatedRuns::prepareHeld() {
  if (kernel_.description().output == algrt::ElementType::Bf16)
    algrt::roundToBfloat16(arrays_.w);
}

/// What a device would read from the call's tensors, checked as on the CPU.
std::vector<int32_t> SimulatedRuns::typesByPosition() const {
  const RowPositions &rows = arrays_.positions;
  auto vector_of = [](const std::optional<std::vector<int64_t>> &numbers) {
    return numbers ? algrt::IntegerVector{numbers->data(), static_cast<int64_t>(numbers->size()), 8}
                   : algrt::IntegerVector{};
  };
  algrt::RowSource source;
  if (!rows.any()) {
    const std::vector<int64_t> types = algrt::rowTypes(given_, arrays_.m, command_.offset, nullptr);
    return {types.begin(), types.end()};
  }
  source.kind = rows.positions ? algrt::RowSourceKind::Positions : algrt::RowSourceKind::Sequences;
  source.positions = vector_of(rows.positions);
  source.sequence_starts = vector_of(rows.sequence_starts);
  source.sequence_positions = vector_of(rows.sequence_positions);
  algrt::checkRows(source, arrays_.m);
  std::vector<int32_t> types(static_cast<size_t>(arrays_.m));
  algrt::typesOfRows(given_, source, arrays_.m, types.data());
  return types;
}

} // namespace compiler
