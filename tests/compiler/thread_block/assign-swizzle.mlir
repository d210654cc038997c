// The widest swizzle whose panels divide a row: 128 bytes, else 64, else 32.
// RUN: alg-opt %s -split-input-file -sm-assign-swizzle | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 16, stages = 3>

// X: 16 x 2 bytes. W: 96 x 2 = 3 x 64 bytes. Y: 96 x 4 = 3 x 128 bytes.
// CHECK: sm.kernel @swizzles(%x: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, swizzle 32>,
// CHECK-SAME: %w: !sm.maps<1 x 16 x 96 x bf16, row_dimension 2, swizzle 64>,
// CHECK-SAME: %y: !sm.maps<2 x 64 x 96 x f32, row_dimension 3, swizzle 128>,
sm.kernel @swizzles(%x: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3>, %w: !sm.maps<1 x 16 x 96 x bf16, row_dimension 2>,
                    %y: !sm.maps<2 x 64 x 96 x f32, row_dimension 3>, %rows: index, %offset: index,
                    %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %zero = sm.zero : <64 x 96>
  // CHECK: sm.fetch %x{{.*}} : <2 x 64 x 16 x bf16, row_dimension 3, swizzle 32> -> <64 x 16 x bf16, swizzle 32>
  %a = sm.fetch %x[%rows][%rows, %rows, %rows, %rows] : <2 x 64 x 16 x bf16, row_dimension 3> -> <64 x 16 x bf16>
  // CHECK: sm.fetch %w{{.*}} : <1 x 16 x 96 x bf16, row_dimension 2, swizzle 64> -> <16 x 96 x bf16, swizzle 64>
  %b = sm.fetch %w[%rows][%rows, %rows, %rows, %rows] : <1 x 16 x 96 x bf16, row_dimension 2> -> <16 x 96 x bf16>
  // CHECK: sm.multiply {{.*}} : <64 x 16 x bf16, swizzle 32>, <16 x 96 x bf16, swizzle 64>, <64 x 96>
  %sum = sm.multiply %a, %b, %zero : <64 x 16 x bf16>, <16 x 96 x bf16>, <64 x 96>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 20>, weights = #alg.groups<2 x 20>,
                       out = #alg.groups<2 x 100>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 104, depth = 32, stages = 3, warps = 1 x 1, vector = 4>

// Plain maps keep their vector. What leaves straight from registers never lies in shared memory.
// CHECK-LABEL: sm.kernel @threads(
// CHECK-SAME: %x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 4>, %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 4>,
// CHECK-SAME: %y: !sm.maps<2 x 16 x 8 x bf16, row_dimension 3, vector 2>,
sm.kernel @threads(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, vector 4>,
                   %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, vector 4>,
                   %y: !sm.maps<2 x 16 x 8 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %sum = sm.zero : <16 x 8, warps 1 x 1>
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <16 x 8, warps 1 x 1> to <2 x 16 x 8 x bf16, row_dimension 3, vector 2>
}
