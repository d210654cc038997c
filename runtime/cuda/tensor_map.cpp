#include "runtime/cuda/tensor_map.h"

namespace algrt::cuda {

namespace {

TensorMapSwizzle swizzleOf(int32_t bytes) {
  switch (bytes) {
  case 32:
    return TensorMapSwizzle::Bytes32;
  case 64:
    return TensorMapSwizzle::Bytes64;
  case 128:
    return TensorMapSwizzle::Bytes128;
  default:
    return TensorMapSwizzle::None;
  }
}

} // namespace

TensorMapObject encodeTensorMap(const Driver &driver, const TensorMap &map) {
  TensorMapObject object;
  // L2 fetches whole lines of 128 bytes from memory: the widest box is as wide, and what a narrower one
  // leaves of a line is the next group's, which a neighbouring tile reads soon.
  constexpr uint32_t side_by_side[5] = {1, 1, 1, 1, 1};
  driver.check(driver.tensorMapEncodeTiled(
                   &object,
                   map.element == ElementType::F32 ? TensorMapDataType::Float32 : TensorMapDataType::Bfloat16,
                   uint32_t(map.rank), reinterpret_cast<void *>(map.address), map.extents.data(),
                   map.strides.data(), map.box.data(), side_by_side, TensorMapInterleave::None,
                   swizzleOf(map.swizzle), TensorMapL2Promotion::Bytes128, TensorMapFloatOobFill::None),
               "encoding a tensor map");
  return object;
}

} // namespace algrt::cuda
