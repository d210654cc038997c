// The steady loop over wgmma that two probes time: stages of one A tile for each warpgroup and one B tile for
// all, as a kernel has it that keeps its operands in shared memory.
#pragma once

#include "hopper.h"
#include "wgmma_instructions.h"

constexpr int tileDepth = 64;                               // columns of a tile along the contraction
constexpr int instructionDepth = 16;                        // columns that one instruction takes
constexpr int stepsPerStage = tileDepth / instructionDepth; // instructions per commit group
constexpr int rowBytes = 2 * tileDepth;
constexpr int operandRows = 64; // rows of A per warpgroup

constexpr __host__ __device__ int stageBytes(int warpgroups, int width) {
  return (warpgroups * operandRows + width) * rowBytes;
}

// All threads of the block fill the stages; zeros where `random` is false.
__device__ inline void fillStages(uint32_t base, int bytes, bool random) {
  for (int offset = 4 * threadIdx.x; offset < bytes; offset += 4 * blockDim.x) {
    uint32_t value = random ? randomPair(blockIdx.x * 65536u + offset) : 0;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + offset), "r"(value) : "memory");
  }
  fenceAsyncProxy();
  __syncthreads();
}

// Runs `iterations` stages (a multiple of Stages) and returns the sum of the accumulators, so that nothing
// can be left out. Pending is how many commit groups stay in flight: 1 is the steady state of a kernel, 0
// exposes the latency.
template <int Width, bool FromRegisters, int Pending, int Stages>
__device__ inline float multiplyStages(uint32_t base, int warpgroup, int warpgroups, int iterations) {
  float sum[Width / 2];
#pragma unroll
  for (int index = 0; index < Width / 2; ++index)
    sum[index] = 0;
  // The widest sums leave no registers for a fragment per step; the instruction costs the same with the same
  // fragment.
  constexpr int fragments = Width > 208 ? 1 : stepsPerStage;
  uint32_t fragment[fragments][4];
  if (FromRegisters) {
#pragma unroll
    for (int step = 0; step < fragments; ++step)
#pragma unroll
      for (int part = 0; part < 4; ++part)
        asm volatile("ld.shared.u32 %0, [%1];"
                     : "=r"(fragment[step][part])
                     : "r"(base + 4 * (threadIdx.x % 128) + 512 * (4 * step + part)));
  }
  // Descriptors live in uniform registers. The broadcast tells the compiler that the warpgroup is uniform,
  // and stages known at compile time keep all of them out of the loop: else moving them would take longer
  // than a narrow instruction.
  const int own = __shfl_sync(0xffffffffu, warpgroup, 0);
  const uint32_t bytes = stageBytes(warpgroups, Width);
  const uint64_t a = tileDescriptor(base + own * operandRows * rowBytes);
  const uint64_t b = tileDescriptor(base + warpgroups * operandRows * rowBytes);
  for (int iteration = 0; iteration < iterations; iteration += Stages) {
#pragma unroll
    for (int stage = 0; stage < Stages; ++stage) {
      fenceAccumulators();
#pragma unroll
      for (int step = 0; step < stepsPerStage; ++step) {
        const uint64_t offset = (stage * bytes + step * instructionDepth * 2) >> 4;
        if constexpr (FromRegisters)
          Wgmma<Width>::fromRegisters(sum, fragment[step % fragments], b + offset);
        else
          Wgmma<Width>::fromShared(sum, a + offset, b + offset);
      }
      commitProducts();
      waitForProducts<Pending>();
    }
  }
  waitForProducts<0>();
  float total = 0;
#pragma unroll
  for (int index = 0; index < Width / 2; ++index)
    total += sum[index];
  return total;
}
