// Blocks that fetch boxes of a matrix through the copy engine, and the rate at which they arrive.
#pragma once

#include "hopper.h"
#include "probe.h"

constexpr int mostStages = 16;
constexpr int sharedCapacity = 224 * 1024;

// How boxes are numbered: along the columns first, then over the phases (3D only), then down the rows.
struct Walk {
  int columns, rows, slice, boxesAcross, phases, boxesDown, iterations, stages;
  uint32_t bytes; // of a whole box in shared memory, all slices together
};

template <int Dimensions, int Cluster>
__global__ void __launch_bounds__(64) fetchBoxes(const __grid_constant__ CUtensorMap map, const Walk walk) {
  extern __shared__ uint8_t storage[];
  __shared__ uint64_t filled[mostStages], freed[mostStages];
  const uint32_t base = alignedSharedAddress(storage);
  const uint32_t rank = Cluster > 1 ? rankInCluster() : 0;
  const int group = blockIdx.x / Cluster, groups = gridDim.x / Cluster;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < walk.stages; ++stage) {
      initBarrier(sharedAddress(&filled[stage]), 1);
      initBarrier(sharedAddress(&freed[stage]), Cluster);
    }
    fenceBarrierInit();
  }
  __syncthreads();
  if (Cluster > 1)
    synchronizeCluster();

  if (threadIdx.x == 0) {
    uint32_t stage = 0,
             parity = 1; // a fresh barrier counts as past its parity-1 phase: the first round does not wait
    int box = group;
    for (int iteration = 0; iteration < walk.iterations; ++iteration) {
      const uint32_t barrier = sharedAddress(&filled[stage]);
      waitForPhase(sharedAddress(&freed[stage]), parity);
      arriveExpecting(barrier, walk.bytes);
      const int across = box % walk.boxesAcross, rest = box / walk.boxesAcross;
      const int column = across * walk.columns;
      const uint32_t target = base + stage * walk.bytes;
      if constexpr (Dimensions == 3)
        loadBox(target, map, barrier, column, rest % walk.phases, rest / walk.phases * walk.rows);
      else if constexpr (Cluster == 1)
        loadBox(target, map, barrier, column, rest * walk.rows);
      else
        multicastBox(target + rank * (walk.bytes / Cluster), map, barrier, (1u << Cluster) - 1, column,
                     rest * walk.rows + rank * walk.slice);
      box += groups;
      if (box >= walk.boxesAcross * walk.phases * walk.boxesDown)
        box = group;
      if (++stage == static_cast<uint32_t>(walk.stages)) {
        stage = 0;
        parity ^= 1;
      }
    }
  } else if (threadIdx.x == 32) {
    uint32_t stage = 0, parity = 0;
    for (int iteration = 0; iteration < walk.iterations; ++iteration) {
      waitForPhase(sharedAddress(&filled[stage]), parity);
      const uint32_t barrier = sharedAddress(&freed[stage]);
      if (Cluster == 1)
        arrive(barrier);
      else
        for (int block = 0; block < Cluster; ++block)
          arriveRemotely(barrier, block);
      if (++stage == static_cast<uint32_t>(walk.stages)) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
  // No block may leave while another still writes its shared memory or signals its barriers.
  __syncthreads();
  if (Cluster > 1)
    synchronizeCluster();
}

struct Matrix {
  const char *name;
  size_t bytes;
  double fetched; // bytes read per launch
};

constexpr int matrixColumns = 1024;

// Bytes per second that arrive in shared memory, on the whole device.
template <int Dimensions, int Cluster>
static double fetchRate(uint8_t *data, const Matrix &matrix, int boxColumns, int boxRows, int stages,
                        int processors) {
  Walk walk = {};
  walk.columns = boxColumns;
  walk.rows = boxRows;
  walk.slice = boxRows / Cluster;
  walk.stages = stages;
  walk.bytes = boxColumns * boxRows * 2;
  walk.boxesAcross = matrixColumns / boxColumns;
  const uint64_t pitch = matrixColumns * 2, rows = matrix.bytes / pitch;
  const CUtensorMapSwizzle swizzle =
      boxColumns == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B;
  CUtensorMap map;
  if (Dimensions == 3) {
    // 256 rows of each phase, far apart: neighbouring rows belong to other phases.
    const uint64_t ownRows = 256, phases = rows / ownRows;
    walk.phases = static_cast<int>(phases);
    walk.boxesDown = static_cast<int>(ownRows / boxRows);
    CHECK(encodeMap(map, data, {matrixColumns, phases, ownRows}, {pitch, phases * pitch},
                    {static_cast<uint32_t>(boxColumns), 1, static_cast<uint32_t>(boxRows)}, swizzle));
  } else {
    walk.phases = 1;
    walk.boxesDown = static_cast<int>(rows / boxRows);
    CHECK(encodeMap(map, data, {matrixColumns, rows}, {pitch},
                    {static_cast<uint32_t>(boxColumns), static_cast<uint32_t>(walk.slice)}, swizzle));
  }
  auto kernel = fetchBoxes<Dimensions, Cluster>;
  LaunchShape shape;
  shape.threads = 64;
  shape.cluster = Cluster;
  // Full shared memory in any case: one block per processor.
  shape.sharedBytes = sharedCapacity + 1024;
  shape.blocks = processors / Cluster * Cluster;
  allowSharedBytes(kernel, shape.sharedBytes);
  if (Cluster > 1)
    shape.blocks = std::min(shape.blocks, activeClusters(shape, kernel) * Cluster);
  const double perIteration = static_cast<double>(shape.blocks / Cluster) * walk.bytes;
  walk.iterations = static_cast<int>(matrix.fetched / perIteration);
  double time = microseconds(3, [&] { launch(shape, kernel, map, walk); });
  synchronize();
  return perIteration * Cluster * walk.iterations / time * 1e6;
}
