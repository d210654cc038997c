// Each part of a block is loaded into rows of its own, and multiplied by the warpgroups that hold its sums.
// RUN: alg-opt %s -sm-multi-buffer -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @types
sm.kernel @types(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[A:.*]] = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  // CHECK-DAG: %[[B:.*]] = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // CHECK: sm.partition @multiply
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: %[[ZERO:.*]] = sm.zero
    %zero = sm.zero : <128 x 64>
    // CHECK-NEXT: sm.consumer_wait
    // CHECK-NEXT: %[[WARPGROUP:.*]] = sm.warpgroup
    // CHECK-NEXT: %[[MINE:.*]] = arith.cmpi eq, %rows, %[[WARPGROUP]]
    // CHECK-NEXT: %[[ALL:.*]] = arith.cmpi eq, %rows, %c2
    // CHECK-NEXT: %[[MULTIPLIES:.*]] = arith.ori %[[ALL]], %[[MINE]]
    // CHECK-NEXT: %[[SUM:.*]] = scf.if %[[MULTIPLIES]] -> (!sm.accumulator<128 x 64>) {
    // CHECK-NEXT: %[[NEXT:.*]] = sm.mma %[[A]][%c0], %[[B]][%c0], %[[ZERO]]
    // CHECK-NEXT: scf.yield %[[NEXT]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[ZERO]]
    // CHECK: sm.consumer_release
    // CHECK: sm.store_sums_in_parts %[[SUM]]
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    %sum = sm.multiply %a, %b, %zero part %rows of 2 : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.store_sums_in_parts %sum to %y[%c0, %c1] [%c0, %c0, %c0, %c0, %c0, %c0, %c1, %c0] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
  }
  // CHECK: sm.partition @load
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: %[[ALL:.*]] = arith.cmpi eq, %rows, %c2
      // CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %rows, %c0
      // CHECK-NEXT: %[[LOADS0:.*]] = arith.ori %[[ALL]], %[[FIRST]]
      // CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi eq, %rows, %c1
      // CHECK-NEXT: %[[LOADS1:.*]] = arith.ori %[[ALL]], %[[SECOND]]
      // CHECK-NEXT: sm.producer_acquire
      // CHECK-NEXT: sm.load %x[%c0] [%offset, %c0, %c0, %c0] to %[[A]][%c0] row 0 where %[[LOADS0]]
      // CHECK-NEXT: sm.load %x[%c1] [%offset, %c0, %c1, %rows] to %[[A]][%c0] row 64 where %[[LOADS1]]
      // CHECK-NEXT: sm.load %w[%c0] {{.*}} to %[[B]][%c0] :
      // CHECK-NEXT: sm.producer_commit
      %a = sm.fetch_parts %x[%c0, %c1] [%offset, %c0, %c0, %c0, %offset, %c0, %c1, %rows] part %rows : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %a, %b : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}
