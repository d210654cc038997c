#include "tests/mutation/subjects.h"

namespace mutation_test {

using simulator_test::RowPlaces;

/// With two layers in one kernel.
static Subject twoLayers(std::string name, simulator_test::ChainedKernel kernel, std::vector<Batch> batches) {
  Subject subject;
  subject.name = std::move(name);
  subject.batches = std::move(batches);
  subject.chained = std::move(kernel);
  return subject;
}

const std::vector<Subject> &subjects() {
  static const std::vector<Subject> all = {
      // Two warpgroups multiply. Tiles of 2 and of 4 steps through a ring of 3; with 385 rows, segments of
      // 129 and 128 rows, so that there are tiles of one row and empty ones; with 2 rows, fewer rows than
      // types.
      {"complete",
       "Q(3)",
       192,
       288,
       "cyclic",
       "rows=128,columns=96,depth=32,stages=3",
       algrt::ElementType::Bf16,
       {{385, 4, 2}, {2, 0, 3}}},
      // Two types in a tile, of three: tiles of two types and of one, whose types wrap around, of one step
      // and of four through a ring of 2.
      {"types",
       "Q(3)",
       96,
       96,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2,types=2",
       algrt::ElementType::Bf16,
       {{194, 2, 2}, {2, 1, 3}, {193, 0, 1}}},
      // Rows held for two groups and for the one that is left, of two types and of one.
      {"held",
       "Q(3)",
       96,
       48,
       "cyclic",
       "rows=64,columns=16,depth=32,stages=2,types=2,stationary=2",
       algrt::ElementType::Bf16,
       {{194, 2, 2}, {2, 1, 3}, {193, 0, 1}}},
      // Groups of one whole tile of columns and of one that is narrower: of its two panels of W one is
      // copied,
      // and its instructions have 40 columns.
      {"narrow",
       "Q(2)",
       64,
       336,
       "cyclic",
       "rows=64,columns=128,depth=32,stages=3",
       algrt::ElementType::Bf16,
       {{130, 1, 2}, {1, 0, 3}}},
      // One warpgroup multiplies. Terms from a table, tiles of 1, 2 and 4 steps, partial first and last runs,
      // f32.
      {"table",
       "Q(2)^2",
       128,
       256,
       "interval(40)",
       "rows=64,columns=64,depth=32,stages=2",
       algrt::ElementType::F32,
       {{150, 7, 2}, {90, 0, 3}}},
      // Terms with signs: products that add and products that subtract.
      {"signs",
       ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/quaternions.json",
       128,
       128,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2",
       algrt::ElementType::Bf16,
       {{150, 0, 2}, {2, 0, 3}},
       "slots"},
      // Two warpgroups that take turns: tiles of 2 and 4 steps through a ring of 3, so that each meets slots
      // in which the other was last; segments of 65 and 64 rows, so that there are turns of tiles without
      // rows.
      {"turns",
       "Q(3)",
       192,
       192,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=3,ping_pong=2",
       algrt::ElementType::Bf16,
       {{193, 4, 1}, {2, 0, 1}}},
      // Rows on the instructions' second side: two warpgroups with 64 columns each and all 24 rows, of which
      // stmatrix stores 16 and 8. The last step of a term is shallow.
      {"few_rows",
       "Q(3)",
       240,
       240,
       "cyclic",
       "rows=24,columns=128,depth=64,stages=2,rows_on=n",
       algrt::ElementType::Bf16,
       {{131, 4, 2}, {2, 0, 3}}},
      // Four blocks copy for each other: two blocks of rows times two of columns. Segments of 130, of 65 and
      // of 1 and no rows: clusters whose second blocks of rows are empty, and such as are not there; 72
      // columns are one block and a half.
      {"clusters",
       "Q(2)",
       96,
       144,
       "cyclic",
       "rows=64,columns=48,depth=32,stages=2,cluster=2x2",
       algrt::ElementType::Bf16,
       {{260, 1, 8}, {130, 0, 4}, {1, 0, 4}}},
      // Two blocks divide the steps of a tile, of which there are none, 1, 2 and 3: shares of one step, of
      // two and of none. Segments of 65 and of 1 rows; 40 columns are one block and a quarter, so that the
      // second block stores some and none.
      {"split",
       "T(3)",
       96,
       120,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2,split_k=2",
       algrt::ElementType::Bf16,
       {{195, 1, 2}, {2, 0, 4}}},
      // Two products of the same rows, maps of their sums that read operands of every kind, and two results.
      // Two warpgroups; the last step of a term is shallow, segments of 129 and 128 rows, 72 columns are a
      // block and a half.
      {"fused",
       "Q(2)",
       160,
       144,
       "cyclic",
       "rows=128,columns=48,depth=64,stages=2",
       algrt::ElementType::Bf16,
       {{257, 1, 2}, {2, 0, 3}},
       "rows",
       "sm_90a",
       algrt::Map::Forward,
       {},
       {},
       2},
      // Threads copy, warps multiply. Terms from a table, tiles of 2 and of 4 steps through a ring of 3;
      // blocks that are partial in every direction, with such beside them as are not read: 20 of 32 in the
      // depth, 36 of 64 columns, segments of 1, 2, 30, 31 and 62 rows.
      {"threads",
       "path(3)",
       60,
       108,
       "cyclic",
       "rows=32,columns=32,depth=16,stages=3,warps=2x1",
       algrt::ElementType::Bf16,
       {{92, 4, 2}, {2, 0, 3}, {185, 1, 1}, {5, 2, 2}},
       "rows",
       "sm_80"},
      // Threads copy one element at a time, through registers: odd widths, 21 of 32 in the depth and 23 of 32
      // columns; segments of 1, 5, 6, 8, 9, 15, 16 and 33 rows. One row alone is of type 1, which reads
      // nothing of the weight matrix's first block: there is NaN where a masked element is read from instead.
      {"elements",
       "path(3)",
       63,
       69,
       "cyclic",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2,vector=1",
       algrt::ElementType::Bf16,
       {{47, 4, 2}, {2, 0, 3}, {99, 1, 1}, {26, 2, 2}, {16, 0, 2}, {1, 1, 1}},
       "rows",
       "sm_80"},
      // The gradient of X: the weight matrix along its depth. The long tiles of two blocks come first and are
      // divided, those of others are whole; 72 columns are one block and a quarter, the last step of a term
      // is shallow.
      {"gradient",
       "Q(3)",
       216,
       144,
       "cyclic",
       "rows=64,columns=64,depth=32,stages=2,split_k=2,longest_first=1",
       algrt::ElementType::Bf16,
       {{195, 1, 2}, {2, 0, 4}},
       "rows",
       "sm_90a",
       algrt::Map::Dx},
      // The same by threads: terms and their order from a table, blocks that are partial in every direction.
      {"gradient_threads",
       "Q(2)^2",
       144,
       80,
       "cyclic",
       "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1",
       algrt::ElementType::Bf16,
       {{92, 4, 2}, {2, 0, 3}, {185, 1, 1}, {5, 2, 2}},
       "rows",
       "sm_80",
       algrt::Map::Dx},
      // The gradient of X whose sums of a type's own group stay while two blocks go through two groups of
      // three
      // and through one. Rows that fill a tile and such that do not, types without rows.
      {"stationary_sums",
       "Q(3)",
       96,
       216,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2,stationary=2,split_k=2",
       algrt::ElementType::Bf16,
       {{200, 1, 4}, {2, 0, 2}},
       "rows",
       "sm_90a",
       algrt::Map::Dx},
      // The gradient of the weight matrix: both operands across the contraction, blocks of all rows and of
      // segments; what dW holds is added, and not read where it does not count. Blocks that are partial in
      // every direction, without rows, of tiles in the table's order.
      {"weight_gradient",
       "Q(2)^2",
       96,
       80,
       "cyclic",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2,longest_first=1",
       algrt::ElementType::Bf16,
       {{92, 4, 2}, {2, 0, 3, 0.5f}, {185, 1, 1, 1.0f}, {5, 2, 2}},
       "rows",
       "sm_80",
       algrt::Map::Dw},
      // The same where the copy engine brings both operands: two blocks divide the tiles of the diagonal,
      // which goes type after type or through rows as they lie, and threads write what warpgroups hold.
      {"weight_gradient_engine",
       "Q(3)",
       216,
       120,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2,split_k=2,longest_first=1",
       algrt::ElementType::Bf16,
       {{96, 4, 4}, {2, 1, 4, 0.5f}, {100, 1, 2, 1.0f}, {0, 0, 4, 1.0f}},
       "rows",
       "sm_90a",
       algrt::Map::Dw},
      // The same in f32, which the copy engine adds where beta is 1; tiles of 32 columns and of 24.
      {"weight_gradient_added",
       "Q(2)",
       64,
       112,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2",
       algrt::ElementType::F32,
       {{70, 1, 3, 1.0f}, {33, 0, 2}, {66, 1, 2, 0.5f}},
       "rows",
       "sm_90a",
       algrt::Map::Dw},
      // Rows in a list, groups of unequal widths, terms in pieces from a table: types of all, of few and of
      // one kind, types without rows, pieces that fill their step and such that do not. Rows of the first
      // type read one group alone: behind it is NaN.
      {"lists",
       "graph(3; 1->0, 2->1, 2->0)",
       60,
       48,
       "explicit",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2",
       algrt::ElementType::Bf16,
       {{92, 0, 2}, {2, 0, 3}, {47, 0, 1}},
       "rows",
       "sm_80",
       algrt::Map::Forward,
       {20, 4, 36},
       {8, 28, 12}},
      // The same of the weight matrix's gradient, one of whose blocks is of all entries of the list.
      {"weight_gradient_lists",
       "graph(2; 1->0)",
       44,
       60,
       "explicit",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2,longest_first=1",
       algrt::ElementType::Bf16,
       {{92, 0, 2}, {2, 0, 3, 0.5f}, {47, 0, 1, 1.0f}},
       "rows",
       "sm_80",
       algrt::Map::Dw,
       {12, 32},
       {40, 20}},
      // Vector reductions. Two rows of a complete graph, whose diagonal they share, and where positions are
      // drawn the blocks of their type, too. 132 in the depth, two pieces of 8 for the first of 16 slices and
      // the half of one for the last; 28 of two times 16 columns.
      {"decode",
       "Q(3)",
       396,
       84,
       "cyclic",
       "reduce=16,rows=2,columns=16,vector=4",
       algrt::ElementType::Bf16,
       {{7, 4, 2}, {1, 1, 1}, {7, 0, 3, 0, RowPlaces::Drawn}, {2, 0, 1, 0, RowPlaces::Drawn}}},
      // One row, single elements: 133 in the depth, 23 columns.
      {"decode_one",
       "Q(3)",
       399,
       69,
       "cyclic",
       "reduce=16,rows=1,columns=4,vector=1",
       algrt::ElementType::F32,
       {{4, 5, 2}, {4, 0, 3, 0, RowPlaces::Drawn}},
       "rows",
       "sm_80"},
      // Terms from a table, of none to three in a group, and runs of two rows of one type.
      {"decode_table",
       "T(3)",
       408,
       54,
       "interval(2)",
       "reduce=16,rows=2,columns=8,vector=2",
       algrt::ElementType::Bf16,
       {{7, 5, 2}, {1, 1, 1}, {7, 0, 3, 0, RowPlaces::Drawn}, {2, 0, 1, 0, RowPlaces::Drawn}}},
      // Terms with coefficients of any kind.
      {"decode_scaled",
       ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/divided_powers.json",
       500,
       50,
       "cyclic",
       "reduce=16,rows=2,columns=4,vector=2",
       algrt::ElementType::F32,
       {{5, 5, 2}, {1, 0, 1}},
       "slots",
       "sm_80"},
      // Written by hand: three partitions and two pipes, each of which goes through its stages several times.
      {"three_partitions",
       "Q(1)",
       320,
       192,
       "cyclic",
       "",
       algrt::ElementType::Bf16,
       {{257, 0, 1}},
       "rows",
       "sm_90a",
       algrt::Map::Forward,
       {},
       {},
       0,
       "three_partitions.mlir"},
      // Gate, up and down in one kernel, with maps that read numbers of columns and rows. Three chunks in a
      // hidden group, two steps in an input group, turns of two output groups and of one, and rings whose end
      // each product meets at some time. Rows of x_j come a group ahead.
      twoLayers("two_layers",
                {.algebra = "Q(3)",
                 .in = 96,
                 .hidden = 144,
                 .out = 48,
                 .schedule = "rows=64,hidden=16,depth=16,stages=5x2,stationary=2,row_stages=2",
                 .rows_read = true},
                {{100, 1, 1}, {2, 0, 3}}),
      // Two types in a tile, of three: a tile of two types and one of the type that is left. The last step of
      // an input group is shallow; the last chunk of a hidden group ends in the middle of an instruction's
      // depth, and what the maps leave behind it is no number.
      twoLayers("two_layers_types",
                {.algebra = "Q(3)",
                 .in = 144,
                 .hidden = 120,
                 .out = 24,
                 .schedule = "rows=64,hidden=16,depth=32,stages=7x4,stationary=3,types=2",
                 .weights = 1,
                 .divides = true},
                {{70, 1, 1}, {2, 0, 2}}),
      // Chunks that are multiplied behind the next one's products, three in a hidden group, the last of which
      // is clipped; stages as deep as an input group.
      twoLayers("two_layers_overlap",
                {.algebra = "Q(3)",
                 .in = 144,
                 .hidden = 120,
                 .out = 48,
                 .schedule = "rows=64,hidden=16,depth=48,stages=2x2,stationary=2,row_stages=1,overlap=1",
                 .divides = true},
                {{100, 1, 1}, {2, 0, 3}}),
      // Two warpgroups that take chunks in turn, four in a hidden group, the last of which is clipped. Many
      // turns of a block: what one passes over while the other is late shows in some of them.
      twoLayers("two_layers_ping_pong",
                {.algebra = "Q(3)",
                 .in = 144,
                 .hidden = 168,
                 .out = 48,
                 .schedule = "rows=64,hidden=16,depth=48,stages=4x4,stationary=2,row_stages=1,ping_pong=2",
                 .divides = true},
                {{600, 1, 1}, {190, 2, 2}, {2, 0, 3}}),
      // A graph with missing edges: groups of both terms, the type's own, and some of none, in turns of three
      // and one.
      twoLayers("two_layers_graph",
                {.algebra = "graph(4; 0->1, 0->2, 1->0, 1->3, 2->1, 3->0, 3->2)",
                 .in = 128,
                 .hidden = 192,
                 .out = 64,
                 .schedule = "rows=64,hidden=16,depth=16,stages=5x2,stationary=3,row_stages=1",
                 .weights = 1},
                {{250, 1, 1}, {140, 3, 2}, {2, 0, 3}}),
      // Clusters of two blocks, the second of which has a type in one cluster and none in the other. They
      // load for each other what an output group has for all types, in a ring of four stages beside one of
      // five of what each loads for itself, in two boxes; both layers' blocks are of one size. 65 and 64 rows
      // of a type: where there is one row left, the other block has none. With two rows two clusters have a
      // turn each, with one row a block has no type.
      twoLayers("two_layers_cluster",
                {.algebra = "Q(3)",
                 .in = 96,
                 .hidden = 96,
                 .out = 24,
                 .schedule = "rows=64,hidden=16,depth=16,stages=5x4,stationary=2,cluster_types=2",
                 .weights = 1},
                {{193, 1, 2}, {2, 0, 4}, {1, 2, 2}}),
      // Few rows through two layers: clusters of two blocks, of which one has two tiles of hidden columns in
      // a
      // group and the other one; two rows of one type and of two, and a part of one row; pieces of the depth
      // of which single slices have some and others none.
      twoLayers("few_rows_layers",
                {.algebra = "Q(2)",
                 .in = 144,
                 .hidden = 160,
                 .out = 40,
                 .schedule = "reduce=8,rows=2,hidden=16,columns=16,vector=4,cluster=2",
                 .weights = 1},
                {{5, 1, 4}, {1, 0, 2}, {7, 0, 4, 0, RowPlaces::Drawn}}),
      // The same of experts, a block for each part: rows of some experts, lists of rows, experts without any.
      twoLayers("few_rows_experts",
                {.algebra = "Q(2)",
                 .in = 144,
                 .hidden = 144,
                 .out = 40,
                 .schedule = "reduce=8,rows=2,hidden=16,columns=16,vector=4",
                 .weights = 1,
                 .experts = 3},
                {{7, 1, 3}, {1, 0, 8}, {9, 0, 4, 0, RowPlaces::Drawn}}),
  };
  return all;
}

} // namespace mutation_test
