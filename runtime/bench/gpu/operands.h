// The operands of one measured case: random bf16 on the host, for checking, and the same on the device.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bench/gpu/cublas.h"
#include "runtime/bench/gpu/cublaslt.h"
#include "runtime/bench/gpu/device.h"
#include "runtime/bundle/bundle.h"
#include "runtime/support/aligned_buffer.h"

#include <optional>

namespace algrt {

class GpuOperands {
public:
  // Throws Error(ALGRT_OUT_OF_MEMORY) where the device has no room for them.
  GpuOperands(const GpuDevice &device, const Bundle &bundle, int64_t m, uint64_t seed);
  GpuOperands(const GpuOperands &) = delete;

  // Tensors of x, w and y for algrt_forward; y holds elements of that type.
  algrt_forward_args args(ElementType output);
  const uint16_t *hostX() const { return reinterpret_cast<const uint16_t *>(x_.data()); }
  const uint16_t *hostBank() const { return reinterpret_cast<const uint16_t *>(w_.data()); }

  // Every byte of y to unwritten_byte.
  void poisonResult() { device_y_.fill(0xff); }
  // A copy of y, whose elements are of that type; valid until the next call.
  const void *result(ElementType output);

  // Operands of the dense product of the same size, whose result goes elsewhere than y: the bank itself in
  // the row lift, otherwise a random k x n matrix.
  GpuDenseOperands dense();
  const uint16_t *hostDenseWeights() const;
  // Operands of the product of the layer itself, whose result goes where that of the dense product goes.
  GpuBlockOperands blocks();
  void poisonDenseResult();
  const void *denseResult();

private:
  uint64_t denseResultAddress();

  const GpuDevice &device_;
  const Layer &layer_;
  int64_t m_;
  GpuMemory device_x_, device_w_,
      device_y_; // first: where there is no room, no time is lost on random numbers
  AlignedBuffer x_, w_, dense_w_, y_;
  std::optional<GpuMemory> device_dense_w_, device_dense_y_; // made when they are first asked for
  uint64_t seed_;
  int64_t x_shape_[2], w_shape_[2], y_shape_[2];
  DLTensor x_tensor_, w_tensor_, y_tensor_;
};

} // namespace algrt
