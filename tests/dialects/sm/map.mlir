// Maps of finished sums, and the operands that they read, which are the kernel's last ones.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @mapped
// CHECK-SAME:  %terms: !sm.terms_table, %[[BIAS:.*]]: !sm.columns<2 x 96 x bf16>, %[[ALPHA:.*]]: f32, %[[RESIDUAL:.*]]: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>, %[[SCALE:.*]]: !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>)
sm.kernel @mapped(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %bias: !sm.columns<2 x 96 x bf16>, %alpha: f32,
                  %residual: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>,
                  %scale: !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>) attributes {layout = #layout, schedule = #schedule} {
  // CHECK: %[[SUM:.*]] = sm.zero
  %sum = sm.zero : !sm.accumulator<64 x 64>
  // CHECK: sm.map (%[[V:.*]] = %[[SUM]] : !sm.accumulator<64 x 64>, %[[B:.*]] = %[[BIAS]] : !sm.columns<2 x 96 x bf16>, %[[A:.*]] = %[[ALPHA]] : f32) at [%rows, %offset] -> !sm.accumulator<64 x 64> {
  %mapped = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %b = %bias : !sm.columns<2 x 96 x bf16>, %a = %alpha : f32)
      at [%rows, %offset] -> !sm.accumulator<64 x 64> {
    // CHECK: arith.extf %[[B]] : bf16 to f32
    %wide = arith.extf %b : bf16 to f32
    // CHECK: math.fma %[[V]], %[[A]]
    %r = math.fma %v, %a, %wide : f32
    // CHECK: sm.yield
    sm.yield %r : f32
  }
  // Of single warps, too.
  // CHECK: sm.map (%{{.*}} = %{{.*}} : !sm.accumulator<64 x 64, warps 2 x 2>)
  %warps = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  %negative = sm.map (%v = %warps : !sm.accumulator<64 x 64, warps 2 x 2>) at [%rows, %offset] -> !sm.accumulator<64 x 64, warps 2 x 2> {
    %r = arith.negf %v : f32
    sm.yield %r : f32
  }
  // What has rows is read where the sums are in it.
  // CHECK: sm.map (%{{.*}} = %{{.*}} : !sm.accumulator<64 x 64>, %{{.*}} = %[[RESIDUAL]] : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>, %{{.*}} = %[[SCALE]] : !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>) at [%rows, %offset] rows [%offset, %rows, %offset, %rows, %rows] -> !sm.accumulator<64 x 64> {
  %added = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %r = %residual : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>,
                   %e = %scale : !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>)
      at [%rows, %offset] rows [%offset, %rows, %offset, %rows, %rows] -> !sm.accumulator<64 x 64> {
    %wide = arith.extf %r : bf16 to f32
    %s = math.fma %v, %e, %wide : f32
    sm.yield %s : f32
  }
}
