// A ranking of schedules, for people and as JSON.
#pragma once

#include "compiler/schedule/ranking.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct RankingView {
  std::string title;    // what is ranked: the layer and its rows
  int64_t most;         // schedules to show, from the best one on
  bool refused = false; // list those that were left out, too
  // From how many rows on batched kernels are ahead of vector reductions; absent where there are none.
  std::optional<int64_t> batched_from = std::nullopt;
};

// One of the schedules that are shown, and what it would cost.
struct ScheduleLine {
  std::string schedule;
  const Cost *cost;
};
// Heads and a line for each, and how many of the legal ones are not shown; the same as JSON.
std::string scheduleTable(const std::vector<ScheduleLine> &lines, size_t legal, double floor_us);
nlohmann::ordered_json scheduleJson(const ScheduleLine &line, double floor_us);

std::string rankingText(const Ranking &ranking, const RankingView &view);
nlohmann::ordered_json rankingJson(const Ranking &ranking, const RankingView &view);

} // namespace compiler
