#include "runtime/bench/gpu/report.h"

#include "runtime/bench/text_table.h"

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

Json toJson(const std::optional<GpuTimes> &times) {
  if (!times)
    return nullptr;
  return {
      {"warm", toJson(times->us.warm)}, {"flushed", toJson(times->us.flushed)}, {"replays", times->replays}};
}

Json toJson(const std::optional<GpuClocks> &clocks) {
  if (!clocks)
    return nullptr;
  return {{"multiprocessor_mhz", clocks->multiprocessor_mhz}, {"memory_mhz", clocks->memory_mhz}};
}

Json toJson(const std::optional<double> &value) { return value ? Json(*value) : Json(); }

Json positive(double value) { return value > 0 ? Json(value) : Json(); }

Json ratio(double numerator, double denominator) {
  return denominator > 0 && numerator > 0 ? Json(numerator / denominator) : Json();
}

Json toJson(const GpuTile &tile) {
  return {{"rows", tile.rows},
          {"columns", tile.columns},
          {"depth", tile.depth},
          {"stages", tile.stages},
          {"consumers", tile.consumers},
          {"types", tile.types},
          {"held_groups", tile.held_groups}};
}

// Null where the manifest does not say it.
Json pair(int64_t first, int64_t second) { return second > 0 ? Json({first, second}) : Json(); }

Json toJson(const GpuVariant &variant) {
  const GpuKernel &kernel = variant.kernel;
  return {{"kernel", variant.name},
          {"target", variant.target},
          {"output", name(kernel.output)},
          {"tile", toJson(kernel.tile)},
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

Json toJson(const PublishedFigures &figures) {
  return {{"dense_us", toJson(figures.dense_us)},
          {"algebra_us", toJson(figures.algebra_us)},
          {"speedup", toJson(figures.speedup_warm)},
          {"speedup_flushed", toJson(figures.speedup_flushed)}};
}

double medianOf(const std::optional<GpuTimes> &times, Timing WarmAndFlushed::*state) {
  return times ? (times->us.*state).median : 0;
}

Json toJson(const GpuReport::Entry &entry) {
  const GpuBenchCase &result = entry.result;
  const GpuVariant *winner = result.winner ? &result.variants[*result.winner] : nullptr;
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
               {"target", winner ? Json(winner->target) : Json()},
               {"dtype", result.dtype},
               {"output", winner ? Json(name(winner->kernel.output)) : Json()},
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
               {"floor_us", result.floor_us},
               {"floor_macs_us", positive(result.floor_macs_us)},
               {"floor_bytes_us", result.floor_bytes_us},
               {"floor_over_algebra", ratio(result.floor_us, algebra_us)},
               {"floor_over_algebra_flushed", ratio(result.floor_us, flushed_us)},
               {"relative_l2", winner ? Json(winner->relative_l2) : Json()},
               {"max_rel_error", winner ? Json(winner->max_relative_error) : Json()},
               {"checked_outputs", result.checked_outputs},
               {"checked_diagonal", result.checked_diagonal},
               {"checked_whole", result.checked_whole},
               {"active_macs", result.active_macs},
               {"dense_macs", result.dense_macs},
               {"variant", winner ? Json(winner->name) : Json()},
               {"chosen_variant", result.chosen ? Json(result.variants[*result.chosen].name) : Json()},
               {"tile", winner ? toJson(winner->kernel.tile) : Json()},
               {"algebra_trials_us", toJson(result.algebra)},
               {"dense_trials_us", toJson(result.dense)},
               {"dense_library", result.dense_library},
               {"composition_trials_us", toJson(result.composition)},
               {"composition_library", result.composition_library},
               {"composition_relative_l2", positive(result.composition_relative_l2)},
               {"clocks", toJson(result.clocks)},
               {"published", toJson(entry.row.published)},
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
          {"clocks", toJson(machine.clocks)},
          {"other_processes_before", checked ? Json(company.before) : Json()},
          {"other_processes_after", checked ? Json(company.after) : Json()},
          {"other_processes_unknown", checked ? Json() : Json(company.unknown)},
          {"calibration_trials", trials.calibration_trials},
          {"evaluation_trials", trials.evaluation_trials},
          {"most_replays", trials.most_replays},
          {"trial_us", trials.trial_us},
          {"flush_bytes", trials.flush_bytes}};
}

// ---- the text, from JSON ----------------------------------------------------------------------------------

std::string number(const Json &value, int digits, const char *unit = "") {
  return value.is_number() ? fixed(value.get<double>(), digits) + unit : "-";
}

std::string spread(const Json &trials, const char *state) {
  if (trials.is_null())
    return "-";
  const Json &timing = trials.at(state);
  const double half =
      (timing.at("upper_quartile").get<double>() - timing.at("lower_quartile").get<double>()) / 2;
  return fixed(timing.at("median").get<double>(), 1) + " ±" + fixed(half, 1);
}

std::string tileText(const Json &tile) {
  if (tile.is_null())
    return "-";
  return std::to_string(tile.at("rows").get<int64_t>()) + "x" +
         std::to_string(tile.at("columns").get<int64_t>()) + "x" +
         std::to_string(tile.at("depth").get<int64_t>()) + ", " +
         std::to_string(tile.at("stages").get<int64_t>()) + " stages";
}

// Reports of older versions have no composition.
bool hasComposition(const std::vector<Json> &reports) {
  for (const Json &report : reports)
    for (const Json &result : report.at("cases"))
      if (result.value("composition_us", Json()).is_number())
        return true;
  return false;
}

// Without compositions in any report there are no columns for them.
constexpr size_t composition_column = 12; // behind the comparison with the dense product
const TextRow composition_titles = {"composed us", "over composed", "flushed"};

TextRow compositionCells(const Json &result) {
  return {spread(result.value("composition_trials_us", Json()), "warm"),
          number(result.value("speedup_over_composition", Json()), 2, "x"),
          number(result.value("speedup_over_composition_flushed", Json()), 2, "x")};
}

// Why a case that could have been composed was not: where the library is missing the report says so once.
std::string compositionText(const Json &result, const std::string &of_the_machine) {
  const std::string library = result.value("composition_library", std::string());
  if (library.empty() || library == of_the_machine || library == "not measured" ||
      result.value("composition_us", Json()).is_number())
    return "";
  return "no composed time: " + result.at("case").get<std::string>() + ", " +
         std::to_string(result.at("m").get<int64_t>()) + " rows: " + library + "\n";
}

TextRow rowOf(const Json &result) {
  const Json &published = result.at("published");
  const Json &floor_over = result.at("floor_over_algebra");
  return {result.at("case").get<std::string>(),
          std::to_string(result.at("m").get<int64_t>()),
          std::to_string(result.at("k").get<int64_t>()),
          std::to_string(result.at("n").get<int64_t>()),
          std::to_string(result.at("q").get<int64_t>()),
          tileText(result.at("tile")),
          spread(result.at("algebra_trials_us"), "warm"),
          spread(result.at("algebra_trials_us"), "flushed"),
          spread(result.at("dense_trials_us"), "warm"),
          spread(result.at("dense_trials_us"), "flushed"),
          number(result.at("speedup"), 2, "x"),
          number(result.at("speedup_flushed"), 2, "x"),
          number(published.at("algebra_us"), 1),
          number(published.at("dense_us"), 1),
          number(published.at("speedup"), 2, "x"),
          number(published.at("speedup_flushed"), 2, "x"),
          number(result.at("floor_us"), 1),
          floor_over.is_number() ? fixed(1 / floor_over.get<double>(), 2) : "-",
          result.at("relative_l2").is_number() ? scientific(result.at("relative_l2").get<double>())
                                               : "WRONG"};
}

// Where the rule by which the runtime chooses, and the clock, part. Reports of older versions do not have it.
std::string choiceText(const Json &result) {
  const Json fastest = result.at("variant"), chosen = result.value("chosen_variant", Json());
  if (!fastest.is_string() || !chosen.is_string() || fastest == chosen)
    return "";
  std::string text = "chosen: " + result.at("case").get<std::string>() + ", " +
                     std::to_string(result.at("m").get<int64_t>()) + " rows: the runtime takes " +
                     chosen.get<std::string>();
  for (const Json &variant : result.at("variants"))
    if (variant.at("kernel") == chosen)
      text += " (" + number(variant.at("calibration_us"), 1, " us") + ")";
  return text + ", faster is " + fastest.get<std::string>() + "\n";
}

std::string processesText(const Json &machine) {
  if (machine.at("other_processes_unknown").is_string())
    return "other processes on the device: not checked: " +
           machine.at("other_processes_unknown").get<std::string>() + "\n";
  const size_t before = machine.at("other_processes_before").size();
  const size_t after = machine.at("other_processes_after").size();
  if (before + after == 0)
    return "other processes on the device: none before, none after\n";
  return "OTHER PROCESSES USED THE DEVICE: " + std::to_string(before) + " before, " + std::to_string(after) +
         " after. The times are not to be trusted.\n";
}

// Reports of one device, put together: their rates as a range.
struct MachineLine {
  std::string device;
  double least_copy = 0, most_copy = 0, least_dense = 0, most_dense = 0;
};

void widen(double &least, double &most, const Json &value) {
  if (!value.is_number())
    return;
  least = most == 0 ? value.get<double>() : std::min(least, value.get<double>());
  most = std::max(most, value.get<double>());
}

std::string rangeText(double least, double most, int digits) {
  const std::string low = fixed(least, digits), high = fixed(most, digits);
  return low == high ? low : low + " to " + high;
}

void addMachine(std::vector<MachineLine> &lines, const Json &machine) {
  std::string device = machine.at("device").get<std::string>() + ", " +
                       std::to_string(machine.at("multiprocessors").get<int64_t>()) +
                       " multiprocessors, CUDA " + machine.at("cuda").get<std::string>();
  if (machine.at("driver").is_string())
    device += ", driver " + machine.at("driver").get<std::string>();
  device += ", " + machine.at("dense_library").get<std::string>();
  auto line = std::find_if(lines.begin(), lines.end(),
                           [&](const MachineLine &known) { return known.device == device; });
  if (line == lines.end())
    line = lines.insert(lines.end(), {device});
  widen(line->least_copy, line->most_copy, machine.at("copy_bytes_per_second"));
  widen(line->least_dense, line->most_dense, machine.at("dense_macs_per_second_bf16"));
}

std::string textOf(const MachineLine &line) {
  std::string text =
      line.device + ", copies " + rangeText(line.least_copy / 1e12, line.most_copy / 1e12, 2) + " TB/s";
  if (line.most_dense > 0)
    text += ", dense bf16 " + rangeText(2e-12 * line.least_dense, 2e-12 * line.most_dense, 0) + " TFLOP/s";
  return text + "\n";
}

} // namespace

bool GpuReport::anyWrong() const {
  return std::any_of(cases.begin(), cases.end(), [](const Entry &entry) { return entry.result.anyWrong(); });
}

Json toJson(const GpuReport &report) {
  Json json = {{"command", report.command}, {"machine", toJson(report.machine)}};
  json["cases"] = Json::array();
  for (const GpuReport::Entry &entry : report.cases)
    json["cases"].push_back(toJson(entry));
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

std::string gpuText(const std::vector<Json> &reports) {
  std::vector<MachineLine> machines;
  std::string processes, notes;
  std::vector<TextRow> rows = {{"case", "m", "k", "n", "q", "tile", "warm us", "flushed us", "dense us",
                                "dense flushed", "speedup", "flushed", "paper us", "paper dense",
                                "paper speedup", "paper flushed", "floor us", "warm/floor", "error"}};
  try {
    const bool composed = hasComposition(reports);
    const auto compositionColumns = [&](const TextRow &cells) {
      if (composed)
        rows.back().insert(rows.back().begin() + composition_column, cells.begin(), cells.end());
    };
    compositionColumns(composition_titles);
    for (const Json &report : reports) {
      addMachine(machines, report.at("machine"));
      // Every report of a run says it; a warning among them must not be lost.
      if (std::string text = processesText(report.at("machine")); processes.find(text) == std::string::npos)
        processes += text;
      const std::string library = report.at("machine").value("composition_library", std::string());
      if (library.starts_with("no cuBLAS") && notes.find(library) == std::string::npos)
        notes += "no composed times: " + library + "\n";
      for (const Json &result : report.at("cases")) {
        rows.push_back(rowOf(result));
        compositionColumns(compositionCells(result));
        notes += compositionText(result, library);
        notes += choiceText(result);
        for (const Json &variant : result.at("variants"))
          if (variant.at("failure").is_string())
            notes += "WRONG: " + result.at("case").get<std::string>() + ", " +
                     std::to_string(result.at("m").get<int64_t>()) + " rows, kernel " +
                     variant.at("kernel").get<std::string>() + ": " +
                     variant.at("failure").get<std::string>() + "\n";
        if (result.at("dense_us").is_null())
          notes += "no dense time: " + result.at("case").get<std::string>() + ", " +
                   std::to_string(result.at("m").get<int64_t>()) +
                   " rows: " + result.at("dense_library").get<std::string>() + "\n";
      }
      for (const Json &skipped : report.at("skipped"))
        notes += "skipped: " + skipped.at("case").get<std::string>() + ", " +
                 std::to_string(skipped.at("m").get<int64_t>()) +
                 " rows, q=" + std::to_string(skipped.at("q").get<int64_t>()) + ": " +
                 skipped.at("reason").get<std::string>() + "\n";
      if (report.at("aborted").is_string())
        notes += "ABORTED: " + report.at("aborted").get<std::string>() + "\n";
    }
  } catch (const Json::exception &error) {
    throw Error(ALGRT_INVALID_ARGUMENT,
                std::string("this is no report of GPU measurements: ") + error.what());
  }
  std::string text;
  for (const MachineLine &machine : machines)
    text += textOf(machine);
  return text + processes + "\n" + (rows.size() > 1 ? textTable(rows) + "\n" : "") + notes;
}

} // namespace algrt
