#include "compiler/schedule/group_order.h"

#include "algebras/weight_terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace compiler {

std::vector<double> termsByRank(const algebras::Lift &lift) {
  const int64_t types = lift.types(), groups = lift.outputGroups();
  std::vector<double> sums(static_cast<size_t>(groups));
  if (lift.completeGraph()) {
    // A type's own group is the only one that differs.
    std::fill(sums.begin(), sums.end(), lift.isTransposed() ? 1.0 : 2.0);
    if (lift.isTransposed())
      sums.front() = static_cast<double>(groups);
    else
      sums.back() = 1;
    return sums;
  }
  constexpr int64_t looked_at = 1 << 14;
  const int64_t step = std::max<int64_t>(1, types * groups / looked_at);
  int64_t looked = 0;
  for (int64_t type = 0; type < types; type += step, ++looked) {
    std::vector<double> terms;
    for (int64_t group = 0; group < groups; ++group)
      terms.push_back(static_cast<double>(lift.termCount(type, group)));
    std::sort(terms.begin(), terms.end(), std::greater<>());
    std::transform(terms.begin(), terms.end(), sums.begin(), sums.begin(), std::plus<>());
  }
  for (double &sum : sums)
    sum /= static_cast<double>(looked);
  return sums;
}

/// Of a column of blocks, the types whose rows each sums up, most first. Those of one row of a large weight
/// matrix are not looked at, which would take the terms of all pairs.
static std::vector<double> typesOfColumn(const algebras::Lift &lift, int64_t column) {
  std::vector<double> types(static_cast<size_t>(lift.weightRows()));
  for (int64_t type = 0; type < lift.types(); ++type)
    for (const algebras::BlockTerm &term : lift.terms(type, column))
      ++types[static_cast<size_t>(term.weight_row)];
  std::sort(types.begin(), types.end(), std::greater<>());
  return types;
}

std::vector<double> typesByRank(const algebras::Lift &lift) {
  const int64_t weight_rows = lift.weightRows(), columns = lift.outputGroups();
  if (lift.kind() == algebras::Lift::Kind::Slots)
    return {static_cast<double>(lift.termCount()) / static_cast<double>(weight_rows)};
  std::vector<double> sums(static_cast<size_t>(columns));
  if (lift.completeGraph()) {
    std::fill(sums.begin(), sums.end(), 1.0);
    sums.front() = static_cast<double>(lift.types());
    return sums;
  }
  int64_t looked = 0;
  auto add = [&](const std::vector<double> &types) {
    std::transform(types.begin(), types.end(), sums.begin(), sums.begin(), std::plus<>());
    ++looked;
  };
  constexpr int64_t looked_at = 1 << 14;
  if (lift.types() * columns > looked_at) {
    const int64_t most = std::max<int64_t>(1, looked_at / lift.types());
    for (int64_t column = 0; column < columns; column += (columns + most - 1) / most)
      add(typesOfColumn(lift, column));
  } else {
    const algebras::WeightTerms all(lift);
    for (int64_t row = 0; row < weight_rows; ++row) {
      std::vector<double> types;
      for (int64_t column = 0; column < columns; ++column)
        types.push_back(static_cast<double>(all.of(row, column).size()));
      std::sort(types.begin(), types.end(), std::greater<>());
      add(types);
    }
  }
  for (double &sum : sums)
    sum /= static_cast<double>(looked);
  return sums;
}

int64_t longRanks(const std::vector<double> &by_rank) {
  constexpr double stands_out = 1.5;
  const double average =
      std::accumulate(by_rank.begin(), by_rank.end(), 0.0) / static_cast<double>(by_rank.size());
  return std::find_if(by_rank.begin(), by_rank.end(),
                      [&](double of_rank) { return of_rank < stands_out * average; }) -
         by_rank.begin();
}

int64_t longestFirst(const algebras::Lift &lift) { return longRanks(termsByRank(lift)); }

std::string whyNoWeightOrder(const algebras::Lift &lift, int64_t longest_first) {
  const int64_t columns = lift.kind() == algebras::Lift::Kind::Slots ? 1 : lift.outputGroups();
  if (longest_first < 0 || longest_first > columns)
    return fmt::format("longest_first={}: a row of the weight matrix has {} blocks", longest_first, columns);
  return "";
}

std::string whyNoOrder(const algebras::Lift &lift, int64_t longest_first) {
  if (longest_first < 0 || longest_first > lift.outputGroups())
    return fmt::format("longest_first={}: there are {} groups", longest_first, lift.outputGroups());
  if (longest_first > 0 && lift.completeGraph() && !lift.isTransposed())
    return fmt::format(
        "longest_first={}: in the product of a complete graph no group has more terms than others",
        longest_first);
  return "";
}

} // namespace compiler
