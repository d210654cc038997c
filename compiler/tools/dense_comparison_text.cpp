#include "compiler/tools/dense_comparison_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {

static std::string runsText(const std::vector<std::pair<int64_t, int64_t>> &runs) {
  std::string text;
  for (const auto &[first, last] : runs) {
    const char *separator = text.empty() ? "" : &runs.back().first == &first ? " and " : ", ";
    text += separator + (first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
  }
  return text;
}

std::string denseComparisonText(const DenseComparison &comparison, const std::string &title,
                                const std::string &command) {
  std::string text =
      fmt::format("{}\n{}: predicted microseconds on {}, of kernels of this compiler on both sides\n\n",
                  title, comparison.target, comparison.machine);
  size_t wide = 8;
  for (const ComparedRows &one : comparison.rows)
    wide = std::max(wide, one.layer.schedule.size());
  text += fmt::format("  {:>9} {:>10} {:>10} {:>8}  {:<{}}  {}\n", "M", "layer", "dense", "times", "schedule",
                      wide, "schedule of dense");
  for (const ComparedRows &one : comparison.rows)
    text +=
        fmt::format("  {:>9} {:>10.2f} {:>10.2f} {:>8.2f}  {:<{}}  {}\n", one.m, one.layer.us, one.dense.us,
                    one.dense.us / one.layer.us, one.layer.schedule, wide, one.dense.schedule);
  if (comparison.slower().empty())
    return text + fmt::format("\nnever slower than dense up to M = {}\n", comparison.rows.back().m);
  return text +
         fmt::format("\nslower than dense where M is {}; there the dense projection serves better:\n  {}\n",
                     runsText(comparison.slower()), command);
}

nlohmann::ordered_json denseComparisonJson(const DenseComparison &comparison, const std::string &title,
                                           const std::string &command) {
  nlohmann::ordered_json json = {
      {"title", title}, {"target", comparison.target}, {"machine", comparison.machine}};
  json["rows"] = nlohmann::ordered_json::array();
  for (const ComparedRows &one : comparison.rows)
    json["rows"].push_back({{"m", one.m},
                            {"layer_us", one.layer.us},
                            {"dense_us", one.dense.us},
                            {"times_dense", one.dense.us / one.layer.us},
                            {"schedule", one.layer.schedule},
                            {"dense_schedule", one.dense.schedule}});
  json["slower_than_dense"] = comparison.slower();
  json["dense_command"] = command;
  return json;
}

} // namespace compiler
