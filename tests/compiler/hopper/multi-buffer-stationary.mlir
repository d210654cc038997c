// Rows that are held have a pipe of one stage and a buffer with a slot for each piece. Both partitions carry its parity.
// RUN: alg-opt %s -sm-multi-buffer -canonicalize | FileCheck %s

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
  // CHECK: %[[ROWS:.*]] = sm.allocate : <3 x 128 x 64 x bf16, swizzle 128>
  // CHECK: %[[STAYS:.*]] = sm.staged_pipe : <1>
  // CHECK: %[[A:.*]] = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  // CHECK: %[[B:.*]] = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %stays = sm.pipe stages 1 : <!sm.block<128 x 192 x bf16, swizzle 128>>
  %pipe = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // CHECK: sm.partition @multiply
  sm.partition @multiply warpgroups 2 registers 232 {
    // CHECK: scf.for
    scf.for %turn = %c0 to %rows step %c1 {
      // CHECK-NEXT: sm.consumer_wait %[[STAYS]][%{{.*}}] parity %[[PARITY:.*]] :
      %held = sm.consume %stays : <!sm.block<128 x 192 x bf16, swizzle 128>> -> !sm.block<128 x 192 x bf16, swizzle 128>
      // CHECK: scf.for
      scf.for %tile = %c0 to %rows step %c1 {
        %zero = sm.zero : <128 x 64>
        %a, %b = sm.consume %pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
        // CHECK: %[[ALL:.*]] = arith.cmpi eq, %offset, %c2
        // CHECK: scf.if %[[ALL]]
        // CHECK-NEXT: sm.mma %[[A]][%{{.*}}], %[[B]]
        // CHECK: } else {
        // CHECK-NEXT: scf.if %{{.*}}
        // CHECK-NEXT: sm.mma %[[ROWS]][%{{.*}}], %[[B]]
        // CHECK: } else {
        // CHECK-NEXT: scf.yield
        // CHECK: sm.consumer_release
        %sum = sm.multiply %a, %b, %zero part %offset of 2 held %held[%tile] : !sm.block<128 x 192 x bf16, swizzle 128> : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
        sm.store_sums_in_parts %sum to %y[%c0, %c1] [%c0, %c0, %c0, %c0, %c0, %c0, %c1, %c0] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
      }
      // Behind all tiles.
      // CHECK: sm.consumer_release %[[STAYS]]
      // CHECK: arith.xori %[[PARITY]]
    }
  }
  // CHECK: sm.partition @load
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: scf.for
      scf.for %turn = %c0 to %rows step %c1 {
        // CHECK: sm.producer_acquire %[[STAYS]]
        // Two parts of each of three pieces.
        // CHECK-NEXT: sm.load %x[%c0] [%c0, %c0, %c0, %rows] to %[[ROWS]][%c0] row 0
        // CHECK-NEXT: sm.load %x[%c1] [%c0, %c1, %c1, %offset] to %[[ROWS]][%c0] row 64
        // CHECK-NEXT: sm.load %x[%c0] [%c64, %c0, %c0, %rows] to %[[ROWS]][%c1] row 0
        // CHECK-NEXT: sm.load %x[%c1] [%c64, %c1, %c1, %offset] to %[[ROWS]][%c1] row 64
        // CHECK-NEXT: sm.load %x[%c0] [%c128, %c0, %c0, %rows] to %[[ROWS]][%c2] row 0
        // CHECK-NEXT: sm.load %x[%c1] [%c128, %c1, %c1, %offset] to %[[ROWS]][%c2] row 64
        // CHECK-NEXT: sm.producer_commit %[[STAYS]]
        %held = sm.hold %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c1, %offset] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 192 x bf16, swizzle 128>
        sm.produce %stays, %held : <!sm.block<128 x 192 x bf16, swizzle 128>>, !sm.block<128 x 192 x bf16, swizzle 128>
        %a = sm.fetch_parts %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c1, %offset] part %offset : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
        %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        sm.produce %pipe, %a, %b : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
      }
    }
  }
}
