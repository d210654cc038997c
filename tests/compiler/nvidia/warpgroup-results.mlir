// Sums of warpgroups that leave straight from registers: a warp has 16 rows of its warpgroup's 64, and all columns. The
// plain map of the result lies behind the tensor maps.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 128>, weights = <4 x 128>, out = <4 x 16>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 128, columns = 16, depth = 32, stages = 2>

// CHECK-LABEL: llvm.func @dw(
// CHECK-SAME: llvm.byval = !llvm.struct<(array<6 x array<128 x i8>>, array<1 x struct<(ptr<1>, array<3 x i64>, array<4 x i32>, array<3 x ptr<1>>)>>)>
// CHECK-SAME: %arg4: f32
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
// What dW holds is read two neighbouring columns at a time, and two of 8 columns in a row before the first of them is
// written.
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<1> -> i64
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<1> -> i64
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// Without beta it is not read.
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1> -> i64
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store %{{.*}} : vector<2xf32>
sm.kernel @dw(%x: !sm.maps<3 x 32 x 128 x bf16, row_dimension 3, swizzle 128>,
              %dy: !sm.maps<3 x 32 x 16 x bf16, row_dimension 3, swizzle 32>,
              %dw: !sm.maps<1 x 128 x 16 x f32, row_dimension 2, vector 2>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32) attributes {layout = #layout, schedule = #schedule} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 128 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 32 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 224 {
    %sum = sm.zero : !sm.accumulator<128 x 16>
    sm.mma_fence
    %next = sm.mma %a[%slot] transposed, %b[%slot], %sum : <2 x 32 x 128 x bf16, swizzle 128>, <2 x 32 x 16 x bf16, swizzle 32>, <128 x 16>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<128 x 16>
    sm.store_sums %done to %dw[%slot] [%slot, %slot, %slot, %slot] plus %beta : <128 x 16> to <1 x 128 x 16 x f32, row_dimension 2, vector 2>
    sm.store_sums %done to %dw[%slot] [%slot, %slot, %slot, %slot] : <128 x 16> to <1 x 128 x 16 x f32, row_dimension 2, vector 2>
  }
}
