// A projection with a low-rank adapter and a residual: y = x + x w + scale (x a) b. No layer and no kind of
// program says that; as a function of the alg dialect it is one of its own.
//
//     algctl verify examples/adapter.mlir
//     algctl emit examples/adapter.mlir --stage fused
//     algctl compile examples/adapter.mlir --program-maps forward,backward -o adapter.alg
//     algctl run adapter.alg --m 300 --check
//
// The products are over Q(4): a row at position p is of type i = p mod 4, and its features are cut into four
// groups. Of all 256 x 256 numbers of w such a row multiplies the blocks of the diagonal and of one row. Products
// `into f32` are not rounded before the map that reads them, which rounds once, to bf16.
#q4 = #alg.algebra<"Q(4)">
!x = !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
!w = !alg.slots<256x256xbf16, rows(4 x 64), cols(4 x 64)>
!low = !alg.slots<?x32xbf16, rows(cyclic 4), cols(4 x 8)>
!a = !alg.slots<256x32xbf16, rows(4 x 64), cols(4 x 8)>
!b = !alg.slots<32x256xbf16, rows(4 x 8), cols(4 x 64)>
!sums = !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>

func.func @forward(%x: tensor<?x256xbf16>, %w: tensor<256x256xbf16>, %a: tensor<256x32xbf16>,
                   %b: tensor<32x256xbf16>, %scale: tensor<f32>, %p0: index) -> tensor<?x256xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %ws = alg.slots %w rows(4 x 64) cols(4 x 64) : tensor<256x256xbf16>
  %as = alg.slots %a rows(4 x 64) cols(4 x 8) : tensor<256x32xbf16>
  %bs = alg.slots %b rows(4 x 8) cols(4 x 64) : tensor<32x256xbf16>

  %low = alg.contract %xs, %as by #q4 -> k : !x, !a
  %frozen = alg.contract %xs, %ws by #q4 -> k : !x, !w into f32
  %learned = alg.contract %low, %bs by #q4 -> k : !low, !b into f32

  %ys = alg.map %frozen, %learned, %xs numbers %scale : (!sums, !sums, !x, tensor<f32>) -> !x {
  ^bb0(%f: f32, %l: f32, %r: bf16, %s: f32):
    %residual = arith.extf %r : bf16 to f32
    %scaled = arith.mulf %s, %l : f32
    %product = arith.addf %f, %scaled : f32
    %sum = arith.addf %product, %residual : f32
    %rounded = arith.truncf %sum : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x256xbf16>
}
