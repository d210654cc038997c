// Kernels of two layers: sums become rows of the next product in the registers in which they are.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 32>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 32>, weights = <4 x 32>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 32, depth = 64, stages = 3, stationary = 2>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 2, stationary = 4>

// The description has the schedule of both layers, the stages and the depth of the first, and the boxes of the last weight matrix.
// CHECK-LABEL: llvm.func @layers(
// CHECK-SAME: sm.kernel = {boxes = {next_w = {columns = 64 : i64, rows = 32 : i64, swizzle = 128 : i64}, w = {columns = 32 : i64, rows = 64 : i64, swizzle = 64 : i64}, x = {columns = 64 : i64, rows = 128 : i64, swizzle = 128 : i64}
// CHECK-SAME: schedule = "rows=128,hidden=32,depth=64,stages=3x2,stationary=4"
// CHECK-SAME: tile = {columns = 64 : i64, consumers = 2 : i64, depth = 64 : i64, held_groups = 4 : i64, rows = 128 : i64, stages = 3 : i64}
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0.000000e+00 : f32)
// CHECK-DAG: %[[ZEROS:.*]] = llvm.mlir.zero : !llvm.struct<(f32
// CHECK-DAG: %[[ANYTHING:.*]] = llvm.mlir.undef : !llvm.struct<(f32
// CHECK-DAG: %[[C7:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[C4096:.*]] = llvm.mlir.constant(4096 : i32)
// CHECK-DAG: %[[C8192:.*]] = llvm.mlir.constant(8192 : i32)
// CHECK-DAG: %[[B_LEADING:.*]] = llvm.mlir.constant(16777216 : i32)
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(4611686293305294848 : i64)
// CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARPGROUP:.*]] = llvm.lshr %[[THREAD]], %[[C7]] : i32
sm.kernel @layers(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 32 x bf16, row_dimension 2, swizzle 64>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
                  %w2: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>)
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %a = sm.allocate : <1 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <3 x 64 x 32 x bf16, swizzle 64>
  %d = sm.allocate : <2 x 32 x 64 x bf16, swizzle 128>
  %kept = sm.allocate : <2 x 128 x 32 x bf16, swizzle 64>
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <1>
  %i = sm.block_index
  sm.partition @multiply warpgroups 2 registers 224 {
    %none = sm.zero : <128 x 32>
    sm.mma_fence
    // The first instruction overwrites the sums, whatever they are, the second adds to what it left.
    // CHECK: %[[FIRST:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[ANYTHING]], <m = 64, n = 32, k = 16>, D[<f32>, <zero>],
    // CHECK: %[[SECOND:.*]] = nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[FIRST]], <m = 64, n = 32, k = 16>, D[<f32>, <one>],
    // CHECK: %[[H:.*]] = sm.settle %[[SECOND]]
    %h = sm.mma %a[%i], %b[%i], %none overwrite depth 32 : <1 x 128 x 64 x bf16, swizzle 128>, <3 x 64 x 32 x bf16, swizzle 64>, <128 x 32>
    sm.mma_commit
    sm.mma_wait 0
    %made = sm.settle %h : !sm.accumulator<128 x 32>
    %last = arith.cmpi eq, %i, %rows : index
    // Of columns 24 to 31 a thread has the sums from number 12 on; the others stay as they are.
    // CHECK: %[[LAST:.*]] = llvm.icmp "eq"
    // CHECK-NEXT: %[[H12:.*]] = llvm.extractvalue %[[H]][12]
    // CHECK-NEXT: %[[S12:.*]] = llvm.select %[[LAST]], %[[ZERO]], %[[H12]] : i1, f32
    // CHECK: %[[H13:.*]] = llvm.extractvalue %[[H]][13]
    // CHECK-NEXT: %[[S13:.*]] = llvm.select %[[LAST]], %[[ZERO]], %[[H13]] : i1, f32
    // CHECK: %[[H14:.*]] = llvm.extractvalue %[[H]][14]
    // CHECK-NEXT: %[[S14:.*]] = llvm.select %[[LAST]], %[[ZERO]], %[[H14]] : i1, f32
    // CHECK: %[[H15:.*]] = llvm.extractvalue %[[H]][15]
    // CHECK-NEXT: %[[S15:.*]] = llvm.select %[[LAST]], %[[ZERO]], %[[H15]] : i1, f32
    // CHECK-NOT: llvm.select
    %clipped = sm.clip_columns %made narrow %last to 24 : <128 x 32>
    sm.sync
    // A stage has the rows of both warpgroups: each begins with its own 64, of 64 bytes.
    // CHECK: %[[STAGE_BYTES:.*]] = llvm.mul %{{.*}}, %[[C8192]] : i32
    // CHECK-NEXT: %[[STAGE:.*]] = llvm.getelementptr %{{.*}}[%[[STAGE_BYTES]]]
    // CHECK-NEXT: %[[ROWS_BEFORE:.*]] = llvm.mul %[[WARPGROUP]], %[[C4096]] : i32
    // CHECK-NEXT: %[[START:.*]] = llvm.getelementptr %[[STAGE]][%[[ROWS_BEFORE]]]
    // CHECK: %[[LANE_START:.*]] = llvm.getelementptr %[[START]]
    sm.write %clipped to %kept[%i] : <128 x 32> to <2 x 128 x 32 x bf16, swizzle 64>
    sm.fence
    sm.sync
    // Pairs of sums are words, the sum of the lower column in the lower half. Four words are the rows of an instruction: of a row and of
    // that 8 below in 8 columns, and the same in the next 8. What is written and what is multiplied is rounded once.
    // CHECK-DAG: %[[H0:.*]] = llvm.extractvalue %[[H]][0]
    // CHECK-DAG: %[[H1:.*]] = llvm.extractvalue %[[H]][1]
    // CHECK: %[[P0:.*]] = nvvm.convert.f32x2.to.bf16x2 %[[H1]], %[[H0]] {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
    // CHECK-NEXT: %[[W0:.*]] = llvm.bitcast %[[P0]] : vector<2xbf16> to i32
    // CHECK: %[[W1:.*]] = llvm.bitcast
    // CHECK: %[[W2:.*]] = llvm.bitcast
    // CHECK-DAG: %[[H6:.*]] = llvm.extractvalue %[[H]][6]
    // CHECK-DAG: %[[H7:.*]] = llvm.extractvalue %[[H]][7]
    // CHECK: %[[P3:.*]] = nvvm.convert.f32x2.to.bf16x2 %[[H7]], %[[H6]]
    // CHECK-NEXT: %[[W3:.*]] = llvm.bitcast %[[P3]]
    // CHECK: nvvm.stmatrix %{{.*}}, %[[W0]], %[[W1]], %[[W2]], %[[W3]]
    // CHECK: %[[W4:.*]] = llvm.bitcast
    // CHECK: %[[W5:.*]] = llvm.bitcast
    // CHECK: %[[P6:.*]] = nvvm.convert.f32x2.to.bf16x2 %[[S13]], %[[S12]]
    // CHECK-NEXT: %[[W6:.*]] = llvm.bitcast %[[P6]]
    // CHECK: %[[P7:.*]] = nvvm.convert.f32x2.to.bf16x2 %[[S15]], %[[S14]]
    // CHECK-NEXT: %[[W7:.*]] = llvm.bitcast %[[P7]]
    // CHECK: nvvm.stmatrix %{{.*}}, %[[W4]], %[[W5]], %[[W6]], %[[W7]]
    // CHECK: nvvm.fence.proxy
    %fragment = sm.fragment %clipped : <128 x 32> to <128 x 32>
    %zero = sm.zero : <128 x 64>
    sm.mma_fence
    // One instruction for every 16 of the depth, which is 128 units of 16 bytes further on in B. It is no operation of nvvm.
    // CHECK: nvvm.wgmma.fence.aligned
    // CHECK: %[[B_LOW:.*]] = llvm.or %{{.*}}, %[[B_LEADING]] : i32
    // CHECK: %[[B_WIDE:.*]] = llvm.zext %[[B_LOW]] : i32 to i64
    // CHECK: %[[B_0:.*]] = llvm.or %[[B_WIDE]], %[[HIGH]] : i64
    // CHECK-NEXT: %[[SUM_0:.*]] = sm.wgmma_from_registers %[[ZEROS]], %[[W0]], %[[W1]], %[[W2]], %[[W3]], %[[B_0]] : !llvm.struct<(f32
    // CHECK-NEXT: %[[B_NEXT:.*]] = llvm.add %[[B_LOW]], %[[C128]] : i32
    // CHECK-NEXT: %[[B_WIDE_1:.*]] = llvm.zext %[[B_NEXT]] : i32 to i64
    // CHECK-NEXT: %[[B_1:.*]] = llvm.or %[[B_WIDE_1]], %[[HIGH]] : i64
    // CHECK-NEXT: %[[SUM_1:.*]] = sm.wgmma_from_registers %[[SUM_0]], %[[W4]], %[[W5]], %[[W6]], %[[W7]], %[[B_1]] : !llvm.struct<(f32
    %one = sm.mma_fragment %fragment, %d[%i], %zero : <128 x 32>, <2 x 32 x 64 x bf16, swizzle 128>, <128 x 64>
    // Products of rows in shared memory add to the same sums.
    // CHECK: %[[SUM_2:.*]] = nvvm.wgmma.mma_async %{{.*}}, %[[B_0]], %[[SUM_1]], <m = 64, n = 64, k = 16>, D[<f32>, <one>],
    // CHECK: %[[SUM_3:.*]] = nvvm.wgmma.mma_async %{{.*}}, %[[B_1]], %[[SUM_2]], <m = 64, n = 64, k = 16>, D[<f32>, <one>],
    // CHECK: sm.settle %[[SUM_3]]
    %two = sm.mma %kept[%i], %d[%i], %one : <2 x 128 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <128 x 64>
    sm.mma_commit
    sm.mma_wait 0
    %sum = sm.settle %two : !sm.accumulator<128 x 64>
    %g = sm.warpgroup
    sm.write %sum to %c[%g] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 56 {
    // The stages are those of the buffers that each layer's weights are loaded into.
    sm.elect {
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] signal %full[%i] : <1 x 64 x 32 x bf16, row_dimension 2, swizzle 64> to <3 x 64 x 32 x bf16, swizzle 64>, !sm.barriers<1>
      sm.load %w2[%i] [%i, %i, %i, %i] to %d[%i] signal %full[%i] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> to <2 x 32 x 64 x bf16, swizzle 128>, !sm.barriers<1>
    }
  }
}

// Of a fragment of 32 columns, two instructions deep, the first alone is multiplied. Above bit 32: B lies in panels of 64 bytes.
// CHECK-LABEL: llvm.func @part(
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(-9223371899415822336 : i64)
// CHECK: %[[H:.*]] = sm.settle
// CHECK-COUNT-4: nvvm.convert.f32x2.to.bf16x2
// CHECK: %[[B:.*]] = llvm.or %{{.*}}, %[[HIGH]] : i64
// CHECK-NEXT: %[[NEXT:.*]] = sm.wgmma_from_registers %{{.*}}, %[[B]] :
// CHECK-NOT: sm.wgmma_from_registers
// CHECK: sm.settle %[[NEXT]]
sm.kernel @part(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 32 x bf16, row_dimension 2, swizzle 64>,
                %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
                %w2: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2, swizzle 64>)
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %a = sm.allocate : <1 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <3 x 64 x 32 x bf16, swizzle 64>
  %d = sm.allocate : <2 x 32 x 32 x bf16, swizzle 64>
  %c = sm.allocate : <1 x 64 x 32 x bf16, swizzle 64>
  %i = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %none = sm.zero : <64 x 32>
    %h = sm.mma %a[%i], %b[%i], %none : <1 x 64 x 64 x bf16, swizzle 128>, <3 x 64 x 32 x bf16, swizzle 64>, <64 x 32>
    %made = sm.settle %h : !sm.accumulator<64 x 32>
    %fragment = sm.fragment %made : <64 x 32> to <64 x 32>
    %next = sm.mma_fragment %fragment, %d[%i], %none depth 16 : <64 x 32>, <2 x 32 x 32 x bf16, swizzle 64>, <64 x 32>
    %sum = sm.settle %next : !sm.accumulator<64 x 32>
    sm.write %sum to %c[%i] : <64 x 32> to <1 x 64 x 32 x bf16, swizzle 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}
