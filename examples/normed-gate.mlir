// An RMSNorm, a gated projection of it, and a residual: n = x / rms(x) * weight, y = x + silu(n gate) * (n up).
//
//     algctl emit examples/normed-gate.mlir --stage fused
//
// shows what becomes of it: the mean of the squares is a reduction, whose result is a number for each row; both products
// of n, their activation and the residual are one kernel.
#q4 = #alg.algebra<"Q(4)">
!x = !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
!w = !alg.slots<256x256xbf16, rows(4 x 64), cols(4 x 64)>
!sums = !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>

func.func @forward(%x: tensor<?x256xbf16>, %gate: tensor<256x256xbf16>, %up: tensor<256x256xbf16>,
                   %weight: tensor<256xbf16>, %p0: index) -> tensor<?x256xbf16> {
  %one = arith.constant 1.0 : f32
  %width = arith.constant 256.0 : f32
  %epsilon = arith.constant 1.0e-6 : f32
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %gates = alg.slots %gate rows(4 x 64) cols(4 x 64) : tensor<256x256xbf16>
  %ups = alg.slots %up rows(4 x 64) cols(4 x 64) : tensor<256x256xbf16>

  %squares = alg.map %xs : (!x) -> !sums {
  ^bb0(%e: bf16):
    %wide = arith.extf %e : bf16 to f32
    %square = arith.mulf %wide, %wide : f32
    alg.yield %square : f32
  }
  %power = alg.reduce sum %squares over columns : !sums -> tensor<?xf32>

  %normed = alg.map %xs columns %weight rows %power : (!x, tensor<256xbf16>, tensor<?xf32>) -> !x {
  ^bb0(%e: bf16, %g: bf16, %p: f32):
    %wide = arith.extf %e : bf16 to f32
    %mean = arith.divf %p, %width : f32
    %shifted = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %shifted : f32
    %scaled = arith.mulf %wide, %scale : f32
    %weighted_by = arith.extf %g : bf16 to f32
    %weighted = arith.mulf %scaled, %weighted_by : f32
    %rounded = arith.truncf %weighted : f32 to bf16
    alg.yield %rounded : bf16
  }

  %g = alg.contract %normed, %gates by #q4 -> k : !x, !w into f32
  %u = alg.contract %normed, %ups by #q4 -> k : !x, !w into f32
  %ys = alg.map %g, %u, %xs : (!sums, !sums, !x) -> !x {
  ^bb0(%a: f32, %b: f32, %r: bf16):
    %negative = arith.negf %a : f32
    %exponential = math.exp %negative : f32
    %below = arith.addf %exponential, %one : f32
    %silu = arith.divf %a, %below : f32
    %product = arith.mulf %silu, %b : f32
    %residual = arith.extf %r : bf16 to f32
    %sum = arith.addf %product, %residual : f32
    %rounded = arith.truncf %sum : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x256xbf16>
}
