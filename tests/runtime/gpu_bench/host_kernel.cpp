#include "tests/runtime/gpu_bench/host_kernel.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/numeric/bfloat16.h"

#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

namespace algrt::test {

namespace {

using Map = cuda_stand_in::TensorMapContent;

Map mapAt(const cuda_stand_in::Launch &launch, size_t index) {
  const auto map =
      cuda_stand_in::decodeTensorMap(launch.parameters.at(0).data() + index * algrt_tensor_map_bytes);
  if (!map)
    throw std::logic_error("tensor map " + std::to_string(index) + " was not encoded");
  return *map;
}

int32_t int32At(const cuda_stand_in::Launch &launch, size_t parameter) {
  int32_t value;
  std::memcpy(&value, launch.parameters.at(parameter).data(), sizeof(value));
  return value;
}

[[noreturn]] void refuseCoordinate(int64_t at, size_t dimension) {
  throw std::logic_error("coordinate " + std::to_string(at) + " in dimension " + std::to_string(dimension));
}

std::byte *element(const Map &map, int64_t column, int64_t group, int64_t line, int64_t row) {
  const int64_t at[] = {column, group, line, row};
  for (size_t i = 0; i < 4; ++i)
    if (at[i] < 0 || at[i] >= int64_t(map.extents[i]))
      refuseCoordinate(at[i], i);
  return reinterpret_cast<std::byte *>(map.address) + column * map.element_bytes +
         group * int64_t(map.strides[0]) + line * int64_t(map.strides[1]) + row * int64_t(map.strides[2]);
}

// Where a row lies: which of the maps of X or Y, which segment of that map, which row of the segment; and its
// type.
struct Place {
  size_t map;
  int64_t line, row, type;
};

Place placeOf(const Layer &layer, int64_t m, int64_t offset, int64_t r) {
  const int64_t q = layer.types;
  if (layer.row_types == RowTypesKind::Cyclic) {
    const int64_t phase = r % q, longer = m % q;
    return {size_t(phase < longer ? 0 : 1), phase < longer ? phase : phase - longer, r / q,
            (phase + offset) % q};
  }
  const int64_t width = layer.row_type_width;
  const int64_t first = offset % width == 0 ? 0 : std::min(m, width - offset % width);
  const int64_t type = (offset + r) % (q * width) / width;
  if (r < first)
    return {0, 0, r, type};
  const int64_t run = (r - first) / width, whole_runs = (m - first) / width;
  return {size_t(run < whole_runs ? 1 : 2), run < whole_runs ? run : 0, (r - first) % width, type};
}

float at(const std::byte *address) {
  uint16_t bits;
  std::memcpy(&bits, address, sizeof(bits));
  return fromBfloat16(bits);
}

// Adds a row of X times a block of W. Coordinates are looked at where a block begins and ends, which holds
// for all between: element by element that was most of the tests' time under the sanitizers.
void accumulate(std::vector<float> &sums, float coefficient, int64_t depth,
                const std::function<const std::byte *(int64_t d)> &x,
                const std::function<const std::byte *(int64_t d, int64_t column)> &w) {
  const auto columns = int64_t(sums.size());
  const std::byte *const x_first = x(0), *const w_first = w(0, 0);
  const int64_t x_step = depth > 1 ? x(1) - x_first : 0, w_step = depth > 1 ? w(1, 0) - w_first : 0;
  const int64_t w_next = columns > 1 ? w(0, 1) - w_first : 0;
  x(depth - 1);
  w(depth - 1, columns - 1);
  for (int64_t d = 0; d < depth; ++d) {
    const float factor = coefficient * at(x_first + d * x_step);
    for (int64_t column = 0; column < columns; ++column)
      sums[size_t(column)] += factor * at(w_first + d * w_step + column * w_next);
  }
}

} // namespace

void HostKernel::run(const cuda_stand_in::Launch &launch) const {
  const Layer &layer = bundle.layer();
  const int64_t m = int32At(launch, 1), offset = int32At(launch, 2);
  const size_t row_maps =
      layer.row_types == RowTypesKind::Cyclic ? algrt_cyclic_row_maps : algrt_interval_row_maps;
  std::vector<Map> maps;
  for (size_t i = 0; i < 2 * row_maps + 1; ++i)
    maps.push_back(mapAt(launch, i));
  const Map &weights = maps[row_maps];
  const std::byte *bias = nullptr; // behind the terms
  if (layer.bias)
    std::memcpy(&bias, launch.parameters.at(4).data(), sizeof(bias));
  TermStorage storage;
  for (int64_t r = 0; r < m; ++r) {
    const Place place = placeOf(layer, m, offset, r);
    const Map &x = maps[place.map], &y = maps[row_maps + 1 + place.map];
    for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group) {
      std::vector<float> sums(size_t(layer.out_groups[size_t(group)]), 0.0f);
      const int64_t weight_group = layer.lift == Lift::Rows ? group : 0;
      for (const Term &term : bundle.support().terms(place.type, group, storage))
        accumulate(
            sums, float(term.coefficient), layer.in_groups[size_t(term.input_group)],
            [&](int64_t d) { return element(x, d, term.input_group, place.line, place.row); },
            [&](int64_t d, int64_t column) {
              return element(weights, column, weight_group, d, term.weight_row);
            });
      for (int64_t column = 0; column < layer.out_groups[size_t(group)]; ++column) {
        const int64_t y_column = group * layer.out_groups[0] + column;
        const float sum = sums[size_t(column)] + (bias != nullptr ? at(bias + 2 * y_column) : 0);
        if (forgets && forgets(r, y_column))
          continue;
        const float value = fault ? fault(r, y_column, sum) : sum;
        std::byte *to = element(y, column, group, place.line, place.row);
        if (output == ElementType::F32) {
          std::memcpy(to, &value, sizeof(value));
        } else {
          const uint16_t bits = toBfloat16(value);
          std::memcpy(to, &bits, sizeof(bits));
        }
      }
    }
  }
}

} // namespace algrt::test
