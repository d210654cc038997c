// Sums on their way to shared memory: stmatrix for bf16, pairs for f32, both in the layout of the copy engine.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Four matrices of 8 x 8 for each 16 columns: rows 0-7 and 8-15 of the warp in 8 columns, and in the next 8.
// CHECK-LABEL: llvm.func @bf16(
// CHECK-DAG: %[[C1:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG: %[[C4:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[C5:.*]] = llvm.mlir.constant(5 : i32)
// CHECK-DAG: %[[C15:.*]] = llvm.mlir.constant(15 : i32)
// CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-DAG: %[[C127:.*]] = llvm.mlir.constant(127 : i32)
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[DONE:.*]] = sm.settle
// Lane l gives the address of row l mod 16 of its warp; lanes 16 to 31 that of the next piece of 16 bytes.
// CHECK: %[[IN_WARPGROUP:.*]] = llvm.and %[[THREAD]], %[[C127]]
// CHECK: %[[WARP:.*]] = llvm.lshr %[[IN_WARPGROUP]], %[[C5]]
// CHECK: %[[WARP_ROW:.*]] = llvm.mul %[[WARP]], %[[C16]]
// CHECK: %[[LANE_ROW:.*]] = llvm.and %[[THREAD]], %[[C15]]
// CHECK: %[[ROW:.*]] = llvm.add %[[WARP_ROW]], %[[LANE_ROW]]
// CHECK: %[[PIECE:.*]] = llvm.and %[[THREAD]], %[[C16]]
// CHECK: %[[ROW_BYTES:.*]] = llvm.mul %[[ROW]], %[[C64]]
// CHECK: %[[ROW_START:.*]] = llvm.getelementptr %{{.*}}[%[[ROW_BYTES]]]
// Rows of 64 bytes: the pieces are permuted by bits 1 and 2 of the row.
// CHECK: %[[HALF:.*]] = llvm.lshr %[[ROW]], %[[C1]]
// CHECK: %[[TURN:.*]] = llvm.and %[[HALF]], %[[C3]]
// CHECK: %[[TURN_BYTES:.*]] = llvm.shl %[[TURN]], %[[C4]]
// CHECK: %[[HIGH:.*]] = llvm.extractvalue %[[DONE]][1]
// CHECK: %[[LOW:.*]] = llvm.extractvalue %[[DONE]][0]
// CHECK: %[[PAIR:.*]] = nvvm.convert.f32x2.to.bf16x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>}
// CHECK: %[[FIRST:.*]] = llvm.bitcast %[[PAIR]]
// CHECK: %[[AT_0:.*]] = llvm.xor %[[PIECE]], %[[TURN_BYTES]]
// CHECK: %[[ADDRESS_0:.*]] = llvm.getelementptr %[[ROW_START]][%[[AT_0]]]
// CHECK: nvvm.stmatrix %[[ADDRESS_0]], %[[FIRST]], %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK: %[[AT_1:.*]] = llvm.xor %[[AT_0]], %[[C32]]
// CHECK: %[[ADDRESS_1:.*]] = llvm.getelementptr %[[ROW_START]][%[[AT_1]]]
// CHECK: nvvm.stmatrix %[[ADDRESS_1]]
// The next panel of 32 columns lies 64 rows further.
// CHECK: %[[ADDRESS_2:.*]] = llvm.getelementptr %[[ADDRESS_0]][4096]
// CHECK: nvvm.stmatrix %[[ADDRESS_2]]
// CHECK: nvvm.stmatrix
// CHECK-NOT: nvvm.stmatrix
sm.kernel @bf16(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 64>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64>
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 64>
    sm.write %done to %c[%slot] : <64 x 64> to <1 x 64 x 64 x bf16, swizzle 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// Two sums of every 8 columns for each of two rows: 16 stores for 64 columns.
// CHECK-LABEL: llvm.func @f32(
// CHECK: %[[DONE:.*]] = sm.settle
// CHECK: %[[LOW:.*]] = llvm.extractvalue %[[DONE]][0]
// CHECK: %[[HIGH:.*]] = llvm.extractvalue %[[DONE]][1]
// CHECK: %[[PAIR:.*]] = llvm.insertelement %[[HIGH]], %{{.*}} : vector<2xf32>
// CHECK: llvm.store %[[PAIR]], %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-COUNT-15: llvm.store
// CHECK-NOT: llvm.store
sm.kernel @f32(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x f32, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x f32, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64>
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 64>
    sm.write %done to %c[%slot] : <64 x 64> to <1 x 64 x 64 x f32, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// Transposed sums of 24 rows: stmatrix turns its matrices, four of them for 16 rows, two for the 8 that are left. A
// warp's 16 columns are two pieces; lanes 8 to 15 and 24 to 31 give addresses in the second.
// CHECK-LABEL: llvm.func @transposed_bf16(
// CHECK-DAG: %[[C7:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK-DAG: %[[SECOND_PIECE:.*]] = llvm.and %{{.*}}, %[[C8]]
// CHECK-DAG: llvm.and %{{.*}}, %[[C16]]
// CHECK-DAG: llvm.and %{{.*}}, %[[C7]]
// CHECK-DAG: llvm.mul %{{.*}}, %[[C32]]
// CHECK: nvvm.stmatrix %[[FIRST:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>
// 16 rows of 128 bytes further.
// CHECK: %[[LAST:.*]] = llvm.getelementptr %[[FIRST]][2048]
// CHECK: nvvm.stmatrix %[[LAST]], %{{[^,]*}}, %{{[^,]*}} {{{.*}}layout = #nvvm.mma_layout<col>
// CHECK-NOT: nvvm.stmatrix
sm.kernel @transposed_bf16(%x: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>,
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

// f32: a store for each of the 12 sums of a thread.
// CHECK-LABEL: llvm.func @transposed_f32(
// CHECK-COUNT-12: llvm.store %{{.*}} : f32
// CHECK-NOT: llvm.store
sm.kernel @transposed_f32(%x: !sm.maps<2 x 24 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 24 x 64 x f32, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 24 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 128 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<2 x 24 x 64 x f32, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 8 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : !sm.accumulator<24 x 128, transposed>
    %next = sm.mma %a[%slot], %b[%slot], %sum depth 32 : <2 x 24 x 64 x bf16, swizzle 128>, <2 x 64 x 128 x bf16, swizzle 128>, <24 x 128, transposed>
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<24 x 128, transposed>
    sm.write %done to %c[%slot] : <24 x 128, transposed> to <2 x 24 x 64 x f32, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}
