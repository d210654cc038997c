// A kernel without partitions: its threads copy, single warps multiply, and sums leave straight from registers.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 60>, weights = #alg.groups<2 x 60>,
                       out = #alg.groups<2 x 100>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 3, warps = 2 x 2, vector = 4>

// CHECK: sm.kernel @threads(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 4>, %w: !sm.maps<1 x 32 x 128 x bf16, row_dimension 2, swizzle 128, vector 4>, %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index, %terms: !sm.terms_table)
sm.kernel @threads(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 4>,
                   %w: !sm.maps<1 x 32 x 128 x bf16, row_dimension 2, vector 4, swizzle 128>,
                   %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %half = arith.constant 5.0e-01 : f32
  %minus = arith.constant true
  %a = sm.allocate : <3 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : <3 x 32 x 128 x bf16, swizzle 128>
  // CHECK: sm.copy %x[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] : <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 4> to <3 x 64 x 32 x bf16, swizzle 64>
  sm.copy %x[%i] [%i, %i, %i, %i] to %a[%i]
      : <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 4> to <3 x 64 x 32 x bf16, swizzle 64>
  sm.copy %w[%i] [%i, %i, %i, %i] to %b[%i]
      : <1 x 32 x 128 x bf16, row_dimension 2, swizzle 128, vector 4> to <3 x 32 x 128 x bf16, swizzle 128>
  // CHECK: sm.copy_commit
  sm.copy_commit
  // CHECK: sm.copy_wait 0
  sm.copy_wait 0
  // CHECK: sm.block_sync
  sm.block_sync
  // CHECK: %[[TOTAL:.*]] = sm.zero : <64 x 128, warps 2 x 2>
  %total = sm.zero : <64 x 128, warps 2 x 2>
  // CHECK: sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %[[TOTAL]] : <3 x 64 x 32 x bf16, swizzle 64>, <3 x 32 x 128 x bf16, swizzle 128>, <64 x 128, warps 2 x 2>
  %one = sm.mma %a[%i], %b[%i], %total
      : <3 x 64 x 32 x bf16, swizzle 64>, <3 x 32 x 128 x bf16, swizzle 128>, <64 x 128, warps 2 x 2>
  // CHECK: %[[PARTIAL:.*]] = sm.mma %{{.*}}, %{{.*}} negate_if %{{.*}} :
  %partial = sm.mma %a[%i], %b[%i], %one negate_if %minus
      : <3 x 64 x 32 x bf16, swizzle 64>, <3 x 32 x 128 x bf16, swizzle 128>, <64 x 128, warps 2 x 2>
  // CHECK: sm.add_scaled %[[PARTIAL]], %{{.*}}, %[[TOTAL]] : <64 x 128, warps 2 x 2>
  %sum = sm.add_scaled %partial, %half, %total : <64 x 128, warps 2 x 2>
  // CHECK: sm.store_sums %{{.*}} to %y[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : <64 x 128, warps 2 x 2> to <2 x 64 x 128 x bf16, row_dimension 3, vector 2>
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <64 x 128, warps 2 x 2> to <2 x 64 x 128 x bf16, row_dimension 3, vector 2>
}

// The values of a synchronous program, before blocks have a layout.
// CHECK-LABEL: func.func @synchronous
func.func @synchronous(%x: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 1>, %b: !sm.block<16 x 8 x bf16>, %i: index,
                       %sum: !sm.accumulator<16 x 8, warps 1 x 1>) -> !sm.accumulator<16 x 8, warps 1 x 1> {
  %a = sm.fetch %x[%i] [%i, %i, %i, %i] : <2 x 16 x 16 x bf16, row_dimension 3, vector 1> -> <16 x 16 x bf16>
  // CHECK: sm.multiply %{{.*}}, %{{.*}}, %{{.*}} : <16 x 16 x bf16>, <16 x 8 x bf16>, <16 x 8, warps 1 x 1>
  %next = sm.multiply %a, %b, %sum : <16 x 16 x bf16>, <16 x 8 x bf16>, <16 x 8, warps 1 x 1>
  return %next : !sm.accumulator<16 x 8, warps 1 x 1>
}
