// Products in a row, with nothing between them.
#q4 = #alg.algebra<"Q(4)">
!x = !alg.slots<?x64xbf16, rows(cyclic 4), cols(4 x 16)>
!wide = !alg.slots<?x512xbf16, rows(cyclic 4), cols(4 x 128)>
!w = !alg.slots<64x512xbf16, rows(4 x 16), cols(4 x 128)>
!v = !alg.slots<512x96xbf16, rows(4 x 128), cols(4 x 24)>
!y = !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)>
!y_sums = !alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>

// y = scale (x w) v, with far more features between the two than on either side.
func.func @wide(%x: tensor<?x64xbf16>, %w: tensor<64x512xbf16>, %v: tensor<512x96xbf16>, %scale: tensor<f32>,
                %p0: index) -> tensor<?x96xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 128) : tensor<64x512xbf16>
  %vs = alg.slots %v rows(4 x 128) cols(4 x 24) : tensor<512x96xbf16>
  %hs = alg.contract %xs, %ws by #q4 -> k : !x, !w
  %ps = alg.contract %hs, %vs by #q4 -> k : !wide, !v into f32
  %ys = alg.map %ps numbers %scale : (!y_sums, tensor<f32>) -> !y {
  ^bb0(%p: f32, %s: f32):
    %scaled = arith.mulf %p, %s : f32
    %rounded = arith.truncf %scaled : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !y
  return %y : tensor<?x96xbf16>
}

!u = !alg.slots<96x64xbf16, rows(4 x 24), cols(4 x 16)>

// Three, of which the last two are fewer multiplications than the first.
func.func @three(%x: tensor<?x64xbf16>, %w: tensor<64x512xbf16>, %v: tensor<512x96xbf16>, %u: tensor<96x64xbf16>,
                 %p0: index) -> tensor<?x64xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 128) : tensor<64x512xbf16>
  %vs = alg.slots %v rows(4 x 128) cols(4 x 24) : tensor<512x96xbf16>
  %us = alg.slots %u rows(4 x 24) cols(4 x 16) : tensor<96x64xbf16>
  %hs = alg.contract %xs, %ws by #q4 -> k : !x, !w
  %ps = alg.contract %hs, %vs by #q4 -> k : !wide, !v
  %ys = alg.contract %ps, %us by #q4 -> k : !y, !u
  %y = alg.gather %ys : !x
  return %y : tensor<?x64xbf16>
}

!short_w = !alg.slots<64x96xbf16, rows(4 x 16), cols(4 x 24)>

// The weights multiplied where the program says so.
func.func @written(%x: tensor<?x64xbf16>, %w: tensor<64x512xbf16>, %v: tensor<512x96xbf16>, %p0: index)
    -> tensor<?x96xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 128) : tensor<64x512xbf16>
  %vs = alg.slots %v rows(4 x 128) cols(4 x 24) : tensor<512x96xbf16>
  %wv = alg.contract %ws, %vs by #q4 -> k : !w, !v
  %ys = alg.contract %xs, %wv by #q4 -> k : !x, !short_w
  %y = alg.gather %ys : !y
  return %y : tensor<?x96xbf16>
}
