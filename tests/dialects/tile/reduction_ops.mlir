// The ops of vector reductions, and what they print as.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>

// CHECK-LABEL: tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
// CHECK-SAME:  schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
// CHECK-NEXT:  tile.forall (%r, %g, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
// CHECK-NEXT:    %[[ZERO:.*]] = tile.zero : <4x16xf32>
// CHECK-NEXT:    %[[SUM:.*]] = tile.add_row_terms %x[%r], %w[%g, %n], %[[ZERO]] : !tile.matrix<?x16xbf16>, <16x48xbf16>, <4x16xf32>
// CHECK-NEXT:    tile.store_rows %[[SUM]] to %y[%r, %g, %n] : <4x16xf32> to !tile.matrix<?x48xf32>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// A launch of it is of many products, whose rows are told apart.
// CHECK-LABEL: tile.kernel @experts(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
// CHECK-SAME:  attributes {experts, layout = #tile.layout<{{.*}}>, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
tile.kernel @experts(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {experts, layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}
