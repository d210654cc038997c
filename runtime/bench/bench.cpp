#include "runtime/bench/bench.h"

#include "runtime/bench/case_data.h"
#include "runtime/bench/dense.h"
#include "runtime/bench/machine.h"
#include "runtime/bench/statistics.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/cpu/features.h"
#include "runtime/support/error.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace algrt {

namespace {

// Thread pools of the dense libraries keep spinning for up to some 25 ms after a call; a measurement that
// begins meanwhile would share its cores with them.
constexpr std::chrono::milliseconds settling_time{30};
// No case takes much longer than this; fewer trials are made where it would.
constexpr double case_budget_us = 60e6;

void require(int status) {
  if (status != ALGRT_OK)
    throw Error(algrt_status(status), algrt_last_error());
}

struct Close {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
  void operator()(algrt_weights *weights) const { algrt_weights_free(weights); }
};

// One of the things that are measured against each other.
struct Contender {
  std::function<void()> run;
  std::optional<WarmAndFlushed> *result;
  std::vector<double> warm, flushed;
};

std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

} // namespace

struct Bench::State {
  explicit State(const BenchOptions &given)
      : options(given), threads(resolveThreads(given.threads)), dense(threads),
        flush(given.flush_bytes != 0 ? given.flush_bytes : defaultFlushBytes()) {
    machine.cpu = cpuName();
    machine.level = cpuLevel();
    machine.threads = threads;
    machine.flush_bytes = given.flush_bytes != 0 ? given.flush_bytes : defaultFlushBytes();
    machine.dense_libraries = dense.found();
    report(0, "copy bandwidth");
    machine.copy_bytes_per_second = copyBytesPerSecond(threads);
  }

  void report(double fraction, const std::string &what) const {
    if (options.progress)
      options.progress(fraction, what);
  }

  // Measured when the first case of that type asks.
  double denseRate(ElementType type) {
    double &rate =
        type == ElementType::f32 ? machine.dense_macs_per_second_f32 : machine.dense_macs_per_second_bf16;
    if (rate == 0 && options.against_dense) {
      report(0, std::string("dense rate in ") + name(type));
      rate = dense.macsPerSecond(type);
    }
    return rate;
  }

  int trialsFor(std::vector<Contender> &contenders) {
    double round = 0;
    for (Contender &contender : contenders) {
      contender.run();
      round += 3 * microsecondsOf(contender.run);
    }
    return int(
        std::clamp(case_budget_us / round, std::min(3.0, double(options.trials)), double(options.trials)));
  }

  void race(std::vector<Contender> &contenders, const std::string &what) {
    const int trials = trialsFor(contenders);
    for (int trial = 0; trial < trials; ++trial) {
      report(double(trial) / trials, what);
      for (size_t i = 0; i < contenders.size(); ++i) {
        // Alternating order: whoever comes first has another neighbour in the next trial.
        Contender &contender = contenders[trial % 2 == 0 ? i : contenders.size() - 1 - i];
        std::this_thread::sleep_for(settling_time);
        contender.run();
        contender.warm.push_back(microsecondsOf(contender.run));
        flush();
        contender.flushed.push_back(microsecondsOf(contender.run));
      }
    }
    for (Contender &contender : contenders)
      *contender.result = WarmAndFlushed{summarise(contender.warm), summarise(contender.flushed)};
  }

  BenchOptions options;
  int threads;
  DenseLibraries dense;
  CacheFlush flush;
  Machine machine;
};

Bench::Bench(const BenchOptions &options) {
  if (options.trials < 1)
    throw Error(ALGRT_INVALID_ARGUMENT, "trials is " + std::to_string(options.trials) + ", needs at least 1");
  if (options.threads < 0)
    throw Error(ALGRT_INVALID_ARGUMENT,
                "threads is " + std::to_string(options.threads) + ", needs 0 (all) or more");
  if (options.flush_bytes < 0)
    throw Error(ALGRT_INVALID_ARGUMENT, "the flush buffer cannot have a negative size");
  state_ = new State(options);
}

Bench::~Bench() { delete state_; }

const Machine &Bench::machine() const { return state_->machine; }

BenchCase Bench::measure(const std::string &bundle_path, int64_t m) {
  State &state = *state_;
  const Bundle bundle = Bundle::open(bundle_path);
  const Layer &layer = bundle.layer();
  algrt_bundle *opened = nullptr;
  require(algrt_bundle_open(bundle_path.c_str(), &opened));
  const std::unique_ptr<algrt_bundle, Close> handle(opened);
  CaseData data(bundle, m, state.options.seed);

  BenchCase result;
  result.name = fileName(bundle_path);
  result.algebra = bundle.manifest().algebra;
  result.m = m;
  result.k = layer.k;
  result.n = layer.n;
  result.q = layer.lift == Lift::rows ? layer.types : int64_t(layer.out_groups.size());
  result.target = "cpu";
  result.dtype = name(layer.dtype);
  result.threads = state.threads;
  result.active_macs = data.activeMacs();
  result.dense_macs = m * layer.k * layer.n;

  size_t workspace_bytes = 0;
  require(algrt_workspace_size(handle.get(), m, state.threads, &workspace_bytes));
  const AlignedBuffer workspace(workspace_bytes);
  algrt_forward_args args = data.args();
  args.threads = state.threads;
  args.workspace = workspace.data();
  args.workspace_bytes = workspace_bytes;
  algrt_forward_args packed_args = args;
  args.w = &data.bank();

  algrt_bundle_info info = algrt_bundle_info_init();
  require(algrt_bundle_get_info(handle.get(), &info));
  std::unique_ptr<algrt_weights, Close> weights;
  std::vector<Contender> contenders;
  if (info.packed_bytes != 0) {
    algrt_weights *packed = nullptr;
    require(algrt_weights_pack(handle.get(), &data.bank(), state.threads, &packed));
    weights.reset(packed);
    packed_args.weights = packed;
    contenders.push_back(
        {[&] { require(algrt_forward(handle.get(), &packed_args)); }, &result.packed, {}, {}});
  }
  const bool unpacked = std::any_of(
      bundle.manifest().kernels.begin(), bundle.manifest().kernels.end(), [](const Kernel &kernel) {
        return kernel.known && kernel.map == name(Map::forward) && kernel.weights != WeightsForm::packed &&
               missingCpuFeatures(kernel.features).empty();
      });
  if (unpacked)
    contenders.push_back({[&] { require(algrt_forward(handle.get(), &args)); }, &result.on_the_fly, {}, {}});

  if (contenders.empty())
    throw Error(ALGRT_UNSUPPORTED, bundle_path + ": the bundle has no forward kernel for this CPU");

  // Nothing is measured that computes something else.
  result.checked_rows = data.checkedRows();
  for (const Contender &contender : contenders) {
    state.report(0, "checking " + result.name);
    data.poisonResult();
    contender.run();
    const Comparison comparison = data.check(state.threads);
    result.relative_l2 = std::max(result.relative_l2, comparison.relative_l2);
    result.max_relative_error = std::max(result.max_relative_error, comparison.max_relative);
    if (!comparison.within(tolerance(layer.dtype == ElementType::bf16)))
      throw Error(
          ALGRT_INTERNAL,
          bundle_path + ": the kernels compute something else than the reference: relative L2 error " +
              std::to_string(comparison.relative_l2) + ", " + std::to_string(comparison.kind_mismatches) +
              " elements that are finite in one and not in the other. Compile the bundle again; if that "
              "does not help, please report it");
  }

  std::unique_ptr<DenseProduct> dense;
  if (state.options.against_dense) {
    state.report(0, "choosing the dense library for " + result.name);
    dense = state.dense.fastest({m, layer.k, layer.n, layer.dtype, data.x(), data.denseWeights(), data.y()});
  }
  result.dense_library = dense                         ? dense->name()
                         : state.options.against_dense ? "no dense library found for " + result.dtype
                                                       : "not asked for";
  if (dense)
    contenders.push_back({[&] { dense->run(); }, &result.dense, {}, {}});
  state.race(contenders, result.name + ", " + std::to_string(m) + " rows");
  // The machine's rates drift: the dense product of this very case counts too, where it was faster.
  double rate = state.denseRate(layer.dtype);
  if (result.dense)
    rate = std::max(rate, 1e6 * double(result.dense_macs) / result.dense->warm.median);
  result.floor_macs_us = rate > 0 ? 1e6 * double(result.active_macs) / rate : 0;
  result.floor_bytes_us = 1e6 * double(data.activeBytes()) / state.machine.copy_bytes_per_second;
  result.floor_us = std::max(result.floor_macs_us, result.floor_bytes_us);

  const std::optional<WarmAndFlushed> &algebra = result.packed ? result.packed : result.on_the_fly;
  result.verdict = result.dense ? verdict(algebra->warm, result.dense->warm) : "not compared";
  return result;
}

} // namespace algrt
