// Each warpgroup writes its 64 rows into a slot of its own and stores them while the next tile is multiplied.
// RUN: alg-opt %s -sm-lower-epilogue -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>

// The boxes of Y are the rows of one warpgroup.
// CHECK-LABEL: sm.kernel @result
// CHECK-SAME: %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
sm.kernel @result(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[SLOTS:.*]] = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: scf.for %[[TILE:.*]] =
    scf.for %tile = %c0 to %rows step %c1 {
      // CHECK: %[[SUM:.*]] = sm.zero
      %sum = sm.zero : <128 x 64>
      // CHECK-NEXT: %[[WARPGROUP:.*]] = sm.warpgroup
      // The previous store has read the stage, and all threads know.
      // CHECK-NEXT: sm.elect {
      // CHECK-NEXT: sm.store_wait 0
      // CHECK-NEXT: }
      // CHECK-NEXT: sm.sync
      // CHECK-NEXT: sm.write %[[SUM]] to %[[SLOTS]][%[[WARPGROUP]]]
      // CHECK-NEXT: sm.fence
      // CHECK-NEXT: sm.sync
      // CHECK-NEXT: sm.elect {
      // CHECK-NEXT: %[[DOWN:.*]] = arith.muli %[[WARPGROUP]], %c64
      // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[TILE]], %[[DOWN]]
      // CHECK-NEXT: sm.store %[[SLOTS]][%[[WARPGROUP]]] to %y[%c1] [%c0, %c0, %c0, %[[ROW]]]
      // CHECK-NEXT: sm.store_commit
      // CHECK-NEXT: }
      sm.store_sums %sum to %y[%c1] [%c0, %c0, %c0, %tile] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
    }
    // Behind the last tile.
    // CHECK-NEXT: }
    // CHECK-NEXT: sm.elect {
    // CHECK-NEXT: sm.store_wait 0
  }
}

// Transposed sums: the boxes are a warpgroup's 64 columns, of all rows.
// CHECK-LABEL: sm.kernel @few_rows
// CHECK-SAME: %y: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>
sm.kernel @few_rows(%x: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>,
                    %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                    %y: !sm.maps<2 x 24 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                    %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[SLOTS:.*]] = sm.allocate : <2 x 24 x 64 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : <24 x 128, transposed>
    // CHECK: %[[WARPGROUP:.*]] = sm.warpgroup
    // CHECK: sm.write %{{.*}} to %[[SLOTS]][%[[WARPGROUP]]] : <24 x 128, transposed> to
    // CHECK: %[[ACROSS:.*]] = arith.muli %[[WARPGROUP]], %c64
    // CHECK: %[[COLUMN:.*]] = arith.addi %offset, %[[ACROSS]]
    // CHECK: sm.store %[[SLOTS]][%[[WARPGROUP]]] to %y[%c0] [%[[COLUMN]], %c0, %c0, %rows]
    sm.store_sums %sum to %y[%c0] [%offset, %c0, %c0, %rows] : <24 x 128, transposed> to <2 x 24 x 128 x bf16, row_dimension 3, swizzle 128>
  }
}
