// A pipe of one stage, whose loads fill the pieces of its buffer. Released, it is free at once.
// RUN: alg-opt %s -sm-insert-barriers -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 192>, weights = #alg.groups<2 x 192>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4, stationary = 2>

// CHECK-LABEL: sm.kernel @held
sm.kernel @held(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <3 x 128 x 64 x bf16, swizzle 128>
  // CHECK: %[[FULL:.*]] = sm.barriers arrivals 1 : <1>
  // CHECK: %[[EMPTY:.*]] = sm.barriers arrivals 8 : <1>
  %stays = sm.staged_pipe : <1>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: sm.wait %[[FULL]][%c0]
    sm.consumer_wait %stays[%c0] parity %even : <1>
    // CHECK-NEXT: sm.arrive %[[EMPTY]][%c0]
    sm.consumer_release %stays[%c0] : <1>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: sm.wait %[[EMPTY]][%c0]
      // CHECK-NEXT: sm.expect %[[FULL]][%c0] bytes 16384 :
      // CHECK-NEXT: sm.load %x{{.*}}[%c0] row 0 signal %[[FULL]][%c0]
      // CHECK-NEXT: sm.load %x{{.*}}[%c1] row 64 signal %[[FULL]][%c0]
      sm.producer_acquire %stays[%c0] parity %even : <1>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c0] row 0 : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <3 x 128 x 64 x bf16, swizzle 128>
      sm.load %x[%c1] [%c0, %c0, %c0, %c0] to %a[%c1] row 64 : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <3 x 128 x 64 x bf16, swizzle 128>
      sm.producer_commit %stays[%c0] : <1>
    }
  }
}

// The block's threads meet once for the barriers of both pipes.
sm.kernel @two(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  // CHECK-LABEL: sm.kernel @two
  %c0 = arith.constant 0 : index
  %a = sm.allocate : <3 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %even = arith.constant 0 : i32
  // CHECK: %[[FULL0:.*]] = sm.barriers arrivals 1 : <1>
  // CHECK-NEXT: %[[EMPTY0:.*]] = sm.barriers arrivals 8 : <1>
  %stays = sm.staged_pipe : <1>
  // CHECK-NEXT: %[[FULL1:.*]] = sm.barriers arrivals 1 : <4>
  // CHECK-NEXT: %[[EMPTY1:.*]] = sm.barriers arrivals 8 : <4>
  // CHECK-NEXT: sm.initialize %[[FULL0]], %[[EMPTY0]], %[[FULL1]], %[[EMPTY1]]
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    sm.consumer_wait %stays[%c0] parity %even : <1>
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
    sm.consumer_release %stays[%c0] : <1>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %stays[%c0] parity %even : <1>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c0] row 0 : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <3 x 128 x 64 x bf16, swizzle 128>
      sm.producer_commit %stays[%c0] : <1>
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// Steps of the shared term multiply from the stages, own ones what is held, in those warpgroups that they concern.
// CHECK-LABEL: sm.kernel @groups
sm.kernel @groups(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %held = sm.allocate : <3 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    %all = arith.cmpi slt, %rows, %offset : index
    %mine = arith.cmpi eq, %rows, %offset : index
    %zero = sm.zero : <128 x 64>
    %total, %last = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero, %slot = %c0) -> (!sm.accumulator<128 x 64>, index) {
      sm.consumer_wait %staged[%slot] parity %even : <4>
      // CHECK: scf.if
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: sm.mma
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: scf.yield
      // CHECK-NEXT: } else {
      // CHECK-NEXT: scf.if
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: sm.mma
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: scf.yield
      // CHECK-NEXT: } else {
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: scf.yield
      %next = scf.if %all -> (!sm.accumulator<128 x 64>) {
        %product = sm.mma %a[%slot], %b[%slot], %sum : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
        scf.yield %product : !sm.accumulator<128 x 64>
      } else {
        %own = scf.if %mine -> (!sm.accumulator<128 x 64>) {
          %product = sm.mma %held[%c1], %b[%slot], %sum : <3 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
          scf.yield %product : !sm.accumulator<128 x 64>
        } else {
          scf.yield %sum : !sm.accumulator<128 x 64>
        }
        scf.yield %own : !sm.accumulator<128 x 64>
      }
      sm.consumer_release %staged[%slot] after_products : <4>
      %following = arith.xori %slot, %c1 : index
      scf.yield %next, %following : !sm.accumulator<128 x 64>, index
    }
    sm.store_sums_in_parts %total to %y[%c0, %c1] [%c0, %c0, %c0, %c0, %c0, %c0, %c1, %c0] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c1] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c1] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c1] : <4>
    }
  }
}
