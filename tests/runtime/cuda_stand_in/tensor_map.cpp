// Tensor maps: checked as cuTensorMapEncodeTiled documents, kept in the 128 bytes.
#include "tests/runtime/cuda_stand_in/state.h"

#include <cstring>

namespace algrt::cuda_stand_in {

namespace {

constexpr uint64_t magic = 0x746573742d6d6170;

// What the 128 bytes hold: the content, extents less one so that 2^32 fits.
struct Packed {
  uint64_t magic;
  uint64_t address;
  uint8_t element_bytes, rank, swizzle, reserved[5];
  uint64_t strides[4];
  uint64_t extents_less_one_low; // two of 32 bits in each
  uint64_t extents_less_one_high;
  uint32_t extent_less_one_last;
  uint16_t box[5];
};
static_assert(sizeof(Packed) <= sizeof(TensorMapObject));

} // namespace

std::optional<TensorMapContent> decodeTensorMap(const void *object) {
  Packed packed;
  std::memcpy(&packed, object, sizeof(packed));
  if (packed.magic != magic)
    return std::nullopt;
  TensorMapContent content{};
  content.address = packed.address;
  content.element_bytes = packed.element_bytes;
  content.rank = packed.rank;
  content.swizzle = packed.swizzle;
  const uint64_t less_one[5] = {packed.extents_less_one_low & UINT32_MAX, packed.extents_less_one_low >> 32,
                                packed.extents_less_one_high & UINT32_MAX, packed.extents_less_one_high >> 32,
                                packed.extent_less_one_last};
  for (size_t i = 0; i < size_t(packed.rank); ++i) {
    content.extents[i] = less_one[i] + 1;
    content.box[i] = packed.box[i];
    if (i + 1 < size_t(packed.rank))
      content.strides[i] = packed.strides[i];
  }
  return content;
}

} // namespace algrt::cuda_stand_in

namespace algrt::cuda {

using namespace cuda_stand_in;

Result cuTensorMapEncodeTiled(TensorMapObject *map, TensorMapDataType type, uint32_t rank, void *address,
                              const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                              const uint32_t *element_strides, TensorMapInterleave interleave,
                              TensorMapSwizzle swizzle, TensorMapL2Promotion promotion,
                              TensorMapFloatOobFill fill) {
  return entry("cuTensorMapEncodeTiled", Entry::NeedsContext, [&](State &s) {
    const auto refuse = [](const std::string &what) {
      return violation("cuTensorMapEncodeTiled", Result::InvalidValue, what);
    };
    if (s.devices[size_t(currentContext()->device)].capability < 90)
      return refuse("the device knows no tensor maps");
    if (reinterpret_cast<uintptr_t>(map) % 64 != 0)
      return refuse("the map's own address is not a multiple of 64");
    if (type != TensorMapDataType::Float32 && type != TensorMapDataType::Bfloat16)
      return refuse("a type that is not known");
    const uint64_t element = type == TensorMapDataType::Float32 ? 4 : 2;
    if (rank < 1 || rank > 5)
      return refuse("rank " + std::to_string(rank));
    const uint64_t base = reinterpret_cast<uintptr_t>(address);
    if (base == 0 || base % 16 != 0)
      return refuse("an address that is null or not a multiple of 16");
    if (interleave != TensorMapInterleave::None || fill != TensorMapFloatOobFill::None ||
        int(promotion) < 0 || int(promotion) > 3 || int(swizzle) < 0 || int(swizzle) > 3)
      return refuse("an enumerator that is not known");
    const uint64_t span = swizzle == TensorMapSwizzle::None ? 0 : uint64_t(16) << int(swizzle);
    Packed packed{};
    packed.magic = magic;
    packed.address = base;
    packed.element_bytes = uint8_t(element);
    packed.rank = uint8_t(rank);
    packed.swizzle = uint8_t(span);
    uint64_t less_one[5] = {};
    for (uint32_t i = 0; i < rank; ++i) {
      if (extents[i] == 0 || extents[i] > uint64_t(1) << 32)
        return refuse("extent " + std::to_string(extents[i]));
      if (box[i] == 0 || box[i] > 256)
        return refuse("a box of " + std::to_string(box[i]));
      if (element_strides[i] == 0 || element_strides[i] > 8)
        return refuse("an element stride of " + std::to_string(element_strides[i]));
      if (i + 1 < rank && (strides[i] % 16 != 0 || strides[i] >= uint64_t(1) << 40))
        return refuse("a stride of " + std::to_string(strides[i]) + " bytes");
      less_one[i] = extents[i] - 1;
      packed.box[i] = uint16_t(box[i]);
      if (i + 1 < rank)
        packed.strides[i] = strides[i];
    }
    if (box[0] * element % 16 != 0)
      return refuse("a box whose rows are not multiples of 16 bytes");
    if (span != 0 && box[0] * element > span)
      return refuse("a box wider than the swizzle's span");
    packed.extents_less_one_low = less_one[0] | less_one[1] << 32;
    packed.extents_less_one_high = less_one[2] | less_one[3] << 32;
    packed.extent_less_one_last = uint32_t(less_one[4]);
    std::memset(map, 0, sizeof(*map));
    std::memcpy(map, &packed, sizeof(packed));
    return Result::Success;
  });
}

} // namespace algrt::cuda
