// Networks without a gate, over equal groups and over unequal ones.
!x = !alg.slots<?x64xbf16, rows(cyclic 2), cols(2 x 32)>
!w = !alg.slots<64x64xbf16, rows(2 x 32), cols(2 x 32)>
!r = !alg.slots<?x8xbf16, rows(cyclic 2), cols([3, 5])>
!b = !alg.slots<8x8xbf16, rows([3, 5]), cols([3, 5])>

func.func @whole(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16>, %v: tensor<64x64xbf16>, %p0: index) -> tensor<?x64xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 32) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(2 x 32) cols(2 x 32) : tensor<64x64xbf16>
  %vs = alg.slots %v rows(2 x 32) cols(2 x 32) : tensor<64x64xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ms = alg.map %hs : (!x) -> !x {
  ^bb0(%a: bf16):
    %n = arith.negf %a : bf16
    alg.yield %n : bf16
  }
  %ys = alg.contract %ms, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x64xbf16>
}

func.func @uneven(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>, %v: tensor<8x8xbf16>, %p0: index) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols([3, 5]) : tensor<?x8xbf16>
  %ws = alg.slots %w rows([3, 5]) cols([3, 5]) : tensor<8x8xbf16>
  %vs = alg.slots %v rows([3, 5]) cols([3, 5]) : tensor<8x8xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !r, !b
  %ms = alg.map %hs : (!r) -> !r {
  ^bb0(%a: bf16):
    %n = arith.negf %a : bf16
    alg.yield %n : bf16
  }
  %ys = alg.contract %ms, %vs by #alg.algebra<"Q(2)"> -> k : !r, !b
  %y = alg.gather %ys : !r
  return %y : tensor<?x8xbf16>
}
