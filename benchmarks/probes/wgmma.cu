// Question 3: cycles of wgmma m64nNk16 (bf16, f32 sums) by N, by where A lies and by warpgroups on one
// processor; and the rate of the whole chip when it is kept busy.
#include "probe.h"
#include "tensor_core.h"

constexpr int mostThreads = 384;

struct Timing {
  long long cycles, nanoseconds;
};

template <int Width, bool FromRegisters, int Pending, int Stages>
__global__ void __launch_bounds__(mostThreads, 1)
    multiply(int iterations, bool random, Timing *timings, float *sink) {
  extern __shared__ uint8_t storage[];
  __shared__ long long begins[mostThreads / 128], ends[mostThreads / 128];
  const uint32_t base = alignedSharedAddress(storage);
  const int warpgroups = blockDim.x / 128, warpgroup = threadIdx.x / 128;
  fillStages(base, Stages * stageBytes(warpgroups, Width), random);
  const long long beginTime = globalNanoseconds(), begin = clock64();
  float total =
      multiplyStages<Width, FromRegisters, Pending, Stages>(base, warpgroup, warpgroups, iterations);
  const long long end = clock64(), endTime = globalNanoseconds();
  if (threadIdx.x % 128 == 0) {
    begins[warpgroup] = begin;
    ends[warpgroup] = end;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    long long first = begins[0], last = ends[0];
    for (int other = 1; other < warpgroups; ++other) {
      first = min(first, begins[other]);
      last = max(last, ends[other]);
    }
    timings[blockIdx.x] = {last - first, endTime - beginTime};
  }
  if (total == 0.12345f)
    sink[threadIdx.x] = total;
}

struct Scratch {
  DeviceBuffer<Timing> timings;
  DeviceBuffer<float> sink;
};

// Cycles per instruction on one processor: with several warpgroups each issues its own, and all of them
// count.
template <int Width, bool FromRegisters, int Pending>
static double cyclesPerInstruction(Scratch &scratch, int warpgroups) {
  constexpr int stages = 2, iterations = 1024;
  auto kernel = multiply<Width, FromRegisters, Pending, stages>;
  LaunchShape shape;
  shape.blocks = static_cast<int>(scratch.timings.size());
  shape.threads = 128 * warpgroups;
  shape.sharedBytes = stages * stageBytes(warpgroups, Width) + 1024;
  allowSharedBytes(kernel, shape.sharedBytes);
  std::vector<double> cycles;
  for (int repetition = 0; repetition < 2; ++repetition) {
    launch(shape, kernel, iterations, true, scratch.timings.get(), scratch.sink.get());
    synchronize();
    cycles.clear();
    for (const Timing &timing : scratch.timings.download())
      cycles.push_back(static_cast<double>(timing.cycles));
  }
  return median(cycles) / (static_cast<double>(iterations) * stepsPerStage * warpgroups);
}

template <int Width> static void measureWidth(Report &report, Scratch &scratch) {
  report.row(
      {Width, cyclesPerInstruction<Width, false, 1>(scratch, 1),
       cyclesPerInstruction<Width, false, 1>(scratch, 2), cyclesPerInstruction<Width, false, 1>(scratch, 3),
       cyclesPerInstruction<Width, true, 1>(scratch, 1), cyclesPerInstruction<Width, true, 1>(scratch, 2),
       cyclesPerInstruction<Width, true, 1>(scratch, 3), cyclesPerInstruction<Width, false, 0>(scratch, 1)});
}

// Two seconds of the widest instruction on all processors: the first and the last tenth tell whether the
// clock gave in.
template <bool FromRegisters> static void measureChip(Report &report, Scratch &scratch, bool random) {
  constexpr int width = 256, warpgroups = 2, stages = 4, iterations = 80000;
  auto kernel = multiply<width, FromRegisters, 1, stages>;
  LaunchShape shape;
  shape.blocks = static_cast<int>(scratch.timings.size());
  shape.threads = 128 * warpgroups;
  shape.sharedBytes = stages * stageBytes(warpgroups, width) + 1024;
  allowSharedBytes(kernel, shape.sharedBytes);
  const double operations = 2.0 * operandRows * width * instructionDepth * stepsPerStage * warpgroups *
                            iterations * static_cast<double>(shape.blocks);
  cudaEvent_t events[2];
  for (cudaEvent_t &event : events)
    CHECK(cudaEventCreate(&event));
  std::vector<double> rates;
  double elapsed = 0, megahertz = 0;
  while (elapsed < 2000) {
    float milliseconds = 0;
    CHECK(cudaEventRecord(events[0], probeStream()));
    launch(shape, kernel, iterations, random, scratch.timings.get(), scratch.sink.get());
    CHECK(cudaEventRecord(events[1], probeStream()));
    CHECK(cudaEventSynchronize(events[1]));
    CHECK(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
    synchronize();
    Timing timing = scratch.timings.download()[0];
    megahertz = 1e3 * static_cast<double>(timing.cycles) / static_cast<double>(timing.nanoseconds);
    rates.push_back(operations / milliseconds / 1e9);
    elapsed += milliseconds;
  }
  for (cudaEvent_t &event : events)
    CHECK(cudaEventDestroy(event));
  const size_t tenth = std::max<size_t>(1, rates.size() / 10);
  report.row({random ? "random" : "zeros", FromRegisters ? "regs" : "shared",
              median({rates.begin(), rates.begin() + tenth}), median({rates.end() - tenth, rates.end()}),
              megahertz});
}

int main(int argumentCount, char **arguments) {
  Report report("wgmma", argumentCount, arguments);
  const int processors = report.multiprocessors();
  Scratch scratch = {DeviceBuffer<Timing>(processors), DeviceBuffer<float>(mostThreads)};
  report.table(
      "cycles per instruction m64nNk16, 4 per group, one group in flight: A in shared memory or in registers,"
      " by warpgroups; wait0: no group in flight over the wait",
      {"N", "shared1", "shared2", "shared3", "regs1", "regs2", "regs3", "wait0"});
  measureWidth<8>(report, scratch);
  measureWidth<16>(report, scratch);
  measureWidth<24>(report, scratch);
  measureWidth<32>(report, scratch);
  measureWidth<40>(report, scratch);
  measureWidth<48>(report, scratch);
  measureWidth<64>(report, scratch);
  measureWidth<80>(report, scratch);
  measureWidth<96>(report, scratch);
  measureWidth<104>(report, scratch);
  measureWidth<112>(report, scratch);
  measureWidth<128>(report, scratch);
  measureWidth<160>(report, scratch);
  measureWidth<192>(report, scratch);
  measureWidth<208>(report, scratch);
  measureWidth<224>(report, scratch);
  measureWidth<256>(report, scratch);

  report.table(
      "whole chip, m64n256k16, two warpgroups, 2 s each: TFLOP/s at first and at last, clock at last",
      {"data", "A", "first", "last", "MHz"});
  measureChip<false>(report, scratch, true);
  measureChip<false>(report, scratch, false);
  measureChip<true>(report, scratch, true);
  measureChip<false>(report, scratch, true);
  return 0;
}
