// Maps of finished sums are written op by op, on the sums that a block stores. The last rounding is that of the store.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = rows, in = #alg.groups<2 x 128>, weights = #alg.groups<2 x 128>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>

// CHECK-LABEL: sm.kernel @whole(
// CHECK-SAME:  %y: !sm.maps<2 x 128 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table, %[[BIAS:.*]]: !sm.columns<2 x 160 x bf16>)
// CHECK:         %[[MAPPED:.*]] = sm.map (%[[V:.*]] = %{{.*}} : !sm.accumulator<128 x 96>, %[[B:.*]] = %[[BIAS]] : !sm.columns<2 x 160 x bf16>) at [%[[COLUMN:.*]], %[[GROUP:.*]]] -> !sm.accumulator<128 x 96> {
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT:      %[[ADDED:.*]] = arith.addf %[[V]], %[[WIDE]] : f32
// CHECK-NEXT:      sm.yield %[[ADDED]] : f32
// CHECK:         sm.store_sums %[[MAPPED]] to %y[%{{.*}}] [%[[COLUMN]], %[[GROUP]], %{{.*}}] :
tile.kernel @whole(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x320xbf16>, %bias: !tile.matrix<1x320xbf16>,
                   %y: !tile.matrix<?x320xbf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !tile.fragment<128x96xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x320xbf16>, !tile.fragment<128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %biased = tile.map (%m = %sum : !tile.fragment<128x96xf32>, %e = %bias[%j, %n] : !tile.matrix<1x320xbf16>) -> !tile.fragment<128x96xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
    %half = tile.map (%v = %biased : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x96>
    tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<128x96xbf16>, !tile.matrix<?x320xbf16>, !tile.mask<128x96>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = rows, in = #alg.groups<2 x 128>, weights = #alg.groups<2 x 128>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>

// Blocks that divide the steps of a tile add their sums up first; maps are of the part that one of them stores, from its first column on.
// CHECK-LABEL: sm.kernel @split(
// CHECK:         %[[PART:.*]] = sm.reduce_scatter
// CHECK:         %[[COLUMN:.*]] = arith.addi
// CHECK:         %[[MAPPED:.*]] = sm.map (%{{.*}} = %[[PART]] : !sm.accumulator<64 x 32>, {{.*}}) at [%[[COLUMN]], %{{.*}}] -> !sm.accumulator<64 x 32>
// CHECK:         sm.store_sums %[[MAPPED]] to %y[%{{.*}}] [%[[COLUMN]], %{{.*}}] :
tile.kernel @split(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x320xbf16>, %bias: !tile.matrix<1x320xbf16>,
                   %y: !tile.matrix<?x320xbf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 2>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x320xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %biased = tile.map (%m = %sum : !tile.fragment<64x64xf32>, %e = %bias[%j, %n] : !tile.matrix<1x320xbf16>) -> !tile.fragment<64x64xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
    %half = tile.map (%v = %biased : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %half to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xbf16>, !tile.matrix<?x320xbf16>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = rows, in = #alg.groups<2 x 128>, weights = #alg.groups<2 x 128>,
                       out = #alg.groups<[96, 160]>, row_types = #alg.row_types<cyclic 2>>

// Groups of unequal widths are one group to numbers of columns: the terms table says where the tile's begins. Two maps, the
// second of what the first has rounded, and constants from outside of both.
// CHECK-LABEL: sm.kernel @chain(
// CHECK-SAME:    %[[SCALE:[a-z0-9_]+]]: !sm.columns<1 x 256 x f32>, %[[ALPHA:[a-z0-9_]+]]: f32)
// CHECK:         sm.multiply
// CHECK:         %[[START:.*]] = sm.read_terms %terms
// CHECK:         %[[INDEX:.*]] = arith.index_cast %[[START]]
// CHECK:         %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[INDEX]]
// CHECK:         %[[ROUNDED:.*]] = sm.map (%[[V:.*]] = %{{.*}} : !sm.accumulator<64 x 64, warps 2 x 2>, %[[S:.*]] = %[[SCALE]] : !sm.columns<1 x 256 x f32>) at [%[[COLUMN]], %c0]
// CHECK:           arith.mulf %[[V]], %[[S]]
// CHECK:           arith.truncf
// CHECK:           arith.extf
// CHECK:         %[[CLAMPED:.*]] = sm.map (%[[H:.*]] = %[[ROUNDED]] : !sm.accumulator<64 x 64, warps 2 x 2>, %[[A:.*]] = %[[ALPHA]] : f32)
// CHECK:           arith.maximumf
// CHECK-NOT:       arith.truncf {{.*}} to bf16
// CHECK:           sm.yield
// CHECK:         sm.store_sums %[[CLAMPED]]
tile.kernel @chain(%x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x256xbf16>, %scale: !tile.matrix<1x256xf32>, %alpha: f32,
                   %y: !tile.matrix<?x256xbf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x256xbf16>, !tile.matrix<256x256xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %half = tile.map (%v = %sum : !tile.fragment<64x64xf32>, %f = %scale[%j, %n] : !tile.matrix<1x256xf32>) -> !tile.fragment<64x64xbf16> {
      %m = arith.mulf %v, %f : f32
      %r = arith.truncf %m : f32 to bf16
      tile.yield %r : bf16
    }
    %nothing = arith.constant 0.0 : f32
    %clamped = tile.map (%h = %half : !tile.fragment<64x64xbf16>, %a = %alpha : f32) -> !tile.fragment<64x64xbf16> {
      %wide = arith.extf %h : bf16 to f32
      %m = arith.mulf %wide, %a : f32
      %p = arith.maximumf %m, %nothing : f32
      %r = arith.truncf %p : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %clamped to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xbf16>, !tile.matrix<?x256xbf16>, !tile.mask<64x64>
  }
}
