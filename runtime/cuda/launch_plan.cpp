#include "runtime/cuda/launch_plan.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <limits>

namespace algrt::cuda {

namespace {

// cuTensorMapEncodeTiled: addresses and strides are multiples of 16 bytes, strides below 2^40.
constexpr uint64_t quantum = 16, stride_limit = uint64_t(1) << 40;
constexpr int64_t most_int32 = std::numeric_limits<int32_t>::max();
// Strides of dimensions of one element are never taken, but have to be legal.
constexpr uint64_t any_stride = quantum;

[[noreturn]] void refuse(algrt_status status, const std::string &what) { throw Error(status, what); }

std::string number(uint64_t value) { return std::to_string(value); }

bool isInterval(const Layer &layer) {
  return layer.lift == Lift::rows && layer.row_types == RowTypesKind::interval;
}

int64_t periodOf(const Layer &layer) {
  if (layer.lift == Lift::slots)
    return 1;
  return isInterval(layer) ? layer.types * layer.row_type_width : layer.types;
}

bool isLegalStride(uint64_t bytes) { return bytes % quantum == 0 && bytes != 0 && bytes < stride_limit; }

// The matrix that a map looks at.
struct Source {
  const char *name; // "x"
  Operand operand;
  ElementType element;
  int64_t element_bytes;
  int64_t row_bytes; // from one row to the next
};

Source sourceOf(const char *name, const Operand &operand, ElementType element, int64_t columns) {
  const int64_t bytes = elementBytes(element);
  if (operand.address % quantum != 0)
    refuse(ALGRT_INVALID_ARGUMENT,
           std::string(name) + ": starts at an address that is not a multiple of 16 bytes: align it");
  if (operand.leading_dimension < columns)
    refuse(ALGRT_INVALID_ARGUMENT, std::string(name) + ": has rows " +
                                       std::to_string(operand.leading_dimension) +
                                       " elements apart, less than their width " + std::to_string(columns));
  const int64_t row_bytes = checkedMultiply(operand.leading_dimension, bytes, name);
  if (uint64_t(row_bytes) % quantum != 0)
    refuse(ALGRT_INVALID_ARGUMENT, std::string(name) + ": has rows " +
                                       std::to_string(operand.leading_dimension) +
                                       " elements apart, which is " + std::to_string(row_bytes) +
                                       " bytes, not a multiple of 16: pad the rows to a multiple of " +
                                       std::to_string(int64_t(quantum) / bytes) + " elements");
  if (uint64_t(row_bytes) >= stride_limit)
    refuse(ALGRT_INVALID_ARGUMENT, std::string(name) + ": has rows " + std::to_string(row_bytes) +
                                       " bytes apart, a tensor map takes less than 2^40");
  return {name, operand, element, bytes, row_bytes};
}

uint64_t addressOf(const Source &source, int64_t row) {
  const int64_t bytes = checkedMultiply(row, source.row_bytes, source.name);
  return checkedAdd(source.operand.address, uint64_t(bytes), source.name);
}

// Four dimensions and their strides in bytes, that of dimension 0 being one element.
TensorMap mapOf(const Source &source, uint64_t address, const std::array<int64_t, 4> &extents,
                const std::array<int64_t, 3> &strides, const std::array<int64_t, 4> &box, int64_t swizzle) {
  TensorMap map{};
  map.address = address;
  map.element = source.element;
  map.rank = 4;
  map.swizzle = int32_t(swizzle);
  for (size_t i = 0; i < 4; ++i) {
    if (extents[i] > most_int32)
      refuse(ALGRT_UNSUPPORTED, std::string(source.name) + ": " + std::to_string(extents[i]) +
                                    " columns, groups or rows of one group do not fit a coordinate of 32 "
                                    "bits: cut the layer into smaller ones");
    map.extents[i] = uint64_t(extents[i]);
    map.box[i] = uint32_t(box[i]);
  }
  for (size_t i = 0; i < 3; ++i) {
    map.strides[i] = uint64_t(strides[i]);
    if (isLegalStride(map.strides[i]))
      continue;
    if (extents[i + 1] > 1)
      refuse(ALGRT_UNSUPPORTED,
             std::string(source.name) + ": a tensor map cannot step over " + number(map.strides[i]) +
                 " bytes, only over multiples of 16 below 2^40: choose group widths that are multiples of " +
                 std::to_string(int64_t(quantum) / source.element_bytes) +
                 ", or the rows of the matrix closer together");
    map.strides[i] = any_stride;
  }
  return map;
}

struct Lines {
  int64_t first_row; // of X
  int64_t count;
  int64_t rows; // of each line
};

// Column, group, line, row.
TensorMap rowMap(const Source &source, int64_t width, int64_t groups, const Lines &lines, int64_t line_step,
                 int64_t row_step, const GpuBox &box) {
  const bool empty = lines.count == 0 || lines.rows == 0;
  const int64_t line_stride = checkedMultiply(line_step, source.row_bytes, source.name);
  const int64_t row_stride = checkedMultiply(row_step, source.row_bytes, source.name);
  return mapOf(source, empty ? source.operand.address : addressOf(source, lines.first_row),
               {width, groups, empty ? 1 : lines.count, empty ? 1 : lines.rows},
               {width * source.element_bytes, line_stride, row_stride}, {box.columns, 1, 1, box.rows},
               box.swizzle);
}

// The maps of X or of Y.
void appendRowMaps(std::vector<TensorMap> &maps, const Source &source, const Layer &layer,
                   const std::vector<int64_t> &groups, const GpuBox &box, int64_t m, int64_t offset) {
  const int64_t width = groups[0], count = int64_t(groups.size());
  if (!isInterval(layer)) {
    const int64_t q = periodOf(layer), longer = m % q;
    for (const Lines &lines : {Lines{0, longer, m / q + 1}, Lines{longer, q - longer, m / q}})
      maps.push_back(rowMap(source, width, count, lines, 1, q, box));
    return;
  }
  const int64_t run = layer.row_type_width, into = offset % run;
  const int64_t first = into == 0 ? 0 : std::min(m, run - into);
  const int64_t whole = (m - first) / run, left = m - first - whole * run;
  for (const Lines &lines :
       {Lines{0, 1, first}, Lines{first, whole, run}, Lines{first + whole * run, 1, left}})
    maps.push_back(rowMap(source, width, count, lines, run, 1, box));
}

// Column, output group, depth, row group; in the slot lift every block has all the columns there are.
TensorMap bankMap(const Source &source, const Layer &layer, const GpuBox &box) {
  const int64_t groups = layer.lift == Lift::rows ? int64_t(layer.out_groups.size()) : 1;
  const int64_t width = layer.bankColumns() / groups, height = layer.bank_rows[0];
  addressOf(source, layer.k);
  return mapOf(source, source.operand.address, {width, groups, height, int64_t(layer.bank_rows.size())},
               {width * source.element_bytes, source.row_bytes,
                checkedMultiply(height, source.row_bytes, source.name)},
               {box.columns, 1, box.rows, 1}, box.swizzle);
}

void checkRows(const Layer &layer, int64_t m, int64_t p0) {
  if (m < 0 || p0 < 0)
    refuse(ALGRT_INVALID_ARGUMENT, "p0 and the number of rows need to be 0 or more");
  if (m >= algrt_most_gpu_rows)
    refuse(ALGRT_INVALID_ARGUMENT, "x has " + std::to_string(m) + " rows, a GPU kernel takes less than " +
                                       std::to_string(int64_t(algrt_most_gpu_rows)) +
                                       ": call once for each part of them");
  if (p0 > std::numeric_limits<int64_t>::max() - m)
    refuse(ALGRT_INVALID_ARGUMENT, "p0 is " + std::to_string(p0) + ": the position of the last of " +
                                       std::to_string(m) + " rows does not fit 64 bits");
  // Kernels add a position below the period and an offset below the period.
  if (periodOf(layer) > most_int32 / 2)
    refuse(ALGRT_UNSUPPORTED, "the row types repeat after " + std::to_string(periodOf(layer)) +
                                  " rows, a GPU kernel takes at most " + std::to_string(most_int32 / 2));
}

} // namespace

Layer kernelLayer(const Layer &layer, const GpuKernel &kernel) {
  return kernel.groups == 0 ? layer : joinGroups(layer, kernel.groups);
}

int64_t rowMapCount(const Layer &layer) {
  return isInterval(layer) ? algrt_interval_row_maps : algrt_cyclic_row_maps;
}

int64_t tileCount(const Layer &layer, const GpuTile &tile, int64_t m, int64_t offset) {
  if (m == 0)
    return 0;
  int64_t lines, longest;
  if (isInterval(layer)) {
    const int64_t run = layer.row_type_width, into = offset % run;
    lines = (into + m - 1) / run + 1;
    longest = run;
  } else {
    lines = periodOf(layer);
    longest = ceilDivide(m, lines);
  }
  int64_t tiles = checkedMultiply(lines, ceilDivide(longest, tile.rows), "tiles of y");
  tiles = checkedMultiply(tiles, int64_t(layer.out_groups.size()), "tiles of y");
  tiles = checkedMultiply(tiles, ceilDivide(layer.out_groups[0], tile.columns), "tiles of y");
  // A kernel adds the size of its grid to the number of its last tile.
  if (tiles > algrt_most_gpu_rows)
    refuse(ALGRT_INVALID_ARGUMENT, "y has " + std::to_string(tiles) + " tiles, a GPU kernel counts up to " +
                                       std::to_string(int64_t(algrt_most_gpu_rows)) +
                                       ": call once for each part of its rows");
  return tiles;
}

LaunchPlan planForward(const Layer &given, const GpuKernel &kernel, const Operand &x, const Operand &w,
                       const Operand &y, int64_t m, int64_t p0, int32_t multiprocessors) {
  const Layer layer = kernelLayer(given, kernel);
  checkRows(layer, m, p0);
  LaunchPlan plan{};
  const int64_t offset = p0 % periodOf(layer);
  plan.tiles = tileCount(layer, kernel.tile, m, offset);
  if (plan.tiles == 0)
    return plan;
  plan.rows = int32_t(m);
  plan.offset = int32_t(offset);
  plan.threads = uint32_t(kernel.threads);
  plan.cluster = uint32_t(kernel.cluster);
  plan.shared_bytes = uint32_t(kernel.shared_bytes);
  const int64_t clusters =
      std::min<int64_t>(multiprocessors / kernel.cluster, ceilDivide(plan.tiles, kernel.cluster));
  plan.grid = uint32_t(std::max<int64_t>(clusters, 1) * kernel.cluster);

  const Source x_source = sourceOf("x", x, layer.dtype, layer.k);
  const Source w_source = sourceOf("w", w, layer.dtype, layer.bankColumns());
  const Source y_source = sourceOf("y", y, kernel.output, layer.n);
  addressOf(x_source, m);
  addressOf(y_source, m);
  appendRowMaps(plan.maps, x_source, layer, layer.in_groups, kernel.x, m, offset);
  plan.maps.push_back(bankMap(w_source, layer, kernel.w));
  appendRowMaps(plan.maps, y_source, layer, layer.out_groups, kernel.y, m, offset);
  return plan;
}

std::vector<int32_t> termsTable(const Layer &layer, const GpuKernel &kernel, const Support &support) {
  const int64_t groups = int64_t(kernelLayer(layer, kernel).out_groups.size());
  const int64_t joined = int64_t(layer.out_groups.size()) / groups;
  const int64_t slots = checkedMultiply(layer.types, groups, "terms table: slots");
  std::vector<int32_t> starts = {0}, terms;
  std::array<Term, 2> storage;
  for (int64_t slot = 0; slot < slots; ++slot) {
    // Groups that are one to the kernel enter together, block for block: the first of each speaks for all.
    for (const Term &term : support.terms(slot / groups, slot % groups * joined, storage)) {
      if (term.input_group % joined != 0 || term.bank_row % joined != 0)
        continue;
      if (term.coefficient != 1 && term.coefficient != -1)
        refuse(ALGRT_UNSUPPORTED, "a term has the coefficient " + std::to_string(term.coefficient) +
                                      ", kernels that read the terms table know 1 and -1");
      const auto bank_row = int32_t(term.bank_row / joined);
      terms.push_back(int32_t(term.input_group / joined));
      terms.push_back(term.coefficient < 0 ? bank_row | std::numeric_limits<int32_t>::min() : bank_row);
    }
    if (int64_t(terms.size()) / 2 > most_int32)
      refuse(ALGRT_UNSUPPORTED, "the layer has more terms than 32 bits count");
    starts.push_back(int32_t(terms.size() / 2));
  }
  starts.insert(starts.end(), terms.begin(), terms.end());
  return starts;
}

} // namespace algrt::cuda
