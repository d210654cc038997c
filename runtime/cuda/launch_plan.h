// What one product, forward or a gradient, asks of a GPU: grid, maps and scalars as runtime/gpu_kernel_abi.h
// describes them. Pure arithmetic: knows no driver, so that the simulator launches by the same plan as a GPU
// does.
#pragma once

#include "runtime/cuda/operand_limits.h"
#include "runtime/cuda/terms_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace algrt::cuda {

// The arguments of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map Object Management"). Elements of a
// box follow one another in every dimension; what lies outside the extents reads as zero and is not written.
// Strides need not grow from one dimension to the next: the manual's example computes each from the one
// before, what it requires is multiples of 16 bytes below 2^40. Segments of interval types are w rows apart
// and their rows, the dimension after, one.
struct TensorMap {
  uint64_t address; // 16-byte aligned
  ElementType element;
  int32_t rank; // 4
  std::array<uint64_t, 5> extents;
  std::array<uint64_t, 4> strides; // bytes, of dimensions 1, 2, ...; dimension 0 is contiguous
  std::array<uint32_t, 5> box;     // elements
  int32_t swizzle;                 // bytes: 0, 32, 64 or 128

  bool operator==(const TensorMap &) const = default;
};

struct LaunchPlan {
  int64_t tiles;         // of Y; 0 where there is nothing to launch, and everything else is then 0 or empty
  uint32_t grid;         // blocks: a multiple of `cluster`
  uint32_t threads;      // of a block
  uint32_t cluster;      // blocks of a cluster
  uint32_t shared_bytes; // dynamic, of a block
  // Those of the kernel's parameters of that type, in their order.
  std::vector<TensorMap> maps;
  std::vector<algrt_plain_map> plain_maps;
  int32_t rows, offset;
};

// Lists that a kernel reads, on the device; 0 where there is none.
struct DeviceLists {
  uint64_t terms = 0;     // the terms table, which begins with those of unequal groups
  uint64_t rows = 0;      // the row list of a call whose rows are listed
  uint64_t rows_of_x = 0; // that of X where it has one of its own, as experts whose rows are listed
};

// The layer as a kernel sees it: some of its groups may be one to the kernel.
Layer kernelLayer(const Layer &layer, const GpuKernel &kernel);

// Maps of X and of Y each, of kernels that neither join runs nor find rows in a list: 2 for cyclic types and
// the slot lift, 3 for interval types.
int64_t rowMapCount(const Layer &layer);

// Tiles as the kernel counts them, those that turn out empty included: (cyclic) types times the row tiles of
// the longest segment, (interval) runs times the row tiles of a whole run; times output groups, times column
// tiles of a group; row tiles and column tiles in whole clusters. Kernels that join runs have tiles of their
// own (RunsOfBatch). Where sums of the map dx are stationary, all groups count as one, and each block of a
// cluster for itself. 0 <= offset < period. Of a kernel whose rows are listed: no fewer than have rows.
// Throws Error(ALGRT_INVALID_ARGUMENT) where the count does not fit int32.
int64_t tileCount(const Layer &kernel_layer, const GpuTile &tile, int64_t m, int64_t offset,
                  Map map = Map::Forward);

// Whether a kernel that finds the rows of so many experts in lists can number its tiles, whoever has how many
// of the m rows: as many as if one type of one expert had them all, times its types.
bool numbersTilesOfExperts(const Layer &layer, const GpuKernel &kernel, int64_t experts, int64_t m);

// Throws Error where no kernel can compute m rows at p0: ALGRT_INVALID_ARGUMENT for the numbers,
// ALGRT_UNSUPPORTED for a layer whose row types repeat too late.
void checkRows(const KernelShape &shape, int64_t m, int64_t p0);

// Blocks for so many tiles on a device that runs `blocks` at once: a multiple of the cluster, at least one of
// them.
uint32_t persistentGrid(int64_t tiles, int64_t cluster, int64_t blocks);

// The launch of a kernel for rows p0 ... p0 + m - 1, where `x` is what it reads rows of and `y` what it
// writes, on a device that runs `blocks` at once: so many as it has multiprocessors, or as share all of them.
// Throws Error that says what to change: ALGRT_INVALID_ARGUMENT for m, p0, an address or a leading dimension
// that the kernel cannot take, ALGRT_UNSUPPORTED for a layer whose blocks its maps cannot describe.
LaunchPlan planLaunch(const Layer &layer, const GpuKernel &kernel, const Operands &operands, int64_t m,
                      int64_t p0, int64_t blocks, const DeviceLists &lists = {});
// Of a layer that is not fused.
inline LaunchPlan planLaunch(const Layer &layer, const GpuKernel &kernel, const Operand &x, const Operand &w,
                             const Operand &y, int64_t m, int64_t p0, int64_t blocks,
                             const DeviceLists &lists = {}) {
  return planLaunch(layer, kernel, Operands{x, w, y}, m, p0, blocks, lists);
}

} // namespace algrt::cuda
