// Results as JSON and as a table.
#include "runtime/bench/report.h"

#include "runtime/bench/scatter.h"
#include "runtime/bench/text_table.h"
#include "runtime/support/json_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace algrt {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Timing &timing) {
  return {{"median", timing.median},
          {"lower_quartile", timing.lower_quartile},
          {"upper_quartile", timing.upper_quartile}};
}

Json toJson(const std::optional<WarmAndFlushed> &times) {
  if (!times)
    return nullptr;
  return {{"warm", toJson(times->warm)}, {"flushed", toJson(times->flushed)}};
}

Json ratio(double numerator, double denominator) {
  return denominator > 0 && numerator > 0 ? Json(numerator / denominator) : Json();
}

const std::optional<WarmAndFlushed> &algebraOf(const BenchCase &result) {
  return result.packed ? result.packed : result.on_the_fly;
}

std::string timeText(const std::optional<WarmAndFlushed> &times, Timing WarmAndFlushed::*state) {
  if (!times)
    return "-";
  const Timing &timing = (*times).*state;
  const double spread = (timing.upper_quartile - timing.lower_quartile) / 2;
  return fixed(timing.median, 1) + " ±" + fixed(spread, 1);
}

std::string ratioText(const std::optional<WarmAndFlushed> &slow, const std::optional<WarmAndFlushed> &fast,
                      Timing WarmAndFlushed::*state) {
  if (!slow || !fast)
    return "-";
  return fixed(((*slow).*state).median / ((*fast).*state).median, 2) + "x";
}

// What ratios of a case are made of, under the keys that the JSON has.
std::vector<MeasuredSide> sidesOf(const BenchCase &result) {
  return {{"packed_us", "packed product", result.packed},
          {"on_the_fly_us", "product", result.on_the_fly},
          {"dense_trials_us", "dense product", result.dense}};
}

} // namespace

Json toJson(const BenchCase &result) {
  const std::optional<WarmAndFlushed> &algebra = algebraOf(result);
  const double algebra_us = algebra ? algebra->warm.median : 0;
  const double dense_us = result.dense ? result.dense->warm.median : 0;
  const double flushed_us = algebra ? algebra->flushed.median : 0;
  return {{"case", result.name},
          {"algebra", result.algebra},
          {"m", result.m},
          {"k", result.k},
          {"n", result.n},
          {"q", result.q},
          {"map", result.map},
          {"target", result.target},
          {"dtype", result.dtype},
          {"threads", result.threads},
          {"algebra_us", algebra_us},
          {"dense_us", result.dense ? Json(dense_us) : Json()},
          {"speedup", ratio(dense_us, algebra_us)},
          {"speedup_flushed", ratio(result.dense ? result.dense->flushed.median : 0, flushed_us)},
          {"speedup_on_the_fly", ratio(dense_us, result.on_the_fly ? result.on_the_fly->warm.median : 0)},
          {"floor_us", result.floor_us},
          {"floor_macs_us", result.floor_macs_us > 0 ? Json(result.floor_macs_us) : Json()},
          {"floor_bytes_us", result.floor_bytes_us},
          {"predicted_us", result.predicted_us ? Json(*result.predicted_us) : Json()},
          {"floor_over_algebra", ratio(result.floor_us, algebra_us)},
          {"floor_over_algebra_flushed", ratio(result.floor_us, flushed_us)},
          {"relative_l2", result.relative_l2},
          {"max_rel_error", result.max_relative_error},
          {"checked_rows", result.checked_rows},
          {"active_macs", result.active_macs},
          {"dense_macs", result.dense_macs},
          {"packed_us", toJson(result.packed)},
          {"on_the_fly_us", toJson(result.on_the_fly)},
          {"dense_trials_us", toJson(result.dense)},
          {"dense_library", result.dense_library},
          {"scattered", scatteredTimes(sidesOf(result))},
          {"verdict", result.verdict}};
}

Json toJson(const Machine &machine) {
  const auto measured = [](double rate) { return rate > 0 ? Json(rate) : Json(); };
  return {{"cpu", machine.cpu},
          {"level", machine.level},
          {"threads", machine.threads},
          {"copy_bytes_per_second", measured(machine.copy_bytes_per_second)},
          {"dense_macs_per_second_f32", measured(machine.dense_macs_per_second_f32)},
          {"dense_macs_per_second_bf16", measured(machine.dense_macs_per_second_bf16)},
          {"flush_bytes", machine.flush_bytes},
          {"dense_libraries", machine.dense_libraries}};
}

std::string textTable(const std::vector<BenchCase> &cases) {
  std::vector<TextRow> rows = {{"case", "algebra", "m", "k", "n", "dtype", "active GMAC", "dense GMAC",
                                "caches", "packed us", "on the fly us", "dense us", "packed", "on the fly",
                                "floor us", "floor/packed", "error", "verdict"}};
  const bool predicted =
      std::ranges::any_of(cases, [](const BenchCase &result) { return result.predicted_us.has_value(); });
  if (predicted)
    rows[0].push_back("model us");
  for (const BenchCase &result : cases)
    for (auto state : {&WarmAndFlushed::warm, &WarmAndFlushed::flushed}) {
      const bool first = state == &WarmAndFlushed::warm;
      const std::optional<WarmAndFlushed> &algebra = algebraOf(result);
      const auto once = [&](const std::string &text) { return first ? text : std::string(); };
      const std::string map = result.map == "forward" ? "" : ", " + result.map;
      rows.push_back({once(result.name + map), once(result.algebra), once(std::to_string(result.m)),
                      once(std::to_string(result.k)), once(std::to_string(result.n)), once(result.dtype),
                      once(fixed(double(result.active_macs) / 1e9, 3)),
                      once(fixed(double(result.dense_macs) / 1e9, 3)), first ? "warm" : "flushed",
                      timeText(result.packed, state), timeText(result.on_the_fly, state),
                      timeText(result.dense, state), ratioText(result.dense, result.packed, state),
                      ratioText(result.dense, result.on_the_fly, state), once(fixed(result.floor_us, 1)),
                      algebra ? fixed(result.floor_us / ((*algebra).*state).median, 2) : "-",
                      once(scientific(result.relative_l2)), once(result.verdict)});
      if (predicted)
        rows.back().push_back(once(result.predicted_us ? fixed(*result.predicted_us, 1) : "-"));
    }
  return textTable(rows);
}

Json toJson(const BenchReport &report) {
  Json json = {{"format", json_format}, {"command", report.command}, {"machine", toJson(report.machine)}};
  json["cases"] = Json::array();
  for (const BenchCase &result : report.cases)
    json["cases"].push_back(toJson(result));
  json["skipped"] = Json::array();
  for (const TableMatch &match : report.skipped)
    json["skipped"].push_back(
        {{"case", match.row.name}, {"map", match.row.map}, {"m", match.row.m}, {"reason", match.skipped}});
  return json;
}

std::string text(const BenchReport &report) {
  const Machine &machine = report.machine;
  std::string text = machine.cpu + ", " + machine.level + ", " + std::to_string(machine.threads) + " threads";
  if (machine.copy_bytes_per_second > 0)
    text += ", copies " + fixed(machine.copy_bytes_per_second / 1e9, 1) + " GB/s";
  for (const std::string &library : machine.dense_libraries)
    text += ", " + library;
  text += "\n\n";
  if (!report.cases.empty())
    text += textTable(report.cases) + "\n";
  const auto title = [](const BenchCase &result) {
    return result.name + (result.map == "forward" ? "" : ", " + result.map) + ", " +
           std::to_string(result.m) + " rows";
  };
  for (const BenchCase &result : report.cases)
    text += title(result) + ": dense library: " + result.dense_library + "; checked " +
            std::to_string(result.checked_rows) + " rows\n";
  for (const BenchCase &result : report.cases)
    text += scatterWarnings(title(result), sidesOf(result));
  for (const TableMatch &match : report.skipped)
    text +=
        "skipped " + match.row.name + ", " + std::to_string(match.row.m) + " rows: " + match.skipped + "\n";
  return text + "reproduce: " + report.command + "\n";
}

} // namespace algrt
