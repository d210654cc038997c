#include "compiler/pipeline/gpu_variants.h"

#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/work.h"

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

/// Those that somebody has chosen, the first one as the default.
static std::vector<GpuVariant> variantsGiven(const CompileOptions &options) {
  std::vector<GpuVariant> given = {{options.schedule, {0, 0}}};
  for (const std::string &schedule : options.further_schedules)
    given.push_back({schedule, {0, 0}, static_cast<int64_t>(given.size()) + 1});
  return given;
}

/// Behind these vector reductions for rows at positions of their own, where one is ahead of a kernel that
/// finds them in a list, also where another kernel is ahead of both for rows at consecutive positions.
static void addReductionsForPositions(std::vector<GpuVariant> &variants, const CompileOptions &options,
                                      const algebras::Layer &layer, Target target, algebras::DataType output,
                                      const std::function<const Ranking &(int64_t rows)> &rank) {
  for (const int64_t rows : options.allRows()) {
    const Ranking &ranking = rank(rows);
    const RankedSchedule *reduction = bestReduction(ranking);
    if (!reduction || reduction == &ranking.legal.front())
      continue;
    const Ranking lists = rankSchedules(withListedRows(layer), toString(target), rows, output);
    const std::string schedule = toString(reduction->schedule);
    if (reduction->predicted() < bestOf(lists, layer).predicted() &&
        std::ranges::none_of(variants, [&](const GpuVariant &one) { return one.schedule == schedule; }))
      variants.push_back({schedule, {rows, rows}, 2});
  }
}

/// Whether runs of a type's rows are row segments of their own, of which none fills a tile.
static bool hasShortRuns(const algebras::Layer &layer) {
  constexpr int64_t rows_of_tile = 64;
  return layer.row_types.kind() == algebras::RowTypes::Kind::Interval &&
         layer.row_types.width() < rows_of_tile && joinedRun(layer.row_types) == 0;
}

/// Tells what kernels that find rows in lists would save where tiles stay partly empty. `predicted` is for
/// options.rows.
static void noteShortRuns(const std::vector<algebras::Layer> &layers, Target target,
                          algebras::DataType output, double predicted, const CompileOptions &options) {
  constexpr double worth_a_word = 1.5;
  // Once for each map, of results of the layer's type.
  if (!options.note || options.row_lists || options.experts > 0 || output != layers.front().dtype ||
      !hasShortRuns(layers.front()))
    return;
  double listed = 0;
  for (const algebras::Layer &layer : layers) {
    const algebras::Layer found = withListedRows(layer);
    const Ranking ranking = options.map == algrt::Map::Dw
                                ? rankWeightGradient(found, toString(target), options.rows, output)
                                : rankSchedules(found, toString(target), options.rows, output);
    if (ranking.legal.empty())
      return;
    listed += ranking.legal.front().predicted();
  }
  // A gradient of X is a product of the transposed layer here.
  const algrt::Map map = layers.front().lift.isTransposed() ? algrt::Map::Dx : options.map;
  if (predicted > worth_a_word * listed)
    options.note(fmt::format(
        "on {} runs of {} rows fill a part of a tile each: {} of {} rows is predicted to take {:.1f} us, and "
        "{:.1f} by kernels that find rows in lists, which --row-lists adds for calls that give positions",
        toString(target), layers.front().row_types.width(), algrt::name(map), options.rows, predicted,
        listed));
}

static std::vector<GpuVariant> variantsByCost(const algebras::Layer &layer, Target target,
                                              algebras::DataType output, const CompileOptions &options) {
  std::map<int64_t, Ranking> rankings; // by the number of rows
  const auto rank = [&](int64_t rows) -> const Ranking & {
    auto known = rankings.find(rows);
    if (known == rankings.end())
      known = rankings
                  .emplace(rows, options.map == algrt::Map::Dw
                                     ? rankWeightGradient(layer, toString(target), rows, output)
                                     : rankSchedules(layer, toString(target), rows, output))
                  .first;
    return known->second;
  };
  const auto best_for = [&](int64_t rows) {
    const Ranking &ranking = rank(rows);
    bestOf(ranking, layer); // there has to be one
    return textsOf(bestDifferent(ranking, std::max<int64_t>(1, options.variants)));
  };
  std::vector<GpuVariant> variants =
      variantsForRows(options, [&](int64_t rows) { return best_for(rows).front(); });
  addNextBest(variants, options, best_for);
  if (options.row_lists)
    addReductionsForPositions(variants, options, layer, target, output, rank);
  noteShortRuns({layer}, target, output, rank(options.rows).legal.front().predicted(), options);
  return variants;
}

/// The number of rows that a kernel beside one for a range is chosen for.
static int64_t rowsOf(const algrt::RowRange &range, const CompileOptions &options) {
  const bool asked = range.to == 0 || (range.from <= options.rows && options.rows <= range.to);
  return asked ? options.rows : range.to;
}

/// The schedule of single elements beside one of a kernel of two layers, the best for `rows`. Empty where the
/// one reads single elements itself, or is none of vector reductions.
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
    const int64_t rows = rowsOf(range, options);
    std::string schedule;
    if (isReduction(variant.schedule))
      schedule = besideReduction(layer, target, variant.schedule, given, rows, output, options.experts);
    else if (!std::exchange(batched, true))
      schedule = besideBatched(problem, target, given ? variant.schedule : "", rows);
    if (!schedule.empty())
      found.push_back({std::move(schedule), range});
  }
  return found;
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
    return textsOf(bestDifferent(ranking, std::max<int64_t>(1, options.variants)));
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
  std::vector<GpuVariant> variants = !options.schedule.empty() ? variantsGiven(options)
                                     : options.experts > 0
                                         ? variantsForExperts(layer, target, output, options)
                                         : variantsByCost(layer, target, output, options);
  for (GpuVariant &one : variantsForAnyAddress(algebras::coarsest(layer), target, output, options, variants))
    variants.push_back(std::move(one));
  return variants;
}

/// Behind kernels of two layers those that read single elements beside them.
static void addSingleElements(std::vector<GpuVariant> &variants, const StagedChainedProblem &problem,
                              Target target, const CompileOptions &options) {
  for (size_t number = 0, chosen = variants.size(); number < chosen; ++number) {
    const GpuVariant variant = variants[number];
    if (variant.among_its_kind > 1)
      continue;
    std::string schedule = besideChainedReduction(problem, target, variant.schedule,
                                                  rowsOf(variant.best_for_rows, options), options.experts);
    if (!schedule.empty())
      variants.push_back({std::move(schedule), variant.best_for_rows});
  }
}

std::vector<GpuVariant> chainedVariants(const StagedChainedProblem &given, Target target,
                                        const CompileOptions &options) {
  const StagedChainedProblem problem{algebras::coarsest(given.first), algebras::coarsest(given.last),
                                     given.output};
  std::vector<GpuVariant> variants;
  if (!options.schedule.empty()) {
    variants = variantsGiven(options);
  } else {
    const auto of_rows = [&](int64_t rows) { return RowsOfCall{rows, options.row_lists, options.experts}; };
    variants = variantsForRows(options, [&](int64_t rows) {
      return toString(cheapestOfLayers(problem, toString(target), of_rows(rows))->schedule);
    });
    addNextBest(variants, options, [&](int64_t rows) {
      return textsOf(bestDifferent(rankLayers(problem, toString(target), of_rows(rows)), options.variants));
    });
    const double predicted = cheapestOfLayers(problem, toString(target), of_rows(options.rows))->cost.total();
    noteShortRuns({problem.first, problem.last}, target, problem.output, predicted, options);
  }
  addSingleElements(variants, problem, target, options);
  return variants;
}

} // namespace compiler
