#include "compiler/simulator/model/tensor_map.h"

#include <fmt/format.h>

namespace simulator {

namespace {
constexpr uint32_t magicNumber = 0x314d5441; // "ATM1"
constexpr uint64_t mostStride = uint64_t(1) << 40, mostExtent = uint64_t(1) << 32;
} // namespace

int64_t bytesOf(Element element) {
  switch (element) {
  case Element::U8:
    return 1;
  case Element::U16:
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::U32:
  case Element::F32:
    return 4;
  case Element::U64:
    return 8;
  }
  return 0;
}

int64_t spanOf(Swizzle swizzle) { return swizzle == Swizzle::None ? 0 : int64_t(16) << int(swizzle); }

int64_t TensorMap::boxBytes() const {
  int64_t bytes = bytesOf(element);
  for (int dimension = 0; dimension < rank; ++dimension)
    bytes *= (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
  return bytes;
}

std::string encodeTensorMap(const TensorMapFields &fields, TensorMap &map) {
  if (fields.rank < 1 || fields.rank > 5)
    return fmt::format("rank {}: 1 to 5", fields.rank);
  if (bytesOf(fields.element) == 0)
    return "an unknown element type";
  if (uint8_t(fields.swizzle) > uint8_t(Swizzle::B128))
    return "an unknown swizzle";
  const auto base = reinterpret_cast<uintptr_t>(fields.base);
  if (base == 0 || base % 16 != 0)
    return fmt::format("the base address {:#x} is not a multiple of 16", base);
  for (int dimension = 0; dimension < fields.rank; ++dimension) {
    const uint64_t extent = fields.extents[dimension];
    const uint32_t box = fields.box[dimension], step = fields.element_strides[dimension];
    if (extent == 0 || extent > mostExtent)
      return fmt::format("dimension {} has {} elements: 1 to 2^32", dimension, extent);
    if (box == 0 || box > 256)
      return fmt::format("the box has {} elements in dimension {}: 1 to 256", box, dimension);
    if (step == 0 || step > 8)
      return fmt::format("an element stride of {} in dimension {}: 1 to 8", step, dimension);
    if (dimension == 0)
      continue;
    const uint64_t stride = fields.strides[dimension - 1];
    if (stride == 0 || stride % 16 != 0 || stride >= mostStride)
      return fmt::format("dimension {} has a stride of {} bytes: a multiple of 16 below 2^40", dimension,
                         stride);
  }
  const int64_t inner = int64_t(fields.box[0]) * bytesOf(fields.element);
  if (inner % 16 != 0)
    return fmt::format("the box is {} bytes wide: a multiple of 16", inner);
  if (fields.swizzle != Swizzle::None && inner > spanOf(fields.swizzle))
    return fmt::format("the box is {} bytes wide, and the swizzle spans {}", inner, spanOf(fields.swizzle));

  map = TensorMap();
  map.magic = magicNumber;
  map.element = fields.element;
  map.swizzle = fields.swizzle;
  map.rank = uint8_t(fields.rank);
  map.base = base;
  for (int dimension = 0; dimension < fields.rank; ++dimension) {
    map.extents[dimension] = uint32_t(fields.extents[dimension] - 1);
    map.box[dimension] = uint16_t(fields.box[dimension]);
    map.element_strides[dimension] = uint16_t(fields.element_strides[dimension]);
    if (dimension > 0)
      map.strides[dimension - 1] = fields.strides[dimension - 1];
  }
  return {};
}

bool isTensorMap(const TensorMap &map) { return map.magic == magicNumber; }

} // namespace simulator
