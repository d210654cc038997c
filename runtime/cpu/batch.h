// What any computation on the rows of a batch needs before its tasks run: scratch for every worker, and the
// rows listed by type where they are not at positions one after another.
#pragma once

#include "runtime/cpu/kernels.h"
#include "runtime/cpu/row_source.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

struct BatchCall {
  RowSource source;
  void *workspace = nullptr; // or null: allocated
  size_t workspace_bytes = 0;
  int threads = 0;
};

// Bytes that a call on up to m rows needs, whatever kernel of whatever map it runs and whatever says where
// the rows are.
size_t workspaceSize(const CpuKernels &kernels, const Layer &layer, int64_t m, int threads);

class BatchMemory {
public:
  // Of a source that checkRows has passed. Throws Error(ALGRT_WORKSPACE_TOO_SMALL),
  // Error(ALGRT_INVALID_ARGUMENT) for a type out of range, std::bad_alloc.
  BatchMemory(const CpuKernels &kernels, const Layer &layer, int64_t m, const BatchCall &call);

  int workers() const { return workers_; }
  int64_t longestType() const { return longest_; } // most rows that any one type has
  // Throws Error(ALGRT_UNSUPPORTED) where rows are listed and the kernel does not take lists.
  void requireTakenBy(const Kernel &kernel) const;
  // Row numbers by type, and where each type starts; empty where rows are at positions from p0 on.
  algrt_memref1 rows() const { return rows_; }
  algrt_memref1 starts() const { return starts_; }
  int64_t p0() const { return p0_; } // 0 where rows are listed
  algrt_memref1 scratch(int worker, int64_t bytes) const;

private:
  AlignedBuffer own_;
  std::byte *scratch_ = nullptr;
  int workers_ = 1;
  int64_t longest_ = 0, p0_ = 0;
  algrt_memref1 rows_{}, starts_{};
};

} // namespace algrt
