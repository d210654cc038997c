#include "runtime/reference/dense_check.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/support/parallel.h"

#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace algrt {

double sampledDenseError(const DenseCheckProblem &problem, uint64_t seed, int threads) {
  const int64_t m = problem.m, k = problem.k, n = problem.n;
  const int64_t x_row = problem.x_transposed ? 1 : k, x_depth = problem.x_transposed ? m : 1;
  const int64_t w_depth = problem.w_transposed ? 1 : n, w_column = problem.w_transposed ? k : 1;
  std::vector<std::pair<int64_t, int64_t>> places = {{0, 0}, {0, n - 1}, {m - 1, 0}, {m - 1, n - 1}};
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> rows(0, m - 1), columns(0, n - 1);
  for (int i = 0; i < 2048; ++i) {
    const int64_t row = rows(random);
    places.emplace_back(row, columns(random));
  }
  std::vector<float> actual(places.size());
  std::vector<double> expected(places.size());
  runTasks(resolveThreads(threads), int64_t(places.size()), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [row, column] = places[size_t(i)];
      const uint16_t *of_x = problem.x + row * x_row, *of_w = problem.w + column * w_column;
      double sum = problem.bias != nullptr ? double(fromBfloat16(problem.bias[column])) : 0;
      for (int64_t d = 0; d < problem.k; ++d)
        sum += double(fromBfloat16(of_x[d * x_depth])) * double(fromBfloat16(of_w[d * w_depth]));
      expected[size_t(i)] = sum;
      actual[size_t(i)] = fromBfloat16(problem.y[row * problem.n + column]);
    }
  });
  const Comparison comparison = compare(actual, expected);
  return comparison.kind_mismatches == 0 ? comparison.relative_l2 : std::numeric_limits<double>::infinity();
}

} // namespace algrt
