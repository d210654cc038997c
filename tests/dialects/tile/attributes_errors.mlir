// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{the rows lift of Q(4) has 4 output groups, the layout has 2}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>, out = #alg.groups<2 x 24>, row_types = #alg.row_types<cyclic 4>>

// -----

// expected-error @+1 {{the rows lift of Q(4) has 4 row types, the layout has 3}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>, out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 3>>

// -----

// expected-error @+1 {{is not matrix-like, so it has no row lift; say lift = slots}}
#layout = #tile.layout<algebra = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">, lift = rows, in = #alg.groups<2 x 16>, weights = #alg.groups<2 x 16>, out = #alg.groups<2 x 24>, row_types = #alg.row_types<cyclic 2>>

// -----

// expected-error @+1 {{the register tile's columns (24) must be a multiple of the vector's lanes (16)}}
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 24, lanes = 16, weights = packed>

// -----

// expected-error @+1 {{AMX has registers for the sums of 4 squares of 16 rows and columns, a register tile of 48 x 32 is not made of these}}
#schedule = #tile.schedule<types = 1, rows = 48, register_rows = 48, register_columns = 32, lanes = 16, weights = packed, unit = amx>

// -----

// expected-error @+1 {{a register tile of 24 x 16 is not made of these}}
#schedule = #tile.schedule<types = 1, rows = 24, register_rows = 24, register_columns = 16, lanes = 16, weights = packed, unit = amx>

// -----

// expected-error @+1 {{AMX writes sums for vectors of 16 lanes, not 8}}
#schedule = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 8, weights = packed, unit = amx>

// -----

// expected-error @+1 {{AMX multiplies by panels of the weight matrix, which are packed or copied}}
#schedule = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = direct, unit = amx>

// -----

// expected-error @+1 {{every size of a schedule must be at least 1}}
#schedule = #tile.schedule<types = 0, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>

// -----

// expected-error @+1 {{only the number of rows may be left to the launch}}
func.func private @f(!tile.matrix<?x?xf32>)

// -----

// expected-error @+1 {{elements must be f32 or bf16, got 'f64'}}
func.func private @f(!tile.matrix<?x64xf64>)

// -----

// expected-error @+1 {{only bf16 depths interleave in pairs}}
func.func private @f(!tile.matrix<64x64xf32, panels 16 x 2>)

// -----

// expected-error @+1 {{a buffer has a known size}}
func.func private @f(!tile.buffer<?x64xf32>)

// -----

// expected-error @+1 {{a fragment has at least one row and one column}}
func.func private @f(!tile.fragment<0x64xf32>)

// -----

// expected-error @+1 {{the rows lift of Q(4) has 4 input groups, the layout has 2}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<2 x 16>, weights = #alg.groups<4 x 16>, out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 4>>

// -----

// expected-error @+1 {{the slots lift of Q(2) has 4 row groups in its weight matrix, the layout has 3}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = slots, in = #alg.groups<4 x 16>, weights = #alg.groups<3 x 16>, out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 1>>

// -----

// expected-error @+1 {{the slots lift of Q(2) has 1 row types, the layout has 2}}
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = slots, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>, out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 2>>

// -----

// expected-error @+1 {{the step along an axis cannot be negative, got -1}}
#axis = #tile.axis<groups, -1>

// -----

// expected-error @+1 {{the step along 'types' must be at least 1; only 'groups' may leave it to the launch with 0}}
#axis = #tile.axis<types, 0>

// -----

// expected-error @+2 {{expected ::tile::AxisKind to be one of: types, rows, groups, columns, weight_rows}}
// expected-error @+1 {{failed to parse Tile_AxisAttr parameter 'kind' which is to be a `::tile::AxisKind`}}
#axis = #tile.axis<lines, 1>

// -----

// expected-error @+1 {{an operand cannot have 0 rows or columns}}
func.func private @f(!tile.matrix<0x64xf32>)

// -----

// expected-error @+1 {{an operand cannot have 0 rows or columns}}
func.func private @f(!tile.buffer<64x0xf32>)

// -----

// expected-error @+1 {{elements must be f32 or bf16, got 'i8'}}
func.func private @f(!tile.fragment<8x16xi8>)

// -----

// expected-error @+1 {{the width of a panel cannot be negative}}
func.func private @f(!tile.matrix<64x64xf32, panels -16 x 1>)

// -----

// expected-error @+1 {{depths interleave by 1 or by 2, got 4}}
func.func private @f(!tile.matrix<64x64xbf16, panels 16 x 4>)

// -----

// Blocks of depths are of what is near a matrix unit, not of weight matrices in memory.
// expected-error @+1 {{depths interleave by 1 or by 2, got 32}}
func.func private @f(!tile.matrix<64x64xbf16, panels 16 x 32>)

// -----

// expected-error @+1 {{depths interleave by 1, 2 or 32, got 16}}
func.func private @f(!tile.buffer<64x64xbf16, panels 16 x 16>)

// -----

// expected-error @+1 {{only bf16 depths interleave in blocks}}
func.func private @f(!tile.buffer<64x64xf32, panels 16 x 32>)

// -----

// expected-error @+1 {{a weight matrix in panels has a known number of rows}}
func.func private @f(!tile.matrix<?x64xf32, panels 16 x 1>)

// -----

// expected-error @+1 {{expected two dimensions, rows x columns}}
func.func private @f(!tile.matrix<64xf32>)

// -----

// expected-error @+1 {{expected two dimensions, rows x columns}}
func.func private @f(!tile.mask<8x16x2>)

// -----

// expected-error @+1 {{expected 'panels'}}
func.func private @f(!tile.buffer<64x64xf32, strips 16 x 1>)

// -----

// expected-error @+1 {{every size of a schedule must be at least 1}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 0, columns = 64, depth = 64, stages = 3>}

// -----

// expected-error @+1 {{no size of a schedule is above 65536, got 4611686018427387904}}
func.func private @f() attributes {a = #tile.staged<types = 4, rows = 4611686018427387904, columns = 64, depth = 64, stages = 3>}

// -----

// expected-error @+1 {{stages are 0 (as many as fit) or more, got -1}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = -1>}

// -----

// expected-error @+1 {{a tile is cut among at least one warp in each direction, got 2 x -1}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, warps = 2 x -1, vector = 8>}

// -----

// expected-error @+1 {{3 x 2 warps do not cut a tile of 64 x 64 into equal parts}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, warps = 3 x 2, vector = 8>}

// -----

// expected-error @+1 {{threads copy 1, 2, 4 or 8 elements at a time, got 16}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, warps = 2 x 2, vector = 16>}

// -----

// expected-error @+1 {{threads copy 1, 2, 4 or 8 elements at a time, got 0}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, warps = 2 x 2, vector = 0>}

// -----

// expected-error @+1 {{a cluster has at least one worker in each direction, got 2 x 0}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, cluster = 2 x 0>}

// -----

// expected-error @+1 {{blocks leave the cache first (1) or do not (0), got evict_first = 2}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, evict_first = 2>}

// -----

// expected-error @+1 {{maps overlap with products (1) or do not (0), got overlap = 2}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, overlap = 2>}

// -----

// expected-error @+1 {{a cluster has at least one worker along the types, got 0}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, cluster_types = 0>}

// -----

// expected-error @+1 {{rows or sums are stationary for 0 groups (they are each group's own) or more, got -1}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = -1>}

// -----

// expected-error @+1 {{the outermost axis of the tiles is 'types' or 'groups', got 'rows'}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, outer = rows>}

// -----

// expected-error @+1 {{a staged schedule has no 'colour'}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, colour = 2>}

// -----

// expected-error @+1 {{'rows' is there twice}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, rows = 2>}

// -----

// expected-error @+1 {{a staged schedule needs 'depth'}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, stages = 3>}

// -----

// expected-error @+1 {{a tile's steps belong to at least one worker, got 0}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 0>}

// -----

// expected-error @+1 {{0 groups of a type (none stand out) or more are long, got -1}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, longest_first = -1>}

// -----

// expected-error @+1 {{a tile belongs to one part of the threads at least, got ping_pong = 0}}
func.func private @f() attributes {a = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, ping_pong = 0>}
