#include "compiler/tools/run_check.h"

#include "compiler/process/failure.h"
#include "runtime/reference/reference.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace compiler {
namespace {

std::vector<int64_t> firstRows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return rows;
}

std::vector<int64_t> rowsToCheck(int64_t total, int64_t most) {
  if (total <= most)
    return firstRows(total);
  const int64_t count = most;
  std::vector<int64_t> rows(static_cast<size_t>(count));
  for (int64_t index = 0; index < count; ++index)
    rows[index] = static_cast<int64_t>(static_cast<__int128>(index) * total / count);
  return rows;
}

// What the rows of the result should be.
std::vector<double> referenceRows(const algrt::Bundle &bundle, const RunArrays &arrays,
                                  const std::vector<int64_t> &rows, const ProductOptions &options) {
  const algrt::Layer &layer = bundle.layer();
  const algrt::Support *support = &bundle.support();
  const std::vector<int32_t> by_position = arrays.positions.types(layer, arrays.m, options.p0);
  const std::vector<int32_t> &given = by_position.empty() ? arrays.types : by_position;
  const int32_t *types = given.empty() ? nullptr : given.data();
  const float *x = arrays.x.data(), *dy = arrays.dy.data(), *w = arrays.w.data();
  const int64_t m = arrays.m, columns = layer.weightColumns(), p0 = options.p0;
  switch (options.map) {
  case algrt::Map::Forward:
    return algrt::referenceForward({&layer, support, m, x, layer.k, w, columns, p0, types,
                                    arrays.bias.empty() ? nullptr : arrays.bias.data()},
                                   rows, options.threads);
  case algrt::Map::Dx:
    return algrt::referenceDx({&layer, support, m, dy, layer.n, w, columns, p0, types}, rows,
                              options.threads);
  case algrt::Map::Dw: {
    std::vector<double> dw =
        algrt::referenceDw({&layer, support, m, x, layer.k, dy, layer.n, p0, types}, rows, options.threads);
    if (options.beta != 0)
      for (size_t index = 0; index < dw.size(); ++index)
        dw[index] += double(options.beta) * w[rows[index / columns] * columns + index % columns];
    return dw;
  }
  }
  throw std::logic_error("a map that is none");
}

} // namespace

std::pair<int64_t, int64_t> resultShape(const algrt::Layer &layer, int64_t m, algrt::Map map) {
  if (map == algrt::Map::Dw)
    return {layer.k, layer.weightColumns()};
  return {m, map == algrt::Map::Forward ? layer.n : layer.k};
}

std::vector<int64_t> resultArrayShape(const algrt::Layer &layer, int64_t m, algrt::Map map) {
  const auto [rows, columns] = resultShape(layer, m, map);
  if (map != algrt::Map::Dw || layer.lift == algrt::Lift::Rows)
    return {rows, columns};
  const auto slots = static_cast<int64_t>(layer.weight_rows.size());
  return {slots, rows / slots, columns};
}

int64_t mostCheckedRows(const algrt::Layer &layer, int64_t m, algrt::Map map) {
  constexpr double most_macs = 4e11;
  const double macs_of_a_row =
      map == algrt::Map::Dw ? double(m) * double(layer.n) : double(layer.k) * double(layer.n);
  return macs_of_a_row == 0 ? std::numeric_limits<int64_t>::max()
                            : std::max(int64_t{1}, static_cast<int64_t>(most_macs / macs_of_a_row));
}

RunCheck compareWithReference(const algrt::Bundle &bundle, const RunArrays &arrays,
                              const std::vector<float> &y, const ProductOptions &options) {
  const algrt::Layer &layer = bundle.layer();
  const auto [total, width] = resultShape(layer, arrays.m, options.map);
  const std::vector<int64_t> rows = rowsToCheck(total, mostCheckedRows(layer, arrays.m, options.map));
  const std::vector<double> expected = referenceRows(bundle, arrays, rows, options);
  std::vector<float> actual;
  actual.reserve(expected.size());
  for (int64_t row : rows)
    actual.insert(actual.end(), y.begin() + row * width, y.begin() + (row + 1) * width);
  const bool bf16 = options.result_type.value_or(layer.dtype) == algrt::ElementType::Bf16;
  return {algrt::compare(actual, expected), algrt::tolerance(bf16), static_cast<int64_t>(rows.size())};
}

void requireRightDbias(const RunArrays &arrays, const std::vector<float> &dbias,
                       const ProductOptions &options, algrt::ElementType type) {
  std::vector<double> sums(dbias.size());
  for (size_t at = 0; at < arrays.dy.size(); ++at)
    sums[at % sums.size()] += arrays.dy[at];
  const algrt::Comparison comparison = algrt::compare(dbias, sums);
  const double limit = algrt::tolerance(options.result_type.value_or(type) == algrt::ElementType::Bf16);
  if (!comparison.within(limit))
    throw Failure(fmt::format("the gradient of the bias is {:.3e} away from the reference; {:.0e} is allowed",
                              comparison.relative_l2, limit));
}

} // namespace compiler
