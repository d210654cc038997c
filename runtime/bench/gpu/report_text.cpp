#include "runtime/bench/gpu/report.h"

#include "runtime/bench/gpu/report_parts.h"
#include "runtime/bench/text_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace algrt {

namespace report_parts {

std::string numberText(const Json &value, int digits, const char *unit) {
  return value.is_number() ? fixed(value.get<double>(), digits) + unit : "-";
}

std::string spreadText(const Json &trials, const char *state) {
  if (trials.is_null())
    return "-";
  const Json &timing = trials.at(state);
  const double half =
      (timing.at("upper_quartile").get<double>() - timing.at("lower_quartile").get<double>()) / 2;
  return fixed(timing.at("median").get<double>(), 1) + " ±" + fixed(half, 1);
}

} // namespace report_parts

namespace {

using namespace report_parts;

std::string tileText(const Json &tile) {
  if (tile.is_null())
    return "-";
  return std::to_string(tile.at("rows").get<int64_t>()) + "x" +
         std::to_string(tile.at("columns").get<int64_t>()) + "x" +
         std::to_string(tile.at("depth").get<int64_t>()) + ", " +
         std::to_string(tile.at("stages").get<int64_t>()) + " stages";
}

// The case, with its map where that is another than the product.
std::string caseText(const Json &result) {
  const std::string map = result.value("map", "forward");
  return result.at("case").get<std::string>() + (map == "forward" ? "" : ", " + map);
}

// Whether some case has a number there. Reports of older versions have no compositions and no predictions.
bool anyHas(const std::vector<Json> &reports, const char *key) {
  for (const Json &report : reports)
    for (const Json &result : report.at("cases"))
      if (result.value(key, Json()).is_number())
        return true;
  return false;
}

// Without compositions in any report there are no columns for them.
constexpr size_t composition_column = 12; // behind the comparison with the dense product
const TextRow composition_titles = {"composed us", "over composed", "flushed"};

TextRow compositionCells(const Json &result) {
  return {spreadText(result.value("composition_trials_us", Json()), "warm"),
          numberText(result.value("speedup_over_composition", Json()), 2, "x"),
          numberText(result.value("speedup_over_composition_flushed", Json()), 2, "x")};
}

// Why a case that could have been composed was not: where the library is missing the report says so once.
std::string compositionText(const Json &result, const std::string &of_the_machine) {
  const std::string library = result.value("composition_library", std::string());
  if (library.empty() || library == of_the_machine || library == "not measured" ||
      result.value("composition_us", Json()).is_number())
    return "";
  return "no composed time: " + caseText(result) + ", " + std::to_string(result.at("m").get<int64_t>()) +
         " rows: " + library + "\n";
}

TextRow rowOf(const Json &result) {
  const Json &published = result.at("published");
  const Json &floor_over = result.at("floor_over_algebra");
  return {caseText(result),
          std::to_string(result.at("m").get<int64_t>()),
          std::to_string(result.at("k").get<int64_t>()),
          std::to_string(result.at("n").get<int64_t>()),
          std::to_string(result.at("q").get<int64_t>()),
          tileText(result.at("tile")),
          spreadText(result.at("algebra_trials_us"), "warm"),
          spreadText(result.at("algebra_trials_us"), "flushed"),
          spreadText(result.at("dense_trials_us"), "warm"),
          spreadText(result.at("dense_trials_us"), "flushed"),
          numberText(result.at("speedup"), 2, "x"),
          numberText(result.at("speedup_flushed"), 2, "x"),
          numberText(published.at("algebra_us"), 1),
          numberText(published.at("dense_us"), 1),
          numberText(published.at("speedup"), 2, "x"),
          numberText(published.at("speedup_flushed"), 2, "x"),
          numberText(result.at("floor_us"), 1),
          floor_over.is_number() ? fixed(1 / floor_over.get<double>(), 2) : "-",
          result.at("relative_l2").is_number() ? scientific(result.at("relative_l2").get<double>())
                                               : "WRONG"};
}

// Where the rule by which the runtime chooses, and the clock, part. Reports of older versions do not have it.
std::string choiceText(const Json &result) {
  const Json fastest = result.at("variant"), chosen = result.value("chosen_variant", Json());
  if (!fastest.is_string() || !chosen.is_string() || fastest == chosen)
    return "";
  std::string text = "chosen: " + caseText(result) + ", " + std::to_string(result.at("m").get<int64_t>()) +
                     " rows: the runtime takes " + chosen.get<std::string>();
  for (const Json &variant : result.at("variants"))
    if (variant.at("kernel") == chosen)
      text += " (" + numberText(variant.at("calibration_us"), 1, " us") + ")";
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

std::string gpuText(const std::vector<Json> &reports) {
  std::vector<MachineLine> machines;
  std::string processes, notes;
  std::vector<Json> networks;
  std::vector<TextRow> rows = {{"case", "m", "k", "n", "q", "tile", "warm us", "flushed us", "dense us",
                                "dense flushed", "speedup", "flushed", "paper us", "paper dense",
                                "paper speedup", "paper flushed", "floor us", "warm/floor", "error"}};
  try {
    const bool composed = anyHas(reports, "composition_us");
    const auto composition_columns = [&](const TextRow &cells) {
      if (composed)
        rows.back().insert(rows.back().begin() + composition_column, cells.begin(), cells.end());
    };
    composition_columns(composition_titles);
    const bool predicted = anyHas(reports, "predicted_us");
    if (predicted)
      rows[0].push_back("model us");
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
        composition_columns(compositionCells(result));
        if (predicted)
          rows.back().push_back(numberText(result.value("predicted_us", Json()), 1));
        notes += compositionText(result, library);
        notes += choiceText(result);
        for (const Json &variant : result.at("variants"))
          if (variant.at("failure").is_string())
            notes += "WRONG: " + caseText(result) + ", " + std::to_string(result.at("m").get<int64_t>()) +
                     " rows, kernel " + variant.at("kernel").get<std::string>() + ": " +
                     variant.at("failure").get<std::string>() + "\n";
        if (result.at("dense_us").is_null())
          notes += "no dense time: " + caseText(result) + ", " +
                   std::to_string(result.at("m").get<int64_t>()) +
                   " rows: " + result.at("dense_library").get<std::string>() + "\n";
      }
      // Reports of older versions have none.
      for (const Json &network : report.value("networks", Json::array())) {
        networks.push_back(network);
        notes += networkNotes(network);
      }
      for (const Json &skipped : report.at("skipped"))
        notes += "skipped: " + caseText(skipped) + ", " + std::to_string(skipped.at("m").get<int64_t>()) +
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
  return text + processes + "\n" + (rows.size() > 1 ? textTable(rows) + "\n" : "") +
         (networks.empty() ? "" : textTable(networkRows(networks)) + "\n") + notes;
}

} // namespace algrt
