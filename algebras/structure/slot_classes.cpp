#include "algebras/structure/slot_classes.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <stdexcept>
#include <utility>

namespace algebras {

TableIndex::TableIndex(const Table &table) : table_(table) {
  const std::vector<Constant> &constants = table.constants();
  if (table.dimension() > table.nonzeros() || constants.size() > UINT32_MAX)
    throw std::logic_error("TableIndex: more slots than products, or too many products");
  auto n = static_cast<size_t>(table.dimension());
  first_starts_.assign(n + 1, 0);
  second_starts_.assign(n + 1, 0);
  for (const Constant &constant : constants) {
    ++first_starts_[constant.i + 1];
    ++second_starts_[constant.j + 1];
  }
  for (size_t slot = 0; slot < n; ++slot) {
    first_starts_[slot + 1] += first_starts_[slot];
    second_starts_[slot + 1] += second_starts_[slot];
  }
  by_second_.resize(constants.size());
  std::vector<uint32_t> next(second_starts_.begin(), second_starts_.end() - 1);
  for (size_t at = 0; at < constants.size(); ++at)
    by_second_[next[constants[at].j]++] = static_cast<uint32_t>(at);
}

SlotClasses slotClasses(const TableIndex &index) {
  const Table &table = index.table();
  auto n = static_cast<uint32_t>(table.dimension());
  using Edge = std::pair<uint32_t, uint32_t>;
  std::vector<Edge> edges;
  for (const Constant &constant : table.constants())
    for (int64_t factor : {constant.i, constant.j}) {
      Edge edge(static_cast<uint32_t>(factor), static_cast<uint32_t>(constant.k));
      if (edge.first != edge.second && (edges.empty() || edges.back() != edge))
        edges.push_back(edge);
    }
  using Digraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                     boost::no_property, uint32_t, uint32_t>;
  Digraph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), n);

  SlotClasses result;
  result.class_of.resize(n);
  uint32_t count = boost::strong_components(
      graph, boost::make_iterator_property_map(result.class_of.begin(), get(boost::vertex_index, graph)));
  // Tarjan's algorithm completes a class after all that it reaches; the proofs need this order, so it is
  // checked.
  for (const Edge &edge : edges)
    if (result.class_of[edge.first] < result.class_of[edge.second])
      throw std::logic_error("slotClasses: a class reaches a later one");

  result.starts.assign(count + 1, 0);
  for (uint32_t number : result.class_of)
    ++result.starts[number + 1];
  for (uint32_t number = 0; number < count; ++number)
    result.starts[number + 1] += result.starts[number];
  result.slots.resize(n);
  std::vector<uint32_t> next(result.starts.begin(), result.starts.end() - 1);
  for (uint32_t slot = 0; slot < n; ++slot)
    result.slots[next[result.class_of[slot]]++] = slot;
  result.multiplies.assign(count, false);
  for (const Constant &constant : table.constants()) {
    uint32_t number = result.class_of[constant.k];
    if (result.class_of[constant.i] == number && result.class_of[constant.j] == number)
      result.multiplies[number] = true;
  }
  return result;
}

} // namespace algebras
