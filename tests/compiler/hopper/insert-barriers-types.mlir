// How many bytes come depends on the conditions of the loads. A warpgroup that skips a step has an empty group of products.
// RUN: alg-opt %s -sm-insert-barriers -canonicalize | FileCheck %s

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
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  // CHECK: %[[FULL:.*]] = sm.barriers arrivals 1
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    %mine = arith.cmpi slt, %rows, %offset : index
    %zero = sm.zero : <128 x 64>
    // CHECK: scf.for
    %total, %last = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero, %slot = %c0) -> (!sm.accumulator<128 x 64>, index) {
      // CHECK: %[[SUM:.*]] = scf.if
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: sm.mma
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: scf.yield
      // CHECK-NEXT: } else {
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: scf.yield
      // CHECK-NEXT: }
      // CHECK-NEXT: sm.mma_wait 1
      sm.consumer_wait %staged[%slot] parity %even : <4>
      %next = scf.if %mine -> (!sm.accumulator<128 x 64>) {
        %product = sm.mma %a[%slot], %b[%slot], %sum : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
        scf.yield %product : !sm.accumulator<128 x 64>
      } else {
        scf.yield %sum : !sm.accumulator<128 x 64>
      }
      sm.consumer_release %staged[%slot] after_products : <4>
      %following = arith.xori %slot, %c1 : index
      scf.yield %next, %following : !sm.accumulator<128 x 64>, index
    }
    sm.write %total to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: sm.elect
      // CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq
      %first = arith.cmpi eq, %rows, %c0 : index
      // CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi eq
      %second = arith.cmpi eq, %rows, %c1 : index
      // CHECK-NEXT: sm.wait
      // CHECK-NEXT: %[[BYTES0:.*]] = arith.select %[[FIRST]], %c8192, %c0
      // CHECK-NEXT: %[[BYTES1:.*]] = arith.select %[[SECOND]], %c8192, %c0
      // CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[BYTES0]], %[[BYTES1]]
      // CHECK-NEXT: sm.expect %[[FULL]][%c1] bytes 8192 plus %[[MORE]]
      // CHECK-NEXT: sm.load %x{{.*}} row 0 where %[[FIRST]] signal %[[FULL]][%c1]
      // CHECK-NEXT: sm.load %x{{.*}} row 64 where %[[SECOND]] signal %[[FULL]][%c1]
      // CHECK-NEXT: sm.load %w{{.*}} signal %[[FULL]][%c1]
      sm.producer_acquire %staged[%c1] parity %even : <4>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c1] row 0 where %first : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>
      sm.load %x[%c1] [%c0, %c0, %c0, %c0] to %a[%c1] row 64 where %second : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c1] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c1] : <4>
    }
  }
}
