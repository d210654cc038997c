// Questions 4 and 6: what a launch in a graph costs before any work, what the smallest kernel costs that does
// one load and one store through the copy engine, and whether fetching the tensor maps early helps.
#include "hopper.h"
#include "probe.h"

constexpr int threadsPerBlock = 384;

template <bool Programmatic> __global__ void __launch_bounds__(threadsPerBlock, 1) nothing() {
  if (Programmatic) {
    letDependentsLaunch();
    waitForPredecessors();
  }
}

constexpr int boxColumns = 64, boxRows = 128, boxBytes = boxColumns * boxRows * 2, barriers = 8;

struct Latency {
  int loaded, finished; // cycles from the start of the block
};

template <bool Programmatic, bool Prefetch>
__global__ void __launch_bounds__(threadsPerBlock, 1)
    oneBox(const __grid_constant__ CUtensorMap input, const __grid_constant__ CUtensorMap output,
           Latency *latencies) {
  extern __shared__ uint8_t storage[];
  __shared__ uint64_t ready[barriers];
  const uint32_t base = alignedSharedAddress(storage);
  const long long begin = clock64();
  if (threadIdx.x == 0) {
    if (Prefetch) {
      prefetchMap(input);
      prefetchMap(output);
    }
    for (int barrier = 0; barrier < barriers; ++barrier)
      initBarrier(sharedAddress(&ready[barrier]), 1);
    fenceBarrierInit();
  }
  if (Programmatic)
    letDependentsLaunch();
  __syncthreads();
  if (Programmatic)
    waitForPredecessors();
  if (threadIdx.x == 0) {
    const uint32_t barrier = sharedAddress(&ready[0]);
    arriveExpecting(barrier, boxBytes);
    loadBox(base, input, barrier, 0, blockIdx.x * boxRows);
  }
  waitForPhase(sharedAddress(&ready[0]), 0);
  if (threadIdx.x == 0) {
    const long long loaded = clock64();
    // The box goes out as it came: nothing was written by ordinary stores, so no proxy fence is due.
    storeBox(output, base, 0, blockIdx.x * boxRows);
    commitStores();
    waitForStores<0>();
    if (latencies)
      latencies[blockIdx.x] = {static_cast<int>(loaded - begin), static_cast<int>(clock64() - begin)};
  }
}

constexpr int nodes = 100, repetitions = 9;

static LaunchShape shapeOf(int processors, int cluster, int kilobytes, bool programmatic) {
  LaunchShape shape;
  shape.blocks = processors / cluster * cluster;
  shape.threads = threadsPerBlock;
  shape.sharedBytes = kilobytes * 1024;
  shape.cluster = cluster;
  shape.programmatic = programmatic;
  return shape;
}

int main(int argumentCount, char **arguments) {
  Report report("launch", argumentCount, arguments);
  const int processors = report.multiprocessors();
  allowSharedBytes(nothing<false>, 200 * 1024);
  allowSharedBytes(nothing<true>, 200 * 1024);

  report.table(
      "empty kernel, one block of 32 threads: us per launch in a graph of 100 to 300, and a whole graph of 1",
      {"us", "pdl us", "graph of 1"});
  LaunchShape tiny;
  tiny.threads = 32;
  LaunchShape tinyProgrammatic = tiny;
  tinyProgrammatic.programmatic = true;
  report.row({microsecondsPerNode(nodes, repetitions, [&](int) { launch(tiny, nothing<false>); }),
              microsecondsPerNode(nodes, repetitions, [&](int) { launch(tinyProgrammatic, nothing<true>); }),
              replayMicroseconds(1, repetitions, [&](int) { launch(tiny, nothing<false>); })});

  report.table("empty kernel, one block of 384 threads per processor: us per launch, plain and with "
               "programmatic edges",
               {"cluster", "blocks", "fit", "1KB", "pdl 1KB", "100KB", "pdl 100KB", "200KB", "pdl 200KB"});
  for (int cluster : {1, 2, 4, 8}) {
    LaunchShape shape = shapeOf(processors, cluster, 200, false);
    std::vector<Cell> cells = {cluster, shape.blocks, activeClusters(shape, nothing<false>) * cluster};
    for (int kilobytes : {1, 100, 200}) {
      shape = shapeOf(processors, cluster, kilobytes, false);
      cells.push_back(microsecondsPerNode(nodes, repetitions, [&](int) { launch(shape, nothing<false>); }));
      shape.programmatic = true;
      cells.push_back(microsecondsPerNode(nodes, repetitions, [&](int) { launch(shape, nothing<true>); }));
    }
    report.row(cells);
  }

  const size_t elements = static_cast<size_t>(processors) * boxRows * boxColumns;
  DeviceBuffer<uint16_t> first(elements), second(elements);
  DeviceBuffer<Latency> latencies(processors);
  std::vector<uint16_t> expected(elements);
  for (size_t element = 0; element < elements; ++element)
    expected[element] = static_cast<uint16_t>(element * 2654435761u >> 9);
  first.upload(expected);
  second.fillBytes(0xff);
  CUtensorMap maps[2];
  for (int index = 0; index < 2; ++index)
    CHECK(encodeMap(maps[index], index ? second.get() : first.get(),
                    {boxColumns, static_cast<uint64_t>(processors) * boxRows}, {boxColumns * 2},
                    {boxColumns, boxRows}, CU_TENSOR_MAP_SWIZZLE_128B));

  report.table(
      "one box of 16 KB in and out per block, each kernel reads what the one before wrote: us per launch,"
      " cycles until the box is there and until it is stored",
      {"prefetch", "pdl", "100KB", "200KB", "200KB c2", "loaded", "stored", "right"});
  struct Variant {
    bool prefetch, programmatic;
    void (*kernel)(CUtensorMap, CUtensorMap, Latency *);
  };
  const Variant variants[] = {{false, false, oneBox<false, false>},
                              {false, true, oneBox<true, false>},
                              {true, false, oneBox<false, true>},
                              {true, true, oneBox<true, true>}};
  for (const Variant &variant : variants) {
    allowSharedBytes(variant.kernel, 200 * 1024);
    second.fillBytes(0xff);
    std::vector<Cell> cells = {variant.prefetch ? "yes" : "no", variant.programmatic ? "yes" : "no"};
    for (int kind = 0; kind < 3; ++kind) {
      LaunchShape shape = shapeOf(processors, kind == 2 ? 2 : 1, kind == 0 ? 100 : 200, variant.programmatic);
      cells.push_back(microsecondsPerNode(nodes, repetitions, [&](int node) {
        launch(shape, variant.kernel, maps[node % 2], maps[1 - node % 2],
               kind == 1 ? latencies.get() : static_cast<Latency *>(nullptr));
      }));
    }
    synchronize();
    std::vector<double> loaded, stored;
    for (const Latency &latency : latencies.download()) {
      loaded.push_back(latency.loaded);
      stored.push_back(latency.finished);
    }
    cells.push_back(median(loaded));
    cells.push_back(median(stored));
    cells.push_back(first.download() == expected && second.download() == expected ? "yes" : "NO");
    report.row(cells);
  }
  return 0;
}
