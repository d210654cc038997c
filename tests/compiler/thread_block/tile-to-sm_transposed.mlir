// Products by the transposed weight matrix: its blocks are fetched as they lie, columns as rows.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 160>, weights = <4 x 160>, out = <4 x 128>,
                       row_types = <cyclic 4>, mode = i>
#schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3>

// CHECK-LABEL: sm.kernel @complete(
// CHECK-SAME: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3>, %{{.*}}: !sm.maps<1 x 96 x 64 x bf16, row_dimension 2>,
// CHECK-SAME: !sm.maps<2 x 128 x 96 x bf16, row_dimension 3>
tile.kernel @complete(%dy: !tile.matrix<?x640xbf16>, %w: !tile.matrix<512x640xbf16>, %dx: !tile.matrix<?x512xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c96
  // CHECK: %[[GROUP:.*]] = arith.remui %{{.*}}, %c4
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : <128x96xf32>
    // All four groups where the tile's group is that of its type, else that group alone; three steps each.
    // CHECK: %[[OWN:.*]] = arith.cmpi eq, %{{.*}}, %[[GROUP]] : index
    // CHECK-DAG: %[[FIRST:.*]] = arith.select %[[OWN]], %c0, %[[GROUP]] : index
    // CHECK-DAG: %[[TERMS:.*]] = arith.select %[[OWN]], %c4, %c1 : index
    // CHECK: %[[STEPS:.*]] = arith.muli %[[TERMS]], %c3
    // CHECK: scf.for %[[STEP:.*]] = %c0 to %[[STEPS]] step %c1
    // CHECK: %[[K:.*]] = arith.muli %{{.*}}, %c64
    // CHECK: %[[FROM:.*]] = arith.addi %[[FIRST]], %{{.*}}
    // CHECK: %[[A:.*]] = sm.fetch %{{.*}}[%{{.*}}] [%[[K]], %[[FROM]], %{{.*}}, %{{.*}}]
    // Row group j and column group k of the weight matrix: the depth goes along its rows, the columns of dX down them.
    // CHECK: %[[B:.*]] = sm.fetch %{{.*}}[%c0] [%[[K]], %[[FROM]], %[[COLUMN]], %[[GROUP]]] : <1 x 96 x 64 x bf16, row_dimension 2> -> <96 x 64 x bf16>
    // 160 is 64 and 64 and 32.
    // CHECK: sm.multiply %[[A]], %[[B]] transposed, %{{.*}} shallow %{{.*}} to 32 : <128 x 64 x bf16>, <96 x 64 x bf16>, <128 x 96>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x640xbf16>, !tile.matrix<512x640xbf16>, <128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <128x96>
    // CHECK: sm.store_sums %{{.*}} to %{{.*}}[%{{.*}}] [%[[COLUMN]], %[[GROUP]], %{{.*}}, %{{.*}}]
    tile.store %rounded to %dx[%t, %s, %j, %n] mask %mask : <128x96xbf16>, <?x512xbf16>, <128x96>
  }
}

// -----

// In the slot lift block b stands in row group b, and has no column groups. Threads copy it the same way.
#layout = #tile.layout<algebra = #alg.algebra<"M(2)">, lift = slots, in = <4 x 64>, weights = <4 x 64>, out = <4 x 96>,
                       row_types = <cyclic 1>, mode = i>
#schedule = #tile.staged<types = 1, rows = 32, columns = 48, depth = 32, stages = 3, warps = 2 x 1, vector = 8>

// CHECK-LABEL: sm.kernel @slots(
// CHECK-SAME: !sm.maps<1 x 48 x 32 x bf16, row_dimension 2, vector 8>
tile.kernel @slots(%dy: !tile.matrix<?x256xbf16>, %w: !tile.matrix<384x64xbf16>, %dx: !tile.matrix<?x384xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c48
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 32>, <groups, 1>, <columns, 48>] {
    %zero = tile.zero : <32x48xf32>
    // CHECK: scf.for
    // CHECK: %[[K:.*]] = arith.muli %{{.*}}, %c32
    // CHECK: %[[WORD:.*]] = arith.andi
    // CHECK: %[[BLOCK:.*]] = arith.index_cast %[[WORD]]
    // CHECK: sm.fetch %{{.*}}[%c0] [%[[K]], %c0, %[[COLUMN]], %[[BLOCK]]] : <1 x 48 x 32 x bf16, row_dimension 2, vector 8> -> <48 x 32 x bf16>
    // CHECK: sm.multiply %{{.*}}, %{{.*}} transposed,
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<32x48xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x256xbf16>, !tile.matrix<384x64xbf16>, <32x48xf32>
      tile.yield %next : !tile.fragment<32x48xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <32x48>
    tile.store %total to %dx[%t, %s, %j, %n] mask %mask : <32x48xf32>, <?x384xf32>, <32x48>
  }
}

// -----

// Blocks of a cluster divide what lies one below the other: of the weight matrix 48 of a tile's 96 columns each.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 96>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 3, cluster = 2 x 1>

// CHECK-LABEL: sm.kernel @cluster(
// CHECK-SAME: !sm.maps<1 x 48 x 64 x bf16, row_dimension 2>
// CHECK: sm.fetch {{.*}} part %{{.*}} of 2 multicast %{{.*}} : <1 x 48 x 64 x bf16, row_dimension 2> -> <96 x 64 x bf16>
tile.kernel @cluster(%dy: !tile.matrix<?x128xbf16>, %w: !tile.matrix<192x128xbf16>, %dx: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : <64x96xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x96xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x128xbf16>, !tile.matrix<192x128xbf16>, <64x96xf32>
      tile.yield %next : !tile.fragment<64x96xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <64x96>
    tile.store %total to %dx[%t, %s, %j, %n] mask %mask : <64x96xf32>, <?x192xf32>, <64x96>
  }
}
