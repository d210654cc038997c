#include "runtime/api/arguments.h"
#include "runtime/api/cpu_product.h"
#include "runtime/api/cuda_product.h"
#include "runtime/api/products.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/product.h"
#include "runtime/cuda/bias_gradient.h"
#include "runtime/cuda/row_grouping.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <cstddef>

using namespace algrt;

namespace {

bool isOnCuda(const algrt_forward_args &args) {
  return args.x != nullptr && args.x->device.device_type == kDLCUDA;
}

// What holds on every device.
void checkScalars(const algrt_forward_args &args, const Layer &layer) {
  checkCount("p0", args.p0);
  checkCount("threads", args.threads);
  checkCount("kernel", args.kernel);
  if ((args.w == nullptr) == (args.weights == nullptr))
    refuse(args.w == nullptr ? "w and weights are both null: pass the bank or packed weights"
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

void forwardOnCpu(const LoadedProjection &bundle, const algrt_forward_args &args) {
  if (args.stream != nullptr)
    refuse("stream is set, but x is in CPU memory, and the CPU has no streams: pass NULL");
  if (args.dependent_launch != 0)
    refuse("dependent_launch is set, but x is in CPU memory, where nothing is launched: pass 0");
  CpuProduct product;
  product.rows = args.x;
  product.result = args.y;
  product.w = args.w;
  product.weights = args.weights;
  product.bias = args.bias;
  product.row_arguments = rowArguments(args);
  product.workspace = args.workspace;
  product.workspace_bytes = args.workspace_bytes;
  product.threads = args.threads;
  product.kernel = int64_t(args.kernel) - 1;
  multiplyOnCpu(bundle, product);
}

void forwardOnCuda(const LoadedProjection &bundle, const algrt_forward_args &args) {
  if (args.weights != nullptr)
    refuse("weights are packed for the CPU, but x is on a CUDA device: pass the bank there as w");
  CudaProduct product;
  product.rows = args.x;
  product.result = args.y;
  product.w = args.w;
  product.bias = args.bias;
  product.row_arguments = rowArguments(args);
  product.workspace = args.workspace;
  product.workspace_bytes = args.workspace_bytes;
  product.stream = args.stream;
  product.kernel = int64_t(args.kernel) - 1;
  product.dependent_launch = args.dependent_launch != 0;
  multiplyOnCuda(bundle, product);
}

} // namespace

namespace algrt {

size_t workspaceBytes(const LoadedProjection &projection, int64_t m, int32_t threads) {
  const Layer &layer = projection.bundle.layer();
  const cuda::GpuKernels &gpu = projection.gpu_kernels;
  const bool gpu_alone = !projection.kernels.anyUsable() && gpu.any();
  size_t bytes = gpu_alone ? 0 : workspaceSize(projection.kernels, layer, m, threads);
  // More rows than a kernel counts are refused by the call itself.
  if (gpu.groupsRows() && m <= algrt_most_gpu_rows - layer.types - 2)
    bytes = std::max(bytes, size_t(cuda::rowListBytes(layer, m)));
  if (gpu.sumsBiasGradients() && m <= algrt_most_gpu_rows)
    bytes = std::max(bytes, size_t(cuda::biasGradientBytes(layer.n, m)));
  return bytes;
}

void runForward(const LoadedProjection &projection, const algrt_forward_args &args) {
  checkScalars(args, projection.bundle.layer());
  if (isOnCuda(args))
    forwardOnCuda(projection, args);
  else
    forwardOnCpu(projection, args);
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
