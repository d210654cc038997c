#include "runtime/api/elementwise_step.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/numeric/bfloat16.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace algrt {

namespace {

using Per = FusedOperand::Per;

class Call {
public:
  Call(const LoadedElementwise &loaded, size_t function, ElementwiseStep step)
      : loaded_(loaded), number_(function), function_(loaded.bundle.manifest().elementwise[function]),
        step_(std::move(step)) {}

  // Everything but the work itself; then that.
  void check();
  void run() const;

private:
  // What M stands for: as many rows as the first tensor has that says it.
  int64_t batchRows() const;
  MatrixView read(const ElementwiseOperand &operand) const;
  DLDevice placeOf(const ElementwiseOperand &operand, const DLTensor *tensor) const;
  void checkOverlaps() const;
  bool isOnCuda() const { return step_.device.device_type == kDLCUDA; }
  // What kernels are called with.
  std::vector<algrt_memref2> descriptors() const;
  std::vector<cuda::ElementwiseOperandValue> values() const;
  cuda::ElementwiseCall cudaCall(std::span<const cuda::ElementwiseOperandValue> values) const;

  const LoadedElementwise &loaded_;
  const size_t number_;
  const Elementwise &function_;
  const ElementwiseStep step_;
  int64_t m_ = 0;
  std::vector<MatrixView> views_; // of the operands
};

int64_t Call::batchRows() const {
  for (const ElementwiseOperand &operand : function_.operands) {
    const DLTensor *tensor = step_.tensor(operand.name);
    for (size_t i = 0; i < operand.shape.size(); ++i)
      if (operand.shape[i] == Extent::of("M") && tensor != nullptr &&
          size_t(tensor->ndim) == operand.shape.size())
        return tensor->shape[i];
  }
  return 0;
}

// Numbers that are read may be in CPU memory, from where they go with the launch.
DLDevice Call::placeOf(const ElementwiseOperand &operand, const DLTensor *tensor) const {
  const bool may_be_elsewhere = operand.per == Per::Call && operand.role == OperandRole::Input;
  return may_be_elsewhere && tensor->device.device_type == kDLCPU ? cpu_device : step_.device;
}

MatrixView Call::read(const ElementwiseOperand &operand) const {
  const char *name = operand.name.c_str();
  const DLTensor *tensor = step_.tensor(operand.name);
  requireNotNull(tensor, name);
  const DLDevice device = placeOf(operand, tensor);
  const Shape &shape = operand.shape;
  if (operand.per == Per::Row) {
    MatrixView view = readVector(tensor, name, device, operand.type, shape[0].lengthFor(m_));
    return {view.data, view.columns, 1, 1};
  }
  if (shape.size() == 1)
    return readVector(tensor, name, device, operand.type, shape[0].lengthFor(m_));
  if (shape.size() == 2)
    return readMatrix(tensor, name, device, operand.type, shape[0].lengthFor(m_), shape[1].lengthFor(m_));
  std::vector<int64_t> sizes;
  for (const Extent &extent : shape)
    sizes.push_back(extent.lengthFor(m_));
  if (!sameType(tensor->dtype, dlpackType(operand.type)))
    refuse(operand.name + ": has elements of another type, not of " + algrt::name(operand.type));
  if (size_t(tensor->ndim) != sizes.size() || !std::equal(sizes.begin(), sizes.end(), tensor->shape))
    refuse(operand.name + ": has shape " + shapeText(tensor->shape, tensor->ndim) +
           ", but the function needs " + shapeText(sizes.data(), int(sizes.size())));
  return readJoined(tensor, name, device);
}

void Call::checkOverlaps() const {
  const std::vector<ElementwiseOperand> &operands = function_.operands;
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (operands[i].role == OperandRole::Output) // outputs come last
        requireDisjoint(views_[i], operands[i].name.c_str(), elementBytes(operands[i].type), views_[j],
                        operands[j].name.c_str(), elementBytes(operands[j].type));
}

std::vector<algrt_memref2> Call::descriptors() const {
  std::vector<algrt_memref2> made;
  for (const MatrixView &view : views_)
    made.push_back(descriptor(view));
  return made;
}

float numberAt(const void *data, ElementType type) {
  if (type == ElementType::F32) {
    float number;
    std::memcpy(&number, data, sizeof(number));
    return number;
  }
  uint16_t bits;
  std::memcpy(&bits, data, sizeof(bits));
  return fromBfloat16(bits);
}

std::vector<cuda::ElementwiseOperandValue> Call::values() const {
  std::vector<cuda::ElementwiseOperandValue> values;
  for (size_t i = 0; i < views_.size(); ++i) {
    const ElementwiseOperand &operand = function_.operands[i];
    const bool on_host = placeOf(operand, step_.tensor(operand.name)).device_type == kDLCPU;
    if (on_host)
      values.push_back({0, 0, numberAt(views_[i].data, operand.type)});
    else
      values.push_back({uint64_t(reinterpret_cast<uintptr_t>(views_[i].data)), views_[i].stride, 0});
  }
  return values;
}

cuda::ElementwiseCall Call::cudaCall(std::span<const cuda::ElementwiseOperandValue> values) const {
  return {step_.device.device_id, function_.rows.lengthFor(m_), function_.columns.lengthFor(m_), values,
          step_.stream};
}

void Call::check() {
  m_ = batchRows();
  for (const ElementwiseOperand &operand : function_.operands)
    views_.push_back(read(operand));
  checkOverlaps();
  if (isOnCuda()) {
    if (!loaded_.gpu.any(number_))
      throw Error(ALGRT_UNSUPPORTED, "the tensors are on a CUDA device, but the function " + function_.name +
                                         " has no kernel for one: compile the bundle for it");
    loaded_.gpu.check(number_, cudaCall({}));
    return;
  }
  if (step_.stream != nullptr)
    refuse("stream is set, but the tensors are in CPU memory, and the CPU has no streams: pass NULL");
  loaded_.cpu.prepare(number_);
}

void Call::run() const {
  if (isOnCuda())
    loaded_.gpu.run(number_, cudaCall(values()));
  else
    loaded_.cpu.run(number_, {function_.rows.lengthFor(m_), function_.columns.lengthFor(m_), descriptors(),
                              step_.threads});
}

} // namespace

std::function<void()> prepareElementwise(const LoadedElementwise &loaded, size_t function,
                                         ElementwiseStep step) {
  const auto call = std::make_shared<Call>(loaded, function, std::move(step));
  call->check();
  return [call] { call->run(); };
}

} // namespace algrt
