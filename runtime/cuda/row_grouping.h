// The row list of a call, made on the device by the kernel group_rows.
#pragma once

#include "runtime/bundle/layer.h"
#include "runtime/cpu/row_source.h"
#include "runtime/cuda/module.h"

namespace algrt::cuda {

// Device memory of the caller's.
struct Workspace {
  void *address = nullptr;
  size_t bytes = 0;
};

// Bytes of workspace that the list of m rows takes, wherever the workspace begins.
int64_t rowListBytes(const Layer &layer, int64_t m);

// The kernel of a bundle that makes the list on this device, its index in the manifest: one for the device's
// architecture alone before others. Throws Error(ALGRT_UNSUPPORTED) where there is none.
size_t chooseGroupRows(const std::vector<Kernel> &kernels, const DeviceProperties &device);

// Where in the workspace the list will be. Throws Error(ALGRT_WORKSPACE_TOO_SMALL) with the bytes that are
// needed.
DevicePointer placeRowList(const Layer &layer, int64_t m, const Workspace &workspace);

// Enqueues the kernel. The source is of m rows, on the device; it needs lists, and m is what kernels can
// count.
void groupRows(const Driver &driver, const ReadyKernel &kernel, const GpuCode &code, const Layer &layer,
               const RowSource &source, int64_t m, DevicePointer list, Stream stream);

} // namespace algrt::cuda
