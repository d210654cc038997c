// A bias is added to the sums in registers, before they are written: at the columns where the warpgroup's part goes.
// RUN: alg-opt %s -sm-lower-epilogue -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, bank = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 256>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @result
sm.kernel @result(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %bias: !sm.bias<2 x 256 x bf16>) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role multiply warpgroups 2 registers 232 {
    // CHECK: %[[SUM:.*]] = sm.zero : <128 x 64>
    %sum = sm.zero : !sm.accumulator<128 x 64>
    // CHECK: %[[BIASED:.*]] = sm.add_bias %[[SUM]], %bias[%c64, %offset] : <128 x 64>, <2 x 256 x bf16>
    // CHECK: sm.store_wait
    // CHECK: sm.write %[[BIASED]] to
    sm.deliver %sum to %y[%c0] [%c64, %offset, %c0, %rows] bias %bias : !sm.bias<2 x 256 x bf16>
        : !sm.accumulator<128 x 64> to !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
}

// Where warpgroups divide the columns, each begins with its own.
// CHECK-LABEL: sm.kernel @few_rows
sm.kernel @few_rows(%x: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>,
                    %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                    %y: !sm.maps<2 x 24 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                    %terms: !sm.terms_table, %bias: !sm.bias<2 x 256 x bf16>) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  sm.role multiply warpgroups 2 registers 232 {
    %sum = sm.zero : !sm.accumulator<24 x 128, transposed>
    // CHECK: %[[WARPGROUP:.*]] = sm.warpgroup
    // CHECK: %[[ACROSS:.*]] = arith.muli %[[WARPGROUP]], %c64
    // CHECK: %[[COLUMN:.*]] = arith.addi %rows, %[[ACROSS]]
    // CHECK: sm.add_bias %{{.*}}, %bias[%[[COLUMN]], %offset] : <24 x 128, transposed>, <2 x 256 x bf16>
    sm.deliver %sum to %y[%c0] [%rows, %offset, %c0, %c0] bias %bias : !sm.bias<2 x 256 x bf16>
        : !sm.accumulator<24 x 128, transposed> to !sm.maps<2 x 24 x 128 x bf16, row_dimension 3, swizzle 128>
  }
}
