// The simulator's encoding of a tensor map: 128 bytes that kernels pass around unread, like CUtensorMap.
#pragma once

#include <cstdint>
#include <string>

namespace simulator {

enum class Element : uint8_t { U8, U16, U32, U64, F16, BF16, F32 };
enum class Swizzle : uint8_t { None, B32, B64, B128 };

int64_t bytesOf(Element element);
// The width in bytes of the pattern: 32, 64 or 128; 0 without swizzle.
int64_t spanOf(Swizzle swizzle);

// What cuTensorMapEncodeTiled takes, with interleave none and out-of-bounds fill zero. Dimension 0 is
// innermost.
struct TensorMapFields {
  const void *base = nullptr;
  Element element = Element::BF16;
  int32_t rank = 1;         // 1..5
  uint64_t extents[5] = {}; // elements
  uint64_t strides[4] = {}; // bytes, of dimensions 1..rank-1
  uint32_t box[5] = {};     // elements
  uint32_t element_strides[5] = {1, 1, 1, 1, 1};
  Swizzle swizzle = Swizzle::None;
};

struct alignas(64) TensorMap {
  uint32_t magic;
  Element element;
  Swizzle swizzle;
  uint8_t rank;
  uint8_t reserved;
  uint64_t base;
  uint64_t strides[4]; // bytes
  uint32_t extents[5]; // elements less one, since 2^32 is allowed
  uint16_t box[5];
  uint16_t element_strides[5];
  uint8_t padding[40];

  int64_t boxBytes() const;
  uint64_t extent(int dimension) const { return uint64_t(extents[dimension]) + 1; }
};
static_assert(sizeof(TensorMap) == 128);

// Writes `map` under the rules of cuTensorMapEncodeTiled. Empty, or why the driver would refuse.
std::string encodeTensorMap(const TensorMapFields &fields, TensorMap &map);

// Whether these 128 bytes are what encodeTensorMap wrote.
bool isTensorMap(const TensorMap &map);

} // namespace simulator
