// A step whose kernels compute several products of the same rows and maps of their sums: its tensors checked,
// and the kernel called, on the CPU or a CUDA device.
#include "runtime/api/arguments.h"
#include "runtime/api/row_product.h"
#include "runtime/api/step_call.h"
#include "runtime/api/tensor.h"
#include "runtime/bundle/fusion.h"
#include "runtime/cpu/product.h"
#include "runtime/cuda/product.h"

#include <array>
#include <cstring>

namespace algrt {

namespace {

// A matrix of the step; of an operand for each row one of a single column.
struct Matrix {
  std::string name;
  ElementType type;
  MatrixView view;
  float number = 0; // of an operand for the call, which has a view of CPU memory
};

struct FusedStep {
  Matrix rows;
  std::vector<Matrix> weights;
  std::optional<size_t> packed_kernel; // that all weights were packed for
  std::vector<Matrix> operands, results;
  RowSource source;
};

// A vector with any distance between its numbers, as kernels see one that has a number for each row.
MatrixView readColumn(DLTensor tensor, const char *name, DLDevice device, ElementType type, int64_t m) {
  std::array<int64_t, 2> shape = {tensor.shape[0], 1},
                         strides = {tensor.strides == nullptr ? 1 : tensor.strides[0], 1};
  tensor.ndim = 2; // of one, as the signature has it
  tensor.shape = shape.data();
  tensor.strides = strides.data();
  return readMatrix(&tensor, name, device, type, m, 1);
}

class Reader {
public:
  Reader(const LoadedProjection &projection, Map map, const StepCall &call)
      : projection_(projection), layer_(projection.bundle.layer()), fusion_(*layer_.fusion),
        names_(operandNames(map)), call_(call), depth_(map == Map::Dx ? layer_.n : layer_.k),
        width_(map == Map::Dx ? layer_.k : layer_.outputColumns()) {}

  FusedStep read();

private:
  // The tensor, or packed weights, and whether that suits those before it.
  Matrix readWeight(int64_t number, FusedStep &step) const;
  Matrix readOperand(const FusedOperand &operand, int64_t m) const;
  // No result may be what the step reads, nor what it writes besides: but the only one may be a matrix of the
  // same elements, each of which is read before it is written.
  void checkOverlaps(const FusedStep &step) const;
  static bool isInPlace(const FusedOperand &operand, const Matrix &matrix, const Matrix &result);

  const LoadedProjection &projection_;
  const Layer &layer_;
  const Fusion &fusion_;
  const OperandNames names_;
  const StepCall &call_;
  const int64_t depth_, width_; // of the rows, of the results
  // Of what an operand of the fusion has elements for: the results, or what is left to the next layer.
  int64_t widthOf(const FusedOperand &operand) const {
    return fusion_.next && operand.layer == 0 ? layer_.n : width_;
  }
};

Matrix Reader::readWeight(int64_t number, FusedStep &step) const {
  const std::string name = numberedName(names_.w, number);
  const algrt_named_tensor &given = *call_.find(name);
  if (number > 0 && (given.weights != nullptr) != step.packed_kernel.has_value())
    refuse(name + ": is " + (given.weights != nullptr ? "packed weights" : "a tensor") + ", but w is " +
           (given.weights != nullptr ? "a tensor" : "packed weights") +
           ": pack all weights of a step, or none of them");
  if (given.weights == nullptr)
    return {
        name, layer_.dtype,
        readWeights(given.tensor, name.c_str(), call_.device, layerOfWeight(layer_, number), layer_.dtype)};
  if (call_.device.device_type != kDLCPU)
    refuse(name + ": is packed for the CPU, but " + names_.x + " is on a CUDA device: pass the tensor there");
  const PackedWeights packed = readPacked(projection_, *given.weights, name + ": the weights");
  if (number > 0 && packed.kernel != *step.packed_kernel)
    refuse(name + ": is packed for another kernel than w");
  if (given.weights->layer != fusion_.layerOf(number))
    refuse(name + ": is packed for another layer of the step");
  step.packed_kernel = packed.kernel;
  return {name, layer_.dtype, packed.view};
}

Matrix Reader::readOperand(const FusedOperand &operand, int64_t m) const {
  const DLTensor *tensor = call_.tensor(operand.name);
  const char *name = operand.name.c_str();
  Matrix matrix{operand.name, operand.type, {}};
  switch (operand.per) {
  case FusedOperand::Per::Column:
    // One number is none of the weights that experts have each.
    if (call_.place.experts.count > 1 && widthOf(operand) == 1)
      throw Error(ALGRT_UNSUPPORTED, operand.name +
                                         ": is the number of one column, of which kernels for CUDA "
                                         "devices read one for each expert");
    matrix.view = readVector(tensor, name, call_.device, operand.type, widthOf(operand));
    break;
  case FusedOperand::Per::Row:
    matrix.view = readColumn(*tensor, name, call_.device, operand.type, m);
    break;
  case FusedOperand::Per::Element:
    matrix.view = readMatrix(tensor, name, call_.device, operand.type, m, widthOf(operand));
    break;
  case FusedOperand::Per::Call:
    matrix.view = readVector(tensor, name, cpu_device, operand.type, 1);
    std::memcpy(&matrix.number, matrix.view.data, sizeof(matrix.number));
    break;
  }
  return matrix;
}

void Reader::checkOverlaps(const FusedStep &step) const {
  for (size_t i = 0; i < step.results.size(); ++i) {
    const Matrix &result = step.results[i];
    const char *name = result.name.c_str();
    const int64_t element = elementBytes(result.type);
    const auto require = [&](const Matrix &read) {
      requireDisjoint(result.view, name, element, read.view, read.name.c_str(), elementBytes(read.type));
    };
    require(step.rows);
    for (const Matrix &weight : step.weights)
      if (!step.packed_kernel)
        require(weight);
    // A launch has taken numbers for the call before anything is written; on a CPU each task reads them.
    const bool launched = call_.device.device_type == kDLCUDA;
    for (size_t j = 0; j < step.operands.size(); ++j)
      if (!(launched && fusion_.operands[j].per == FusedOperand::Per::Call) &&
          !(step.results.size() == 1 && fusion_.operands[j].layer == (fusion_.next ? 1 : 0) &&
            isInPlace(fusion_.operands[j], step.operands[j], result)))
        require(step.operands[j]);
    requireDisjoint(result.view, name, element, step.source);
    for (size_t j = 0; j < i; ++j)
      if (const Matrix &other = step.results[j];
          overlap(result.view, element, other.view, elementBytes(other.type)))
        refuse(result.name + ": overlaps " + other.name + ": both are written");
  }
}

// Whether an operand has its elements where the result has its own.
bool Reader::isInPlace(const FusedOperand &operand, const Matrix &matrix, const Matrix &result) {
  return operand.per == FusedOperand::Per::Element && operand.type == result.type &&
         matrix.view.data == result.view.data && matrix.view.stride == result.view.stride;
}

FusedStep Reader::read() {
  FusedStep step;
  step.rows = {names_.x, layer_.dtype,
               readMatrix(call_.tensor(names_.x), names_.x, call_.device, layer_.dtype, any_rows, depth_)};
  const int64_t m = call_.place.experts.resultRows(step.rows.view.rows);
  for (int64_t i = 0; i < fusion_.allWeights(); ++i)
    step.weights.push_back(readWeight(i, step));
  for (const FusedOperand &operand : fusion_.operands)
    step.operands.push_back(readOperand(operand, m));
  for (size_t i = 0; i < fusion_.results.size(); ++i) {
    const std::string name = numberedName(names_.y, int64_t(i));
    const ElementType type = fusion_.results[i];
    step.results.push_back(
        {name, type, readMatrix(call_.tensor(name), name.c_str(), call_.device, type, m, width_)});
  }
  step.source =
      readRows(layer_, call_.rows(), call_.device, call_.place.experts.placedRows(step.rows.view.rows));
  checkOverlaps(step);
  return step;
}

void runOnCpu(const LoadedProjection &projection, Map map, const StepCall &call, const FusedStep &step) {
  if (call.stream != nullptr)
    refuse("stream is set, but the tensors are in CPU memory, and the CPU has no streams: pass NULL");
  if (call.dependent_launch)
    refuse("dependent_launch is set, but the tensors are in CPU memory, where nothing is launched: pass 0");
  std::vector<algrt_memref2> operands = {descriptor(step.rows.view)};
  for (const std::vector<Matrix> *list : {&step.weights, &step.operands, &step.results})
    for (const Matrix &matrix : *list)
      operands.push_back(descriptor(matrix.view));
  ProductCall product;
  product.map = map;
  product.rows = step.rows.view.rows;
  product.operands = operands;
  product.packed_kernel = step.packed_kernel;
  product.batch = {step.source, call.workspace, call.workspace_bytes, call.threads};
  product.kernel = int64_t(call.kernel) - 1;
  runProduct(projection.kernels, projection.bundle.layer(), product);
}

void runOnCuda(const LoadedProjection &projection, Map map, const StepCall &call, const FusedStep &step) {
  std::vector<cuda::ProductOperand> further;
  for (size_t i = 1; i < step.weights.size(); ++i)
    further.push_back({step.weights[i].name, step.weights[i].type, step.weights[i].view});
  const std::vector<FusedOperand> &operands = projection.bundle.layer().fusion->operands;
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const Matrix &operand = step.operands[i];
    if (operands[i].per == FusedOperand::Per::Call)
      further.push_back({operand.name, operand.type, {}, operand.number});
    else
      further.push_back({operand.name, operand.type, operand.view});
  }
  for (size_t i = 1; i < step.results.size(); ++i)
    further.push_back({step.results[i].name, step.results[i].type, step.results[i].view});
  cuda::ProductCall product{};
  product.map = map;
  product.x = step.rows.view;
  product.w = step.weights[0].view;
  product.y = step.results[0].view;
  product.output = step.results[0].type;
  product.device = call.device.device_id;
  product.rows = step.source;
  product.workspace = {call.workspace, call.workspace_bytes};
  product.lists = call.place.lists;
  product.stream = call.stream;
  product.kernel = int64_t(call.kernel) - 1;
  product.order = cuda::launchOrder(call.dependent_launch, call.place.behind_step);
  product.further = further;
  product.experts = call.place.experts;
  cuda::runProduct(projection.gpu_kernels, projection.bundle.layer(), product);
}

} // namespace

void runFusedStep(const LoadedProjection &projection, Map map, const StepCall &call) {
  checkRowArguments(projection.bundle.layer(), call.rows());
  const bool on_cuda = call.device.device_type == kDLCUDA;
  if (on_cuda && !projection.gpu_kernels.any(map))
    throw Error(ALGRT_UNSUPPORTED, std::string(operandNames(map).x) +
                                       ": is on a CUDA device, but the projection has no kernel for one: "
                                       "compile it for one, or pass tensors in CPU memory");
  const FusedStep step = Reader(projection, map, call).read();
  if (step.results[0].view.rows == 0)
    return;
  if (on_cuda)
    runOnCuda(projection, map, call, step);
  else
    runOnCpu(projection, map, call, step);
}

} // namespace algrt
