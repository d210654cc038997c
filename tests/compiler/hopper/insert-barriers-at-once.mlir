// Without a loop, a stage is released when all products since the last wait are done, and their sums settle there.
// RUN: alg-opt %s -sm-insert-barriers -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
!x = !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>

// A product that adds to the sums of another takes them as they are: they settle behind it.
// CHECK-LABEL: sm.kernel @one_adds_to_another
sm.kernel @one_adds_to_another(%x: !x, %w: !w, %y: !w, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: %[[ZERO:.*]] = sm.zero
    // CHECK: sm.mma_fence
    // CHECK-NEXT: %[[FIRST:.*]] = sm.mma {{.*}}, %[[ZERO]] :
    // CHECK-NEXT: %[[SECOND:.*]] = sm.mma {{.*}}, %[[FIRST]] :
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NEXT: sm.arrive %{{.*}}[%c0]
    // CHECK: %[[SETTLED:.*]] = sm.settle %[[SECOND]]
    // CHECK: sm.write %[[SETTLED]]
    %zero = sm.zero : <128 x 64>
    sm.consumer_wait %staged[%c0] parity %even : <4>
    %first = sm.mma %a[%c0], %b[%c0], %zero : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
    %second = sm.mma %a[%c0], %b[%c0], %first : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.consumer_release %staged[%c0] after_products : <4>
    sm.write %second to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// The sums of a product in front of a branch settle with those that the branch chooses; what the branch adds to is not settled.
// CHECK-LABEL: sm.kernel @branch_behind_a_product
sm.kernel @branch_behind_a_product(%x: !x, %w: !w, %y: !w, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: %[[ZERO:.*]] = sm.zero
    // CHECK: %[[FIRST:.*]] = sm.mma {{.*}}, %[[ZERO]] :
    // CHECK: %[[CHOSEN:.*]] = scf.if
    // CHECK: sm.mma {{.*}}, %[[FIRST]] negate :
    // CHECK: } else {
    // CHECK: scf.yield %[[ZERO]]
    // CHECK: }
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NEXT: sm.arrive %{{.*}}[%c0]
    // CHECK-DAG: %[[SETTLED_FIRST:.*]] = sm.settle %[[FIRST]]
    // CHECK-DAG: %[[SETTLED:.*]] = sm.settle %[[CHOSEN]]
    // CHECK: sm.write %[[SETTLED_FIRST]]
    // CHECK-NEXT: sm.write %[[SETTLED]]
    %minus = arith.cmpi slt, %rows, %offset : index
    %zero = sm.zero : <128 x 64>
    sm.consumer_wait %staged[%c0] parity %even : <4>
    %first = sm.mma %a[%c0], %b[%c0], %zero : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
    %chosen = scf.if %minus -> (!sm.accumulator<128 x 64>) {
      %less = sm.mma %a[%c0], %b[%c0], %first negate : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      scf.yield %less : !sm.accumulator<128 x 64>
    } else {
      scf.yield %zero : !sm.accumulator<128 x 64>
    }
    sm.consumer_release %staged[%c0] after_products : <4>
    sm.write %first to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
    sm.write %chosen to %c[%c1] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}

// Products with something between them wait together; a second pipe, released right behind the first, waits for nothing more.
// CHECK-LABEL: sm.kernel @apart
sm.kernel @apart(%x: !x, %w: !w, %y: !w, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  // CHECK: %[[EMPTY_A:.*]] = sm.barriers arrivals 8 : <4>
  %as = sm.staged_pipe : <4>
  // CHECK: %[[EMPTY_B:.*]] = sm.barriers arrivals 8 : <4>
  %bs = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: %[[FIRST:.*]] = sm.mma
    // CHECK: sm.wait
    // CHECK: %[[SECOND:.*]] = sm.mma
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NEXT: sm.arrive %[[EMPTY_A]][%c0]
    // CHECK-DAG: %[[SETTLED_FIRST:.*]] = sm.settle %[[FIRST]]
    // CHECK-DAG: %[[SETTLED_SECOND:.*]] = sm.settle %[[SECOND]]
    // CHECK-NOT: sm.mma_wait
    // CHECK: sm.arrive %[[EMPTY_B]][%c0]
    // CHECK-NEXT: sm.write %[[SETTLED_FIRST]]
    // CHECK-NEXT: sm.write %[[SETTLED_SECOND]]
    %zero = sm.zero : <128 x 64>
    sm.consumer_wait %as[%c0] parity %even : <4>
    %first = sm.mma %a[%c0], %b[%c0], %zero : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.consumer_wait %bs[%c0] parity %even : <4>
    %second = sm.mma %a[%c0], %b[%c0], %zero : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.consumer_release %as[%c0] after_products : <4>
    sm.consumer_release %bs[%c0] after_products : <4>
    sm.write %first to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
    sm.write %second to %c[%c1] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %as[%c0] parity %even : <4>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>
      sm.producer_commit %as[%c0] : <4>
      sm.producer_acquire %bs[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %bs[%c0] : <4>
    }
  }
}

// In a loop that stores one of its sums in every step, the products of a step are done before the next begins. The sums
// that the loop carries go on settled.
// CHECK-LABEL: sm.kernel @stored_in_every_step
sm.kernel @stored_in_every_step(%x: !x, %w: !w, %y: !w, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: scf.for {{.*}} iter_args(%[[SO_FAR:.*]] = %{{.*}}, %[[STAGE:.*]] = %c0)
    // CHECK: %[[ONE:.*]] = sm.mma
    // CHECK-NEXT: %[[BOTH:.*]] = sm.mma {{.*}}, %[[SO_FAR]] :
    // CHECK-NEXT: sm.mma_commit
    // CHECK-NEXT: sm.mma_wait 0
    // CHECK-NEXT: sm.arrive %{{.*}}[%[[STAGE]]]
    // CHECK-DAG: %[[SETTLED:.*]] = sm.settle %[[ONE]]
    // CHECK-DAG: %[[CARRIED:.*]] = sm.settle %[[BOTH]]
    // CHECK: sm.write %[[SETTLED]]
    // CHECK: scf.yield %[[CARRIED]]
    // CHECK-NEXT: }
    // CHECK-NOT: sm.mma_wait
    // CHECK: sm.write
    %zero = sm.zero : <128 x 64>
    %sums:2 = scf.for %step = %c0 to %rows step %c1 iter_args(%so_far = %zero, %stage = %c0) -> (!sm.accumulator<128 x 64>, index) {
      sm.consumer_wait %staged[%stage] parity %even : <4>
      %one = sm.mma %a[%stage], %b[%stage], %zero : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      %both = sm.mma %a[%stage], %b[%stage], %so_far : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
      sm.consumer_release %staged[%stage] after_products : <4>
      sm.write %one to %c[%c0] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
      %next = arith.addi %stage, %c1 : index
      scf.yield %both, %next : !sm.accumulator<128 x 64>, index
    }
    sm.write %sums#0 to %c[%c1] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
    }
  }
}
