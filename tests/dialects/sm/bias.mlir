// A bias: an operand of the kernel, added when sums are delivered, or by an op of its own.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, bank = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @biased
// CHECK-SAME:  %terms: !sm.terms_table, %bias: !sm.bias<2 x 96 x bf16>)
sm.kernel @biased(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %bias: !sm.bias<2 x 96 x bf16>) attributes {layout = #layout, schedule = #schedule} {
  %sum = sm.zero : !sm.accumulator<64 x 64>
  // CHECK: sm.deliver %[[SUM:.*]] to %y[%rows] [%rows, %offset, %rows, %rows] bias %bias : !sm.bias<2 x 96 x bf16> : <64 x 64> to
  sm.deliver %sum to %y[%rows] [%rows, %offset, %rows, %rows] bias %bias : !sm.bias<2 x 96 x bf16>
      : !sm.accumulator<64 x 64> to !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>
  // CHECK: sm.add_bias %[[SUM]], %bias[%rows, %offset] : <64 x 64>, <2 x 96 x bf16>
  %biased = sm.add_bias %sum, %bias[%rows, %offset] : !sm.accumulator<64 x 64>, !sm.bias<2 x 96 x bf16>
  %both = sm.zero : !sm.accumulator<128 x 64>
  // CHECK: sm.deliver_parts %{{.*}} to %y[%rows, %offset] [{{.*}}] bias %bias : !sm.bias<2 x 96 x bf16> : <128 x 64> to
  sm.deliver_parts %both to %y[%rows, %offset] [%rows, %rows, %rows, %rows, %rows, %rows, %rows, %rows] bias %bias : !sm.bias<2 x 96 x bf16>
      : !sm.accumulator<128 x 64> to !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>
}
