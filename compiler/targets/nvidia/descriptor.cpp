#include "compiler/targets/nvidia/descriptor.h"

namespace compiler {

namespace {
constexpr std::int64_t unit = 16;     ///< bytes
constexpr std::int64_t atom_rows = 8; ///< of `swizzle` bytes each

std::uint32_t inUnits(std::int64_t bytes) { return static_cast<std::uint32_t>(bytes / unit) & 0x3fff; }
} // namespace

std::uint32_t DescriptorFields::low() const { return inUnits(leading_bytes) << 16; }

std::uint32_t DescriptorFields::high() const {
  const std::uint32_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  return inUnits(stride_bytes) | mode << 30;
}

DescriptorFields kMajorDescriptor(sm::BufferType buffer) {
  // The leading offset is not read; one unit is what the manual's examples put there.
  return {unit, atom_rows * buffer.getSwizzle(), buffer.getSwizzle()};
}

DescriptorFields mnMajorDescriptor(sm::BufferType buffer) {
  return {buffer.getPanelBytes(), atom_rows * buffer.getSwizzle(), buffer.getSwizzle()};
}

std::int64_t kMajorStep(sm::BufferType buffer, std::int64_t depth) {
  const std::int64_t panel = depth / buffer.getPanelColumns();
  const std::int64_t within = depth % buffer.getPanelColumns();
  const std::int64_t element_bytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  return panel * buffer.getPanelBytes() + within * element_bytes;
}

std::int64_t mnMajorStep(sm::BufferType buffer, std::int64_t depth) { return depth * buffer.getSwizzle(); }

} // namespace compiler
