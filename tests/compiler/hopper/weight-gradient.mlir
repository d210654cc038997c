// dW through the target's passes one by one: tiles that all exist take turns; threads add through a plain map, and what
// is not added leaves through shared memory.
// RUN: alg-opt %s -sm-ping-pong -canonicalize -cse | FileCheck %s --check-prefix=TURNS
// RUN: alg-opt %s -sm-ping-pong -canonicalize -cse -sm-lower-epilogue | FileCheck %s --check-prefix=EPILOGUE

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, ping_pong = 2>

// TURNS-LABEL: sm.kernel @dw
// EPILOGUE-LABEL: sm.kernel @dw
// EPILOGUE-SAME: %[[DW:dw]]: !sm.maps<1 x 64 x 64 x f32, row_dimension 2, swizzle 128>
// EPILOGUE-SAME: %[[BETA:beta]]: f32, %[[PLAIN:dw_plain]]: !sm.maps<1 x 64 x 64 x f32, row_dimension 2, vector 4>
sm.kernel @dw(%x: !sm.maps<3 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
              %dy: !sm.maps<3 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
              %dw: !sm.maps<1 x 64 x 64 x f32, row_dimension 2, swizzle 128>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32, %dw_plain: !sm.maps<1 x 64 x 64 x f32, row_dimension 2, vector 4>) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  %zero_beta = arith.constant 0.0 : f32
  // Each of two parts has a slot of its own.
  // EPILOGUE: %[[SLOTS:.*]] = sm.allocate : <2 x 64 x 64 x f32, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    // No condition is around a tile: what it does from its steps on is the branch of one part.
    // TURNS: scf.for %[[TILE:.*]] = %c0 to %rows step %c1 {
    scf.for %tile = %c0 to %rows step %c1 {
      // TURNS: %[[ROW:.*]] = arith.muli %[[TILE]], %c64
      %c64 = arith.constant 64 : index
      %row = arith.muli %tile, %c64 : index
      %zero = sm.zero : <64 x 64>
      // TURNS: scf.if %{{.*}} {
      // TURNS-NEXT: sm.await_turn
      // TURNS-NEXT: %[[TOTAL:.*]] = scf.for
      // TURNS: sm.consume
      // TURNS: sm.pass_turn
      // TURNS-NEXT: arith.cmpf une, %beta
      // TURNS-NEXT: scf.if
      // TURNS-NEXT: sm.store_sums %[[TOTAL]] to %dw_plain
      // TURNS-NEXT: } else {
      // TURNS-NEXT: sm.store_sums %[[TOTAL]] to %dw[
      // TURNS: } else {
      // TURNS-NEXT: sm.skip %{{.*}}, %offset
      // TURNS-NOT: sm.store_sums
      // TURNS: sm.partition @load
      // EPILOGUE: %[[ADDS:.*]] = arith.cmpf une, %[[BETA]]
      // EPILOGUE-NEXT: scf.if %[[ADDS]] {
      // EPILOGUE-NEXT: sm.store_sums %[[TOTAL:.*]] to %[[PLAIN]][%c0] {{.*}} plus %[[BETA]]
      // EPILOGUE-NEXT: } else {
      // EPILOGUE-NEXT: %[[WARPGROUP:.*]] = sm.warpgroup
      // The previous store has read the stage.
      // EPILOGUE-NEXT: sm.elect {
      // EPILOGUE-NEXT: sm.store_wait 0
      // EPILOGUE-NEXT: }
      // EPILOGUE-NEXT: sm.sync
      // EPILOGUE-NEXT: sm.write %[[TOTAL]] to %[[SLOTS]][%[[WARPGROUP]]]
      // EPILOGUE-NEXT: sm.fence
      // EPILOGUE-NEXT: sm.sync
      // EPILOGUE-NEXT: sm.elect {
      // EPILOGUE: sm.store %[[SLOTS]][%[[WARPGROUP]]] to %[[DW]][%c0] [%c0, %c0, %{{.*}}, %c0]
      // EPILOGUE-NEXT: sm.store_commit
      %total = scf.for %step = %c0 to %offset step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 64>) {
        %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
        %next = sm.multiply %a transposed, %b, %sum : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
        scf.yield %next : !sm.accumulator<64 x 64>
      }
      %adds = arith.cmpf une, %beta, %zero_beta : f32
      scf.if %adds {
        sm.store_sums %total to %dw_plain[%c0] [%c0, %c0, %row, %c0] plus %beta : <64 x 64> to <1 x 64 x 64 x f32, row_dimension 2, vector 4>
      } else {
        sm.store_sums %total to %dw[%c0] [%c0, %c0, %row, %c0] : <64 x 64> to <1 x 64 x 64 x f32, row_dimension 2, swizzle 128>
      }
    }
    // The block's shared memory outlives the last store's reading of it.
    // EPILOGUE: sm.elect {
    // EPILOGUE-NEXT: sm.store_wait 0
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %tile = %c0 to %rows step %c1 {
        scf.for %step = %c0 to %offset step %c1 {
          %a = sm.fetch %x[%c1] [%c0, %c0, %c0, %step] : <3 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
          %b = sm.fetch %dy[%c1] [%c0, %c0, %c0, %step] : <3 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
          sm.produce %pipe, %a, %b : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
        }
      }
    }
  }
}

// Warpgroups divide the features, which are rows of a weight matrix: the third coordinate. The plain map stays that of the
// whole tile.
// EPILOGUE-LABEL: sm.kernel @tall
// EPILOGUE-SAME: %dw: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
// EPILOGUE-SAME: %dw_plain: !sm.maps<1 x 128 x 64 x bf16, row_dimension 2, vector 2>
sm.kernel @tall(%x: !sm.maps<3 x 64 x 128 x bf16, row_dimension 3, swizzle 128>,
                %dy: !sm.maps<3 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                %dw: !sm.maps<1 x 128 x 64 x bf16, row_dimension 2, swizzle 128>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %beta: f32, %dw_plain: !sm.maps<1 x 128 x 64 x bf16, row_dimension 2, vector 2>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : <128 x 64>
    // EPILOGUE: %[[WARPGROUP:.*]] = sm.warpgroup
    // EPILOGUE: %[[DOWN:.*]] = arith.muli %[[WARPGROUP]], %c64
    // EPILOGUE-NEXT: %[[FEATURE:.*]] = arith.addi %rows, %[[DOWN]]
    // EPILOGUE-NEXT: sm.store %{{.*}}[%[[WARPGROUP]]] to %dw[%c0] [%offset, %c0, %[[FEATURE]], %c0]
    sm.store_sums %sum to %dw[%c0] [%offset, %c0, %rows, %c0] : <128 x 64> to <1 x 128 x 64 x bf16, row_dimension 2, swizzle 128>
  }
}
