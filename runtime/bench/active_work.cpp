#include "runtime/bench/active_work.h"

#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"

#include <set>
#include <utility>

namespace algrt {

ActiveWork activeWork(const Layer &layer, const Support &support, std::span<const int64_t> type_of_row) {
  const int64_t m = int64_t(type_of_row.size());
  std::vector<int64_t> rows_of_type(size_t(layer.types), 0);
  for (int64_t type : type_of_row)
    ++rows_of_type[size_t(type)];

  ActiveWork work{0, checkedMultiply(m, layer.k, "elements of x"), 0,
                  checkedMultiply(m, layer.n, "elements of y")};
  // Weight row group, and columns: an output group or, for slots, all.
  std::set<std::pair<int32_t, int64_t>> blocks;
  TermStorage storage;
  for (int64_t type = 0; type < layer.types; ++type) {
    if (rows_of_type[size_t(type)] == 0)
      continue;
    const int64_t of_a_row = support.rowMacs(layer, type);
    work.macs = checkedAdd(work.macs, checkedMultiply(rows_of_type[size_t(type)], of_a_row, "active MACs"),
                           "active MACs");
    for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group)
      for (const Term &term : support.terms(type, group, storage))
        blocks.emplace(term.weight_row, layer.lift == Lift::Rows ? group : 0);
  }
  for (const auto &[weight_row, group] : blocks)
    work.weight_elements +=
        layer.weight_rows[size_t(weight_row)] *
        (layer.lift == Lift::Rows ? layer.out_groups[size_t(group)] : layer.weightColumns());
  return work;
}

ActiveWork averageWork(const Layer &layer, const Support &support, int64_t m, const int32_t *types,
                       bool rotates) {
  const int64_t calls = rotates ? layer.types : 1;
  ActiveWork sum{};
  for (int64_t call = 0; call < calls; ++call) {
    const ActiveWork work =
        activeWork(layer, support, rowTypes(layer, m, call * layer.row_type_width, types));
    sum.macs = checkedAdd(sum.macs, work.macs, "active MACs");
    sum.x_elements = checkedAdd(sum.x_elements, work.x_elements, "elements of x");
    sum.weight_elements =
        checkedAdd(sum.weight_elements, work.weight_elements, "elements of the weight matrix");
    sum.y_elements = checkedAdd(sum.y_elements, work.y_elements, "elements of y");
  }
  return {sum.macs / calls, sum.x_elements / calls, sum.weight_elements / calls, sum.y_elements / calls};
}

} // namespace algrt
