// Products over rows: an A that has its rows as columns, and sums that are added to what the result holds.
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = j>

// CHECK-LABEL: sm.kernel @dw(
// CHECK-SAME: %{{.*}}: f32)
sm.kernel @dw(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3, vector 8>, %dy: !sm.maps<3 x 32 x 96 x bf16, row_dimension 3, vector 8>,
              %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, vector 2>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32) attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %minus = arith.constant true
  %sum = sm.zero : <64 x 96, warps 2 x 2>
  %a = sm.fetch %x[%i] [%i, %i, %i, %i] : <3 x 32 x 64 x bf16, row_dimension 3, vector 8> -> <32 x 64 x bf16>
  %b = sm.fetch %dy[%i] [%i, %i, %i, %i] : <3 x 32 x 96 x bf16, row_dimension 3, vector 8> -> <32 x 96 x bf16>
  // CHECK: sm.multiply %{{.*}} transposed, %{{.*}}, %{{.*}} negate %{{.*}} : <32 x 64 x bf16>, <32 x 96 x bf16>, <64 x 96, warps 2 x 2>
  %next = sm.multiply %a transposed, %b, %sum negate %minus : <32 x 64 x bf16>, <32 x 96 x bf16>, <64 x 96, warps 2 x 2>
  %x_slots = sm.allocate : <2 x 32 x 64 x bf16, swizzle 128>
  %dy_slots = sm.allocate : <2 x 32 x 96 x bf16, swizzle 64>
  // CHECK: sm.mma %{{.*}}[%{{.*}}] transposed, %{{.*}}[%{{.*}}], %{{.*}} negate_if %{{.*}} depth 16 :
  %other = sm.mma %x_slots[%i] transposed, %dy_slots[%i], %next negate_if %minus depth 16 : <2 x 32 x 64 x bf16, swizzle 128>, <2 x 32 x 96 x bf16, swizzle 64>, <64 x 96, warps 2 x 2>
  // CHECK: sm.store_sums %{{.*}} to %{{.*}}[%{{.*}}] [%{{.*}}] plus %{{.*}} : <64 x 96, warps 2 x 2> to
  sm.store_sums %other to %dw[%i] [%i, %i, %i, %i] plus %beta : <64 x 96, warps 2 x 2> to <1 x 64 x 96 x f32, row_dimension 2, vector 2>
}

// The copy engine stores through tensor maps; a plain map beside them is for threads that add to what is there.
// CHECK-LABEL: sm.kernel @engine(
// CHECK-SAME: %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, swizzle 128>
// CHECK-SAME: %beta: f32, %dw_plain: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, vector 2>)
sm.kernel @engine(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3, swizzle 128>, %dy: !sm.maps<3 x 32 x 96 x bf16, row_dimension 3, swizzle 64>,
                  %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %beta: f32, %dw_plain: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, vector 2>)
    attributes {layout = #layout, schedule = "by hand"} {
  sm.partition @multiply warpgroups 1 registers 240 {
    %i = arith.constant 0 : index
    %sum = sm.zero : <64 x 96>
    // CHECK: sm.store_sums %{{.*}} to %dw[%{{.*}}] [{{.*}}] : <64 x 96> to
    sm.store_sums %sum to %dw[%i] [%i, %i, %i, %i] : <64 x 96> to <1 x 64 x 96 x f32, row_dimension 2, swizzle 128>
    // CHECK: sm.store_sums %{{.*}} to %dw_plain[%{{.*}}] [{{.*}}] plus %beta : <64 x 96> to
    sm.store_sums %sum to %dw_plain[%i] [%i, %i, %i, %i] plus %beta : <64 x 96> to <1 x 64 x 96 x f32, row_dimension 2, vector 2>
  }
}
