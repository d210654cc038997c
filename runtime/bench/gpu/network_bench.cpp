#include "runtime/bench/gpu/network_bench.h"

#include "runtime/bench/active_work.h"
#include "runtime/bench/gpu/dense_network.h"
#include "runtime/bench/gpu/network_program.h"
#include "runtime/cuda/kernel_choice.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

namespace algrt {

namespace {

constexpr const char *program_name = "forward";

// Rounded in bf16 are the activations and the results; of dense products and of steps, sums as well.
double limit() { return 3 * tolerance(/*is_bfloat16=*/true); }

// What sampled rows are by definition, and how far a result is from that.
class SampledRows {
public:
  SampledRows(const GpuNetworkOperands &operands, std::vector<int64_t> rows, Activation activation,
              bool dense, int threads)
      : rows_(std::move(rows)), width_(operands.network().out()),
        expected_(operands.expected(rows_, activation, dense, threads)) {}

  // A sentence where the result is wrong. Nothing of it may be unwritten.
  std::string objection(const std::vector<uint16_t> &result, double &relative_l2) const {
    for (size_t i = 0; i < result.size(); ++i)
      if (result[i] == 0xffff)
        return "row " + std::to_string(int64_t(i) / width_) + ", column " +
               std::to_string(int64_t(i) % width_) + " is not written";
    std::vector<float> actual;
    for (const int64_t row : rows_)
      for (int64_t column = 0; column < width_; ++column)
        actual.push_back(fromBfloat16(result[size_t(row * width_ + column)]));
    const Comparison found = compare(actual, expected_);
    relative_l2 = std::max(relative_l2, found.relative_l2);
    if (found.within(limit()))
      return "";
    if (found.kind_mismatches > 0)
      return "row " + std::to_string(rows_[size_t(found.first_mismatch / width_)]) + ", column " +
             std::to_string(found.first_mismatch % width_) + " is not finite where it should be";
    // Which row is the worst tells more than the norm over all.
    size_t worst = 0;
    double most = -1;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const size_t first = i * size_t(width_), count = size_t(width_);
      const double error = compare(std::span<const float>(actual).subspan(first, count),
                                   std::span<const double>(expected_).subspan(first, count))
                               .relative_l2;
      if (error > most)
        most = error, worst = i;
    }
    return "relative L2 error " + std::to_string(found.relative_l2) + ", the worst row is " +
           std::to_string(rows_[worst]) + " with " + std::to_string(most);
  }

private:
  std::vector<int64_t> rows_;
  int64_t width_;
  std::vector<double> expected_;
};

// A sentence where two results of the same network differ by more than rounding.
std::string difference(const std::vector<uint16_t> &result, const std::vector<uint16_t> &other) {
  std::vector<float> actual;
  std::vector<double> expected;
  for (const uint16_t value : result)
    actual.push_back(fromBfloat16(value));
  for (const uint16_t value : other)
    expected.push_back(fromBfloat16(value));
  const Comparison found = compare(actual, expected);
  return found.within(limit()) ? ""
                               : "differs from what was right before it: relative L2 distance " +
                                     std::to_string(found.relative_l2) + ", " +
                                     std::to_string(found.kind_mismatches) + " elements of another kind";
}

struct Work {
  int64_t macs = 0, bytes = 0;
};

Work workOf(const GpuNetworkOperands &operands) {
  const Network &network = operands.network();
  const std::vector<int64_t> types = rowTypes(network.up, operands.m(), 0, nullptr);
  Work work;
  work.bytes = 2 * operands.m() * (network.k() + network.out());
  for (int64_t expert = 0; expert < operands.networks(); ++expert) {
    const auto rows =
        std::span(types).subspan(size_t(operands.first(expert)), size_t(operands.rowsOf(expert)));
    if (rows.empty())
      continue;
    const ActiveWork up = activeWork(network.up, *network.up_support, rows);
    const ActiveWork down = activeWork(network.down, *network.down_support, rows);
    const int64_t of_x = network.gate ? 2 : 1;
    work.macs += of_x * up.macs + down.macs;
    work.bytes += 2 * (of_x * up.weight_elements + down.weight_elements);
  }
  return work;
}

} // namespace

bool GpuNetworkCase::anyWrong() const {
  return std::ranges::any_of(variants, [](const auto &variant) { return !variant.failure.empty(); }) ||
         std::ranges::any_of(
             std::initializer_list<const GpuNetworkContender *>{&algebra, &steps, &apart, &each, &dense},
             [](const auto *contender) { return !contender->failure.empty(); });
}

GpuNetworkCase GpuNetworkBench::measure(const NetworkBundles &sources, int64_t m, int64_t experts,
                                        Activation activation) {
  const GpuDevice &device = measured_.device();
  const GpuStream &stream = measured_.stream();
  const GpuBenchOptions &options = measured_.options();
  GpuTrials &trials = measured_.trials();
  GpuNetworkCase made;
  made.name = std::filesystem::path(sources.bundle).filename().string();
  made.program = program_name;
  made.activation = activationNames()[size_t(activation)];
  made.m = m;
  made.experts = experts;

  const Bundle bundle = Bundle::open(sources.bundle);
  std::string why_not = "is not there";
  const Program *program = bundle.manifest().findProgram(program_name);
  const std::optional<Network> network = program ? networkOf(bundle, *program, why_not) : std::nullopt;
  if (!network)
    throw Error(ALGRT_UNSUPPORTED, made.name + ": program " + program_name + " " + why_not +
                                       "; on a GPU feed-forward networks are measured");
  made.algebra_name = bundle.manifest().algebra;
  made.k = network->k();
  made.hidden = network->hidden();
  made.n = network->out();
  made.q = network->up.types;

  measured_.report(0, "operands and reference of " + made.name);
  GpuNetworkOperands operands(device, *network, {m, experts}, options.seed);
  const Work work = workOf(operands);
  made.active_macs = work.macs;
  made.bytes = work.bytes;
  const SampledRows reference(operands, operands.sampledRows(), activation, /*dense=*/false,
                              options.check.threads);
  made.checked_rows = int64_t(operands.sampledRows().size());

  // Whether a call computes the network; one that cannot be launched is as wrong as one that computes
  // something else, but where the device itself has failed nothing else can be measured. Rows that are not
  // sampled are compared with those of the first call that was right.
  std::vector<uint16_t> first_right;
  const auto check = [&](const GpuCall &call, double &relative_l2) -> std::string {
    try {
      operands.poisonResult();
      call(stream.get());
      stream.synchronize();
    } catch (const Error &error) {
      if (!device.healthy())
        throw;
      return error.what();
    }
    std::vector<uint16_t> result = operands.result();
    if (std::string wrong = reference.objection(result, relative_l2); !wrong.empty())
      return wrong;
    if (first_right.empty())
      first_right = std::move(result);
    else
      return difference(result, first_right);
    return "";
  };

  measured_.report(0.2, "kernels of " + made.name);
  GpuNetworkProgram whole(device, sources.bundle, program_name, operands, /*each=*/false);
  made.algebra.steps = whole.steps();
  std::vector<int32_t> numbers;
  for (const GpuNetworkProgram::Choice &choice : whole.kernels()) {
    const GpuKernel &kernel = *choice.kernel->gpu;
    if ((!options.target.empty() && choice.kernel->target != options.target) ||
        kernel.takesExperts() != (experts > 0) || !reasonNotToRun(kernel, device.properties()).empty())
      continue;
    GpuNetworkVariant &variant = made.variants.emplace_back(
        GpuNetworkVariant{choice.kernel->name, choice.kernel->target, kernel, 0, 0, ""});
    numbers.push_back(choice.number);
    measured_.report(0.3, made.name + ", kernel " + variant.name);
    variant.failure = check(whole.call(choice.number), variant.relative_l2);
    if (!variant.failure.empty())
      continue;
    variant.calibration_us = trials.calibrate(whole.call(choice.number));
    if (!made.winner || variant.calibration_us < made.variants[*made.winner].calibration_us)
      made.winner = made.variants.size() - 1;
  }

  // Trial by trial, one after the other.
  std::vector<GpuCall> calls;
  std::vector<GpuNetworkContender *> contenders;
  double fastest_us = 0;
  const auto enter = [&](GpuNetworkContender &contender, const GpuCall &call, double us) {
    fastest_us = calls.empty() ? us : std::min(fastest_us, us);
    calls.push_back(call);
    contenders.push_back(&contender);
  };
  made.algebra.failure = check(whole.call(), made.algebra.relative_l2);
  if (made.algebra.failure.empty()) {
    made.chosen_us = trials.calibrate(whole.call());
    const bool chooses = made.winner.has_value();
    enter(made.algebra, whole.call(chooses ? numbers[*made.winner] : 0),
          chooses ? made.variants[*made.winner].calibration_us : made.chosen_us);
    if (chooses)
      made.algebra.relative_l2 = made.variants[*made.winner].relative_l2;
  }
  std::vector<std::unique_ptr<GpuNetworkProgram>> others;
  const auto add = [&](const std::string &path, GpuNetworkContender &contender, bool each) {
    if (path.empty())
      return;
    measured_.report(0.5, made.name + " beside " + std::filesystem::path(path).filename().string());
    others.push_back(std::make_unique<GpuNetworkProgram>(device, path, program_name, operands, each));
    GpuNetworkProgram &other = *others.back();
    contender.steps = other.steps();
    if (!each && other.steps() == whole.steps()) // the same steps
      return;
    contender.failure = check(other.call(), contender.relative_l2);
    if (contender.failure.empty())
      enter(contender, other.call(), trials.calibrate(other.call()));
  };
  add(sources.steps, made.steps, false);
  add(sources.apart, made.apart, false);
  if (experts > 0)
    add(sources.each, made.each, true);

  std::optional<GpuDenseNetwork> dense;
  made.dense_library = measured_.machine().dense_library;
  if (measured_.baselines() != nullptr && measured_.baselines()->hasDense()) {
    if (sources.activation.empty()) {
      made.dense_library = "there is no bundle of the activation";
    } else {
      measured_.report(0.6, made.name + ", cuBLASLt");
      dense.emplace(device, *measured_.baselines(), operands, sources.activation);
      made.dense_library = dense->found();
      made.dense_macs = dense->macs();
    }
  }
  if (dense && dense->exists()) {
    const SampledRows dense_reference(operands, {0, m - 1}, activation, /*dense=*/true,
                                      options.check.threads);
    dense->poisonResult();
    dense->call()(stream.get());
    stream.synchronize();
    made.dense.failure = dense_reference.objection(dense->result(), made.dense.relative_l2);
    if (made.dense.failure.empty())
      enter(made.dense, dense->call(), trials.calibrate(dense->call()));
  }

  if (!calls.empty()) {
    measured_.report(0.8, made.name + ", " + std::to_string(m) + " rows");
    operands.poisonResult();
    const std::vector<GpuTimes> times = trials.evaluate(calls, fastest_us);
    made.clocks = measured_.clocks();
    for (size_t i = 0; i < times.size(); ++i)
      contenders[i]->times = times[i];
    // All write the same result, and whoever was last wrote it: right alone, wrong among others is a race.
    if (made.algebra.failure.empty())
      if (const std::string wrong = reference.objection(operands.result(), made.algebra.relative_l2);
          !wrong.empty()) {
        made.algebra.failure = "after the timed trials " + wrong;
        made.algebra.times.reset();
      }
  }
  // The device's rates drift: the dense products of this very case count too, where they were faster.
  double rate = measured_.machine().dense_macs_per_second;
  if (made.dense.times)
    rate = std::max(rate, 1e6 * double(made.dense_macs) / made.dense.times->us.warm.median);
  made.floor_bytes_us = 1e6 * double(work.bytes) / measured_.machine().copy_bytes_per_second;
  made.floor_macs_us = rate > 0 ? 1e6 * double(work.macs) / rate : 0;
  made.floor_us = std::max(made.floor_bytes_us, made.floor_macs_us);
  return made;
}

} // namespace algrt
