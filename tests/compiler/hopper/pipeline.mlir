// The whole way, from what is computed to what a thread block does; what is left is for the lowering to instructions.
// RUN: alg-opt %s -convert-alg-to-tile=target=sm_90a -tile-to-sm | FileCheck %s --implicit-check-not=sm.fetch --implicit-check-not=sm.produce --implicit-check-not=sm.consume --implicit-check-not=sm.store_sums --implicit-check-not=sm.staged_pipe --implicit-check-not=sm.pipe
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a output=f32 schedule=rows=64,columns=48,depth=32,stages=5' | FileCheck %s --check-prefix=TILE

!x = !alg.slots<?x512xbf16, rows(cyclic 4), cols(4 x 128)>
!w = !alg.slots<512x768xbf16, rows(4 x 128), cols(4 x 192)>
!y = !alg.slots<?x768xbf16, rows(cyclic 4), cols(4 x 192)>

// CHECK: sm.kernel @forward_bf16(
// CHECK: sm.initialize
// CHECK: sm.partition @multiply
// CHECK: sm.wait_for_predecessor
// CHECK: sm.mma
// CHECK: sm.settle
// CHECK: sm.store
// CHECK: sm.partition @load
// CHECK: sm.wait_for_predecessor
// CHECK: sm.expect
// CHECK: sm.release_successor

// TILE: tile.kernel @forward_f32(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x768xbf16>, %y: !tile.matrix<?x768xf32>)
// TILE-SAME: schedule = #tile.staged<types = 1, rows = 64, columns = 48, depth = 32, stages = 5>
// TILE-NEXT: tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 48>] {
// TILE: tile.terms (%k, %b, %c) of (%i, %g)
// TILE-NEXT: tile.mma %x[%i, %k, %r], %w[%b, %g, %n], %sum :
// TILE-NOT: tile.map
// TILE: tile.store %{{.*}} to %y[%i, %r, %g, %n]
func.func @forward(%x: tensor<?x512xbf16>, %w: tensor<512x768xbf16>, %p0: index) -> tensor<?x768xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 128) : tensor<?x512xbf16>
  %ws = alg.slots %w rows(4 x 128) cols(4 x 192) : tensor<512x768xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k : !x, !w
  %y = alg.gather %ys : !y
  return %y : tensor<?x768xbf16>
}
