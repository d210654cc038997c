// A bias goes along with the sums to where they are delivered: there it is known which columns a block stores.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = rows, in = #alg.groups<2 x 128>, bank = #alg.groups<2 x 128>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>

// CHECK-LABEL: sm.kernel @whole(
// CHECK-SAME:  %y: !sm.maps<2 x 128 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table, %bias: !sm.bias<2 x 160 x bf16>)
// CHECK:         sm.deliver %{{.*}} to %y[%{{.*}}] [%{{.*}}] bias %bias : !sm.bias<2 x 160 x bf16> :
tile.kernel @whole(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x320xbf16>, %bias: !tile.matrix<1x320xbf16>,
                   %y: !tile.matrix<?x320xbf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3>} {
  tile.own (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !tile.fragment<128x96xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x320xbf16>, !tile.fragment<128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %biased = tile.add_bias %sum, %bias[%j, %n] : !tile.fragment<128x96xf32>, !tile.matrix<1x320xbf16>
    %half = tile.map (%v = %biased : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x96>
    tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<128x96xbf16>, !tile.matrix<?x320xbf16>, !tile.mask<128x96>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = rows, in = #alg.groups<2 x 128>, bank = #alg.groups<2 x 128>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>

// Blocks that divide the steps of a tile add their sums up first; the bias comes to the part that one of them stores.
// CHECK-LABEL: sm.kernel @split(
// CHECK:         %[[PART:.*]] = sm.reduce_scatter
// CHECK-NOT:     bias
// CHECK:         sm.deliver %[[PART]] to %y[%{{.*}}] [%{{.*}}] bias %bias : !sm.bias<2 x 160 x bf16> :
tile.kernel @split(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x320xbf16>, %bias: !tile.matrix<1x320xbf16>,
                   %y: !tile.matrix<?x320xbf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split = 2>} {
  tile.own (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x320xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %biased = tile.add_bias %sum, %bias[%j, %n] : !tile.fragment<64x64xf32>, !tile.matrix<1x320xbf16>
    %half = tile.map (%v = %biased : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xbf16>, !tile.matrix<?x320xbf16>, !tile.mask<64x64>
  }
}
