// What the JSON and the tables of projections and of networks have in common.
#pragma once

#include "runtime/bench/gpu/nvml.h"
#include "runtime/bench/gpu/trials.h"
#include "runtime/bench/table.h"
#include "runtime/bench/text_table.h"
#include "runtime/bundle/gpu_kernel.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace algrt::report_parts {

using Json = nlohmann::ordered_json;

// JSON: null where there is nothing.
Json timesJson(const std::optional<GpuTimes> &times);
Json clocksJson(const std::optional<GpuClocks> &clocks);
Json numberJson(const std::optional<double> &value);
Json positive(double value); // null where it is 0
Json ratio(double numerator, double denominator);
Json publishedJson(const PublishedFigures &figures);
Json tileJson(const GpuTile &tile);
// Of two numbers, null where the second is 0: the manifest does not say it.
Json pair(int64_t first, int64_t second);
double medianOf(const std::optional<GpuTimes> &times, Timing WarmAndFlushed::*state); // 0 for nothing

// Cells of tables: "-" where there is nothing.
std::string numberText(const Json &value, int digits, const char *unit = "");
std::string spreadText(const Json &trials, const char *state); // "12.3 ±0.1"

// Of a list of networks as toJson has made it: their rows, behind a row of titles, and what is said of them
// below the table.
std::vector<TextRow> networkRows(const std::vector<Json> &networks);
std::string networkNotes(const Json &network);

} // namespace algrt::report_parts
