// The ops of the weight matrix's gradient, and what they print as.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>

// CHECK-LABEL: tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
// CHECK-SAME:  mode = j>
// CHECK-NEXT:  tile.forall (%b, %f, %g, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
// CHECK:         tile.for (%n_0, %h) over [<columns, 16>, <features, 4>] {
// CHECK-NEXT:      %[[ZERO:.*]] = tile.zero
// CHECK-NEXT:      tile.keep %[[ZERO]] to %[[SUMS:.*]][%h, %n_0] : <4x16xf32> to <8x32xf32>
// CHECK:         tile.weight_terms (%t, %k, %o, %c) of (%b, %g) {
// CHECK-NEXT:      tile.for (%s) over [<rows, 32>] {
// CHECK-NEXT:        tile.bring %x[%t, %k, %s, %f] along <features> to %[[XS:.*]] scale %c : <?x16xf32> to <32x8xf32, panels 4 x 1>
// CHECK-NEXT:        tile.for (%n_0) over [<columns, 16>] {
// CHECK-NEXT:          tile.bring %dy[%t, %o, %s, %n_0] along <columns> to %[[DYS:.*]] : <?x48xf32> to <32x16xf32, panels 16 x 1>
// CHECK-NEXT:          tile.for (%h) over [<features, 4>] {
// CHECK-NEXT:            %[[SUM:.*]] = tile.load %[[SUMS]][%h, %n_0] : <8x32xf32> -> <4x16xf32>
// CHECK-NEXT:            %[[NEXT:.*]] = tile.outer %[[XS]][%h], %[[DYS]][%n_0] rows(%t, %s), %[[SUM]] : <32x8xf32, panels 4 x 1>, <32x16xf32, panels 16 x 1>, <4x16xf32>
// CHECK-NEXT:            tile.keep %[[NEXT]] to %[[SUMS]][%h, %n_0]
// CHECK:         tile.store_weights %{{.*}} to %dw[%b, %h, %g, %n_0] : <4x16xf32> to <16x48xf32>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %sums = tile.buffer : !tile.buffer<8x32xf32>
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    tile.for (%m, %h) over [<columns, 16>, <features, 4>] {
      %zero = tile.zero : !tile.fragment<4x16xf32>
      tile.keep %zero to %sums[%h, %m] : !tile.fragment<4x16xf32> to !tile.buffer<8x32xf32>
    }
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.for (%s) over [<rows, 32>] {
        tile.bring %x[%t, %k, %s, %f] along <features> to %xs scale %c : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
        tile.for (%m) over [<columns, 16>] {
          tile.bring %dy[%t, %o, %s, %m] along <columns> to %dys : !tile.matrix<?x48xf32> to !tile.buffer<32x16xf32, panels 16 x 1>
          tile.for (%h) over [<features, 4>] {
            %sum = tile.load %sums[%h, %m] : !tile.buffer<8x32xf32> -> !tile.fragment<4x16xf32>
            %next = tile.outer %xs[%h], %dys[%m] rows(%t, %s), %sum : !tile.buffer<32x8xf32, panels 4 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xf32>
            tile.keep %next to %sums[%h, %m] : !tile.fragment<4x16xf32> to !tile.buffer<8x32xf32>
          }
        }
      }
    }
    tile.for (%m, %h) over [<columns, 16>, <features, 4>] {
      %sum = tile.load %sums[%h, %m] : !tile.buffer<8x32xf32> -> !tile.fragment<4x16xf32>
      tile.store_weights %sum to %dw[%b, %h, %j, %m] : !tile.fragment<4x16xf32> to !tile.matrix<16x48xf32>
    }
  }
}

// Rows of bf16 in pairs, scaled by signs.
// CHECK-LABEL: tile.kernel @pairs(
// CHECK:         tile.bring %x[%t, %k, %f, %f] along <features> to %[[XS:.*]] scale %c signs : <?x16xbf16> to <32x8xbf16, panels 4 x 2>
// CHECK-NEXT:    tile.bring %dy[%t, %o, %f, %n] along <columns> to %[[DYS:.*]] : <?x48xbf16> to <32x16xbf16, panels 16 x 2>
// CHECK-NEXT:    tile.outer %[[XS]][%f], %[[DYS]][%n] rows(%t, %f), %{{.*}} : <32x8xbf16, panels 4 x 2>, <32x16xbf16, panels 16 x 2>, <4x16xf32>
tile.kernel @pairs(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 2>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    %zero = tile.zero : !tile.fragment<4x16xf32>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.bring %x[%t, %k, %f, %f] along <features> to %xs scale %c signs : !tile.matrix<?x16xbf16> to !tile.buffer<32x8xbf16, panels 4 x 2>
      tile.bring %dy[%t, %o, %f, %n] along <columns> to %dys : !tile.matrix<?x48xbf16> to !tile.buffer<32x16xbf16, panels 16 x 2>
      %next = tile.outer %xs[%f], %dys[%n] rows(%t, %f), %zero : !tile.buffer<32x8xbf16, panels 4 x 2>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<4x16xf32>
    }
  }
}

// By the matrix unit: 32 rows of a feature side by side, rows of dY in pairs.
// CHECK-LABEL: tile.kernel @blocks(
// CHECK-SAME:  weights = copied, unit = amx>
// CHECK:         tile.bring %x[%t, %k, %f, %f] along <features> to %[[XS:.*]] scale %c signs : <?x16xbf16> to <64x16xbf16, panels 16 x 32>
// CHECK-NEXT:    tile.bring %dy[%t, %o, %f, %n] along <columns> to %[[DYS:.*]] : <?x48xbf16> to <64x32xbf16, panels 32 x 2>
// CHECK-NEXT:    tile.outer %[[XS]][%f], %[[DYS]][%n] rows(%t, %f), %{{.*}} : <64x16xbf16, panels 16 x 32>, <64x32xbf16, panels 32 x 2>, <16x32xf32>
#amx = #tile.schedule<types = 1, rows = 64, register_rows = 16, register_columns = 32, lanes = 16, weights = copied, unit = amx>
tile.kernel @blocks(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #amx} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<64x16xbf16, panels 16 x 32>
    %dys = tile.buffer : !tile.buffer<64x32xbf16, panels 32 x 2>
    %zero = tile.zero : !tile.fragment<16x32xf32>
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.bring %x[%t, %k, %f, %f] along <features> to %xs scale %c signs : !tile.matrix<?x16xbf16> to !tile.buffer<64x16xbf16, panels 16 x 32>
      tile.bring %dy[%t, %o, %f, %n] along <columns> to %dys : !tile.matrix<?x48xbf16> to !tile.buffer<64x32xbf16, panels 32 x 2>
      %next = tile.outer %xs[%f], %dys[%n] rows(%t, %f), %zero : !tile.buffer<64x16xbf16, panels 16 x 32>, !tile.buffer<64x32xbf16, panels 32 x 2>, !tile.fragment<16x32xf32>
    }
  }
}

// A register tile is of features, and has nothing to do with the rows that come at a time.
// CHECK-LABEL: tile.kernel @features(
// CHECK-SAME:  rows = 32, register_rows = 7,
tile.kernel @features(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 32, register_rows = 7, register_columns = 16, lanes = 8, weights = direct>} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 7>, <groups, 1>, <columns, 32>] {
  }
}

// The same of a kernel whose operands come in stages: sums are carried, and multiplied over all rows of a type.
// CHECK-LABEL: tile.kernel @staged(
// CHECK:         %[[TOTAL:.*]] = tile.weight_terms (%t, %k, %o, %c) of (%b, %g) carry(%{{.*}} = %{{.*}}) : !tile.fragment<64x32xf32> {
// CHECK-NEXT:      %[[NEXT:.*]] = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %{{.*}} scale %c signs : <?x16xbf16>, <?x48xbf16>, <64x32xf32>
// CHECK-NEXT:      tile.yield %[[NEXT]] : !tile.fragment<64x32xf32>
// CHECK:         tile.store_weights %[[TOTAL]] to %dw[%b, %f, %g, %n] : <64x32xf32> to <16x48xbf16>
tile.kernel @staged(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xbf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 2, warps = 2 x 1, vector = 8>} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<64x32xf32>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x32xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum scale %c signs : !tile.matrix<?x16xbf16>, !tile.matrix<?x48xbf16>, !tile.fragment<64x32xf32>
      tile.yield %next : !tile.fragment<64x32xf32>
    }
    tile.store_weights %total to %dw[%b, %f, %j, %n] : !tile.fragment<64x32xf32> to !tile.matrix<16x48xbf16>
  }
}
