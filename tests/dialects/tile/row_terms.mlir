// Kernels of two layers for few rows: every row goes through the terms of its own type, and a cluster of thread blocks may be the worker.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8, cluster = 2>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 2>

// CHECK-LABEL: tile.kernel @chained(
// CHECK-SAME:    %x: {{.*}}, %w: {{.*}}, %[[W2:[a-z0-9]+]]: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
// CHECK-SAME:    schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 2>
// CHECK-NEXT:  tile.forall (%r, %g, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
// CHECK-NEXT:    %[[HIDDEN:.*]] = tile.buffer : <4x32xbf16>
// CHECK-NEXT:    tile.row_terms (%k) of (%r, %g) {
// CHECK-NEXT:      tile.layer attributes {{.*}} schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8, cluster = 2>} {
// CHECK-NEXT:        tile.for (%[[M:.*]]) over [<columns, 16>] {
// CHECK-NEXT:          %[[ZERO:.*]] = tile.zero : <4x16xf32>
// CHECK-NEXT:          %[[SUM:.*]] = tile.add_row_terms %x[%r], %w[%k, %[[M]]], %[[ZERO]] : !tile.matrix<?x16xbf16>, <16x32xbf16>, <4x16xf32>
// CHECK-NEXT:          %[[ROUNDED:.*]] = tile.map
// CHECK:               tile.store_rows %[[ROUNDED]] to %[[HIDDEN]][%r, %k, %[[M]]] : <4x16xbf16> to !tile.buffer<4x32xbf16>
// CHECK:         tile.add_row_terms %[[HIDDEN]][%r], %[[W2]][%g, %{{.*}}], %{{.*}} : !tile.buffer<4x32xbf16>, <32x16xbf16>, <4x8xf32>
// CHECK-NEXT:    tile.store_rows %{{.*}} to %y[%r, %g, %{{.*}}] : <4x8xf32> to !tile.matrix<?x16xf32>
tile.kernel @chained(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<4x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<4x16xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !tile.fragment<4x16xf32>
          %rounded = tile.map (%v = %sum : !tile.fragment<4x16xf32>) -> !tile.fragment<4x16xbf16> {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !tile.fragment<4x16xbf16> to !tile.buffer<4x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !tile.fragment<4x8xf32>
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<4x32xbf16>, !tile.matrix<32x16xbf16>, !tile.fragment<4x8xf32>
      tile.store_rows %sum to %y[%r, %j, %c] : !tile.fragment<4x8xf32> to !tile.matrix<?x16xf32>
    }
  }
}

// One thread block is the worker where nothing else is said, and attributes beside stay where they are.
// CHECK-LABEL: tile.kernel @alone(
// CHECK-SAME:    schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>}
// CHECK:         tile.row_terms (%k) of (%r, %g) attributes {note = "by hand"} {
// CHECK-NEXT:    }
tile.kernel @alone(%x: !tile.matrix<?x32xbf16>, %w: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 1>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.row_terms (%k) of (%r, %j) attributes {note = "by hand"} {
    }
  }
}
