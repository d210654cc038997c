#include "runtime/cpu/forward.h"
#include "runtime/api/boundary.h"
#include "runtime/api/handles.h"
#include "runtime/api/tensor.h"
#include "runtime/cuda/forward.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace algrt;

namespace {

[[noreturn]] void refuse(const std::string &what) { throw Error(ALGRT_INVALID_ARGUMENT, what); }

void checkCount(const char *name, int64_t value) {
  if (value < 0)
    refuse(std::string(name) + " is " + std::to_string(value) + ", needs 0 or more");
}

// The caller may have been compiled against an older, shorter struct, or a newer one of which it uses nothing
// new.
algrt_forward_args readArgs(const algrt_forward_args *given) {
  requireNotNull(given, "args");
  const size_t size = given->struct_size;
  constexpr size_t shortest = offsetof(algrt_forward_args, kernel) + sizeof(algrt_forward_args::kernel);
  if (size < shortest)
    refuse("args: struct_size is " + std::to_string(size) + "; start from algrt_forward_args_init()");
  algrt_forward_args args = algrt_forward_args_init();
  std::memcpy(&args, given, std::min(size, sizeof(args)));
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(given);
  for (size_t i = sizeof(args); i < size; ++i)
    if (bytes[i] != 0)
      throw Error(ALGRT_UNSUPPORTED,
                  "args: a field is set that this runtime does not know: update the runtime");
  return args;
}

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
  const bool explicit_types = layer.row_types == RowTypesKind::explicit_types;
  if (explicit_types && args.types == nullptr)
    refuse("types is null: the layer's row types are explicit, pass an int32 tensor with one type per row");
  if (!explicit_types && args.types != nullptr)
    refuse(std::string("types is given, but the layer's row types are ") + name(layer.row_types) +
           " and follow from p0");
  if (explicit_types && args.p0 != 0)
    refuse("p0 is " + std::to_string(args.p0) + ", needs 0: explicit types do not depend on the position");
  if (args.reserved != 0)
    throw Error(ALGRT_UNSUPPORTED, "args: reserved is set, needs 0: update the runtime");
}

void forwardOnCpu(const algrt_bundle &bundle, const algrt_forward_args &args) {
  if (args.stream != nullptr)
    refuse("stream is set, but x is in CPU memory, and the CPU has no streams: pass NULL");
  if (args.dependent_launch != 0)
    refuse("dependent_launch is set, but x is in CPU memory, where nothing is launched: pass 0");
  const Layer &layer = bundle.bundle.layer();
  ForwardCall call{};
  call.x = readMatrix(args.x, "x", cpu_device, layer.dtype, any_rows, layer.k);
  const int64_t m = call.x.rows;
  call.y = readMatrix(args.y, "y", cpu_device, layer.dtype, m, layer.n);
  const int64_t element = elementBytes(layer.dtype);
  requireDisjoint(call.y, "y", element, call.x, "x", element);
  call.packed_kernel = -1;
  if (args.w != nullptr) {
    call.bank = readBank(args.w, "w", cpu_device, layer);
    requireDisjoint(call.y, "y", element, call.bank, "w", element);
  } else {
    if (args.weights->bundle_hash != bundle.bundle.hash())
      refuse("weights were packed for another bundle");
    call.packed = &args.weights->packed;
    call.packed_kernel = int64_t(args.weights->kernel);
  }
  if (args.types != nullptr) {
    call.types = readInt32Vector(args.types, "types", m);
    const MatrixView types{const_cast<int32_t *>(call.types), m == 0 ? 0 : 1, m, m};
    requireDisjoint(call.y, "y", element, types, "types", sizeof(int32_t));
  }
  if (m == 0)
    return;
  call.p0 = args.p0;
  call.workspace = args.workspace;
  call.workspace_bytes = args.workspace_bytes;
  call.threads = args.threads;
  call.kernel = int64_t(args.kernel) - 1;
  runForward(bundle.kernels, layer, call);
}

void forwardOnCuda(const algrt_bundle &bundle, const algrt_forward_args &args) {
  if (args.weights != nullptr)
    refuse("weights are packed for the CPU, but x is on a CUDA device: pass the bank there as w");
  if (!bundle.gpu_kernels.any())
    throw Error(ALGRT_UNSUPPORTED, "x: is on a CUDA device, but the bundle has no kernel for one: compile it "
                                   "for one, or pass tensors in CPU memory");
  const Layer &layer = bundle.bundle.layer();
  const DLDevice device = args.x->device;
  cuda::ForwardCall call{};
  call.x = readMatrix(args.x, "x", device, layer.dtype, any_rows, layer.k);
  const int64_t m = call.x.rows;
  requireNotNull(args.y, "y");
  // Of another type than these, y is refused as not being of the layer's.
  call.output = elementTypeOf(args.y->dtype).value_or(layer.dtype);
  call.y = readMatrix(args.y, "y", device, call.output, m, layer.n);
  call.w = readBank(args.w, "w", device, layer);
  const int64_t element = elementBytes(layer.dtype), y_element = elementBytes(call.output);
  requireDisjoint(call.y, "y", y_element, call.x, "x", element);
  requireDisjoint(call.y, "y", y_element, call.w, "w", element);
  if (m == 0)
    return;
  call.device = device.device_id;
  call.p0 = args.p0;
  call.stream = args.stream;
  call.kernel = int64_t(args.kernel) - 1;
  call.dependent_launch = args.dependent_launch != 0;
  cuda::runForward(bundle.gpu_kernels, layer, call);
}

} // namespace

int algrt_workspace_size(const algrt_bundle *bundle, int64_t m, int32_t threads, size_t *bytes) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    requireNotNull(bytes, "bytes");
    checkCount("m", m);
    checkCount("threads", threads);
    const bool gpu_alone = !bundle->kernels.anyUsable() && bundle->gpu_kernels.any();
    *bytes = gpu_alone ? 0 : workspaceSize(bundle->kernels, bundle->bundle.layer(), m, threads);
  });
}

int algrt_bundle_prepare(const algrt_bundle *bundle, int32_t device) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    bundle->gpu_kernels.prepare(device);
  });
}

int algrt_forward(const algrt_bundle *bundle, const algrt_forward_args *given) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    const algrt_forward_args args = readArgs(given);
    checkScalars(args, bundle->bundle.layer());
    if (isOnCuda(args))
      forwardOnCuda(*bundle, args);
    else
      forwardOnCpu(*bundle, args);
  });
}
