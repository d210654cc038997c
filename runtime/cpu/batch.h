// What any computation on the rows of a batch needs before its tasks run: scratch for every worker, and for
// explicit types the rows listed by type.
#pragma once

#include "runtime/cpu/kernels.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

struct BatchCall {
  const int32_t *types = nullptr; // explicit types
  int64_t p0 = 0;
  void *workspace = nullptr; // or null: allocated
  size_t workspace_bytes = 0;
  int threads = 0;
};

// Bytes that a call on up to m rows needs, whatever kernel of whatever map it runs.
size_t workspaceSize(const CpuKernels &kernels, const Layer &layer, int64_t m, int threads);

class BatchMemory {
public:
  // Throws Error(ALGRT_WORKSPACE_TOO_SMALL), Error(ALGRT_INVALID_ARGUMENT) for a type or position out of
  // range, std::bad_alloc.
  BatchMemory(const CpuKernels &kernels, const Layer &layer, int64_t m, const BatchCall &call);

  int workers() const { return workers_; }
  int64_t longestType() const { return longest_; } // most rows that any one type has
  // Explicit types: row numbers by type, and where each type starts; otherwise empty.
  algrt_memref1 rows() const { return rows_; }
  algrt_memref1 starts() const { return starts_; }
  algrt_memref1 scratch(int worker, int64_t bytes) const;

private:
  AlignedBuffer own_;
  std::byte *scratch_ = nullptr;
  int workers_ = 1;
  int64_t longest_ = 0;
  algrt_memref1 rows_{}, starts_{};
};

} // namespace algrt
