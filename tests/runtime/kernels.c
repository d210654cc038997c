/* Kernels written by hand against runtime/kernel_abi.h, one shared object per shape: slow, plain, and
 * independent of the compiler. The shape comes from the build: GROUPS      number of groups (and of types
 * where they are cyclic, interval or explicit) IN, OUT     widths of an input and an output group PERIOD rows
 * of one type after another; 0 = explicit types; -1 = slot lift (quaternions) BFLOAT16    1 for bf16
 * elements, otherwise f32 GROUPS_HASH, SUPPORT_HASH, FEATURES_HASH   the hashes of the records
 * (runtime/kernel_record.h) */
#include "runtime/kernel_abi.h"

#include <string.h>
#include <time.h>

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
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (element)(bits >> 16 | 0x40u);
  return (element)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
#else
typedef float element;
static float load(element value) { return value; }
static element store(float value) { return value; }
#endif

enum { rows_per_task = 3, types_per_task = 2 };

static const element *at(const algrt_memref2 *m, int64_t row, int64_t column) {
  return (const element *)m->aligned + m->offset + row * m->strides[0] + column;
}

/* Where the element W[row, column] lies. The packed weight matrix is the transposed one, with room for one
 * more column between rows: an order that no plain kernel could read by accident. */
enum {
  bank_rows = GROUPS * IN,
  bank_columns = PERIOD < 0 ? OUT : GROUPS * OUT,
  packed_stride = bank_rows + 1
};

static float weight(const algrt_memref2 *w, int packed, int64_t row, int64_t column) {
  return load(packed ? ((const element *)w->aligned)[column * packed_stride + row] : *at(w, row, column));
}

/* sum += coefficient * x[row, group i] times block (weight row group j, columns from first_column) of w */
static void add_block(float *sum, const algrt_memref2 *x, const algrt_memref2 *w, int packed, int64_t row,
                      int i, int j, int64_t first_column, float coefficient) {
  for (int d = 0; d < IN; ++d)
    for (int c = 0; c < OUT; ++c)
      sum[c] += coefficient * load(*at(x, row, i * IN + d)) * weight(w, packed, j * IN + d, first_column + c);
}

static void one_slot(const algrt_memref2 *x, const algrt_memref2 *w, const algrt_memref2 *y, float *sum,
                     int packed, int64_t row, int64_t type, int group) {
  memset(sum, 0, OUT * sizeof(float));
#if PERIOD < 0
  /* Quaternions: basis i times basis j is sign[i][j] times basis i xor j. */
  static const float sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
  for (int i = 0; i < GROUPS; ++i)
    add_block(sum, x, w, packed, row, i, i ^ group, 0, sign[i][i ^ group]);
#else
  add_block(sum, x, w, packed, row, group, group, (int64_t)group * OUT, 1);
  if (type != group)
    add_block(sum, x, w, packed, row, (int)type, (int)type, (int64_t)group * OUT, 1);
#endif
  for (int c = 0; c < OUT; ++c)
    *(element *)at(y, row, group * OUT + c) = store(sum[c]);
}

static void forward(int packed, const algrt_memref2 *operands, const algrt_memref1 *scratch,
                    const algrt_memref1 *rows, const algrt_memref1 *starts, int64_t p0, int64_t row_blocks,
                    int64_t slices, int64_t begin, int64_t end) {
  const algrt_memref2 *x = operands, *w = operands + 1, *y = operands + 2;
  const int64_t m = x->sizes[0], types = PERIOD < 0 ? 1 : GROUPS;
  float *sum = (float *)scratch->aligned;
  for (int64_t task = begin; task < end; ++task) {
    /* A mark behind the sums, and time for another thread to overwrite it, were it given the same scratch. */
    sum[OUT] = (float)task;
    const struct timespec a_moment = {0, 100000};
    if (m > 40)
      nanosleep(&a_moment, NULL);
    const int64_t slice = task % slices, block = task / slices % row_blocks,
                  first = task / slices / row_blocks;
    for (int64_t type = first * types_per_task; type < types && type < (first + 1) * types_per_task; ++type) {
      int64_t seen = 0; /* rows of this type so far */
      for (int64_t r = 0; r < m; ++r) {
        int64_t row = r;
        if (starts->sizes[0] > 0) { /* rows come in lists */
          const int64_t *start = (const int64_t *)starts->aligned;
          if (r >= start[type + 1] - start[type])
            break;
          row = ((const int64_t *)rows->aligned)[start[type] + r];
        }
#if PERIOD > 0
        else if ((p0 + r) / PERIOD % types != type)
          continue;
#endif
        if (seen++ / rows_per_task != block)
          continue;
        for (int64_t group = slice * GROUPS / slices; group < (slice + 1) * GROUPS / slices; ++group)
          one_slot(x, w, y, sum, packed, row, type, (int)group);
        if (sum[OUT] != (float)task)
          memset((void *)(uintptr_t)at(y, row, 0), 0xff, GROUPS * OUT * sizeof(element));
      }
    }
  }
}

#define FORWARD(NAME, PACKED)                                                                                \
  void NAME(const algrt_memref2 *operands, const algrt_memref1 *scratch, const algrt_memref1 *rows,          \
            const algrt_memref1 *starts, int64_t p0, int64_t row_blocks, int64_t slices, int64_t begin,      \
            int64_t end) {                                                                                   \
    forward(PACKED, operands, scratch, rows, starts, p0, row_blocks, slices, begin, end);                    \
  }
FORWARD(forward_packed, 1)
FORWARD(forward_copied, 0)
FORWARD(forward_direct, 0)

/* Task t packs weight row group t. */
void pack(const algrt_memref2 *w, const algrt_memref2 *packed, int64_t begin, int64_t end) {
  for (int64_t row = begin * IN; row < end * IN; ++row)
    for (int64_t column = 0; column < bank_columns; ++column)
      ((element *)packed->aligned)[column * packed_stride + row] = *at(w, row, column);
}

/* What each of them says of itself. */
#define RECORD(NAME, MAP, ...)                                                                               \
  const algrt_cpu_record NAME##_record = {.head = {.magic = algrt_record_magic,                              \
                                                   .version = algrt_record_version,                          \
                                                   .words = sizeof(algrt_cpu_record) / 8,                    \
                                                   .map = MAP,                                               \
                                                   .lift = PERIOD < 0,                                       \
                                                   .dtype = BFLOAT16,                                        \
                                                   .k = bank_rows,                                           \
                                                   .n = GROUPS * OUT,                                        \
                                                   .types = PERIOD < 0 ? 1 : GROUPS,                         \
                                                   .row_types = PERIOD == 0  ? algrt_records_explicit        \
                                                                : PERIOD > 1 ? algrt_records_interval        \
                                                                             : algrt_records_cyclic,         \
                                                   .row_type_width = PERIOD < 0 ? 1 : PERIOD,                \
                                                   .groups = GROUPS_HASH,                                    \
                                                   .support = SUPPORT_HASH},                                 \
                                          .features = FEATURES_HASH,                                         \
                                          __VA_ARGS__}
#define PACKED_RECORD                                                                                        \
  .weights = 0, .pack_tasks = GROUPS, .packed_bytes = bank_columns * packed_stride * sizeof(element)
#define PRODUCT_RECORD                                                                                       \
  .row_lists = 1, .types_per_task = types_per_task, .rows_per_task = rows_per_task,                          \
  .scratch_bytes = (OUT + 1) * 4
RECORD(forward_packed, algrt_records_forward, PRODUCT_RECORD, PACKED_RECORD);
RECORD(forward_copied, algrt_records_forward, PRODUCT_RECORD, .weights = 1);
RECORD(forward_direct, algrt_records_forward, PRODUCT_RECORD, .weights = 2);
RECORD(pack, algrt_records_pack, PACKED_RECORD);
