// Steps of kernels of two layers, which take several stages of one pipe, and products of rows in registers.
// RUN: alg-opt %s -sm-insert-barriers -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 5, stationary = 1>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 2, stationary = 4>
!x = !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
!a = !sm.buffer<2 x 128 x 64 x bf16, swizzle 128>
!b = !sm.buffer<5 x 64 x 64 x bf16, swizzle 128>
!sum = !sm.accumulator<128 x 64>

// All that the loop does with its sums is to add to them: the products of a step stay in flight while the next one waits for its
// stages. Behind them both stages of the step before are released, which are two stages back in the ring.
// CHECK-LABEL: sm.kernel @only_adds(
sm.kernel @only_adds(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : !a
  %b = sm.allocate : !b
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  // CHECK: %[[FULL:.*]] = sm.barriers arrivals 1 : <5>
  // CHECK-NEXT: %[[EMPTY:.*]] = sm.barriers arrivals 8 : <5>
  %staged = sm.staged_pipe : <5>
  sm.partition @multiply warpgroups 2 registers 224 {
    %zero = sm.zero : !sum
    // CHECK: %[[SUMS:.*]]:2 = scf.for %[[STEP:.*]] = %c0 to %rows step %c1 iter_args(%[[SUM:.*]] = %{{.*}}, %[[FIRST:.*]] = %c0)
    %total, %behind = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero, %first = %c0) -> (!sum, index) {
      // CHECK-NEXT: sm.wait %[[FULL]][%[[FIRST]]]
      sm.consumer_wait %staged[%first] parity %even : <5>
      // CHECK-NEXT: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1
      %second = arith.addi %first, %c1 : index
      // CHECK-NEXT: sm.wait %[[FULL]][%[[SECOND]]]
      sm.consumer_wait %staged[%second] parity %even : <5>
      // Both are one group of instructions.
      // CHECK-NEXT: sm.mma_fence
      // CHECK-NEXT: %[[ONE:.*]] = sm.mma %{{.*}}[%c0], %{{.*}}[%[[FIRST]]], %[[SUM]] :
      // CHECK-NEXT: %[[TWO:.*]] = sm.mma %{{.*}}[%c1], %{{.*}}[%[[SECOND]]], %[[ONE]] :
      // CHECK-NEXT: sm.mma_commit
      %one = sm.mma %a[%c0], %b[%first], %sum : !a, !b, !sum
      %two = sm.mma %a[%c1], %b[%second], %one : !a, !b, !sum
      // One wait serves both releases. The first step has none before it.
      // CHECK-NEXT: sm.mma_wait 1
      // CHECK-NOT: sm.mma_wait
      // CHECK: %[[EARLIER:.*]] = arith.cmpi sgt, %[[STEP]], %c0
      // CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %[[FIRST]], %c2
      // CHECK: %[[FORTH:.*]] = arith.addi %[[FIRST]], %c3
      // CHECK: %[[BACK:.*]] = arith.addi %[[FIRST]], %c-2
      // CHECK: %[[STAGE:.*]] = arith.select %[[WRAPS]], %[[FORTH]], %[[BACK]]
      // CHECK: scf.if %[[EARLIER]]
      // CHECK-NEXT: sm.arrive %[[EMPTY]][%[[STAGE]]]
      sm.consumer_release %staged[%first] after_products : <5>
      // CHECK: %[[WRAPS2:.*]] = arith.cmpi slt, %[[SECOND]], %c2
      // CHECK: %[[STAGE2:.*]] = arith.select %[[WRAPS2]], %{{.*}}, %{{.*}}
      // CHECK: scf.if
      // CHECK-NEXT: sm.arrive %[[EMPTY]][%[[STAGE2]]]
      sm.consumer_release %staged[%second] after_products : <5>
      %next = arith.addi %second, %c1 : index
      // CHECK: scf.yield %[[TWO]]
      scf.yield %two, %next : !sum, index
    }
    // Behind the loop nothing is in flight, and both stages of the last step are released, if there was one: those one and two behind
    // the stage that would have been next.
    // CHECK: }
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NOT: sm.mma_wait
    // CHECK-DAG: %[[LESS_THAN_TWO:.*]] = arith.cmpi slt, %[[SUMS]]#1, %c2
    // CHECK-DAG: %[[BEFORE_TWO:.*]] = arith.select %[[LESS_THAN_TWO]], %{{.*}}, %{{.*}}
    // CHECK: scf.if
    // CHECK-NEXT: sm.arrive %[[EMPTY]][%[[BEFORE_TWO]]]
    // CHECK-DAG: %[[NONE:.*]] = arith.cmpi eq, %[[SUMS]]#1, %c0
    // CHECK-DAG: %[[BEFORE_ONE:.*]] = arith.select %[[NONE]], %c4, %{{.*}}
    // CHECK: scf.if
    // CHECK-NEXT: sm.arrive %[[EMPTY]][%[[BEFORE_ONE]]]
    // CHECK-NOT: sm.arrive
    // CHECK: %[[SETTLED:.*]] = sm.settle %[[SUMS]]#0
    // CHECK: sm.write %[[SETTLED]]
    sm.write %total to %c[%c0] : !sum to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <5>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : !w to !b
      sm.producer_commit %staged[%c0] : <5>
    }
  }
}

// Sums that are read in every step: products are waited for at once. Those that others have gone on adding to are theirs, and only
// what is read behind the group settles.
// CHECK-LABEL: sm.kernel @read_in_every_step(
sm.kernel @read_in_every_step(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : !a
  %b = sm.allocate : !b
  %d = sm.allocate : !b
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  // CHECK: %[[EMPTY:.*]] = sm.barriers arrivals 8 : <5>
  %staged = sm.staged_pipe : <5>
  sm.partition @multiply warpgroups 2 registers 224 {
    %zero = sm.zero : !sum
    // CHECK: scf.for {{.*}} iter_args(%[[STAGE:.*]] = %c0)
    %behind = scf.for %step = %c0 to %rows step %c1 iter_args(%first = %c0) -> (index) {
      // CHECK: %[[SECOND:.*]] = arith.addi %[[STAGE]], %c1
      %second = arith.addi %first, %c1 : index
      sm.consumer_wait %staged[%first] parity %even : <5>
      sm.consumer_wait %staged[%second] parity %even : <5>
      // CHECK: sm.mma_fence
      // CHECK-NEXT: %[[GATE:.*]] = sm.mma {{.*}} overwrite :
      // CHECK-NEXT: %[[UP:.*]] = sm.mma {{.*}} overwrite :
      // CHECK-NEXT: %[[GATE2:.*]] = sm.mma {{.*}}, %[[GATE]] :
      // CHECK-NEXT: %[[UP2:.*]] = sm.mma {{.*}}, %[[UP]] :
      // CHECK-NEXT: sm.mma_commit
      // CHECK-NEXT: sm.mma_wait 0
      %gate = sm.mma %a[%c0], %b[%first], %zero overwrite : !a, !b, !sum
      %up = sm.mma %a[%c0], %d[%first], %zero overwrite : !a, !b, !sum
      %gate2 = sm.mma %a[%c1], %b[%second], %gate : !a, !b, !sum
      %up2 = sm.mma %a[%c1], %d[%second], %up : !a, !b, !sum
      // CHECK-NOT: sm.mma_wait
      // CHECK-NOT: sm.settle %[[GATE]] :
      // CHECK-NOT: sm.settle %[[UP]] :
      // CHECK: sm.arrive %[[EMPTY]][%[[SECOND]]]
      // CHECK-DAG: %[[SETTLED:.*]] = sm.settle %[[GATE2]]
      // CHECK-DAG: %[[SETTLED2:.*]] = sm.settle %[[UP2]]
      // CHECK: sm.arrive %[[EMPTY]][%[[STAGE]]]
      sm.consumer_release %staged[%second] after_products : <5>
      sm.consumer_release %staged[%first] after_products : <5>
      // CHECK: sm.write %[[SETTLED]]
      // CHECK-NEXT: sm.write %[[SETTLED2]]
      sm.write %gate2 to %c[%c0] : !sum to <2 x 64 x 64 x bf16, swizzle 128>
      sm.write %up2 to %c[%c1] : !sum to <2 x 64 x 64 x bf16, swizzle 128>
      %next = arith.addi %second, %c1 : index
      scf.yield %next : index
    }
    // CHECK: }
    // CHECK-NOT: sm.arrive
    // CHECK: sm.partition @load
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <5>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : !w to !b
      sm.producer_commit %staged[%c0] : <5>
    }
  }
}

// Products of rows in registers are a group together with those beside them, also where a branch chooses how deep they are. In a
// warpgroup that passes over some of them their group is empty.
// CHECK-LABEL: sm.kernel @registers(
sm.kernel @registers(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : !a
  %b = sm.allocate : !b
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <5>
  sm.partition @multiply warpgroups 2 registers 224 {
    %short = arith.cmpi eq, %rows, %offset : index
    %mine = arith.cmpi ne, %rows, %c0 : index
    %zero = sm.zero : !sum
    %fragment = sm.fragment %zero : <128 x 64> to <128 x 64>
    sm.consumer_wait %staged[%c0] parity %even : <5>
    // CHECK: %[[CHOSEN:.*]] = scf.if
    // CHECK-NEXT: sm.mma_fence
    // CHECK-NEXT: %[[ONE:.*]] = sm.mma_fragment {{.*}} depth 16 :
    // CHECK-NEXT: %[[TWO:.*]] = sm.mma {{.*}}, %[[ONE]] depth 16 :
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: scf.yield %[[TWO]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: sm.mma_fence
    // CHECK-NEXT: %[[ONE:.*]] = sm.mma_fragment
    // CHECK-NEXT: %[[TWO:.*]] = sm.mma {{.*}}, %[[ONE]] :
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: scf.yield %[[TWO]]
    %chosen = scf.if %short -> (!sum) {
      %one = sm.mma_fragment %fragment, %b[%c0], %zero depth 16 : <128 x 64>, !b, !sum
      %two = sm.mma %a[%c0], %b[%c1], %one depth 16 : !a, !b, !sum
      scf.yield %two : !sum
    } else {
      %one = sm.mma_fragment %fragment, %b[%c0], %zero : <128 x 64>, !b, !sum
      %two = sm.mma %a[%c0], %b[%c1], %one : !a, !b, !sum
      scf.yield %two : !sum
    }
    // CHECK: %[[SOME:.*]] = scf.if
    // CHECK-NEXT: sm.mma_fence
    // CHECK-NEXT: %[[MORE:.*]] = sm.mma_fragment {{.*}}, %[[CHOSEN]] :
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: scf.yield %[[MORE]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: sm.mma_fence
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: scf.yield %[[CHOSEN]]
    // CHECK-NEXT: }
    %some = scf.if %mine -> (!sum) {
      %more = sm.mma_fragment %fragment, %b[%c1], %chosen : <128 x 64>, !b, !sum
      scf.yield %more : !sum
    } else {
      scf.yield %chosen : !sum
    }
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NEXT: sm.arrive
    // CHECK-NOT: sm.settle %[[CHOSEN]]
    // CHECK: %[[SETTLED:.*]] = sm.settle %[[SOME]]
    // CHECK: sm.write %[[SETTLED]]
    sm.consumer_release %staged[%c0] after_products : <5>
    sm.write %some to %c[%c0] : !sum to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <5>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : !w to !b
      sm.producer_commit %staged[%c0] : <5>
    }
  }
}
