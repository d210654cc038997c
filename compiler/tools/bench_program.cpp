#include "compiler/tools/bench_program.h"

#include "compiler/process/failure.h"
#include "compiler/tools/checked_outputs.h"
#include "compiler/tools/dense_network.h"
#include "compiler/tools/opened_bundle.h"
#include "runtime/bench/active_work.h"
#include "runtime/bench/race.h"
#include "runtime/bench/text_table.h"
#include "runtime/bundle/fusion.h"
#include "runtime/support/parallel.h"

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
    requireRight(compareOutputs(description(), arrays_, expected, layersOfSteps(bundle)));
  }

  // Multiplications of all products for the rows of this call, and what they read or write: of weights the
  // blocks that some row reads, of the other operands all.
  struct Work {
    int64_t macs = 0, bytes = 0;
  };
  Work work(int64_t m) const {
    Work work;
    std::map<std::string, int64_t> weight_bytes; // of what steps multiply by
    for (const algrt::ProgramStep &step : description().steps) {
      if (step.elementwise)
        continue;
      const algrt::Bundle &projection = bundle.projection(step.projection);
      const std::vector<int32_t> types(static_cast<size_t>(m)); // where they are explicit: all the first one
      const char *name = algrt::operandNames(step.map).w;
      const int64_t weights = algrt::fusionOf(projection.layer(), step.map).allWeights();
      for (int64_t i = 0; i < weights; ++i) {
        const algrt::Layer layer = algrt::layerOfWeight(projection.layer(), i);
        const algrt::ActiveWork once = algrt::averageWork(layer, projection.support(), step.rows.value_or(m),
                                                          types.data(), /*rotates=*/false);
        work.macs += once.macs;
        if (step.map == algrt::Map::Dw)
          continue;
        int64_t &bytes = weight_bytes[step.operands.at(algrt::numberedName(name, i))];
        bytes = std::max(bytes, once.weight_elements * algrt::elementBytes(layer.dtype));
      }
    }
    for (const algrt::ProgramOperand &operand : description().operands)
      if (!operand.optional)
        work.bytes += weight_bytes.contains(operand.name)
                          ? weight_bytes[operand.name]
                          : static_cast<int64_t>(arrays_.at(operand.name)->bytes.size());
    return work;
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

ProgramBench::ProgramBench(const Options &options, const ProgramTools &tools)
    : options_(options), tools_(tools), threads_(algrt::resolveThreads(options.threads)),
      libraries_(threads_),
      flush_(options.flush_bytes != 0 ? options.flush_bytes : algrt::defaultFlushBytes()) {}

double ProgramBench::copyBytesPerMicrosecond() {
  if (!copy_bytes_per_us_)
    copy_bytes_per_us_ = algrt::copyBytesPerSecond(threads_) / 1e6;
  return *copy_bytes_per_us_;
}

double ProgramBench::denseRate(algrt::ElementType type) {
  const auto [rate, is_new] = rates_.try_emplace(type);
  if (is_new)
    rate->second = libraries_.macsPerSecond(type) / 1e6;
  return rate->second;
}

std::vector<ProgramBenchCase> ProgramBench::measure(const ProgramBenchSource &source, int64_t m) {
  constexpr int64_t compared_rows = 64; // the definition is computed term by term
  std::vector<std::string> programs;
  const algrt::Bundle opened = algrt::Bundle::open(source.bundle);
  for (const algrt::Program &program : opened.manifest().programs)
    programs.push_back(program.name);
  std::vector<ProgramBenchCase> cases;
  for (const std::string &program : programs) {
    ProgramBenchCase &made = cases.emplace_back();
    made.name = source.name;
    made.program = program;
    made.m = m;
    made.published = source.published;
    made.relative_l2 = Call(source.bundle, program, std::min(m, compared_rows), threads_).compare(tools_);
    Call fused(source.bundle, program, m, threads_);
    made.algebra = fused.bundle.manifest().algebra;
    made.steps = fused.description().steps.size();
    const Call::Work work = fused.work(m);
    made.active_macs = work.macs;
    made.bytes = work.bytes;
    fused.run();
    std::vector<algrt::Contender> contenders = {{[&] { fused.run(); }}};

    // Those that have other steps, whose results are compared, and where they have their times.
    struct Other {
      std::optional<Call> call;
      size_t steps = 0, contender = 0;
    };
    Other in_layers, apart;
    const auto add = [&](const std::string &bundle, Other &other) {
      if (bundle.empty())
        return;
      other.call.emplace(bundle, program, m, threads_);
      other.steps = other.call->description().steps.size();
      if (other.steps == made.steps) {
        other.call.reset();
        return;
      }
      other.call->run();
      fused.compare(*other.call);
      other.contender = contenders.size();
      contenders.push_back({[&] { other.call->run(); }});
    };
    add(source.steps, in_layers);
    add(source.apart, apart);
    made.steps_in_layers = in_layers.steps;
    made.steps_apart = apart.steps;

    // The gradients of a dense network are not among what is compared.
    std::optional<DenseNetwork> dense;
    if (!options_.against_dense)
      made.dense_library = "not asked for";
    else if (!source.network || program != "forward")
      made.dense_library = "of networks forward alone";
    else if (source.network->bias)
      made.dense_library = "of networks without biases alone";
    else if (!dense.emplace(*source.network, m, threads_, source.activation, libraries_).exists())
      made.dense_library =
          libraries_.any() ? "no library multiplies the type on this processor" : "no library found";
    if (dense && dense->exists()) {
      dense->run();
      dense->check();
      made.dense_library = dense->libraryName();
      contenders.push_back({[&] { dense->run(); }});
    }

    const std::vector<algrt::WarmAndFlushed> times =
        algrt::race(contenders, options_.trials, flush_, [&](double fraction) {
          if (options_.progress)
            options_.progress((static_cast<double>(cases.size() - 1) + fraction) /
                                  static_cast<double>(programs.size()),
                              program);
        });
    made.algebra_us = times.front();
    if (in_layers.call)
      made.steps_us = times[in_layers.contender];
    if (apart.call)
      made.apart_us = times[apart.contender];
    made.floor_us = static_cast<double>(made.bytes) / copyBytesPerMicrosecond();
    if (dense && dense->exists()) {
      made.dense_us = times.back();
      const double macs_per_us =
          std::max(denseRate(source.network->dtype == algebras::DataType::F32 ? algrt::ElementType::F32
                                                                              : algrt::ElementType::Bf16),
                   static_cast<double>(dense->macs()) / made.dense_us->warm.median);
      made.floor_us = std::max(made.floor_us, static_cast<double>(made.active_macs) / macs_per_us);
    }
  }
  return cases;
}

std::string programBenchText(const std::vector<ProgramBenchCase> &cases) {
  const auto once = [](const std::string &text, bool first) { return first ? text : std::string(); };
  std::vector<std::vector<std::string>> rows = {
      {"case", "program", "algebra", "m", "steps", "cache", "fused us", "steps us", "apart us", "dense us",
       "to steps", "to apart", "to dense", "published", "floor us", "floor", "L2 error"}};
  for (const ProgramBenchCase &one : cases)
    for (const auto state : {&algrt::WarmAndFlushed::warm, &algrt::WarmAndFlushed::flushed}) {
      const bool warm = state == &algrt::WarmAndFlushed::warm;
      const double fused = (one.algebra_us.*state).median;
      const auto time = [&](const std::optional<algrt::WarmAndFlushed> &times) {
        return times ? micro((*times).*state) : std::string("-");
      };
      const auto ratio = [&](const std::optional<algrt::WarmAndFlushed> &times) {
        return times ? fmt::format("{:.2f}x", ((*times).*state).median / fused) : std::string("-");
      };
      const std::optional<double> published =
          warm ? one.published.speedup_warm : one.published.speedup_flushed;
      rows.push_back({once(one.name, warm), once(one.program, warm), once(one.algebra, warm),
                      once(fmt::format("{}", one.m), warm),
                      once(one.apart_us ? fmt::format("{} of {}", one.steps, one.steps_apart)
                                        : fmt::format("{}", one.steps),
                           warm),
                      warm ? "warm" : "flushed", micro(one.algebra_us.*state), time(one.steps_us),
                      time(one.apart_us), time(one.dense_us), ratio(one.steps_us), ratio(one.apart_us),
                      ratio(one.dense_us), published ? fmt::format("{:.2f}x", *published) : "-",
                      fmt::format("{:.1f}", one.floor_us), fmt::format("{:.2f}", one.floor_us / fused),
                      once(fmt::format("{:.1e}", one.relative_l2), warm)});
    }
  std::string text = algrt::textTable(rows);
  for (const ProgramBenchCase &one : cases)
    text += fmt::format("{}{} of {} rows: dense products: {}\n", &one == &cases.front() ? "\n" : "",
                        one.program, one.m, one.dense_library);
  return text;
}

nlohmann::ordered_json programBenchJson(const std::vector<ProgramBenchCase> &cases) {
  using Json = nlohmann::ordered_json;
  const auto timing = [](const algrt::Timing &one) {
    return Json{{"median", one.median},
                {"lower_quartile", one.lower_quartile},
                {"upper_quartile", one.upper_quartile}};
  };
  const auto times = [&](const std::optional<algrt::WarmAndFlushed> &both) {
    return both ? Json{{"warm", timing(both->warm)}, {"flushed", timing(both->flushed)}} : Json();
  };
  const auto number = [](const std::optional<double> &one) { return one ? Json(*one) : Json(); };
  Json list = Json::array();
  for (const ProgramBenchCase &one : cases)
    list.push_back(
        {{"name", one.name},
         {"program", one.program},
         {"algebra", one.algebra},
         {"m", one.m},
         {"steps", one.steps},
         {"steps_in_layers", one.steps_us ? Json(one.steps_in_layers) : Json()},
         {"steps_apart", one.apart_us ? Json(one.steps_apart) : Json()},
         {"algebra_us", times(one.algebra_us)},
         {"steps_us", times(one.steps_us)},
         {"apart_us", times(one.apart_us)},
         {"dense_us", times(one.dense_us)},
         {"dense_library", one.dense_library},
         {"active_macs", one.active_macs},
         {"bytes", one.bytes},
         {"floor_us", one.floor_us},
         {"published_speedup",
          {{"warm", number(one.published.speedup_warm)}, {"flushed", number(one.published.speedup_flushed)}}},
         {"relative_l2", one.relative_l2}});
  return {{"programs", list}};
}

} // namespace compiler
