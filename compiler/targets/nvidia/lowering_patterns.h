// The lowerings of the ops that stand for instructions, by idea. All expect the function that
// lowerKernelStructure leaves, flattened to blocks.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace compiler {

/// maps: an address; buffers and barriers: addresses in shared memory; accumulators: structs of f32.
void addSmTypeConversions(mlir::LLVMTypeConverter &types);

/// grid.cpp: thread_index, block_index, block_count, wait_for_predecessor, release_successor, read_terms.
void addGridPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// barriers.cpp: allocate, barriers, initialize, expect, wait, arrive, sync, fence.
void addBarrierPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// copies.cpp: load, store, store_commit, store_wait.
void addCopyPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// thread_copies.cpp: copy, copy_commit, copy_wait, block_sync.
void addThreadCopyPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// products.cpp: zero, mma_fence, mma, mma_commit, mma_wait, settle.
void addProductPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// fragments.cpp: fragment, clip_columns, mma_fragment.
void addFragmentPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// warp_products.cpp: mma on sums of single warps, add_scaled.
void addWarpProductPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// reduction_buffer.cpp: send, add_received.
void addReductionPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// row_products.cpp: has_positions, read_position, locate, prefetch, read, add_products.
void addRowProductPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// row_sums.cpp: share_sums, collect_sums.
void addRowSumPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// hidden_rows.cpp: store_hidden, read_hidden.
void addHiddenRowPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// maps.cpp: map.
void addMapPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// results.cpp: write.
void addResultPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// thread_results.cpp: store of sums of warps and threads.
void addThreadResultPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace compiler
