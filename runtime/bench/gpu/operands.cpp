#include "runtime/bench/gpu/operands.h"

#include "runtime/api/tensor.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"
#include "runtime/support/memory.h"

#include <array>
#include <cmath>

namespace algrt {

namespace {

AlignedBuffer randomMatrix(int64_t rows, int64_t columns, double deviation, uint64_t seed) {
  AlignedBuffer buffer(arrayBytes(std::array{rows, columns}, 2, "a matrix"));
  fillRandomBfloat16({reinterpret_cast<uint16_t *>(buffer.data()), buffer.size() / 2}, deviation, seed);
  return buffer;
}

} // namespace

GpuOperands::Matrix::Matrix(const GpuDevice &device, int64_t rows, int64_t columns, bool result,
                            const char *name)
    : shape{rows, columns},
      memory(device, arrayBytes(std::array{rows, columns}, result ? 4 : 2, name), name) {}

void GpuOperands::Matrix::fillRandom(double deviation, uint64_t seed) {
  host = randomMatrix(shape[0], shape[1], deviation, seed);
  memory.upload(host.data());
}

GpuOperands::GpuOperands(const GpuDevice &device, const Bundle &bundle, Map map, int64_t m, uint64_t seed)
    : device_(device), layer_(bundle.layer()), map_(map), m_(m), seed_(seed),
      x_(device, m, layer_.k, map == Map::Dx, map == Map::Dx ? "dx" : "x"),
      w_(device, layer_.k, layer_.weightColumns(), map == Map::Dw, map == Map::Dw ? "dw" : "w"),
      y_(device, m, layer_.n, map == Map::Forward, map == Map::Forward ? "y" : "dy"),
      first_(map == Map::Dx ? y_ : x_), second_(map == Map::Dw ? y_ : w_), result_(map == Map::Forward ? y_
                                                                                   : map == Map::Dx    ? x_
                                                                                                       : w_) {
  if (layer_.bias && map != Map::Dx)
    bias_.emplace(device, 1, layer_.n, false, map == Map::Dw ? "dbias" : "the bias");
  if (hasBiasGradient())
    dense_bias_gradient_.emplace(device, arrayBytes(std::array{int64_t(1), layer_.n}, 2, "dbias"),
                                 "the dense side's dbias");
  // Behind all of the device's memory: where there is no room, no time is lost on random numbers. On the host
  // there are the operands, a result in either type and, while they are made, nothing else.
  const int64_t elements =
      checkedAdd(checkedAdd(checkedMultiply(m, layer_.k, "x"), checkedMultiply(m, layer_.n, "y"), "x and y"),
                 checkedMultiply(layer_.k, layer_.weightColumns(), "w"), "the operands");
  requireMemory(uint64_t(checkedMultiply(elements, int64_t(4), "the operands")),
                "the operands of " + std::to_string(m) + " rows on the host");
  if (map != Map::Dx)
    x_.fillRandom(1, seed);
  if (map != Map::Dw)
    w_.fillRandom(1 / std::sqrt(double(layer_.k)), seed + 1);
  if (map != Map::Forward)
    y_.fillRandom(1, seed + 6);
  if (bias_ && map == Map::Forward)
    bias_->fillRandom(1, seed + 5);
}

DLTensor GpuOperands::tensorOf(Matrix &matrix, ElementType output) {
  const ElementType type = &matrix == &result_ ? output : ElementType::Bf16;
  return {
      matrix.memory.pointer(), {kDLCUDA, device_.ordinal()}, 2, dlpackType(type), matrix.shape, nullptr, 0};
}

int GpuOperands::run(const algrt_bundle *bundle, const Call &call) {
  const DLTensor x = tensorOf(x_, call.output), w = tensorOf(w_, call.output), y = tensorOf(y_, call.output);
  DLTensor bias{}; // or its gradient
  if (bias_) {
    bias = tensorOf(*bias_, call.output);
    bias.ndim = 1;
    bias.shape = &bias_->shape[1];
  }
  const auto fill = [&](auto args) {
    args.stream = call.stream;
    args.kernel = int32_t(call.kernel) + 1;
    args.p0 = call.p0;
    return args;
  };
  switch (map_) {
  case Map::Forward: {
    algrt_forward_args args = fill(algrt_forward_args_init());
    if (bias_)
      args.bias = &bias;
    args.x = &x;
    args.w = &w;
    args.y = &y;
    return algrt_forward(bundle, &args);
  }
  case Map::Dx: {
    algrt_dx_args args = fill(algrt_dx_args_init());
    args.dy = &y;
    args.w = &w;
    args.dx = &x;
    return algrt_dx(bundle, &args);
  }
  case Map::Dw:
    break;
  }
  algrt_dw_args args = fill(algrt_dw_args_init()); // beta is 0: written, not added
  args.x = &x;
  args.dy = &y;
  args.dw = &w;
  if (bias_)
    args.dbias = &bias;
  return algrt_dw(bundle, &args);
}

void GpuOperands::poisonResult() {
  result_.memory.fill(0xff);
  if (hasBiasGradient())
    bias_->memory.fill(0xff);
}

const uint16_t *GpuOperands::biasGradient(bool of_dense) {
  const GpuMemory &from = of_dense ? *dense_bias_gradient_ : bias_->memory;
  return static_cast<const uint16_t *>(
      download(from, arrayBytes(std::array{int64_t(1), layer_.n}, 2, "dbias")));
}

cuda::Operands GpuOperands::forKernels() const {
  const auto operand = [](const Matrix &matrix) {
    return cuda::Operand{matrix.memory.address(), matrix.shape[1]};
  };
  return {operand(first_), operand(second_), operand(result_)};
}

const void *GpuOperands::download(const GpuMemory &from, size_t bytes) {
  if (downloaded_.size() < bytes)
    downloaded_ = AlignedBuffer(bytes);
  from.download(downloaded_.data(), bytes);
  return downloaded_.data();
}

const void *GpuOperands::result(ElementType output) {
  return download(result_.memory, arrayBytes(std::array{result_.shape[0], result_.shape[1]},
                                             elementBytes(output), "the result"));
}

GpuDenseOperands GpuOperands::denseShape() const {
  const ElementType type = ElementType::Bf16;
  const uint64_t x = first_.memory.address(), w = second_.memory.address();
  switch (map_) {
  case Map::Forward:
    return {m_, layer_.k, layer_.n, type, x, w, 0};
  case Map::Dx:
    return {m_, layer_.n, layer_.k, type, x, w, 0, /*x_transposed=*/false, /*w_transposed=*/true};
  case Map::Dw:
    break;
  }
  return {layer_.k, m_, layer_.n, type, x, w, 0, /*x_transposed=*/true, /*w_transposed=*/false};
}

GpuDenseOperands GpuOperands::dense() {
  if (layer_.lift == Lift::Slots && map_ != Map::Dw && !device_dense_w_) {
    dense_w_ = randomMatrix(layer_.k, layer_.n, 1 / std::sqrt(double(layer_.k)), seed_ + 4);
    device_dense_w_.emplace(device_, dense_w_.size(), "the dense weights");
    device_dense_w_->upload(dense_w_.data());
  }
  GpuDenseOperands operands = denseShape();
  if (device_dense_w_)
    operands.w = device_dense_w_->address();
  operands.y = denseResultAddress();
  if (hasBiasGradient())
    operands.column_sums = dense_bias_gradient_->address();
  else if (bias_)
    operands.bias = bias_->memory.address();
  return operands;
}

DenseCheckProblem GpuOperands::denseCheck() {
  const GpuDenseOperands shape = denseShape();
  return {shape.m,
          shape.k,
          shape.n,
          hostFirst(),
          device_dense_w_ ? reinterpret_cast<const uint16_t *>(dense_w_.data()) : hostSecond(),
          static_cast<const uint16_t *>(denseResult()),
          shape.x_transposed,
          shape.w_transposed,
          hostBias()};
}

GpuBlockOperands GpuOperands::blocks() {
  return {x_.memory.address(), w_.memory.address(), denseResultAddress()};
}

uint64_t GpuOperands::denseResultAddress() {
  if (!device_dense_result_) {
    const GpuDenseOperands shape = denseShape();
    device_dense_result_.emplace(device_, arrayBytes(std::array{shape.m, shape.n}, 2, "the dense result"),
                                 "the dense result");
  }
  return device_dense_result_->address();
}

void GpuOperands::poisonDenseResult() {
  denseResultAddress();
  device_dense_result_->fill(0xff);
  if (dense_bias_gradient_)
    dense_bias_gradient_->fill(0xff);
}

const void *GpuOperands::denseResult() {
  return download(*device_dense_result_, device_dense_result_->bytes());
}

} // namespace algrt
