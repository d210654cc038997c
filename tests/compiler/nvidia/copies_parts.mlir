// A slot of several blocks that the maps are for: a copy for each panel of columns, and for each box of rows.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = i>

// CHECK-LABEL: llvm.func @boxes(
// CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32)
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP:.*]], %[[SLOT:.*]], box[%[[INDEX:.*]], %[[INDEX]], %[[INDEX]], %[[INDEX]]]
// 16 rows of 128 bytes further down.
// CHECK: %[[ROW:.*]] = llvm.add %[[INDEX]], %[[C16]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %{{.*}}[2048]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %[[SECOND]], box[%[[INDEX]], %[[INDEX]], %[[INDEX]], %[[ROW]]]
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global
sm.kernel @boxes(%x: !sm.maps<2 x 32 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 16 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<32 x 64, transposed>
    %next = sm.mma %a[%slot], %b[%slot] transposed, %sum : <2 x 32 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <32 x 64, transposed>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<32 x 64, transposed>
    sm.elect {
      sm.store %c[%slot] to %y[%slot] [%slot, %slot, %slot, %slot]
          : <1 x 32 x 64 x bf16, swizzle 128> to <2 x 16 x 64 x bf16, row_dimension 3, swizzle 128>
    }
  }
}
