#include "compiler/tools/bench_program.h"

#include "compiler/process/failure.h"
#include "compiler/tools/checked_outputs.h"
#include "compiler/tools/opened_bundle.h"
#include "runtime/bench/statistics.h"
#include "runtime/bench/stopwatch.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

// A program of a bundle with all that a call takes.
class Call {
public:
  Call(const std::string &path, std::string program, int64_t m, int threads)
      : bundle(algrt::Bundle::open(path)), program_(std::move(program)), threads_(threads) {
    opened_ = openBundle(path);
    addRandomOperands(bundle, description(), m, /*seed=*/1, arrays_);
    for (const algrt::ProgramOperand &operand : description().operands)
      if (operand.role == algrt::OperandRole::Output)
        arrays_[operand.name] = makeOperand(operand, m);
    const auto pack = [&](const std::string &name, const ProgramArray &array) -> const algrt_weights * {
      algrt_weights *made = nullptr;
      const int status = algrt_program_weights_pack(opened_.get(), this->program_.c_str(), name.c_str(),
                                                    &array.tensor, threads, &made);
      if (status == ALGRT_UNSUPPORTED) // steps read it as it is
        return nullptr;
      requireDone(status);
      packed_.emplace_back(made);
      return made;
    };
    for (const algrt::ProgramOperand &operand : description().operands) {
      if (operand.optional)
        continue;
      const ProgramArray &array = *arrays_.at(operand.name);
      const algrt_weights *weights =
          operand.role == algrt::OperandRole::Weight ? pack(operand.name, array) : nullptr;
      tensors_.push_back({operand.name.c_str(), weights ? nullptr : &array.tensor, weights});
    }
    size_t bytes = 0;
    requireDone(algrt_program_workspace_size(opened_.get(), this->program_.c_str(), m, threads, &bytes));
    workspace_.resize(bytes);
  }

  const algrt::Program &description() const { return *bundle.manifest().findProgram(program_); }

  void run() {
    algrt_run_options options = algrt_run_options_init();
    options.threads = threads_;
    options.workspace = workspace_.data();
    options.workspace_bytes = workspace_.size();
    requireDone(algrt_run(opened_.get(), program_.c_str(), tensors_.data(),
                          static_cast<int64_t>(tensors_.size()), &options));
  }

  // The worst error beside the program's definition.
  double compare(const ProgramTools &tools) {
    run();
    const std::vector<CheckedOutput> checked =
        checkOutputs(bundle, description(), arrays_,
                     expectedOutputs(bundle, description(), arrays_, /*p0=*/0, tools), /*p0=*/0, tools);
    requireRight(checked);
    double worst = 0;
    for (const CheckedOutput &output : checked)
      worst = std::max(worst, output.comparison.relative_l2);
    return worst;
  }

  // The same for what another call has computed.
  void compare(const Call &other) {
    ReferenceArrays expected;
    for (const algrt::ProgramOperand &operand : description().operands)
      if (operand.role == algrt::OperandRole::Output)
        expected[operand.name] = other.arrays_.at(operand.name)->reference();
    requireRight(compareOutputs(description(), arrays_, expected));
  }

  const algrt::Bundle bundle;

private:
  std::string program_;
  int threads_;
  OpenedBundle opened_;
  std::vector<PackedWeights> packed_;
  ProgramArrays arrays_;
  std::vector<algrt_named_tensor> tensors_;
  std::vector<std::byte> workspace_;
};

std::string micro(const algrt::Timing &timing) {
  return fmt::format("{:.1f} ±{:.1f}", timing.median, (timing.upper_quartile - timing.lower_quartile) / 2);
}

} // namespace

std::vector<ProgramBenchCase> benchPrograms(const std::string &name, const std::string &bundle,
                                            const std::string &apart, const ProgramBenchOptions &options,
                                            const ProgramTools &tools) {
  constexpr int64_t compared_rows = 64; // the definition is computed term by term
  std::vector<std::string> programs;
  const algrt::Bundle opened = algrt::Bundle::open(bundle);
  for (const algrt::Program &program : opened.manifest().programs)
    programs.push_back(program.name);
  std::vector<ProgramBenchCase> cases;
  for (const std::string &program : programs) {
    ProgramBenchCase made{name, program, "", options.m, 0, 0, {}, {}, 0};
    made.relative_l2 =
        Call(bundle, program, std::min(options.m, compared_rows), options.threads).compare(tools);
    Call fused(bundle, program, options.m, options.threads);
    std::optional<Call> other;
    if (!apart.empty()) {
      other.emplace(apart, program, options.m, options.threads);
      made.steps_apart = other->description().steps.size();
    }
    made.algebra = fused.bundle.manifest().algebra;
    made.steps = fused.description().steps.size();
    fused.run();
    if (other) {
      other->run();
      fused.compare(*other);
    }
    std::vector<double> times, times_apart;
    for (int trial = 0; trial < options.trials; ++trial) {
      times.push_back(algrt::microsecondsOf([&] { fused.run(); }));
      if (other)
        times_apart.push_back(algrt::microsecondsOf([&] { other->run(); }));
      if (options.progress)
        options.progress(
            (static_cast<double>(cases.size()) + static_cast<double>(trial + 1) / options.trials) /
                static_cast<double>(programs.size()),
            program);
    }
    made.fused = algrt::summarise(std::move(times));
    if (other)
      made.apart = algrt::summarise(std::move(times_apart));
    cases.push_back(std::move(made));
  }
  return cases;
}

std::string programBenchText(const std::vector<ProgramBenchCase> &cases) {
  std::string text =
      fmt::format("{:<20}  {:<10}  {:>9}  {:>6}  {:>5}  {:>18}  {:>5}  {:>18}  {:>6}  {:>8}\n", "case",
                  "program", "algebra", "m", "steps", "fused us", "steps", "apart us", "ratio", "error");
  for (const ProgramBenchCase &one : cases)
    text += fmt::format(
        "{:<20}  {:<10}  {:>9}  {:>6}  {:>5}  {:>18}  {:>5}  {:>18}  {:>6}  {:>8.1e}\n", one.name,
        one.program, one.algebra, one.m, one.steps, micro(one.fused),
        one.apart ? fmt::format("{}", one.steps_apart) : "-", one.apart ? micro(*one.apart) : "-",
        one.apart ? fmt::format("{:.2f}x", one.apart->median / one.fused.median) : "-", one.relative_l2);
  return text;
}

nlohmann::ordered_json programBenchJson(const std::vector<ProgramBenchCase> &cases) {
  const auto timing = [](const algrt::Timing &one) {
    return nlohmann::ordered_json{{"median_us", one.median},
                                  {"lower_quartile_us", one.lower_quartile},
                                  {"upper_quartile_us", one.upper_quartile}};
  };
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ProgramBenchCase &one : cases)
    list.push_back({{"name", one.name},
                    {"program", one.program},
                    {"algebra", one.algebra},
                    {"m", one.m},
                    {"steps", one.steps},
                    {"fused", timing(one.fused)},
                    {"steps_apart", one.apart ? nlohmann::ordered_json(one.steps_apart) : nullptr},
                    {"apart", one.apart ? timing(*one.apart) : nlohmann::ordered_json()},
                    {"relative_l2", one.relative_l2}});
  return {{"programs", list}};
}

} // namespace compiler
