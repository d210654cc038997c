#include "runtime/bench/gpu/report.h"

#include "runtime/bench/gpu/report_parts.h"
#include "runtime/support/json_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace algrt {

namespace report_parts {

namespace {

Json toJson(const Timing &timing) {
  return {{"median", timing.median},
          {"lower_quartile", timing.lower_quartile},
          {"upper_quartile", timing.upper_quartile}};
}

} // namespace

Json timesJson(const std::optional<GpuTimes> &times) {
  if (!times)
    return nullptr;
  return {
      {"warm", toJson(times->us.warm)}, {"flushed", toJson(times->us.flushed)}, {"replays", times->replays}};
}

Json clocksJson(const std::optional<GpuClocks> &clocks) {
  if (!clocks)
    return nullptr;
  return {{"multiprocessor_mhz", clocks->multiprocessor_mhz}, {"memory_mhz", clocks->memory_mhz}};
}

Json numberJson(const std::optional<double> &value) { return value ? Json(*value) : Json(); }

Json positive(double value) { return value > 0 ? Json(value) : Json(); }

Json ratio(double numerator, double denominator) {
  return denominator > 0 && numerator > 0 ? Json(numerator / denominator) : Json();
}

Json tileJson(const GpuTile &tile) {
  return {{"rows", tile.rows},
          {"columns", tile.columns},
          {"depth", tile.depth},
          {"stages", tile.stages},
          {"consumers", tile.consumers},
          {"types", tile.types},
          {"held_groups", tile.stationary_groups}};
}

Json pair(int64_t first, int64_t second) { return second > 0 ? Json({first, second}) : Json(); }

Json publishedJson(const PublishedFigures &figures) {
  return {{"dense_us", numberJson(figures.dense_us)},
          {"algebra_us", numberJson(figures.algebra_us)},
          {"speedup", numberJson(figures.speedup_warm)},
          {"speedup_flushed", numberJson(figures.speedup_flushed)}};
}

double medianOf(const std::optional<GpuTimes> &times, Timing WarmAndFlushed::*state) {
  return times ? (times->us.*state).median : 0;
}

} // namespace report_parts

namespace {

using namespace report_parts;

Json toJson(const GpuVariant &variant) {
  const GpuKernel &kernel = variant.kernel;
  return {{"kernel", variant.name},
          {"map", name(variant.kernel.map)},
          {"target", variant.target},
          {"output", name(kernel.output)},
          {"tile", tileJson(kernel.tile)},
          {"copies", name(kernel.copies)},
          {"vector", kernel.vector > 0 ? Json(kernel.vector) : Json()},
          {"warps", pair(kernel.warp_rows, kernel.warp_columns)},
          {"best_for_rows", pair(kernel.best_for_rows.from, kernel.best_for_rows.to)},
          {"registers", variant.kernel.registers},
          {"shared_bytes", variant.kernel.shared_bytes},
          {"calibration_us", positive(variant.calibration_us)},
          {"relative_l2", variant.relative_l2},
          {"max_rel_error", variant.max_relative_error},
          {"failure", variant.failure.empty() ? Json() : Json(variant.failure)}};
}

// What is said of the variants of several maps, in their order and without repetitions; null for none.
template <typename Text>
Json joined(const GpuBenchCase &result, const std::vector<size_t> &variants, const Text &text) {
  std::vector<std::string> parts;
  for (const size_t variant : variants)
    if (std::string part = text(result.variants[variant]); std::ranges::find(parts, part) == parts.end())
      parts.push_back(part);
  if (parts.empty())
    return nullptr;
  std::string all = parts.front();
  for (size_t i = 1; i < parts.size(); ++i)
    all += ", " + parts[i];
  return all;
}

Json toJson(const GpuReport::Entry &entry) {
  const GpuBenchCase &result = entry.result;
  const bool right = !result.winners.empty();
  const auto of_winners = [&](const auto &text) { return joined(result, result.winners, text); };
  const auto name_of = [](const GpuVariant &variant) { return variant.name; };
  const double algebra_us = medianOf(result.algebra, &WarmAndFlushed::warm);
  const double flushed_us = medianOf(result.algebra, &WarmAndFlushed::flushed);
  const double dense_us = medianOf(result.dense, &WarmAndFlushed::warm);
  const double composition_us = medianOf(result.composition, &WarmAndFlushed::warm);
  const double composition_flushed_us = medianOf(result.composition, &WarmAndFlushed::flushed);
  Json json = {{"case", result.name},
               {"algebra", result.algebra_name},
               {"m", result.m},
               {"k", result.k},
               {"n", result.n},
               {"q", result.q},
               {"map", result.map},
               {"target", of_winners([](const GpuVariant &variant) { return variant.target; })},
               {"dtype", result.dtype},
               {"output", of_winners([](const GpuVariant &variant) {
                  return std::string(name(variant.kernel.output));
                })},
               {"algebra_us", positive(algebra_us)},
               {"algebra_flushed_us", positive(flushed_us)},
               {"dense_us", positive(dense_us)},
               {"dense_flushed_us", positive(medianOf(result.dense, &WarmAndFlushed::flushed))},
               {"speedup", ratio(dense_us, algebra_us)},
               {"speedup_flushed", ratio(medianOf(result.dense, &WarmAndFlushed::flushed), flushed_us)},
               {"composition_us", positive(composition_us)},
               {"composition_flushed_us", positive(composition_flushed_us)},
               {"speedup_over_composition", ratio(composition_us, algebra_us)},
               {"speedup_over_composition_flushed", ratio(composition_flushed_us, flushed_us)},
               {"predicted_us", numberJson(entry.row.predicted_us)},
               {"floor_us", result.floor_us},
               {"floor_macs_us", positive(result.floor_macs_us)},
               {"floor_bytes_us", result.floor_bytes_us},
               {"floor_over_algebra", ratio(result.floor_us, algebra_us)},
               {"floor_over_algebra_flushed", ratio(result.floor_us, flushed_us)},
               {"relative_l2", right ? Json(result.relativeL2()) : Json()},
               {"max_rel_error", right ? Json(result.maxRelativeError()) : Json()},
               {"checked_outputs", result.checked_outputs},
               {"checked_diagonal", result.checked_diagonal},
               {"checked_whole", result.checked_whole},
               {"active_macs", result.active_macs},
               {"dense_macs", result.dense_macs},
               {"variant", of_winners(name_of)},
               {"chosen_variant", joined(result, result.chosen, name_of)},
               {"tile", result.winners.size() == 1 ? tileJson(result.variants[result.winners[0]].kernel.tile)
                                                   : Json()},
               {"algebra_trials_us", timesJson(result.algebra)},
               {"dense_trials_us", timesJson(result.dense)},
               {"dense_library", result.dense_library},
               {"composition_trials_us", timesJson(result.composition)},
               {"composition_library", result.composition_library},
               {"composition_relative_l2", positive(result.composition_relative_l2)},
               {"clocks", clocksJson(result.clocks)},
               {"published", publishedJson(entry.row.published)},
               {"verdict", result.verdict}};
  json["variants"] = Json::array();
  for (const GpuVariant &variant : result.variants)
    json["variants"].push_back(toJson(variant));
  return json;
}

Json toJson(const GpuMachine &machine) {
  const GpuCompany &company = machine.company;
  const bool checked = company.unknown.empty();
  const GpuTrialOptions &trials = machine.trials;
  return {{"device", machine.device},
          {"architecture", machine.architecture},
          {"multiprocessors", machine.multiprocessors},
          {"l2_bytes", machine.l2_bytes},
          {"cuda", machine.cuda_version},
          {"driver", machine.driver_version.empty() ? Json() : Json(machine.driver_version)},
          {"copy_bytes_per_second", machine.copy_bytes_per_second},
          {"dense_macs_per_second_bf16", positive(machine.dense_macs_per_second)},
          {"dense_library", machine.dense_library},
          {"composition_library", machine.composition_library},
          {"clocks", clocksJson(machine.clocks)},
          {"other_processes_before", checked ? Json(company.before) : Json()},
          {"other_processes_after", checked ? Json(company.after) : Json()},
          {"other_processes_unknown", checked ? Json() : Json(company.unknown)},
          {"calibration_trials", trials.calibration_trials},
          {"evaluation_trials", trials.evaluation_trials},
          {"most_replays", trials.most_replays},
          {"trial_us", trials.trial_us},
          {"flush_bytes", trials.flush_bytes}};
}

} // namespace

bool GpuReport::anyWrong() const {
  const auto wrong = [](const auto &entry) { return entry.result.anyWrong(); };
  return std::ranges::any_of(cases, wrong) || std::ranges::any_of(networks, wrong);
}

Json toJson(const GpuReport &report) {
  Json json = {{"format", json_format}, {"command", report.command}, {"machine", toJson(report.machine)}};
  json["cases"] = Json::array();
  for (const GpuReport::Entry &entry : report.cases)
    json["cases"].push_back(toJson(entry));
  json["networks"] = Json::array();
  for (const GpuReport::NetworkEntry &entry : report.networks)
    json["networks"].push_back(toJson(entry));
  json["skipped"] = Json::array();
  for (const TableMatch &match : report.skipped)
    json["skipped"].push_back({{"case", match.row.name},
                               {"map", match.row.map},
                               {"m", match.row.m},
                               {"k", match.row.k},
                               {"n", match.row.n},
                               {"q", match.row.q},
                               {"reason", match.skipped}});
  json["aborted"] = report.aborted.empty() ? Json() : Json(report.aborted);
  return json;
}

} // namespace algrt
