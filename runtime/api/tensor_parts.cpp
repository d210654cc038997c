#include "runtime/api/tensor_parts.h"

#include "runtime/api/tensor.h"
#include "runtime/support/checked.h"

#include <cstring>

namespace algrt {

TensorSlice::TensorSlice(const DLTensor &tensor, int64_t first, int64_t count) : TensorSlice(tensor) {
  shape_[0] = count;
  skip(first);
  point();
}

TensorSlice::TensorSlice(const DLTensor &tensor, int64_t number) : TensorSlice(tensor) {
  skip(number);
  shape_.erase(shape_.begin());
  strides_.erase(strides_.begin());
  point();
}

TensorSlice::TensorSlice(const DLTensor &tensor)
    : tensor_(tensor), shape_(tensor.shape, tensor.shape + tensor.ndim), strides_(shape_.size(), 1) {
  if (tensor.strides != nullptr)
    strides_.assign(tensor.strides, tensor.strides + tensor.ndim);
  else
    for (size_t i = shape_.size() - 1; i-- > 0;)
      strides_[i] = strides_[i + 1] * shape_[i + 1];
}

void TensorSlice::skip(int64_t elements) {
  tensor_.byte_offset += uint64_t(elements * strides_[0] * elementBytes(tensor_.dtype));
}

void TensorSlice::point() {
  tensor_.ndim = int32_t(shape_.size());
  tensor_.shape = shape_.data();
  tensor_.strides = strides_.data();
}

GatheredTensor::GatheredTensor(const DLTensor &tensor, const char *name, std::span<const int32_t> list)
    : tensor_(tensor), shape_(tensor.shape, tensor.shape + tensor.ndim) {
  const MatrixView all = readJoined(&tensor, name, cpu_device);
  const int64_t extent = shape_[0], element = elementBytes(tensor.dtype);
  // Of a vector each number is a row, whether or not they lie side by side.
  const bool is_vector = tensor.ndim == 1;
  const int64_t rows = is_vector || extent == 0 ? 1 : all.rows / extent;
  const int64_t columns = is_vector ? 1 : all.columns;
  const int64_t stride = is_vector && all.columns > 1 ? 1 : all.stride;
  const int64_t row_bytes = checkedMultiply(columns, element, name);
  const int64_t entry_bytes = checkedMultiply(rows, row_bytes, name);
  shape_[0] = int64_t(list.size());
  elements_ = AlignedBuffer(size_t(checkedMultiply(shape_[0], entry_bytes, name)));
  std::byte *to = elements_.data();
  if (entry_bytes > 0)
    for (const int32_t entry : list)
      for (int64_t row = 0; row < rows; ++row, to += row_bytes)
        std::memcpy(to, static_cast<const std::byte *>(all.data) + (entry * rows + row) * stride * element,
                    size_t(row_bytes));
  tensor_.data = elements_.data();
  tensor_.byte_offset = 0;
  tensor_.shape = shape_.data();
  tensor_.strides = nullptr;
}

} // namespace algrt
