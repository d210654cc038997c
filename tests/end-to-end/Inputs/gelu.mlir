// A product with a bias, rounded to bf16, and a GELU of it, which nothing in the compiler knows of.
func.func @gelu(%x: tensor<?x64xbf16>, %w: tensor<64x96xbf16>, %p0: index, %b: tensor<96xbf16> loc("bias")) -> tensor<?x96xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 24) : tensor<64x96xbf16>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x64xbf16, rows(cyclic 4), cols(4 x 16)>, !alg.slots<64x96xbf16, rows(4 x 16), cols(4 x 24)> into f32
  %ys = alg.map %sums columns %b : (!alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>, tensor<96xbf16>) -> !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)> {
  ^bb0(%sum: f32, %bias: bf16):
    %wide = arith.extf %bias : bf16 to f32
    %biased = arith.addf %sum, %wide : f32
    %rounded = arith.truncf %biased : f32 to bf16
    alg.yield %rounded : bf16
  }
  %hs = alg.map %ys : !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)> {
  ^bb0(%h: bf16):
    %v = arith.extf %h : bf16 to f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.70710678 : f32
    %a = arith.mulf %v, %root : f32
    %e = math.erf %a : f32
    %p = arith.addf %e, %one : f32
    %q = arith.mulf %p, %half : f32
    %g = arith.mulf %v, %q : f32
    %r = arith.truncf %g : f32 to bf16
    alg.yield %r : bf16
  }
  %y = alg.gather %hs : !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)>
  return %y : tensor<?x96xbf16>
}
