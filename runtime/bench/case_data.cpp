#include "runtime/bench/case_data.h"

#include "runtime/api/tensor.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace algrt {

namespace {

AlignedBuffer allocate(ElementType type, int64_t rows, int64_t columns, const char *what) {
  const int64_t elements = checkedMultiply(rows, columns, what);
  return AlignedBuffer(size_t(checkedMultiply(elements, elementBytes(type), what)));
}

AlignedBuffer randomMatrix(ElementType type, int64_t rows, int64_t columns, double deviation, uint64_t seed) {
  AlignedBuffer buffer = allocate(type, rows, columns, "a matrix");
  const std::vector<float> values = randomValues(rows * columns, deviation, seed);
  if (type == ElementType::f32)
    std::memcpy(buffer.data(), values.data(), buffer.size());
  else
    std::transform(values.begin(), values.end(), reinterpret_cast<uint16_t *>(buffer.data()), toBfloat16);
  return buffer;
}

DLTensor tensorOf(void *data, DLDataType type, int64_t *shape, int ndim) {
  return {data, {kDLCPU, 0}, ndim, type, shape, nullptr, 0};
}

} // namespace

CaseData::CaseData(const Bundle &bundle, int64_t m, uint64_t seed) : bundle_(bundle), m_(m), seed_(seed) {
  const Layer &layer = bundle.layer();
  if (m < 1)
    throw Error(ALGRT_INVALID_ARGUMENT, "m is " + std::to_string(m) + ", needs at least one row");
  x_ = randomMatrix(layer.dtype, m, layer.k, 1, seed);
  w_ = randomMatrix(layer.dtype, layer.k, layer.bankColumns(), 1 / std::sqrt(double(layer.k)), seed + 1);
  y_ = allocate(layer.dtype, m, layer.n, "y");
  poisonResult();
  if (layer.bias)
    bias_ = randomMatrix(layer.dtype, 1, layer.n, 1, seed + 5);
  bias_shape_[0] = layer.n;
  x_shape_[0] = y_shape_[0] = types_shape_[0] = m;
  x_shape_[1] = w_shape_[0] = layer.k;
  w_shape_[1] = layer.bankColumns();
  y_shape_[1] = layer.n;
  const DLDataType type = dlpackType(layer.dtype);
  x_tensor_ = tensorOf(x_.data(), type, x_shape_, 2);
  w_tensor_ = tensorOf(w_.data(), type, w_shape_, 2);
  y_tensor_ = tensorOf(y_.data(), type, y_shape_, 2);
  bias_tensor_ = tensorOf(bias_.data(), type, bias_shape_, 1);
  if (layer.row_types == RowTypesKind::explicit_types) {
    // As many rows of each type as possible, in no order.
    for (int64_t row = 0; row < m; ++row)
      types_.push_back(int32_t(row % layer.types));
    std::shuffle(types_.begin(), types_.end(), std::mt19937_64(seed + 2));
  }
  types_tensor_ = tensorOf(types_.data(), {kDLInt, 32, 1}, types_shape_, 1);

  work_ = activeWork(bundle, rowTypes(layer, m, 0, types_.data()));

  // A random sample, not every s-th row: those might all be of one type.
  const int64_t macs_of_a_row = std::max<int64_t>(1, activeMacs() / m);
  checked_rows_.resize(size_t(m));
  std::iota(checked_rows_.begin(), checked_rows_.end(), int64_t(0));
  const int64_t affordable = std::max<int64_t>(16, int64_t(4'000'000'000) / macs_of_a_row);
  if (affordable < m) {
    std::shuffle(checked_rows_.begin(), checked_rows_.end(), std::mt19937_64(seed + 3));
    checked_rows_.resize(size_t(affordable));
    std::sort(checked_rows_.begin(), checked_rows_.end());
  }
}

algrt_forward_args CaseData::args() const {
  algrt_forward_args args = algrt_forward_args_init();
  args.x = &x_tensor_;
  args.y = &y_tensor_;
  if (bundle_.layer().row_types == RowTypesKind::explicit_types)
    args.types = &types_tensor_;
  if (bundle_.layer().bias)
    args.bias = &bias_tensor_;
  return args;
}

int64_t CaseData::activeBytes() const {
  const int64_t elements =
      checkedAdd(work_.x_elements + work_.bank_elements, work_.y_elements, "active bytes");
  return checkedMultiply(elements, elementBytes(bundle_.layer().dtype), "active bytes");
}

void CaseData::poisonResult() {
  std::memset(y_.data(), 0xff, y_.size()); // all ones is NaN in f32 and bf16
}

std::vector<float> CaseData::widened(const AlignedBuffer &buffer, int64_t count) const {
  std::vector<float> values(static_cast<size_t>(count));
  if (bundle_.layer().dtype == ElementType::f32)
    std::memcpy(values.data(), buffer.data(), buffer.size());
  else
    std::transform(reinterpret_cast<const uint16_t *>(buffer.data()),
                   reinterpret_cast<const uint16_t *>(buffer.data()) + count, values.begin(), fromBfloat16);
  return values;
}

Comparison CaseData::check(int threads) const {
  const Layer &layer = bundle_.layer();
  const std::vector<float> x = widened(x_, m_ * layer.k), w = widened(w_, layer.k * layer.bankColumns());
  const std::vector<float> y = widened(y_, m_ * layer.n);
  const std::vector<float> bias = layer.bias ? widened(bias_, layer.n) : std::vector<float>();
  const ForwardProblem problem{
      &layer,   &bundle_.support(),  m_, x.data(),      layer.k,
      w.data(), layer.bankColumns(), 0,  types_.data(), layer.bias ? bias.data() : nullptr};
  const std::vector<double> expected = referenceForward(problem, checked_rows_, threads);
  std::vector<float> actual;
  actual.reserve(expected.size());
  for (int64_t row : checked_rows_)
    actual.insert(actual.end(), y.begin() + row * layer.n, y.begin() + (row + 1) * layer.n);
  return compare(actual, expected);
}

const void *CaseData::denseWeights() {
  const Layer &layer = bundle_.layer();
  if (layer.lift == Lift::rows)
    return w_.data();
  if (dense_w_.size() == 0)
    dense_w_ = randomMatrix(layer.dtype, layer.k, layer.n, 1 / std::sqrt(double(layer.k)), seed_ + 4);
  return dense_w_.data();
}

} // namespace algrt
