#include "tests/runtime/cuda/host_weight_kernel.h"

#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/cuda/host_map.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace algrt::test {

namespace {

using Coordinates = HostMap::Coordinates;
using Map = HostMap;

constexpr int64_t tile_rows = 16, tile_columns = 32; // of gpuManifest

struct WeightTerm {
  int64_t type, input_group, output_group; // of type `types`: all rows
  float coefficient;
};

struct WeightKernel {
  const GpuShape &shape;
  std::vector<Map> x, dy;
  Map dw;
  int64_t rows, offset;
  const int32_t *terms;
  float beta;

  bool cyclic() const { return shape.lift == Lift::Slots || shape.row_types == RowTypesKind::Cyclic; }
  int64_t columnsOfBlocks() const { return shape.lift == Lift::Slots ? 1 : shape.groups; }

  std::vector<WeightTerm> termsOf(int64_t weight_row, int64_t column) const {
    if (terms == nullptr)
      return {{weight_row == column ? shape.types() : weight_row, weight_row, column, 1}};
    const int64_t words = shape.scaled ? 4 : 3, blocks = shape.groups * columnsOfBlocks();
    const int64_t block = weight_row * columnsOfBlocks() + column;
    std::vector<WeightTerm> result;
    for (int32_t i = terms[block]; i < terms[block + 1]; ++i) {
      const int32_t *term = terms + blocks + 1 + words * i;
      result.push_back({term[0], term[1], term[2] & INT32_MAX, term[2] < 0 ? -1.0f : 1.0f});
      if (shape.scaled)
        std::memcpy(&result.back().coefficient, &term[3], sizeof(float));
    }
    return result;
  }

  // Behind the terms: the columns of blocks of every row group, each once.
  void checkOrder() const {
    const int64_t columns = columnsOfBlocks(), blocks = shape.groups * columns;
    const int32_t *order = terms + blocks + 1 + (shape.scaled ? 4 : 3) * terms[blocks];
    for (int64_t row = 0; row < shape.groups; ++row, order += columns) {
      std::vector<int32_t> seen(order, order + columns);
      std::sort(seen.begin(), seen.end());
      for (int64_t column = 0; column < columns; ++column)
        if (seen[size_t(column)] != column)
          throw std::logic_error("the order of a row of blocks leaves one out");
    }
  }

  // Where each row of the batch stands that has the type, or of all of them: map, segment and row within it.
  std::vector<std::array<int64_t, 3>> rowsOf(int64_t type) const {
    std::vector<std::array<int64_t, 3>> places;
    const int64_t q = shape.types(), all_rows = int64_t(x.size()) - 1;
    for (int64_t row = 0; row < rows; ++row) {
      if (type == q) {
        places.push_back({all_rows, 0, row});
      } else if (cyclic()) {
        const int64_t phase = row % q, longer = rows % q;
        if ((phase + offset) % q == type)
          places.push_back({phase < longer ? 0 : 1, phase < longer ? phase : phase - longer, row / q});
      } else if ((offset + row) / shape.run % q == type) {
        const int64_t into = offset % shape.run, first = into > 0 ? std::min(rows, shape.run - into) : 0;
        const int64_t whole = (rows - first) / shape.run;
        if (row < first)
          places.push_back({0, 0, row});
        else if (row < first + whole * shape.run)
          places.push_back({1, (row - first) / shape.run, (row - first) % shape.run});
        else
          places.push_back({2, 0, row - first - whole * shape.run});
      }
    }
    return places;
  }

  void tile(int64_t weight_row, int64_t feature, int64_t column_of_blocks, int64_t column) const {
    std::vector<float> sum(size_t(tile_rows * tile_columns), 0);
    for (const WeightTerm &term : termsOf(weight_row, column_of_blocks))
      for (const auto &[map, line, row] : rowsOf(term.type))
        for (int64_t f = 0; f < tile_rows; ++f)
          for (int64_t c = 0; c < tile_columns; ++c)
            sum[size_t(f * tile_columns + c)] +=
                term.coefficient * x[size_t(map)].load({feature + f, term.input_group, line, row}) *
                dy[size_t(map)].load({column + c, term.output_group, line, row});
    for (int64_t f = 0; f < tile_rows; ++f)
      for (int64_t c = 0; c < tile_columns; ++c) {
        const Coordinates at = {column + c, column_of_blocks, feature + f, weight_row};
        const float before = beta == 0 ? 0 : beta * dw.load(at);
        dw.store(at, sum[size_t(f * tile_columns + c)] + before);
      }
  }

  void block(int64_t number, int64_t grid) const {
    const int64_t feature_tiles = (shape.in + tile_rows - 1) / tile_rows;
    const int64_t column_tiles = (shape.out + tile_columns - 1) / tile_columns;
    const int64_t tiles = shape.groups * feature_tiles * columnsOfBlocks() * column_tiles;
    for (int64_t t = number; t < tiles; t += grid) {
      const int64_t behind_columns = t / column_tiles, behind_groups = behind_columns / columnsOfBlocks();
      tile(behind_groups / feature_tiles, behind_groups % feature_tiles * tile_rows,
           behind_columns % columnsOfBlocks(), t % column_tiles * tile_columns);
    }
  }
};

} // namespace

void runHostWeightKernel(const GpuShape &shape, const cuda_stand_in::Launch &launch) {
  const bool interval = shape.lift == Lift::Rows && shape.row_types == RowTypesKind::Interval;
  const size_t row_maps = size_t(interval ? algrt_interval_row_maps : algrt_cyclic_row_maps) + 1;
  const std::byte *maps = launch.parameters.at(0).data();
  // Where the copy engine moves blocks, the maps are tensor maps, and threads that add to what dW holds, 16
  // bytes at a time, have a plain one beside.
  const bool engine = shape.vector == 0;
  const size_t map_bytes = engine ? algrt_tensor_map_bytes : algrt_plain_map_bytes;
  const size_t all_maps = 2 * row_maps + 1;
  if (launch.parameters.size() != 5 ||
      launch.parameters[0].size() != all_maps * map_bytes + (engine ? algrt_plain_map_bytes : 0))
    throw std::logic_error("the parameters are not those of dw");
  const auto beta = scalar<float>(launch.parameters.at(4));
  const int64_t result_bytes = launch.symbol.find("f32") != std::string::npos ? 4 : 2;
  const auto map = [&](size_t i) {
    const std::byte *object = maps + i * map_bytes;
    return engine ? Map::tensor(object) : Map::plain(object, 2, shape.vector);
  };
  const Map plain = Map::plain(maps + (engine ? all_maps : all_maps - 1) * map_bytes, result_bytes,
                               engine ? 16 / result_bytes : shape.vector);
  WeightKernel kernel{shape,
                      {},
                      {},
                      engine && beta == 0 ? map(all_maps - 1) : plain,
                      scalar<int32_t>(launch.parameters.at(1)),
                      scalar<int32_t>(launch.parameters.at(2)),
                      reinterpret_cast<const int32_t *>(scalar<uint64_t>(launch.parameters.at(3))),
                      beta};
  for (size_t i = 0; i < row_maps; ++i) {
    kernel.x.push_back(map(i));
    kernel.dy.push_back(map(row_maps + i));
  }
  if (shape.longest_first > 0 && kernel.terms != nullptr)
    kernel.checkOrder();
  for (int64_t block = 0; block < launch.grid; ++block)
    kernel.block(block, launch.grid);
}

} // namespace algrt::test
