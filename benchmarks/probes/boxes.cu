// Question 5: what the copy engine does with boxes narrower than the swizzle span and with boxes past an
// edge, and what the driver's encoder refuses.
#include "hopper.h"
#include "probe.h"

constexpr int boxRows = 16, span = 64, dumpBytes = 4 * boxRows * span * 2;
constexpr uint16_t poison = 0xffff;

struct Outcome {
  int completed; // whether the barrier saw exactly the bytes that it was told to expect
};

__device__ inline void poisonShared(uint32_t base) {
  for (int offset = 4 * threadIdx.x; offset < dumpBytes; offset += 4 * blockDim.x)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + offset), "r"(0xffffffffu) : "memory");
  fenceAsyncProxy();
  __syncthreads();
}

// Loads one box and copies shared memory out as it is. A wrong number of expected bytes never completes the
// barrier: the wait is short, and the data have long arrived when it ends.
__global__ void loadAndDump(const __grid_constant__ CUtensorMap map, int dimensions, int x, int y,
                            uint32_t expected, uint16_t *dump, Outcome *outcome) {
  extern __shared__ uint8_t storage[];
  __shared__ uint64_t ready;
  const uint32_t base = alignedSharedAddress(storage), barrier = sharedAddress(&ready);
  poisonShared(base);
  if (threadIdx.x == 0) {
    initBarrier(barrier, 1);
    fenceBarrierInit();
    arriveExpecting(barrier, expected);
    if (dimensions == 4)
      loadBox(base, map, barrier, x, y, 0, 0);
    else
      loadBox(base, map, barrier, x, y);
    const uint64_t begin = globalNanoseconds();
    bool completed = false;
    while (!completed && globalNanoseconds() - begin < 2000000)
      completed = phaseDone(barrier, 0);
    outcome->completed = completed;
  }
  __syncthreads();
  for (int element = threadIdx.x; element < dumpBytes / 2; element += blockDim.x) {
    uint16_t value;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(base + 2 * element) : "memory");
    dump[element] = value;
  }
}

__device__ __host__ inline uint16_t storedValue(int row, int column) {
  return static_cast<uint16_t>(1 + row * span + column);
}

// Writes a box with rows of 128 bytes in 128-byte swizzle to the map.
__global__ void fillAndStore(const __grid_constant__ CUtensorMap map, int x, int y, int z, int w) {
  extern __shared__ uint8_t storage[];
  const uint32_t base = alignedSharedAddress(storage);
  for (int element = threadIdx.x; element < boxRows * span; element += blockDim.x) {
    int row = element / span, column = element % span;
    uint32_t offset = row * 128 + ((column / 8 ^ row % 8) * 16) + column % 8 * 2;
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(base + offset), "h"(storedValue(row, column)) : "memory");
  }
  fenceAsyncProxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    storeBox(map, base, x, y, z, w);
    commitStores();
    waitForStores<0>();
  }
}

static uint32_t swizzled(uint32_t offset, uint32_t mask) { return offset ^ ((offset >> 7 & mask) << 4); }

static const char *yesOrNo(bool condition) { return condition ? "yes" : "no"; }

int main(int argumentCount, char **arguments) {
  Report report("boxes", argumentCount, arguments);
  const LaunchShape shape = [] {
    LaunchShape result;
    result.threads = 128;
    result.sharedBytes = dumpBytes + 1024;
    return result;
  }();

  // A matrix whose element says where it stands.
  constexpr int columns = 512, rows = 64;
  DeviceBuffer<uint16_t> matrix(columns * rows), dump(dumpBytes / 2);
  DeviceBuffer<Outcome> outcome(1);
  std::vector<uint16_t> identity(columns * rows);
  for (size_t element = 0; element < identity.size(); ++element)
    identity[element] = static_cast<uint16_t>(element);
  matrix.upload(identity);

  report.table("what cuTensorMapEncodeTiled says (2D unless said otherwise)", {"code", "map"});
  struct Encoding {
    const char *name;
    std::vector<uint64_t> sizes, strides;
    std::vector<uint32_t> box;
    CUtensorMapSwizzle swizzle;
  };
  const CUtensorMapSwizzle none = CU_TENSOR_MAP_SWIZZLE_NONE, wide = CU_TENSOR_MAP_SWIZZLE_128B;
  const Encoding encodings[] = {
      {"64 columns, 128B swizzle", {512, 64}, {1024}, {64, 16}, wide},
      {"40 columns (80 bytes), 128B swizzle", {512, 64}, {1024}, {40, 16}, wide},
      {"40 columns, 64B swizzle", {512, 64}, {1024}, {40, 16}, CU_TENSOR_MAP_SWIZZLE_64B},
      {"20 columns (40 bytes), 128B swizzle", {512, 64}, {1024}, {20, 16}, wide},
      {"20 columns, no swizzle", {512, 64}, {1024}, {20, 16}, none},
      {"24 columns (48 bytes), 128B swizzle", {512, 64}, {1024}, {24, 16}, wide},
      {"72 columns (144 bytes), 128B swizzle", {512, 64}, {1024}, {72, 16}, wide},
      {"72 columns, no swizzle", {512, 64}, {1024}, {72, 16}, none},
      {"256 rows", {512, 512}, {1024}, {64, 256}, wide},
      {"257 rows", {512, 512}, {1024}, {64, 257}, wide},
      {"box longer than the matrix", {512, 8}, {1024}, {64, 16}, wide},
      {"matrix of 20 columns, box of 64", {20, 64}, {1024}, {64, 16}, wide},
      {"row stride of 40 bytes", {20, 64}, {40}, {16, 16}, none},
      {"4D, group of 20 columns (stride 40 bytes)", {20, 4, 2, 16}, {40, 160, 320}, {64, 1, 1, 16}, wide},
      {"4D, group of 40 columns (stride 80 bytes)", {40, 4, 2, 16}, {80, 320, 640}, {64, 1, 1, 16}, wide},
      {"4D, group of 100 columns (stride 200 bytes)",
       {100, 4, 2, 16},
       {200, 800, 1600},
       {64, 1, 1, 16},
       wide},
      {"4D, group of 104 columns (stride 208 bytes)",
       {104, 4, 2, 16},
       {208, 832, 1664},
       {64, 1, 1, 16},
       wide},
  };
  for (const Encoding &encoding : encodings) {
    const uint32_t steps[5] = {1, 1, 1, 1, 1};
    CUtensorMap map;
    CUresult status = cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, static_cast<uint32_t>(encoding.sizes.size()), matrix.get(),
        encoding.sizes.data(), encoding.strides.data(), encoding.box.data(), steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, encoding.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    report.row(
        {status == CUDA_SUCCESS ? "taken" : driverErrorName(status), std::string("  ") + encoding.name});
  }

  // Where each element of the box came to lie, against two guesses: rows a swizzle span apart, or rows
  // packed.
  report.table(
      "box of 16 rows: elements found at row pitch = span, at packed pitch, bytes written; whether the "
      "barrier"
      " completes when it expects the box's own bytes, or 16 full spans; where rows 0, 1, 2, 9 begin",
      {"columns", "span", "atSpan", "packed", "written", "own ok", "span ok", "row0", "row1", "row2",
       "row9"});
  struct Box {
    int columns;
    CUtensorMapSwizzle swizzle;
    int span;
    uint32_t mask;
  };
  const Box boxes[] = {{64, wide, 128, 7},
                       {40, wide, 128, 7},
                       {24, wide, 128, 7},
                       {8, wide, 128, 7},
                       {24, CU_TENSOR_MAP_SWIZZLE_64B, 64, 3},
                       {40, none, 80, 0}};
  for (const Box &box : boxes) {
    CUtensorMap map;
    CUresult status = encodeMap(map, matrix.get(), {columns, rows}, {columns * 2},
                                {static_cast<uint32_t>(box.columns), boxRows}, box.swizzle);
    if (status != CUDA_SUCCESS) {
      report.row({box.columns, box.span, driverErrorName(status)});
      continue;
    }
    // The box begins at column 80, row 3, so that no zero is among its values.
    const int firstColumn = 80, firstRow = 3;
    bool completed[2];
    std::vector<uint16_t> found;
    for (int attempt = 0; attempt < 2; ++attempt) {
      const uint32_t expected = attempt == 0 ? box.columns * boxRows * 2 : box.span * boxRows;
      launch(shape, loadAndDump, map, 2, firstColumn, firstRow, expected, dump.get(), outcome.get());
      synchronize();
      completed[attempt] = outcome.download()[0].completed != 0;
      if (attempt == 0)
        found = dump.download();
    }
    int atSpan = 0, packed = 0, written = 0, begins[boxRows];
    for (uint16_t value : found)
      written += value != poison;
    for (int row = 0; row < boxRows; ++row) {
      begins[row] = -1;
      for (int column = 0; column < box.columns; ++column) {
        const uint16_t value = identity[(firstRow + row) * columns + firstColumn + column];
        const uint32_t spaced = row * box.span + column * 2, dense = (row * box.columns + column) * 2;
        atSpan += found[swizzled(spaced, box.mask) / 2] == value;
        packed += found[swizzled(dense, box.mask) / 2] == value;
        if (column == 0)
          for (size_t place = 0; place < found.size() && begins[row] < 0; ++place)
            if (found[place] == value)
              begins[row] = static_cast<int>(2 * place);
      }
    }
    report.row({box.columns, box.span, atSpan, packed, 2 * written, yesOrNo(completed[0]),
                yesOrNo(completed[1]), begins[0], begins[1], begins[2], begins[9]});
  }

  // A map (column, group, phase, row): boxes of 64 columns and 16 rows of one group and one phase.
  constexpr int groups = 4, phases = 2;
  report.table("4D map (column, group, phase, row), box of 64 columns x 16 rows, stored at column x of group "
               "1, phase 1:"
               " elements of the group's part that are right, of how many; elements written elsewhere",
               {"columns", "rows", "x", "right", "of", "elsewhere"});
  struct Clip {
    int columns, rows, x;
  };
  const Clip clips[] = {{64, 16, 0},   {40, 16, 0},   {40, 12, 0}, {104, 16, 0},
                        {104, 16, 64}, {104, 12, 64}, {8, 16, 0}};
  for (const Clip &clip : clips) {
    const int total = clip.columns * groups * phases * boxRows; // the map may end before the memory does
    DeviceBuffer<uint16_t> output(total);
    output.fillBytes(0xff);
    const uint64_t groupBytes = clip.columns * 2;
    CUtensorMap map;
    CUresult status = encodeMap(
        map, output.get(),
        {static_cast<uint64_t>(clip.columns), groups, phases, static_cast<uint64_t>(clip.rows)},
        {groupBytes, groups * groupBytes, phases * groups * groupBytes}, {span, 1, 1, boxRows}, wide);
    if (status != CUDA_SUCCESS) {
      report.row({clip.columns, clip.rows, driverErrorName(status)});
      continue;
    }
    launch(shape, fillAndStore, map, clip.x, 1, 1, 0);
    synchronize();
    const std::vector<uint16_t> values = output.download();
    int right = 0, elsewhere = 0, due = 0;
    for (int index = 0; index < total; ++index) {
      const int column = index % clip.columns, group = index / clip.columns % groups;
      const int phase = index / (clip.columns * groups) % phases,
                row = index / (clip.columns * groups * phases);
      const bool inside =
          group == 1 && phase == 1 && row < clip.rows && column >= clip.x && column < clip.x + span;
      due += inside;
      if (inside)
        right += values[index] == storedValue(row, column - clip.x);
      else
        elsewhere += values[index] != poison;
    }
    report.row({clip.columns, clip.rows, clip.x, right, due, elsewhere});
  }

  report.table(
      "the same map on loads, column 0 of group 1, phase 0: elements right, past the edge zero, of how many;"
      " whether the barrier completes when it expects the whole box",
      {"columns", "right", "of", "zero", "of", "whole ok"});
  for (int width : {64, 40, 8}) {
    const uint64_t groupBytes = width * 2;
    CUtensorMap map;
    CUresult status = encodeMap(map, matrix.get(), {static_cast<uint64_t>(width), groups, phases, boxRows},
                                {groupBytes, groups * groupBytes, phases * groups * groupBytes},
                                {span, 1, 1, boxRows}, wide);
    if (status != CUDA_SUCCESS) {
      report.row({width, driverErrorName(status)});
      continue;
    }
    launch(shape, loadAndDump, map, 4, 0, 1, boxRows * span * 2, dump.get(), outcome.get());
    synchronize();
    const std::vector<uint16_t> found = dump.download();
    int right = 0, zero = 0;
    for (int row = 0; row < boxRows; ++row)
      for (int column = 0; column < span; ++column) {
        const uint16_t value = found[swizzled(row * 128 + column * 2, 7) / 2];
        if (column < width)
          right += value == identity[(row * phases * groups + 1) * width + column];
        else
          zero += value == 0;
      }
    report.row({width, right, width * boxRows, zero, (span - width) * boxRows,
                yesOrNo(outcome.download()[0].completed != 0)});
  }
  return 0;
}
