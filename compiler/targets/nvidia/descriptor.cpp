#include "compiler/targets/nvidia/descriptor.h"

namespace compiler {

namespace {
constexpr int64_t unit = 16;     ///< bytes
constexpr int64_t atom_rows = 8; ///< of `swizzle` bytes each

uint32_t inUnits(int64_t bytes) { return static_cast<uint32_t>(bytes / unit) & 0x3fff; }
} // namespace

uint32_t DescriptorFields::low() const { return inUnits(leading_bytes) << 16; }

uint32_t DescriptorFields::high() const {
  const uint32_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  return inUnits(stride_bytes) | mode << 30;
}

mlir::Value lowWord(const Instructions &write, mlir::Value address, const DescriptorFields &fields) {
  constexpr int64_t address_mask = 0x3fff;
  return write.bitOr(write.bitAnd(write.shiftRight(address, 4), address_mask), fields.low());
}

mlir::Value besidePanels(const Instructions &write, mlir::Value address, DescriptorFields fields,
                         mlir::Value distance) {
  fields.leading_bytes = 0;
  constexpr int64_t shift_to_field = 16 - 4; // of bytes, which count in units of 16
  return write.bitOr(lowWord(write, address, fields), write.shiftLeft(distance, shift_to_field));
}

mlir::Value descriptor(const Instructions &write, mlir::Value low, const DescriptorFields &fields) {
  return write.bitOr(write.wide(low), static_cast<int64_t>(uint64_t{fields.high()} << 32));
}

DescriptorFields majorDescriptor(sm::BufferType buffer) {
  // The leading offset is not read; one unit is what the manual's examples put there.
  return {unit, atom_rows * buffer.getSwizzle(), buffer.getSwizzle()};
}

DescriptorFields mnMajorDescriptor(sm::BufferType buffer) {
  return {buffer.getPanelBytes(), atom_rows * buffer.getSwizzle(), buffer.getSwizzle()};
}

int64_t majorStep(sm::BufferType buffer, int64_t depth) {
  const int64_t panel = depth / buffer.getPanelColumns();
  const int64_t within = depth % buffer.getPanelColumns();
  const int64_t element_bytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  return panel * buffer.getPanelBytes() + within * element_bytes;
}

int64_t mnMajorStep(sm::BufferType buffer, int64_t depth) { return depth * buffer.getSwizzle(); }

} // namespace compiler
