#include "compiler/simulator/expert_lists.h"

#include "runtime/cuda/row_list.h"
#include "runtime/reference/reference.h"

#include <algorithm>

namespace compiler {

/// Of every row of the batch. A position below 0 counts back from the period.
static std::vector<int64_t> typesOfBatch(const ProductOperands &product) {
  if (!product.types.empty())
    return {product.types.begin(), product.types.end()};
  const algrt::Layer &layer = *product.layer;
  if (product.positions.empty())
    return algrt::rowTypes(layer, product.positionCount(), product.p0, nullptr);
  const int64_t width = layer.row_types == algrt::RowTypesKind::Interval ? layer.row_type_width : 1,
                period = layer.types * width;
  std::vector<int64_t> types;
  for (const int64_t position : product.positions)
    types.push_back((position % period + period) % period / width);
  return types;
}

ExpertLists expertLists(const ProductOperands &product) {
  const std::vector<int64_t> types = typesOfBatch(product);
  const int64_t segments = product.layer->types * product.experts();
  // Behind the most rows of a segment and the starts come the entries.
  ExpertLists lists;
  lists.of_y.assign(static_cast<size_t>(algrt::cuda::rowListWords(segments, product.m)), 0);
  lists.of_x = lists.of_y;
  const auto entries = static_cast<size_t>(segments) + 2;
  // What no host has looked at counts as the nearest row.
  const auto row_of_batch = [&](int32_t row) {
    if (!product.hasList())
      return row;
    const auto last = static_cast<int32_t>(product.batch_rows - 1);
    return std::clamp(product.expert_rows[static_cast<size_t>(row)], 0, last);
  };
  const auto start = [&](int64_t expert) {
    return std::clamp(product.expert_starts[static_cast<size_t>(expert)], 0, static_cast<int32_t>(product.m));
  };
  size_t place = 0, word = 1;
  for (int64_t expert = 0; expert < product.experts(); ++expert) {
    const int32_t first = start(expert), end = start(expert + 1);
    place = static_cast<size_t>(first);
    for (int64_t type = 0; type < product.layer->types; ++type, ++word) {
      const size_t begin = place;
      lists.of_y[word] = static_cast<int32_t>(begin);
      for (int32_t row = first; row < end; ++row) {
        const int32_t of_batch = row_of_batch(row);
        if (types[static_cast<size_t>(of_batch)] != type)
          continue;
        lists.of_y[entries + place] = row;
        lists.of_x[entries + place++] = product.x_by_list ? of_batch : row;
      }
      lists.of_y[0] = std::max(lists.of_y[0], static_cast<int32_t>(place - begin));
    }
  }
  lists.of_y[word] = static_cast<int32_t>(place);
  std::copy_n(lists.of_y.begin(), entries, lists.of_x.begin());
  return lists;
}

} // namespace compiler
