// Question 1: how fast is device memory, by size and by the mix of reads and writes; what do stores in short
// segments cost; how large is the part of L2 that keeps its rate.
#include "hopper.h"
#include "probe.h"

constexpr int threadsPerBlock = 512;
constexpr int unrolled = 4;

__device__ inline void combine(uint4 &sum, const uint4 &value) {
  sum.x ^= value.x;
  sum.y ^= value.y;
  sum.z ^= value.z;
  sum.w ^= value.w;
}

// `Reads` streams of `count` vectors each, one after another in `source`; the target gets their combination.
template <int Reads, bool Writes>
__global__ void __launch_bounds__(threadsPerBlock)
    stream(const uint4 *__restrict__ source, uint4 *__restrict__ target, size_t count) {
  const size_t step = static_cast<size_t>(gridDim.x) * threadsPerBlock * unrolled;
  uint4 kept = make_uint4(1, 2, 3, 4);
  for (size_t first = static_cast<size_t>(blockIdx.x) * threadsPerBlock * unrolled + threadIdx.x;
       first < count; first += step) {
    uint4 values[unrolled];
#pragma unroll
    for (int index = 0; index < unrolled; ++index) {
      values[index] = make_uint4(static_cast<uint32_t>(first), index, 7, 9);
      size_t position = first + index * threadsPerBlock;
      if (position < count) {
#pragma unroll
        for (int read = 0; read < Reads; ++read)
          combine(values[index], __ldcg(source + read * count + position));
      }
    }
#pragma unroll
    for (int index = 0; index < unrolled; ++index) {
      size_t position = first + index * threadsPerBlock;
      if (Writes && position < count)
        target[position] = values[index];
      else
        combine(kept, values[index]);
    }
  }
  // Never true for random data, but the compiler cannot know.
  if (!Writes && kept.x == 0x12345678u && kept.y == 0x9abcdef0u)
    target[threadIdx.x] = kept;
}

struct Mix {
  void (*kernel)(const uint4 *, uint4 *, size_t);
  int reads, writes;
};

// Bytes per second of launches that move `bytes` each; `rotate` gives every launch its own part of the
// buffers, so that L2 holds none of it, as long as the buffers are much larger than L2.
static double streamRate(const Mix &mix, size_t bytes, bool rotate, DeviceBuffer<uint4> &source,
                         DeviceBuffer<uint4> &target, int processors) {
  const size_t count = bytes / sizeof(uint4) / (mix.reads + mix.writes);
  const size_t sourceParts = mix.reads ? source.size() / (mix.reads * count) : 1;
  const size_t targetParts = target.size() / count;
  const int nodes = static_cast<int>(std::clamp<size_t>((size_t{1} << 30) / bytes, 2, 128));
  double best = 1e30;
  for (bool persistent : {false, true}) {
    size_t needed = (count + threadsPerBlock * unrolled - 1) / (threadsPerBlock * unrolled);
    LaunchShape shape;
    shape.threads = threadsPerBlock;
    shape.blocks = static_cast<int>(persistent ? std::min<size_t>(needed, 4 * processors) : needed);
    best = std::min(best, microsecondsPerNode(nodes, 5, [&](int node) {
                      size_t part = rotate ? node : 0;
                      launch(shape, mix.kernel, source.get() + part % sourceParts * (mix.reads * count),
                             target.get() + part % targetParts * count, count);
                    }));
  }
  return bytes / best * 1e6;
}

// L2: every thread reads one vector per step; the blocks' reach moves through the working set and wraps. With
// `shift` zero (and a working set that is a multiple of the threads) a processor meets the same addresses in
// each round, else others, so that every processor reads everything, as operands shared by many tiles are.
__global__ void __launch_bounds__(threadsPerBlock)
    readAgain(const uint4 *source, uint32_t count, uint32_t shift, int steps, uint4 *sink) {
  const uint32_t total = gridDim.x * threadsPerBlock;
  uint32_t position = blockIdx.x * threadsPerBlock + threadIdx.x;
  uint4 kept = make_uint4(0, 0, 0, 0);
  for (int step = 0; step < steps; step += 8) {
#pragma unroll
    for (int index = 0; index < 8; ++index) {
      combine(kept, __ldcg(source + position));
      position += total;
      if (position >= count) {
        position += shift - count;
        if (position >= count)
          position -= count;
      }
    }
  }
  if (kept.x == 0x12345678u && kept.y == 0x9abcdef0u)
    sink[threadIdx.x] = kept;
}

// The output of a product with many types: rows of one type lie `rowStride` apart, a tile has 128 of them and
// `segment` bytes of each. In the first order a block keeps its phase and walks the groups along the rows; in
// the other the blocks stand next to each other along the rows.
constexpr int segmentRows = 128, phases = 256, pitch = 65536;

struct SegmentShape {
  size_t rowStride, phaseStride;
  int segment, groups;
  bool blocksAlongRows;
};

__global__ void __launch_bounds__(256) storeSegments(uint8_t *target, SegmentShape shape) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int walk = 0; walk < shape.groups; ++walk) {
    int task = walk * gridDim.x + blockIdx.x;
    int phase = shape.blocksAlongRows ? task / shape.groups : blockIdx.x;
    int group = shape.blocksAlongRows ? task % shape.groups : walk;
    uint8_t *tile = target + phase * shape.phaseStride + static_cast<size_t>(group) * shape.segment;
#pragma unroll 4
    for (int row = warp; row < segmentRows; row += 8)
      for (int offset = 8 * lane; offset < shape.segment; offset += 256)
        *reinterpret_cast<uint2 *>(tile + row * shape.rowStride + offset) = make_uint2(task, row ^ offset);
  }
}

// The same in the first order, with the copy engine: boxes without swizzle, always the same shared memory.
__global__ void __launch_bounds__(128)
    storeSegmentBoxes(const __grid_constant__ CUtensorMap map, int columns, int groups) {
  extern __shared__ uint8_t storage[];
  const uint32_t base = alignedSharedAddress(storage);
  for (int offset = 4 * threadIdx.x; offset < segmentRows * columns * 2; offset += 512)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + offset), "r"(scramble(offset)) : "memory");
  fenceAsyncProxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int group = 0; group < groups; ++group) {
      storeBox(map, base, group * columns, blockIdx.x, 0);
      commitStores();
      waitForStoreReads<1>();
    }
    waitForStores<0>();
  }
}

int main(int argumentCount, char **arguments) {
  Report report("memory", argumentCount, arguments);
  const int processors = report.multiprocessors();
  const size_t gigabyte = size_t{1} << 30;
  DeviceBuffer<uint4> source(2 * gigabyte / sizeof(uint4)), target(2 * gigabyte / sizeof(uint4));
  for (auto *buffer : {&source, &target})
    randomise(*buffer, processors);

  const Mix mixes[] = {
      {stream<1, false>, 1, 0}, {stream<0, true>, 0, 1}, {stream<1, true>, 1, 1}, {stream<2, true>, 2, 1}};
  for (bool rotate : {true, false}) {
    report.table(
        rotate
            ? "TB/s read + written, MB moved per launch; every launch on other memory (launch cost included)"
            : "TB/s read + written; every launch on the same memory",
        {"MB", "read", "write", "copy1:1", "copy2:1"});
    for (size_t megabytes = 1; megabytes <= (rotate ? 2048 : 64); megabytes *= 2) {
      std::vector<Cell> cells = {static_cast<int>(megabytes)};
      for (const Mix &mix : mixes)
        cells.push_back(streamRate(mix, megabytes << 20, rotate, source, target, processors) / 1e12);
      report.row(cells);
    }
  }

  report.table("TB/s read again and again by working set: each processor its own part, or everything",
               {"MB", "own", "everything"});
  LaunchShape readers;
  readers.blocks = 4 * processors;
  readers.threads = threadsPerBlock;
  const uint32_t perStep = readers.blocks * threadsPerBlock;
  for (int rounds : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 32}) {
    std::vector<Cell> cells = {rounds * static_cast<double>(perStep) * sizeof(uint4) / 1e6};
    for (uint32_t shift : {0u, 37u * threadsPerBlock}) {
      const int steps = 960;
      double time = microseconds(
          5, [&] { launch(readers, readAgain, source.get(), rounds * perStep, shift, steps, target.get()); });
      synchronize();
      cells.push_back(static_cast<double>(steps) * perStep * sizeof(uint4) / time / 1e6);
    }
    report.row(cells);
  }

  report.table("stores, TB/s: tiles of 128 rows x segment; rows 16.8 MB apart, rows 64 KB apart, blocks "
               "along the rows",
               {"bytes", "strided", "compact", "along", "engine"});
  uint8_t *bytes = reinterpret_cast<uint8_t *>(target.get());
  for (int segment : {64, 80, 128, 200, 208, 256, 400, 512}) {
    std::vector<Cell> cells = {segment};
    const int groups = pitch / segment;
    const double written = static_cast<double>(groups) * segment * segmentRows * phases;
    LaunchShape shape;
    shape.blocks = phases;
    shape.threads = 256;
    const size_t far = static_cast<size_t>(phases) * pitch,
                 compact = static_cast<size_t>(segmentRows) * pitch;
    const SegmentShape shapes[] = {{far, pitch, segment, groups, false},
                                   {pitch, compact, segment, groups, false},
                                   {far, pitch, segment, groups, true}};
    for (const SegmentShape &segments : shapes)
      cells.push_back(written / microseconds(3, [&] { launch(shape, storeSegments, bytes, segments); }) /
                      1e6);
    if (segment % 16 == 0) {
      CUtensorMap map;
      const uint32_t columns = segment / 2;
      CHECK(encodeMap(map, bytes, {pitch / 2, phases, segmentRows}, {pitch, far}, {columns, 1, segmentRows},
                      CU_TENSOR_MAP_SWIZZLE_NONE));
      shape.threads = 128;
      shape.sharedBytes = segmentRows * segment + 1024;
      allowSharedBytes(storeSegmentBoxes, shape.sharedBytes);
      double time =
          microseconds(3, [&] { launch(shape, storeSegmentBoxes, map, static_cast<int>(columns), groups); });
      synchronize();
      cells.push_back(written / time / 1e6);
    } else {
      cells.push_back(NAN);
    }
    report.row(cells);
  }
  return 0;
}
