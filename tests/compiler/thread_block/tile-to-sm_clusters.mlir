// Two blocks of rows times two of columns in a cluster: each copies half of what it shares, and all go through the
// same tiles and steps.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 400>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3, cluster = 2 x 2>

// Boxes of half a block of X, and of W; Y is stored whole.
// CHECK-LABEL: sm.kernel @cluster(
// CHECK-SAME: %x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 32 x 96 x bf16, row_dimension 2>,
// CHECK-SAME: %y: !sm.maps<2 x 128 x 96 x bf16, row_dimension 3>,
tile.kernel @cluster(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x1600xbf16>, %y: !tile.matrix<?x1600xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // Blocks of rows by the 256 of a cluster. Of 5 blocks of columns, 3 pairs: in 4 groups, 12.
  // CHECK: %[[LINES:.*]] = arith.minsi %rows, %c4
  // CHECK: %[[BLOCKS:.*]] = arith.divui %{{.*}}, %c256
  // CHECK: %[[BANDS:.*]] = arith.muli %[[LINES]], %[[BLOCKS]]
  // CHECK: %[[TILES:.*]] = arith.muli %[[BANDS]], %c12
  // CHECK: %[[BLOCK:.*]] = sm.block_index
  // CHECK: %[[GRID:.*]] = sm.block_count
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  // CHECK: %[[A:.*]] = arith.divui %[[RANK]], %c2
  // CHECK: %[[B:.*]] = arith.remui %[[RANK]], %c2
  // The blocks of row a are 2 a and 2 a + 1, those of column b are b and 2 + b.
  // CHECK: %[[TWICE:.*]] = arith.muli %[[A]], %c2
  // CHECK: %[[ROW_MASK:.*]] = arith.shli %c3, %[[TWICE]]
  // CHECK: %[[COLUMN_MASK:.*]] = arith.shli %c5, %[[B]]
  // CHECK: %[[FIRST:.*]] = arith.divui %[[BLOCK]], %c4
  // CHECK: %[[CLUSTERS:.*]] = arith.divui %[[GRID]], %c4
  // CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %[[TILES]] step %[[CLUSTERS]] {
  // CHECK: %[[COLUMN_CLUSTER:.*]] = arith.remui %[[TILE]], %c3
  // CHECK: %[[FIRST_COLUMN:.*]] = arith.muli %[[COLUMN_CLUSTER]], %c192
  // CHECK: %[[FIRST_ROW:.*]] = arith.muli %{{.*}}, %c256
  // All of a cluster agree whether there is something to do.
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[FIRST_ROW]], %{{.*}}
  // CHECK: %[[DOWN:.*]] = arith.muli %[[A]], %c128
  // CHECK: %[[ROW:.*]] = arith.addi %[[FIRST_ROW]], %[[DOWN]]
  // CHECK: %[[ACROSS:.*]] = arith.muli %[[B]], %c96
  // CHECK: %[[COLUMN:.*]] = arith.addi %[[FIRST_COLUMN]], %[[ACROSS]]
  // CHECK: scf.if %[[EXISTS]] {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !tile.fragment<128x96xf32>
    // CHECK: sm.fetch %x[%{{.*}}] [%{{.*}}, %[[ROW]]] part %[[B]] of 2 multicast %[[ROW_MASK]] : <2 x 64 x 64 x bf16, row_dimension 3> -> <128 x 64 x bf16>
    // CHECK: sm.fetch %w[%c0] [%[[COLUMN]], {{.*}}] part %[[A]] of 2 multicast %[[COLUMN_MASK]] narrow %{{.*}} to 16 : <1 x 32 x 96 x bf16, row_dimension 2> -> <64 x 96 x bf16>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x1600xbf16>, !tile.fragment<128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x96>
    // CHECK: sm.store_sums %{{.*}} to %y[%{{.*}}] [%[[COLUMN]], %{{.*}}, %{{.*}}, %[[ROW]]]
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<128x96xbf16>, !tile.matrix<?x1600xbf16>, !tile.mask<128x96>
  }
}
