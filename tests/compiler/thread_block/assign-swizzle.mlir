// The widest swizzle whose panels divide a row: 128 bytes, else 64, else 32.
// RUN: alg-opt %s -sm-assign-swizzle | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, bank = #alg.groups<2 x 64>,
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
