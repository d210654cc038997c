// The whole way of a gradient of X whose sums of a type's own group stay: both products of a step are one group of
// instructions, each group of dY is stored when its last step is done, and the stationary sums are exchanged behind all.
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=rows=64,columns=32,depth=32,stages=4,stationary=2,split_k=2' -tile-to-sm | FileCheck %s

!dy = !alg.slots<?x192xbf16, rows(cyclic 3), cols(3 x 64)>
!w = !alg.slots<96x192xbf16, rows(3 x 32), cols(3 x 64)>
!dx = !alg.slots<?x96xbf16, rows(cyclic 3), cols(3 x 32)>

// CHECK: sm.kernel @
// A part of the stationary sums and whole tiles leave through buffers of their own, and boxes are as wide as the part.
// CHECK-DAG: %[[PARTS:.*]] = sm.allocate : <1 x 64 x 16 x bf16
// CHECK-DAG: %[[WHOLE:.*]] = sm.allocate : <1 x 64 x 32 x bf16
// CHECK: sm.partition @multiply
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: sm.mma_fence
// CHECK-NEXT: %[[ONE:.*]] = sm.mma
// CHECK-NEXT: %[[BOTH:.*]] = sm.mma
// CHECK-NEXT: sm.mma_commit
// CHECK-NEXT: sm.mma_wait 1
// CHECK: scf.yield %[[ONE]], %[[BOTH]]
// CHECK: sm.mma_wait 0
// CHECK: %[[SINGLE:.*]] = sm.settle
// CHECK-NEXT: %[[OWN:.*]] = sm.settle
// CHECK: scf.if
// CHECK: sm.write %[[SINGLE]] to %[[WHOLE]]
// CHECK: sm.store %[[WHOLE]]
// CHECK: scf.yield %[[OWN]]
// CHECK: sm.send
// CHECK: sm.add_received
// CHECK: sm.write %{{.*}} to %[[PARTS]]
// CHECK: sm.store %[[PARTS]]
// CHECK: sm.cluster_sync
// The partition that loads walks in the same way, and stores nothing.
// CHECK: sm.partition @load
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: sm.expect
// CHECK-COUNT-3: sm.load
// CHECK-NOT: sm.load
// CHECK-NOT: sm.store
func.func @dx(%dy: tensor<?x192xbf16>, %w: tensor<96x192xbf16>, %p0: index) -> tensor<?x96xbf16> {
  %dys = alg.slots %dy rows(cyclic 3, %p0) cols(3 x 64) : tensor<?x192xbf16>
  %ws = alg.slots %w rows(3 x 32) cols(3 x 64) : tensor<96x192xbf16>
  %dxs = alg.contract %dys, %ws by #alg.algebra<"Q(3)"> -> i : !dy, !w
  %dx = alg.gather %dxs : !dx
  return %dx : tensor<?x96xbf16>
}
