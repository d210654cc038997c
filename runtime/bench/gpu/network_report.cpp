// Networks in reports: as JSON, and as rows of a table made of that.
#include "runtime/bench/gpu/report.h"
#include "runtime/bench/gpu/report_parts.h"

#include <nlohmann/json.hpp>

namespace algrt {

using namespace report_parts;

namespace {

Json variantJson(const GpuNetworkVariant &variant) {
  const GpuKernel &kernel = variant.kernel;
  return {{"kernel", variant.name},
          {"target", variant.target},
          {"tile", tileJson(kernel.tile)},
          {"best_for_rows", pair(kernel.best_for_rows.from, kernel.best_for_rows.to)},
          {"registers", kernel.registers},
          {"shared_bytes", kernel.shared_bytes},
          {"calibration_us", positive(variant.calibration_us)},
          {"relative_l2", variant.relative_l2},
          {"failure", variant.failure.empty() ? Json() : Json(variant.failure)}};
}

// What is compared with the program, under the name that it has in reports.
struct Compared {
  const char *name;
  GpuNetworkContender GpuNetworkCase::*contender;
};
constexpr Compared compared[] = {{"steps", &GpuNetworkCase::steps},
                                 {"apart", &GpuNetworkCase::apart},
                                 {"each", &GpuNetworkCase::each},
                                 {"dense", &GpuNetworkCase::dense}};

double warm(const GpuNetworkContender &contender) { return medianOf(contender.times, &WarmAndFlushed::warm); }
double flushed(const GpuNetworkContender &contender) {
  return medianOf(contender.times, &WarmAndFlushed::flushed);
}

} // namespace

Json toJson(const GpuReport::NetworkEntry &entry) {
  const GpuNetworkCase &result = entry.result;
  const double algebra_us = warm(result.algebra), algebra_flushed_us = flushed(result.algebra);
  Json json = {{"case", result.name},
               {"program", result.program},
               {"algebra", result.algebra_name},
               {"activation", result.activation},
               {"m", result.m},
               {"k", result.k},
               {"hidden", result.hidden},
               {"n", result.n},
               {"q", result.q},
               {"experts", result.experts > 0 ? Json(result.experts) : Json()},
               {"steps", result.algebra.steps},
               {"variant", result.winner ? Json(result.variants[*result.winner].name) : Json()},
               {"chosen_us", positive(result.chosen_us)},
               {"algebra_us", positive(algebra_us)},
               {"algebra_flushed_us", positive(algebra_flushed_us)}};
  for (const auto &[name, contender] : compared) {
    const GpuNetworkContender &other = result.*contender;
    json[std::string(name) + "_us"] = positive(warm(other));
    json[std::string(name) + "_flushed_us"] = positive(flushed(other));
    json["speedup_over_" + std::string(name)] = ratio(warm(other), algebra_us);
    json["speedup_over_" + std::string(name) + "_flushed"] = ratio(flushed(other), algebra_flushed_us);
  }
  json["predicted_us"] = numberJson(entry.row.predicted_us);
  json["floor_us"] = result.floor_us;
  json["floor_macs_us"] = positive(result.floor_macs_us);
  json["floor_bytes_us"] = result.floor_bytes_us;
  json["floor_over_algebra"] = ratio(result.floor_us, algebra_us);
  json["active_macs"] = result.active_macs;
  json["dense_macs"] = positive(double(result.dense_macs));
  json["bytes"] = result.bytes;
  json["relative_l2"] = result.algebra.relative_l2;
  json["checked_rows"] = result.checked_rows;
  json["dense_library"] = result.dense_library;
  json["algebra_trials_us"] = timesJson(result.algebra.times);
  json["failure"] = result.algebra.failure.empty() ? Json() : Json(result.algebra.failure);
  for (const auto &[name, contender] : compared) {
    const GpuNetworkContender &other = result.*contender;
    json[std::string(name) + "_trials_us"] = timesJson(other.times);
    json[std::string(name) + "_failure"] = other.failure.empty() ? Json() : Json(other.failure);
    json[std::string(name) + "_relative_l2"] = positive(other.relative_l2);
  }
  json["steps_in_layers"] = result.steps.steps > 0 ? Json(result.steps.steps) : Json();
  json["steps_apart"] = result.apart.steps > 0 ? Json(result.apart.steps) : Json();
  json["clocks"] = clocksJson(result.clocks);
  json["published"] = publishedJson(entry.row.published);
  json["variants"] = Json::array();
  for (const GpuNetworkVariant &variant : result.variants)
    json["variants"].push_back(variantJson(variant));
  return json;
}

namespace report_parts {

std::vector<TextRow> networkRows(const std::vector<Json> &networks) {
  bool any_experts = false;
  for (const Json &network : networks)
    any_experts = any_experts || network.at("experts").is_number();
  std::vector<TextRow> rows = {
      {"network",  "m",          "k",          "hidden",   "q",           "steps",
       "warm us",  "flushed us", "steps us",   "apart us", "dense us",    "to steps",
       "to apart", "to dense",   "flushed",    "paper us", "paper dense", "paper speedup",
       "model us", "floor us",   "warm/floor", "error"}};
  const auto experts_columns = [&](const TextRow &cells) { // behind the rows, and behind the times
    if (!any_experts)
      return;
    rows.back().insert(rows.back().begin() + 10, cells[1]);
    rows.back().insert(rows.back().begin() + 2, cells[0]);
  };
  experts_columns({"experts", "each us"});
  for (const Json &network : networks) {
    const auto whole = [&](const char *key) { return std::to_string(network.at(key).get<int64_t>()); };
    const auto number = [&](const char *key, int digits, const char *unit = "") {
      return numberText(network.at(key), digits, unit);
    };
    const Json &published = network.at("published"), &floor_over = network.at("floor_over_algebra");
    rows.push_back(
        {network.at("case").get<std::string>(),
         whole("m"),
         whole("k"),
         whole("hidden"),
         whole("q"),
         whole("steps"),
         spreadText(network.at("algebra_trials_us"), "warm"),
         spreadText(network.at("algebra_trials_us"), "flushed"),
         spreadText(network.at("steps_trials_us"), "warm"),
         spreadText(network.at("apart_trials_us"), "warm"),
         spreadText(network.at("dense_trials_us"), "warm"),
         number("speedup_over_steps", 2, "x"),
         number("speedup_over_apart", 2, "x"),
         number("speedup_over_dense", 2, "x"),
         number("speedup_over_dense_flushed", 2, "x"),
         numberText(published.at("algebra_us"), 1),
         numberText(published.at("dense_us"), 1),
         numberText(published.at("speedup"), 2, "x"),
         number("predicted_us", 1),
         number("floor_us", 1),
         floor_over.is_number() ? fixed(1 / floor_over.get<double>(), 2) : "-",
         network.at("failure").is_null() ? scientific(network.at("relative_l2").get<double>()) : "WRONG"});
    experts_columns({network.at("experts").is_number() ? whole("experts") : "-",
                     spreadText(network.at("each_trials_us"), "warm")});
  }
  return rows;
}

std::string networkNotes(const Json &network) {
  const std::string which =
      network.at("case").get<std::string>() + ", " + std::to_string(network.at("m").get<int64_t>()) + " rows";
  std::string notes;
  for (const Json &variant : network.at("variants"))
    if (variant.at("failure").is_string())
      notes += "WRONG: " + which + ", kernel " + variant.at("kernel").get<std::string>() + ": " +
               variant.at("failure").get<std::string>() + "\n";
  if (network.at("failure").is_string())
    notes += "WRONG: " + which + ": " + network.at("failure").get<std::string>() + "\n";
  for (const auto &[name, contender] : compared)
    if (const Json &failure = network.at(std::string(name) + "_failure"); failure.is_string())
      notes += "WRONG: " + which + ", " + name + ": " + failure.get<std::string>() + "\n";
  if (network.at("dense_us").is_null() && network.at("dense_failure").is_null())
    notes += "no dense time: " + which + ": " + network.at("dense_library").get<std::string>() + "\n";
  const Json &fastest = network.at("algebra_us"), &chosen = network.at("chosen_us");
  if (fastest.is_number() && chosen.is_number() && chosen.get<double>() > 1.05 * fastest.get<double>())
    notes += "chosen: " + which + ": the runtime's choice takes " + numberText(chosen, 1) + " us, " +
             network.at("variant").get<std::string>() + " takes " + numberText(fastest, 1) + "\n";
  return notes;
}

} // namespace report_parts

} // namespace algrt
