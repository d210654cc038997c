#include "runtime/api/cuda_product.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/cuda/product.h"

namespace algrt {

void multiplyOnCuda(const LoadedProjection &bundle, const CudaProduct &product) {
  const std::string kind = product.map == Map::forward ? "" : std::string(" of ") + name(product.map);
  if (!bundle.gpu_kernels.any(product.map))
    throw Error(ALGRT_UNSUPPORTED, std::string(product.rows_name) +
                                       ": is on a CUDA device, but the bundle has no kernel" + kind +
                                       " for one: compile it for one, or pass tensors in CPU memory");
  const Layer &layer = bundle.bundle.layer();
  const bool forward = product.map == Map::forward;
  const DLDevice device = product.rows->device;
  cuda::ProductCall call{};
  call.map = product.map;
  call.x =
      readMatrix(product.rows, product.rows_name, device, layer.dtype, any_rows, forward ? layer.k : layer.n);
  const int64_t m = call.x.rows;
  requireNotNull(product.result, product.result_name);
  // Of another type than these, the result is refused as not being of the layer's.
  call.output = elementTypeOf(product.result->dtype).value_or(layer.dtype);
  call.y =
      readMatrix(product.result, product.result_name, device, call.output, m, forward ? layer.n : layer.k);
  call.w = readBank(product.w, "w", device, layer, layer.dtype);
  const int64_t element = elementBytes(layer.dtype), result_element = elementBytes(call.output);
  requireDisjoint(call.y, product.result_name, result_element, call.x, product.rows_name, element);
  requireDisjoint(call.y, product.result_name, result_element, call.w, "w", element);
  cuda::ProductOperand bias{"bias", layer.dtype, {}};
  if (product.bias != nullptr) {
    bias.view = readVector(product.bias, "bias", device, layer.dtype, layer.n);
    requireDisjoint(call.y, product.result_name, result_element, bias.view, "bias", element);
    call.further = {&bias, 1};
  }
  const RowSource rows = readRows(product.row_arguments, device, m);
  requireDisjoint(call.y, product.result_name, result_element, rows);
  if (m == 0)
    return;
  call.device = device.device_id;
  call.rows = rows;
  call.workspace = {product.workspace, product.workspace_bytes};
  call.stream = product.stream;
  call.kernel = product.kernel;
  call.dependent_launch = product.dependent_launch;
  cuda::runProduct(bundle.gpu_kernels, layer, call);
}

} // namespace algrt
