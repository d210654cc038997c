// y = x w + e over two groups of four features.
#q = #alg.algebra<"Q(2)">
!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>
!sums = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
func.func @forward(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>, %e: tensor<?x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %es = alg.slots %e rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %products = alg.contract %xs, %ws by #q -> k : !x, !w into f32
  %ys = alg.map %products, %es : (!sums, !sums) -> !sums {
  ^bb0(%product: f32, %summand: f32):
    %sum = arith.addf %product, %summand : f32
    alg.yield %sum : f32
  }
  %y = alg.gather %ys : !sums
  return %y : tensor<?x8xf32>
}
