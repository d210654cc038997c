// Parts of the partition have tiles of their own, and pass over the blocks of others' tiles.
// RUN: alg-opt %s -sm-ping-pong -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, ping_pong = 2>

// CHECK-LABEL: sm.kernel @steps
sm.kernel @steps(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // Twice the warpgroups, with the registers that are left to each.
  // CHECK: sm.partition @multiply warpgroups 2 registers 224 turns 2 {
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: %[[MINE:.*]] = sm.warpgroup
    // CHECK: %[[SUM:.*]] = arith.addi %[[MINE]], %c1
    // CHECK: %[[NEXT:.*]] = arith.remui %[[SUM]], %c2
    // CHECK: scf.for %[[TILE:.*]] = %c0 to %rows step %offset {
    scf.for %tile = %c0 to %rows step %offset {
      // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[TILE]], %rows
      // CHECK: %[[ORDINAL:.*]] = arith.divui %[[TILE]], %offset
      // CHECK: %[[TURN:.*]] = arith.remui %[[ORDINAL]], %c2
      // CHECK: %[[ROUND:.*]] = arith.divui %[[ORDINAL]], %c2
      // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[MINE]], %c0
      // CHECK: %[[ONE:.*]] = arith.select %[[FIRST]], %c1, %c0
      // CHECK: %[[BEFORE:.*]] = arith.addi %[[ROUND]], %[[ONE]]
      // CHECK: %[[ODD:.*]] = arith.remui %[[BEFORE]], %c2
      // CHECK: %[[PARITY:.*]] = arith.index_cast %[[ODD]] : index to i32
      // CHECK: %[[OURS:.*]] = arith.cmpi eq, %[[TURN]], %[[MINE]]
      // CHECK: scf.if %[[OURS]] {
      %exists = arith.cmpi slt, %tile, %rows : index
      // CHECK-NEXT: scf.if %[[EXISTS]] {
      scf.if %exists {
        // CHECK: sm.await_turn %[[MINE]] parity %[[PARITY]]
        // CHECK-NEXT: %[[TOTAL:.*]] = scf.for
        // CHECK: sm.consume
        // CHECK: }
        // CHECK-NEXT: sm.pass_turn to %[[NEXT]]
        // CHECK-NEXT: sm.store_sums %[[TOTAL]]
        // A tile without rows is a turn, too.
        // CHECK: } else {
        // CHECK-NEXT: sm.await_turn %[[MINE]] parity %[[PARITY]]
        // CHECK-NEXT: sm.pass_turn to %[[NEXT]] unread
        %zero = sm.zero : <64 x 64>
        %total = scf.for %step = %c0 to %offset step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 64>) {
          %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
          %next = sm.multiply %a, %b, %sum : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
          scf.yield %next : !sm.accumulator<64 x 64>
        }
        sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %tile] : <64 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
      }
      // CHECK: } else {
      // CHECK-NEXT: scf.if %[[EXISTS]] {
      // CHECK-NEXT: sm.skip %{{.*}}, %offset
      // CHECK-NEXT: }
      // CHECK-NOT: sm.store_sums
    }
  }
  // CHECK: sm.partition @load warpgroups 1 registers 56
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %tile = %c0 to %rows step %offset {
        %a = sm.fetch %x[%c1] [%c0, %c0, %c0, %tile] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        %b = sm.fetch %w[%c0] [%c0, %c0, %tile, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        sm.produce %pipe, %a, %b : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
      }
    }
  }
}

// A tile of one step leaves one block.
// CHECK-LABEL: sm.kernel @one_step
sm.kernel @one_step(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 1 registers 240 {
    scf.for %tile = %c0 to %rows step %offset {
      %exists = arith.cmpi slt, %tile, %rows : index
      scf.if %exists {
        %zero = sm.zero : <64 x 64>
        // CHECK: sm.await_turn
        // CHECK-NEXT: sm.consume
        // CHECK-NEXT: %[[SUM:.*]] = sm.multiply
        // CHECK-NEXT: sm.pass_turn
        // CHECK-NEXT: sm.store_sums %[[SUM]]
        %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
        %sum = sm.multiply %a, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
        sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %tile] : <64 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
        // CHECK: sm.skip %{{.*}}, %c1
      }
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %tile = %c0 to %rows step %offset {
        %a = sm.fetch %x[%c1] [%c0, %c0, %c0, %tile] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        %b = sm.fetch %w[%c0] [%c0, %c0, %tile, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        sm.produce %pipe, %a, %b : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
      }
    }
  }
}
