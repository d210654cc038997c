#include "runtime/bench/gpu/gpu_bench.h"

#include "runtime/bench/active_work.h"
#include "runtime/bench/statistics.h"
#include "runtime/bench/workload.h"
#include "runtime/bundle/gpu_targets.h"
#include "runtime/cuda/kernel_choice.h"
#include "runtime/reference/reference.h"

#include <algorithm>

namespace algrt {

namespace {

std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

int64_t algebraSize(const Layer &layer) {
  return layer.lift == Lift::Rows ? layer.types : int64_t(layer.out_groups.size());
}

// Products with a bf16 result are compared with each other and with the library's; f32 results, which take
// longer to write, stand in for them only where there are no others.
bool beats(const GpuVariant &variant, const GpuVariant &winner) {
  if (variant.kernel.output != winner.kernel.output)
    return variant.kernel.output == ElementType::Bf16;
  return variant.calibration_us < winner.calibration_us;
}

// A map of the workload, with what computes it: a variant of the case and the library's candidate.
struct Part {
  std::unique_ptr<CheckedProduct> product;
  ActiveWork work;
  std::optional<size_t> winner;
  BestGpuDense dense;
};

} // namespace

double GpuBenchCase::relativeL2() const {
  double largest = 0;
  for (size_t winner : winners)
    largest = std::max(largest, variants[winner].relative_l2);
  return largest;
}

double GpuBenchCase::maxRelativeError() const {
  double largest = 0;
  for (size_t winner : winners)
    largest = std::max(largest, variants[winner].max_relative_error);
  return largest;
}

bool GpuBenchCase::anyWrong() const {
  return std::any_of(variants.begin(), variants.end(),
                     [](const GpuVariant &variant) { return !variant.failure.empty(); });
}

struct GpuBench::State {
  explicit State(MeasuredDevice &given)
      : measured(given), options(given.options()), machine(given.machine()), device(given.device()),
        stream(given.stream()), trials(given.trials()), baselines(given.baselines()) {}

  void report(double fraction, const std::string &what) const { measured.report(fraction, what); }
  CheckOutcome checkVariant(CheckedProduct &product, size_t kernel) const;
  std::optional<size_t> chooseVariant(CheckedProduct &product, GpuBenchCase &result);
  void noteChoice(const std::vector<Part> &parts, GpuBenchCase &result) const;
  void chooseDense(std::vector<Part> &parts, GpuBenchCase &result);
  BestGpuDense chooseComposition(const std::vector<Part> &parts, GpuBenchCase &result);
  void race(std::vector<Part> &parts, const BestGpuDense &composition, bool rotates, GpuBenchCase &result);
  void setFloor(const std::vector<Part> &parts, GpuBenchCase &result) const;

  MeasuredDevice &measured;
  const GpuBenchOptions &options;
  const GpuMachine &machine;
  const GpuDevice &device;
  const GpuStream &stream;
  GpuTrials &trials;
  GpuBaselines *baselines;
};

GpuBench::GpuBench(MeasuredDevice &device) : state_(std::make_unique<State>(device)) {}

GpuBench::~GpuBench() = default;

// A kernel that cannot be launched is as wrong as one that computes something else; but where the device
// itself has failed, nothing else can be measured either.
CheckOutcome GpuBench::State::checkVariant(CheckedProduct &product, size_t kernel) const {
  try {
    return product.check(kernel, stream);
  } catch (const Error &error) {
    if (!device.healthy())
      throw;
    CheckOutcome outcome;
    outcome.failure = error.what();
    return outcome;
  }
}

// Checks and calibrates every kernel of the map that runs on the device. The winner among the case's
// variants.
std::optional<size_t> GpuBench::State::chooseVariant(CheckedProduct &product, GpuBenchCase &result) {
  const std::vector<Kernel> &kernels = product.bundle().manifest().kernels;
  std::string why_none;
  const size_t first = result.variants.size();
  std::optional<size_t> winner;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i].gpu || kernels[i].gpu->map != product.map() ||
        (!options.target.empty() && kernels[i].target != options.target))
      continue;
    if (const std::string reason = reasonNotToRun(*kernels[i].gpu, device.properties()); !reason.empty()) {
      why_none += "; kernel " + kernels[i].name + " " + reason;
      continue;
    }
    report(0.1 + 0.5 * double(i) / double(kernels.size()), result.name + ", kernel " + kernels[i].name);
    GpuVariant variant{i, kernels[i].name, kernels[i].target, *kernels[i].gpu, 0, 0, 0, ""};
    const CheckOutcome outcome = checkVariant(product, i);
    variant.relative_l2 = outcome.relative_l2;
    variant.max_relative_error = outcome.max_relative;
    variant.failure = outcome.failure;
    if (outcome.right())
      variant.calibration_us = trials.calibrate(product.call(i));
    result.variants.push_back(variant);
    if (outcome.right() && (!winner || beats(variant, result.variants[*winner])))
      winner = result.variants.size() - 1;
  }
  if (result.variants.size() == first) {
    const GpuTarget *target = gpuTargetFor(device.properties().capability);
    throw Error(
        why_none.empty() ? ALGRT_UNSUPPORTED : ALGRT_WRONG_ARCHITECTURE,
        result.name + ": the bundle has no kernel of " + name(product.map()) + " for this device" + why_none +
            (target ? ": compile it with --target=" + std::string(target->name) + " --maps forward,dx,dw"
                    : ", which is older than any GPU that kernels are compiled for"));
  }
  return winner;
}

// What a call without a wish for a kernel would get, so that a report shows where the rule and the clock
// part.
void GpuBench::State::noteChoice(const std::vector<Part> &parts, GpuBenchCase &result) const {
  for (const Part &part : parts) {
    const Bundle &bundle = part.product->bundle();
    const cuda::KernelChoice choice(bundle.manifest().kernels, bundle.layer(), device.properties());
    const size_t index =
        choice.choose({part.product->operands().forKernels(), result.m, 0,
                       result.variants[*part.winner].kernel.output, false, part.product->map()});
    for (size_t i = 0; i < result.variants.size(); ++i)
      if (result.variants[i].index == index)
        result.chosen.push_back(i);
  }
  if (result.chosen.size() != parts.size()) // one of them is for another target than was asked for
    result.chosen.clear();
}

void GpuBench::State::chooseDense(std::vector<Part> &parts, GpuBenchCase &result) {
  if (!baselines || !baselines->hasDense()) {
    result.dense_library = machine.dense_library;
    return;
  }
  report(0.6, result.name + ", cuBLASLt");
  for (Part &part : parts) {
    std::string found;
    part.dense = baselines->dense(*part.product, found);
    result.dense_library += (result.dense_library.empty() ? "" : "; ") + found;
  }
}

// The faster way to compose the product of blocks, or none.
BestGpuDense GpuBench::State::chooseComposition(const std::vector<Part> &parts, GpuBenchCase &result) {
  result.composition_library = machine.composition_library;
  if (result.map != "forward") // gradients are not composed, and a composition is of one position
    result.composition_library = "not measured";
  else if (baselines && baselines->hasComposition()) {
    report(0.65, result.name + ", composed of blocks");
    return baselines->composition(*parts.front().product, result.m, result.composition_library,
                                  result.composition_relative_l2);
  }
  return {};
}

// The trials of the winners against what they are compared with, and the winners' results once more. Calls
// that rotate go through all row types and come back to position 0, which is what the results are held
// against.
void GpuBench::State::race(std::vector<Part> &parts, const BestGpuDense &composition, bool rotates,
                           GpuBenchCase &result) {
  report(0.7, result.name + ", " + result.map + ", " + std::to_string(result.m) + " rows");
  std::vector<GpuCall> maps;
  double fastest_us = 0, dense_us = 0;
  int turns = 1;
  for (Part &part : parts) {
    const GpuVariant &winner = result.variants[*part.winner];
    const Layer &layer = part.product->bundle().layer();
    if (rotates) {
      turns = int(layer.types);
      maps.push_back([&part, &winner, &layer, position = int64_t(0)](void *stream) mutable {
        part.product->call(winner.index, position)(stream);
        position = (position + layer.row_type_width) % (layer.types * layer.row_type_width);
      });
    } else {
      maps.push_back(part.product->call(winner.index));
    }
    fastest_us += winner.calibration_us;
    dense_us += part.dense.us;
    part.product->operands().poisonResult();
  }
  std::vector<GpuCall> calls = {[&maps](void *stream) {
    for (const GpuCall &map : maps)
      map(stream);
  }};
  const bool dense =
      std::ranges::all_of(parts, [](const Part &part) { return part.dense.product != nullptr; });
  if (dense) {
    calls.push_back([&parts](void *stream) {
      for (const Part &part : parts)
        part.dense.product->enqueue(stream);
    });
    fastest_us = std::min(fastest_us, dense_us);
  }
  if (composition.product) {
    calls.push_back([&composition](void *stream) { composition.product->enqueue(stream); });
    fastest_us = std::min(fastest_us, composition.us);
  }
  const std::vector<GpuTimes> times = trials.evaluate(calls, fastest_us, turns);
  result.clocks = measured.clocks();
  if (dense)
    result.dense = times[1];
  if (composition.product)
    result.composition = times.back();
  bool right = true;
  for (Part &part : parts) {
    GpuVariant &winner = result.variants[*part.winner];
    const CheckOutcome after = part.product->compareResult(winner.index);
    winner.relative_l2 = std::max(winner.relative_l2, after.relative_l2);
    winner.max_relative_error = std::max(winner.max_relative_error, after.max_relative);
    if (after.right())
      continue;
    // Right when it ran alone: a race. Its times mean nothing.
    winner.failure = "after the timed trials " + after.failure;
    winner.calibration_us = 0;
    right = false;
  }
  if (right)
    result.algebra = times[0];
  else
    result.winners.clear();
}

void GpuBench::State::setFloor(const std::vector<Part> &parts, GpuBenchCase &result) const {
  // The device's rates drift: the dense product of this very case counts too, where it was faster.
  double rate = machine.dense_macs_per_second;
  if (result.dense)
    rate = std::max(rate, 1e6 * double(result.dense_macs) / result.dense->us.warm.median);
  for (size_t i = 0; i < parts.size(); ++i) {
    const ActiveWork &work = parts[i].work;
    const Map map = parts[i].product->map();
    const ElementType output =
        result.winners.empty() ? ElementType::Bf16 : result.variants[result.winners[i]].kernel.output;
    const auto bytes_of = [&](int64_t elements, bool written) {
      return double(written ? elementBytes(output) : 2) * double(elements);
    };
    const double bytes = bytes_of(work.x_elements, map == Map::Dx) +
                         bytes_of(work.weight_elements, map == Map::Dw) +
                         bytes_of(work.y_elements, map == Map::Forward);
    const double macs_us = rate > 0 ? 1e6 * double(work.macs) / rate : 0;
    const double bytes_us = 1e6 * bytes / machine.copy_bytes_per_second;
    result.floor_macs_us += macs_us;
    result.floor_bytes_us += bytes_us;
    result.floor_us += std::max(macs_us, bytes_us);
  }
}

GpuBenchCase GpuBench::measure(const std::string &bundle_path, int64_t m, const std::string &workload_name) {
  State &state = *state_;
  const Workload &workload = requireWorkload(workload_name);
  GpuBenchCase result;
  result.name = fileName(bundle_path);
  result.map = workload.name;
  result.m = m;
  state.report(0, "operands and reference of " + result.name);
  SampledCheckOptions check = state.options.check;
  check.seed = state.options.seed;
  result.checked_whole = true;
  std::vector<Part> parts;
  for (const Map map : workload.maps) {
    parts.push_back({std::make_unique<CheckedProduct>(state.device, bundle_path, map, m, check), {}, {}, {}});
    const Bundle &bundle = parts.back().product->bundle();
    const SampledCheck &reference = parts.back().product->reference();
    ActiveWork &work = parts.back().work;
    work = averageWork(bundle, m, nullptr, workload.rotates);
    if (map == Map::Dw) // written whole
      work.weight_elements = bundle.layer().k * bundle.layer().weightColumns();
    result.active_macs += work.macs;
    result.checked_outputs += reference.samples();
    result.checked_diagonal += reference.diagonalSamples();
    result.checked_whole = result.checked_whole && reference.whole();
  }
  const Bundle &bundle = parts.front().product->bundle();
  const Layer &layer = bundle.layer();
  result.algebra_name = bundle.manifest().algebra;
  result.k = layer.k;
  result.n = layer.n;
  result.q = algebraSize(layer);
  result.dtype = name(layer.dtype);
  result.dense_macs = int64_t(parts.size()) * m * layer.k * layer.n;

  for (Part &part : parts)
    if ((part.winner = state.chooseVariant(*part.product, result)))
      result.winners.push_back(*part.winner);
  if (result.winners.size() == parts.size()) {
    state.noteChoice(parts, result);
    state.chooseDense(parts, result);
    state.race(parts, state.chooseComposition(parts, result), workload.rotates, result);
  } else {
    result.winners.clear();
    result.dense_library = result.composition_library = "not measured";
  }
  state.setFloor(parts, result);
  result.verdict = result.algebra && result.dense ? verdict(result.algebra->us.warm, result.dense->us.warm)
                                                  : "not compared";
  return result;
}

} // namespace algrt
