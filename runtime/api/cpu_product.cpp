#include "runtime/api/cpu_product.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/product.h"

namespace algrt {

void multiplyOnCpu(const LoadedProjection &bundle, const CpuProduct &product) {
  const Layer &layer = bundle.bundle.layer();
  const bool forward = product.map == Map::forward;
  ProductCall call{};
  call.map = product.map;
  call.rows = readMatrix(product.rows, product.rows_name, cpu_device, layer.dtype, any_rows,
                         forward ? layer.k : layer.n);
  const int64_t m = call.rows.rows;
  call.result = readMatrix(product.result, product.result_name, cpu_device, layer.dtype, m,
                           forward ? layer.n : layer.k);
  const int64_t element = elementBytes(layer.dtype);
  requireDisjoint(call.result, product.result_name, element, call.rows, product.rows_name, element);
  call.packed_kernel = -1;
  if (product.w != nullptr) {
    call.bank = readBank(product.w, "w", cpu_device, layer, layer.dtype);
    requireDisjoint(call.result, product.result_name, element, call.bank, "w", element);
  } else {
    if (product.weights->bundle_hash != bundle.bundle.hash())
      refuse("weights were packed for another bundle");
    call.packed = &product.weights->packed;
    call.packed_kernel = int64_t(product.weights->kernel);
  }
  if (product.bias != nullptr) {
    call.bias = readVector(product.bias, "bias", cpu_device, layer.dtype, layer.n);
    requireDisjoint(call.result, product.result_name, element, call.bias, "bias", element);
  }
  call.batch.source = readRows(product.row_arguments, cpu_device, m);
  requireDisjoint(call.result, product.result_name, element, call.batch.source);
  if (m == 0)
    return;
  call.batch.workspace = product.workspace;
  call.batch.workspace_bytes = product.workspace_bytes;
  call.batch.threads = product.threads;
  call.kernel = product.kernel;
  runProduct(bundle.kernels, layer, call);
}

} // namespace algrt
