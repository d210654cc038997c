// What maps of a product read are operands of its kernel. Each has a name of its own, by which a launch finds it: arguments of a
// function that came from text have none.
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_80" | FileCheck %s

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>
!sums = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// CHECK: tile.kernel @scaled_bf16(%{{.*}}: !tile.matrix<?x8xbf16>, %{{.*}}: !tile.matrix<8x8xbf16>,
// CHECK-SAME: %operand: !tile.matrix<1x8xbf16>, %operand2: !tile.matrix<1x8xf32>, %{{.*}}: !tile.matrix<?x8xbf16>)
// CHECK: tile.map (%{{.*}} = %{{.*}} : !tile.fragment<{{.*}}>, %{{.*}} = %operand[{{.*}}] : !tile.matrix<1x8xbf16>,
// CHECK-SAME: %operand2[{{.*}}] : !tile.matrix<1x8xf32>)
func.func @scaled(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>, %s: tensor<8xbf16>, %b: tensor<8xf32>) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %hs = alg.map %ys columns %s, %b : (!sums, tensor<8xbf16>, tensor<8xf32>) -> !x {
  ^bb0(%v: f32, %scale: bf16, %bias: f32):
    %wide = arith.extf %scale : bf16 to f32
    %product = arith.mulf %v, %wide : f32
    %sum = arith.addf %product, %bias : f32
    %rounded = arith.truncf %sum : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %hs : !x
  return %y : tensor<?x8xbf16>
}
