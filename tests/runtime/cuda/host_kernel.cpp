#include "tests/runtime/cuda/host_kernel.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/numeric/bfloat16.h"

#include <cstring>
#include <stdexcept>

namespace algrt::test {

namespace {

using Coordinates = std::array<int64_t, 4>;

class Map {
public:
  explicit Map(const std::byte *object) {
    const auto decoded = cuda_stand_in::decodeTensorMap(object);
    if (!decoded || decoded->rank != 4)
      throw std::logic_error("a parameter is not a tensor map of four dimensions");
    content_ = *decoded;
  }

  int64_t extent(size_t dimension) const { return int64_t(content_.extents[dimension]); }
  int64_t box(size_t dimension) const { return content_.box[dimension]; }

  float load(const Coordinates &at) const {
    const std::byte *element = find(at);
    if (element == nullptr)
      return 0;
    uint16_t bits;
    std::memcpy(&bits, element, sizeof(bits));
    return fromBfloat16(bits);
  }

  void store(const Coordinates &at, float value) const {
    std::byte *element = find(at);
    if (element == nullptr)
      return;
    if (content_.element_bytes == 4) {
      std::memcpy(element, &value, sizeof(value));
      return;
    }
    const uint16_t bits = toBfloat16(value);
    std::memcpy(element, &bits, sizeof(bits));
  }

private:
  std::byte *find(const Coordinates &at) const {
    uint64_t address = content_.address + uint64_t(at[0] * content_.element_bytes);
    for (size_t i = 0; i < 4; ++i) {
      if (at[i] < 0 || at[i] >= extent(i))
        return nullptr;
      if (i > 0)
        address += uint64_t(at[i]) * content_.strides[i - 1];
    }
    return reinterpret_cast<std::byte *>(address);
  }

  cuda_stand_in::TensorMapContent content_;
};

struct Line {
  size_t map;
  int64_t index; // within the map
  int64_t rows;
  int64_t type;
};

struct Kernel {
  const GpuShape &shape;
  std::vector<Map> x, y;
  Map w;
  int64_t rows, offset;
  const int32_t *terms;

  // Line `number` of all, as the header counts them; no rows where it is beyond the last.
  Line line(int64_t number) const {
    if (shape.lift == Lift::slots || shape.row_types == RowTypesKind::cyclic) {
      const int64_t q = shape.types(), longer = rows % q;
      const int64_t type = (number + offset) % q;
      return number < longer ? Line{0, number, rows / q + 1, type} : Line{1, number - longer, rows / q, type};
    }
    const int64_t run = shape.run, into = offset % run;
    const int64_t first = into > 0 ? std::min(rows, run - into) : 0, before = into > 0 ? 1 : 0;
    const int64_t whole = (rows - first) / run, type = (offset / run + number) % shape.types();
    if (number < before)
      return {0, 0, first, type};
    if (number < before + whole)
      return {1, number - before, run, type};
    return {2, 0, rows - first - whole * run, type};
  }

  int64_t lines() const {
    if (shape.lift == Lift::slots || shape.row_types == RowTypesKind::cyclic)
      return shape.types();
    int64_t count = 0;
    for (int64_t row = 0; row < rows; ++row) // runs that some row belongs to
      count += row == 0 || (offset + row) % shape.run == 0;
    return count;
  }

  int64_t longestLine() const {
    if (shape.lift == Lift::slots || shape.row_types == RowTypesKind::cyclic)
      return (rows + shape.types() - 1) / shape.types();
    return shape.run;
  }

  // Pairs of input group and bank row, negative coefficients marked.
  std::vector<std::array<int32_t, 2>> termsOf(int64_t type, int64_t group) const {
    if (terms == nullptr) {
      const int32_t low = int32_t(std::min(type, group)), high = int32_t(std::max(type, group));
      return low == high ? std::vector<std::array<int32_t, 2>>{{low, low}}
                         : std::vector<std::array<int32_t, 2>>{{low, low}, {high, high}};
    }
    const int32_t *first = terms + shape.types() * shape.groups + 1;
    std::vector<std::array<int32_t, 2>> result;
    for (int32_t i = terms[type * shape.groups + group]; i < terms[type * shape.groups + group + 1]; ++i)
      result.push_back({first[2 * i], first[2 * i + 1]});
    return result;
  }

  void tile(const Line &from, int64_t first_row, int64_t group, int64_t first_column) const {
    const Map &input = x[from.map], &output = y[from.map];
    const int64_t tile_rows = input.box(3), tile_columns = output.box(0), depth = input.box(0);
    std::vector<float> sum(size_t(tile_rows * tile_columns), 0);
    for (const auto &[input_group, marked] : termsOf(from.type, group)) {
      const float sign = marked < 0 ? -1.0f : 1.0f;
      const int64_t bank_row = marked & INT32_MAX, bank_group = shape.lift == Lift::slots ? 0 : group;
      for (int64_t start = 0; start < shape.in; start += depth)
        for (int64_t r = 0; r < tile_rows; ++r)
          for (int64_t c = 0; c < tile_columns; ++c)
            for (int64_t d = start; d < start + depth; ++d)
              sum[size_t(r * tile_columns + c)] += sign *
                                                   input.load({d, input_group, from.index, first_row + r}) *
                                                   w.load({first_column + c, bank_group, d, bank_row});
    }
    for (int64_t r = 0; r < tile_rows; ++r)
      for (int64_t c = 0; c < tile_columns; ++c)
        output.store({first_column + c, group, from.index, first_row + r}, sum[size_t(r * tile_columns + c)]);
  }

  void block(int64_t number, int64_t grid) const {
    const int64_t row_tiles = (longestLine() + y[0].box(3) - 1) / y[0].box(3);
    const int64_t column_tiles = (shape.out + y[0].box(0) - 1) / y[0].box(0);
    const int64_t tiles = lines() * row_tiles * shape.groups * column_tiles;
    for (int64_t t = number; t < tiles; t += grid) {
      const Line from = line(t / column_tiles / shape.groups / row_tiles);
      const int64_t first_row = t / column_tiles / shape.groups % row_tiles * y[0].box(3);
      if (first_row < from.rows)
        tile(from, first_row, t / column_tiles % shape.groups, t % column_tiles * y[0].box(0));
    }
  }
};

template <typename T> T scalar(const std::vector<std::byte> &parameter) {
  T value;
  if (parameter.size() != sizeof(value))
    throw std::logic_error("a parameter of the wrong size");
  std::memcpy(&value, parameter.data(), sizeof(value));
  return value;
}

} // namespace

void runHostKernel(const GpuShape &shape, const cuda_stand_in::Launch &launch) {
  const bool interval = shape.lift == Lift::rows && shape.row_types == RowTypesKind::interval;
  const size_t row_maps = interval ? algrt_interval_row_maps : algrt_cyclic_row_maps;
  const auto map = [&](size_t i) { return Map(launch.parameters.at(0).data() + i * algrt_tensor_map_bytes); };
  Kernel kernel{shape,
                {},
                {},
                map(row_maps),
                scalar<int32_t>(launch.parameters.at(1)),
                scalar<int32_t>(launch.parameters.at(2)),
                reinterpret_cast<const int32_t *>(scalar<uint64_t>(launch.parameters.at(3)))};
  for (size_t i = 0; i < row_maps; ++i) {
    kernel.x.push_back(map(i));
    kernel.y.push_back(map(row_maps + 1 + i));
  }
  for (int64_t block = 0; block < launch.grid; ++block)
    kernel.block(block, launch.grid);
}

} // namespace algrt::test
