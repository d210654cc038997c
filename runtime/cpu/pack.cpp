#include "runtime/cpu/pack.h"

#include "runtime/support/memory.h"
#include "runtime/support/parallel.h"

#include <cstring>

namespace algrt {

AlignedBuffer packWeights(const CpuKernel &kernel, size_t number, ElementType type, const MatrixView &weights,
                          int threads) {
  const uint64_t bytes = uint64_t(kernel.description->packing[number].bytes);
  if (bytes >= worth_asking_for_bytes)
    requireMemory(bytes, "the packed weight matrix");
  AlignedBuffer packed{size_t(bytes)};
  // Panels may be padded beyond the weight matrix: the padding must not hold somebody's NaN.
  std::memset(packed.data(), 0, packed.size());
  repackWeights(kernel, number, type, weights, threads, packed);
  return packed;
}

void repackWeights(const CpuKernel &kernel, size_t number, ElementType type, const MatrixView &weights,
                   int threads, AlignedBuffer &packed) {
  const Packing &packing = kernel.description->packing[number];
  const int64_t elements = packing.bytes / elementBytes(type);
  const algrt_memref2 source = descriptor(weights);
  const algrt_memref2 destination = descriptor(MatrixView{packed.data(), 1, elements, elements});
  const algrt_pack_kernel pack = kernel.pack[number];
  runTasks(resolveThreads(threads), packing.tasks,
           [&](int, int64_t begin, int64_t end) { pack(&source, &destination, begin, end); });
}

} // namespace algrt
