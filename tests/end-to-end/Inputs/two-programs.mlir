#a = #alg.algebra<"Q(2)*M(2)">
!x = !alg.slots<?x16xbf16, rows(cyclic 2), cols(4 x 4)>
!w = !alg.slots<16x8xbf16, rows(4 x 4), cols(4 x 2)>
!s = !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>
!y = !alg.slots<?x8xbf16, rows(cyclic 2), cols(4 x 2)>
func.func @gate(%x: tensor<?x16xbf16>, %g: tensor<16x8xbf16>, %u: tensor<16x8xbf16>, %r: tensor<?xf32>, %p0: index) -> (tensor<?x8xbf16>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(4 x 4) : tensor<?x16xbf16>
  %gs = alg.slots %g rows(4 x 4) cols(4 x 2) : tensor<16x8xbf16>
  %us = alg.slots %u rows(4 x 4) cols(4 x 2) : tensor<16x8xbf16>
  %a = alg.contract %xs, %gs by #a -> k : !x, !w into f32
  %b = alg.contract %xs, %us by #a -> k : !x, !w into f32
  %h = alg.map %a, %b rows %r : (!s, !s, tensor<?xf32>) -> !y {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %t = math.tanh %p : f32
    %m = arith.mulf %t, %q : f32
    %n = arith.mulf %m, %s : f32
    %v = arith.truncf %n : f32 to bf16
    alg.yield %v : bf16
  }
  %y = alg.gather %h : !y
  %z = alg.gather %b : !s
  return %y, %z : tensor<?x8xbf16>, tensor<?x8xf32>
}
// second program: explicit types
func.func @listed(%x: tensor<?x16xbf16>, %g: tensor<16x8xbf16>, %t: tensor<?xi32>) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(explicit 2, %t) cols(4 x 4) : tensor<?x16xbf16>
  %gs = alg.slots %g rows(4 x 4) cols(4 x 2) : tensor<16x8xbf16>
  %a = alg.contract %xs, %gs by #a -> k : !alg.slots<?x16xbf16, rows(explicit 2), cols(4 x 4)>, !w
  %y = alg.gather %a : !alg.slots<?x8xbf16, rows(explicit 2), cols(4 x 2)>
  return %y : tensor<?x8xbf16>
}
