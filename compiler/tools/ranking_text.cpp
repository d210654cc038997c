#include "compiler/tools/ranking_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

using Json = nlohmann::ordered_json;

// How many were left out for each reason, in the order in which the reasons came up.
std::vector<std::pair<std::string, int64_t>> countByKind(const Ranking &ranking) {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const RefusedSchedule &refused : ranking.refused) {
    auto found = std::find_if(counts.begin(), counts.end(),
                              [&](const auto &entry) { return entry.first == refused.refusal.kind; });
    if (found == counts.end())
      found = counts.insert(counts.end(), {refused.refusal.kind, 0});
    ++found->second;
  }
  return counts;
}

// Those that are shown.
std::vector<ScheduleLine> linesOf(const Ranking &ranking, const RankingView &view) {
  std::vector<ScheduleLine> lines;
  for (const RankedSchedule &one : ranking.legal)
    if (static_cast<int64_t>(lines.size()) < view.most)
      lines.push_back({toString(one.schedule), &one.cost});
  return lines;
}

Json parts(const std::vector<CostPart> &parts) {
  Json json = Json::object();
  for (const CostPart &part : parts)
    json[std::string(part.name)] = part.us;
  return json;
}

size_t columnOf(const CostPart &part) { return std::max<size_t>(9, part.name.size()); }

std::string heads(const std::vector<CostPart> &parts) {
  std::string text;
  for (const CostPart &part : parts)
    text += fmt::format(" {:>{}}", part.name, columnOf(part));
  return text;
}

std::string times(const std::vector<CostPart> &parts) {
  std::string text;
  for (const CostPart &part : parts)
    text += fmt::format(" {:>{}.2f}", part.us, columnOf(part));
  return text;
}

} // namespace

std::string scheduleTable(const std::vector<ScheduleLine> &lines, size_t legal, double floor_us) {
  size_t wide = 8;
  for (const ScheduleLine &line : lines)
    wide = std::max(wide, line.schedule.size());
  // What bounds leads the sum; its name stands in a column of its own.
  auto rest = [](const Cost &one) {
    std::vector<CostPart> parts;
    for (const CostPart &part : one.sum)
      if (part.name != one.bound_by &&
          std::none_of(one.busy.begin(), one.busy.end(),
                       [&](const CostPart &busy) { return busy.name == part.name; }))
        parts.push_back(part);
    return parts;
  };
  // Kernels of another kind have other parts, and heads of their own.
  const auto all_heads = [&](const Cost &one) { return heads(one.busy) + heads(rest(one)); };
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Cost &one = *lines[i].cost;
    if (i == 0 || all_heads(one) != all_heads(*lines[i - 1].cost))
      text += fmt::format("  {:<{}} {:>9} {:>8} {:>7}  {:<14}|{} |{}{}{}\n", "schedule", wide, "us",
                          "x floor", "waves", "bound by", heads(one.busy), heads(rest(one)),
                          one.arithmetic.empty() ? "" : " |", heads(one.arithmetic));
    text += fmt::format("  {:<{}} {:>9.2f} {:>8.2f} {:>7.2f}  {:<14}|{} |{}{}{}\n", lines[i].schedule, wide,
                        one.total(), one.total() / floor_us, one.waves, one.bound_by, times(one.busy),
                        times(rest(one)), one.arithmetic.empty() ? "" : " |", times(one.arithmetic));
  }
  if (lines.size() < legal)
    text += fmt::format("  ... {} more (--most shows them)\n", legal - lines.size());
  return text;
}

Json scheduleJson(const ScheduleLine &line, double floor_us) {
  const Cost &one = *line.cost;
  return {
      {"schedule", line.schedule},  {"predicted_us", one.total()}, {"times_floor", one.total() / floor_us},
      {"bound_by", one.bound_by},   {"tiles", one.tiles},          {"waves", one.waves},
      {"busy_us", parts(one.busy)}, {"sum_us", parts(one.sum)},    {"arithmetic_us", parts(one.arithmetic)}};
}

std::string rankingText(const Ranking &ranking, const RankingView &view) {
  std::string text =
      fmt::format("{}\n{}: predicted microseconds on {}; bytes and arithmetic need {:.2f} at least ({})\n\n",
                  view.title, ranking.target, ranking.machine, ranking.floor_us, ranking.floor_by);
  text += scheduleTable(linesOf(ranking, view), ranking.legal.size(), ranking.floor_us);
  if (view.batched_from) {
    const int64_t from = *view.batched_from;
    text += from == 1
                ? "\nbatched kernels are ahead of vector reductions for every M\n"
                : fmt::format("\nfrom M = {} on batched kernels are ahead of vector reductions\n", from);
  }
  text += fmt::format("\n{} legal, {} left out", ranking.legal.size(), ranking.refused.size());
  const char *separator = ": ";
  for (const auto &[kind, count] : countByKind(ranking)) {
    text += fmt::format("{}{} by {}", separator, count, kind);
    separator = ", ";
  }
  text += '\n';
  if (view.refused)
    for (const RefusedSchedule &refused : ranking.refused)
      text += fmt::format("  {}: {}\n", toString(refused.schedule), refused.refusal.reason);
  return text;
}

Json rankingJson(const Ranking &ranking, const RankingView &view) {
  Json json = {{"title", view.title},          {"target", ranking.target},
               {"machine", ranking.machine},   {"floor_us", ranking.floor_us},
               {"floor_by", ranking.floor_by}, {"legal", ranking.legal.size()}};
  json["schedules"] = Json::array();
  for (const ScheduleLine &line : linesOf(ranking, view))
    json["schedules"].push_back(scheduleJson(line, ranking.floor_us));
  if (view.batched_from)
    json["batched_from"] = *view.batched_from;
  json["refused"] = Json::object();
  for (const auto &[kind, count] : countByKind(ranking))
    json["refused"][kind] = count;
  if (view.refused) {
    json["illegal"] = Json::array();
    for (const RefusedSchedule &refused : ranking.refused)
      json["illegal"].push_back({{"schedule", toString(refused.schedule)},
                                 {"kind", refused.refusal.kind},
                                 {"reason", refused.refusal.reason}});
  }
  return json;
}

} // namespace compiler
