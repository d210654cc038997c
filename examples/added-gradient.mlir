// The gradient of X, added to one that has come another way, a skip connection say: dx = dy w^T + beta * held. A call may
// give one matrix for held and dx, so that the gradient is added in place.
!dy = !alg.slots<?x192xf32, rows(cyclic 4), cols(4 x 48)>
!w = !alg.slots<64x192xf32, rows(4 x 16), cols(4 x 48)>
!dx = !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>

func.func @dx(%dy: tensor<?x192xf32>, %w: tensor<64x192xf32>, %held: tensor<?x64xf32>, %beta: f32, %p0: index)
    -> tensor<?x64xf32> {
  %dys = alg.slots %dy rows(cyclic 4, %p0) cols(4 x 48) : tensor<?x192xf32>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 48) : tensor<64x192xf32>
  %helds = alg.slots %held rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xf32>
  %sums = alg.contract %dys, %ws by #alg.algebra<"Q(4)"> -> i : !dy, !w
  %dxs = alg.map %sums, %helds : (!dx, !dx) -> !dx {
  ^bb0(%sum: f32, %before: f32):
    %scaled = arith.mulf %before, %beta : f32
    %all = arith.addf %sum, %scaled : f32
    alg.yield %all : f32
  }
  %dx = alg.gather %dxs : !dx
  return %dx : tensor<?x64xf32>
}
