// Sums of warpgroups that leave straight from registers: a warp has 16 rows of its warpgroup's 64, and all columns. The
// plain map of the result lies behind the tensor maps.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 128>, weights = <4 x 128>, out = <4 x 32>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 128, columns = 32, depth = 32, stages = 2>

// CHECK-LABEL: llvm.func @dw(
// CHECK-SAME: llvm.byval = !llvm.struct<(array<6 x array<128 x i8>>, array<1 x struct<(ptr<1>, array<3 x i64>, array<4 x i32>, array<3 x ptr<1>>)>>)>
// CHECK-SAME: %[[BETA:arg4]]: f32
// CHECK-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i32) : i32
// CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32) : i32
// Number 6 of 128 bytes each.
// CHECK: %[[MAP:.*]] = llvm.getelementptr %{{.*}}[6] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<128 x i8>
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARPGROUP:.*]] = llvm.lshr %[[THREAD]], %{{.*}} : i32
// CHECK: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// The rows before a warp's: 64 for its warpgroup, 16 for the warp within it.
// CHECK: %[[OF_WARPGROUP:.*]] = llvm.mul %[[WARPGROUP]], %[[C64]] : i32
// CHECK: %[[OF_WARP:.*]] = llvm.mul %{{.*}}, %[[C16]] : i32
// CHECK: llvm.add %[[OF_WARPGROUP]], %[[OF_WARP]] : i32
// What dW holds is read as wide as it is written, and two pieces of a row before the first of them is written. Two lanes
// exchange the sums of two tiles right before that.
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: llvm.intr.fmuladd(%[[BETA]],
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
sm.kernel @dw(%x: !sm.maps<3 x 32 x 128 x bf16, row_dimension 3, swizzle 128>,
              %dy: !sm.maps<3 x 32 x 32 x bf16, row_dimension 3, swizzle 64>,
              %dw: !sm.maps<1 x 128 x 32 x f32, row_dimension 2, vector 4>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32) attributes {layout = #layout, schedule = #schedule} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 128 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 32 x 32 x bf16, swizzle 64>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 224 {
    %sum = sm.zero : !sm.accumulator<128 x 32>
    sm.mma_fence
    %next = sm.mma %a[%slot] transposed, %b[%slot], %sum : <2 x 32 x 128 x bf16, swizzle 128>, <2 x 32 x 32 x bf16, swizzle 64>, <128 x 32>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<128 x 32>
    sm.store_sums %done to %dw[%slot] [%slot, %slot, %slot, %slot] plus %beta : <128 x 32> to <1 x 128 x 32 x f32, row_dimension 2, vector 4>
    sm.store_sums %done to %dw[%slot] [%slot, %slot, %slot, %slot] : <128 x 32> to <1 x 128 x 32 x f32, row_dimension 2, vector 4>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 128>, weights = <4 x 128>, out = <4 x 32>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 128, columns = 32, depth = 32, stages = 2>

// The same in bf16: four lanes exchange sums before what is held is added, and words once they are rounded where nothing
// is.
// CHECK-LABEL: llvm.func @rounded(
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-8: nvvm.shfl.sync bfly %{{.*}} : f32 -> f32
// CHECK-COUNT-8: llvm.intr.fmuladd
// CHECK-COUNT-4: nvvm.convert.f32x2.to.bf16x2
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-8: nvvm.shfl.sync bfly %{{.*}} : f32 -> f32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-4: nvvm.convert.f32x2.to.bf16x2
// CHECK-COUNT-4: nvvm.shfl.sync bfly %{{.*}} : i32 -> i32
// CHECK-NOT: shfl
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-4: nvvm.shfl.sync bfly %{{.*}} : i32 -> i32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
sm.kernel @rounded(%x: !sm.maps<3 x 32 x 128 x bf16, row_dimension 3, swizzle 128>,
              %dy: !sm.maps<3 x 32 x 32 x bf16, row_dimension 3, swizzle 64>,
              %dw: !sm.maps<1 x 128 x 32 x bf16, row_dimension 2, vector 8>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32) attributes {layout = #layout, schedule = #schedule} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 128 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 32 x 32 x bf16, swizzle 64>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 224 {
    %sum = sm.zero : !sm.accumulator<128 x 32>
    sm.mma_fence
    %next = sm.mma %a[%slot] transposed, %b[%slot], %sum : <2 x 32 x 128 x bf16, swizzle 128>, <2 x 32 x 32 x bf16, swizzle 64>, <128 x 32>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<128 x 32>
    sm.store_sums %done to %dw[%slot] [%slot, %slot, %slot, %slot] plus %beta : <128 x 32> to <1 x 128 x 32 x bf16, row_dimension 2, vector 8>
    sm.store_sums %done to %dw[%slot] [%slot, %slot, %slot, %slot] : <128 x 32> to <1 x 128 x 32 x bf16, row_dimension 2, vector 8>
  }
}
