// Tensors of PyTorch as the runtime sees them.
#pragma once

#include "runtime/algrt.h"

#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace algctl_torch {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// "float32": how Python names a type. Throws for types that the runtime does not know, naming the argument.
DLDataType dataTypeOf(const Tensor &tensor, const char *argument);
ScalarType scalarTypeOf(DLDataType type);
std::string nameOf(ScalarType type);

// Sizes and strides, borrowed from the tensor.
struct Extents {
  explicit Extents(const Tensor &tensor);
  int64_t *sizes, *strides;
  int64_t dimensions;
  int64_t back(int64_t from_end) const { return sizes[dimensions - from_end]; }
  // The product of all sizes but the last, 1 for a vector.
  int64_t rows() const;
};

// Whether all dimensions but the last can be read as rows at one distance, with the elements of a row side by
// side; `distance` is then that distance.
bool isMatrix(const Extents &extents, int64_t &distance);

// A tensor [..., columns] as a matrix [rows, columns]. Where its rows do not lie at one distance, as those of
// a transposed tensor, it is copied first, as F.linear does, too. Keeps the tensor alive.
class Matrix {
public:
  Matrix(const Tensor &tensor, const char *argument);
  Matrix(const Matrix &) = delete;
  const DLTensor *get() const { return &view_; }
  int64_t rows() const { return sizes_[0]; }
  int64_t columns() const { return sizes_[1]; }

private:
  Tensor tensor_;
  int64_t sizes_[2], strides_[2];
  DLTensor view_;
};

// Any contiguous tensor with the shape that it has; copied where it is not contiguous.
class Dense {
public:
  Dense(const Tensor &tensor, const char *argument);
  Dense(const Dense &) = delete;
  const DLTensor *get() const { return &view_; }

private:
  Tensor tensor_;
  DLTensor view_;
};

// Uninitialised and contiguous, on the device of another.
Tensor emptyLike(const Tensor &other, const std::vector<int64_t> &sizes, ScalarType type);

// The tensor in another type, itself where it has that type already.
Tensor converted(const Tensor &tensor, ScalarType type);

// Throws unless the tensor is where x is.
void requireSameDevice(const Tensor &tensor, const char *argument, const Tensor &x, const char *other);

// The current stream of the device of a CUDA tensor, NULL for one in CPU memory.
void *streamOf(const Tensor &tensor);

// How many threads of PyTorch's pool a call may use.
int32_t threads();

} // namespace algctl_torch
