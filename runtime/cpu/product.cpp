#include "runtime/cpu/product.h"

#include "runtime/cpu/row_types.h"
#include "runtime/support/checked.h"
#include "runtime/support/parallel.h"

#include <algorithm>

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

// More slices than it takes to give every thread a few tasks would only copy x more often.
int64_t chooseSlices(int64_t tasks_per_slice, int workers, int64_t output_groups) {
  if (workers == 1)
    return 1;
  return std::clamp<int64_t>(ceilDivide<int64_t>(4 * int64_t(workers), tasks_per_slice), 1, output_groups);
}

} // namespace

size_t workspaceSize(const CpuKernels &kernels, const Layer &layer, int64_t m, int threads) {
  return size_t(neededBytes(layer, m, resolveThreads(threads), kernels.scratchBytes()));
}

void runProduct(const CpuKernels &kernels, const Layer &layer, const ProductCall &call) {
  const int64_t m = call.rows.rows;
  const int workers = resolveThreads(call.threads);
  const bool explicit_types = layer.row_types == RowTypesKind::explicit_types;

  AlignedBuffer own;
  std::byte *memory = nullptr;
  if (call.workspace != nullptr) {
    const size_t needed = workspaceSize(kernels, layer, m, call.threads);
    if (call.workspace_bytes < needed)
      throw Error(ALGRT_WORKSPACE_TOO_SMALL, "workspace has " + std::to_string(call.workspace_bytes) +
                                                 " bytes, this call needs " + std::to_string(needed) +
                                                 ": ask algrt_workspace_size");
    memory = firstAligned(call.workspace);
  } else {
    own = AlignedBuffer(workspaceSize(kernels, layer, m, call.threads));
    memory = own.data();
  }

  int64_t *rows = nullptr, *starts = nullptr;
  int64_t longest;
  if (explicit_types) {
    rows = reinterpret_cast<int64_t *>(memory);
    starts = rows + m;
    memory += rowListBytes(layer, m);
    longest = sortRowsByType(layer, call.types, m, rows, starts);
  } else {
    longest = longestType(layer, m, call.p0);
  }

  size_t index;
  if (call.kernel >= 0) {
    kernels.requireUsable(call.kernel, call.map, call.packed != nullptr);
    index = size_t(call.kernel);
  } else {
    index = call.packed != nullptr ? size_t(call.packed_kernel) : kernels.chooseUnpacked(call.map, longest);
  }
  if (call.packed != nullptr && int64_t(index) != call.packed_kernel)
    throw Error(ALGRT_INVALID_ARGUMENT, "weights were packed for another kernel of the bundle");
  const CpuKernel kernel = kernels.load(index);
  const Kernel &description = *kernel.description;

  const int64_t row_blocks = ceilDivide(longest, description.rows_per_task);
  const std::vector<int64_t> &groups = call.map == Map::forward ? layer.out_groups : layer.in_groups;
  const int64_t per_slice =
      checkedMultiply(ceilDivide(layer.types, description.types_per_task), row_blocks, "tasks");
  const int64_t slices = chooseSlices(per_slice, workers, int64_t(groups.size()));
  const int64_t tasks = checkedMultiply(per_slice, slices, "tasks");

  MatrixView bank = call.bank;
  if (call.packed != nullptr) {
    const int64_t elements = description.packed_bytes / elementBytes(layer.dtype);
    bank = MatrixView{call.packed->data(), 1, elements, elements};
  }
  const algrt_memref2 x = descriptor(call.rows), w = descriptor(bank), y = descriptor(call.result);
  const algrt_memref1 row_list = descriptor(rows, explicit_types ? m : 0);
  const algrt_memref1 start_list = descriptor(starts, explicit_types ? layer.types + 1 : 0);
  const int64_t scratch_step = alignUp(description.scratch_bytes);
  runTasks(workers, tasks, [&](int worker, int64_t begin, int64_t end) {
    const algrt_memref1 scratch = descriptor(memory + worker * scratch_step, description.scratch_bytes);
    kernel.multiply(&x, &w, &y, &scratch, &row_list, &start_list, call.p0, row_blocks, slices, begin, end);
  });
}

} // namespace algrt
