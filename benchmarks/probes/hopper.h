// Hopper's own instructions as small functions: barriers in shared memory, the bulk tensor copy engine,
// clusters, the tensor cores' descriptors and fences.
#pragma once

#include "probe.h"

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ inline uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Swizzled boxes want 1024-byte alignment, which dynamic shared memory does not promise: allocate 1024 bytes
// more.
__device__ inline uint32_t alignedSharedAddress(const void *pointer) {
  return (sharedAddress(pointer) + 1023u) & ~1023u;
}

// A cheap hash: data that toggles as many bits as real data.
__device__ inline uint32_t scramble(uint32_t value) {
  value ^= value >> 16;
  value *= 0x7feb352du;
  value ^= value >> 15;
  value *= 0x846ca68bu;
  return value ^ (value >> 16);
}

// Two bf16 numbers, uniform in [-1, 1).
__device__ inline uint32_t randomPair(uint32_t seed) {
  uint32_t bits = scramble(seed);
  float low = static_cast<float>(bits & 0xffffu) / 32768.0f - 1.0f;
  float high = static_cast<float>(bits >> 16) / 32768.0f - 1.0f;
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<uint32_t *>(&pair);
}

__global__ void fillRandom(uint32_t *data, size_t words) {
  size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t word = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; word < words; word += step)
    data[word] = randomPair(static_cast<uint32_t>(word));
}

// Fills a whole buffer, and waits.
template <typename Element> void randomise(const DeviceBuffer<Element> &buffer, int multiprocessors) {
  LaunchShape shape;
  shape.blocks = 8 * multiprocessors;
  shape.threads = 256;
  launch(shape, fillRandom, reinterpret_cast<uint32_t *>(buffer.get()), buffer.size() * sizeof(Element) / 4);
  synchronize();
}

__device__ inline uint64_t globalNanoseconds() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// Barriers.

__device__ inline void initBarrier(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ inline void fenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void fenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void arriveExpecting(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Arrives at the barrier that lies at the same place in another block of the cluster.
__device__ inline void arriveRemotely(uint32_t barrier, uint32_t block) {
  asm volatile("{\n"
               ".reg .b32 remote;\n"
               "mapa.shared::cluster.u32 remote, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
               "}" ::"r"(barrier),
               "r"(block)
               : "memory");
}

__device__ inline bool phaseDone(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  asm volatile("{\n"
               ".reg .pred complete;\n"
               "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
               "selp.u32 %0, 1, 0, complete;\n"
               "}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}

// A wait that lasts for seconds is a mistake in the probe: a trap ends the program with an error instead of a
// hang.
__device__ inline void waitForPhase(uint32_t barrier, uint32_t parity) {
  if (phaseDone(barrier, parity))
    return;
  long long begin = clock64();
  while (!phaseDone(barrier, parity))
    if (clock64() - begin > 4000000000ll)
      __trap();
}

__device__ inline void synchronizeCluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ inline uint32_t rankInCluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The copy engine. Coordinates count elements, from the contiguous dimension outwards.

__device__ inline void prefetchMap(const CUtensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ inline void loadBox(uint32_t target, const CUtensorMap &map, uint32_t barrier, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
               "%4}], [%2];" ::"r"(target),
               "l"(&map), "r"(barrier), "r"(x), "r"(y)
               : "memory");
}

__device__ inline void loadBox(uint32_t target, const CUtensorMap &map, uint32_t barrier, int x, int y,
                               int z) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(target),
               "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
               : "memory");
}

__device__ inline void loadBox(uint32_t target, const CUtensorMap &map, uint32_t barrier, int x, int y, int z,
                               int w) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(target),
               "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
               : "memory");
}

// Writes the box, and signals the barrier, at the same place in every block of the cluster that `blocks`
// names.
__device__ inline void multicastBox(uint32_t target, const CUtensorMap &map, uint32_t barrier,
                                    uint16_t blocks, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "h"(blocks)
      : "memory");
}

__device__ inline void storeBox(const CUtensorMap &map, uint32_t source, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
               "r"(source), "r"(x), "r"(y)
               : "memory");
}

__device__ inline void storeBox(const CUtensorMap &map, uint32_t source, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
               "r"(source), "r"(x), "r"(y), "r"(z)
               : "memory");
}

__device__ inline void storeBox(const CUtensorMap &map, uint32_t source, int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map),
      "r"(source), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

__device__ inline void commitStores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

template <int Pending> __device__ inline void waitForStores() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

template <int Pending> __device__ inline void waitForStoreReads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// Launches that depend on each other.

__device__ inline void letDependentsLaunch() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__device__ inline void waitForPredecessors() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// The tensor cores.

// A tile with 64 bf16 columns along the contraction in 128-byte swizzle: eight rows fill 1024 bytes.
__device__ inline uint64_t tileDescriptor(uint32_t address) {
  return static_cast<uint64_t>((address & 0x3ffffu) >> 4) | (uint64_t{1} << 16) |
         (uint64_t{1024 >> 4} << 32) | (uint64_t{1} << 62);
}

__device__ inline void fenceAccumulators() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ inline void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int Pending> __device__ inline void waitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
