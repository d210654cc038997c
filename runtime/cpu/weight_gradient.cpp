#include "runtime/cpu/weight_gradient.h"

#include "runtime/support/error.h"
#include "runtime/support/parallel.h"

namespace algrt {

void runWeightGradient(const CpuKernels &kernels, const Layer &layer, const WeightGradientCall &call) {
  size_t index;
  if (call.kernel >= 0) {
    kernels.requireUsable(call.kernel, Map::Dw, /*packed_weights=*/false);
    index = size_t(call.kernel);
  } else {
    index = kernels.chooseWeightGradient(call.output);
  }
  const CpuKernel kernel = kernels.load(index);
  const Kernel &description = *kernel.description;
  if (description.output != call.output)
    throw Error(ALGRT_INVALID_ARGUMENT, "kernel " + description.name + " writes " + name(description.output) +
                                            ", dw is " + name(call.output));
  const BatchMemory memory(kernels, layer, call.x.rows, call.batch);
  memory.requireTakenBy(description);
  const algrt_memref2 operands[] = {descriptor(call.x), descriptor(call.dy), descriptor(call.dw)};
  const algrt_memref1 rows = memory.rows(), starts = memory.starts();
  runTasks(memory.workers(), description.tasks, [&](int worker, int64_t begin, int64_t end) {
    const algrt_memref1 scratch = memory.scratch(worker, description.scratch_bytes);
    kernel.weight_gradient(operands, &scratch, &rows, &starts, memory.p0(), call.beta, begin, end);
  });
}

} // namespace algrt
