// Attributes and types, printed and read again.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#q4 = #alg.algebra<"Q(4)">
#complex = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})">

// CHECK-LABEL: func.func private @layouts
func.func private @layouts() attributes {
  // CHECK-SAME: cyclic = #tile.layout<algebra = #algebra{{[0-9]*}}, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>, row_types = <cyclic 4>>
  cyclic = #tile.layout<algebra = #q4, lift = rows, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>,
                        out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 4>>,
  // CHECK-SAME: explicit = #tile.layout<algebra = #algebra{{[0-9]*}}, lift = rows, in = <[1, 2, 3, 4]>, weights = <[1, 2, 3, 4]>, out = <[7, 5, 3, 1]>, row_types = <explicit 4>>
  explicit = #tile.layout<algebra = #q4, lift = rows, in = #alg.groups<[1, 2, 3, 4]>, weights = #alg.groups<[1, 2, 3, 4]>,
                          out = #alg.groups<[7, 5, 3, 1]>, row_types = #alg.row_types<explicit 4>>,
  // CHECK-SAME: interval = #tile.layout<algebra = #algebra{{[0-9]*}}, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>, row_types = <interval 4 x 192>>
  interval = #tile.layout<algebra = #q4, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>,
                          row_types = <interval 4 x 192>>,
  // CHECK-SAME: slots = #tile.layout<algebra = #algebra{{[0-9]*}}, lift = slots, in = <2 x 8>, weights = <2 x 8>, out = <2 x 12>, row_types = <cyclic 1>>
  slots = #tile.layout<algebra = #complex, lift = slots, in = <2 x 8>, weights = <2 x 8>, out = <2 x 12>,
                       row_types = <cyclic 1>>,
  // CHECK-SAME: transposed = #tile.layout<algebra = #algebra{{[0-9]*}}, lift = rows, in = <4 x 24>, weights = <4 x 24>, out = <4 x 16>, row_types = <cyclic 4>, mode = i>
  transposed = #tile.layout<algebra = #q4, lift = rows, in = <4 x 24>, weights = <4 x 24>, out = <4 x 16>,
                            row_types = <cyclic 4>, mode = i>,
  // CHECK-SAME: usual = #tile.layout<{{.*}}, row_types = <cyclic 4>>}
  usual = #tile.layout<algebra = #q4, lift = rows, in = <4 x 16>, weights = <4 x 16>, out = <4 x 24>,
                       row_types = <cyclic 4>, mode = k>
}

// CHECK-LABEL: func.func private @schedules
func.func private @schedules() attributes {
  // CHECK-SAME: copied = #tile.schedule<types = 2, rows = 28, register_rows = 14, register_columns = 16, lanes = 8, weights = copied>
  copied = #tile.schedule<types = 2, rows = 28, register_rows = 14, register_columns = 16, lanes = 8, weights = copied>,
  // CHECK-SAME: copied_amx = #tile.schedule<types = 1, rows = 64, register_rows = 64, register_columns = 16, lanes = 16, weights = copied, unit = amx>
  copied_amx = #tile.schedule<types = 1, rows = 64, register_rows = 64, register_columns = 16, lanes = 16, weights = copied, unit = amx>,
  // CHECK-SAME: direct = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 48, lanes = 16, weights = direct>
  direct = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 48, lanes = 16, weights = direct>,
  // CHECK-SAME: packed = #tile.schedule<types = 4, rows = 64, register_rows = 8, register_columns = 48, lanes = 16, weights = packed>
  packed = #tile.schedule<types = 4, rows = 64, register_rows = 8, register_columns = 48, lanes = 16, weights = packed>
}

// CHECK-LABEL: func.func private @staged
func.func private @staged() attributes {
  // CHECK-SAME: along_types = #tile.staged<types = 2, rows = 64, columns = 64, depth = 32, stages = 5, cluster_types = 4, stationary = 8>
  along_types = #tile.staged<types = 2, rows = 64, columns = 64, depth = 32, stages = 5, stationary = 8, cluster_types = 4>,
  // CHECK-SAME: engine = #tile.staged<types = 1, rows = 128, columns = 192, depth = 64, stages = 4>
  engine = #tile.staged<types = 1, rows = 128, columns = 192, depth = 64, stages = 4>,
  // CHECK-SAME: evicted = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 5, evict_first = 1, stationary = 8>
  evicted = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 5, stationary = 8, evict_first = 1>,
  // CHECK-SAME: ordered = #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 4, split_k = 4, longest_first = 2>
  ordered = #tile.staged<types = 1, longest_first = 2, split_k = 4, rows = 64, columns = 128, depth = 32, stages = 4>,
  // CHECK-SAME: overlapped = #tile.staged<types = 1, rows = 64, columns = 64, depth = 80, stages = 5, overlap = 1, stationary = 8>
  overlapped = #tile.staged<types = 1, rows = 64, columns = 64, depth = 80, stages = 5, stationary = 8, overlap = 1>,
  // CHECK-SAME: shares = #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 4, split_k = 4, rows_on = n>
  shares = #tile.staged<types = 1, split_k = 4, rows = 64, columns = 128, depth = 32, stages = 4, rows_on = n>,
  // CHECK-SAME: threads = #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 4, warps = 2 x 1, vector = 8>
  threads = #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 4, warps = 2 x 1, vector = 8>,
  // CHECK-SAME: together = #tile.staged<types = 2, rows = 64, columns = 128, depth = 32, stages = 4, cluster = 1 x 2, stationary = 8, ping_pong = 2, outer = groups, rows_on = n>
  together = #tile.staged<types = 2, rows = 64, columns = 128, depth = 32, stages = 4, outer = groups, stationary = 8, rows_on = n, ping_pong = 2, cluster = 1 x 2>,
  // CHECK-SAME: usual = #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 4>
  usual = #tile.staged<stages = 4, types = 1, rows = 64, columns = 128, depth = 32, cluster = 1 x 1, cluster_types = 1, evict_first = 0, overlap = 0, stationary = 0, outer = types, rows_on = m, ping_pong = 1, split_k = 1, longest_first = 0>
}

// CHECK-LABEL: func.func private @axes
func.func private @axes() attributes {
  // CHECK-SAME: axes = [#tile.axis<types, 2>, #tile.axis<rows, 64>, #tile.axis<groups, 0>, #tile.axis<groups, 3>, #tile.axis<columns, 48>, #tile.axis<weight_rows, 1>]
  axes = [#tile.axis<types, 2>, #tile.axis<rows, 64>, #tile.axis<groups, 0>, #tile.axis<groups, 3>,
          #tile.axis<columns, 48>, #tile.axis<weight_rows, 1>]
}

// CHECK: func.func private @matrices(!tile.matrix<?x2048xf32>, !tile.matrix<2048x6144xbf16>, !tile.matrix<2048x6144xf32, panels 48 x 1>, !tile.matrix<2048x6144xbf16, panels 48 x 2>)
func.func private @matrices(!tile.matrix<?x2048xf32>, !tile.matrix<2048x6144xbf16>,
                            !tile.matrix<2048x6144xf32, panels 48 x 1>, !tile.matrix<2048x6144xbf16, panels 48 x 2>)
// CHECK: func.func private @buffers(!tile.buffer<64x2048xf32>, !tile.buffer<64x2048xbf16>, !tile.buffer<2048x48xbf16, panels 48 x 2>)
func.func private @buffers(!tile.buffer<64x2048xf32>, !tile.buffer<64x2048xbf16>, !tile.buffer<2048x48xbf16, panels 48 x 2>)
// CHECK: func.func private @registers(!tile.fragment<8x48xf32>, !tile.fragment<8x48xbf16>, !tile.mask<8x48>)
func.func private @registers(!tile.fragment<8x48xf32>, !tile.fragment<8x48xbf16>, !tile.mask<8x48>)
