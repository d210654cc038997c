// dW through the target's passes one by one: tiles that all exist take turns, and threads store through a plain map.
// RUN: alg-opt %s -sm-ping-pong -canonicalize -cse | FileCheck %s --check-prefix=TURNS
// RUN: alg-opt %s -sm-ping-pong -canonicalize -cse -sm-lower-epilogue | FileCheck %s --check-prefix=EPILOGUE

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, ping_pong = 2>

// TURNS-LABEL: sm.kernel @dw
// EPILOGUE-LABEL: sm.kernel @dw
// EPILOGUE-SAME: %[[DW:dw]]: !sm.maps<1 x 64 x 64 x f32, row_dimension 2, vector 2>
sm.kernel @dw(%x: !sm.maps<3 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
              %dy: !sm.maps<3 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
              %dw: !sm.maps<1 x 64 x 64 x f32, row_dimension 2, vector 2>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // EPILOGUE-NOT: sm.allocate
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
      // TURNS-NEXT: sm.store_sums %[[TOTAL]]
      // TURNS: } else {
      // TURNS-NEXT: sm.skip %{{.*}}, %offset
      // TURNS-NOT: sm.store_sums
      // EPILOGUE: sm.store_sums %{{.*}} to %[[DW]][%c0] {{.*}} plus %{{.*}}
      // EPILOGUE-NOT: sm.store
      %total = scf.for %step = %c0 to %offset step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 64>) {
        %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
        %next = sm.multiply %a transposed, %b, %sum : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
        scf.yield %next : !sm.accumulator<64 x 64>
      }
      sm.store_sums %total to %dw[%c0] [%c0, %c0, %row, %c0] plus %beta : <64 x 64> to <1 x 64 x 64 x f32, row_dimension 2, vector 2>
    }
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
