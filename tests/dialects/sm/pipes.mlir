// Partitions and the pipes between them, as values and in stages.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>

!block = !sm.block<64 x 64 x bf16, swizzle 128>

// CHECK-LABEL: sm.kernel @values
sm.kernel @values(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  // CHECK: %[[OPERANDS:.*]] = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  %operands = sm.pipe : <!block, !block>
  // CHECK: %[[RESULTS:.*]] = sm.pipe stages 2 : <!sm.block<64 x 64 x bf16, swizzle 128>>
  %results = sm.pipe stages 2 : <!block>
  // CHECK: sm.partition @compute warpgroups 1 registers 160 {
  sm.partition @compute warpgroups 1 registers 160 {
    %zero = sm.zero : <64 x 64>
    %a, %b = sm.consume %operands : <!block, !block> -> !block, !block
    // CHECK: %[[SUM:.*]] = sm.multiply
    %sum = sm.multiply %a, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
    // CHECK: %[[ROUNDED:.*]] = sm.round %[[SUM]] : <64 x 64> to <64 x 64 x bf16, swizzle 128>
    %rounded = sm.round %sum : <64 x 64> to <64 x 64 x bf16, swizzle 128>
    // CHECK: sm.produce %[[RESULTS]], %[[ROUNDED]]
    sm.produce %results, %rounded : <!block>, !block
  }
  // CHECK: sm.partition @store warpgroups 1 registers 40 {
  sm.partition @store warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: %[[RESULT:.*]] = sm.consume %[[RESULTS]]
      %result = sm.consume %results : <!block> -> !block
      // CHECK: sm.store_block %[[RESULT]] to %y[%c0] [%c0, %c0, %c0, %rows] : <64 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
      sm.store_block %result to %y[%i] [%i, %i, %i, %rows] : <64 x 64 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %a = sm.fetch %x[%i] [%i, %i, %i, %i] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      %b = sm.fetch %w[%i] [%i, %i, %i, %i] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %operands, %a, %b : <!block, !block>, !block, !block
    }
  }
}

// CHECK-LABEL: sm.kernel @stages
sm.kernel @stages(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %parity = arith.constant 1 : i32
  // CHECK: %[[PIPE:.*]] = sm.staged_pipe : <3>
  %pipe = sm.staged_pipe : <3>
  // CHECK: sm.partition @turns warpgroups 2 registers 160 turns 2 {
  sm.partition @turns warpgroups 2 registers 160 turns 2 {
    // CHECK: sm.consumer_wait %[[PIPE]][%c0] parity %c1_i32 : <3>
    sm.consumer_wait %pipe[%i] parity %parity : <3>
    // CHECK: sm.consumer_release %[[PIPE]][%c0] after_products : <3>
    sm.consumer_release %pipe[%i] after_products : <3>
  }
  // Every consumer gets all that passes.
  sm.partition @other warpgroups 1 registers 40 {
    sm.consumer_wait %pipe[%i] parity %parity : <3>
    // CHECK: sm.consumer_release %[[PIPE]][%c0] : <3>
    sm.consumer_release %pipe[%i] : <3>
  }
  sm.partition @load warpgroups 1 registers 40 {
    // CHECK: sm.producer_acquire %[[PIPE]][%c0] parity %c1_i32 : <3>
    sm.producer_acquire %pipe[%i] parity %parity : <3>
    // CHECK: sm.producer_commit %[[PIPE]][%c0] : <3>
    sm.producer_commit %pipe[%i] : <3>
  }
}
