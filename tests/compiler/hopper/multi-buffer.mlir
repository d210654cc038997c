// The pipe gets stages. Both partitions carry the next stage and a parity through loops and branches.
// RUN: alg-opt %s -sm-multi-buffer -canonicalize | FileCheck %s
// RUN: alg-opt %s -sm-multi-buffer=stages=7 | FileCheck %s --check-prefix=SEVEN

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>

// SEVEN: sm.staged_pipe : <7>

// CHECK-LABEL: sm.kernel @stages
sm.kernel @stages(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[A:.*]] = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  // CHECK-DAG: %[[B:.*]] = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  // CHECK-DAG: %[[STAGED:.*]] = sm.staged_pipe : <4>
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // CHECK: sm.partition @multiply
  sm.partition @multiply warpgroups 2 registers 232 {
    // The first wait is for the first phase.
    // CHECK: scf.for {{.*}} iter_args(%[[SLOT0:.*]] = %c0, %[[PARITY0:.*]] = %c0_i32) -> (index, i32) {
    scf.for %tile = %c0 to %rows step %c1 {
      %exists = arith.cmpi slt, %tile, %offset : index
      // CHECK: %[[TILE_END:.*]]:2 = scf.if %{{.*}} -> (index, i32) {
      scf.if %exists {
        %zero = sm.zero : <128 x 64>
        // CHECK: %[[STEPS:.*]]:3 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[SLOT:.*]] = %[[SLOT0]], %[[PARITY:.*]] = %[[PARITY0]])
        %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
          // CHECK-NEXT: sm.consumer_wait %[[STAGED]][%[[SLOT]]] parity %[[PARITY]]
          // CHECK-NEXT: %[[NEXT:.*]] = sm.mma %[[A]][%[[SLOT]]], %[[B]][%[[SLOT]]], %[[SUM]]
          // CHECK-NEXT: sm.consumer_release %[[STAGED]][%[[SLOT]]] after_products
          // CHECK-NEXT: %[[ONE_MORE:.*]] = arith.addi %[[SLOT]], %c1
          // CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[ONE_MORE]], %c4
          // CHECK-NEXT: %[[FLIP:.*]] = arith.extui %[[WRAPS]]
          // CHECK-NEXT: %[[NEXT_SLOT:.*]] = arith.select %[[WRAPS]], %c0, %[[ONE_MORE]]
          // CHECK-NEXT: %[[NEXT_PARITY:.*]] = arith.xori %[[PARITY]], %[[FLIP]]
          // CHECK-NEXT: scf.yield %[[NEXT]], %[[NEXT_SLOT]], %[[NEXT_PARITY]]
          %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
          %next = sm.multiply %a, %b, %sum : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
          scf.yield %next : !sm.accumulator<128 x 64>
        }
        // CHECK: sm.store_sums %[[STEPS]]#0
        sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %tile] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
        // CHECK: scf.yield %[[STEPS]]#1, %[[STEPS]]#2
        // A tile that does not exist moves nothing.
        // CHECK: } else {
        // CHECK-NEXT: scf.yield %[[SLOT0]], %[[PARITY0]]
      }
      // CHECK: scf.yield %[[TILE_END]]#0, %[[TILE_END]]#1
    }
  }
  // CHECK: sm.partition @load
  sm.partition @load warpgroups 1 registers 40 {
    // CHECK-NEXT: sm.elect
    sm.elect {
      // The first wait is for the phase before the first.
      // CHECK-NEXT: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0, %[[PARITY:.*]] = %c1_i32) -> (index, i32) {
      scf.for %step = %c0 to %rows step %c1 {
        // CHECK-NEXT: sm.producer_acquire %[[STAGED]][%[[SLOT]]] parity %[[PARITY]]
        // CHECK-NEXT: sm.load %x[%c1] [%c0, %c0, %c0, %{{.*}}] to %[[A]][%[[SLOT]]] : <2 x
        // CHECK-NEXT: sm.load %w[%c0] [%c0, %c0, %{{.*}}, %c0] to %[[B]][%[[SLOT]]] : <1 x
        // CHECK-NEXT: sm.producer_commit %[[STAGED]][%[[SLOT]]]
        %a = sm.fetch %x[%c1] [%c0, %c0, %c0, %step] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
        %b = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        sm.produce %pipe, %a, %b : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
      }
    }
  }
}

// The sign of a product is part of the instruction.
// CHECK-LABEL: sm.kernel @signs
sm.kernel @signs(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    %minus = arith.cmpi slt, %rows, %offset : index
    %zero = sm.zero : <128 x 64>
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    // CHECK: %[[SUM:.*]] = scf.if %{{.*}} -> (!sm.accumulator<128 x 64>) {
    // CHECK-NEXT: %[[LESS:.*]] = sm.mma {{.*}} negate :
    // CHECK-NEXT: scf.yield %[[LESS]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: %[[MORE:.*]] = sm.mma {{.*}}, %{{[0-9]+}} :
    // CHECK-NEXT: scf.yield %[[MORE]]
    // CHECK: sm.consumer_release
    // CHECK: sm.store_sums %[[SUM]]
    %sum = sm.multiply %a, %b, %zero negate %minus : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}

// So is the depth. A block that is shallow where it is the last has up to four products.
// CHECK-LABEL: sm.kernel @depths
sm.kernel @depths(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    %minus = arith.cmpi slt, %rows, %offset : index
    %last = arith.cmpi eq, %rows, %offset : index
    %zero = sm.zero : <128 x 64>
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    // CHECK: %[[MINUS:.*]] = arith.cmpi slt
    // CHECK: %[[LAST:.*]] = arith.cmpi eq
    // CHECK: scf.if %[[LAST]] -> (!sm.accumulator<128 x 64>) {
    // CHECK-NEXT: %{{.*}} = scf.if %[[MINUS]] -> (!sm.accumulator<128 x 64>) {
    // CHECK-NEXT: %{{.*}} = sm.mma {{.*}} negate depth 32 :
    // CHECK: } else {
    // CHECK-NEXT: %{{.*}} = sm.mma {{.*}}, %{{[0-9]+}} depth 32 :
    // CHECK: } else {
    // CHECK-NEXT: %{{.*}} = scf.if %[[MINUS]] -> (!sm.accumulator<128 x 64>) {
    // CHECK-NEXT: %{{.*}} = sm.mma {{.*}} negate :
    // CHECK: } else {
    // CHECK-NEXT: %{{.*}} = sm.mma {{.*}}, %{{[0-9]+}} :
    // CHECK: sm.consumer_release
    %sum = sm.multiply %a, %b, %zero negate %minus shallow %last to 32 : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}
