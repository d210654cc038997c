#include "runtime/cpu/bias_gradient.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/support/checked.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <array>

namespace algrt {

namespace {

float load(float value) { return value; }
float load(uint16_t bits) { return fromBfloat16(bits); }
void store(double value, float &to) { to = float(value); }
// To f32 first and then to bf16 would round twice; the sums of a few thousand rows make ties next to
// impossible, and the kernel of dw rounds its f32 sums likewise.
void store(double value, uint16_t &to) { to = toBfloat16(float(value)); }

// Each row is another page of memory: so many columns of it that their sums stay in the first-level cache,
// and several rows side by side.
constexpr int64_t columns_per_task = 512, rows_together = 8;

// Adds `count` rows to the sums, one after another.
template <int64_t count, typename In>
void addRows(const In *rows, int64_t stride, int64_t columns, double *sums) {
  for (int64_t column = 0; column < columns; ++column) {
    double sum = sums[column];
    for (int64_t row = 0; row < count; ++row)
      sum += load(rows[row * stride + column]);
    sums[column] = sum;
  }
}

template <typename In, typename Out>
void sumColumns(const BiasGradientCall &call, int64_t begin, int64_t end) {
  std::array<double, columns_per_task> sums{};
  const In *from = static_cast<const In *>(call.dy.data); // null where there are no rows
  const int64_t stride = call.dy.stride, columns = end - begin;
  int64_t row = 0;
  for (; row + rows_together <= call.dy.rows; row += rows_together)
    addRows<rows_together>(from + (row * stride + begin), stride, columns, sums.data());
  for (; row + 1 < call.dy.rows; ++row)
    addRows<1>(from + (row * stride + begin), stride, columns, sums.data());
  Out *to = static_cast<Out *>(call.dbias.data);
  for (int64_t column = begin; column < end; ++column) {
    double sum = sums[column - begin];
    if (call.beta != 0)
      sum += double(call.beta) * load(to[column]);
    store(sum, to[column]);
  }
}

} // namespace

void runBiasGradient(const BiasGradientCall &call) {
  const bool wide_input = call.input == ElementType::F32, wide_output = call.output == ElementType::F32;
  const auto sum = wide_input    ? (wide_output ? sumColumns<float, float> : sumColumns<float, uint16_t>)
                   : wide_output ? sumColumns<uint16_t, float>
                                 : sumColumns<uint16_t, uint16_t>;
  const int64_t columns = call.dy.columns;
  runTasks(resolveThreads(call.threads), ceilDivide(columns, columns_per_task),
           [&](int, int64_t begin, int64_t end) {
             for (int64_t task = begin; task < end; ++task)
               sum(call, task * columns_per_task, std::min(columns, (task + 1) * columns_per_task));
           });
}

} // namespace algrt
