#include "compiler/targets/c/cuda_launcher_text.h"

namespace compiler {

const char *const launcher_operands = R"c(
/* ---- Operands ---- */

/* A matrix on the device, rows ld elements apart. */
typedef struct {
  const char *name;
  uint64_t address;
  int64_t columns, ld;
  int element_bytes, element_type; /* CUtensorMapDataType */
  int unit;                        /* bytes that are moved at a time */
} matrix;

typedef struct {
  int columns, rows;
  int swizzle; /* CUtensorMapSwizzle */
} box_shape;

/* What a map shows of a matrix: four dimensions, the first of them contiguous. */
typedef struct {
  uint64_t address;
  int64_t extents[4];
  int64_t strides[3]; /* of the others, in elements; 0 where there is but one */
  uint32_t box[4];
  int swizzle;
} view;

typedef struct {
  int64_t first_row, count, rows; /* of each line */
} row_lines;

static int check_matrix(@_kernel *kernel, const matrix *from, int64_t rows) {
  char why[128] = "";
  if (from->address % (uint64_t)from->unit != 0)
    snprintf(why, sizeof why, "starts at an address that is not a multiple of %d bytes", from->unit);
  else if (from->ld < from->columns)
    snprintf(why, sizeof why, "has rows that are closer together than they are wide");
  else if (!PLAIN_MAPS && from->ld >= ((int64_t)1 << 40) / from->element_bytes)
    snprintf(why, sizeof why, "has rows 2^40 bytes apart or more, which a tensor map cannot step over");
  else if (from->ld > ((int64_t)1 << 62) / from->element_bytes / rows)
    snprintf(why, sizeof why, "is larger than any device's memory");
  else if ((!PLAIN_MAPS || rows > 1) && from->ld * from->element_bytes % from->unit != 0)
    snprintf(why, sizeof why, "has rows whose distance is not a multiple of %d bytes", from->unit);
  if (why[0] == 0)
    return 0;
  snprintf(kernel->error, sizeof kernel->error, "%s %s", from->name, why);
  return @_invalid_argument;
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

static int write_map(@_kernel *kernel, unsigned char *map, const matrix *from, const view *shown) {
  static const uint32_t side_by_side[4] = {1, 1, 1, 1};
  uint64_t extents[4], strides[3];
  int i, result;
  for (i = 0; i < 4; ++i)
    extents[i] = (uint64_t)shown->extents[i];
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
  result = kernel->state->encode_map(map, from->element_type, 4, (void *)(uintptr_t)shown->address, extents, strides,
                                     shown->box, side_by_side, 0, shown->swizzle, 2, 0);
  return result == 0 ? 0 : driver_failure(kernel, result, "encoding a tensor map");
}
)c";

const char *const launcher_plain_map_entries = R"c(
/* Kernels take plain maps, which need no help of the driver's. Several of their blocks share a multiprocessor. */
#define MAP_ENTRIES(X)                                                                                                 \
  X(count_together, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                       \
    (int *blocks, void *function, int threads, size_t shared_bytes))
)c";

const char *const launcher_plain_maps = R"c(
static int count_blocks(@_kernel *kernel) {
  struct @_state *state = kernel->state;
  int together = 0, result = state->count_together(&together, state->function, THREADS, SHARED_BYTES);
  if (result != 0)
    return driver_failure(kernel, result, "asking how many blocks share a multiprocessor");
  state->blocks = (int64_t)state->multiprocessors * (together > 1 ? together : 1);
  return 0;
}

/* As the kernel's threads read it. */
typedef struct {
  uint64_t address;
  int64_t strides[3];
  int32_t extents[4];
  uint64_t lists[3]; /* none */
} plain_map;

static int write_map(@_kernel *kernel, unsigned char *map, const matrix *from, const view *shown) {
  plain_map plain;
  int i;
  (void)kernel, (void)from;
  plain.address = shown->address;
  for (i = 0; i < 3; ++i)
    plain.strides[i] = shown->strides[i];
  for (i = 0; i < 4; ++i)
    plain.extents[i] = (int32_t)shown->extents[i];
  for (i = 0; i < 3; ++i)
    plain.lists[i] = 0;
  memcpy(map, &plain, MAP_BYTES);
  return 0;
}
)c";

const char *const launcher_views = R"c(
/* Columns of a group, groups, lines, rows of a line. Lines are line_step rows apart, rows of a line row_step. Lines that
 * are empty are one row that nobody reads. */
static int write_lines(@_kernel *kernel, unsigned char *map, const matrix *from, int groups, row_lines lines,
                       int64_t line_step, int64_t row_step, const box_shape *box) {
  view shown = {0, {0}, {0}, {1, 1, 1, 1}, 0};
  if (lines.count == 0 || lines.rows == 0)
    lines.first_row = 0, lines.count = 1, lines.rows = 1;
  shown.address = from->address + (uint64_t)(lines.first_row * from->ld) * (uint64_t)from->element_bytes;
  shown.extents[0] = from->columns / groups;
  shown.extents[1] = groups;
  shown.extents[2] = lines.count;
  shown.extents[3] = lines.rows;
  shown.strides[0] = groups > 1 ? shown.extents[0] : 0;
  shown.strides[1] = lines.count > 1 ? line_step * from->ld : 0;
  shown.strides[2] = lines.rows > 1 ? row_step * from->ld : 0;
  shown.box[0] = (uint32_t)box->columns;
  shown.box[3] = (uint32_t)box->rows;
  shown.swizzle = box->swizzle;
  return write_map(kernel, map, from, &shown);
}

/* Columns of a group, output groups, depth, row groups. */
static int write_bank(@_kernel *kernel, unsigned char *map, const matrix *bank, const box_shape *box) {
  view shown = {0, {0}, {0}, {1, 1, 1, 1}, 0};
  shown.address = bank->address;
  shown.extents[0] = bank->columns / BANK_OUT_GROUPS;
  shown.extents[1] = BANK_OUT_GROUPS;
  shown.extents[2] = K / BANK_ROW_GROUPS;
  shown.extents[3] = BANK_ROW_GROUPS;
  shown.strides[0] = shown.extents[1] > 1 ? shown.extents[0] : 0;
  shown.strides[1] = shown.extents[2] > 1 ? bank->ld : 0;
  shown.strides[2] = shown.extents[3] > 1 ? shown.extents[2] * bank->ld : 0;
  shown.box[0] = (uint32_t)box->columns;
  shown.box[2] = (uint32_t)box->rows;
  shown.swizzle = box->swizzle;
  return write_map(kernel, map, bank, &shown);
}
)c";

const char *const launcher_cyclic_rows = R"c(
/* Row r has type (r + p0) mod PERIOD. A line is the rows of one phase r mod PERIOD: the first m mod PERIOD lines have
 * a row more than the others. */
enum { LONGER_LINES, SHORTER_LINES };

static int write_rows(@_kernel *kernel, unsigned char *map, int shown, const matrix *from, int groups, int64_t m,
                      int64_t offset, const box_shape *box) {
  const int64_t longer = m % PERIOD;
  row_lines lines;
  (void)offset;
  if (shown == LONGER_LINES)
    lines.first_row = 0, lines.count = longer, lines.rows = m / PERIOD + 1;
  else
    lines.first_row = longer, lines.count = PERIOD - longer, lines.rows = m / PERIOD;
  return write_lines(kernel, map, from, groups, lines, 1, PERIOD, box);
}

static int64_t count_lines(int64_t m, int64_t offset) {
  (void)m, (void)offset;
  return PERIOD;
}
static int64_t longest_line(int64_t m) { return (m + PERIOD - 1) / PERIOD; }
)c";

const char *const launcher_interval_rows = R"c(
/* Row r has type (r + p0) / RUN mod TYPES. A line is a run of rows of one type; the first and the last run may be
 * partial, and have maps of their own. */
enum { FIRST_RUN, WHOLE_RUNS, LAST_RUN };

static int write_rows(@_kernel *kernel, unsigned char *map, int shown, const matrix *from, int groups, int64_t m,
                      int64_t offset, const box_shape *box) {
  const int64_t into = offset % RUN, rest = into == 0 ? 0 : RUN - into, first = rest < m ? rest : m;
  const int64_t whole = (m - first) / RUN, left = m - first - whole * RUN;
  row_lines lines;
  if (shown == FIRST_RUN)
    lines.first_row = 0, lines.count = 1, lines.rows = first;
  else if (shown == WHOLE_RUNS)
    lines.first_row = first, lines.count = whole, lines.rows = RUN;
  else
    lines.first_row = first + whole * RUN, lines.count = 1, lines.rows = left;
  return write_lines(kernel, map, from, groups, lines, RUN, 1, box);
}

static int64_t count_lines(int64_t m, int64_t offset) { return (offset % RUN + m - 1) / RUN + 1; }
static int64_t longest_line(int64_t m) {
  (void)m;
  return RUN;
}
)c";

} // namespace compiler
