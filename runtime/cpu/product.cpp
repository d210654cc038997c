#include "runtime/cpu/product.h"

#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/parallel.h"

#include <algorithm>

namespace algrt {

namespace {

// More slices than it takes to give every thread a few tasks would only copy x more often.
// Each slice of a kernel of two layers makes what its groups read of the first one's result, also where
// others make it, too: then there are no more slices than it takes to give every thread one task.
int64_t chooseSlices(int64_t tasks_per_slice, int workers, int64_t output_groups, bool several_layers) {
  if (workers == 1)
    return 1;
  const int64_t tasks = (several_layers ? 1 : 4) * int64_t(workers);
  return std::clamp<int64_t>(ceilDivide<int64_t>(tasks, tasks_per_slice), 1, output_groups);
}

} // namespace

void runProduct(const CpuKernels &kernels, const Layer &layer, const ProductCall &call) {
  const BatchMemory memory(kernels, layer, call.rows, call.batch);
  const bool packed = call.packed_kernel.has_value();
  size_t index;
  if (call.kernel >= 0) {
    kernels.requireUsable(call.kernel, call.map, packed);
    index = size_t(call.kernel);
  } else {
    index = packed ? *call.packed_kernel : kernels.chooseUnpacked(call.map, memory.longestType());
  }
  if (packed && index != *call.packed_kernel)
    throw Error(ALGRT_INVALID_ARGUMENT, "weights were packed for another kernel of the bundle");
  const CpuKernel kernel = kernels.load(index);
  const Kernel &description = *kernel.description;
  memory.requireTakenBy(description);

  const int64_t row_blocks = ceilDivide(memory.longestType(), description.rows_per_task);
  const std::vector<int64_t> &groups = call.map == Map::Forward ? layer.out_groups : layer.in_groups;
  const int64_t per_slice =
      checkedMultiply(ceilDivide(layer.types, description.types_per_task), row_blocks, "tasks");
  const int64_t slices =
      chooseSlices(per_slice, memory.workers(), int64_t(groups.size()), layer.fusion && layer.fusion->next);
  const int64_t tasks = checkedMultiply(per_slice, slices, "tasks");

  const algrt_memref1 row_list = memory.rows(), start_list = memory.starts();
  runTasks(memory.workers(), tasks, [&](int worker, int64_t begin, int64_t end) {
    const algrt_memref1 scratch = memory.scratch(worker, description.scratch_bytes);
    kernel.multiply(call.operands.data(), &scratch, &row_list, &start_list, memory.p0(), row_blocks, slices,
                    begin, end);
  });
}

} // namespace algrt
