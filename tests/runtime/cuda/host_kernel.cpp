#include "tests/runtime/cuda/host_kernel.h"

#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/cuda/host_map.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace algrt::test {

namespace {

using Coordinates = HostMap::Coordinates;
using Map = HostMap;

struct Tile {
  int64_t rows, columns, depth;
};
constexpr Tile manifest_tile = {16, 32, 32}; // of gpuManifest

struct Line {
  size_t map;
  int64_t index; // within the map
  int64_t rows;
  int64_t type;
};

struct KernelTerm {
  int64_t input_group, weight_row;
  float coefficient;
};

struct Kernel {
  const GpuShape &shape;
  Tile sizes;
  std::vector<Map> x, y;
  Map w;
  int64_t rows, offset;
  const int32_t *terms;

  // Segment `number` of all, as the header counts them; no rows where it is beyond the last.
  Line line(int64_t number) const {
    if (shape.lift == Lift::Slots || shape.row_types == RowTypesKind::Cyclic) {
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
    if (shape.lift == Lift::Slots || shape.row_types == RowTypesKind::Cyclic)
      return shape.types();
    int64_t count = 0;
    for (int64_t row = 0; row < rows; ++row) // runs that some row belongs to
      count += row == 0 || (offset + row) % shape.run == 0;
    return count;
  }

  int64_t longestLine() const {
    if (shape.lift == Lift::Slots || shape.row_types == RowTypesKind::Cyclic)
      return (rows + shape.types() - 1) / shape.types();
    return shape.run;
  }

  std::vector<KernelTerm> termsOf(int64_t type, int64_t group) const {
    if (terms == nullptr && shape.gradient) {
      std::vector<KernelTerm> result;
      for (int64_t from = 0; from < shape.groups; ++from)
        if (type == group || from == group)
          result.push_back({from, from, 1});
      return result;
    }
    if (terms == nullptr) {
      const int64_t low = std::min(type, group), high = std::max(type, group);
      return low == high ? std::vector<KernelTerm>{{low, low, 1}}
                         : std::vector<KernelTerm>{{low, low, 1}, {high, high, 1}};
    }
    const int64_t words = shape.scaled ? 3 : 2;
    const int32_t *first = terms + shape.types() * shape.groups + 1;
    std::vector<KernelTerm> result;
    for (int32_t i = terms[type * shape.groups + group]; i < terms[type * shape.groups + group + 1]; ++i) {
      const int32_t *term = first + words * i;
      result.push_back({term[0], term[1] & INT32_MAX, term[1] < 0 ? -1.0f : 1.0f});
      if (shape.scaled)
        std::memcpy(&result.back().coefficient, &term[2], sizeof(float));
    }
    return result;
  }

  // Behind the terms: the groups of every type, most terms first, among equals by their number.
  void checkOrder() const {
    const int32_t *starts = terms, *order = terms + shape.types() * shape.groups + 1 +
                                            (shape.scaled ? 3 : 2) * starts[shape.types() * shape.groups];
    for (int64_t type = 0; type < shape.types(); ++type, order += shape.groups, starts += shape.groups)
      for (int64_t rank = 1; rank < shape.groups; ++rank) {
        const int32_t one = order[rank - 1], next = order[rank];
        const int32_t more = starts[one + 1] - starts[one], fewer = starts[next + 1] - starts[next];
        if (more < fewer || (more == fewer && one >= next))
          throw std::logic_error("the groups of a type are not in order");
      }
  }

  void tile(const Line &from, int64_t first_row, int64_t group, int64_t first_column) const {
    const Map &input = x[from.map], &output = y[from.map];
    const auto [tile_rows, tile_columns, depth] = sizes;
    std::vector<float> sum(size_t(tile_rows * tile_columns), 0);
    std::vector<float> partial(sum.size(), 0);
    const std::vector<KernelTerm> all = termsOf(from.type, group);
    const bool slots = shape.lift == Lift::Slots;
    // Of the weight matrix as it lies: depth and columns are in each other's place in a gradient, and so are
    // the groups.
    const auto weights = [&](int64_t d, int64_t c, int64_t row) {
      return shape.gradient ? w.load({d, slots ? 0 : row, c, slots ? row : group})
                            : w.load({c, slots ? 0 : group, d, row});
    };
    for (size_t t = 0; t < all.size(); ++t) {
      for (int64_t start = 0; start < shape.depth(); start += depth)
        for (int64_t r = 0; r < tile_rows; ++r)
          for (int64_t c = 0; c < tile_columns; ++c)
            for (int64_t d = start; d < start + depth; ++d)
              partial[size_t(r * tile_columns + c)] +=
                  input.load({d, all[t].input_group, from.index, first_row + r}) *
                  weights(d, first_column + c, all[t].weight_row);
      // Products of one coefficient are added first: the table has them one after another.
      if (t + 1 < all.size() && all[t + 1].coefficient == all[t].coefficient)
        continue;
      for (size_t u = t + 2; shape.scaled && u < all.size(); ++u)
        if (all[u].coefficient == all[t].coefficient)
          throw std::logic_error("terms of one coefficient are apart");
      for (size_t i = 0; i < sum.size(); ++i) {
        sum[i] += all[t].coefficient * partial[i];
        partial[i] = 0;
      }
    }
    for (int64_t r = 0; r < tile_rows; ++r)
      for (int64_t c = 0; c < tile_columns; ++c)
        output.store({first_column + c, group, from.index, first_row + r}, sum[size_t(r * tile_columns + c)]);
  }

  void block(int64_t number, int64_t grid) const {
    const int64_t row_tiles = (longestLine() + sizes.rows - 1) / sizes.rows;
    const int64_t column_tiles = (shape.width() + sizes.columns - 1) / sizes.columns;
    const int64_t tiles = lines() * row_tiles * shape.groups * column_tiles;
    for (int64_t t = number; t < tiles; t += grid) {
      const Line from = line(t / column_tiles / shape.groups / row_tiles);
      const int64_t first_row = t / column_tiles / shape.groups % row_tiles * sizes.rows;
      if (first_row < from.rows)
        tile(from, first_row, t / column_tiles % shape.groups, t % column_tiles * sizes.columns);
    }
  }
};

} // namespace

void runHostKernel(const GpuShape &shape, const cuda_stand_in::Launch &launch) {
  const bool interval = shape.lift == Lift::Rows && shape.row_types == RowTypesKind::Interval;
  const size_t row_maps = interval ? algrt_interval_row_maps : algrt_cyclic_row_maps;
  const std::byte *maps = launch.parameters.at(0).data();
  const int64_t y_bytes = launch.symbol.find("f32") != std::string::npos ? 4 : 2;
  const auto map = [&](size_t i) {
    if (shape.vector == 0)
      return Map::tensor(maps + i * algrt_tensor_map_bytes);
    return Map::plain(maps + i * algrt_plain_map_bytes, i > row_maps ? y_bytes : 2, shape.vector);
  };
  if (launch.parameters[0].size() !=
      (2 * row_maps + 1) * size_t(shape.vector == 0 ? algrt_tensor_map_bytes : algrt_plain_map_bytes))
    throw std::logic_error("the struct of maps has another size");
  Kernel kernel{shape,
                manifest_tile,
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
  // The boxes of tensor maps are the manifest's tile.
  if (shape.vector == 0)
    kernel.sizes = {kernel.x[0].box(3), kernel.y[0].box(0), kernel.x[0].box(0)};
  if (shape.longest_first > 0 && kernel.terms != nullptr)
    kernel.checkOrder();
  for (int64_t block = 0; block < launch.grid; ++block)
    kernel.block(block, launch.grid);
}

} // namespace algrt::test
