/* The kernels of fused.h by hand, over Q(GROUPS) with cyclic types: slow, plain, and independent of the
 * compiler. GROUPS, IN, OUT, BFLOAT16 and the hashes of the records are the build's, as in kernels.c. */
#include "runtime/kernel_abi.h"

#include <string.h>

#if BFLOAT16
typedef uint16_t element;
static float load(element value) {
  uint32_t bits = (uint32_t)value << 16;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}
static element store(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (element)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
#else
typedef float element;
static float load(element value) { return value; }
static element store(float value) { return value; }
#endif

enum {
  rows_per_task = 3,
  types_per_task = 2,
  bank_rows = GROUPS * IN,
  columns = GROUPS * OUT,
  packed_stride = bank_rows + 1
};

/* In the order of the manifest. */
enum { X, W, W2, SCALE, FACTOR, RESIDUAL, ALPHA, Y, Y2 };

static element *at(const algrt_memref2 *m, int64_t row, int64_t column) {
  return (element *)m->aligned + m->offset + row * m->strides[0] + column;
}

static float *wide(const algrt_memref2 *m, int64_t row, int64_t column) {
  return (float *)m->aligned + m->offset + row * m->strides[0] + column;
}

/* Of one row with one weight matrix, which is packed as in kernels.c: transposed. */
static float product(const algrt_memref2 *x, const algrt_memref2 *w, int packed, int64_t row, int64_t type,
                     int64_t group, int64_t column) {
  float sum = 0;
  for (int which = 0; which < (type == group ? 1 : 2); ++which)
    for (int64_t d = 0; d < IN; ++d) {
      const int64_t k = (which == 0 ? group : type) * IN + d;
      sum += load(*at(x, row, k)) *
             load(packed ? ((const element *)w->aligned)[column * packed_stride + k] : *at(w, k, column));
    }
  return sum;
}

static void one_row(int packed, const algrt_memref2 *operands, int64_t row, int64_t type, int64_t first,
                    int64_t end) {
  for (int64_t group = first; group < end; ++group)
    for (int64_t column = group * OUT; column < (group + 1) * OUT; ++column) {
      const float gate = product(&operands[X], &operands[W], packed, row, type, group, column),
                  up = product(&operands[X], &operands[W2], packed, row, type, group, column);
      *at(&operands[Y], row, column) =
          store(*wide(&operands[ALPHA], 0, 0) * *wide(&operands[FACTOR], row, 0) * gate * up +
                load(*at(&operands[SCALE], 0, column)) + load(*at(&operands[RESIDUAL], row, column)));
      *wide(&operands[Y2], row, column) = up;
    }
}

/* What the runtime promises of the descriptors; a result of a lie is all ones. */
static int right(int packed, const algrt_memref2 *operands) {
  const int64_t m = operands[X].sizes[0];
  const int64_t sizes[][2] = {
      {m, bank_rows}, {bank_rows, columns}, {bank_rows, columns}, {1, columns}, {m, 1}, {m, columns},
      {1, 1},         {m, columns},         {m, columns}};
  for (int i = 0; i <= Y2; ++i) {
    const int bank = i == W || i == W2;
    const int64_t rows = packed && bank ? 1 : sizes[i][0],
                  width = packed && bank ? columns * packed_stride : sizes[i][1];
    if (operands[i].sizes[0] != rows || operands[i].sizes[1] != width || operands[i].strides[1] != 1)
      return 0;
  }
  return 1;
}

static void forward(int packed, const algrt_memref2 *operands, const algrt_memref1 *rows,
                    const algrt_memref1 *starts, int64_t p0, int64_t row_blocks, int64_t slices,
                    int64_t begin, int64_t end) {
  const int64_t m = operands[X].sizes[0];
  for (int64_t task = begin; task < end; ++task) {
    const int64_t slice = task % slices, block = task / slices % row_blocks,
                  first = task / slices / row_blocks;
    for (int64_t type = first * types_per_task; type < GROUPS && type < (first + 1) * types_per_task;
         ++type) {
      int64_t seen = 0; /* rows of this type so far */
      for (int64_t r = 0; r < m; ++r) {
        int64_t row = r;
        if (starts->sizes[0] > 0) { /* rows come in lists */
          const int64_t *start = (const int64_t *)starts->aligned;
          if (r >= start[type + 1] - start[type])
            break;
          row = ((const int64_t *)rows->aligned)[start[type] + r];
        } else if ((p0 + r) % GROUPS != type) {
          continue;
        }
        if (seen++ / rows_per_task != block)
          continue;
        one_row(packed, operands, row, type, slice * GROUPS / slices, (slice + 1) * GROUPS / slices);
        if (!right(packed, operands))
          memset(at(&operands[Y], row, 0), 0xff, columns * sizeof(element));
      }
    }
  }
}

#define FORWARD(NAME, PACKED)                                                                                \
  void NAME(const algrt_memref2 *operands, const algrt_memref1 *scratch, const algrt_memref1 *rows,          \
            const algrt_memref1 *starts, int64_t p0, int64_t row_blocks, int64_t slices, int64_t begin,      \
            int64_t end) {                                                                                   \
    (void)scratch;                                                                                           \
    forward(PACKED, operands, rows, starts, p0, row_blocks, slices, begin, end);                             \
  }
FORWARD(forward_packed, 1)
FORWARD(forward_copied, 0)
FORWARD(forward_direct, 0)

/* Task t packs weight row group t. */
void pack(const algrt_memref2 *w, const algrt_memref2 *packed, int64_t begin, int64_t end) {
  for (int64_t row = begin * IN; row < end * IN; ++row)
    for (int64_t column = 0; column < columns; ++column)
      ((element *)packed->aligned)[column * packed_stride + row] = *at(w, row, column);
}

/* What each of them says of itself. */
#define RECORD(NAME, MAP, ...)                                                                               \
  const algrt_cpu_record NAME##_record = {.head = {.magic = algrt_record_magic,                              \
                                                   .version = algrt_record_version,                          \
                                                   .words = sizeof(algrt_cpu_record) / 8,                    \
                                                   .map = MAP,                                               \
                                                   .dtype = BFLOAT16,                                        \
                                                   .k = bank_rows,                                           \
                                                   .n = columns,                                             \
                                                   .types = GROUPS,                                          \
                                                   .row_types = algrt_records_cyclic,                        \
                                                   .row_type_width = 1,                                      \
                                                   .groups = GROUPS_HASH,                                    \
                                                   .fusion = FUSION_HASH},                                   \
                                          .features = FEATURES_HASH,                                         \
                                          __VA_ARGS__}
#define PACKED_RECORD                                                                                        \
  .weights = 0, .pack_tasks = GROUPS, .packed_bytes = columns * packed_stride * sizeof(element)
#define PRODUCT_RECORD                                                                                       \
  .row_lists = 1, .types_per_task = types_per_task, .rows_per_task = rows_per_task,                          \
  .scratch_bytes = (OUT + 1) * 4
RECORD(forward_packed, algrt_records_forward, PRODUCT_RECORD, PACKED_RECORD);
RECORD(forward_copied, algrt_records_forward, PRODUCT_RECORD, .weights = 1);
RECORD(forward_direct, algrt_records_forward, PRODUCT_RECORD, .weights = 2);
RECORD(pack, algrt_records_pack, PACKED_RECORD);
