// Products: descriptors, one instruction for every 16 of the depth, signs.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Above bit 32: a stride of 1024 bytes and the mode of 128 bytes. The leading offset of B is one panel, 8192 bytes.
// CHECK-LABEL: llvm.func @swizzle_128(
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(4611686293305294848 : i64)
// CHECK-DAG: %[[B_LEADING:.*]] = llvm.mlir.constant(33554432 : i32)
// CHECK-DAG: %[[A_LEADING:.*]] = llvm.mlir.constant(65536 : i32)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32
// CHECK-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[C4:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[C6:.*]] = llvm.mlir.constant(6 : i32)
// CHECK-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[C256:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[C384:.*]] = llvm.mlir.constant(384 : i32)
sm.kernel @swizzle_128(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: nvvm.wgmma.fence.aligned
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<64 x 64>
    // The low words hold addresses in units of 16 bytes and the leading offsets; they step through the depth, A within its
    // panels of 128 bytes and from one to the next, B by 16 rows.
    // CHECK: %[[A_LOW:.*]] = llvm.or %{{.*}}, %[[A_LEADING]] : i32
    // CHECK: %[[B_LOW:.*]] = llvm.or %{{.*}}, %[[B_LEADING]] : i32
    // CHECK: %[[A_WIDE:.*]] = llvm.zext %[[A_LOW]] : i32 to i64
    // CHECK: %[[A_0:.*]] = llvm.or %[[A_WIDE]], %[[HIGH]] : i64
    // CHECK: %[[B_WIDE:.*]] = llvm.zext %[[B_LOW]] : i32 to i64
    // CHECK: %[[B_0:.*]] = llvm.or %[[B_WIDE]], %[[HIGH]] : i64
    // CHECK: %[[SUM_0:.*]] = nvvm.wgmma.mma_async %[[A_0]], %[[B_0]], %[[ZERO]], <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
    // CHECK: llvm.add %[[A_LOW]], %[[C2]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C128]] : i32
    // CHECK: %[[SUM_1:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_0]], <m = 64, n = 64, k = 16>
    // CHECK: llvm.add %[[A_LOW]], %[[C4]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C256]] : i32
    // CHECK: %[[SUM_2:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_1]], <m = 64, n = 64, k = 16>
    // CHECK: llvm.add %[[A_LOW]], %[[C6]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C384]] : i32
    // CHECK: %[[SUM_3:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_2]], <m = 64, n = 64, k = 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64>
    // CHECK: nvvm.wgmma.commit.group.sync.aligned
    sm.mma_commit
    // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
    sm.mma_wait 1
    // CHECK: sm.settle %[[SUM_3]]
    %done = sm.settle %next : !sm.accumulator<64 x 64>
    sm.write %done to %c[%slot] : <64 x 64> to <1 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// Above bit 32: a stride of 512 bytes and the mode of 64 bytes. The leading offset of B is one panel, 4096 bytes.
// CHECK-LABEL: llvm.func @swizzle_64(
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(-9223371899415822336 : i64)
// CHECK-DAG: %[[B_LEADING:.*]] = llvm.mlir.constant(16777216 : i32)
// CHECK-DAG: %[[A_LEADING:.*]] = llvm.mlir.constant(65536 : i32)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32
// CHECK-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[C192:.*]] = llvm.mlir.constant(192 : i32)
// CHECK-DAG: %[[C256:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[C258:.*]] = llvm.mlir.constant(258 : i32)
sm.kernel @swizzle_64(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 64>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 64>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 64>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: nvvm.wgmma.fence.aligned
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<64 x 64>
    // The low words hold addresses in units of 16 bytes and the leading offsets; they step through the depth, A within its
    // panels of 64 bytes and from one to the next, B by 16 rows.
    // CHECK: %[[A_LOW:.*]] = llvm.or %{{.*}}, %[[A_LEADING]] : i32
    // CHECK: %[[B_LOW:.*]] = llvm.or %{{.*}}, %[[B_LEADING]] : i32
    // CHECK: %[[A_WIDE:.*]] = llvm.zext %[[A_LOW]] : i32 to i64
    // CHECK: %[[A_0:.*]] = llvm.or %[[A_WIDE]], %[[HIGH]] : i64
    // CHECK: %[[B_WIDE:.*]] = llvm.zext %[[B_LOW]] : i32 to i64
    // CHECK: %[[B_0:.*]] = llvm.or %[[B_WIDE]], %[[HIGH]] : i64
    // CHECK: %[[SUM_0:.*]] = nvvm.wgmma.mma_async %[[A_0]], %[[B_0]], %[[ZERO]], <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <neg>, <row>], B[<bf16>, <one>, <row>]
    // CHECK: llvm.add %[[A_LOW]], %[[C2]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C64]] : i32
    // CHECK: %[[SUM_1:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_0]], <m = 64, n = 64, k = 16>
    // CHECK: llvm.add %[[A_LOW]], %[[C256]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C128]] : i32
    // CHECK: %[[SUM_2:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_1]], <m = 64, n = 64, k = 16>
    // CHECK: llvm.add %[[A_LOW]], %[[C258]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C192]] : i32
    // CHECK: %[[SUM_3:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_2]], <m = 64, n = 64, k = 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum negate : <2 x 64 x 64 x bf16, swizzle 64>, <2 x 64 x 64 x bf16, swizzle 64>, <64 x 64>
    // CHECK: nvvm.wgmma.commit.group.sync.aligned
    sm.mma_commit
    // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
    sm.mma_wait 1
    // CHECK: sm.settle %[[SUM_3]]
    %done = sm.settle %next : !sm.accumulator<64 x 64>
    sm.write %done to %c[%slot] : <64 x 64> to <1 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// Above bit 32: a stride of 256 bytes and the mode of 32 bytes. The leading offset of B is one panel, 2048 bytes.
// CHECK-LABEL: llvm.func @swizzle_32(
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(-4611685949707911168 : i64)
// CHECK-DAG: %[[B_LEADING:.*]] = llvm.mlir.constant(8388608 : i32)
// CHECK-DAG: %[[A_LEADING:.*]] = llvm.mlir.constant(65536 : i32)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-DAG: %[[C96:.*]] = llvm.mlir.constant(96 : i32)
// CHECK-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[C256:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[C384:.*]] = llvm.mlir.constant(384 : i32)
sm.kernel @swizzle_32(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 32>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 32>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 32>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: nvvm.wgmma.fence.aligned
    sm.mma_fence
    %sum = sm.zero : !sm.accumulator<64 x 64>
    // The low words hold addresses in units of 16 bytes and the leading offsets; they step through the depth, A within its
    // panels of 32 bytes and from one to the next, B by 16 rows.
    // CHECK: %[[A_LOW:.*]] = llvm.or %{{.*}}, %[[A_LEADING]] : i32
    // CHECK: %[[B_LOW:.*]] = llvm.or %{{.*}}, %[[B_LEADING]] : i32
    // CHECK: %[[A_WIDE:.*]] = llvm.zext %[[A_LOW]] : i32 to i64
    // CHECK: %[[A_0:.*]] = llvm.or %[[A_WIDE]], %[[HIGH]] : i64
    // CHECK: %[[B_WIDE:.*]] = llvm.zext %[[B_LOW]] : i32 to i64
    // CHECK: %[[B_0:.*]] = llvm.or %[[B_WIDE]], %[[HIGH]] : i64
    // CHECK: %[[SUM_0:.*]] = nvvm.wgmma.mma_async %[[A_0]], %[[B_0]], %[[ZERO]], <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
    // CHECK: llvm.add %[[A_LOW]], %[[C128]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C32]] : i32
    // CHECK: %[[SUM_1:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_0]], <m = 64, n = 64, k = 16>
    // CHECK: llvm.add %[[A_LOW]], %[[C256]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C64]] : i32
    // CHECK: %[[SUM_2:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_1]], <m = 64, n = 64, k = 16>
    // CHECK: llvm.add %[[A_LOW]], %[[C384]] : i32
    // CHECK: llvm.add %[[B_LOW]], %[[C96]] : i32
    // CHECK: %[[SUM_3:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[SUM_2]], <m = 64, n = 64, k = 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 32>, <2 x 64 x 64 x bf16, swizzle 32>, <64 x 64>
    // CHECK: nvvm.wgmma.commit.group.sync.aligned
    sm.mma_commit
    // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
    sm.mma_wait 1
    // CHECK: sm.settle %[[SUM_3]]
    %done = sm.settle %next : !sm.accumulator<64 x 64>
    sm.write %done to %c[%slot] : <64 x 64> to <1 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// With two warpgroups, each reads its own 64 rows of A: 64 rows of 128 bytes further.
// CHECK-LABEL: llvm.func @two_warpgroups(
// CHECK-DAG: %[[ROWS:.*]] = llvm.mlir.constant(8192 : i32)
// CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(7 : i32)
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARPGROUP:.*]] = llvm.lshr %[[THREAD]], %[[BITS]]
// CHECK: %[[OWN:.*]] = llvm.mul %[[WARPGROUP]], %[[ROWS]]
// CHECK: %[[START:.*]] = llvm.add %{{.*}}, %[[OWN]]
// CHECK: llvm.lshr %[[START]], %{{.*}}
sm.kernel @two_warpgroups(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 8 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : !sm.accumulator<128 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 128 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// Rows on side N: the weight matrix is the transposed first operand, of which each warpgroup takes a panel of 64 columns; the rows
// of X are the second, stored along the depth, 24 of them. 32 of a depth of 64 are two instructions.
// CHECK-LABEL: llvm.func @rows_on_n(
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %{{.*}}, <m = 64, n = 24, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <col>]
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %{{.*}}, <m = 64, n = 24, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <col>]
// CHECK-NOT: nvvm.wgmma.mma_async
sm.kernel @rows_on_n(%x: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 24 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 128 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<2 x 24 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 8 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : !sm.accumulator<24 x 128, transposed>
    %next = sm.mma %a[%slot], %b[%slot], %sum depth 32 : <2 x 24 x 64 x bf16, swizzle 128>, <2 x 64 x 128 x bf16, swizzle 128>, <24 x 128, transposed>
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<24 x 128, transposed>
    sm.write %done to %c[%slot] : <24 x 128, transposed> to <2 x 24 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}
