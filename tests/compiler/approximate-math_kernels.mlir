// Kernels of products: those with results in bf16 approximate, those with results in f32 do not.
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_90a output=bf16" -math-of-gpus | FileCheck %s --check-prefix=NARROW
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_80 output=bf16" -math-of-gpus | FileCheck %s --check-prefix=NARROW
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_90a output=f32" -math-of-gpus | FileCheck %s --check-prefix=WIDE
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_90a output=bf16 schedule=reduce=32,columns=8" -math-of-gpus | FileCheck %s --check-prefix=NARROW
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_90a output=bf16" -math-of-gpus -tile-to-sm -sm-to-nvvm | FileCheck %s --check-prefix=NVVM
// RUN: alg-opt %s -convert-alg-to-tile="target=sm_90a output=bf16 schedule=reduce=32,columns=8" -math-of-gpus -convert-tile-to-sm -sm-to-nvvm | FileCheck %s --check-prefix=NVVM

// NARROW:     math.exp2 %{{.*}} fastmath<afn>
// NARROW:     %[[Q:.*]] = arith.divf %{{.*}} fastmath<afn>
// 1 + erf q by erfc(|q|), a reciprocal, a polynomial and an exponential.
// NARROW-NOT: math.erf
// NARROW:     %[[A:.*]] = math.absf %[[Q]]
// NARROW:     %[[D:.*]] = math.fma %[[A]], %{{.*}}, %{{.*}}
// NARROW:     %[[T:.*]] = arith.divf %{{.*}}, %[[D]] fastmath<afn>
// NARROW-COUNT-5: math.fma %{{.*}}, %[[T]], %{{.*}}
// NARROW:     math.exp2 %{{.*}} fastmath<afn>
// NARROW:     arith.cmpf olt, %[[Q]], %{{.*}}
// NARROW:     arith.select
// Any other by a polynomial, with its quotients.
// NARROW-NOT: math.erf
// NARROW:     arith.divf %{{.*}} fastmath<afn>
// NARROW-NOT: arith.divf %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : f32
// NARROW:     math.tanh %{{.*}} fastmath<afn>
// WIDE-NOT:   afn
// WIDE:       tile.store
// WIDE-NOT:   afn
// NVVM-NOT:   llvm.fdiv
// NVVM:       llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%{{.*}}) : (f32) -> f32
// By 1 + exp, and by 1 and a multiple of a magnitude, a quotient is a product by a reciprocal.
// NVVM:       llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// NVVM:       llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// NVVM:       llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// NVVM:       llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
func.func @f(%x: tensor<?x64xbf16>, %w: tensor<64x96xbf16>, %p0: index) -> tensor<?x96xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 16) : tensor<?x64xbf16>
  %ws = alg.slots %w rows(4 x 16) cols(4 x 24) : tensor<64x96xbf16>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x64xbf16, rows(cyclic 4), cols(4 x 16)>, !alg.slots<64x96xbf16, rows(4 x 16), cols(4 x 24)> into f32
  %ys = alg.map %sums : (!alg.slots<?x96xf32, rows(cyclic 4), cols(4 x 24)>) -> !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)> {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    %e = math.exp %v : f32
    %b = arith.addf %one, %e : f32
    %q = arith.divf %v, %b : f32
    %m = math.erf %q : f32
    %s = arith.addf %m, %one : f32
    %n = math.erf %s : f32
    %t = math.tanh %n : f32
    %r = arith.truncf %t : f32 to bf16
    alg.yield %r : bf16
  }
  %y = alg.gather %ys : !alg.slots<?x96xbf16, rows(cyclic 4), cols(4 x 24)>
  return %y : tensor<?x96xbf16>
}
