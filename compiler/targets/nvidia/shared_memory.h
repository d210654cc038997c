// Where the buffers and barriers of a kernel lie in the block's dynamic shared memory.
#pragma once

#include "dialects/sm/sm.h"

#include <cstdint>

namespace compiler {

/// Stages begin at multiples of the period of the widest swizzle: 8 rows of 128 bytes.
constexpr int64_t stage_alignment = 1024;
/// What one block can have on compute capability 9.0; and on every one since 8.0, of which 8.6 and 8.9 give
/// least: what a kernel can have whose threads copy.
constexpr int64_t most_shared_bytes = 232448, most_portable_shared_bytes = 99 * 1024;
/// The discardable attribute that holds the place of an allocation, in bytes from the start of @shared.
constexpr llvm::StringLiteral shared_offset_name = "offset";

/// Bytes from the start of one stage to that of the next.
int64_t stageStride(sm::BufferType buffer);

/// Marks every sm.allocate, sm.allocate_reduction_buffer and sm.barriers of the kernel with its place:
/// buffers in the order of the program, reduction buffers and barriers behind them. Returns the bytes of all;
/// fails with a message where a block cannot have as many.
mlir::FailureOr<int64_t> placeSharedMemory(sm::KernelOp kernel);

} // namespace compiler
