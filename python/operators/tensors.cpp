#include "python/operators/tensors.h"

#include "python/operators/errors.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>

// Only builds of PyTorch with CUDA have it.
extern "C" __attribute__((weak)) AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device,
                                                                                   void **stream);

namespace algctl_torch {

std::string nameOf(ScalarType type) {
  switch (type) {
  case ScalarType::Float:
    return "float32";
  case ScalarType::Double:
    return "float64";
  case ScalarType::Half:
    return "float16";
  case ScalarType::BFloat16:
    return "bfloat16";
  case ScalarType::Int:
    return "int32";
  case ScalarType::Long:
    return "int64";
  default:
    return torch::headeronly::toString(type);
  }
}

DLDataType dataTypeOf(const Tensor &tensor, const char *argument) {
  ScalarType type = tensor.scalar_type();
  switch (type) {
  case ScalarType::Float:
    return {kDLFloat, 32, 1};
  case ScalarType::BFloat16:
    return {kDLBfloat, 16, 1};
  case ScalarType::Int:
    return {kDLInt, 32, 1};
  case ScalarType::Long:
    return {kDLInt, 64, 1};
  default:
    fail(argument, " is of ", nameOf(type),
         "; algctl computes on float32 and bfloat16, and takes positions and types as int32 or int64");
  }
}

ScalarType scalarTypeOf(DLDataType type) {
  if (type.code == kDLBfloat)
    return ScalarType::BFloat16;
  if (type.code == kDLInt)
    return type.bits == 64 ? ScalarType::Long : ScalarType::Int;
  return ScalarType::Float;
}

Extents::Extents(const Tensor &tensor) : dimensions(tensor.dim()) {
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_sizes(tensor.get(), &sizes));
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_strides(tensor.get(), &strides));
}

int64_t Extents::rows() const {
  int64_t rows = 1;
  for (int64_t i = 0; i + 1 < dimensions; ++i)
    rows *= sizes[i];
  return rows;
}

bool isMatrix(const Extents &extents, int64_t &distance) {
  int64_t columns = extents.back(1);
  if (columns > 1 && extents.strides[extents.dimensions - 1] != 1)
    return false;
  distance = columns;
  int64_t expected = -1; // the distance that the next dimension to the left has to have; -1: any
  for (int64_t i = extents.dimensions - 2; i >= 0; --i) {
    if (extents.sizes[i] == 1)
      continue;
    if (expected < 0)
      distance = extents.strides[i];
    else if (extents.strides[i] != expected)
      return false;
    expected = extents.strides[i] * extents.sizes[i];
  }
  return distance >= columns;
}

namespace {

DLDevice deviceOf(const Tensor &tensor) {
  return tensor.is_cuda() ? DLDevice{kDLCUDA, tensor.get_device_index()} : DLDevice{kDLCPU, 0};
}

// Work of the runtime that has been enqueued may still read the tensor: the allocator keeps memory that was
// freed for later work of the same stream, so that nothing has to be recorded.
Tensor asMatrix(const Tensor &tensor, const char *argument) {
  require(tensor.dim() >= 1, argument, " has no dimension; its last one has to be the features");
  int64_t distance = 0;
  return isMatrix(Extents(tensor), distance) ? tensor : torch::stable::contiguous(tensor);
}

} // namespace

Matrix::Matrix(const Tensor &tensor, const char *argument) : tensor_(asMatrix(tensor, argument)) {
  Extents extents(tensor_);
  sizes_[0] = extents.rows();
  sizes_[1] = extents.back(1);
  strides_[1] = 1;
  isMatrix(extents, strides_[0]);
  view_ = {
      tensor_.mutable_data_ptr(), deviceOf(tensor_), 2, dataTypeOf(tensor_, argument), sizes_, strides_, 0};
}

Dense::Dense(const Tensor &tensor, const char *argument)
    : tensor_(tensor.is_contiguous() ? tensor : torch::stable::contiguous(tensor)) {
  Extents extents(tensor_);
  view_ = {tensor_.mutable_data_ptr(),
           deviceOf(tensor_),
           int32_t(extents.dimensions),
           dataTypeOf(tensor_, argument),
           extents.sizes,
           extents.strides,
           0};
}

namespace {

// The system hands out memory when it is first written to, and PyTorch gives large tensors back to it when
// they are freed: results of every call are new to it. Large ones by pages of 2 MiB, where the system does so
// on request: by those of 4 KiB a step of training spent a quarter of its time on them.
void askForLargePages(AtenTensorHandle tensor) {
#ifdef MADV_HUGEPAGE
  constexpr int64_t least = 4 << 20;
  constexpr uintptr_t page = 2 << 20;
  int64_t bytes = 0;
  void *data = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_storage_size(tensor, &bytes));
  if (bytes < least)
    return;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_data_ptr(tensor, &data));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page,
                  end = (reinterpret_cast<uintptr_t>(data) + uintptr_t(bytes)) / page * page;
  if (begin < end) // a system that has none refuses, and the pages stay small
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

} // namespace

// By the C interface itself: the operator new_empty would be looked for by its name in every call.
Tensor emptyLike(const Tensor &other, const std::vector<int64_t> &sizes, ScalarType type) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= std::max<int64_t>(1, sizes[i]))
    strides[i] = stride;
  int32_t device_type = 0, device_index = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(other.get(), &device_type));
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_index(other.get(), &device_index));
  const int32_t number = torch::stable::detail::to<int32_t>(torch::stable::detail::from(type));
  AtenTensorHandle handle = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(int64_t(sizes.size()), sizes.data(), strides.data(), number,
                                                  device_type, device_index, &handle));
  Tensor made(handle);
  if (device_type == aoti_torch_device_type_cpu())
    askForLargePages(handle);
  return made;
}

Tensor converted(const Tensor &tensor, ScalarType type) {
  return tensor.scalar_type() == type ? tensor : torch::stable::to(tensor, type);
}

void requireSameDevice(const Tensor &tensor, const char *argument, const Tensor &x, const char *other) {
  bool same =
      tensor.is_cuda() == x.is_cuda() && (!x.is_cuda() || tensor.get_device_index() == x.get_device_index());
  auto name = [](const Tensor &t) {
    return t.is_cuda() ? "cuda:" + std::to_string(t.get_device_index()) : std::string("cpu");
  };
  require(same, argument, " is on ", name(tensor), ", ", other, " is on ", name(x));
}

void *streamOf(const Tensor &tensor) {
  if (!tensor.is_cuda())
    return nullptr;
  require(aoti_torch_get_current_cuda_stream != nullptr, "this PyTorch is built without CUDA");
  void *stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(tensor.get_device_index(), &stream));
  return stream;
}

int32_t threads() { return int32_t(torch::stable::get_num_threads()); }

} // namespace algctl_torch
