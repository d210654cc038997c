// Several products of the same rows: one block of rows and one of each weight matrix in a step. Maps of their sums, which read
// rows of operands where the result has them, and two results, the further one through plain maps.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 128>, weights = #alg.groups<2 x 128>,
                       out = #alg.groups<2 x 192>, row_types = #alg.row_types<cyclic 2>>
!x = !tile.matrix<?x256xbf16>
!w = !tile.matrix<256x384xbf16>
!f = !tile.fragment<64x96xf32>
!b = !tile.fragment<64x96xbf16>

// CHECK-LABEL: sm.kernel @engine(
// CHECK-SAME:    %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table,
// CHECK-SAME:    %[[UP:[a-z0-9_]+]]: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
// CHECK-SAME:    %[[SCALE:[a-z0-9_]+]]: !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>,
// CHECK-SAME:    %[[RESIDUAL:[a-z0-9_]+]]: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, vector 2>,
// CHECK-SAME:    %[[SECOND:[a-z0-9_]+]]: !sm.maps<2 x 64 x 32 x f32, row_dimension 3, vector 2>)
// CHECK:         %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[FIRST_SUM:.*]] = %{{.*}}, %[[SECOND_SUM:.*]] = %{{.*}}) -> (!sm.accumulator<64 x 96>, !sm.accumulator<64 x 96>)
// CHECK:           %[[A:.*]] = sm.fetch %x[
// CHECK:           %[[GATE_BLOCK:.*]] = sm.fetch %w[%c0] [%[[PLACE:.*]]] :
// CHECK:           %[[UP_BLOCK:.*]] = sm.fetch %[[UP]][%c0] [%[[PLACE]]] :
// CHECK:           %[[NEXT:.*]] = sm.multiply %[[A]], %[[GATE_BLOCK]], %[[FIRST_SUM]]
// CHECK:           %[[OTHER:.*]] = sm.multiply %[[A]], %[[UP_BLOCK]], %[[SECOND_SUM]]
// CHECK:           scf.yield %[[NEXT]], %[[OTHER]]
// Maps of several results go through 32 columns of the sums, and these are stored before the next ones.
// CHECK:         %[[GATE_PIECE:.*]] = sm.take_columns %[[SUMS]]#0 from 0 : <64 x 96> to <64 x 32>
// CHECK:         %[[UP_PIECE:.*]] = sm.take_columns %[[SUMS]]#1 from 0 : <64 x 96> to <64 x 32>
// CHECK:         %[[MAPPED:.*]] = sm.map (%{{.*}} = %[[GATE_PIECE]] : !sm.accumulator<64 x 32>, %{{.*}} = %[[UP_PIECE]] : !sm.accumulator<64 x 32>, %{{.*}} = %[[SCALE]] : {{.*}}, %{{.*}} = %[[RESIDUAL]] : {{.*}}) at [%[[COLUMN:.*]], %[[GROUP:.*]]] rows [%[[MAP:.*]], %[[COLUMN]], %[[GROUP]], %[[LINE:.*]], %[[ROW:.*]]] -> !sm.accumulator<64 x 32> {
// CHECK:         sm.store_sums %[[MAPPED]] to %y[%[[MAP]]] [%[[COLUMN]], %[[GROUP]], %[[LINE]], %[[ROW]]] :
// CHECK:         sm.store_sums %[[UP_PIECE]] to %[[SECOND]][%[[MAP]]] [%[[COLUMN]], %[[GROUP]], %[[LINE]], %[[ROW]]] :
// CHECK:         %[[NEXT_GATE:.*]] = sm.take_columns %[[SUMS]]#0 from 32
// CHECK:         %[[NEXT_UP:.*]] = sm.take_columns %[[SUMS]]#1 from 32
// CHECK:         %[[NEXT_COLUMN:.*]] = arith.addi %[[COLUMN]], %c32
// CHECK:         %[[NEXT_MAPPED:.*]] = sm.map (%{{.*}} = %[[NEXT_GATE]] : {{.*}}) at [%[[NEXT_COLUMN]], %[[GROUP]]] rows [%[[MAP]], %[[NEXT_COLUMN]],
// CHECK:         sm.store_sums %[[NEXT_MAPPED]] to %y[%[[MAP]]] [%[[NEXT_COLUMN]],
// CHECK:         sm.store_sums %[[NEXT_UP]] to %[[SECOND]][%[[MAP]]] [%[[NEXT_COLUMN]],
// CHECK:         sm.take_columns %[[SUMS]]#0 from 64
// CHECK:         sm.map
// CHECK-COUNT-2: sm.store_sums
// CHECK-NOT:     sm.store_sums
tile.kernel @engine(%x: !x, %w: !w, %w2: !w, %scale: !tile.matrix<?x1xf32>, %residual: !tile.matrix<?x384xbf16>,
                    %y: !tile.matrix<?x384xbf16>, %y2: !tile.matrix<?x384xf32>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 3>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !f
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%gate = %zero, %up = %zero) : !f, !f {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %gate : !x, !w, !f
      %other = tile.mma %x[%t, %k, %s], %w2[%b, %j, %n], %up : !x, !w, !f
      tile.yield %next, %other : !f, !f
    }
    %h = tile.map (%g = %sums#0 : !f, %u = %sums#1 : !f, %e = %scale[%t, %s] : !tile.matrix<?x1xf32>,
                   %r = %residual[%t, %s, %j, %n] : !tile.matrix<?x384xbf16>) -> !b {
      %p = arith.mulf %g, %u : f32
      %q = arith.mulf %p, %e : f32
      %wide = arith.extf %r : bf16 to f32
      %v = arith.addf %q, %wide : f32
      %rounded = arith.truncf %v : f32 to bf16
      tile.yield %rounded : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x96>
    tile.store %h to %y[%t, %s, %j, %n] mask %mask : !b, !tile.matrix<?x384xbf16>, !tile.mask<64x96>
    tile.store %sums#1 to %y2[%t, %s, %j, %n] mask %mask : !f, !tile.matrix<?x384xf32>, !tile.mask<64x96>
  }
}

// -----

// Threads that find rows in a list and groups of unequal widths, and terms with coefficients: both sums are scaled, and
// rows of an operand are found as those of the result are.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<[96, 160]>, weights = #alg.groups<[96, 160]>,
                       out = #alg.groups<[96, 160]>, row_types = #alg.row_types<explicit 2>>
!x = !tile.matrix<?x256xbf16>
!w = !tile.matrix<256x256xbf16>
!f = !tile.fragment<64x64xf32>

// CHECK-LABEL: sm.kernel @threads(
// CHECK-SAME:    %[[UP:[a-z0-9_]+]]: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, vector 8, unequal>,
// CHECK-SAME:    %[[BIAS:[a-z0-9_]+]]: !sm.columns<1 x 256 x bf16>,
// CHECK-SAME:    %[[RESIDUAL:[a-z0-9_]+]]: !sm.maps<1 x 64 x 64 x f32, row_dimension 3, vector 2, unequal, listed>)
// CHECK:         scf.for {{.*}} -> (!sm.accumulator<64 x 64, warps 2 x 2>, !sm.accumulator<64 x 64, warps 2 x 2>, !sm.accumulator<64 x 64, warps 2 x 2>, !sm.accumulator<64 x 64, warps 2 x 2>)
// CHECK:         sm.add_scaled
// CHECK:         sm.add_scaled
// CHECK:         %[[COLUMN:.*]] = arith.addi %[[WITHIN:.*]], %{{.*}}
// CHECK:         sm.map ({{.*}}) at [%[[COLUMN]], %c0] rows [%{{.*}}, %[[WITHIN]], %[[GROUP:.*]], %{{.*}}, %{{.*}}]
tile.kernel @threads(%x: !x, %w: !w, %w2: !w, %bias: !tile.matrix<1x256xbf16>, %residual: !tile.matrix<?x256xf32>, %y: !tile.matrix<?x256xf32>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !f
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%gate = %zero, %up = %zero) : !f, !f {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %gate scale %c : !x, !w, !f
      %other = tile.mma %x[%t, %k, %s], %w2[%b, %j, %n], %up scale %c : !x, !w, !f
      tile.yield %next, %other : !f, !f
    }
    %h = tile.map (%g = %sums#0 : !f, %u = %sums#1 : !f, %e = %bias[%j, %n] : !tile.matrix<1x256xbf16>,
                   %r = %residual[%t, %s, %j, %n] : !tile.matrix<?x256xf32>) -> !f {
      %p = arith.mulf %g, %u : f32
      %wide = arith.extf %e : bf16 to f32
      %q = arith.addf %p, %wide : f32
      %v = arith.addf %q, %r : f32
      tile.yield %v : f32
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %h to %y[%t, %s, %j, %n] mask %mask : !f, !tile.matrix<?x256xf32>, !tile.mask<64x64>
  }
}
