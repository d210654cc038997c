// Two barriers for each stage. One product stays in flight; the stage of the one before it is released.
// RUN: alg-opt %s -sm-insert-barriers -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @loop
sm.kernel @loop(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  // One thread announces the bytes; eight warps say that they are done.
  // CHECK: %[[FULL:.*]] = sm.barriers arrivals 1 : <4>
  // CHECK: %[[EMPTY:.*]] = sm.barriers arrivals 8 : <4>
  // CHECK: sm.initialize %[[FULL]], %[[EMPTY]]
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    %zero = sm.zero : <128 x 64>
    // CHECK: %[[END:.*]]:2 = scf.for %[[STEP:.*]] = %c0 to %rows step %c1 iter_args(%[[SUM:.*]] = %{{.*}}, %[[SLOT:.*]] = %c0)
    %total, %last = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero, %slot = %c0) -> (!sm.accumulator<128 x 64>, index) {
      // CHECK-NEXT: sm.wait %[[FULL]][%[[SLOT]]] parity %c0_i32
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: %[[NEXT:.*]] = sm.mma {{.*}}, %[[SUM]] :
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: sm.mma_wait 1
      // CHECK-NEXT: %[[LATER:.*]] = arith.cmpi sgt, %[[STEP]], %c0
      // CHECK-NEXT: %[[FIRST_SLOT:.*]] = arith.cmpi eq, %[[SLOT]], %c0
      // CHECK-NEXT: %[[LESS:.*]] = arith.addi %[[SLOT]], %c-1
      // CHECK-NEXT: %[[BEFORE:.*]] = arith.select %[[FIRST_SLOT]], %c3, %[[LESS]]
      // CHECK-NEXT: scf.if %[[LATER]] {
      // CHECK-NEXT: sm.arrive %[[EMPTY]][%[[BEFORE]]]
      // CHECK-NEXT: }
      sm.consumer_wait %staged[%slot] parity %even : <4>
      %next = sm.mma %a[%slot], %b[%slot], %sum : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      sm.consumer_release %staged[%slot] after_products : <4>
      %following = arith.xori %slot, %c1 : index
      // CHECK: scf.yield
      scf.yield %next, %following : !sm.accumulator<128 x 64>, index
    }
    // CHECK: sm.mma_wait 0
    // CHECK-NEXT: %[[ANY:.*]] = arith.cmpi sgt, %rows, %c0
    // CHECK-NEXT: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[END]]#1, %c0
    // CHECK-NEXT: %[[ONE_LESS:.*]] = arith.addi %[[END]]#1, %c-1
    // CHECK-NEXT: %[[LAST:.*]] = arith.select %[[IS_FIRST]], %c3, %[[ONE_LESS]]
    // CHECK-NEXT: scf.if %[[ANY]] {
    // CHECK-NEXT: sm.arrive %[[EMPTY]][%[[LAST]]]
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[SETTLED:.*]] = sm.settle %[[END]]#0
    // CHECK-NEXT: sm.write %[[SETTLED]]
    sm.write %total to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: sm.wait %[[EMPTY]][%c1] parity %c0_i32
      // 128 x 64 and 64 x 64 of two bytes.
      // CHECK-NEXT: sm.expect %[[FULL]][%c1] bytes 24576
      // CHECK-NEXT: sm.load %x{{.*}} signal %[[FULL]][%c1]
      // CHECK-NEXT: sm.load %w{{.*}} signal %[[FULL]][%c1]
      // CHECK-NEXT: }
      sm.producer_acquire %staged[%c1] parity %even : <4>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c1] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c1] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c1] : <4>
    }
  }
}

// Without a loop nothing is left in flight. Branches have fences and commits of their own.
// CHECK-LABEL: sm.kernel @once
sm.kernel @once(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    %minus = arith.cmpi slt, %rows, %offset : index
    %zero = sm.zero : <128 x 64>
    // CHECK: sm.wait
    // CHECK: %[[SUM:.*]] = scf.if
    // CHECK-NEXT: sm.mma_fence
    // CHECK-NEXT: %[[LESS:.*]] = sm.mma {{.*}} negate
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: scf.yield %[[LESS]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: sm.mma_fence
    // CHECK-NEXT: %[[MORE:.*]] = sm.mma
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: scf.yield %[[MORE]]
    // CHECK-NEXT: }
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NEXT: sm.arrive %{{.*}}[%c0]
    // CHECK-NEXT: %[[SETTLED:.*]] = sm.settle %[[SUM]]
    // CHECK-NEXT: sm.write %[[SETTLED]]
    sm.consumer_wait %staged[%c0] parity %even : <4>
    %sum = scf.if %minus -> (!sm.accumulator<128 x 64>) {
      %less = sm.mma %a[%c0], %b[%c0], %zero negate : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      scf.yield %less : !sm.accumulator<128 x 64>
    } else {
      %more = sm.mma %a[%c0], %b[%c0], %zero : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      scf.yield %more : !sm.accumulator<128 x 64>
    }
    sm.consumer_release %staged[%c0] after_products : <4>
    sm.write %sum to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}
