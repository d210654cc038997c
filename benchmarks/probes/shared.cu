// Question 8: how many bytes per cycle the shared memory of one processor takes and gives, and whether wgmma
// with both operands in shared memory slows down when another warpgroup, or the copy engine, uses the same
// port.
#include "probe.h"
#include "tensor_core.h"

enum class Access { load, store, loadMatrix, storeMatrix, copyEngine, none };

constexpr int portBytes = 64 * 1024; // the part of shared memory that the accesses walk through
constexpr int unrolled = 8;

// One round: `unrolled` accesses of 16 bytes per thread, a warp's 512 bytes in a row: free of bank conflicts.
template <Access Kind>
__device__ inline void accessPort(uint32_t base, uint32_t offset, uint32_t (&kept)[4]) {
#pragma unroll
  for (int index = 0; index < unrolled; ++index) {
    const uint32_t address = base + (offset + index * 2048) % portBytes;
    if constexpr (Kind == Access::load || Kind == Access::loadMatrix) {
      uint32_t value[4];
      if constexpr (Kind == Access::load)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                     : "r"(address)
                     : "memory");
      else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                     : "r"(address)
                     : "memory");
#pragma unroll
      for (int part = 0; part < 4; ++part)
        kept[part] ^= value[part];
    } else if constexpr (Kind == Access::store) {
      asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(kept[0]), "r"(kept[1]),
                   "r"(kept[2]), "r"(kept[3])
                   : "memory");
    } else if constexpr (Kind == Access::storeMatrix) {
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                   "r"(kept[0]), "r"(kept[1]), "r"(kept[2]), "r"(kept[3])
                   : "memory");
    }
  }
}

template <Access Kind>
__global__ void __launch_bounds__(1024, 1) usePort(int rounds, long long *cycles, uint32_t *sink) {
  extern __shared__ uint8_t storage[];
  __shared__ long long begins[32], ends[32];
  const uint32_t base = alignedSharedAddress(storage);
  fillStages(base, portBytes, true);
  uint32_t kept[4] = {threadIdx.x, 1, 2, 3};
  uint32_t offset = threadIdx.x * 16 % portBytes;
  const long long begin = clock64();
  for (int round = 0; round < rounds; ++round) {
    accessPort<Kind>(base, offset, kept);
    offset = (offset + unrolled * 2048) % portBytes;
  }
  __syncwarp();
  const long long end = clock64();
  if (threadIdx.x % 32 == 0) {
    begins[threadIdx.x / 32] = begin;
    ends[threadIdx.x / 32] = end;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    long long first = begins[0], last = ends[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
      first = min(first, begins[warp]);
      last = max(last, ends[warp]);
    }
    cycles[blockIdx.x] = last - first;
  }
  if ((kept[0] ^ kept[1] ^ kept[2] ^ kept[3]) == 0x12345678u)
    sink[threadIdx.x] = kept[0];
}

template <Access Kind>
static double portRate(int warps, DeviceBuffer<long long> &cycles, DeviceBuffer<uint32_t> &sink) {
  const int rounds = 2048;
  LaunchShape shape;
  shape.blocks = static_cast<int>(cycles.size());
  shape.threads = 32 * warps;
  shape.sharedBytes = portBytes + 1024;
  allowSharedBytes(usePort<Kind>, shape.sharedBytes);
  for (int repetition = 0; repetition < 2; ++repetition)
    launch(shape, usePort<Kind>, rounds, cycles.get(), sink.get());
  synchronize();
  std::vector<double> values;
  for (long long value : cycles.download())
    values.push_back(static_cast<double>(value));
  return static_cast<double>(rounds) * unrolled * 16 * shape.threads / median(values);
}

constexpr int engineStages = 4, engineColumns = 64, engineRows = 128,
              engineBytes = engineColumns * engineRows * 2;
static_assert(engineStages * engineBytes == portBytes, "the copy engine fills the same part");

struct Contention {
  long long cycles;         // of the slowest warpgroup that multiplies
  long long portCycles;     // of the last warpgroup
  unsigned long long moved; // bytes that the last warpgroup, or the copy engine, moved in that time
};

constexpr int productStages = 2;

// All warpgroups but the last multiply; the last one uses the port until they are done.
template <int Width, bool FromRegisters, int Warpgroups, Access Kind>
__global__ void __launch_bounds__((Warpgroups + 1) * 128, 1)
    multiplyBeside(const __grid_constant__ CUtensorMap map, int boxes, int iterations, Contention *results,
                   float *sink) {
  extern __shared__ uint8_t storage[];
  __shared__ long long begins[Warpgroups], ends[Warpgroups];
  __shared__ uint64_t ready[engineStages];
  __shared__ int finished;
  const uint32_t base = alignedSharedAddress(storage);
  const int warpgroup = threadIdx.x / 128;
  const uint32_t port = base + productStages * stageBytes(Warpgroups, Width);
  if (threadIdx.x == 0) {
    finished = 0;
    for (int stage = 0; stage < engineStages; ++stage)
      initBarrier(sharedAddress(&ready[stage]), 1);
    fenceBarrierInit();
  }
  fillStages(base, productStages * stageBytes(Warpgroups, Width) + portBytes, true);
  if (warpgroup < Warpgroups) {
    const long long begin = clock64();
    float total =
        multiplyStages<Width, FromRegisters, 1, productStages>(base, warpgroup, Warpgroups, iterations);
    const long long end = clock64();
    if (threadIdx.x % 128 == 0) {
      begins[warpgroup] = begin;
      ends[warpgroup] = end;
      atomicAdd(&finished, 1);
    }
    if (total == 0.12345f)
      sink[threadIdx.x] = total;
  } else {
    const volatile int *done = &finished;
    const long long begin = clock64();
    unsigned long long moved = 0;
    if constexpr (Kind == Access::copyEngine) {
      if (threadIdx.x % 128 == 0) {
        int box = blockIdx.x, issued = 0, received = 0;
        uint32_t parity = 0;
        for (;;) {
          const bool last = *done == Warpgroups;
          if (last && received == issued)
            break;
          if (!last && issued - received < engineStages) {
            const uint32_t stage = issued % engineStages, barrier = sharedAddress(&ready[stage]);
            arriveExpecting(barrier, engineBytes);
            loadBox(port + stage * engineBytes, map, barrier, 0, box * engineRows);
            ++issued;
            box += gridDim.x;
            if (box >= boxes)
              box = blockIdx.x;
          } else {
            const uint32_t stage = received % engineStages;
            waitForPhase(sharedAddress(&ready[stage]), parity);
            if (stage == engineStages - 1)
              parity ^= 1;
            ++received;
          }
        }
        moved = static_cast<unsigned long long>(received) * engineBytes;
      }
    } else if constexpr (Kind != Access::none) {
      uint32_t kept[4] = {threadIdx.x, 1, 2, 3};
      uint32_t offset = threadIdx.x % 128 * 16;
      while (*done < Warpgroups) {
        for (int round = 0; round < 16; ++round) {
          accessPort<Kind>(port, offset, kept);
          offset = (offset + unrolled * 2048) % portBytes;
        }
        moved += 16ull * unrolled * 128 * 16;
      }
      if ((kept[0] ^ kept[1] ^ kept[2] ^ kept[3]) == 0x12345678u)
        sink[threadIdx.x] = 1.0f;
    }
    if (threadIdx.x % 128 == 0) {
      results[blockIdx.x].portCycles = clock64() - begin;
      results[blockIdx.x].moved = moved;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    long long first = begins[0], last = ends[0];
    for (int other = 1; other < Warpgroups; ++other) {
      first = min(first, begins[other]);
      last = max(last, ends[other]);
    }
    results[blockIdx.x].cycles = last - first;
  }
}

struct Scratch {
  CUtensorMap map;
  int boxes;
  DeviceBuffer<Contention> results;
  DeviceBuffer<float> sink;
};

template <int Width, bool FromRegisters, int Warpgroups, Access Kind>
static void measureBeside(std::vector<Cell> &cells, Scratch &scratch) {
  auto kernel = multiplyBeside<Width, FromRegisters, Warpgroups, Kind>;
  const int iterations = 4096;
  LaunchShape shape;
  shape.blocks = static_cast<int>(scratch.results.size());
  shape.threads = 128 * (Warpgroups + 1);
  shape.sharedBytes = productStages * stageBytes(Warpgroups, Width) + portBytes + 1024;
  allowSharedBytes(kernel, shape.sharedBytes);
  for (int repetition = 0; repetition < 2; ++repetition)
    launch(shape, kernel, scratch.map, scratch.boxes, iterations, scratch.results.get(), scratch.sink.get());
  synchronize();
  std::vector<double> steps, rates;
  for (const Contention &result : scratch.results.download()) {
    steps.push_back(static_cast<double>(result.cycles) /
                    (static_cast<double>(iterations) * stepsPerStage * Warpgroups));
    rates.push_back(static_cast<double>(result.moved) / static_cast<double>(result.portCycles));
  }
  cells.push_back(median(steps));
  if (Kind != Access::none)
    cells.push_back(median(rates));
}

template <int Width, bool FromRegisters, int Warpgroups>
static void measureContention(Report &report, Scratch &scratch) {
  std::vector<Cell> cells = {Width, Warpgroups, FromRegisters ? "regs" : "shared"};
  measureBeside<Width, FromRegisters, Warpgroups, Access::none>(cells, scratch);
  measureBeside<Width, FromRegisters, Warpgroups, Access::load>(cells, scratch);
  measureBeside<Width, FromRegisters, Warpgroups, Access::store>(cells, scratch);
  measureBeside<Width, FromRegisters, Warpgroups, Access::storeMatrix>(cells, scratch);
  measureBeside<Width, FromRegisters, Warpgroups, Access::copyEngine>(cells, scratch);
  report.row(cells);
}

int main(int argumentCount, char **arguments) {
  Report report("shared", argumentCount, arguments);
  const int processors = report.multiprocessors();
  DeviceBuffer<long long> cycles(processors);
  DeviceBuffer<uint32_t> words(1024);
  report.table("bytes per cycle and processor, 16 bytes per thread and access, no conflicts",
               {"warps", "ld.v4", "st.v4", "ldmatr", "stmatr"});
  for (int warps : {1, 4, 8, 12, 16, 32})
    report.row({warps, portRate<Access::load>(warps, cycles, words),
                portRate<Access::store>(warps, cycles, words),
                portRate<Access::loadMatrix>(warps, cycles, words),
                portRate<Access::storeMatrix>(warps, cycles, words)});

  // 16 MB of boxes one below the other: they stay in L2.
  const uint64_t rows = (uint64_t{16} << 20) / (engineColumns * 2);
  DeviceBuffer<uint8_t> source(rows * engineColumns * 2);
  randomise(source, processors);
  Scratch scratch = {{},
                     static_cast<int>(rows / engineRows),
                     DeviceBuffer<Contention>(processors),
                     DeviceBuffer<float>(1024)};
  CHECK(encodeMap(scratch.map, source.get(), {engineColumns, rows}, {engineColumns * 2},
                  {engineColumns, engineRows}, CU_TENSOR_MAP_SWIZZLE_128B));
  report.table(
      "cycles per instruction m64nNk16 while the last warpgroup does nothing, loads, stores, does stmatrix, "
      "or"
      " the copy engine loads from L2; bytes per cycle (B/c) that these reach meanwhile",
      {"N", "groups", "A", "alone", "load", "B/c", "store", "B/c", "stmatr", "B/c", "engine", "B/c"});
  measureContention<256, false, 2>(report, scratch);
  measureContention<256, true, 2>(report, scratch);
  measureContention<256, false, 1>(report, scratch);
  measureContention<192, false, 2>(report, scratch);
  measureContention<128, false, 2>(report, scratch);
  measureContention<128, false, 3>(report, scratch);
  measureContention<96, false, 3>(report, scratch);
  measureContention<64, false, 3>(report, scratch);
  measureContention<64, true, 3>(report, scratch);
  return 0;
}
