// Rows of several types: one partition fetches all of them or one, the other multiplies all of them or one.
// RUN: alg-opt %s -sm-partition -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @types
sm.kernel @types(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[PIPE:.*]] = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  // CHECK: sm.partition @multiply warpgroups 2 registers 224 {
  // CHECK: %[[BLOCKS:.*]]:2 = sm.consume %[[PIPE]]
  // CHECK-NEXT: sm.multiply %[[BLOCKS]]#0, %[[BLOCKS]]#1, %{{.*}} part %{{.*}} of 2
  // CHECK: sm.store_sums_in_parts
  // CHECK: sm.partition @load warpgroups 1 registers 56 {
  // CHECK: %[[A:.*]] = sm.fetch_parts %x[%c0, %c1]
  // CHECK-NEXT: %[[B:.*]] = sm.fetch %w
  // CHECK-NEXT: sm.produce %[[PIPE]], %[[A]], %[[B]]
  // CHECK-NOT: sm.store_sums_in_parts
  %zero = sm.zero : <128 x 64>
  %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
    %a = sm.fetch_parts %x[%c0, %c1] [%step, %c0, %c0, %c0, %step, %c0, %c1, %c0] part %step : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
    %b = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
    %next = sm.multiply %a, %b, %sum part %step of 2 : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    scf.yield %next : !sm.accumulator<128 x 64>
  }
  sm.store_sums_in_parts %total to %y[%c0, %c1] [%c0, %c0, %c0, %c0, %c0, %c0, %c1, %c0] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
}
