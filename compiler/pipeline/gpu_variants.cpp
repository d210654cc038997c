#include "compiler/pipeline/gpu_variants.h"

#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <utility>

namespace compiler {

bool GpuVariant::operator==(const GpuVariant &other) const {
  return schedule == other.schedule && best_for_rows.from == other.best_for_rows.from &&
         best_for_rows.to == other.best_for_rows.to && among_its_kind == other.among_its_kind;
}

/// The schedule of a vector reduction for rows at positions of their own, which is ahead of a kernel that
/// finds them in a list; empty where none is.
static std::string reductionForPositions(const algebras::Layer &layer, Target target, int64_t rows,
                                         algebras::DataType output, const Ranking &ranking) {
  const RankedSchedule *reduction = bestReduction(ranking);
  if (!reduction)
    return "";
  const algebras::Layer listed = withListedRows(layer);
  const Ranking lists = rankSchedules(listed, toString(target), rows, output);
  return reduction->predicted() < bestOf(lists).predicted() ? toString(reduction->schedule) : "";
}

/// Sums of very many products need more registers than a thread has.
static void requireSchedule(const Ranking &ranking, const algebras::Layer &layer) {
  try {
    bestOf(ranking);
  } catch (const algebras::InputError &error) {
    if (layer.fused.weights == 1)
      throw;
    throw algebras::InputError(
        fmt::format("{} products in one kernel: {}", layer.fused.weights, error.what()))
        .hint("--fuse nothing gives every operation a kernel of its own");
  }
}

static std::vector<GpuVariant> variantsByCost(const algebras::Layer &layer, Target target,
                                              algebras::DataType output, const CompileOptions &options) {
  if (!options.schedule.empty()) {
    std::vector<GpuVariant> given = {{options.schedule, {0, 0}}};
    for (const std::string &schedule : options.further_schedules)
      given.push_back({schedule, {0, 0}, static_cast<int64_t>(given.size()) + 1});
    return given;
  }

  // By the number of rows, so that equal neighbours are beside each other.
  std::map<int64_t, std::vector<RankedSchedule>> best_for;
  // Rows at positions of their own are for vector reductions where they are few, also where another kernel is
  // ahead of those for rows at consecutive positions.
  std::vector<GpuVariant> for_positions;
  const auto rank = [&](int64_t rows) {
    return options.map == algrt::Map::Dw ? rankWeightGradient(layer, toString(target), rows, output)
                                         : rankSchedules(layer, toString(target), rows, output);
  };
  for (const int64_t rows : options.allRows()) {
    const Ranking ranking = rank(rows);
    requireSchedule(ranking, layer);
    best_for[rows] = bestDifferent(ranking, std::max<int64_t>(1, options.variants));
    if (!options.row_lists || isReduction(best_for[rows].front().schedule))
      continue;
    if (std::string schedule = reductionForPositions(layer, target, rows, output, ranking); !schedule.empty())
      for_positions.push_back({std::move(schedule), {rows, rows}, 2});
  }

  std::map<int64_t, GpuVariant> first; // of each number of rows
  for (auto entry = best_for.begin(); entry != best_for.end();) {
    auto last = entry, next = std::next(entry);
    while (next != best_for.end() && next->second.front().schedule == entry->second.front().schedule)
      last = next++;
    for (; entry != next; ++entry)
      first[entry->first] = {toString(entry->second.front().schedule), {0, last->first}};
  }
  // The range of a variant begins with the first number of rows that shares it.
  for (auto entry = first.begin(); entry != first.end(); ++entry) {
    const bool shared =
        entry != first.begin() && std::prev(entry)->second.best_for_rows.to == entry->second.best_for_rows.to;
    entry->second.best_for_rows.from = shared ? std::prev(entry)->second.best_for_rows.from : entry->first;
  }

  std::vector<GpuVariant> variants;
  for (const int64_t rows : options.allRows())
    if (std::find(variants.begin(), variants.end(), first[rows]) == variants.end())
      variants.push_back(first[rows]);
  for (const int64_t rows : options.allRows())
    for (size_t next = 1; next < best_for[rows].size(); ++next) {
      const std::string schedule = toString(best_for[rows][next].schedule);
      if (std::none_of(variants.begin(), variants.end(),
                       [&](const GpuVariant &one) { return one.schedule == schedule; }))
        variants.push_back({schedule, {rows, rows}, static_cast<int64_t>(next) + 1});
    }
  for (GpuVariant &one : for_positions)
    if (std::ranges::none_of(variants,
                             [&](const GpuVariant &other) { return other.schedule == one.schedule; }))
      variants.push_back(std::move(one));
  return variants;
}

/// The same of a kernel of two layers, the best for `rows`. Empty where the one reads single elements itself,
/// or is none of vector reductions.
static std::string besideChainedReduction(const StagedChainedProblem &problem, Target target,
                                          const std::string &schedule, int64_t rows, int64_t experts) {
  if (!isChainedReduction(schedule) || completed(problem, parseChainedReduction(schedule)).vector == 1)
    return "";
  const auto single = chooseChainedReduction(problem, toString(target), rows, /*vector=*/1, experts);
  return single ? toString(single->schedule) : "";
}

/// The kernel of vector reductions that reads single elements beside one that reads wider vectors: the same
/// with its columns as far apart where the schedule is given, else the best for `rows`. Empty where the one
/// reads single elements itself.
static std::string besideReduction(const algebras::Layer &layer, Target target, const std::string &schedule,
                                   bool given, int64_t rows, algebras::DataType output, int64_t experts) {
  ReductionSchedule wide = completed(layer, parseReduction(schedule));
  if (wide.vector == 1)
    return "";
  if (given) {
    wide.columns = wide.lanes();
    wide.vector = 1;
    return toString(wide);
  }
  const auto single = chooseReduction(layer, rows, output, /*vector=*/1, *entryOf(target).machine, experts);
  return single ? toString(*single) : "";
}

/// The schedule of a batched kernel that copies single elements, for operands at any address: the copy
/// engine's begin at multiples of 16 bytes, those of threads that copy vectors at multiples of these. The
/// same as `schedule` where that is for threads and the layer and their registers allow it; empty where it
/// takes any operands itself, and where no such kernel has registers enough. Gradients of the weight matrix
/// are scheduled by cost.
static std::string besideBatched(const StagedProblem &problem, Target target, const std::string &schedule,
                                 int64_t rows) {
  if (widestVector(problem.layer) == 1)
    return "";
  if (!schedule.empty() && !problem.weight_gradient) {
    const Schedule given = parseSchedule(schedule, entryOf(target).kernels);
    if (isForThreads(given)) {
      auto same = std::get<StagedSchedule>(given);
      if (std::exchange(same.vector, 1) == 1)
        return "";
      if (!refusal(problem, same) && copiesOfThread(same, problem.weights()) <= most_single_copies)
        return toString(same);
    }
  }
  // Single elements of many products need more registers than vectors of them.
  const auto single = findStaged(problem, Copies::Threads, rows, *entryOf(target).machine, /*vector=*/1);
  return single ? toString(*single) : "";
}

/// Kernels for operands that the others cannot take: one of vector reductions beside each of those, and one
/// beside the first other.
static std::vector<GpuVariant> variantsForAnyAddress(const algebras::Layer &layer, Target target,
                                                     algebras::DataType output, const CompileOptions &options,
                                                     const std::vector<GpuVariant> &variants) {
  const StagedProblem problem(layer, output, options.map == algrt::Map::Dw, options.experts);
  const bool given = !options.schedule.empty();
  std::vector<GpuVariant> found;
  bool batched = false;
  for (const GpuVariant &variant : variants) {
    if (variant.among_its_kind > 1 && (isReduction(variant.schedule) || batched))
      continue;
    const algrt::RowRange range = variant.best_for_rows;
    const int64_t rows = range.from <= options.rows && options.rows <= range.to
                             ? options.rows
                             : std::max(range.to, range.from);
    std::string schedule;
    if (isReduction(variant.schedule))
      schedule = besideReduction(layer, target, variant.schedule, given, rows, output, options.experts);
    else if (!std::exchange(batched, true))
      schedule = besideBatched(problem, target, given ? variant.schedule : "", given ? options.rows : rows);
    if (!schedule.empty())
      found.push_back({std::move(schedule), range});
  }
  return found;
}

/// One variant for each number of rows that is asked for, where neighbours share a kernel; the one for
/// options.rows is the default and comes first.
static std::vector<GpuVariant> variantsForRows(const CompileOptions &options,
                                               const std::function<std::string(int64_t rows)> &schedule_for) {
  std::map<int64_t, std::string> best_for = {{options.rows, ""}};
  for (const int64_t rows : options.further_rows)
    best_for[rows] = "";
  std::vector<GpuVariant> variants;
  for (auto &[rows, schedule] : best_for) {
    schedule = schedule_for(rows);
    if (!variants.empty() && variants.back().schedule == schedule)
      variants.back().best_for_rows.to = rows;
    else
      variants.push_back({schedule, {rows, rows}});
  }
  const auto asked = std::ranges::find_if(variants, [&](const GpuVariant &variant) {
    return variant.best_for_rows.from <= options.rows && options.rows <= variant.best_for_rows.to;
  });
  std::rotate(variants.begin(), asked, asked + 1);
  return variants;
}

/// Behind these the next best for each number of rows that is asked for, as far as they differ and options
/// ask for variants: `best_for` lists the best for so many rows, the first of which is there already.
static void addNextBest(std::vector<GpuVariant> &variants, const CompileOptions &options,
                        const std::function<std::vector<std::string>(int64_t rows)> &best_for) {
  if (options.variants < 2)
    return;
  for (const int64_t rows : options.allRows()) {
    const std::vector<std::string> best = best_for(rows);
    for (size_t next = 1; next < best.size(); ++next)
      if (std::ranges::none_of(variants, [&](const GpuVariant &one) { return one.schedule == best[next]; }))
        variants.push_back({best[next], {rows, rows}, static_cast<int64_t>(next) + 1});
  }
}

template <class Ranked> static std::vector<std::string> textsOf(const std::vector<Ranked> &ranked) {
  std::vector<std::string> texts;
  for (const Ranked &one : ranked)
    texts.push_back(toString(one.schedule));
  return texts;
}

/// Of kernels whose rows are divided among experts: those that find rows in lists have such a layer, others
/// are of vector reductions.
static std::vector<GpuVariant> variantsForExperts(const algebras::Layer &given, Target target,
                                                  algebras::DataType output, const CompileOptions &options) {
  const algebras::Layer layer = algebras::coarsest(given);
  const bool is_listed = layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  const auto best_for = [&](int64_t rows) {
    Ranking ranking = (is_listed ? rankListedForExperts : rankForExperts)(layer, toString(target), rows,
                                                                          options.experts, output);
    std::erase_if(ranking.legal,
                  [&](const RankedSchedule &one) { return isReduction(one.schedule) == is_listed; });
    if (ranking.legal.empty())
      throw algebras::InputError("no schedule of vector reductions is legal on " + toString(target));
    return textsOf(bestDifferent(ranking, options.variants));
  };
  std::vector<GpuVariant> variants =
      variantsForRows(options, [&](int64_t rows) { return best_for(rows).front(); });
  addNextBest(variants, options, best_for);
  return variants;
}

std::vector<GpuVariant> gpuVariants(const algebras::Layer &layer, Target target, algebras::DataType output,
                                    const CompileOptions &given) {
  CompileOptions options = given;
  if (given.map != given.scheduled_map) { // a schedule by hand is for another shape
    options.schedule.clear();
    options.further_schedules.clear();
  }
  if (given.map == algrt::Map::Dx) {
    options.map = options.scheduled_map = algrt::Map::Forward;
    return gpuVariants(layer.transposed(), target, output, options);
  }
  std::vector<GpuVariant> variants = options.experts > 0 && options.schedule.empty()
                                         ? variantsForExperts(layer, target, output, options)
                                         : variantsByCost(layer, target, output, options);
  for (GpuVariant &one : variantsForAnyAddress(algebras::coarsest(layer), target, output, options, variants))
    variants.push_back(std::move(one));
  return variants;
}

std::vector<GpuVariant> chainedVariants(const StagedChainedProblem &given, Target target,
                                        const CompileOptions &options) {
  const algebras::Layer first = algebras::coarsest(given.first), last = algebras::coarsest(given.last);
  const StagedChainedProblem problem{first, last, given.output};
  std::vector<GpuVariant> variants;
  auto with_single_elements = [&] {
    for (size_t number = 0, chosen = variants.size(); number < chosen; ++number) {
      const GpuVariant variant = variants[number];
      const algrt::RowRange range = variant.best_for_rows;
      if (std::string schedule = besideChainedReduction(
              problem, target, variant.schedule, range.to > 0 ? range.to : options.rows, options.experts);
          !schedule.empty() && variant.among_its_kind == 1)
        variants.push_back({std::move(schedule), range});
    }
    return variants;
  };
  if (!options.schedule.empty()) {
    variants.push_back({options.schedule, {0, 0}});
    for (const std::string &schedule : options.further_schedules)
      variants.push_back({schedule, {0, 0}, static_cast<int64_t>(variants.size()) + 1});
    return with_single_elements();
  }
  const auto of_rows = [&](int64_t rows) { return RowsOfCall{rows, options.row_lists, options.experts}; };
  variants = variantsForRows(options, [&](int64_t rows) {
    return toString(cheapestOfLayers(problem, toString(target), of_rows(rows))->schedule);
  });
  addNextBest(variants, options, [&](int64_t rows) {
    return textsOf(bestDifferent(rankLayers(problem, toString(target), of_rows(rows)), options.variants));
  });
  return with_single_elements();
}

} // namespace compiler
