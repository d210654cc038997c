/* What a compiled CPU kernel looks like from outside: the one header that the compiler's CPU target and the
 * runtime agree on. Plain C.
 *
 * Every kernel takes pointers to MLIR's ranked memref descriptors, its matrices in one array of them, then
 * integers. Strides are in elements. bf16 elements are passed as uint16_t bit patterns.
 *
 * A product is cut into independent tasks; task t writes its own part of the result and nothing else, so
 * any number of threads may run disjoint ranges [begin, end) at once, each with its own scratch:
 *
 *     row_blocks = ceil(longest / rows_per_task)          longest = most rows that any one type has
 *     tasks      = ceil(types / types_per_task) * row_blocks * slices
 *
 * `slices` (1 <= slices <= output groups) cuts the output groups into contiguous ranges, for when there are
 * fewer row blocks than threads. `types_per_task`, `rows_per_task` and `scratch_bytes` are in the bundle's
 * manifest. A task whose rows or types do not exist returns at once.
 *
 * Beside each kernel lies an algrt_cpu_record (below), which says what it was compiled for.
 */
#ifndef ALGCTL_RUNTIME_KERNEL_ABI_H
#define ALGCTL_RUNTIME_KERNEL_ABI_H

#include "runtime/kernel_record.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MLIR's descriptor of memref<?xT, strided<[1]>>. */
typedef struct algrt_memref1 {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t sizes[1];
  int64_t strides[1];
} algrt_memref1;

/* MLIR's descriptor of memref<?x?xT, strided<[?, 1]>>. The second stride is always 1. */
typedef struct algrt_memref2 {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
} algrt_memref2;

/* Y = X (times) W, or the gradient dX = dY (times) W^T; or what a program's kernel makes of several such
 * products of the same rows.
 *   operands one descriptor for each name of the manifest's `operands` of the kernel, in its order:
 *     x        M x K activations; for a gradient dY, M x N
 *     w        the weight matrix as the user stores it, K x N (row lift) or (m*K/m) x (N/m) (slot lift:
 *              block j is rows j*K/m ...); for kernels with packed weights a descriptor with sizes {1,
 *              packed elements}. Further products have weight matrices of their own, w2, w3, ..., all as
 *              the first; those of a next layer, N x N' where N' is its width, come behind them, and all
 *              that is said of N below is then N' where that layer's maps read it, and of y
 *     bias     where the layer has one, 1 x N, of the element type of x: it is added to the finished sums,
 *              before they are rounded. Of a program's kernel, whatever its maps read: one number for each
 *              column 1 x N, for each row M x 1, an element for each of the result M x N, or a single number
 *              in f32, 1 x 1
 *     y        M x N, written whole (output groups that a type does not reach are written as zero); for a
 *              gradient dX, M x K, and its output groups are the layer's input groups. Further results
 *              follow, y2, y3, ...
 *   scratch  scratch_bytes bytes, 64-byte aligned, one per running thread; contents need not be set
 *   rows     int64 row numbers sorted by type, stable
 *   starts   types + 1 int64 offsets into rows
 *   p0       absolute position of row 0 (cyclic and interval types)
 * Rows of explicit types come in lists. Those of other types may, where the manifest says row_lists: then p0
 * is 0 and means nothing; or rows and starts are of size 0, and row r is at position p0 + r. */
typedef void (*algrt_product_kernel)(const algrt_memref2 *operands, const algrt_memref1 *scratch,
                                     const algrt_memref1 *rows, const algrt_memref1 *starts, int64_t p0,
                                     int64_t row_blocks, int64_t slices, int64_t begin, int64_t end);

/* dW = X^T (times) dY, plus beta times what dW was. Task t owns a tile of dW; there are `tasks` of them
 * (manifest), and any number of threads may run disjoint ranges at once.
 *   operands x, M x K; dy, M x N; and dw, shaped like w above, of the element type that the manifest names:
 *            written whole (blocks that no row reaches become beta times what they were). With beta = 0 what
 *            it held is not read
 *   scratch, rows, starts, p0 as above */
typedef void (*algrt_weight_gradient_kernel)(const algrt_memref2 *operands, const algrt_memref1 *scratch,
                                             const algrt_memref1 *rows, const algrt_memref1 *starts,
                                             int64_t p0, float beta, int64_t begin, int64_t end);

/* Rewrites the weight matrix into the order in which the packed forward kernel reads it. Task t packs weight
 * row group t; there are pack_tasks of them (manifest), and they may run at once.
 *   w        the weight matrix as the user stores it
 *   packed   1 x packed_bytes / element size, 64-byte aligned */
typedef void (*algrt_pack_kernel)(const algrt_memref2 *w, const algrt_memref2 *packed, int64_t begin,
                                  int64_t end);

/* An element-wise function over a domain of rows and columns (docs/bundle.md, "Element-wise functions"). Its
 * tasks are blocks of rows_per_task rows and columns_per_task columns (manifest; 0: all of them), numbered
 * along the rows, the columns of each block of rows one after another. Any number of threads may run disjoint
 * ranges [begin, end) at once.
 *   operands  a descriptor for each operand, in the manifest's order: per element rows x columns, per row
 *             rows x 1, per column 1 x columns, per call 1 x 1. Numbers for rows and columns lie side by
 *             side */
typedef void (*algrt_elementwise_kernel)(const algrt_memref2 *operands, int64_t rows, int64_t columns,
                                         int64_t begin, int64_t end);

/* What a kernel says of itself (runtime/kernel_record.h), where it has the field; otherwise the field is 0.
 * The record of a packing kernel has weights, pack_tasks and packed_bytes alone. */
typedef struct algrt_cpu_record {
  algrt_record_head head;
  uint64_t features; /* hash: of each feature, as the manifest orders them, its name's length and bytes */
  int64_t weights;   /* 0 packed, 1 copied, 2 direct */
  int64_t output;    /* of dw: type of the elements of the result */
  int64_t row_lists;
  int64_t types_per_task, rows_per_task, scratch_bytes;
  int64_t pack_tasks, packed_bytes; /* where the weights are packed: those of the first layer */
  int64_t tasks;                    /* of dw */
} algrt_cpu_record;

#ifdef __cplusplus
}
#endif

#endif
