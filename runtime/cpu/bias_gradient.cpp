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

// A few cache lines of a row at a time, so that the sums stay in registers and the first-level cache.
constexpr int64_t columns_per_task = 128;

template <typename In, typename Out>
void sumColumns(const BiasGradientCall &call, int64_t begin, int64_t end) {
  std::array<double, columns_per_task> sums{};
  const In *from = static_cast<const In *>(call.dy.data);
  for (int64_t row = 0; row < call.dy.rows; ++row)
    for (int64_t column = begin; column < end; ++column)
      sums[column - begin] += load(from[row * call.dy.stride + column]);
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
  const bool wide_input = call.input == ElementType::f32, wide_output = call.output == ElementType::f32;
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
