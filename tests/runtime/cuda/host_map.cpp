#include "tests/runtime/cuda/host_map.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace algrt::test {

HostMap HostMap::tensor(const std::byte *object) {
  const auto decoded = cuda_stand_in::decodeTensorMap(object);
  if (!decoded || decoded->rank != 4)
    throw std::logic_error("a parameter is not a tensor map of four dimensions");
  HostMap map(decoded->address, decoded->element_bytes);
  for (size_t i = 0; i < 4; ++i) {
    map.extents_[i] = int64_t(decoded->extents[i]);
    map.box_[i] = decoded->box[i];
    map.strides_[i] = i == 0 ? decoded->element_bytes : int64_t(decoded->strides[i - 1]);
  }
  return map;
}

HostMap HostMap::plain(const std::byte *object, int64_t element_bytes, int64_t vector) {
  algrt_plain_map content;
  std::memcpy(&content, object, sizeof(content));
  HostMap map(content.address, element_bytes);
  const int64_t unit = std::min<int64_t>(vector * element_bytes, 16);
  bool whole = content.address % uint64_t(unit) == 0 && content.extents[0] * element_bytes % unit == 0;
  for (size_t i = 0; i < 4; ++i) {
    map.extents_[i] = content.extents[i];
    map.strides_[i] = (i == 0 ? 1 : content.strides[i - 1]) * element_bytes;
    whole = whole && (i == 0 || map.extents_[i] == 1 || map.strides_[i] % unit == 0);
  }
  if (!whole)
    throw std::logic_error("a plain map whose elements cannot be moved as many at a time");
  return map;
}

float HostMap::load(const Coordinates &at) const {
  const std::byte *element = find(at);
  if (element == nullptr)
    return 0;
  if (element_bytes_ == 4) {
    float wide;
    std::memcpy(&wide, element, sizeof(wide));
    return wide;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  return fromBfloat16(bits);
}

void HostMap::store(const Coordinates &at, float value) const {
  std::byte *element = find(at);
  if (element == nullptr)
    return;
  if (element_bytes_ == 4) {
    std::memcpy(element, &value, sizeof(value));
    return;
  }
  const uint16_t bits = toBfloat16(value);
  std::memcpy(element, &bits, sizeof(bits));
}

std::byte *HostMap::find(const Coordinates &at) const {
  uint64_t address = address_;
  for (size_t i = 0; i < 4; ++i) {
    if (at[i] < 0 || at[i] >= extents_[i])
      return nullptr;
    address += uint64_t(at[i] * strides_[i]);
  }
  return reinterpret_cast<std::byte *>(address);
}

} // namespace algrt::test
