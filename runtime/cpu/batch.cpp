#include "runtime/cpu/batch.h"

#include "runtime/cpu/matrix_view.h"
#include "runtime/cpu/row_types.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/parallel.h"

namespace algrt {

namespace {

constexpr int64_t cache_line = 64;

int64_t alignUp(int64_t bytes) {
  return checkedAdd(bytes, cache_line - 1, "workspace") / cache_line * cache_line;
}

// Explicit types: row numbers, then where each type starts.
int64_t rowListBytes(const Layer &layer, int64_t m) {
  if (layer.row_types != RowTypesKind::explicit_types)
    return 0;
  const int64_t entries = checkedAdd(m, layer.types + 1, "workspace: row lists");
  return alignUp(checkedMultiply(entries, int64_t(sizeof(int64_t)), "workspace: row lists"));
}

int64_t neededBytes(const Layer &layer, int64_t m, int workers, int64_t scratch_bytes) {
  const int64_t scratch = checkedMultiply(int64_t(workers), alignUp(scratch_bytes), "workspace: scratch");
  // The caller's memory may start anywhere.
  return checkedAdd(checkedAdd(scratch, rowListBytes(layer, m), "workspace"), cache_line - 1, "workspace");
}

std::byte *firstAligned(void *memory) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  return static_cast<std::byte *>(memory) + (cache_line - address % cache_line) % cache_line;
}

} // namespace

size_t workspaceSize(const CpuKernels &kernels, const Layer &layer, int64_t m, int threads) {
  return size_t(neededBytes(layer, m, resolveThreads(threads), kernels.scratchBytes()));
}

BatchMemory::BatchMemory(const CpuKernels &kernels, const Layer &layer, int64_t m, const BatchCall &call)
    : workers_(resolveThreads(call.threads)) {
  const size_t needed = workspaceSize(kernels, layer, m, call.threads);
  if (call.workspace != nullptr) {
    if (call.workspace_bytes < needed)
      throw Error(ALGRT_WORKSPACE_TOO_SMALL, "workspace has " + std::to_string(call.workspace_bytes) +
                                                 " bytes, this call needs " + std::to_string(needed) +
                                                 ": ask algrt_workspace_size");
    scratch_ = firstAligned(call.workspace);
  } else {
    own_ = AlignedBuffer(needed);
    scratch_ = own_.data();
  }
  if (layer.row_types != RowTypesKind::explicit_types) {
    longest_ = algrt::longestType(layer, m, call.p0);
    return;
  }
  int64_t *rows = reinterpret_cast<int64_t *>(scratch_), *starts = rows + m;
  scratch_ += rowListBytes(layer, m);
  longest_ = sortRowsByType(layer, call.types, m, rows, starts);
  rows_ = descriptor(rows, m);
  starts_ = descriptor(starts, layer.types + 1);
}

algrt_memref1 BatchMemory::scratch(int worker, int64_t bytes) const {
  return descriptor(scratch_ + worker * alignUp(bytes), bytes);
}

} // namespace algrt
