#include "runtime/reference/network_reference.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/reference.h"
#include "runtime/support/parallel.h"

#include <limits>

namespace algrt {

namespace {

std::vector<float> floats(const uint16_t *values, int64_t count, int threads) {
  constexpr int64_t chunk = int64_t(1) << 20;
  std::vector<float> result(static_cast<size_t>(count));
  runTasks(resolveThreads(threads), (count + chunk - 1) / chunk, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin * chunk; i < std::min(count, end * chunk); ++i)
      result[size_t(i)] = fromBfloat16(values[i]);
  });
  return result;
}

} // namespace

std::vector<double> referenceNetwork(const NetworkProblem &problem, std::span<const int64_t> rows,
                                     int threads) {
  const Layer &up = *problem.up, &down = *problem.down;
  const std::vector<float> x = floats(problem.x, problem.m * up.k, threads);
  const auto product = [&](const uint16_t *weights) {
    const std::vector<float> w = floats(weights, up.k * up.n, threads);
    return referenceForward({problem.up, problem.up_support, problem.m, x.data(), up.k, w.data(), up.n}, rows,
                            threads);
  };
  std::vector<double> h = product(problem.gate != nullptr ? problem.gate : problem.up_weights);
  for (double &value : h)
    value = activated(problem.activation, value);
  if (problem.gate != nullptr) {
    const std::vector<double> sums = product(problem.up_weights);
    for (size_t i = 0; i < h.size(); ++i)
      h[i] *= sums[i];
  }
  // The next product takes floats: their rounding is far below that of the kernels' activations to bf16.
  const std::vector<float> activations(h.begin(), h.end());
  // Those rows alone, at the positions that they have: as a batch in which they are of the same types.
  Layer explicit_types = down;
  explicit_types.row_types = RowTypesKind::ExplicitTypes;
  const std::vector<int64_t> all_types = rowTypes(down, problem.m, 0, nullptr);
  std::vector<int32_t> types;
  for (const int64_t row : rows)
    types.push_back(int32_t(all_types[size_t(row)]));
  const std::vector<float> w = floats(problem.down_weights, down.k * down.n, threads);
  return referenceForward({&explicit_types, problem.down_support, int64_t(rows.size()), activations.data(),
                           down.k, w.data(), down.n, 0, types.data()},
                          threads);
}

} // namespace algrt
