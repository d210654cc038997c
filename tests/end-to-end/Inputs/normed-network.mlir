// A feed-forward network behind an RMSNorm, with a residual. The scale of the norm is one number for each row, which a
// product keeps: it is applied to the sums. The weights of the norm are one number for each column of x.
#q4 = #alg.algebra<"Q(4)">
!x = !alg.slots<?x64xbf16, rows(cyclic 4), cols(4 x 16)>
!squares = !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>
!h = !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)>
!sums = !alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>
!out = !alg.slots<?x64xf32, rows(cyclic 4), cols(4 x 16)>
!up = !alg.slots<64x96xbf16, rows(4 x 16), cols(4 x 24)>
!down = !alg.slots<96x64xbf16, rows(4 x 24), cols(4 x 16)>

func.func @forward(%x: tensor<?x64xbf16>, %gate: tensor<64x96xbf16>, %up: tensor<64x96xbf16>, %down: tensor<96x64xbf16>,
                   %weight: tensor<64xbf16>, %p0: index) -> tensor<?x64xbf16> {
  %one = arith.constant 1.0 : f32
  %width = arith.constant 64.0 : f32
  %epsilon = arith.constant 1.0e-6 : f32
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %gates = alg.slots %gate rows(4 x 16) cols(4 x 24) : tensor<64x96xbf16>
  %ups = alg.slots %up rows(4 x 16) cols(4 x 24) : tensor<64x96xbf16>
  %downs = alg.slots %down rows(4 x 24) cols(4 x 16) : tensor<96x64xbf16>

  %square = alg.map %xs : (!x) -> !squares {
  ^bb0(%e: bf16):
    %wide = arith.extf %e : bf16 to f32
    %product = arith.mulf %wide, %wide : f32
    alg.yield %product : f32
  }
  %power = alg.reduce sum %square over columns : !squares -> tensor<?xf32>
  %weighted = alg.map %xs columns %weight : (!x, tensor<64xbf16>) -> !x {
  ^bb0(%e: bf16, %w: bf16):
    %wide = arith.extf %e : bf16 to f32
    %wide_w = arith.extf %w : bf16 to f32
    %product = arith.mulf %wide, %wide_w : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }

  %g = alg.contract %weighted, %gates by #q4 -> k : !x, !up into f32
  %u = alg.contract %weighted, %ups by #q4 -> k : !x, !up into f32
  %h = alg.map %g, %u rows %power : (!sums, !sums, tensor<?xf32>) -> !h {
  ^bb0(%a: f32, %b: f32, %p: f32):
    %mean = arith.divf %p, %width : f32
    %shifted = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %shifted : f32
    %scaled = arith.mulf %a, %scale : f32
    %negative = arith.negf %scaled : f32
    %exponential = math.exp %negative : f32
    %below = arith.addf %exponential, %one : f32
    %silu = arith.divf %scaled, %below : f32
    %scaled_up = arith.mulf %b, %scale : f32
    %product = arith.mulf %silu, %scaled_up : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %d = alg.contract %h, %downs by #q4 -> k : !h, !down into f32
  %ys = alg.map %d, %xs : (!out, !x) -> !x {
  ^bb0(%sum: f32, %r: bf16):
    %residual = arith.extf %r : bf16 to f32
    %added = arith.addf %sum, %residual : f32
    %rounded = arith.truncf %added : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x64xbf16>
}
