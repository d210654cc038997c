#include "runtime/bench/gpu/gpu_bench.h"

#include "runtime/bench/active_work.h"
#include "runtime/bench/gpu/checked_product.h"
#include "runtime/bench/gpu/rates.h"
#include "runtime/bench/statistics.h"
#include "runtime/cuda/kernel_choice.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/dense_check.h"
#include "runtime/reference/reference.h"

#include <algorithm>
#include <unistd.h>

namespace algrt {

namespace {

std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

int64_t algebraSize(const Layer &layer) {
  return layer.lift == Lift::rows ? layer.types : int64_t(layer.out_groups.size());
}

// Products with a bf16 result are compared with each other and with the library's; f32 results, which take
// longer to write, stand in for them only where there are no others.
bool beats(const GpuVariant &variant, const GpuVariant &winner) {
  if (variant.kernel.output != winner.kernel.output)
    return variant.kernel.output == ElementType::bf16;
  return variant.calibration_us < winner.calibration_us;
}

} // namespace

bool GpuBenchCase::anyWrong() const {
  return std::any_of(variants.begin(), variants.end(),
                     [](const GpuVariant &variant) { return !variant.failure.empty(); });
}

struct GpuBench::State {
  explicit State(const GpuBenchOptions &given);

  void report(double fraction, const std::string &what) const {
    if (options.progress)
      options.progress(fraction, what);
  }
  void lookForCompany(bool first);
  void measureRates();
  CheckOutcome checkVariant(CheckedProduct &product, size_t kernel) const;
  void chooseVariant(CheckedProduct &product, GpuBenchCase &result);
  void noteChoice(CheckedProduct &product, GpuBenchCase &result) const;
  BestGpuDense chooseDense(CheckedProduct &product, GpuBenchCase &result);
  BestGpuDense chooseComposition(CheckedProduct &product, GpuBenchCase &result);
  void race(CheckedProduct &product, const BestGpuDense &dense, const BestGpuDense &composition,
            GpuBenchCase &result);
  void setFloor(const ActiveWork &work, GpuBenchCase &result) const;

  GpuBenchOptions options;
  GpuMachine machine;
  std::unique_ptr<Nvml> nvml; // before the device: it is asked before there is a context
  std::unique_ptr<GpuDevice> device;
  std::unique_ptr<GpuStream> stream;
  std::unique_ptr<GpuTrials> trials;
  std::unique_ptr<GpuMemory> workspace;
  std::unique_ptr<CublasLt> cublaslt;
  std::unique_ptr<Cublas> cublas;
};

GpuBench::State::State(const GpuBenchOptions &given) : options(given) {
  const std::shared_ptr<const cuda::Driver> driver = cuda::Driver::open();
  const cuda::DeviceProperties properties = readDevice(*driver, options.device);
  machine.cuda_version = cudaVersion(*driver);
  nvml = Nvml::open(gpuPciBusId(*driver, properties), machine.company.unknown);
  lookForCompany(true);

  device = std::make_unique<GpuDevice>(options.device);
  machine.device = device->name();
  machine.architecture = properties.capability;
  machine.multiprocessors = properties.multiprocessors;
  machine.l2_bytes = device->l2Bytes();
  machine.trials = options.trials;
  if (nvml) {
    machine.driver_version = nvml->driverVersion();
    machine.clocks = nvml->clocks();
  }
  stream = std::make_unique<GpuStream>(*device);
  trials = std::make_unique<GpuTrials>(*device, *stream, options.trials);
  measureRates();
}

void GpuBench::State::lookForCompany(bool first) {
  if (!nvml)
    return;
  const std::optional<std::vector<int64_t>> processes = nvml->computeProcesses();
  if (!processes)
    machine.company.unknown = "NVML does not tell the processes on the device";
  else if (first)
    machine.company.before = *processes;
  else
    machine.company.after = otherProcesses(machine.company.before, *processes, int64_t(::getpid()));
}

void GpuBench::State::measureRates() {
  report(0, "copy bandwidth");
  machine.copy_bytes_per_second = gpuCopyBytesPerSecond(*device, *stream, options.copy_sizes);
  if (!options.against_dense) {
    machine.dense_library = machine.composition_library = "not asked for";
    return;
  }
  report(0, "dense rate");
  cublaslt = CublasLt::open(machine.dense_library);
  cublas = Cublas::open(machine.composition_library);
  if (cublaslt || cublas)
    workspace =
        std::make_unique<GpuMemory>(*device, options.workspace_bytes, "the dense library's workspace");
  if (!cublaslt)
    return;
  machine.dense_macs_per_second = gpuDenseMacsPerSecond(
      *device, *cublaslt, {workspace->address(), workspace->bytes()}, *trials, options.dense_rate_size);
}

GpuBench::GpuBench(const GpuBenchOptions &options) : state_(std::make_unique<State>(options)) {}

GpuBench::~GpuBench() = default;

const GpuMachine &GpuBench::machine() {
  state_->lookForCompany(false);
  return state_->machine;
}

// A kernel that cannot be launched is as wrong as one that computes something else; but where the device
// itself has failed, nothing else can be measured either.
CheckOutcome GpuBench::State::checkVariant(CheckedProduct &product, size_t kernel) const {
  try {
    return product.check(kernel, *stream);
  } catch (const Error &error) {
    if (!device->healthy())
      throw;
    CheckOutcome outcome;
    outcome.failure = error.what();
    return outcome;
  }
}

// Checks and calibrates every kernel that runs on the device; sets the winner.
void GpuBench::State::chooseVariant(CheckedProduct &product, GpuBenchCase &result) {
  const std::vector<Kernel> &kernels = product.bundle().manifest().kernels;
  std::string why_none;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i].gpu || kernels[i].gpu->map != Map::forward ||
        (!options.target.empty() && kernels[i].target != options.target))
      continue;
    if (const std::string reason = reasonNotToRun(*kernels[i].gpu, device->properties()); !reason.empty()) {
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
      variant.calibration_us = trials->calibrate(product.call(i));
    result.variants.push_back(variant);
    if (outcome.right() && (!result.winner || beats(variant, result.variants[*result.winner])))
      result.winner = result.variants.size() - 1;
  }
  if (result.variants.empty())
    throw Error(
        why_none.empty() ? ALGRT_UNSUPPORTED : ALGRT_WRONG_ARCHITECTURE,
        result.name + ": the bundle has no forward kernel for this device" + why_none +
            ": compile it with --target=" + (device->properties().capability == 90 ? "sm_90a" : "sm_80"));
}

// What a call without a wish for a kernel would get, so that a report shows where the rule and the clock
// part.
void GpuBench::State::noteChoice(CheckedProduct &product, GpuBenchCase &result) const {
  const ElementType output = result.variants[*result.winner].kernel.output;
  const algrt_forward_args args = product.operands().args(output);
  const auto operand = [](const DLTensor *tensor, int64_t columns) {
    return cuda::Operand{reinterpret_cast<uintptr_t>(tensor->data), columns};
  };
  const Layer &layer = product.bundle().layer();
  const cuda::KernelChoice choice(product.bundle().manifest().kernels, layer, device->properties());
  const size_t index = choice.choose(
      {{operand(args.x, layer.k), operand(args.w, layer.bankColumns()), operand(args.y, layer.n)},
       result.m,
       0,
       output});
  for (size_t i = 0; i < result.variants.size(); ++i)
    if (result.variants[i].index == index)
      result.chosen = i;
}

// The library's best candidate for the same product without the algebra, or null.
BestGpuDense GpuBench::State::chooseDense(CheckedProduct &product, GpuBenchCase &result) {
  result.dense_library = machine.dense_library;
  if (!cublaslt)
    return {};
  report(0.6, result.name + ", cuBLASLt");
  GpuOperands &operands = product.operands();
  const GpuDenseOperands dense = operands.dense();
  operands.poisonDenseResult();
  BestGpuDense best = fastestGpuDense(*cublaslt, dense, {workspace->address(), workspace->bytes()}, *trials);
  if (!best.product) {
    result.dense_library += ": no candidate for this shape";
    for (const std::string &refusal : best.refused)
      result.dense_library += "; " + refusal;
    return {};
  }
  best.product->enqueue(stream->get());
  stream->synchronize();
  const double error =
      sampledDenseError(dense.m, dense.k, dense.n, operands.hostX(), operands.hostDenseWeights(),
                        static_cast<const uint16_t *>(operands.denseResult()), options.seed);
  if (!(error <= tolerance(true))) {
    result.dense_library = best.product->name() +
                           " computes something else than the product: relative L2 error " +
                           std::to_string(error);
    return {};
  }
  result.dense_library = best.product->name();
  return best;
}

// The faster way to compose the product of blocks, or none.
BestGpuDense GpuBench::State::chooseComposition(CheckedProduct &product, GpuBenchCase &result) {
  result.composition_library = machine.composition_library;
  if (!cublas)
    return {};
  report(0.65, result.name + ", composed of blocks");
  GpuOperands &operands = product.operands();
  const Bundle &bundle = product.bundle();
  int64_t rounds = 0;
  std::vector<std::unique_ptr<GpuDenseProduct>> ways;
  try {
    const BlockProduct blocks = composeOfBlocks(bundle.layer(), bundle.support(), result.m);
    rounds = int64_t(blocks.rounds.size());
    ways =
        cublas->compositions(*device, blocks, operands.blocks(), {workspace->address(), workspace->bytes()});
  } catch (const Error &error) {
    if (error.status() != ALGRT_UNSUPPORTED)
      throw;
    result.composition_library += std::string(": ") + error.what();
    return {};
  }
  BestGpuDense best = fastestOf(std::move(ways), *trials);
  if (!best.product) {
    for (const std::string &refusal : best.refused)
      result.composition_library += "; " + refusal;
    return {};
  }
  operands.poisonDenseResult();
  best.product->enqueue(stream->get());
  stream->synchronize();
  const CheckOutcome outcome = product.reference().compare(operands.denseResult(), ElementType::bf16, rounds);
  result.composition_library = best.product->name();
  result.composition_relative_l2 = outcome.relative_l2;
  if (outcome.right())
    return best;
  result.composition_library += " computes something else than the product: " + outcome.failure;
  return {};
}

// The trials of the winner against what it is compared with, and the winner's result once more.
void GpuBench::State::race(CheckedProduct &product, const BestGpuDense &dense,
                           const BestGpuDense &composition, GpuBenchCase &result) {
  GpuVariant &winner = result.variants[*result.winner];
  report(0.7, result.name + ", " + std::to_string(result.m) + " rows");
  std::vector<GpuCall> calls = {product.call(winner.index)};
  double fastest_us = winner.calibration_us;
  for (const BestGpuDense *peer : {&dense, &composition})
    if (peer->product) {
      calls.push_back([peer](void *stream) { peer->product->enqueue(stream); });
      fastest_us = std::min(fastest_us, peer->us);
    }
  product.operands().poisonResult();
  const std::vector<GpuTimes> times = trials->evaluate(calls, fastest_us);
  if (nvml)
    result.clocks = nvml->clocks();
  const CheckOutcome after = product.compareResult(winner.index);
  winner.relative_l2 = std::max(winner.relative_l2, after.relative_l2);
  winner.max_relative_error = std::max(winner.max_relative_error, after.max_relative);
  if (dense.product)
    result.dense = times[1];
  if (composition.product)
    result.composition = times.back();
  if (!after.right()) {
    // Right when it ran alone: a race. Its times mean nothing.
    winner.failure = "after the timed trials " + after.failure;
    winner.calibration_us = 0;
    result.winner.reset();
    return;
  }
  result.algebra = times[0];
}

void GpuBench::State::setFloor(const ActiveWork &work, GpuBenchCase &result) const {
  const ElementType output =
      result.winner ? result.variants[*result.winner].kernel.output : ElementType::bf16;
  // The device's rates drift: the dense product of this very case counts too, where it was faster.
  double rate = machine.dense_macs_per_second;
  if (result.dense)
    rate = std::max(rate, 1e6 * double(result.dense_macs) / result.dense->us.warm.median);
  const double bytes = 2 * (double(work.x_elements) + double(work.bank_elements)) +
                       double(elementBytes(output)) * double(work.y_elements);
  result.floor_macs_us = rate > 0 ? 1e6 * double(work.macs) / rate : 0;
  result.floor_bytes_us = 1e6 * bytes / machine.copy_bytes_per_second;
  result.floor_us = std::max(result.floor_macs_us, result.floor_bytes_us);
}

GpuBenchCase GpuBench::measure(const std::string &bundle_path, int64_t m) {
  State &state = *state_;
  GpuBenchCase result;
  result.name = fileName(bundle_path);
  result.m = m;
  state.report(0, "operands and reference of " + result.name);
  SampledCheckOptions check = state.options.check;
  check.seed = state.options.seed;
  CheckedProduct product(*state.device, bundle_path, m, check);
  const Layer &layer = product.bundle().layer();
  result.algebra_name = product.bundle().manifest().algebra;
  result.k = layer.k;
  result.n = layer.n;
  result.q = algebraSize(layer);
  result.dtype = name(layer.dtype);
  const ActiveWork work = activeWork(product.bundle(), rowTypes(layer, m, 0, nullptr));
  result.active_macs = work.macs;
  result.dense_macs = m * layer.k * layer.n;
  result.checked_outputs = product.reference().samples();
  result.checked_diagonal = product.reference().diagonalSamples();
  result.checked_whole = product.reference().whole();

  state.chooseVariant(product, result);
  if (result.winner) {
    state.noteChoice(product, result);
    const BestGpuDense dense = state.chooseDense(product, result);
    state.race(product, dense, state.chooseComposition(product, result), result);
  } else {
    result.dense_library = result.composition_library = "not measured";
  }
  state.setFloor(work, result);
  result.verdict = result.algebra && result.dense ? verdict(result.algebra->us.warm, result.dense->us.warm)
                                                  : "not compared";
  return result;
}

} // namespace algrt
