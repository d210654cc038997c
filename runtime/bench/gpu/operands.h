// The operands of one measured map: random bf16 on the host, for checking, and the same on the device.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bench/gpu/cublas.h"
#include "runtime/bench/gpu/cublaslt.h"
#include "runtime/bench/gpu/device.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/map.h"
#include "runtime/cuda/operand_limits.h"
#include "runtime/reference/dense_check.h"
#include "runtime/support/aligned_buffer.h"

#include <optional>

namespace algrt {

class GpuOperands {
public:
  // Throws Error(ALGRT_OUT_OF_MEMORY) where the device has no room for them.
  GpuOperands(const GpuDevice &device, const Bundle &bundle, Map map, int64_t m, uint64_t seed);
  GpuOperands(const GpuOperands &) = delete;

  // The map's function of algrt.h on these operands, by the kernel of that index in the manifest, whose
  // result is of that type; its status.
  struct Call {
    size_t kernel;
    ElementType output;
    int64_t p0;
    void *stream; // CUstream
  };
  int run(const algrt_bundle *bundle, const Call &call);
  // What a kernel is given for them, in the order of its parameters.
  cuda::Operands forKernels() const;

  // As ElementSums takes them.
  const uint16_t *hostFirst() const { return hostValues(first_); }
  const uint16_t *hostSecond() const { return hostValues(second_); }
  // Of a forward product whose layer has one, otherwise null.
  const uint16_t *hostBias() const { return bias_ && !hasBiasGradient() ? hostValues(*bias_) : nullptr; }
  // Whether dw sums the gradient of a bias beside; and a copy of it, valid until the next call: the call's,
  // or the dense product's.
  bool hasBiasGradient() const { return map_ == Map::Dw && layer_.bias; }
  const uint16_t *biasGradient(bool of_dense);

  // Every byte of the result to unwritten_byte.
  void poisonResult();
  // A copy of the result, whose elements are of that type; valid until the next call.
  const void *result(ElementType output);

  // Operands of the dense product of the same size, x w, dy w^T or x^T dy, whose result goes elsewhere than
  // the map's: the weight matrix itself in the row lift, otherwise a random k x n matrix.
  GpuDenseOperands dense();
  // The same on the host, with a copy of the result that is valid until the next call.
  DenseCheckProblem denseCheck();
  // Operands of the product of the layer itself, whose result goes where that of the dense product goes; of
  // the map forward alone.
  GpuBlockOperands blocks();
  void poisonDenseResult();
  const void *denseResult();

private:
  struct Matrix {
    Matrix(const GpuDevice &device, int64_t rows, int64_t columns, bool result, const char *name);
    void fillRandom(double deviation, uint64_t seed);
    int64_t shape[2];
    GpuMemory memory; // of a result wide enough for f32: a bundle may hold kernels of both outputs
    AlignedBuffer host;
  };
  static const uint16_t *hostValues(const Matrix &matrix) {
    return reinterpret_cast<const uint16_t *>(matrix.host.data());
  }
  DLTensor tensorOf(Matrix &matrix, ElementType output);
  // Sizes of the dense product, and what of it lies transposed.
  GpuDenseOperands denseShape() const;
  uint64_t denseResultAddress();
  const void *download(const GpuMemory &from, size_t bytes);

  const GpuDevice &device_;
  const Layer &layer_;
  Map map_;
  int64_t m_;
  uint64_t seed_;
  Matrix x_, w_, y_;           // or their gradients
  std::optional<Matrix> bias_; // one row: that of a forward product, or the gradient that dw computes beside
  std::optional<GpuMemory> dense_bias_gradient_;
  Matrix &first_, &second_, &result_;
  AlignedBuffer dense_w_, downloaded_;
  std::optional<GpuMemory> device_dense_w_, device_dense_result_; // made when they are first asked for
};

} // namespace algrt
