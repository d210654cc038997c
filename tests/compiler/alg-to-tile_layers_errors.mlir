// Kernels of two layers are the CPU's.
// RUN: alg-opt %s -verify-diagnostics -convert-alg-to-tile="target=sm_90a"
// RUN: not alg-opt %s -convert-alg-to-tile="target=sm_80" 2>&1 | FileCheck %s
// CHECK: error: the kernels of sm_80 compute one layer of products, and this is two

!x = !alg.slots<?x128xbf16, rows(cyclic 2), cols(2 x 64)>
!w = !alg.slots<128x128xbf16, rows(2 x 64), cols(2 x 64)>

// expected-error @+1 {{the kernels of sm_90a compute one layer of products, and this is two}}
func.func @two_layers(%x: tensor<?x128xbf16>, %w: tensor<128x128xbf16>, %v: tensor<128x128xbf16>, %p0: index) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xbf16>
}
