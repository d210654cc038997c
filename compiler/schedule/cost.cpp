#include "compiler/schedule/cost.h"

#include <algorithm>
#include <functional>

namespace compiler {

// What does not hide behind the longest part: of the second longest this much, of the third as much of that.
// An assumption that dense products and measured kernels agree with.
static constexpr double exposed = 0.12;

static const CostPart *find(const std::vector<CostPart> &parts, std::string_view name) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const CostPart &part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

double Cost::operator[](std::string_view name) const {
  for (const std::vector<CostPart> *parts : {&busy, &arithmetic, &sum})
    if (const CostPart *part = find(*parts, name))
      return part->us;
  return 0;
}

double Cost::uneven(std::string_view name) const {
  const CostPart *part = find(busy, name);
  return part ? part->uneven : 1;
}

Cost Cost::scaled(double factor) const {
  Cost result = *this;
  for (std::vector<CostPart> *parts : {&result.busy, &result.arithmetic, &result.sum})
    for (CostPart &part : *parts)
      part.us *= factor;
  result.all *= factor;
  return result;
}

void addSideBySide(Cost &cost, const OnTop &on_top) {
  const auto decides = [&](const CostPart &part) {
    return on_top.busiest_decides ? part.us * part.uneven : part.us;
  };
  const CostPart &longest =
      *std::max_element(cost.busy.begin(), cost.busy.end(),
                        [&](const CostPart &a, const CostPart &b) { return decides(a) < decides(b); });
  const double tail = longest.us * longest.uneven - longest.us;
  double second = 0, third = 0;
  for (const CostPart &part : cost.busy) {
    if (&part == &longest)
      continue;
    const double us = decides(part);
    third = std::max(third, std::min(second, us));
    second = std::max(second, us);
  }
  const double unhidden = exposed * (second + exposed * third);
  cost.bound_by = longest.name;
  cost.all = on_top.launch + on_top.grouping + longest.us + tail + unhidden;
  cost.sum = {{longest.name, longest.us}, {"tail", tail}, {"unhidden", unhidden}, {"launch", on_top.launch}};
  if (on_top.caution) {
    const double caution = *on_top.caution * (cost.all - on_top.launch);
    cost.all += caution;
    cost.sum.push_back({"caution", caution});
  }
  if (on_top.grouping > 0)
    cost.sum.push_back({"grouping", on_top.grouping});
}

void addInTurn(Cost &cost, double uneven) {
  // Arithmetic first.
  cost.all = cost.busy.back().us;
  for (size_t i = 0; i + 1 < cost.busy.size(); ++i)
    cost.all += cost.busy[i].us;
  const double idle = cost.all * (uneven - 1);
  cost.all += idle;
  cost.bound_by =
      std::max_element(cost.busy.begin(), cost.busy.end(), [](const CostPart &a, const CostPart &b) {
        return a.us < b.us;
      })->name;
  cost.sum = cost.busy;
  cost.sum.push_back({"idle", idle});
}

} // namespace compiler
