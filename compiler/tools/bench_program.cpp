#include "compiler/tools/bench_program.h"

#include "compiler/process/failure.h"
#include "compiler/tools/dense_network.h"
#include "compiler/tools/measured_call.h"
#include "runtime/bench/race.h"
#include "runtime/bench/text_table.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

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

std::vector<ProgramBenchCase> ProgramBench::measure(const ProgramBenchSource &source, int64_t m,
                                                    int64_t experts) {
  // The definition is computed term by term, and weights of many experts take long to make twice.
  constexpr int64_t compared_rows = 64, compared_experts = 4;
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
    made.experts = experts;
    made.published = source.published;
    made.relative_l2 = MeasuredCall(source.bundle, program, std::min(m, compared_rows), threads_,
                                    std::min(experts, compared_experts))
                           .compare(tools_);
    MeasuredCall fused(source.bundle, program, m, threads_, experts);
    made.algebra = fused.algebra();
    made.steps = fused.description().steps.size();
    const MeasuredCall::Work work = fused.work();
    made.active_macs = work.macs;
    made.bytes = work.bytes;
    fused.run();
    std::vector<algrt::Contender> contenders = {{[&] { fused.run(); }}};

    // Those that have other steps, whose results are compared, and where they have their times.
    struct Other {
      std::optional<MeasuredCall> call;
      size_t steps = 0, contender = 0;
    };
    Other in_layers, apart;
    const auto add = [&](const std::string &bundle, Other &other) {
      if (bundle.empty())
        return;
      other.call.emplace(bundle, program, m, threads_, experts);
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

    std::deque<MeasuredCall> each;
    size_t each_contender = 0;
    if (!source.each.empty()) {
      const ReferenceArrays outputs = fused.outputs();
      for (int64_t expert = 0; expert < experts; ++expert)
        if (fused.division().rows(expert) > 0) {
          each.emplace_back(source.each, fused, expert);
          each.back().run();
          each.back().compareExpert(outputs, fused.division(), expert);
        }
      each_contender = contenders.size();
      contenders.push_back({[&] { std::ranges::for_each(each, &MeasuredCall::run); }});
    }

    // The gradients of a dense network are not among what is compared.
    std::deque<DenseNetwork> dense;
    if (!options_.against_dense)
      made.dense_library = "not asked for";
    else if (!source.network || program != "forward")
      made.dense_library = "of networks forward alone";
    else if (source.network->bias)
      made.dense_library = "of networks without biases alone";
    else {
      for (int64_t network = 0; network < std::max<int64_t>(1, experts); ++network) {
        const int64_t rows = experts > 0 ? fused.division().rows(network) : m;
        if (rows == 0)
          continue;
        dense.emplace_back(*source.network, rows, threads_, source.activation, libraries_);
        if (!dense.back().exists()) {
          dense.clear();
          break;
        }
        dense.back().run();
        dense.back().check();
      }
      made.dense_library = !dense.empty()     ? dense.front().libraryName()
                           : libraries_.any() ? "no library multiplies the type on this processor"
                                              : "no library found";
    }
    if (!dense.empty())
      contenders.push_back({[&] { std::ranges::for_each(dense, &DenseNetwork::run); }});

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
    if (!each.empty())
      made.each_us = times[each_contender];
    made.copy_bytes_per_us = copyBytesPerMicrosecond();
    made.floor_us = static_cast<double>(made.bytes) / made.copy_bytes_per_us;
    if (!dense.empty()) {
      made.dense_us = times.back();
      int64_t dense_macs = 0;
      for (const DenseNetwork &one : dense)
        dense_macs += one.macs();
      made.dense_macs_per_us =
          std::max(denseRate(source.network->dtype == algebras::DataType::F32 ? algrt::ElementType::F32
                                                                              : algrt::ElementType::Bf16),
                   static_cast<double>(dense_macs) / made.dense_us->warm.median);
      made.floor_us = std::max(made.floor_us, static_cast<double>(made.active_macs) / made.dense_macs_per_us);
    }
  }
  return cases;
}

std::string programBenchText(const std::vector<ProgramBenchCase> &cases) {
  using Cells = std::vector<std::string>;
  const auto once = [](const std::string &text, bool first) { return first ? text : std::string(); };
  const bool any_experts =
      std::ranges::any_of(cases, [](const ProgramBenchCase &one) { return one.experts > 0; });
  Cells columns = {"case",     "program",  "algebra",   "m",        "experts",  "steps",    "cache",
                   "fused us", "steps us", "apart us",  "each us",  "dense us", "to steps", "to apart",
                   "to each",  "to dense", "published", "floor us", "floor",    "L2 error"};
  std::vector<Cells> rows = {columns};
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
      rows.push_back({once(one.name, warm),
                      once(one.program, warm),
                      once(one.algebra, warm),
                      once(fmt::format("{}", one.m), warm),
                      once(one.experts > 0 ? fmt::format("{}", one.experts) : "-", warm),
                      once(one.apart_us ? fmt::format("{} of {}", one.steps, one.steps_apart)
                                        : fmt::format("{}", one.steps),
                           warm),
                      warm ? "warm" : "flushed",
                      micro(one.algebra_us.*state),
                      time(one.steps_us),
                      time(one.apart_us),
                      time(one.each_us),
                      time(one.dense_us),
                      ratio(one.steps_us),
                      ratio(one.apart_us),
                      ratio(one.each_us),
                      ratio(one.dense_us),
                      published ? fmt::format("{:.2f}x", *published) : "-",
                      fmt::format("{:.1f}", one.floor_us),
                      fmt::format("{:.2f}", one.floor_us / fused),
                      once(fmt::format("{:.1e}", one.relative_l2), warm)});
    }
  if (!any_experts)
    for (Cells &cells : rows)
      for (const char *column : {"to each", "each us", "experts"})
        cells.erase(cells.begin() + (std::ranges::find(columns, column) - columns.begin()));
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
         {"experts", one.experts > 0 ? Json(one.experts) : Json()},
         {"steps", one.steps},
         {"steps_in_layers", one.steps_us ? Json(one.steps_in_layers) : Json()},
         {"steps_apart", one.apart_us ? Json(one.steps_apart) : Json()},
         {"algebra_us", times(one.algebra_us)},
         {"steps_us", times(one.steps_us)},
         {"apart_us", times(one.apart_us)},
         {"each_us", times(one.each_us)},
         {"dense_us", times(one.dense_us)},
         {"dense_library", one.dense_library},
         {"active_macs", one.active_macs},
         {"bytes", one.bytes},
         {"floor_us", one.floor_us},
         {"copy_bytes_per_us", one.copy_bytes_per_us},
         {"dense_macs_per_us", one.dense_macs_per_us > 0 ? Json(one.dense_macs_per_us) : Json()},
         {"published_speedup",
          {{"warm", number(one.published.speedup_warm)}, {"flushed", number(one.published.speedup_flushed)}}},
         {"relative_l2", one.relative_l2}});
  return {{"programs", list}};
}

} // namespace compiler
