#include "compiler/gpu_variants.h"

#include "algebras/coarsest.h"
#include "compiler/gpu_target.h"
#include "compiler/schedule/ranking.h"

#include <algorithm>
#include <map>

namespace compiler {

bool GpuVariant::operator==(const GpuVariant &other) const {
  return schedule == other.schedule && best_for_rows.from == other.best_for_rows.from &&
         best_for_rows.to == other.best_for_rows.to && among_its_kind == other.among_its_kind;
}

static std::vector<GpuVariant> variantsByCost(const algebras::Layer &layer, Target target,
                                              algebras::DataType output, const CompileOptions &options) {
  if (!options.schedule.empty())
    return {{options.schedule, {0, 0}}};
  const std::vector<std::string> &ranked = rankedTargets();
  if (std::find(ranked.begin(), ranked.end(), toString(target)) == ranked.end())
    return {{"", {options.rows, options.rows}}};

  // By the number of rows, so that equal neighbours are beside each other.
  std::map<std::int64_t, std::vector<RankedSchedule>> best_for;
  const auto rank = options.map == algrt::Map::dw ? rankBankGradient : rankSchedules;
  std::vector<std::int64_t> asked = {options.rows};
  asked.insert(asked.end(), options.further_rows.begin(), options.further_rows.end());
  for (const std::int64_t rows : asked)
    best_for[rows] = bestDifferent(rank(layer, toString(target), rows, output),
                                   std::max<std::int64_t>(1, options.variants));

  std::map<std::int64_t, GpuVariant> first; // of each number of rows
  for (auto entry = best_for.begin(); entry != best_for.end();) {
    auto last = entry, next = std::next(entry);
    while (next != best_for.end() && next->second.front().schedule == entry->second.front().schedule)
      last = next++;
    for (; entry != next; ++entry)
      first[entry->first] = {entry->second.front().schedule, {0, last->first}};
  }
  // The range of a variant begins with the first number of rows that shares it.
  for (auto entry = first.begin(); entry != first.end(); ++entry) {
    const bool shared =
        entry != first.begin() && std::prev(entry)->second.best_for_rows.to == entry->second.best_for_rows.to;
    entry->second.best_for_rows.from = shared ? std::prev(entry)->second.best_for_rows.from : entry->first;
  }

  std::vector<GpuVariant> variants;
  for (const std::int64_t rows : asked)
    if (std::find(variants.begin(), variants.end(), first[rows]) == variants.end())
      variants.push_back(first[rows]);
  for (const std::int64_t rows : asked)
    for (std::size_t next = 1; next < best_for[rows].size(); ++next) {
      const std::string &schedule = best_for[rows][next].schedule;
      if (std::none_of(variants.begin(), variants.end(),
                       [&](const GpuVariant &one) { return one.schedule == schedule; }))
        variants.push_back({schedule, {rows, rows}, static_cast<std::int64_t>(next) + 1});
    }
  return variants;
}

std::vector<GpuVariant> gpuVariants(const algebras::Layer &layer, Target target, algebras::DataType output,
                                    const CompileOptions &given) {
  if (given.map == algrt::Map::dx) {
    // A schedule by hand is for another shape.
    CompileOptions options = given;
    options.map = algrt::Map::forward;
    options.schedule.clear();
    return gpuVariants(layer.transposed(), target, output, options);
  }
  CompileOptions options = given;
  const bool bank_gradient = given.map == algrt::Map::dw;
  if (bank_gradient)
    options.schedule.clear();
  std::vector<GpuVariant> variants = variantsByCost(layer, target, output, options);
  const auto scheduleForAnyAddress =
      bank_gradient ? gpuTarget(target).bankScheduleForAnyAddress : gpuTarget(target).scheduleForAnyAddress;
  if (std::string schedule =
          scheduleForAnyAddress(algebras::coarsest(layer), options.schedule, options.rows, output);
      !schedule.empty())
    variants.push_back({std::move(schedule), variants.front().best_for_rows});
  return variants;
}

} // namespace compiler
