// Products by a B that has its columns as rows: as a value and in a stage, for both kinds of sums.
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>, mode = i>

sm.kernel @transposed(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3>, %w: !sm.maps<1 x 96 x 32 x bf16, row_dimension 2>,
                      %y: !sm.maps<2 x 64 x 96 x f32, row_dimension 3>, %rows: index, %offset: index,
                      %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %minus = arith.constant true
  %sum = sm.zero : <64 x 96>
  %a = sm.fetch %x[%i] [%i, %i, %i, %i] : <2 x 64 x 32 x bf16, row_dimension 3> -> <64 x 32 x bf16>
  %b = sm.fetch %w[%i] [%i, %i, %i, %i] : <1 x 96 x 32 x bf16, row_dimension 2> -> <96 x 32 x bf16>
  // CHECK: sm.multiply %{{.*}}, %{{.*}} transposed, %{{.*}} : <64 x 32 x bf16>, <96 x 32 x bf16>, <64 x 96>
  %next = sm.multiply %a, %b transposed, %sum : <64 x 32 x bf16>, <96 x 32 x bf16>, <64 x 96>
  // CHECK: sm.multiply %{{.*}}, %{{.*}} transposed, %{{.*}} negate %{{.*}} shallow %{{.*}} to 16 :
  %other = sm.multiply %a, %b transposed, %next negate %minus shallow %minus to 16 : <64 x 32 x bf16>, <96 x 32 x bf16>, <64 x 96>
  %rows_slots = sm.allocate : <2 x 64 x 32 x bf16, swizzle 64>
  %bank_slots = sm.allocate : <2 x 96 x 32 x bf16, swizzle 64>
  // CHECK: sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] transposed, %{{.*}} negate depth 16 :
  %in_slots = sm.mma %rows_slots[%i], %bank_slots[%i] transposed, %other negate depth 16 : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 96 x 32 x bf16, swizzle 64>, <64 x 96>
  %of_warps = sm.zero : <64 x 96, warps 2 x 2>
  // CHECK: sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] transposed, %{{.*}} negate_if %{{.*}} :
  %by_warps = sm.mma %rows_slots[%i], %bank_slots[%i] transposed, %of_warps negate_if %minus : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 96 x 32 x bf16, swizzle 64>, <64 x 96, warps 2 x 2>
}
