// Sums that the copy engine adds to what the result holds.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>

// CHECK-LABEL: sm.kernel @added
sm.kernel @added(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %dy: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>,
                 %dw: !sm.maps<1 x 64 x 32 x f32, row_dimension 2, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %c = sm.allocate : <1 x 64 x 32 x f32, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    %sums = sm.zero : <64 x 32>
    // CHECK: sm.store_sums %{{.*}} added to %{{.*}}[%{{.*}}] [{{.*}}] : <64 x 32> to
    sm.store_sums %sums added to %dw[%i] [%i, %i, %i, %i] : <64 x 32> to <1 x 64 x 32 x f32, row_dimension 2, swizzle 128>
    sm.elect {
      // CHECK: sm.store %{{.*}}[%{{.*}}] added to
      sm.store %c[%i] added to %dw[%i] [%i, %i, %i, %i] : <1 x 64 x 32 x f32, swizzle 128> to <1 x 64 x 32 x f32, row_dimension 2, swizzle 128>
    }
  }
}
