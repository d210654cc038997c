// The copy engine adds what it stores.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>

// CHECK-LABEL: llvm.func @added(
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.cp.async.bulk.tensor.reduce %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {redKind = #nvvm.tma_redux_kind<add>}
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global.shared.cta
sm.kernel @added(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 32 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x f32, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %a = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <2 x 64 x 32 x bf16, swizzle 64>
  %c = sm.allocate : <1 x 64 x 32 x f32, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.mma_fence
    %zero = sm.zero : <64 x 32>
    %next = sm.mma %a[%i], %b[%i], %zero depth 16 : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 32 x bf16, swizzle 64>, <64 x 32>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 32>
    sm.write %done to %c[%i] : <64 x 32> to <1 x 64 x 32 x f32, swizzle 128>
    sm.elect {
      sm.store %c[%i] added to %y[%i] [%i, %i, %i, %i] : <1 x 64 x 32 x f32, swizzle 128> to <2 x 64 x 32 x f32, row_dimension 3, swizzle 128>
    }
  }
}
