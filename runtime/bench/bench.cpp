#include "runtime/bench/bench.h"

#include "runtime/bench/api_call.h"
#include "runtime/bench/case_data.h"
#include "runtime/bench/dense.h"
#include "runtime/bench/machine.h"
#include "runtime/bench/race.h"
#include "runtime/bench/statistics.h"
#include "runtime/bench/workload.h"
#include "runtime/cpu/features.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/memory.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

namespace algrt {

namespace {

struct FreeWeights {
  void operator()(algrt_weights *weights) const { algrt_weights_free(weights); }
};

std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

} // namespace

struct Bench::State {
  State(const BenchOptions &given, DenseLibraries libraries)
      : options(given), threads(resolveThreads(given.threads)), dense(std::move(libraries)),
        flush(given.flush_bytes != 0 ? given.flush_bytes : defaultFlushBytes()) {
    machine.cpu = cpuName();
    machine.level = cpuLevel();
    machine.threads = threads;
    machine.flush_bytes = given.flush_bytes != 0 ? given.flush_bytes : defaultFlushBytes();
    machine.dense_libraries = dense.found();
  }

  void report(double fraction, const std::string &what) const {
    if (options.progress)
      options.progress(fraction, what);
  }

  // Measured when the first case asks: it takes seconds, which a call that measures nothing need not wait
  // for.
  double copyRate() {
    if (machine.copy_bytes_per_second == 0) {
      report(0, "copy bandwidth");
      machine.copy_bytes_per_second = copyBytesPerSecond(threads);
    }
    return machine.copy_bytes_per_second;
  }

  // Measured when the first case of that type asks, also where the answer is that no library multiplies it.
  double denseRate(ElementType type) {
    double &rate =
        type == ElementType::F32 ? machine.dense_macs_per_second_f32 : machine.dense_macs_per_second_bf16;
    if (options.against_dense && rates_measured.insert(type).second) {
      report(0, std::string("dense rate in ") + name(type));
      rate = dense.macsPerSecond(type);
    }
    return rate;
  }

  BenchOptions options;
  int threads;
  DenseLibraries dense;
  CacheFlush flush;
  Machine machine;
  std::set<ElementType> rates_measured;
};

namespace {

void checkOptions(const BenchOptions &options) {
  if (options.trials < 1)
    throw Error(ALGRT_INVALID_ARGUMENT, "trials is " + std::to_string(options.trials) + ", needs at least 1");
  if (options.threads < 0)
    throw Error(ALGRT_INVALID_ARGUMENT,
                "threads is " + std::to_string(options.threads) + ", needs 0 (all) or more");
  if (options.flush_bytes < 0)
    throw Error(ALGRT_INVALID_ARGUMENT, "the flush buffer cannot have a negative size");
  requireMemory(uint64_t(options.flush_bytes), "the buffer that empties the caches");
}

} // namespace

Bench::Bench(const BenchOptions &options) {
  checkOptions(options);
  state_ = new State(options, DenseLibraries(resolveThreads(options.threads)));
}

Bench::Bench(const BenchOptions &options, DenseLibraries dense) {
  checkOptions(options);
  state_ = new State(options, std::move(dense));
}

Bench::~Bench() { delete state_; }

const Machine &Bench::machine() const { return state_->machine; }

namespace {

// The things that a case measures against each other, and what they compute on.
class Measurement {
public:
  Measurement(const std::string &path, int64_t m, const Workload &workload, int threads, uint64_t seed)
      : path_(path), bundle_(Bundle::open(path)), workload_(workload) {
    handle_ = openBundle(path);
    for (const Map map : workload.maps)
      parts_.push_back(std::make_unique<CaseData>(bundle_, m, seed, map, workload.rotates));
    size_t workspace_bytes = 0;
    requireDone(algrt_workspace_size(handle_.get(), m, threads, &workspace_bytes));
    workspace_ = AlignedBuffer(workspace_bytes);
    call_.threads = threads;
    call_.workspace = workspace_.data();
    call_.workspace_bytes = workspace_bytes;
  }

  const Bundle &bundle() const { return bundle_; }
  std::vector<std::unique_ptr<CaseData>> &parts() { return parts_; }

  // Packs the weight matrix where that is of use: for calls that all read the same one.
  bool pack() {
    algrt_bundle_info info = algrt_bundle_info_init();
    requireDone(algrt_bundle_get_info(handle_.get(), &info));
    if (info.packed_bytes == 0 || workload_.maps != std::vector{Map::Forward})
      return false;
    algrt_weights *packed = nullptr;
    requireDone(algrt_weights_pack(handle_.get(), &parts_.front()->weights(), call_.threads, &packed));
    weights_.reset(packed);
    return true;
  }

  // Of which map the bundle has no kernel that reads the weight matrix as it is; empty if it has all.
  std::string missing() const {
    for (const Map map : workload_.maps)
      if (std::ranges::none_of(bundle_.manifest().kernels, [&](const Kernel &kernel) {
            const bool output = map != Map::Dw || kernel.output == bundle_.layer().dtype;
            return kernel.known && kernel.map == name(map) && kernel.weights != WeightsForm::Packed &&
                   output && missingCpuFeatures(kernel.features).empty();
          }))
        return name(map);
    return "";
  }

  // One call, or one of each map. Where rows rotate, the position of the call after it.
  int64_t run(bool packed, int64_t position) {
    CaseCall call = call_;
    call.weights = packed ? weights_.get() : nullptr;
    call.p0 = position;
    for (const std::unique_ptr<CaseData> &part : parts_)
      requireDone(part->run(handle_.get(), call));
    return workload_.rotates ? position + bundle_.layer().row_type_width : 0;
  }

private:
  std::string path_;
  Bundle bundle_;
  const Workload &workload_;
  OpenBundle handle_;
  std::vector<std::unique_ptr<CaseData>> parts_;
  AlignedBuffer workspace_;
  CaseCall call_;
  std::unique_ptr<algrt_weights, FreeWeights> weights_;
};

} // namespace

void requireRoom(const std::string &bundle_path, int64_t m, const std::string &workload_name, int threads) {
  const Workload &workload = requireWorkload(workload_name);
  const Bundle bundle = Bundle::open(bundle_path);
  const OpenBundle handle = openBundle(bundle_path);
  algrt_bundle_info info = algrt_bundle_info_init();
  requireDone(algrt_bundle_get_info(handle.get(), &info));
  size_t workspace = 0;
  requireDone(algrt_workspace_size(handle.get(), m, resolveThreads(threads), &workspace));
  int64_t bytes = checkedAdd(int64_t(workspace), int64_t(info.packed_bytes), "the workspace");
  const Layer &layer = bundle.layer();
  for (const Map map : workload.maps) {
    // A weight matrix of the dense library's, and one in its own order.
    const int64_t dense = checkedMultiply(checkedMultiply(layer.k, layer.n, "the dense weight matrix"),
                                          2 * elementBytes(layer.dtype), "the dense weight matrix");
    bytes = checkedAdd(bytes, checkedAdd(dense, CaseData::bytes(bundle, m, map), "a case"), "a case");
  }
  requireMemory(uint64_t(bytes), bundle_path + ": measuring " + workload.name + " of " + std::to_string(m) +
                                     (m == 1 ? " row" : " rows"));
}

BenchCase Bench::measure(const std::string &bundle_path, int64_t m, const std::string &workload_name) {
  State &state = *state_;
  const Workload &workload = requireWorkload(workload_name);
  requireRoom(bundle_path, m, workload_name, state.threads);
  Measurement measurement(bundle_path, m, workload, state.threads, state.options.seed);
  const Bundle &bundle = measurement.bundle();
  const Layer &layer = bundle.layer();
  const int64_t maps = int64_t(workload.maps.size());

  BenchCase result;
  result.name = fileName(bundle_path);
  result.algebra = bundle.manifest().algebra;
  result.m = m;
  result.k = layer.k;
  result.n = layer.n;
  result.q = layer.lift == Lift::Rows ? layer.types : int64_t(layer.out_groups.size());
  result.map = workload.name;
  result.target = "cpu";
  result.dtype = name(layer.dtype);
  result.threads = state.threads;
  result.dense_macs = maps * m * layer.k * layer.n;
  result.checked_rows = std::numeric_limits<int64_t>::max();
  for (const std::unique_ptr<CaseData> &part : measurement.parts()) {
    result.active_macs += part->activeMacs();
    result.checked_rows = std::min(result.checked_rows, part->checkedRows());
  }

  // A warm measurement of rows that rotate is of one call for each type, so that all types count alike.
  const int64_t calls = workload.rotates ? layer.types : 1;
  int64_t packed_position = 0, position = 0;
  std::vector<Contender> contenders;
  std::vector<std::optional<WarmAndFlushed> *> times; // of each
  const auto add = [&](std::function<void()> run, std::optional<WarmAndFlushed> &place) {
    contenders.push_back({std::move(run), calls});
    times.push_back(&place);
  };
  if (measurement.pack())
    add([&] { packed_position = measurement.run(true, packed_position); }, result.packed);
  const std::string missing = measurement.missing();
  if (missing.empty())
    add([&] { position = measurement.run(false, position); }, result.on_the_fly);

  if (contenders.empty())
    throw Error(
        ALGRT_UNSUPPORTED,
        bundle_path + ": the bundle has no kernel of " + missing + " for this CPU" +
            (workload.maps == std::vector{Map::Forward} ? "" : ": compile it with --maps forward,dx,dw"));

  // Nothing is measured that computes something else.
  for (const Contender &contender : contenders) {
    state.report(0, "checking " + result.name);
    for (const std::unique_ptr<CaseData> &part : measurement.parts())
      part->poisonResult();
    contender.run(); // its first, from position 0
    for (size_t i = 0; i < measurement.parts().size(); ++i) {
      const Comparison comparison = measurement.parts()[i]->check(state.threads);
      result.relative_l2 = std::max(result.relative_l2, comparison.relative_l2);
      result.max_relative_error = std::max(result.max_relative_error, comparison.max_relative);
      if (!comparison.within(tolerance(layer.dtype == ElementType::Bf16)))
        throw Error(
            ALGRT_INTERNAL,
            bundle_path + ": the kernels of " + name(workload.maps[i]) +
                " compute something else than the reference: relative L2 error " +
                std::to_string(comparison.relative_l2) + ", " + std::to_string(comparison.kind_mismatches) +
                " elements that are finite in one and not in the other. Compile the bundle again; if that "
                "does not help, please report it");
    }
  }

  std::vector<std::unique_ptr<DenseProduct>> dense;
  if (state.options.against_dense)
    for (const std::unique_ptr<CaseData> &part : measurement.parts()) {
      state.report(0, "choosing the dense library for " + result.name);
      DenseOperands operands = part->dense();
      operands.w_stays = operands.w_stays && maps == 1; // a step of training changes it
      if (std::unique_ptr<DenseProduct> fastest = state.dense.fastest(operands))
        dense.push_back(std::move(fastest));
    }
  const bool compares = !dense.empty() && dense.size() == measurement.parts().size();
  result.dense_library =
      !state.options.against_dense ? "not asked for"
      : compares                   ? ""
      : !state.dense.any()         ? "no dense library found"
                           : "none of the dense libraries multiplies " + result.dtype + " on this processor";
  if (compares) {
    for (const std::unique_ptr<DenseProduct> &product : dense)
      result.dense_library += (result.dense_library.empty() ? "" : "; ") + product->name();
    add(
        [&] {
          for (const std::unique_ptr<DenseProduct> &product : dense)
            product->run();
        },
        result.dense);
  }
  const std::string what = result.name + ", " + workload.name + ", " + std::to_string(m) + " rows";
  const std::vector<WarmAndFlushed> measured = race(contenders, state.options.trials, state.flush,
                                                    [&](double fraction) { state.report(fraction, what); });
  for (size_t i = 0; i < times.size(); ++i)
    *times[i] = measured[i];
  // The machine's rates drift: the dense product of this very case counts too, where it was faster.
  double rate = state.denseRate(layer.dtype);
  if (result.dense)
    rate = std::max(rate, 1e6 * double(result.dense_macs) / result.dense->warm.median);
  for (const std::unique_ptr<CaseData> &part : measurement.parts()) {
    const double macs_us = rate > 0 ? 1e6 * double(part->activeMacs()) / rate : 0;
    const double bytes_us = 1e6 * double(part->activeBytes()) / state.copyRate();
    result.floor_macs_us += macs_us;
    result.floor_bytes_us += bytes_us;
    result.floor_us += std::max(macs_us, bytes_us);
  }

  const std::optional<WarmAndFlushed> &algebra = result.packed ? result.packed : result.on_the_fly;
  result.verdict = result.dense ? verdict(algebra->warm, result.dense->warm) : "not compared";
  return result;
}

} // namespace algrt
