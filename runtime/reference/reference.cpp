#include "runtime/reference/reference.h"

#include "runtime/support/checked.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <numeric>

namespace algrt {

namespace {

std::vector<int64_t> offsetsOf(const std::vector<int64_t> &widths) {
  std::vector<int64_t> offsets(widths.size() + 1, 0);
  std::partial_sum(widths.begin(), widths.end(), offsets.begin() + 1);
  return offsets;
}

// sum[0 .. width) += coefficient * x[0 .. depth) times the block of w. Rows are added left to right; taking
// four at a time keeps the sums in registers longer.
void addBlock(double *__restrict sum, int64_t width, const float *__restrict x, int64_t depth,
              const float *__restrict w, int64_t w_stride, double coefficient) {
  int64_t d = 0;
  for (; d + 4 <= depth; d += 4) {
    const double x0 = coefficient * x[d], x1 = coefficient * x[d + 1];
    const double x2 = coefficient * x[d + 2], x3 = coefficient * x[d + 3];
    const float *w0 = w + d * w_stride, *w1 = w0 + w_stride, *w2 = w1 + w_stride, *w3 = w2 + w_stride;
    for (int64_t c = 0; c < width; ++c)
      sum[c] = sum[c] + x0 * w0[c] + x1 * w1[c] + x2 * w2[c] + x3 * w3[c];
  }
  for (; d < depth; ++d) {
    const double xd = coefficient * x[d];
    const float *wd = w + d * w_stride;
    for (int64_t c = 0; c < width; ++c)
      sum[c] += xd * wd[c];
  }
}

} // namespace

std::vector<int64_t> rowTypes(const ForwardProblem &problem) {
  const Layer &layer = *problem.layer;
  std::vector<int64_t> types(size_t(problem.m));
  const int64_t width = layer.row_type_width, period = layer.types * width;
  for (int64_t row = 0; row < problem.m; ++row) {
    if (layer.row_types != RowTypesKind::explicit_types) {
      types[row] = checkedAdd(problem.p0, row, "position") % period / width;
      continue;
    }
    if (problem.types == nullptr)
      throw Error(ALGRT_INVALID_ARGUMENT, "the layer's row types are explicit, but none are given");
    types[row] = problem.types[row];
    if (types[row] < 0 || types[row] >= layer.types)
      throw Error(ALGRT_INVALID_ARGUMENT, "row " + std::to_string(row) + " has type " +
                                              std::to_string(types[row]) + ", the layer's types are 0 to " +
                                              std::to_string(layer.types - 1));
  }
  return types;
}

std::vector<double> referenceForward(const ForwardProblem &problem, std::span<const int64_t> rows,
                                     int threads) {
  const Layer &layer = *problem.layer;
  const std::vector<int64_t> type_of_row = rowTypes(problem);
  const std::vector<int64_t> x_offsets = offsetsOf(layer.in_groups), y_offsets = offsetsOf(layer.out_groups);
  const std::vector<int64_t> bank_offsets = offsetsOf(layer.bank_rows);
  const int64_t groups = int64_t(layer.out_groups.size());

  // By type, so that a block of the bank is used by many rows while it is in cache.
  std::vector<std::vector<size_t>> places(size_t(layer.types)); // places[t] = indices into rows
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= problem.m)
      throw Error(ALGRT_INVALID_ARGUMENT, "row " + std::to_string(rows[i]) + " is not one of the " +
                                              std::to_string(problem.m) + " rows of x");
    places[size_t(type_of_row[rows[i]])].push_back(i);
  }

  std::vector<double> y(size_t(checkedMultiply(int64_t(rows.size()), layer.n, "reference result")), 0.0);
  runTasks(resolveThreads(threads), layer.types * groups, [&](int, int64_t begin, int64_t end) {
    std::array<Term, 2> storage;
    for (int64_t slot = begin; slot < end; ++slot) {
      const int64_t type = slot / groups, group = slot % groups;
      // The bank's columns of this output group; in the slot lift every block has all the columns.
      const int64_t column = layer.lift == Lift::rows ? y_offsets[group] : 0;
      for (const Term &term : problem.support->terms(type, group, storage))
        for (size_t place : places[size_t(type)])
          addBlock(y.data() + int64_t(place) * layer.n + y_offsets[group], layer.out_groups[group],
                   problem.x + rows[place] * problem.x_stride + x_offsets[term.input_group],
                   layer.in_groups[term.input_group],
                   problem.w + bank_offsets[term.bank_row] * problem.w_stride + column, problem.w_stride,
                   term.coefficient);
    }
  });
  return y;
}

std::vector<double> referenceForward(const ForwardProblem &problem, int threads) {
  std::vector<int64_t> rows(size_t(problem.m));
  std::iota(rows.begin(), rows.end(), int64_t(0));
  return referenceForward(problem, rows, threads);
}

} // namespace algrt
