#include "runtime/cpu/batch.h"

#include "runtime/cpu/matrix_view.h"
#include "runtime/cpu/row_types.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/memory.h"
#include "runtime/support/parallel.h"

namespace algrt {

namespace {

constexpr int64_t cache_line = 64;

int64_t alignUp(int64_t bytes) {
  return checkedAdd(bytes, cache_line - 1, "workspace") / cache_line * cache_line;
}

// Row numbers, then where each type starts; and where types follow from positions, the type of every row.
int64_t rowListBytes(const Layer &layer, int64_t m) {
  const int64_t entries = checkedAdd(m, layer.types + 1, "workspace: row lists");
  int64_t bytes = checkedMultiply(entries, int64_t(sizeof(int64_t)), "workspace: row lists");
  if (layer.row_types != RowTypesKind::ExplicitTypes)
    bytes = checkedAdd(bytes, checkedMultiply(m, int64_t(sizeof(int32_t)), "workspace: types"), "workspace");
  return alignUp(bytes);
}

int64_t neededBytes(int workers, int64_t scratch_bytes, int64_t list_bytes) {
  const int64_t scratch = checkedMultiply(int64_t(workers), alignUp(scratch_bytes), "workspace: scratch");
  // The caller's memory may start anywhere.
  return checkedAdd(checkedAdd(scratch, list_bytes, "workspace"), cache_line - 1, "workspace");
}

std::byte *firstAligned(void *memory) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  return static_cast<std::byte *>(memory) + (cache_line - address % cache_line) % cache_line;
}

} // namespace

size_t workspaceSize(const CpuKernels &kernels, const Layer &layer, int64_t m, int threads) {
  const bool listed = layer.row_types == RowTypesKind::ExplicitTypes || layer.types > 1;
  return size_t(
      neededBytes(resolveThreads(threads), kernels.scratchBytes(), listed ? rowListBytes(layer, m) : 0));
}

BatchMemory::BatchMemory(const CpuKernels &kernels, const Layer &layer, int64_t m, const BatchCall &call)
    : workers_(resolveThreads(call.threads)) {
  const RowSource &source = call.source;
  const bool listed = needsLists(layer, source.kind);
  const int64_t list_bytes = listed ? rowListBytes(layer, m) : 0;
  // The same for every call, so that what is enough for one is enough for all.
  const size_t needed = workspaceSize(kernels, layer, m, call.threads);
  if (call.workspace != nullptr) {
    if (call.workspace_bytes < needed)
      throw Error(ALGRT_WORKSPACE_TOO_SMALL, "workspace has " + std::to_string(call.workspace_bytes) +
                                                 " bytes, this call needs " + std::to_string(needed) +
                                                 ": ask algrt_workspace_size");
    scratch_ = firstAligned(call.workspace);
  } else {
    if (needed >= worth_asking_for_bytes)
      requireMemory(needed, "the workspace, " + byteText(uint64_t(kernels.scratchBytes())) +
                                " of scratch for each of " + std::to_string(workers_) +
                                (workers_ == 1 ? " thread," : " threads,"));
    own_ = AlignedBuffer(needed);
    scratch_ = own_.data();
  }
  if (!listed) {
    p0_ = source.p0;
    longest_ = algrt::longestType(layer, m, p0_);
    return;
  }
  int64_t *rows = reinterpret_cast<int64_t *>(scratch_), *starts = rows + m;
  const int32_t *types = static_cast<const int32_t *>(source.types.data);
  if (source.kind != RowSourceKind::Types) {
    int32_t *found = reinterpret_cast<int32_t *>(starts + layer.types + 1);
    typesOfRows(layer, source, m, found);
    types = found;
  }
  scratch_ += list_bytes;
  longest_ = sortRowsByType(layer, types, m, rows, starts);
  rows_ = descriptor(rows, m);
  starts_ = descriptor(starts, layer.types + 1);
}

void BatchMemory::requireTakenBy(const Kernel &kernel) const {
  if (starts_.sizes[0] > 0 && !kernel.row_lists)
    throw Error(ALGRT_UNSUPPORTED, "kernel " + kernel.name +
                                       " takes rows at positions from p0 on alone, not positions or "
                                       "sequence_starts: compile the bundle again");
}

algrt_memref1 BatchMemory::scratch(int worker, int64_t bytes) const {
  return descriptor(scratch_ + worker * alignUp(bytes), bytes);
}

} // namespace algrt
