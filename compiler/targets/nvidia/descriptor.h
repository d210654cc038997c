// The 64-bit descriptors by which tensor-core instructions name operands in shared memory.
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout". All lengths are in units of 16 bytes:
//
//     bits  0-13  address          bits 32-45  stride byte offset (SBO)     bits 49-51  base offset
//     bits 16-29  leading byte offset (LBO)                                 bits 62-63  swizzle: 1 128 B, 2
//     64 B, 3 32 B
//
// A stage consists of panels of `swizzle` bytes per row, one below the other (dialects/sm). With a swizzle of
// S bytes the instruction reads *atoms* of 8 rows of S bytes, which is 8*S bytes in a row:
//
//   K-major (rows x depth, and a transposed weight matrix's columns x depth): a row of an atom is S bytes of
//   depth. SBO = 8*S leads to the next 8
//     rows; LBO is not read, since the 32 bytes of depth of one instruction lie within S. The next 16 of the
//     depth are 32 bytes further in the same panel, or at the start of the next one.
//   MN-major (the weight matrix, depth x columns): a row of an atom is S bytes of columns at one depth. SBO =
//   8*S leads
//     to the next 8 of the depth; LBO, the bytes of a whole panel, to the next S bytes of columns. The
//     next 16 of the depth are 16*S bytes further.
//
// The base offset is 0 because atoms begin at multiples of their size.
#pragma once

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

#include <cstdint>

namespace compiler {

/// The depth of one tensor-core instruction on bf16.
constexpr int64_t instruction_depth = 16;

struct DescriptorFields {
  int64_t leading_bytes;
  int64_t stride_bytes;
  int64_t swizzle; ///< bytes: 32, 64 or 128

  /// Bits 0-31 without the address, and bits 32-63.
  uint32_t low() const;
  uint32_t high() const;
};

/// The low word of the descriptor of an operand that starts at `address` (32 bits): the one that changes from
/// instruction to instruction. The address stays inside its field.
mlir::Value lowWord(const Instructions &write, mlir::Value address, const DescriptorFields &fields);
/// The same of an operand stored along its columns whose next panel lies in another buffer, `distance` bytes
/// (32 bits, not negative) behind the panel at `address`, wherever buffers have been placed.
mlir::Value besidePanels(const Instructions &write, mlir::Value address, DescriptorFields fields,
                         mlir::Value distance);
/// The whole descriptor, i64.
mlir::Value descriptor(const Instructions &write, mlir::Value low, const DescriptorFields &fields);

/// Of a stage that holds rows x depth, or columns x depth.
DescriptorFields majorDescriptor(sm::BufferType buffer);
/// Of a stage that holds depth x columns.
DescriptorFields mnMajorDescriptor(sm::BufferType buffer);

/// Bytes from the start of the operand to what the instruction for depths `depth` .. `depth` + 15 reads.
int64_t majorStep(sm::BufferType buffer, int64_t depth);
int64_t mnMajorStep(sm::BufferType buffer, int64_t depth);

} // namespace compiler
