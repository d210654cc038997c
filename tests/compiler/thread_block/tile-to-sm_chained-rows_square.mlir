// A bias between two layers that have the same layout: it is one of the first layer, whose groups are each row's own, so that rows come
// one by one as they do where layouts differ.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse | FileCheck %s

// CHECK-LABEL: sm.kernel @square(
// CHECK-SAME:    %[[BIAS:[a-z0-9_]+]]: !sm.columns<2 x 16 x bf16>)
// CHECK:         %[[FIRST:.*]] = sm.collect_sums %[[SUMS:.*]] row 0 : <1 x 2 x 16> to <1 x 16, threads 32>
// CHECK-NEXT:    sm.map (%{{.*}} = %[[FIRST]] : {{.*}}, %{{.*}} = %[[BIAS]] : {{.*}}) at
// CHECK:         sm.store_hidden {{.*}} row 0
// CHECK:         %[[SECOND:.*]] = sm.collect_sums %[[SUMS]] row 1
// CHECK-NEXT:    sm.map (%{{.*}} = %[[SECOND]] : {{.*}}, %{{.*}} = %[[BIAS]] : {{.*}}) at
// CHECK:         sm.store_hidden {{.*}} row 1
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
tile.kernel @square(%x: !tile.matrix<?x32xbf16>, %w: !tile.matrix<32x32xbf16>, %w2: !tile.matrix<32x32xbf16>, %bias: !tile.matrix<1x32xbf16>,
                    %y: !tile.matrix<?x32xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #layout, schedule = #schedule} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x32xbf16>, !tile.matrix<32x32xbf16>, !tile.fragment<2x16xf32>
          %h = tile.map (%v = %sum : !tile.fragment<2x16xf32>, %e = %bias[%k, %m] : !tile.matrix<1x32xbf16>) -> !tile.fragment<2x16xbf16> {
            %wide = arith.extf %e : bf16 to f32
            %biased = arith.addf %v, %wide : f32
            %b = arith.truncf %biased : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %h to %left[%r, %k, %m] : !tile.fragment<2x16xbf16> to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 16>] {
      %zero = tile.zero : !tile.fragment<2x16xf32>
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x32xbf16>, !tile.fragment<2x16xf32>
      tile.store_rows %sum to %y[%r, %j, %c] : !tile.fragment<2x16xf32> to !tile.matrix<?x32xf32>
    }
  }
}
