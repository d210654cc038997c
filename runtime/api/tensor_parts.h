// Parts of tensors along their first dimension, as tensors.
#pragma once

#include "runtime/algrt.h"
#include "runtime/support/aligned_buffer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algrt {

// A view of which the first dimension is cut, or left out. The tensor lies whole in the address space.
class TensorSlice {
public:
  // Elements `first` to `first + count - 1` of the first dimension.
  TensorSlice(const DLTensor &tensor, int64_t first, int64_t count);
  // Element `number` of the first dimension, which the slice does not have.
  TensorSlice(const DLTensor &tensor, int64_t number);
  TensorSlice(const TensorSlice &) = delete;

  const DLTensor &tensor() const { return tensor_; }

private:
  explicit TensorSlice(const DLTensor &tensor);
  void skip(int64_t elements);
  void point();

  DLTensor tensor_;
  std::vector<int64_t> shape_, strides_;
};

// A copy of the elements of the first dimension that a list names, one behind the other, in memory of its
// own.
class GatheredTensor {
public:
  // The tensor is in CPU memory, and the rows that it is made of lie at one distance; entries of the list are
  // below its first extent. Throws Error(ALGRT_INVALID_ARGUMENT) "x: ..." for another layout.
  GatheredTensor(const DLTensor &tensor, const char *name, std::span<const int32_t> list);
  GatheredTensor(const GatheredTensor &) = delete;

  const DLTensor &tensor() const { return tensor_; }

private:
  DLTensor tensor_;
  std::vector<int64_t> shape_;
  AlignedBuffer elements_;
};

} // namespace algrt
