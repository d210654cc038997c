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

// sum[0 .. depth) += coefficient * the block of w times dy[0 .. width).
void addTransposedBlock(double *sum, int64_t depth, const float *dy, int64_t width, const float *w,
                        int64_t w_stride, double coefficient) {
  for (int64_t d = 0; d < depth; ++d) {
    const float *row = w + d * w_stride;
    // Four sums, so that additions need not wait for each other.
    double sums[4] = {};
    for (int64_t c = 0; c < width; ++c)
      sums[c % 4] += double(dy[c]) * row[c];
    sum[d] += coefficient * (sums[0] + sums[1] + (sums[2] + sums[3]));
  }
}

// By type, so that a block of the weight matrix is used by many rows while it is in cache: result[t] =
// indices into rows.
std::vector<std::vector<size_t>> placesByType(const Layer &layer, const std::vector<int64_t> &type_of_row,
                                              std::span<const int64_t> rows) {
  std::vector<std::vector<size_t>> places(size_t(layer.types));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= int64_t(type_of_row.size()))
      throw Error(ALGRT_INVALID_ARGUMENT, "row " + std::to_string(rows[i]) + " is not one of the " +
                                              std::to_string(type_of_row.size()) + " rows of the batch");
    places[size_t(type_of_row[rows[i]])].push_back(i);
  }
  return places;
}

std::vector<int64_t> allRows(int64_t m) {
  std::vector<int64_t> rows(static_cast<size_t>(m));
  std::iota(rows.begin(), rows.end(), int64_t(0));
  return rows;
}

} // namespace

std::vector<int64_t> rowTypes(const Layer &layer, int64_t m, int64_t p0, const int32_t *given) {
  std::vector<int64_t> types(static_cast<size_t>(m));
  const int64_t width = layer.row_type_width, period = layer.types * width;
  for (int64_t row = 0; row < m; ++row) {
    if (given == nullptr && layer.row_types != RowTypesKind::ExplicitTypes) {
      types[row] = checkedAdd(p0, row, "position") % period / width;
      continue;
    }
    if (given == nullptr)
      throw Error(ALGRT_INVALID_ARGUMENT, "the layer's row types are explicit, but none are given");
    types[row] = given[row];
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
  const std::vector<std::vector<size_t>> places =
      placesByType(layer, rowTypes(layer, problem.m, problem.p0, problem.types), rows);
  const std::vector<int64_t> x_offsets = offsetsOf(layer.in_groups), y_offsets = offsetsOf(layer.out_groups);
  const std::vector<int64_t> weight_offsets = offsetsOf(layer.weight_rows);
  const int64_t groups = int64_t(layer.out_groups.size());

  std::vector<double> y(size_t(checkedMultiply(int64_t(rows.size()), layer.n, "reference result")), 0.0);
  runTasks(resolveThreads(threads), layer.types * groups, [&](int, int64_t begin, int64_t end) {
    TermStorage storage;
    for (int64_t slot = begin; slot < end; ++slot) {
      const int64_t type = slot / groups, group = slot % groups;
      if (places[size_t(type)].empty())
        continue;
      // The weight matrix's columns of this output group; in the slot lift every block has all the columns.
      const int64_t column = layer.lift == Lift::Rows ? y_offsets[group] : 0;
      for (const Term &term : problem.support->terms(type, group, storage))
        for (size_t place : places[size_t(type)])
          addBlock(y.data() + int64_t(place) * layer.n + y_offsets[group], layer.out_groups[group],
                   problem.x + rows[place] * problem.x_stride + x_offsets[term.input_group],
                   layer.in_groups[term.input_group],
                   problem.w + weight_offsets[term.weight_row] * problem.w_stride + column, problem.w_stride,
                   term.coefficient);
    }
  });
  if (problem.bias != nullptr)
    for (size_t at = 0; at < y.size(); ++at)
      y[at] += problem.bias[at % size_t(layer.n)];
  return y;
}

std::vector<double> referenceForward(const ForwardProblem &problem, int threads) {
  return referenceForward(problem, allRows(problem.m), threads);
}

std::vector<double> referenceDx(const DxProblem &problem, std::span<const int64_t> rows, int threads) {
  const Layer &layer = *problem.layer;
  const std::vector<std::vector<size_t>> places =
      placesByType(layer, rowTypes(layer, problem.m, problem.p0, problem.types), rows);
  const std::vector<int64_t> x_offsets = offsetsOf(layer.in_groups), y_offsets = offsetsOf(layer.out_groups);
  const std::vector<int64_t> weight_offsets = offsetsOf(layer.weight_rows);

  std::vector<double> dx(size_t(checkedMultiply(int64_t(rows.size()), layer.k, "reference result")), 0.0);
  // Types have no rows in common, groups of one type add to the same elements.
  runTasks(resolveThreads(threads), layer.types, [&](int, int64_t begin, int64_t end) {
    TermStorage storage;
    for (int64_t type = begin; type < end; ++type)
      for (size_t group = 0; group < layer.out_groups.size() && !places[size_t(type)].empty(); ++group) {
        const int64_t column = layer.lift == Lift::Rows ? y_offsets[group] : 0;
        for (const Term &term : problem.support->terms(type, int64_t(group), storage))
          for (size_t place : places[size_t(type)])
            addTransposedBlock(dx.data() + int64_t(place) * layer.k + x_offsets[term.input_group],
                               layer.in_groups[term.input_group],
                               problem.dy + rows[place] * problem.dy_stride + y_offsets[group],
                               layer.out_groups[group],
                               problem.w + weight_offsets[term.weight_row] * problem.w_stride + column,
                               problem.w_stride, term.coefficient);
      }
  });
  return dx;
}

std::vector<double> referenceDx(const DxProblem &problem, int threads) {
  return referenceDx(problem, allRows(problem.m), threads);
}

std::vector<double> referenceDw(const DwProblem &problem, std::span<const int64_t> rows, int threads) {
  const Layer &layer = *problem.layer;
  const std::vector<std::vector<size_t>> rows_of_type =
      placesByType(layer, rowTypes(layer, problem.m, problem.p0, problem.types), allRows(problem.m));
  const std::vector<int64_t> x_offsets = offsetsOf(layer.in_groups), y_offsets = offsetsOf(layer.out_groups);
  const std::vector<int64_t> weight_offsets = offsetsOf(layer.weight_rows);
  struct Use {
    int64_t type, group;
    Term term;
  };
  for (int64_t row : rows)
    if (row < 0 || row >= layer.k)
      throw Error(ALGRT_INVALID_ARGUMENT, "row " + std::to_string(row) +
                                              " is not one of the weight matrix's " +
                                              std::to_string(layer.k));
  const auto weight_row_of = [&](int64_t row) {
    return std::upper_bound(weight_offsets.begin(), weight_offsets.end(), row) - weight_offsets.begin() - 1;
  };
  std::vector<bool> wanted(layer.weight_rows.size());
  for (int64_t row : rows)
    wanted[size_t(weight_row_of(row))] = true;
  std::vector<std::vector<Use>> uses(layer.weight_rows.size()); // of the blocks of each row group
  TermStorage storage;
  for (int64_t type = 0; type < layer.types; ++type)
    for (int64_t group = 0; group < int64_t(layer.out_groups.size()) && !rows_of_type[size_t(type)].empty();
         ++group)
      for (const Term &term : problem.support->terms(type, group, storage))
        if (wanted[size_t(term.weight_row)])
          uses[size_t(term.weight_row)].push_back({type, group, term});
  const int64_t columns = layer.weightColumns();
  std::vector<double> dw(size_t(checkedMultiply(int64_t(rows.size()), columns, "reference result")), 0.0);
  runTasks(resolveThreads(threads), int64_t(rows.size()), [&](int, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t weight_row = weight_row_of(rows[at]), feature = rows[at] - weight_offsets[weight_row];
      for (const Use &use : uses[size_t(weight_row)]) {
        double *sums = dw.data() + at * columns + (layer.lift == Lift::Rows ? y_offsets[use.group] : 0);
        const int64_t input = x_offsets[use.term.input_group] + feature;
        for (size_t row : rows_of_type[size_t(use.type)]) {
          const double x = use.term.coefficient * problem.x[int64_t(row) * problem.x_stride + input];
          const float *dy = problem.dy + int64_t(row) * problem.dy_stride + y_offsets[use.group];
          for (int64_t column = 0; column < layer.out_groups[use.group]; ++column)
            sums[column] += x * dy[column];
        }
      }
    }
  });
  return dw;
}

std::vector<double> referenceDw(const DwProblem &problem, int threads) {
  return referenceDw(problem, allRows(problem.layer->k), threads);
}

} // namespace algrt
