#include "runtime/bench/case_data.h"

#include "runtime/api/tensor.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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
  if (type == ElementType::F32)
    std::memcpy(buffer.data(), values.data(), buffer.size());
  else
    std::transform(values.begin(), values.end(), reinterpret_cast<uint16_t *>(buffer.data()), toBfloat16);
  return buffer;
}

int64_t mostCheckedRows(int64_t macs_of_a_row) {
  return std::max<int64_t>(16, int64_t(4'000'000'000) / std::max<int64_t>(1, macs_of_a_row));
}

DLTensor tensorOf(void *data, DLDataType type, int64_t *shape, int ndim) {
  return {data, {kDLCPU, 0}, ndim, type, shape, nullptr, 0};
}

} // namespace

int64_t CaseData::bytes(const Bundle &bundle, int64_t m, Map map) {
  const Layer &layer = bundle.layer();
  const int64_t columns = layer.weightColumns(), element = elementBytes(layer.dtype);
  int64_t sum = 0;
  const auto add = [&](int64_t rows, int64_t width, int64_t each) {
    sum = checkedAdd(sum, checkedMultiply(checkedMultiply(rows, width, "a matrix"), each, "a matrix"),
                     "all matrices");
  };
  // Each in the layer's type, and as float: when it is made, then for the reference.
  add(m, layer.k, element + 4);
  add(layer.k, columns, element + 4);
  add(m, layer.n, element + 4);
  add(m, 1, 4 + 8); // types
  // The reference: of each row that is checked the sums in double, and a copy as float.
  int64_t macs_of_a_row = std::numeric_limits<int64_t>::max();
  for (int64_t type = 0; type < layer.types; ++type)
    macs_of_a_row = std::min(macs_of_a_row, bundle.support().rowMacs(layer, type));
  const bool weight_gradient = map == Map::Dw;
  const int64_t rows = weight_gradient ? layer.k : m;
  if (weight_gradient)
    macs_of_a_row = checkedMultiply(m, macs_of_a_row, "active MACs") / std::max<int64_t>(1, layer.k);
  add(rows, 1, 8);
  add(std::min(rows, mostCheckedRows(macs_of_a_row)),
      weight_gradient       ? columns
      : map == Map::Forward ? layer.n
                            : layer.k,
      8 + 4);
  return sum;
}

CaseData::CaseData(const Bundle &bundle, int64_t m, uint64_t seed, Map map, bool rotates)
    : bundle_(bundle), map_(map), m_(m), seed_(seed) {
  const Layer &layer = bundle.layer();
  if (m < 1)
    throw Error(ALGRT_INVALID_ARGUMENT, "m is " + std::to_string(m) + ", needs at least one row");
  const bool explicit_types = layer.row_types == RowTypesKind::ExplicitTypes;
  if (rotates && explicit_types)
    throw Error(ALGRT_INVALID_ARGUMENT,
                "rows of explicit types do not follow from a position that could rotate: measure forward");
  const int64_t columns = layer.weightColumns();
  x_ = map == Map::Dx ? allocate(layer.dtype, m, layer.k, "dx")
                      : randomMatrix(layer.dtype, m, layer.k, 1, seed);
  w_ = map == Map::Dw ? allocate(layer.dtype, layer.k, columns, "dw")
                      : randomMatrix(layer.dtype, layer.k, columns, 1 / std::sqrt(double(layer.k)), seed + 1);
  y_ = map == Map::Forward ? allocate(layer.dtype, m, layer.n, "y")
                           : randomMatrix(layer.dtype, m, layer.n, 1, seed + 6);
  poisonResult();
  if (layer.bias && map == Map::Forward)
    bias_ = randomMatrix(layer.dtype, 1, layer.n, 1, seed + 5);
  bias_shape_[0] = layer.n;
  x_shape_[0] = y_shape_[0] = types_shape_[0] = m;
  x_shape_[1] = w_shape_[0] = layer.k;
  w_shape_[1] = columns;
  y_shape_[1] = layer.n;
  const DLDataType type = dlpackType(layer.dtype);
  x_tensor_ = tensorOf(x_.data(), type, x_shape_, 2);
  w_tensor_ = tensorOf(w_.data(), type, w_shape_, 2);
  y_tensor_ = tensorOf(y_.data(), type, y_shape_, 2);
  bias_tensor_ = tensorOf(bias_.data(), type, bias_shape_, 1);
  if (explicit_types) {
    // As many rows of each type as possible, in no order.
    for (int64_t row = 0; row < m; ++row)
      types_.push_back(int32_t(row % layer.types));
    std::shuffle(types_.begin(), types_.end(), std::mt19937_64(seed + 2));
  }
  types_tensor_ = tensorOf(types_.data(), {kDLInt, 32, 1}, types_shape_, 1);

  work_ = averageWork(bundle, m, types_.data(), rotates);
  if (map == Map::Dw)
    work_.weight_elements = checkedMultiply(layer.k, columns, "elements of dw");

  // A random sample, not every s-th row: those might all be of one type.
  const int64_t rows = resultShape().first;
  const int64_t macs_of_a_row = std::max<int64_t>(1, activeMacs() / rows);
  checked_rows_.resize(size_t(rows));
  std::iota(checked_rows_.begin(), checked_rows_.end(), int64_t(0));
  const int64_t affordable = mostCheckedRows(macs_of_a_row);
  if (affordable < rows) {
    std::shuffle(checked_rows_.begin(), checked_rows_.end(), std::mt19937_64(seed + 3));
    checked_rows_.resize(size_t(affordable));
    std::sort(checked_rows_.begin(), checked_rows_.end());
  }
}

AlignedBuffer &CaseData::result() { return map_ == Map::Forward ? y_ : map_ == Map::Dx ? x_ : w_; }

std::pair<int64_t, int64_t> CaseData::resultShape() const {
  const Layer &layer = bundle_.layer();
  if (map_ == Map::Dw)
    return {layer.k, layer.weightColumns()};
  return {m_, map_ == Map::Forward ? layer.n : layer.k};
}

int CaseData::run(const algrt_bundle *bundle, const CaseCall &call) const {
  const auto fill = [&](auto args) {
    if (bundle_.layer().row_types == RowTypesKind::ExplicitTypes)
      args.types = &types_tensor_;
    args.p0 = call.p0;
    args.workspace = call.workspace;
    args.workspace_bytes = call.workspace_bytes;
    args.threads = call.threads;
    return args;
  };
  switch (map_) {
  case Map::Forward: {
    algrt_forward_args args = fill(algrt_forward_args_init());
    args.x = &x_tensor_;
    args.y = &y_tensor_;
    if (call.weights != nullptr)
      args.weights = call.weights;
    else
      args.w = &w_tensor_;
    if (bundle_.layer().bias)
      args.bias = &bias_tensor_;
    return algrt_forward(bundle, &args);
  }
  case Map::Dx: {
    algrt_dx_args args = fill(algrt_dx_args_init());
    args.dy = &y_tensor_;
    args.dx = &x_tensor_;
    args.w = &w_tensor_;
    return algrt_dx(bundle, &args);
  }
  case Map::Dw:
    break;
  }
  algrt_dw_args args = fill(algrt_dw_args_init());
  args.x = &x_tensor_;
  args.dy = &y_tensor_;
  args.dw = &w_tensor_;
  return algrt_dw(bundle, &args);
}

int64_t CaseData::activeBytes() const {
  const int64_t elements =
      checkedAdd(work_.x_elements + work_.weight_elements, work_.y_elements, "active bytes");
  return checkedMultiply(elements, elementBytes(bundle_.layer().dtype), "active bytes");
}

void CaseData::poisonResult() {
  std::memset(result().data(), 0xff, result().size()); // all ones is NaN in f32 and bf16
}

std::vector<float> CaseData::widened(const AlignedBuffer &buffer) const {
  std::vector<float> values(buffer.size() / size_t(elementBytes(bundle_.layer().dtype)));
  if (values.empty()) // what this map does not have
    return values;
  if (bundle_.layer().dtype == ElementType::F32)
    std::memcpy(values.data(), buffer.data(), buffer.size());
  else
    std::transform(reinterpret_cast<const uint16_t *>(buffer.data()),
                   reinterpret_cast<const uint16_t *>(buffer.data()) + values.size(), values.begin(),
                   fromBfloat16);
  return values;
}

std::vector<double> CaseData::reference(int threads) const {
  const Layer &layer = bundle_.layer();
  const Support *support = &bundle_.support();
  const int64_t columns = layer.weightColumns();
  const int32_t *types = types_.data();
  switch (map_) {
  case Map::Forward: {
    const std::vector<float> x = widened(x_), w = widened(w_), bias = widened(bias_);
    return referenceForward({&layer, support, m_, x.data(), layer.k, w.data(), columns, 0, types,
                             layer.bias ? bias.data() : nullptr},
                            checked_rows_, threads);
  }
  case Map::Dx: {
    const std::vector<float> dy = widened(y_), w = widened(w_);
    return referenceDx({&layer, support, m_, dy.data(), layer.n, w.data(), columns, 0, types}, checked_rows_,
                       threads);
  }
  case Map::Dw:
    break;
  }
  const std::vector<float> x = widened(x_), dy = widened(y_);
  return referenceDw({&layer, support, m_, x.data(), layer.k, dy.data(), layer.n, 0, types}, checked_rows_,
                     threads);
}

Comparison CaseData::check(int threads) const {
  const std::vector<double> expected = reference(threads);
  const std::vector<float> values = widened(result());
  const int64_t width = resultShape().second;
  std::vector<float> actual;
  actual.reserve(expected.size());
  for (int64_t row : checked_rows_)
    actual.insert(actual.end(), values.begin() + row * width, values.begin() + (row + 1) * width);
  return compare(actual, expected);
}

DenseOperands CaseData::dense() {
  const Layer &layer = bundle_.layer();
  const bool rows_lift = layer.lift == Lift::Rows;
  if (!rows_lift && dense_w_.size() == 0)
    dense_w_ = randomMatrix(layer.dtype, layer.k, layer.n, 1 / std::sqrt(double(layer.k)), seed_ + 4);
  void *weight_matrix = rows_lift ? w_.data() : dense_w_.data();
  switch (map_) {
  case Map::Forward:
    return {m_, layer.k, layer.n, layer.dtype, x_.data(), weight_matrix, y_.data()};
  case Map::Dx:
    return {m_,
            layer.n,
            layer.k,
            layer.dtype,
            y_.data(),
            weight_matrix,
            x_.data(),
            /*x_transposed=*/false,
            /*w_transposed=*/true,
            /*w_stays=*/false};
  case Map::Dw:
    break;
  }
  return {layer.k,
          m_,
          layer.n,
          layer.dtype,
          x_.data(),
          y_.data(),
          weight_matrix,
          /*x_transposed=*/true,
          /*w_transposed=*/false,
          /*w_stays=*/false};
}

} // namespace algrt
