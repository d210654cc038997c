#include "runtime/api/arguments.h"
#include "runtime/api/products.h"
#include "runtime/api/row_product.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/product.h"
#include "runtime/cuda/row_grouping.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <cstddef>

using namespace algrt;

namespace {

// What holds on every device.
void checkScalars(const algrt_forward_args &args, const Layer &layer) {
  checkCount("p0", args.p0);
  checkCount("threads", args.threads);
  checkCount("kernel", args.kernel);
  if ((args.w == nullptr) == (args.weights == nullptr))
    refuse(args.w == nullptr ? "w and weights are both null: pass the weight matrix or packed weights"
                             : "w and weights are both given: pass one of them");
  checkRowArguments(layer, rowArguments(args));
  if (layer.bias && args.bias == nullptr)
    refuse("bias is null: the layer adds a bias, pass a vector of its " + std::to_string(layer.n) +
           " output features");
  if (!layer.bias && args.bias != nullptr)
    refuse("bias is given, but the layer of the bundle has none: compile it with one, or pass NULL");
  if (args.reserved != 0)
    throw Error(ALGRT_UNSUPPORTED, "args: reserved is set, needs 0: update the runtime");
}

} // namespace

namespace algrt {

size_t workspaceBytes(const LoadedProjection &projection, int64_t m, int32_t threads, int64_t experts) {
  const Layer &layer = projection.bundle.layer();
  const cuda::GpuKernels &gpu = projection.gpu_kernels;
  const bool gpu_alone = !projection.kernels.anyUsable() && gpu.any();
  size_t bytes = gpu_alone ? 0 : workspaceSize(projection.kernels, layer, m, threads);
  // More rows than a kernel counts are refused by the call itself.
  const int64_t room = algrt_most_gpu_rows - m - 2;
  if (gpu.groupsRows() && std::max<int64_t>(experts, 1) <= room / layer.types)
    bytes = std::max(bytes, size_t(cuda::rowListBytes(layer, m, experts)));
  return bytes;
}

void runForward(const LoadedProjection &projection, const algrt_forward_args &args,
                const PlaceInProgram &place) {
  checkScalars(args, projection.bundle.layer());
  RowProduct product(args, place);
  product.rows = args.x;
  product.result = args.y;
  product.weights = args.weights;
  product.bias = args.bias;
  multiplyRows(projection, product);
}

} // namespace algrt

int algrt_workspace_size(const algrt_bundle *bundle, int64_t m, int32_t threads, size_t *bytes) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    requireNotNull(bytes, "bytes");
    checkCount("m", m);
    checkCount("threads", threads);
    *bytes = workspaceBytes(*bundle, m, threads);
  });
}

int algrt_bundle_prepare(const algrt_bundle *bundle, int32_t device) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    // Projections without kernels for GPUs, of programs for the CPU, have nothing to load.
    bool prepared = false;
    for (size_t i = 0; i < bundle->bundle.projectionCount(); ++i)
      if (const cuda::GpuKernels &kernels = bundle->projection(i).gpu_kernels; kernels.any()) {
        kernels.prepare(device);
        prepared = true;
      }
    if (const cuda::GpuElementwise &functions = bundle->elementwise.gpu; functions.any()) {
      functions.prepare(device);
      prepared = true;
    }
    if (!prepared)
      throw Error(ALGRT_UNSUPPORTED, "the bundle has no kernel for CUDA devices: compile it for one");
  });
}

int algrt_forward(const algrt_bundle *bundle, const algrt_forward_args *given) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    runForward(*bundle,
               readArguments(given, offsetof(algrt_forward_args, kernel) + sizeof(algrt_forward_args::kernel),
                             algrt_forward_args_init(), "algrt_forward_args_init"));
  });
}
