/* clang-format off */
/* What a compiled GPU kernel looks like from outside: the one header that the compiler's GPU targets, the
 * simulator and the runtime agree on. Plain C.
 *
 * A forward kernel computes Y = X (times) W on bf16 operands with f32 sums; Y is bf16 or f32. One of the map dx computes
 * dX = dY (times) W^T: all that is said of X and Y is of dY and dX there, groups of X are those of Y and the other way
 * round, terms are the transposed ones, and the weight matrix is the same one as it lies. Which parameters a kernel takes,
 * in which order and where, is data that it comes with: runtime/bundle/kernel_parameters.h. This page says what the maps,
 * tables and lists contain that they point to. A bias is added to the f32 sums before these are rounded: N bf16 numbers, one
 * for each column of Y. Kernels of several products take further weight matrices, mapped as the first, and what maps of
 * their sums read and further results through plain maps of the views of Y.
 *
 * It is launched with `threads` threads and `shared_bytes` of dynamic shared memory in each block, in clusters of
 * `cluster` blocks along x, on any number of clusters: the grid is persistent, block b takes the tiles b, b + grid, ...
 * Where rows of X are stationary (`held_groups` of the manifest), what it takes at a time is all tiles of so many groups.
 * Of the map dx `held_groups` says that sums are: what it takes at a time is the tiles of all groups with the same rows and
 * columns, and where there is a `split`, each block of the cluster those of so many consecutive groups and a part of the
 * stationary sums.
 * A cluster takes its tiles together, `cluster_rows` consecutive blocks of rows of a segment times `cluster_columns`
 * consecutive blocks of columns of a group: cluster c takes the tiles of number c, c + grid / cluster, ... of such, and
 * block r of it the one in row r / cluster_columns, column r mod cluster_columns. With a `split` all of its blocks take
 * the same tile instead, and block r stores part r of the columns or, where rows are on side N of the tensor cores'
 * instructions, of the rows: boxes of Y are that part. A kernel with clusters names their
 * size (.reqnctapercluster): it cannot be launched with others, or on a grid that is no multiple of it.
 * With `long_groups` = L, tiles of the first L groups of every type, in the order of their terms, come before all others,
 * and only they are divided; each block of a cluster takes tiles of others for itself. How many turns which cluster takes
 * is for the kernel to know: all on any grid.
 * Launching more blocks than there are tiles wastes blocks, nothing else. More clusters than run at one time make the
 * last of them begin when others have ended. All these numbers are in the bundle's manifest. With `dependent_launch` the
 * kernel waits for the grid before it (griddepcontrol.wait) before it touches global memory, and may be launched with
 * programmatic stream serialization.
 *
 * ---- rows of X and Y ------------------------------------------------------------------------------------------
 *
 * Rows of one type form runs with a constant stride: a *row segment*. A map of X or Y has four dimensions,
 *
 *     dimension   extent              stride                coordinate of a tile
 *     0 column    width of a group    (elements)            first column within the group
 *     1 group     number of groups    width                 the group
 *     2 segment   those of this map   (see below)           segment - first segment of the map
 *     3 row       rows of the segment (see below)           first row within the segment
 *
 * and a box of box_columns x 1 x 1 x box_rows. Blocks of a cluster that share rows of X, or a block of the weight matrix, each copy
 * a part of them for all: boxes of X then have the rows of a tile / cluster_columns, those of the weight matrix the depth of a
 * stage / cluster_rows. What lies past a group's last column or a segment's last row is filled
 * with zeros on the way in and clipped on the way out, so that no tile touches its neighbours.
 *
 *   cyclic, period q (one type: q = 1; the slot lift counts as that)
 *     segment = the phase, r mod q for row r of X; its type is (phase + offset) mod q. Segment stride 1 row, row
 *     stride q rows. M mod q phases have one row more than the rest, so there are two maps:
 *       [0] segments 0 .. M mod q - 1, M / q + 1 rows each       [1] the other segments, M / q rows each
 *   interval, width w, q types
 *     segment = a run of consecutive rows of one type; run u has type (offset / w + u) mod q. Segment stride w rows,
 *     row stride 1 row. The first and the last run may be partial, so there are three maps:
 *       [0] the first run, when offset mod w > 0: min(M, w - offset mod w) rows
 *       [1] the whole runs      [2] the rows that are left after them, fewer than w
 *   joined runs (`"rows": "joined_runs"` of the manifest) of an interval whose width w is a power of two
 *     segment = all whole runs of a type, one behind the other: row r of it is row r mod w of run r / w, and the runs are
 *     q w rows apart. The first and the last run, where they are partial, are segments of their own. Of the W whole runs
 *     the first W mod q types that come have one more than the others. There are four maps:
 *       [0] the first run        [1] the types with W / q + 1 runs
 *       [2] the types with W / q [3] the last run
 *     The last two dimensions are others here: dimension 2 has the rows of the types' first runs, segment w + r mod w, one
 *     row apart, and dimension 3 the runs, r / w. A box has min(w, box_rows) rows of a run and box_rows / w runs, one at
 *     least; of the map of all rows box_rows along dimension 2.
 *
 * Segments are numbered in the order of the maps, so that their types are consecutive; of joined runs numbers without rows stand
 * between the last type's and the last run, which has the number of its type. A kernel whose tiles have several `types` takes so many consecutive ones
 * of them at a time, the segments n, n + 1, ...: their types are consecutive, too. The boxes of X then have the rows that a
 * tile has of one segment, those of Y always 64.
 *
 * A map that would be empty is present, never used, and encoded with extents of 1 for segments and rows. Where there are no rows
 * at all (map dw, plain maps), the extent of rows is 0.
 *
 * ---- the weight matrix ----------------------------------------------------------------------------------------
 *
 * One map of four dimensions with a box of box_columns x 1 x box_rows x 1:
 *
 *     row lift    column (width of an output group), output group, depth (height of a row group), row group
 *     slot lift   column (N / m), 1, depth (K / m), block
 *
 * In the map dx box_columns is of the depth of a stage and box_rows of a tile's columns: blocks are read as they lie.
 *
 * A kernel of two layers multiplies what the first one leaves by the weight matrices of the next, which have maps of
 * their own: groups of columns are those of Y, row groups those of the columns of the first layer's result. Boxes of
 * them have all columns of a group and as many rows as the kernel makes columns of that result at a time. What it takes
 * in a turn are all columns of `held_groups` consecutive groups of Y for one block of rows.
 *
 * ---- the map dw ------------------------------------------------------------------------------------------------
 *
 * dW = X^T (times) dY + beta * dW. What dW holds is read only where beta is not 0. dW is one map as the weight
 * matrix's, of the type `output`; a tile of it is `rows` features of a row group times `columns` of an output group, which a
 * block computes by going through rows of X and dY, `depth` at a time. Boxes of X and dY have the depth as rows, or in a
 * cluster the part of it that each block copies for others: blocks of a row of the cluster share those of X, of a column
 * those of dY. Where the copy engine copies X and dY, and beta is 0, it stores dW, through a tensor map with boxes of
 * 64 rows. Else threads write dW from their registers, through a plain map that stands behind all tensor maps, in pairs of
 * columns: the engine cannot add to what dW holds. With a `split` blocks divide the steps of a tile, and block r stores
 * part r of its columns. Every tile of dW is written, also where there are no rows. X and dY have the maps
 * above and one more behind them, of all rows as they lie, which blocks of the weight matrix take that all types use:
 *
 *     column (width of a group), group, 1, row (M)
 *
 * Tiles are numbered by column block, output group, block of features, and last row group; with `long_groups` = L, the
 * L blocks of every row group that sum up the most types come first: of a complete graph those from the diagonal on.
 *
 * ---- plain maps ------------------------------------------------------------------------------------------------
 *
 * What a tensor map says of an operand, to be read by threads: the four dimensions above, without box and swizzle.
 * The element at coordinates c is at address + c[0] + sum over d > 0 of c[d] * strides[d - 1], counted in elements;
 * what lies outside the extents reads as zero, is not touched, and is not written. A dimension of extent 1 has stride 0.
 * Such a kernel moves `vector` elements at a time, a power of two up to 8, but no more than 16 bytes: of an f32 Y it moves
 * 4 where `vector` is 8. The extents of dimension 0 and all strides are multiples of what it moves, and addresses are
 * multiples of as many elements. With vector = 1 it takes any operands.
 *
 * Only plain maps describe operands whose groups have unequal widths, or whose rows are in no regular places. Then they
 * have addresses of lists, of int32 in device memory:
 *
 *   groups       (`unequal` of the manifest) where each group of dimension 1 begins, counted in columns of the operand, and
 *                behind the last one where that ends. The group's width takes the place of extent 0, its start that of
 *                coordinate 1 times its stride
 *   row_groups   the same of the weight matrix's row groups, dimension 3, counted in rows: in the place of extent 2
 *   rows         (`"rows": "listed"` of the manifest) the row list of X and Y:
 *                  [0]                the most rows that any one type has
 *                  [1 .. types + 1]   starts: those of type t are the entries starts[t] .. starts[t + 1] - 1
 *                  [types + 2 ..]     the entries, numbers of rows, grouped by type
 *                Dimension 2 then is the type, `types` of them, and dimension 3 the rows of the type: coordinates (t, r) are
 *                row entry[starts[t] + r] of the matrix. There is one map of X and one of Y, of the map dw, too, where
 *                coordinate 2 = types stands for all entries. A row that is in no list is not read, and not written.
 *
 * Where `groups` are given, so is a terms table, which begins with these lists: the starts of the layer's input groups, of
 * its output groups and of its weight matrix's row groups, each with its end. Behind them everything is counted from their end on.
 *
 * ---- vector reductions -----------------------------------------------------------------------------------------
 *
 * A forward kernel with `slices` takes rows of the batch as they lie, each with the terms of its own type. Its maps of X and
 * Y are those of all rows,
 *
 *     column (width of a group), group, 1, row (M)
 *
 * `vector` is of X and W alone: Y is written element by element, at any address. It is given the absolute positions of all
 * rows, M numbers of 4 or 8 bytes; where their address is 0, that of row r is offset + r.
 *
 * The type of a row is (position mod period) / width, where the width is 1 of cyclic types; numbers below 0 count back
 * from the period. In the slot lift positions are not read. The tiles that blocks b, b + grid, ... take are parts of `rows`
 * rows and `columns` columns, numbered by column block, output group, and last the rows. With `dependent_launch` it
 * may read W and the terms before it waits for the grid before it, which therefore must not write them.
 *
 * A kernel with the parameter `experts` = E divides rows among experts. It is given E + 1 int32, expert_starts: rows
 * expert_starts[e] .. expert_starts[e + 1] - 1 are those of expert e, perhaps none, and no part has rows of two; a start counts
 * as 0 at least and as M at most. Rows of X of no expert are not read, those of Y not written. The maps of weight matrices have E times the
 * row groups of one, those of expert e behind those of e - 1, and numbers of columns lie E times one behind the other. Parts are
 * numbered expert by expert. Nothing is read before the grid before has ended.
 * Such a kernel also has `batch_rows`, and two addresses of int32 lists, each of which may be null. With expert_rows the rows above are
 * entries of this list: the position of row r is that of row expert_rows[r], of `batch_rows` that have positions, and the same goes for p0 + r. With x_rows row r of X is
 * row x_rows[r]. A number outside of 0 .. batch_rows - 1 counts as the nearest of these. Y, and what maps read, is found by r.
 *
 * A kernel whose rows are listed may have the parameter `experts` = E, too, and none of the others: the list has said whose its rows are.
 * Its types are those of each expert, one expert after another: coordinate 2 is e * types + t, and there are E * types of them. Its
 * weight matrices and numbers of columns lie as above. The map of X may have a row list of its own, see below.
 *
 * ---- terms ----------------------------------------------------------------------------------------------------
 *
 * int32 starts[types * output_groups + 1], then two int32 for each term: its input group, and its weight row with
 * bit 31 set where the coefficient is -1. The terms of (type t, output group j) are starts[t * output_groups + j] up
 * to the next entry, in ascending order as the bundle's support lists them.
 *
 * A kernel with `scaled` terms multiplies by any coefficients: three int32 for each term, its input group, its weight matrix
 * row, and the bits of its coefficient as f32. The terms of a (type, output group) are then sorted by coefficient
 * and by input group within one coefficient: their products are added first and scaled once.
 *
 * A kernel of `unequal` groups finds each term once for every `depth` columns of its input group, since input groups differ
 * in how often that is: between the input group and the weight row stands the first of these columns.
 *
 * Of the map dw: int32 starts[row groups * weight columns + 1], where the weight matrix has as many columns of blocks as there are
 * output groups, in the slot lift 1; then three int32 for each term of a block: its row type, its input group, and its
 * output group with the sign as above; of `scaled` terms the output group alone, and the bits of the coefficient as a
 * fourth. They are sorted by type, output group and input group, scaled ones by their coefficients first. Where all
 * types have the same terms of a block, each of these is there once, with the number of types in a type's place.
 *
 * For a kernel with `long_groups`, there follow int32 order[types * output_groups]: of each type its output groups, those
 * with the most terms first, among equals by their number; of the map dw int32 order[row groups * weight columns]: of each
 * row group its columns of blocks, those with the most terms of single types first.
 *
 * ---- row lists -------------------------------------------------------------------------------------------------
 *
 * Rows that do not follow one another come in lists: an int32 table on the device,
 *
 *     [0]              the most rows that any one type has
 *     [1 .. types + 1] starts: rows of type t are list[starts[t]] .. list[starts[t + 1] - 1], where list begins at
 *     [types + 2 ...]  row numbers, grouped by type, ascending within a type
 *
 * The kernel group_rows makes it, of what a call says of its rows.
 * Its shared memory is for the sums of every warp and the rows of every type: algrt_group_rows_shared_bytes. Blocks take
 * types in turn, and the last one finds the most rows: types + 1 blocks do all at once, any number will
 * do. A row whose type is not below `types`, or whose position is below 0, is of no type and in no list. First rows that
 * do not ascend give some row some type.
 *
 * Of experts, for kernels of theirs, it knows where rows begin and their positions alone, and has other parameters for these. The list then
 * has E * types types, and rows of no expert leave their places among the entries. A start counts as 0 at least and as M at most; where
 * starts descend, an expert has no rows, and the next word may be less than the one before: types whose end is so have none either. A position below 0 counts back from the period. Where
 * the rows of experts are entries of expert_rows, the list has numbers of entries, by which Y is found; a second one, row_list_of_x, has in
 * their places the rows of the batch that they name, by which X is.
 *
 * ---- records ---------------------------------------------------------------------------------------------------
 *
 * Beside each kernel lies an algrt_gpu_record (below; runtime/kernel_record.h): what of the manifest's entry decides about
 * grid, memory, parameters and maps. That of group_rows has architecture, threads and parameters alone. They
 * are read out of the image's bytes, which takes no device, and not while a stream may be captured.
 */
/* clang-format on */
#pragma once

#include "runtime/kernel_record.h"

#include <stdint.h>

typedef struct algrt_plain_map {
  uint64_t address;   /* on the device, of the element at coordinates 0 */
  int64_t strides[3]; /* of dimensions 1, 2 and 3, in elements */
  int32_t extents[4];
  uint64_t groups, row_groups, rows; /* on the device, of lists; 0 where there is none */
} algrt_plain_map;

enum {
  algrt_tensor_map_bytes = 128,
  algrt_tensor_map_alignment = 64,
  algrt_plain_map_bytes = 72,
  algrt_cyclic_row_maps = 2,
  algrt_interval_row_maps = 3,
  algrt_joined_row_maps = 4,
  algrt_listed_row_maps = 1,
  algrt_most_row_maps = 5, /* of a gradient of the weight matrix, with the map of all rows */
  algrt_reduction_depth =
      8, /* rows of the weight matrix that a thread of a vector reduction reads at a time */
  /* Of the kernel group_rows: what says the rows' types, and a bit for numbers of 8 bytes. */
  algrt_rows_of_types = 0,
  algrt_rows_of_positions = 1,
  algrt_rows_of_sequences = 2,
  algrt_rows_of_equal_sequences = 3, /* of as many rows each, whose first ones are at the position `offset` */
  algrt_rows_of_kind = 3,            /* the bits of these */
  algrt_rows_of_wide = 4,
  /* Rows and coordinates are int32 in a kernel. */
  algrt_most_gpu_rows = 0x7fffff00,
};

/* What a kernel says of itself: the fields of its manifest entry, 0 or for factors 1 where that has none. */
typedef struct algrt_gpu_record {
  algrt_record_head head;
  int64_t architecture;       /* ten times the compute capability */
  int64_t exact_architecture; /* runs on that alone */
  int64_t output;             /* type of the elements of the result */
  int64_t threads, cluster, shared_bytes;
  int64_t dependent_launch, terms, scaled;
  int64_t listed; /* rows are where a list says */
  int64_t groups; /* that the kernel counts; 0: the layer's */
  int64_t copies; /* 0 by the copy engine, 1 by threads */
  int64_t vector, warp_rows, warp_columns, slices;
  int64_t tile_rows, tile_columns, tile_depth, tile_stages, tile_consumers;
  int64_t tile_cluster_rows, tile_cluster_columns, tile_types, tile_held_groups, tile_split, tile_long_groups;
  int64_t x_columns, x_rows, x_swizzle, w_columns, w_rows, w_swizzle, y_columns, y_rows,
      y_swizzle;                                       /* boxes */
  int64_t next_w_columns, next_w_rows, next_w_swizzle; /* of the weight matrices of a next layer */
  uint64_t parameters; /* hash of their list (kernel_parameters.h); of group_rows, too */
} algrt_gpu_record;

/* Of a block of the kernel group_rows. */
static inline int64_t algrt_group_rows_shared_bytes(int64_t threads, int64_t types) {
  return 4 * (2 * (threads / 32) + 1 + types);
}

/* Of a block of an element-wise function: a partial sum of each thread. */
static inline int64_t algrt_elementwise_shared_bytes(int64_t threads) { return 8 * threads; }
