#include "runtime/cpu/pack.h"

#include "runtime/support/memory.h"
#include "runtime/support/parallel.h"

#include <cstring>

namespace algrt {

AlignedBuffer packWeights(const CpuKernel &kernel, const Layer &layer, const MatrixView &weights,
                          int threads) {
  if (uint64_t(kernel.description->packed_bytes) >= worth_asking_for_bytes)
    requireMemory(uint64_t(kernel.description->packed_bytes), "the packed weight matrix");
  AlignedBuffer packed(size_t(kernel.description->packed_bytes));
  // Panels may be padded beyond the weight matrix: the padding must not hold somebody's NaN.
  std::memset(packed.data(), 0, packed.size());
  repackWeights(kernel, layer, weights, threads, packed);
  return packed;
}

void repackWeights(const CpuKernel &kernel, const Layer &layer, const MatrixView &weights, int threads,
                   AlignedBuffer &packed) {
  const int64_t elements = kernel.description->packed_bytes / elementBytes(layer.dtype);
  const algrt_memref2 source = descriptor(weights);
  const algrt_memref2 destination = descriptor(MatrixView{packed.data(), 1, elements, elements});
  runTasks(resolveThreads(threads), kernel.description->pack_tasks,
           [&](int, int64_t begin, int64_t end) { kernel.pack(&source, &destination, begin, end); });
}

} // namespace algrt
