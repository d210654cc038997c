#include "runtime/api/row_product.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/product.h"
#include "runtime/cuda/product.h"

#include <array>

namespace algrt {

namespace {

void multiplyOnCpu(const LoadedProjection &bundle, const RowProduct &product) {
  const std::string in_memory = std::string(product.rows_name) + " is in CPU memory, ";
  if (product.stream != nullptr)
    refuse("stream is set, but " + in_memory + "and the CPU has no streams: pass NULL");
  if (product.dependent_launch)
    refuse("dependent_launch is set, but " + in_memory + "where nothing is launched: pass 0");
  const Layer &layer = bundle.bundle.layer();
  const bool forward = product.map == Map::Forward;
  const int64_t element = elementBytes(layer.dtype);
  const MatrixView rows = readMatrix(product.rows, product.rows_name, cpu_device, layer.dtype, any_rows,
                                     forward ? layer.k : layer.n);
  const int64_t m = rows.rows;
  const MatrixView result = readMatrix(product.result, product.result_name, cpu_device, layer.dtype, m,
                                       forward ? layer.n : layer.k);
  // x, w, perhaps a bias, and y.
  std::array<algrt_memref2, 4> operands;
  size_t count = 0;
  operands[count++] = descriptor(rows);
  requireDisjoint(result, product.result_name, element, rows, product.rows_name, element);
  ProductCall call;
  if (product.w != nullptr) {
    const MatrixView weight_matrix = readWeights(product.w, "w", cpu_device, layer, layer.dtype);
    requireDisjoint(result, product.result_name, element, weight_matrix, "w", element);
    operands[count++] = descriptor(weight_matrix);
  } else {
    const PackedWeights packed = readPacked(bundle, *product.weights, "weights");
    call.packed_kernel = packed.kernel;
    operands[count++] = descriptor(packed.view);
  }
  if (product.bias != nullptr) {
    const MatrixView bias = readVector(product.bias, "bias", cpu_device, layer.dtype, layer.n);
    requireDisjoint(result, product.result_name, element, bias, "bias", element);
    operands[count++] = descriptor(bias);
  }
  operands[count++] = descriptor(result);
  call.batch.source = readRows(layer, product.row_arguments, cpu_device, m);
  requireDisjoint(result, product.result_name, element, call.batch.source);
  if (m == 0)
    return;
  call.map = product.map;
  call.rows = m;
  call.operands = {operands.data(), count};
  call.batch.workspace = product.workspace;
  call.batch.workspace_bytes = product.workspace_bytes;
  call.batch.threads = product.threads;
  call.kernel = product.kernel;
  runProduct(bundle.kernels, layer, call);
}

void multiplyOnCuda(const LoadedProjection &bundle, const RowProduct &product) {
  if (product.weights != nullptr)
    refuse("weights are packed for the CPU, but x is on a CUDA device: pass the weight matrix there as w");
  const std::string kind = product.map == Map::Forward ? "" : std::string(" of ") + name(product.map);
  if (!bundle.gpu_kernels.any(product.map))
    throw Error(ALGRT_UNSUPPORTED, std::string(product.rows_name) +
                                       ": is on a CUDA device, but the bundle has no kernel" + kind +
                                       " for one: compile it for one, or pass tensors in CPU memory");
  const Layer &layer = bundle.bundle.layer();
  const bool forward = product.map == Map::Forward;
  const DLDevice device = product.rows->device;
  cuda::ProductCall call{};
  call.map = product.map;
  call.x =
      readMatrix(product.rows, product.rows_name, device, layer.dtype, any_rows, forward ? layer.k : layer.n);
  const int64_t m = product.place.experts.resultRows(call.x.rows);
  requireNotNull(product.result, product.result_name);
  // Of another type than these, the result is refused as not being of the layer's.
  call.output = elementTypeOf(product.result->dtype).value_or(layer.dtype);
  call.y =
      readMatrix(product.result, product.result_name, device, call.output, m, forward ? layer.n : layer.k);
  call.w = readWeights(product.w, "w", device, layer, layer.dtype);
  const int64_t element = elementBytes(layer.dtype), result_element = elementBytes(call.output);
  requireDisjoint(call.y, product.result_name, result_element, call.x, product.rows_name, element);
  requireDisjoint(call.y, product.result_name, result_element, call.w, "w", element);
  cuda::ProductOperand bias{"bias", layer.dtype, {}};
  if (product.bias != nullptr) {
    bias.view = readVector(product.bias, "bias", device, layer.dtype, layer.n);
    requireDisjoint(call.y, product.result_name, result_element, bias.view, "bias", element);
    call.further = {&bias, 1};
  }
  const RowSource rows =
      readRows(layer, product.row_arguments, device, product.place.experts.placedRows(call.x.rows));
  requireDisjoint(call.y, product.result_name, result_element, rows);
  if (m == 0)
    return;
  call.device = device.device_id;
  call.rows = rows;
  call.workspace = {product.workspace, product.workspace_bytes};
  call.lists = product.place.lists;
  call.stream = product.stream;
  call.kernel = product.kernel;
  call.order = cuda::launchOrder(product.dependent_launch, product.place.behind_step);
  call.experts = product.place.experts;
  cuda::runProduct(bundle.gpu_kernels, layer, call);
}

} // namespace

PackedWeights readPacked(const LoadedProjection &projection, const algrt_weights &weights,
                         const std::string &name) {
  const Bundle &bundle = projection.bundle;
  if (!weights.experts.empty())
    refuse(name + " are those of " + countText(int64_t(weights.experts.size()), "expert") +
           ": say in expert_starts which rows are whose");
  if (weights.bundle_hash != bundle.hash())
    refuse(name + " were packed for another bundle");
  if (weights.projection != projection.number)
    refuse(name + " were packed for another projection of the bundle");
  const int64_t elements = int64_t(weights.packed.size()) / elementBytes(bundle.layer().dtype);
  return {weights.kernel, {weights.packed.data(), 1, elements, elements}};
}

void multiplyRows(const LoadedProjection &bundle, const RowProduct &product) {
  if (product.rows != nullptr && product.rows->device.device_type == kDLCUDA)
    multiplyOnCuda(bundle, product);
  else
    multiplyOnCpu(bundle, product);
}

} // namespace algrt
