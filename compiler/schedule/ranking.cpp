#include "compiler/schedule/ranking.h"

#include "algebras/coarsest.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/hopper_schedule.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>

namespace compiler {

Ranking rankSchedules(const algebras::Layer &layer, std::string_view target, std::int64_t m,
                      algebras::DataType output, const CpuMachine &cpu) {
  const algebras::Layer coarse = algebras::coarsest(layer);
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (!entry.isGpu())
    return rankCpu(coarse, m, cpu);
  requireGpuLayer(coarse, target);
  Ranking ranking = entry.kernels == Kernels::EngineCopies && copyEngineTakes(coarse)
                        ? rankHopper(coarse, entry, m, output)
                        : rankAmpere(coarse, entry, m, output);
  addReductions(ranking, coarse, m, output);
  return ranking;
}

Ranking rankBankGradient(const algebras::Layer &layer, std::string_view target, std::int64_t m,
                         algebras::DataType output, const CpuMachine &cpu) {
  const algebras::Layer coarse = algebras::coarsest(layer);
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (!entry.isGpu())
    return rankCpuBankGradient(coarse, m, cpu);
  requireGpuLayer(coarse, target);
  Ranking ranking = rankAmpereBankGradient(coarse, entry, m, output);
  if (entry.kernels != Kernels::EngineCopies || !copyEngineTakes(coarse))
    return ranking;
  // A tile of wgmma has 64 features at least, of which narrow groups fill a part: there threads may be ahead.
  Ranking engine = rankHopperBankGradient(coarse, entry, m, output);
  std::move(ranking.legal.begin(), ranking.legal.end(), std::back_inserter(engine.legal));
  std::move(ranking.refused.begin(), ranking.refused.end(), std::back_inserter(engine.refused));
  sortByCost(engine);
  return engine;
}

Ranking rankMap(const algebras::Layer &layer, algrt::Map map, std::string_view target, std::int64_t m,
                algebras::DataType output, const CpuMachine &cpu) {
  if (map == algrt::Map::dw)
    return rankBankGradient(layer, target, m, output, cpu);
  return rankSchedules(map == algrt::Map::dx ? layer.transposed() : layer, target, m, output, cpu);
}

void sortByCost(Ranking &ranking) {
  std::vector<std::size_t> order(ranking.legal.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double us_a = ranking.legal[a].predicted, us_b = ranking.legal[b].predicted;
    return us_a != us_b ? us_a < us_b : a < b;
  });
  std::vector<RankedSchedule> sorted;
  for (const std::size_t index : order)
    sorted.push_back(std::move(ranking.legal[index]));
  ranking.legal = std::move(sorted);
}

static bool differ(const TileShape &a, const TileShape &b) {
  if (a.rows != b.rows || a.types != b.types || (a.held_groups > 0) != (b.held_groups > 0))
    return true;
  const std::int64_t apart = std::abs(a.columns - b.columns);
  return 4 * apart >= std::min(a.columns, b.columns) || (apart > 0 && a.depth != b.depth);
}

std::vector<RankedSchedule> bestDifferent(const Ranking &ranking, std::int64_t most) {
  std::vector<RankedSchedule> best;
  for (const RankedSchedule &candidate : ranking.legal) {
    if (static_cast<std::int64_t>(best.size()) >= most)
      break;
    if (std::all_of(best.begin(), best.end(),
                    [&](const RankedSchedule &one) { return differ(one.tile, candidate.tile); }))
      best.push_back(candidate);
  }
  return best;
}

} // namespace compiler
