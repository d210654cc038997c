// Descriptors of tensor-core operands: what an instruction reads by the rules of the PTX manual is what the
// tensor-map engine has put there.
#include "compiler/targets/nvidia/descriptor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace compiler {
namespace {

constexpr uint64_t element_bytes = 2;

class DescriptorTest : public testing::Test {
protected:
  DescriptorTest() { context.loadDialect<sm::SmDialect>(); }

  sm::BufferType buffer(int64_t rows, int64_t columns, int64_t swizzle) {
    return sm::BufferType::get(&context, 2, rows, columns, mlir::BFloat16Type::get(&context), swizzle);
  }

  mlir::MLIRContext context;
};

/// The engine exchanges address bits 4 and up with those above bit 7: one for 32 bytes, two for 64, three for
/// 128 (CUDA driver API, CUtensorMapSwizzle).
uint64_t permuted(uint64_t address, int64_t swizzle) {
  const uint64_t mask = static_cast<uint64_t>(swizzle / 16 - 1) << 4;
  return address ^ ((address >> 3) & mask);
}

/// Where boxes of `swizzle` bytes by `rows` put an element of a block.
uint64_t stored(uint64_t start, int64_t rows, int64_t swizzle, uint64_t row, uint64_t column) {
  const uint64_t byte = column * element_bytes;
  const uint64_t box = byte / swizzle * rows * swizzle;
  return permuted(start + box + row * swizzle + byte % swizzle, swizzle);
}

struct Decoded {
  uint64_t address, leading, stride, base, swizzle;
};

/// PTX ISA, "Matrix Descriptor Format".
Decoded decode(uint64_t descriptor) {
  const uint64_t modes[] = {0, 128, 64, 32};
  return {(descriptor & 0x3fff) << 4, (descriptor >> 16 & 0x3fff) << 4, (descriptor >> 32 & 0x3fff) << 4,
          descriptor >> 49 & 7, modes[descriptor >> 62]};
}

uint64_t assembled(uint64_t address, const DescriptorFields &fields) {
  return (address >> 4 & 0x3fff) | fields.low() | static_cast<uint64_t>(fields.high()) << 32;
}

/// PTX ISA, "Canonical layouts", in units of 16 bytes for a swizzle of T units: ((8,n),2):((T,SBO),1).
uint64_t readKMajor(const Decoded &d, uint64_t row, uint64_t depth) {
  const uint64_t byte = depth * element_bytes;
  return permuted(d.address + row % 8 * d.swizzle + row / 8 * d.stride + byte, d.swizzle);
}

/// ((T,n),(8,k)):((1,LBO),(T,SBO)).
uint64_t readMnMajor(const Decoded &d, uint64_t column, uint64_t depth) {
  const uint64_t byte = column * element_bytes;
  return permuted(d.address + byte % d.swizzle + byte / d.swizzle * d.leading + depth % 8 * d.swizzle +
                      depth / 8 * d.stride,
                  d.swizzle);
}

TEST_F(DescriptorTest, RowsByDepthAreReadWhereBoxesPutThem) {
  for (const int64_t swizzle : {32, 64, 128})
    for (const int64_t rows : {64, 128, 192}) {
      const sm::BufferType type = buffer(rows, 64, swizzle);
      for (int64_t warpgroup = 0; warpgroup < rows / 64; ++warpgroup)
        for (int64_t depth = 0; depth < 64; depth += instruction_depth) {
          constexpr uint64_t start = 5 * 1024;
          const uint64_t first =
              start + warpgroup * 64 * swizzle + static_cast<uint64_t>(majorStep(type, depth));
          const Decoded decoded = decode(assembled(first, majorDescriptor(type)));
          ASSERT_EQ(decoded.base, 0u);
          for (uint64_t row = 0; row < 64; ++row)
            for (uint64_t k = 0; k < instruction_depth; ++k)
              ASSERT_EQ(readKMajor(decoded, row, k),
                        stored(start, rows, swizzle, warpgroup * 64 + row, depth + k))
                  << "swizzle " << swizzle << ", row " << row << ", depth " << depth + k;
        }
    }
}

TEST_F(DescriptorTest, DepthByColumnsIsReadWhereBoxesPutIt) {
  for (const int64_t swizzle : {32, 64, 128})
    for (const int64_t columns : {64, 192, 256})
      for (const int64_t depths : {16, 32, 64}) {
        const sm::BufferType type = buffer(depths, columns, swizzle);
        for (int64_t depth = 0; depth < depths; depth += instruction_depth) {
          constexpr uint64_t start = 9 * 1024;
          const uint64_t first = start + static_cast<uint64_t>(mnMajorStep(type, depth));
          const Decoded decoded = decode(assembled(first, mnMajorDescriptor(type)));
          ASSERT_EQ(decoded.base, 0u);
          for (uint64_t column = 0; column < static_cast<uint64_t>(columns); ++column)
            for (uint64_t k = 0; k < instruction_depth; ++k)
              ASSERT_EQ(readMnMajor(decoded, column, k), stored(start, depths, swizzle, depth + k, column))
                  << "swizzle " << swizzle << ", column " << column << ", depth " << depth + k;
        }
      }
}

} // namespace
} // namespace compiler
