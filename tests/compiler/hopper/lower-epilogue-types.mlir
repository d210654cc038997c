// Each warpgroup stores its 64 rows to the segment of their type.
// RUN: alg-opt %s -sm-lower-epilogue -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 128, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @types
// CHECK-SAME: %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
sm.kernel @types(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.partition @multiply warpgroups 4 registers 112 {
    %sum = sm.zero : <256 x 64>
    // CHECK: %[[WARPGROUP:.*]] = sm.warpgroup
    // CHECK: sm.fence
    // CHECK-NEXT: sm.sync
    // CHECK-NEXT: sm.elect {
    // Two warpgroups for each of two types.
    // CHECK-NEXT: %[[PART:.*]] = arith.divui %[[WARPGROUP]], %c2
    // CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi sge, %[[PART]], %c1
    // CHECK-NEXT: %[[MAP:.*]] = arith.select %[[SECOND]], %c1, %c0
    // CHECK-NEXT: %[[LINE:.*]] = arith.select %[[SECOND]], %offset, %rows
    // CHECK-NEXT: %[[ROW:.*]] = arith.select %[[SECOND]], %rows, %offset
    // CHECK-NEXT: %[[WITHIN:.*]] = arith.remui %[[WARPGROUP]], %c2
    // CHECK-NEXT: %[[DOWN:.*]] = arith.muli %[[WITHIN]], %c64
    // CHECK-NEXT: %[[FROM:.*]] = arith.addi %[[ROW]], %[[DOWN]]
    // CHECK-NEXT: sm.store %{{.*}}[%[[WARPGROUP]]] to %y[%[[MAP]]] [%c0, %c0, %[[LINE]], %[[FROM]]]
    sm.store_sums_in_parts %sum to %y[%c0, %c1] [%c0, %c0, %rows, %offset, %c0, %c0, %offset, %rows]
        : <256 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
}
