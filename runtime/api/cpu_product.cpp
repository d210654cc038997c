#include "runtime/api/cpu_product.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/product.h"

#include <array>

namespace algrt {

PackedBank readPacked(const LoadedProjection &projection, const algrt_weights &weights,
                      const std::string &name) {
  const Bundle &bundle = projection.bundle;
  if (weights.bundle_hash != bundle.hash())
    refuse(name + " were packed for another bundle");
  if (weights.projection != projection.number)
    refuse(name + " were packed for another projection of the bundle");
  const int64_t elements = int64_t(weights.packed.size()) / elementBytes(bundle.layer().dtype);
  return {weights.kernel, {weights.packed.data(), 1, elements, elements}};
}

void multiplyOnCpu(const LoadedProjection &bundle, const CpuProduct &product) {
  const Layer &layer = bundle.bundle.layer();
  const bool forward = product.map == Map::forward;
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
    const MatrixView bank = readBank(product.w, "w", cpu_device, layer, layer.dtype);
    requireDisjoint(result, product.result_name, element, bank, "w", element);
    operands[count++] = descriptor(bank);
  } else {
    const PackedBank packed = readPacked(bundle, *product.weights, "weights");
    call.packed_kernel = packed.kernel;
    operands[count++] = descriptor(packed.view);
  }
  if (product.bias != nullptr) {
    const MatrixView bias = readVector(product.bias, "bias", cpu_device, layer.dtype, layer.n);
    requireDisjoint(result, product.result_name, element, bias, "bias", element);
    operands[count++] = descriptor(bias);
  }
  operands[count++] = descriptor(result);
  call.batch.source = readRows(product.row_arguments, cpu_device, m);
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

} // namespace algrt
