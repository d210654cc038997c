// A partition that fetches and one that multiplies: each has its own copy of the loops and of what they count.
// RUN: alg-opt %s -sm-partition -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @product
sm.kernel @product(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[PIPE:.*]] = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // The sums of 128 rows take two warpgroups, and most of the registers.
  // CHECK: sm.partition @multiply warpgroups 2 registers 224 {
  // CHECK-NEXT: sm.wait_for_predecessor
  // CHECK-NEXT: %[[TILES:.*]] = arith.muli %rows, %rows
  // CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[TILES]] step %c1 {
  // CHECK-NEXT: %[[ZERO:.*]] = sm.zero
  // CHECK-NEXT: %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %rows step %c1 iter_args(%[[BEFORE:.*]] = %[[ZERO]])
  // CHECK-NEXT: %[[BLOCKS:.*]]:2 = sm.consume %[[PIPE]]
  // CHECK-NEXT: %[[NEXT:.*]] = sm.multiply %[[BLOCKS]]#0, %[[BLOCKS]]#1, %[[BEFORE]]
  // CHECK-NEXT: scf.yield %[[NEXT]]
  // CHECK: sm.store_sums %[[SUM]] to %y
  // CHECK: sm.partition @load warpgroups 1 registers 56 {
  // CHECK-NEXT: sm.elect {
  // CHECK-NEXT: sm.wait_for_predecessor
  // CHECK-NEXT: %[[SAME:.*]] = arith.muli %rows, %rows
  // CHECK-NEXT: scf.for %[[TILE:.*]] = %c0 to %[[SAME]] step %c1 {
  // Sums are none of its business: nothing is carried.
  // CHECK-NEXT: scf.for %[[STEP:.*]] = %c0 to %rows step %c1 {
  // CHECK-NEXT: %[[A:.*]] = sm.fetch %x[%c0] [%[[STEP]], %[[TILE]], %c0, %c0]
  // CHECK-NEXT: %[[B:.*]] = sm.fetch %w[%c0] [%c0, %c0, %[[STEP]], %c0]
  // CHECK-NEXT: sm.produce %[[PIPE]], %[[A]], %[[B]]
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: sm.release_successor
  sm.wait_for_predecessor
  %tiles = arith.muli %rows, %rows : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %zero = sm.zero : <128 x 64>
    %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
      %a = sm.fetch %x[%c0] [%step, %tile, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %b = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      %next = sm.multiply %a, %b, %sum : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
      scf.yield %next : !sm.accumulator<128 x 64>
    }
    sm.store_sums %total to %y[%c0] [%tile, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
}
