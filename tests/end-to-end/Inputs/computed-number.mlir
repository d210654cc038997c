!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xf32, rows(2 x 4), cols(2 x 3)>
!y = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>
// The product scaled by the mean square of everything: a number that is computed.
func.func @scaled(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %p0: index) -> tensor<?x6xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 3) : tensor<8x6xf32>
  %sq = alg.map %xs : (!x) -> !x {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    alg.yield %b : f32
  }
  %n = alg.reduce sum %sq over all : !x -> tensor<f32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %zs = alg.map %ys numbers %n : (!y, tensor<f32>) -> !y {
  ^bb0(%a: f32, %s: f32):
    %b = arith.divf %a, %s : f32
    alg.yield %b : f32
  }
  %z = alg.gather %zs : !y
  return %z : tensor<?x6xf32>
}
