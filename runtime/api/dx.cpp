#include "runtime/api/arguments.h"
#include "runtime/api/cpu_product.h"
#include "runtime/api/cuda_product.h"
#include "runtime/api/products.h"

#include <cstddef>

using namespace algrt;

namespace {

void dxOnCpu(const LoadedProjection &bundle, const algrt_dx_args &args) {
  if (args.stream != nullptr)
    refuse("stream is set, but dy is in CPU memory, and the CPU has no streams: pass NULL");
  if (args.dependent_launch != 0)
    refuse("dependent_launch is set, but dy is in CPU memory, where nothing is launched: pass 0");
  CpuProduct product;
  product.map = Map::dx;
  product.rows = args.dy;
  product.result = args.dx;
  product.rows_name = "dy";
  product.result_name = "dx";
  product.w = args.w;
  product.row_arguments = rowArguments(args);
  product.workspace = args.workspace;
  product.workspace_bytes = args.workspace_bytes;
  product.threads = args.threads;
  product.kernel = int64_t(args.kernel) - 1;
  multiplyOnCpu(bundle, product);
}

void dxOnCuda(const LoadedProjection &bundle, const algrt_dx_args &args) {
  CudaProduct product;
  product.map = Map::dx;
  product.rows = args.dy;
  product.result = args.dx;
  product.rows_name = "dy";
  product.result_name = "dx";
  product.w = args.w;
  product.row_arguments = rowArguments(args);
  product.workspace = args.workspace;
  product.workspace_bytes = args.workspace_bytes;
  product.stream = args.stream;
  product.kernel = int64_t(args.kernel) - 1;
  product.dependent_launch = args.dependent_launch != 0;
  multiplyOnCuda(bundle, product);
}

} // namespace

void algrt::runDx(const LoadedProjection &projection, const algrt_dx_args &args) {
  checkCount("p0", args.p0);
  checkCount("threads", args.threads);
  checkCount("kernel", args.kernel);
  checkRowArguments(projection.bundle.layer(), rowArguments(args));
  if (args.reserved != 0)
    throw Error(ALGRT_UNSUPPORTED, "args: reserved is set, needs 0: update the runtime");
  requireNotNull(args.w, "w");
  if (args.dy != nullptr && args.dy->device.device_type == kDLCUDA)
    dxOnCuda(projection, args);
  else
    dxOnCpu(projection, args);
}

int algrt_dx(const algrt_bundle *bundle, const algrt_dx_args *given) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    runDx(*bundle, readArguments(given, offsetof(algrt_dx_args, kernel) + sizeof(algrt_dx_args::kernel),
                                 algrt_dx_args_init(), "algrt_dx_args_init"));
  });
}
