#include "compiler/schedule/dense_comparison.h"

#include "algebras/constructions.h"
#include "compiler/schedule/ranking.h"

#include <fmt/format.h>

#include <algorithm>

namespace compiler {

static std::vector<int64_t> rowCounts(int64_t m) {
  std::vector<int64_t> counts;
  for (int64_t count = 1; count < m; count *= 2)
    counts.push_back(count);
  counts.push_back(m);
  return counts;
}

static Predicted cheapest(const Ranking &ranking, const algebras::Layer &layer) {
  if (ranking.legal.empty())
    throw algebras::InputError(fmt::format("{} as a projection {} -> {} has no legal schedule on {}",
                                           layer.lift.algebra().name(), layer.in.total(), layer.out.total(),
                                           ranking.target));
  return {toString(ranking.legal.front().schedule), ranking.legal.front().predicted()};
}

std::vector<std::pair<int64_t, int64_t>> DenseComparison::slower() const {
  std::vector<std::pair<int64_t, int64_t>> runs;
  bool running = false;
  for (const ComparedRows &one : rows) {
    if (one.isSlower() && running)
      runs.back().second = one.m;
    else if (one.isSlower())
      runs.emplace_back(one.m, one.m);
    running = one.isSlower();
  }
  return runs;
}

algebras::Layer denseLayer(const algebras::Layer &layer) {
  algebras::Layer dense = algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(1)),
                                              layer.in.total(), layer.out.total(), layer.dtype);
  dense.bias = layer.bias;
  return dense;
}

ComparedRows compareRows(const algebras::Layer &layer, algrt::Map map, std::string_view target, int64_t m,
                         algebras::DataType output, const CpuMachine &cpu) {
  const algebras::Layer dense = denseLayer(layer);
  return {m, cheapest(rankMap(layer, map, target, m, output, cpu), layer),
          cheapest(rankMap(dense, map, target, m, output, cpu), dense)};
}

DenseComparison compareWithDense(const algebras::Layer &layer, algrt::Map map, std::string_view target,
                                 int64_t m, algebras::DataType output, const CpuMachine &cpu) {
  DenseComparison result{std::string(target), rankMap(layer, map, target, m, output, cpu).machine, {}};
  for (int64_t count : rowCounts(m))
    result.rows.push_back(compareRows(layer, map, target, count, output, cpu));
  return result;
}

} // namespace compiler
