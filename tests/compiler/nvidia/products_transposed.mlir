// Products of warpgroups by a transposed weight matrix: both operands along their depth, whichever side of the instruction they
// are on, with the descriptors that rows have.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>, mode = i>

// The description of the kernel says which map it computes.
// CHECK-LABEL: llvm.func @on_n(
// CHECK-SAME: map = "dx"
// CHECK-DAG: %[[LEADING:.*]] = llvm.mlir.constant(65536 : i32)
// CHECK-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i32)
sm.kernel @on_n(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 96 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 96 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<64 x 96>
    // CHECK: %[[A_LOW:.*]] = llvm.or %{{.*}}, %[[LEADING]] : i32
    // CHECK: %[[B_LOW:.*]] = llvm.or %{{.*}}, %[[LEADING]] : i32
    // CHECK: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
    // CHECK: llvm.add %[[A_LOW]], %[[C2]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C2]] : i32
    // CHECK: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
    %next = sm.mma %a[%slot], %b[%slot] transposed, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 96 x 64 x bf16, swizzle 128>, <64 x 96>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 96>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>, mode = i>

// The weight matrix is on side M, and its columns are cut among the warpgroups: 64 rows of 64 bytes each.
// CHECK-LABEL: llvm.func @on_m(
// CHECK-DAG: %[[PART:.*]] = llvm.mlir.constant(4096 : i32)
// CHECK: llvm.mul %{{.*}}, %[[PART]] : i32
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 24, k = 16>, {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
sm.kernel @on_m(%x: !sm.maps<2 x 24 x 32 x bf16, row_dimension 3, swizzle 64>,
    %w: !sm.maps<1 x 128 x 32 x bf16, row_dimension 2, swizzle 64>,
    %y: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 24 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 128 x 32 x bf16, swizzle 64>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 224 {
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<24 x 128, transposed>
    %next = sm.mma %a[%slot], %b[%slot] transposed, %sum : <2 x 24 x 32 x bf16, swizzle 64>, <2 x 128 x 32 x bf16, swizzle 64>, <24 x 128, transposed>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<24 x 128, transposed>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// An A that has its rows as columns lies along them, as the weight matrix does: each of two warpgroups has a panel of 64 of
// them, and the next 16 of the depth are 16 rows of 128 bytes further on, 128 units.
// CHECK-LABEL: llvm.func @rows_as_columns(
// CHECK: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK-NOT: nvvm.wgmma.mma_async
sm.kernel @rows_as_columns(%x: !sm.maps<2 x 32 x 128 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 128 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 232 {
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<128 x 64>
    %next = sm.mma %a[%slot] transposed, %b[%slot], %sum : <2 x 32 x 128 x bf16, swizzle 128>, <2 x 32 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<128 x 64>
  }
}
