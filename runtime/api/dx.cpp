#include "runtime/api/arguments.h"
#include "runtime/api/cpu_product.h"

#include <cstddef>

using namespace algrt;

int algrt_dx(const algrt_bundle *bundle, const algrt_dx_args *given) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    const algrt_dx_args args =
        readArguments(given, offsetof(algrt_dx_args, kernel) + sizeof(algrt_dx_args::kernel),
                      algrt_dx_args_init(), "algrt_dx_args_init");
    checkCount("p0", args.p0);
    checkCount("threads", args.threads);
    checkCount("kernel", args.kernel);
    checkRowTypes(bundle->bundle.layer(), args.types, args.p0);
    if (args.dy != nullptr && args.dy->device.device_type == kDLCUDA)
      throw Error(ALGRT_UNSUPPORTED,
                  "dy: is on a CUDA device, where no kernels of dx run yet: pass tensors in CPU "
                  "memory");
    if (args.stream != nullptr)
      refuse("stream is set, but dy is in CPU memory, and the CPU has no streams: pass NULL");
    requireNotNull(args.w, "w");
    CpuProduct product;
    product.map = Map::dx;
    product.rows = args.dy;
    product.result = args.dx;
    product.rows_name = "dy";
    product.result_name = "dx";
    product.w = args.w;
    product.types = args.types;
    product.p0 = args.p0;
    product.workspace = args.workspace;
    product.workspace_bytes = args.workspace_bytes;
    product.threads = args.threads;
    product.kernel = int64_t(args.kernel) - 1;
    multiplyOnCpu(*bundle, product);
  });
}
