// Rows that are held pass through a pipe of their own, outside the loop over steps.
// RUN: alg-opt %s -sm-partition -canonicalize | FileCheck %s

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
  // CHECK: %[[HELD:.*]] = sm.pipe stages 1 : <!sm.block<128 x 192 x bf16, swizzle 128>>
  // CHECK: %[[PIPE:.*]] = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // CHECK: sm.partition @multiply warpgroups 2 registers 224 {
  // CHECK: %[[ROWS:.*]] = sm.consume %[[HELD]]
  // CHECK: scf.for
  // CHECK: %[[BLOCKS:.*]]:2 = sm.consume %[[PIPE]]
  // CHECK-NEXT: sm.multiply %[[BLOCKS]]#0, %[[BLOCKS]]#1, %{{.*}} part %{{.*}} of 2 held %[[ROWS]][%{{.*}}]
  // CHECK: sm.partition @load warpgroups 1 registers 56 {
  // CHECK: %[[LOADED:.*]] = sm.hold %x[%c0, %c1]
  // CHECK-NEXT: sm.produce %[[HELD]], %[[LOADED]]
  // CHECK: scf.for
  // CHECK: sm.produce %[[PIPE]]
  %held = sm.hold %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c1, %offset] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 192 x bf16, swizzle 128>
  %zero = sm.zero : <128 x 64>
  %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
    %a = sm.fetch_parts %x[%c0, %c1] [%step, %c0, %c0, %c0, %step, %c0, %c1, %c0] part %step : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
    %b = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
    %next = sm.multiply %a, %b, %sum part %step of 2 held %held[%step] : !sm.block<128 x 192 x bf16, swizzle 128> : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    scf.yield %next : !sm.accumulator<128 x 64>
  }
  sm.store_sums_in_parts %total to %y[%c0, %c1] [%c0, %c0, %c0, %c0, %c0, %c0, %c1, %c0] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
}
