// Two blocks divide the steps of each tile; what they add up, each stores half of.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 400>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3, split_k = 2>

// Boxes of X and W are whole, those of Y have the columns that a block stores.
// CHECK-LABEL: sm.kernel @split(
// CHECK-SAME: %x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
// CHECK-SAME: %y: !sm.maps<2 x 128 x 48 x bf16, row_dimension 3>,
tile.kernel @split(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x1600xbf16>, %y: !tile.matrix<?x1600xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // All blocks of a cluster take one tile.
  // CHECK: %[[BLOCK:.*]] = sm.block_index
  // CHECK: %[[GRID:.*]] = sm.block_count
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  // CHECK: %[[FIRST:.*]] = arith.divui %[[BLOCK]], %c2
  // CHECK: %[[CLUSTERS:.*]] = arith.divui %[[GRID]], %c2
  // CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %{{.*}} step %[[CLUSTERS]] {
  // CHECK: %[[COLUMN_BLOCK:.*]] = arith.remui %[[TILE]], %c5
  // CHECK: %[[TILE_COLUMN:.*]] = arith.muli %[[COLUMN_BLOCK]], %c96
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !tile.fragment<128x96xf32>
    // Of two steps for each term half, and the first blocks one more where that leaves some over.
    // CHECK: %[[STEPS:.*]] = arith.muli %{{.*}}, %c2
    // CHECK: %[[EACH:.*]] = arith.divui %[[STEPS]], %c2
    // CHECK: %[[OVER:.*]] = arith.remui %[[STEPS]], %c2
    // CHECK: %[[ALL_BEFORE:.*]] = arith.muli %[[EACH]], %[[RANK]]
    // CHECK: %[[MORE_BEFORE:.*]] = arith.minsi %[[RANK]], %[[OVER]]
    // CHECK: %[[BEGIN:.*]] = arith.addi %[[ALL_BEFORE]], %[[MORE_BEFORE]]
    // CHECK: %[[ROUND:.*]] = arith.addi %[[BEGIN]], %[[EACH]]
    // CHECK: %[[HAS_MORE:.*]] = arith.cmpi slt, %[[RANK]], %[[OVER]]
    // CHECK: %[[ONE:.*]] = arith.select %[[HAS_MORE]], %c1, %c0
    // CHECK: %[[END:.*]] = arith.addi %[[ROUND]], %[[ONE]]
    // CHECK: %[[SUMS:.*]] = scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c1
    // CHECK: sm.fetch %x[%{{.*}}] [%{{.*}}] : <2 x 128 x 64 x bf16, row_dimension 3> -> <128 x 64 x bf16>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x1600xbf16>, !tile.fragment<128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    // CHECK: %[[MINE:.*]] = sm.reduce_scatter %[[SUMS]] : <128 x 96> to <128 x 48>
    // CHECK: %[[BEFORE:.*]] = arith.muli %[[RANK]], %c48
    // CHECK: %[[COLUMN:.*]] = arith.addi %[[TILE_COLUMN]], %[[BEFORE]]
    // CHECK: sm.store_sums %[[MINE]] to %y[%{{.*}}] [%[[COLUMN]], %{{.*}}]
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x96>
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<128x96xbf16>, !tile.matrix<?x1600xbf16>, !tile.mask<128x96>
  }
}

// With rows on the other side it is rows that are divided.
#on_n = #tile.staged<types = 1, rows = 32, columns = 64, depth = 64, stages = 3, split_k = 4, rows_on = n>

// CHECK-LABEL: sm.kernel @rows(
// CHECK-SAME: %y: !sm.maps<2 x 8 x 64 x f32, row_dimension 3>,
tile.kernel @rows(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x1600xbf16>, %y: !tile.matrix<?x1600xf32>)
    attributes {layout = #layout, schedule = #on_n} {
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  // CHECK: %[[TILE_ROW:.*]] = arith.muli %{{.*}}, %c32
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 32>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<32x64xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<32x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x1600xbf16>, !tile.fragment<32x64xf32>
      tile.yield %next : !tile.fragment<32x64xf32>
    }
    // CHECK: %[[MINE:.*]] = sm.reduce_scatter %{{.*}} : <32 x 64, transposed> to <8 x 64, transposed>
    // CHECK: %[[BEFORE:.*]] = arith.muli %[[RANK]], %c8
    // CHECK: %[[ROW:.*]] = arith.addi %[[TILE_ROW]], %[[BEFORE]]
    // CHECK: sm.store_sums %[[MINE]] to %y[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %[[ROW]]]
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<32x64>
    tile.store %total to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<32x64xf32>, !tile.matrix<?x1600xf32>, !tile.mask<32x64>
  }
}
