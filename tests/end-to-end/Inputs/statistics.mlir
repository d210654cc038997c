// In the lift by slots: rows scaled by the root of their mean square, then a product whose columns are damped by
// what the sums of another product's columns are. Arithmetic with tensors of statistics stands outside of maps.
!x = !alg.slots<?x8xf32, plain(2)>
!w = !alg.slots<2x4x3xf32, plain(2)>
!y = !alg.slots<?x6xf32, plain(2)>
func.func @normed(%x: tensor<?x8xf32>, %g: tensor<8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x8xf32>
  %squares = alg.map %xs : !x {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    alg.yield %s : f32
  }
  %sums = alg.reduce sum %squares over columns : !x -> tensor<?xf32>
  %scale = math.rsqrt %sums : tensor<?xf32>
  %zs = alg.map %xs columns %g rows %scale : (!x, tensor<8xf32>, tensor<?xf32>) -> !x {
  ^bb0(%a: f32, %c: f32, %r: f32):
    %t = arith.mulf %a, %r : f32
    %u = arith.mulf %t, %c : f32
    alg.yield %u : f32
  }
  %z = alg.gather %zs : !x
  return %z : tensor<?x8xf32>
}
func.func @damped(%x: tensor<?x8xf32>, %w: tensor<2x4x3xf32>, %v: tensor<2x4x3xf32>, %e: tensor<f32>)
    -> (tensor<?x6xf32>, tensor<6xf32>) {
  %xs = alg.slots %x plain(2) : tensor<?x8xf32>
  %ws = alg.slots %w plain(2) : tensor<2x4x3xf32>
  %vs = alg.slots %v plain(2) : tensor<2x4x3xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"D(2)"> -> k : !x, !w
  %c = alg.reduce sum %ys over rows : !y -> tensor<6xf32>
  %d = arith.mulf %c, %c : tensor<6xf32>
  %us = alg.contract %xs, %vs by #alg.algebra<"D(2)"> -> k : !x, !w
  %zs = alg.map %us, %ys columns %d numbers %e : (!y, !y, tensor<6xf32>, tensor<f32>) -> !y {
  ^bb0(%a: f32, %r: f32, %s: f32, %n: f32):
    %one = arith.constant 1.0 : f32
    %t = arith.addf %s, %one : f32
    %q = arith.divf %n, %t : f32
    %b = arith.mulf %a, %q : f32
    %sum = arith.addf %b, %r : f32
    alg.yield %sum : f32
  }
  %z = alg.gather %zs : !y
  return %z, %d : tensor<?x6xf32>, tensor<6xf32>
}
