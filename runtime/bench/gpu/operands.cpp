#include "runtime/bench/gpu/operands.h"

#include "runtime/api/tensor.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"

#include <cmath>

namespace algrt {

namespace {

size_t bytesOf(int64_t rows, int64_t columns, int64_t element, const char *what) {
  return size_t(checkedMultiply(checkedMultiply(rows, columns, what), element, what));
}

AlignedBuffer randomMatrix(int64_t rows, int64_t columns, double deviation, uint64_t seed) {
  AlignedBuffer buffer(bytesOf(rows, columns, 2, "a matrix"));
  fillRandomBfloat16({reinterpret_cast<uint16_t *>(buffer.data()), buffer.size() / 2}, deviation, seed);
  return buffer;
}

DLTensor tensorOf(const GpuDevice &device, const GpuMemory &memory, ElementType type, int64_t *shape) {
  return {memory.pointer(), {kDLCUDA, device.ordinal()}, 2, dlpackType(type), shape, nullptr, 0};
}

} // namespace

GpuOperands::GpuOperands(const GpuDevice &device, const Bundle &bundle, int64_t m, uint64_t seed)
    : device_(device), layer_(bundle.layer()), m_(m), device_x_(device, bytesOf(m, layer_.k, 2, "x"), "x"),
      device_w_(device, bytesOf(layer_.k, layer_.bankColumns(), 2, "w"), "w"),
      // Wide enough for f32: a bundle may hold kernels of both outputs.
      device_y_(device, bytesOf(m, layer_.n, 4, "y"), "y"), x_(randomMatrix(m, layer_.k, 1, seed)),
      w_(randomMatrix(layer_.k, layer_.bankColumns(), 1 / std::sqrt(double(layer_.k)), seed + 1)),
      seed_(seed) {
  device_x_.upload(x_.data());
  device_w_.upload(w_.data());
  x_shape_[0] = y_shape_[0] = m;
  x_shape_[1] = w_shape_[0] = layer_.k;
  w_shape_[1] = layer_.bankColumns();
  y_shape_[1] = layer_.n;
  x_tensor_ = tensorOf(device, device_x_, ElementType::bf16, x_shape_);
  w_tensor_ = tensorOf(device, device_w_, ElementType::bf16, w_shape_);
}

algrt_forward_args GpuOperands::args(ElementType output) {
  y_tensor_ = tensorOf(device_, device_y_, output, y_shape_);
  algrt_forward_args args = algrt_forward_args_init();
  args.x = &x_tensor_;
  args.w = &w_tensor_;
  args.y = &y_tensor_;
  return args;
}

const void *GpuOperands::result(ElementType output) {
  const size_t bytes = bytesOf(m_, layer_.n, elementBytes(output), "y");
  if (y_.size() < bytes)
    y_ = AlignedBuffer(bytes);
  device_y_.download(y_.data(), bytes);
  return y_.data();
}

GpuDenseOperands GpuOperands::dense() {
  if (layer_.lift == Lift::slots && !device_dense_w_) {
    dense_w_ = randomMatrix(layer_.k, layer_.n, 1 / std::sqrt(double(layer_.k)), seed_ + 4);
    device_dense_w_.emplace(device_, dense_w_.size(), "the dense weights");
    device_dense_w_->upload(dense_w_.data());
  }
  return {m_,
          layer_.k,
          layer_.n,
          ElementType::bf16,
          device_x_.address(),
          (device_dense_w_ ? *device_dense_w_ : device_w_).address(),
          denseResultAddress()};
}

GpuBlockOperands GpuOperands::blocks() {
  return {device_x_.address(), device_w_.address(), denseResultAddress()};
}

uint64_t GpuOperands::denseResultAddress() {
  if (!device_dense_y_)
    device_dense_y_.emplace(device_, bytesOf(m_, layer_.n, 2, "the dense y"), "the dense y");
  return device_dense_y_->address();
}

const uint16_t *GpuOperands::hostDenseWeights() const {
  return layer_.lift == Lift::rows ? hostBank() : reinterpret_cast<const uint16_t *>(dense_w_.data());
}

void GpuOperands::poisonDenseResult() {
  denseResultAddress();
  device_dense_y_->fill(0xff);
}

const void *GpuOperands::denseResult() {
  if (y_.size() < device_dense_y_->bytes())
    y_ = AlignedBuffer(device_dense_y_->bytes());
  device_dense_y_->download(y_.data(), device_dense_y_->bytes());
  return y_.data();
}

} // namespace algrt
