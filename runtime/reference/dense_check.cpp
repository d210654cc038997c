#include "runtime/reference/dense_check.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/support/parallel.h"

#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace algrt {

double sampledDenseError(int64_t m, int64_t k, int64_t n, const uint16_t *x, const uint16_t *w,
                         const uint16_t *y, uint64_t seed, int threads) {
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
      double sum = 0;
      for (int64_t d = 0; d < k; ++d)
        sum += double(fromBfloat16(x[row * k + d])) * double(fromBfloat16(w[d * n + column]));
      expected[size_t(i)] = sum;
      actual[size_t(i)] = fromBfloat16(y[row * n + column]);
    }
  });
  const Comparison comparison = compare(actual, expected);
  return comparison.kind_mismatches == 0 ? comparison.relative_l2 : std::numeric_limits<double>::infinity();
}

} // namespace algrt
