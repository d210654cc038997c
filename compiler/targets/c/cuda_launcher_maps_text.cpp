#include "compiler/targets/c/cuda_launcher_text.h"

namespace compiler {

const char *const launcher_operand_types = R"c(
/* ---- Operands ---- */

/* A matrix on the device, rows ld elements apart. */
typedef struct {
  uint64_t address;
  int64_t ld;
} matrix;

/* What is the same in every launch. */
typedef struct {
  const char *name;
  int64_t columns, rows; /* rows: 0 for those of the batch */
  int element_bytes, element_type; /* CUtensorMapDataType */
  int unit;                        /* bytes that are moved at a time */
  int by_engine;                   /* tensor maps show it */
} operand_shape;

/* The rows that a map shows: all rows of a weight matrix, or lines of rows of the batch. Cyclic types have a line for each phase
 * r mod PERIOD, of which the first m mod PERIOD have a row more than the others; of interval types it is a run of RUN
 * rows, of which the first and the last may be partial. Where runs are JOINED, maps go along the first runs of all types,
 * and then from run to run of a type; some types have a run more than the others. */
enum {
  WEIGHT_MATRIX,
  LONGER_LINES,
  SHORTER_LINES,
  FIRST_RUN,
  WHOLE_RUNS,
  LAST_RUN,
  LONGER_JOINED,
  SHORTER_JOINED,
  ALL_ROWS
};

/* A map of the kernel: four dimensions, the first of them contiguous, of columns, groups of columns, and of rows twice. */
typedef struct {
  int operand, lines, offset; /* in the kernel's first parameter */
  int64_t extents[4], steps[3]; /* of rows: those of a weight matrix alone; a step of columns is in elements, others in rows */
  int lists[2];                 /* words of the table of terms where groups of columns and of rows are listed, or -1 */
  uint32_t box[4];
  int swizzle; /* CUtensorMapSwizzle */
  int plain;   /* no tensor map */
} map_shape;
)c";

const char *const launcher_operands = R"c(
typedef struct {
  uint64_t address;
  int64_t extents[4];
  int64_t strides[3]; /* of the others, in elements; 0 where there is but one */
} view;

static int check_matrix(@_kernel *kernel, const operand_shape *shape, const matrix *given, int64_t m) {
  const int64_t rows = shape->rows > 0 ? shape->rows : m;
  char why[128] = "";
  if (given->address % (uint64_t)shape->unit != 0)
    snprintf(why, sizeof why, "starts at an address that is not a multiple of %d bytes", shape->unit);
  else if (given->ld < shape->columns)
    snprintf(why, sizeof why, "has rows that are closer together than they are wide");
  else if (shape->by_engine && given->ld >= ((int64_t)1 << 40) / shape->element_bytes)
    snprintf(why, sizeof why, "has rows 2^40 bytes apart or more, which a tensor map cannot step over");
  else if (rows > 0 && given->ld > ((int64_t)1 << 62) / shape->element_bytes / rows)
    snprintf(why, sizeof why, "is larger than any device's memory");
  else if ((shape->by_engine || rows > 1) && given->ld * shape->element_bytes % shape->unit != 0)
    snprintf(why, sizeof why, "has rows whose distance is not a multiple of %d bytes", shape->unit);
  if (why[0] == 0)
    return 0;
  snprintf(kernel->error, sizeof kernel->error, "%s %s", shape->name, why);
  return @_invalid_argument;
}

/* Fills in the rows of a view, of lines, of each of them, and how far they are apart. */
static void show_lines(view *shown, int lines, int64_t m, int64_t offset, int64_t row_bytes, int64_t ld) {
  const int64_t longer = m % PERIOD, into = offset % RUN, rest = into == 0 ? 0 : RUN - into;
  const int64_t first = rest < m ? rest : m, whole = (m - first) / RUN, left = m - first - whole * RUN;
  int64_t first_row = 0, count = 1, rows = m, line_step = INTERVAL ? RUN : 1, row_step = INTERVAL ? 1 : PERIOD;
  if (JOINED) {
    const int64_t types = PERIOD / RUN, more = whole % types;
    line_step = 1, row_step = PERIOD, rows = 1;
    if (lines == FIRST_RUN)
      count = first;
    else if (lines == LONGER_JOINED)
      first_row = first, count = more * RUN, rows = whole / types + 1;
    else if (lines == SHORTER_JOINED)
      first_row = first + more * RUN, count = (types - more) * RUN, rows = whole / types;
    else if (lines == LAST_RUN)
      first_row = m - left, count = left;
    else
      count = m;
  } else if (lines == LONGER_LINES)
    count = longer, rows = m / PERIOD + 1;
  else if (lines == SHORTER_LINES)
    first_row = longer, count = PERIOD - longer, rows = m / PERIOD;
  else if (lines == FIRST_RUN)
    rows = first;
  else if (lines == WHOLE_RUNS)
    first_row = first, count = whole, rows = RUN;
  else if (lines == LAST_RUN)
    first_row = first + whole * RUN, rows = left;
  else
    row_step = 1;
  /* Lines that are empty are one row that nobody reads. */
  if (count == 0 || rows == 0)
    first_row = 0, count = 1, rows = 1;
  shown->address += (uint64_t)(first_row * row_bytes);
  shown->extents[2] = count;
  shown->extents[3] = m == 0 ? 0 : rows;
  shown->strides[1] = count > 1 ? line_step * ld : 0;
  shown->strides[2] = rows > 1 ? row_step * ld : 0;
}
)c";

const char *const launcher_tensor_map_entries = R"c(
/* Kernels take tensor maps, which the driver encodes. */
#define MAP_ENTRIES(X)                                                                                                 \
  X(count_clusters, cuOccupancyMaxActiveClusters, (int *clusters, void *function, const launch_config *config))        \
  X(encode_map, cuTensorMapEncodeTiled,                                                                                \
    (void *map, int type, uint32_t rank, void *address, const uint64_t *extents, const uint64_t *strides,              \
     const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle, int promotion, int fill))
)c";

const char *const launcher_tensor_maps = R"c(
/* A block takes what a multiprocessor has, and those of a cluster run on neighbours: some may be left over. */
static int count_blocks(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  launch_attribute attribute;
  launch_config config;
  int clusters = 0, result;
  state->blocks = state->multiprocessors;
  if (CLUSTER == 1)
    return 0;
  memset(&config, 0, sizeof config);
  config.grid[0] = CLUSTER, config.block[0] = THREADS;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.shared_bytes = SHARED_BYTES;
  config.attributes = &attribute, config.attribute_count = 1;
  ask_for_clusters(&attribute);
  if ((result = state->count_clusters(&clusters, state->function, &config)) != 0)
    return driver_failure(kernel, result, "asking how many clusters of blocks the device runs");
  state->blocks = (int64_t)CLUSTER * (clusters > 1 ? clusters : 1);
  return 0;
}

static int write_map(@_kernel *kernel, unsigned char *map, const map_shape *shape, const view *shown,
                     uint64_t any_address) {
  static const uint32_t side_by_side[4] = {1, 1, 1, 1};
  const operand_shape *from = &operands[shape->operand];
  const int empty = shown->extents[3] == 0; /* nothing is read, but the map has to be legal */
  uint64_t extents[4], strides[3];
  int i, result;
  if (shape->plain) {
    write_plain_map(kernel, map, shape, shown);
    return 0;
  }
  for (i = 0; i < 4; ++i)
    extents[i] = empty && i == 3 ? 1 : (uint64_t)shown->extents[i];
  for (i = 0; i < 3; ++i) {
    const uint64_t bytes = (uint64_t)shown->strides[i] * (uint64_t)from->element_bytes;
    if (bytes % 16 != 0 || bytes >= (uint64_t)1 << 40) {
      snprintf(kernel->error, sizeof kernel->error,
               "%s: a tensor map cannot step over %llu bytes, only over multiples of 16 below 2^40", from->name,
               (unsigned long long)bytes);
      return @_invalid_argument;
    }
    strides[i] = bytes == 0 ? 16 : bytes; /* what is never taken has to be legal, too */
  }
  /* Not interleaved; fetched into the second-level cache by 128 bytes; zeros outside. */
  result = kernel->state->encode_map(map, from->element_type, 4,
                                     (void *)(uintptr_t)(empty ? any_address / 16 * 16 : shown->address), extents,
                                     strides, shape->box, side_by_side, 0, shape->swizzle, 2, 0);
  return result == 0 ? 0 : driver_failure(kernel, result, "encoding a tensor map");
}
)c";

const char *const launcher_plain_map_entries = R"c(
/* Kernels take plain maps, which need no help of the driver's. Several of their blocks share a multiprocessor. */
#define MAP_ENTRIES(X)                                                                                                 \
  X(count_together, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                       \
    (int *blocks, void *function, int threads, size_t shared_bytes))
)c";

const char *const launcher_plain_alone = R"c(
static int write_map(@_kernel *kernel, unsigned char *map, const map_shape *shape, const view *shown,
                     uint64_t any_address) {
  (void)any_address;
  write_plain_map(kernel, map, shape, shown);
  return 0;
}

static int count_blocks(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  int together = 0, result = state->count_together(&together, state->function, THREADS, SHARED_BYTES);
  if (result != 0)
    return driver_failure(kernel, result, "asking how many blocks share a multiprocessor");
  state->blocks = (int64_t)state->multiprocessors * (together > 1 ? together : 1);
  return 0;
}
)c";

const char *const launcher_plain_maps = R"c(
/* As the kernel's threads read it. */
typedef struct {
  uint64_t address;
  int64_t strides[3];
  int32_t extents[4];
  uint64_t lists[3]; /* on the device, of groups of columns and of rows, and, nowhere here, of rows; 0: none */
} plain_map;

static void write_plain_map(@_kernel *kernel, unsigned char *map, const map_shape *shape, const view *shown) {
  plain_map plain = {shown->address, {0}, {0}, {0}};
  int i;
  for (i = 0; i < 3; ++i)
    plain.strides[i] = shown->strides[i];
  for (i = 0; i < 4; ++i)
    plain.extents[i] = (int32_t)shown->extents[i];
  for (i = 0; i < 2; ++i)
    plain.lists[i] = shape->lists[i] < 0 ? 0 : kernel->state->terms + (uint64_t)shape->lists[i] * 4;
  memcpy(map, &plain, sizeof plain);
}
)c";

} // namespace compiler
