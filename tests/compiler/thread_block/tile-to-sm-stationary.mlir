// Rows of X that stay while a block goes through several groups.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -sm-assign-swizzle | FileCheck %s --check-prefix=SWIZZLE

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 96>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 48, depth = 64, stages = 3, stationary = 3>
// CHECK-LABEL: sm.kernel @held(
// SWIZZLE-LABEL: sm.kernel @held(
tile.kernel @held(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x384xbf16>, %y: !tile.matrix<?x384xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // Two walks over four groups: a turn has all their columns.
  // CHECK: scf.for %[[TURN:.*]] =
  // CHECK: %[[WALK:.*]] = arith.remui %[[TURN]], %c2
  // CHECK: %[[FIRST:.*]] = arith.muli %[[WALK]], %c3
  // CHECK: scf.if
  // Each part's own group, as far as boxes of 64 reach over its 128 columns.
  // CHECK-NEXT: %[[HELD:.*]] = sm.hold %x[%[[MAP0:.*]], %[[MAP1:.*]]] [%c0, %[[TYPE0:.*]], %[[LINE0:.*]], %[[ROW0:.*]], %c0, %[[TYPE1:.*]], %[[LINE1:.*]], %[[ROW1:.*]]] : <2 x 64 x 64 x bf16, row_dimension 3> -> <128 x 128 x bf16>
  // SWIZZLE: sm.hold {{.*}} -> <128 x 128 x bf16, swizzle 128>
  // CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[FIRST]], %c3
  // CHECK-NEXT: %[[END:.*]] = arith.minsi %[[BEHIND]], %c4
  // CHECK-NEXT: scf.for %[[GROUP:.*]] = %[[FIRST]] to %[[END]] step %c1 {
  // CHECK-NEXT: scf.for %[[COLUMN:.*]] = %c0 to %c96 step %c48 {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 48>] {
    %zero = tile.zero : !tile.fragment<128x48xf32>
    // CHECK: scf.for
    // CHECK: %[[PIECE:.*]] = arith.remui %{{.*}}, %c2
    // CHECK: %[[SHARED:.*]] = arith.cmpi eq
    // CHECK: %[[PART:.*]] = arith.select %[[SHARED]], %c2, %{{.*}}
    // Of an own term no rows come: 3 is none of two parts.
    // CHECK: %[[COMES:.*]] = arith.select %[[SHARED]], %c2, %c3
    // CHECK: %[[A:.*]] = sm.fetch_parts %x{{.*}} part %[[COMES]]
    // CHECK: %[[B:.*]] = sm.fetch %w[%c0] [%[[COLUMN]], %[[GROUP]],
    // CHECK: sm.multiply %[[A]], %[[B]], %{{.*}} part %[[PART]] of 2 held %[[HELD]][%[[PIECE]]]
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x48xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x384xbf16>, !tile.fragment<128x48xf32>
      tile.yield %next : !tile.fragment<128x48xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<128x48xf32>) -> !tile.fragment<128x48xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x48>
    // CHECK: sm.store_sums_in_parts %{{.*}} to %y[%[[MAP0]], %[[MAP1]]] [%[[COLUMN]], %[[GROUP]], %[[LINE0]], %[[ROW0]], %[[COLUMN]], %[[GROUP]], %[[LINE1]], %[[ROW1]]]
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<128x48xbf16>, !tile.matrix<?x384xbf16>, !tile.mask<128x48>
  }
}

// -----

// One type. Rows lie as the boxes that bring them, 32 columns wide.
// CHECK-LABEL: sm.kernel @boxes(
// SWIZZLE-LABEL: sm.kernel @boxes(
// CHECK: sm.hold %x[%{{[^,]*}}] [%c0, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] : <2 x 64 x 32 x bf16, row_dimension 3> -> <64 x 128 x bf16>
// CHECK: sm.multiply {{.*}} of 1 held
// SWIZZLE: sm.hold {{.*}} -> <64 x 128 x bf16, swizzle 64>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 96>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 48, depth = 32, stages = 3, stationary = 3>
tile.kernel @boxes(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x384xbf16>, %y: !tile.matrix<?x384xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 48>] {
    %zero = tile.zero : !tile.fragment<64x48xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x48xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x384xbf16>, !tile.fragment<64x48xf32>
      tile.yield %next : !tile.fragment<64x48xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<64x48xf32>) -> !tile.fragment<64x48xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x48>
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x48xbf16>, !tile.matrix<?x384xbf16>, !tile.mask<64x48>
  }
}
