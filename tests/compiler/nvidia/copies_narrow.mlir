// Panels beyond the columns that are needed are not copied.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 200>, row_types = #alg.row_types<cyclic 2>>

// CHECK-LABEL: llvm.func @narrow(
// One instruction of 40 columns from a stage of 192; of the result's stage one panel.
// CHECK: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 40, k = 16>
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global.shared.cta
// One panel whatever holds, two elsewhere.
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: %[[WHOLE:.*]] = llvm.xor %{{.*}}, %{{.*}} : i1
// CHECK: llvm.cond_br %[[WHOLE]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
sm.kernel @narrow(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 192 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 192 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <2 x 64 x 192 x bf16, swizzle 128>
  %c = sm.allocate : <1 x 64 x 192 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  sm.initialize %full : !sm.barriers<2>
  %i = arith.constant 0 : index
  %last = arith.cmpi eq, %rows, %offset : index
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.mma_fence
    %few = sm.zero : <64 x 40>
    %next = sm.mma %a[%i], %b[%i], %few depth 16 : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 192 x bf16, swizzle 128>, <64 x 40>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 40>
    sm.write %done to %c[%i] : <64 x 40> to <1 x 64 x 192 x bf16, swizzle 128>
    sm.elect {
      sm.store %c[%i] columns 40 to %y[%i] [%i, %i, %i, %i] : <1 x 64 x 192 x bf16, swizzle 128> to <2 x 64 x 192 x bf16, row_dimension 3, swizzle 128>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] narrow %last to 40 signal %full[%i] : <1 x 64 x 192 x bf16, row_dimension 2, swizzle 128> to <2 x 64 x 192 x bf16, swizzle 128>, !sm.barriers<2>
    }
  }
}
