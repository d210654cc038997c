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

// One network with all that is measured of it.
class Measurement {
public:
  // Throws Error for programs that are no networks.
  Measurement(MeasuredDevice &measured, const NetworkBundles &sources, int64_t m, int64_t experts,
              Activation activation)
      : measured_(measured), sources_(sources), activation_(activation),
        bundle_(Bundle::open(sources.bundle)), network_(requireNetwork()),
        operands_(makeOperands(m, experts)), reference_(operands_, operands_.sampledRows(), activation,
                                                        /*dense=*/false, measured.options().check.threads),
        whole_(measured.device(), sources.bundle, program_name, operands_, /*each=*/false) {
    describe();
  }

  GpuNetworkCase measure() {
    measureVariants();
    enterProgram();
    enterOther(sources_.steps, made_.steps, /*each=*/false);
    enterOther(sources_.apart, made_.apart, /*each=*/false);
    if (operands_.experts() > 0)
      enterOther(sources_.each, made_.each, /*each=*/true);
    enterDense();
    race();
    setFloor();
    return made_;
  }

private:
  Network requireNetwork();
  GpuNetworkOperands makeOperands(int64_t m, int64_t experts);
  void describe();
  std::string check(const GpuCall &call, double &relative_l2);
  void measureVariants();
  void enter(GpuNetworkContender &contender, const GpuCall &call, double us);
  void enterProgram();
  void enterOther(const std::string &path, GpuNetworkContender &contender, bool each);
  void enterDense();
  void race();
  void setFloor();
  std::string name() const { return std::filesystem::path(sources_.bundle).filename().string(); }

  MeasuredDevice &measured_;
  const NetworkBundles &sources_;
  const Activation activation_;
  GpuNetworkCase made_;
  const Bundle bundle_;
  const Network network_;
  GpuNetworkOperands operands_;
  const SampledRows reference_;
  std::vector<uint16_t> first_right_; // the first whole result that was right
  GpuNetworkProgram whole_;
  std::vector<int32_t> numbers_; // of the variants, in a call
  std::vector<std::unique_ptr<GpuNetworkProgram>> others_;
  std::optional<GpuDenseNetwork> dense_;
  // Those that take part in the trials, and the least that one of them took when it was calibrated.
  std::vector<GpuCall> calls_;
  std::vector<GpuNetworkContender *> contenders_;
  double fastest_us_ = 0;
};

Network Measurement::requireNetwork() {
  std::string why_not = "is not there";
  const Program *program = bundle_.manifest().findProgram(program_name);
  std::optional<Network> network = program ? networkOf(bundle_, *program, why_not) : std::nullopt;
  if (!network)
    throw Error(ALGRT_UNSUPPORTED, name() + ": program " + program_name + " " + why_not +
                                       "; on a GPU feed-forward networks are measured");
  return *network;
}

GpuNetworkOperands Measurement::makeOperands(int64_t m, int64_t experts) {
  measured_.report(0, "operands and reference of " + name());
  return GpuNetworkOperands(measured_.device(), network_, {m, experts}, measured_.options().seed);
}

void Measurement::describe() {
  made_.name = name();
  made_.program = program_name;
  made_.activation = activationNames()[size_t(activation_)];
  made_.algebra_name = bundle_.manifest().algebra;
  made_.m = operands_.m();
  made_.experts = operands_.experts();
  made_.k = network_.k();
  made_.hidden = network_.hidden();
  made_.n = network_.out();
  made_.q = network_.up.types;
  made_.checked_rows = int64_t(operands_.sampledRows().size());
}

// Why a call does not compute the network; empty where it does. One that cannot be launched is as wrong as
// one that computes something else, but where the device itself has failed nothing else can be measured. Rows
// that are not sampled are compared with those of the first call that was right.
std::string Measurement::check(const GpuCall &call, double &relative_l2) {
  try {
    operands_.poisonResult();
    call(measured_.stream().get());
    measured_.stream().synchronize();
  } catch (const Error &error) {
    if (!measured_.device().healthy())
      throw;
    return error.what();
  }
  std::vector<uint16_t> result = operands_.result();
  if (std::string wrong = reference_.objection(result, relative_l2); !wrong.empty())
    return wrong;
  if (!first_right_.empty())
    return difference(result, first_right_);
  first_right_ = std::move(result);
  return "";
}

// The kernels that compute the whole network.
void Measurement::measureVariants() {
  measured_.report(0.2, "kernels of " + made_.name);
  const GpuBenchOptions &options = measured_.options();
  for (const GpuNetworkProgram::Choice &choice : whole_.kernels()) {
    const GpuKernel &kernel = *choice.kernel->gpu;
    if ((!options.target.empty() && choice.kernel->target != options.target) ||
        kernel.takesExperts() != (operands_.experts() > 0) ||
        !reasonNotToRun(kernel, measured_.device().properties()).empty())
      continue;
    GpuNetworkVariant &variant = made_.variants.emplace_back(
        GpuNetworkVariant{choice.kernel->name, choice.kernel->target, kernel, 0, 0, ""});
    numbers_.push_back(choice.number);
    measured_.report(0.3, made_.name + ", kernel " + variant.name);
    variant.failure = check(whole_.call(choice.number), variant.relative_l2);
    if (!variant.failure.empty())
      continue;
    variant.calibration_us = measured_.trials().calibrate(whole_.call(choice.number));
    if (!made_.winner || variant.calibration_us < made_.variants[*made_.winner].calibration_us)
      made_.winner = made_.variants.size() - 1;
  }
}

void Measurement::enter(GpuNetworkContender &contender, const GpuCall &call, double us) {
  fastest_us_ = calls_.empty() ? us : std::min(fastest_us_, us);
  calls_.push_back(call);
  contenders_.push_back(&contender);
}

// By its fastest kernel, or where it has several steps as the runtime chooses for each.
void Measurement::enterProgram() {
  made_.algebra.steps = whole_.steps();
  made_.algebra.failure = check(whole_.call(), made_.algebra.relative_l2);
  if (!made_.algebra.failure.empty())
    return;
  made_.chosen_us = measured_.trials().calibrate(whole_.call());
  if (!made_.winner)
    return enter(made_.algebra, whole_.call(), made_.chosen_us);
  const GpuNetworkVariant &winner = made_.variants[*made_.winner];
  made_.algebra.relative_l2 = winner.relative_l2;
  enter(made_.algebra, whole_.call(numbers_[*made_.winner]), winner.calibration_us);
}

void Measurement::enterOther(const std::string &path, GpuNetworkContender &contender, bool each) {
  if (path.empty())
    return;
  measured_.report(0.5, made_.name + " beside " + std::filesystem::path(path).filename().string());
  others_.push_back(
      std::make_unique<GpuNetworkProgram>(measured_.device(), path, program_name, operands_, each));
  GpuNetworkProgram &other = *others_.back();
  contender.steps = other.steps();
  if (!each && other.steps() == whole_.steps()) // the same steps
    return;
  contender.failure = check(other.call(), contender.relative_l2);
  if (contender.failure.empty())
    enter(contender, other.call(), measured_.trials().calibrate(other.call()));
}

void Measurement::enterDense() {
  made_.dense_library = measured_.machine().dense_library;
  if (measured_.baselines() == nullptr || !measured_.baselines()->hasDense())
    return;
  if (sources_.activation.empty()) {
    made_.dense_library = "there is no bundle of the activation";
    return;
  }
  measured_.report(0.6, made_.name + ", cuBLASLt");
  dense_.emplace(measured_.device(), *measured_.baselines(), operands_, sources_.activation);
  made_.dense_library = dense_->found();
  made_.dense_macs = dense_->macs();
  if (!dense_->exists())
    return;
  const SampledRows reference(operands_, {0, made_.m - 1}, activation_, /*dense=*/true,
                              measured_.options().check.threads);
  dense_->poisonResult();
  dense_->call()(measured_.stream().get());
  measured_.stream().synchronize();
  made_.dense.failure = reference.objection(dense_->result(), made_.dense.relative_l2);
  if (made_.dense.failure.empty())
    enter(made_.dense, dense_->call(), measured_.trials().calibrate(dense_->call()));
}

// Trial by trial, one contender after the other.
void Measurement::race() {
  if (calls_.empty())
    return;
  measured_.report(0.8, made_.name + ", " + std::to_string(made_.m) + " rows");
  operands_.poisonResult();
  const std::vector<GpuTimes> times = measured_.trials().evaluate(calls_, fastest_us_);
  made_.clocks = measured_.clocks();
  for (size_t i = 0; i < times.size(); ++i)
    contenders_[i]->times = times[i];
  if (!made_.algebra.failure.empty())
    return;
  // All write the same result, and whoever was last wrote it: right alone, wrong among others is a race.
  if (const std::string wrong = reference_.objection(operands_.result(), made_.algebra.relative_l2);
      !wrong.empty()) {
    made_.algebra.failure = "after the timed trials " + wrong;
    made_.algebra.times.reset();
  }
}

void Measurement::setFloor() {
  const Work work = workOf(operands_);
  made_.active_macs = work.macs;
  made_.bytes = work.bytes;
  // The device's rates drift: the dense products of this very case count too, where they were faster.
  double rate = measured_.machine().dense_macs_per_second;
  if (made_.dense.times)
    rate = std::max(rate, 1e6 * double(made_.dense_macs) / made_.dense.times->us.warm.median);
  made_.floor_bytes_us = 1e6 * double(work.bytes) / measured_.machine().copy_bytes_per_second;
  made_.floor_macs_us = rate > 0 ? 1e6 * double(work.macs) / rate : 0;
  made_.floor_us = std::max(made_.floor_bytes_us, made_.floor_macs_us);
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
  return Measurement(measured_, sources, m, experts, activation).measure();
}

} // namespace algrt
