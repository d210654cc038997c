#include "compiler/tools/bench_program.h"

#include "compiler/tools/expert_division.h"
#include "compiler/tools/measured_call.h"
#include "compiler/tools/program_contenders.h"
#include "runtime/bench/scatter.h"
#include "runtime/bench/text_table.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

std::string micro(const algrt::Timing &timing) {
  return fmt::format("{:.1f} ±{:.1f}", timing.median, (timing.upper_quartile - timing.lower_quartile) / 2);
}

/// What ratios of a case are made of, under the keys that the JSON has.
std::vector<algrt::MeasuredSide> sidesOf(const ProgramBenchCase &one) {
  return {{"algebra_us", "program", one.algebra_us},
          {"steps_us", "program in steps", one.steps_us},
          {"apart_us", "program with its operations apart", one.apart_us},
          {"each_us", "call for each expert", one.each_us},
          {"dense_us", "dense network", one.dense_us}};
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

void ProgramBench::findFloor(ProgramBenchCase &made, int64_t dense_macs, algrt::ElementType type) {
  made.copy_bytes_per_us = copyBytesPerMicrosecond();
  made.floor_us = static_cast<double>(made.bytes) / made.copy_bytes_per_us;
  if (!made.dense_us)
    return;
  made.dense_macs_per_us =
      std::max(denseRate(type), static_cast<double>(dense_macs) / made.dense_us->warm.median);
  made.floor_us = std::max(made.floor_us, static_cast<double>(made.active_macs) / made.dense_macs_per_us);
}

std::vector<ProgramBenchCase> ProgramBench::measure(const ProgramBenchSource &source, int64_t m,
                                                    int64_t experts) {
  // The definition is computed term by term, and weights of many experts take long to make twice.
  constexpr int64_t compared_rows = 64, compared_experts = 4;
  const algrt::Bundle opened = algrt::Bundle::open(source.bundle);
  const std::vector<algrt::Program> &programs = opened.manifest().programs;
  std::vector<ProgramBenchCase> cases;
  for (const algrt::Program &program : programs) {
    if (const std::string why = experts > 0 ? whyNotDivided(program) : ""; !why.empty()) {
      skipped_.push_back({source.name, program.name, m, why});
      continue;
    }
    ProgramBenchCase &made = cases.emplace_back();
    made.name = source.name;
    made.program = program.name;
    made.m = m;
    made.experts = experts;
    made.published = source.published;
    made.relative_l2 = MeasuredCall(source.bundle, program.name, std::min(m, compared_rows), threads_,
                                    std::min(experts, compared_experts))
                           .compare(tools_);
    ProgramContenders contenders(source, made, threads_);
    contenders.addOtherSteps();
    contenders.addEachExpert();
    if (options_.against_dense)
      contenders.addDense(libraries_);
    else
      made.dense_library = "not asked for";
    contenders.race(options_.trials, flush_, [&](double fraction) {
      if (options_.progress)
        options_.progress((static_cast<double>(cases.size() - 1) + fraction) /
                              static_cast<double>(programs.size()),
                          program.name);
    });
    const bool wide = source.network && source.network->dtype == algebras::DataType::F32;
    findFloor(made, contenders.denseMacs(), wide ? algrt::ElementType::F32 : algrt::ElementType::Bf16);
  }
  return cases;
}

std::string programBenchText(const std::vector<ProgramBenchCase> &cases,
                             const std::vector<SkippedProgram> &skipped) {
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
  std::string text = algrt::textTable(rows) + "\n";
  for (const ProgramBenchCase &one : cases)
    text += fmt::format("{} of {} rows: dense products: {}\n", one.program, one.m, one.dense_library);
  for (const SkippedProgram &one : skipped)
    text += fmt::format("skipped {} of {}, {} rows: {}\n", one.program, one.name, one.m, one.why);
  for (const ProgramBenchCase &one : cases)
    text +=
        algrt::scatterWarnings(fmt::format("{}, {} of {} rows", one.name, one.program, one.m), sidesOf(one));
  return text;
}

nlohmann::ordered_json programBenchJson(const std::vector<ProgramBenchCase> &cases,
                                        const std::vector<SkippedProgram> &skipped) {
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
         {"scattered", algrt::scatteredTimes(sidesOf(one))},
         {"relative_l2", one.relative_l2}});
  Json left_out = Json::array();
  for (const SkippedProgram &one : skipped)
    left_out.push_back({{"name", one.name}, {"program", one.program}, {"m", one.m}, {"reason", one.why}});
  return {{"programs", list}, {"skipped", left_out}};
}

} // namespace compiler
