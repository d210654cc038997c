// What a cluster changes in the passes behind the tile program: loads keep their parts, slots are released for all who
// share them, and nobody leaves before the others.
// RUN: alg-opt %s -sm-multi-buffer -canonicalize | FileCheck %s --check-prefix=STAGES
// RUN: alg-opt %s -sm-multi-buffer -sm-insert-barriers -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#square = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4, cluster = 2 x 2>
#column = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4, cluster = 4 x 1>

// CHECK-LABEL: sm.kernel @square
sm.kernel @square(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #square} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // Eight warps of each of three blocks: of the own one, of the other in its row and of the other in its column.
  // CHECK: %[[FULL:.*]] = sm.barriers arrivals 1 : <4>
  // CHECK: %[[EMPTY:.*]] = sm.barriers arrivals 24 : <4>
  // CHECK: sm.initialize %[[FULL]], %[[EMPTY]] cluster
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: %[[RANK:.*]] = sm.cluster_rank
    // CHECK: %[[A:.*]] = arith.divui %[[RANK]], %c2
    // CHECK: %[[B:.*]] = arith.remui %[[RANK]], %c2
    // CHECK: %[[TWICE:.*]] = arith.muli %[[A]], %c2
    // CHECK: %[[ROW:.*]] = arith.shli %c3, %[[TWICE]]
    // CHECK: %[[COLUMN:.*]] = arith.shli %c5, %[[B]]
    // CHECK: %[[PEERS:.*]] = arith.ori %[[ROW]], %[[COLUMN]]
    %zero = sm.zero : <128 x 64>
    %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
      // CHECK: sm.wait %[[FULL]]
      // CHECK: sm.arrive %[[EMPTY]][%{{.*}}] at %[[PEERS]]
      %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
      %next = sm.multiply %a, %b, %sum : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
      scf.yield %next : !sm.accumulator<128 x 64>
    }
    // CHECK: sm.arrive %[[EMPTY]][%{{.*}}] at %[[PEERS]]
    // CHECK: sm.store_sums
    sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
    // CHECK-NEXT: sm.cluster_sync
    // CHECK-NEXT: }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %rank = sm.cluster_rank
      scf.for %step = %c0 to %rows step %c1 {
        // STAGES: sm.producer_acquire
        // STAGES-NEXT: sm.load %x{{.*}} part %[[PART:.*]] of 2 multicast %[[MASK:.*]] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>
        // STAGES-NEXT: sm.load %w{{.*}} part %[[PART]] of 2 multicast %[[MASK]] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
        // STAGES-NEXT: sm.producer_commit
        // The bytes of whole slots, whoever sends them: 128 x 64 and 64 x 64 of two bytes.
        // CHECK: sm.expect %[[FULL]][%{{.*}}] bytes 24576
        // CHECK-NEXT: sm.load %x{{.*}} part %{{.*}} of 2 multicast %{{.*}} signal %[[FULL]]
        // CHECK-NEXT: sm.load %w{{.*}} part %{{.*}} of 2 multicast %{{.*}} signal %[[FULL]]
        %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] part %rank of 2 multicast %offset : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
        %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] part %rank of 2 multicast %offset : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        sm.produce %pipe, %a, %b : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
      }
    }
    // CHECK: sm.cluster_sync
  }
}

// All four blocks of a column share the weight matrix: every block hears of all, and the mask is known.
// CHECK-LABEL: sm.kernel @column
sm.kernel @column(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 16 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #column} {
  %c0 = arith.constant 0 : index
  // CHECK: sm.barriers arrivals 1 : <4>
  // CHECK: sm.barriers arrivals 32 : <4>
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    %zero = sm.zero : <128 x 64>
    // CHECK: sm.arrive %{{.*}}[%c0] at %c15
    %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    %next = sm.multiply %a, %b, %zero : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.store_sums %next to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
    %c15 = arith.constant 15 : index
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] part %c0 of 4 multicast %c15 : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}
