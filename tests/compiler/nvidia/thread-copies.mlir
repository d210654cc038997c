// Copies by the threads of the block: vectors of rows, zeros for what the operand does not have.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Eight elements at a time: four vectors in a row of a panel of 64 bytes, so that 128 threads copy 32 rows at a time.
// CHECK-LABEL: llvm.func @eight(
// CHECK-SAME: %[[MAPS:arg[0-9]+]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<5 x struct<(ptr<1>, array<3 x i64>, array<4 x i32>, array<3 x ptr<1>>)>>, nvvm.grid_constant}
// CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK-SAME: scaled = false
// CHECK-SAME: shared_bytes = 16384
// CHECK-SAME: threads = 128
// CHECK-SAME: consumers = 1
// CHECK-SAME: vector = 8 : i64, warps = {columns = 2 : i64, rows = 2 : i64}
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK-DAG: %[[STEP:.*]] = llvm.mlir.constant(32 : i64)
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[INDEX:.*]] = nvvm.read.ptx.sreg.ctaid.x
// The map: its address, strides in elements, extents.
// CHECK: %[[MAP:.*]] = llvm.getelementptr %[[MAPS]][%[[INDEX]]] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[MAP]][0, 0]
// CHECK: %[[ADDRESS:.*]] = llvm.load %[[AT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK: %[[STRIDE:.*]] = llvm.load {{.*}} invariant {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK: llvm.load {{.*}} -> i64
// CHECK: %[[ROW_STRIDE:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[START:.*]] = llvm.getelementptr %[[ADDRESS]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[ROW_BYTES:.*]] = llvm.mul %[[ROW_STRIDE]], %[[BYTES]] : i64
// CHECK: %[[COLUMNS:.*]] = llvm.load {{.*}} : !llvm.ptr -> i32
// CHECK: %[[ROWS:.*]] = llvm.load {{.*}} : !llvm.ptr -> i32
// Group and segment have to be there, too.
// CHECK: %[[GROUP:.*]] = llvm.icmp "ult" %[[INDEX]], %{{.*}} : i32
// CHECK: %[[LINE:.*]] = llvm.icmp "ult" %[[INDEX]], %{{.*}} : i32
// CHECK: %[[OTHERS:.*]] = llvm.and %[[GROUP]], %[[LINE]] : i1
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[ROW:.*]] = llvm.lshr %[[THREAD]], %[[FOUR]]
// CHECK: llvm.xor
// CHECK: %[[TO:.*]] = llvm.getelementptr {{.*}} : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: %[[DOWN:.*]] = llvm.mul %[[ROW_BYTES]], %[[STEP]] : i64
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[START]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[HAS_COLUMN:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
// CHECK: %[[FIRST:.*]] = llvm.add %[[INDEX]], %[[ROW]] : i32
// CHECK: %[[IN_ROWS:.*]] = llvm.icmp "ult" %[[FIRST]], %[[ROWS]] : i32
// CHECK: %[[HAS_ROW:.*]] = llvm.and %[[OTHERS]], %[[IN_ROWS]] : i1
// CHECK: %[[PRESENT:.*]] = llvm.and %[[HAS_COLUMN]], %[[HAS_ROW]] : i1
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[FROM]][%[[DOWN]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[BELOW:.*]] = llvm.getelementptr %[[TO]][2048]
// CHECK: %[[SIZE:.*]] = llvm.select %[[PRESENT]], %[[ALL]], %[[NONE]] : i1, i32
// CHECK: nvvm.cp.async.shared.global %[[TO]], %[[FROM]], 16, cache =  cg, %[[SIZE]]
// CHECK: nvvm.cp.async.shared.global %[[BELOW]], %[[SECOND]], 16, cache =  cg, %{{.*}}
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.barrier0
sm.kernel @eight(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  sm.copy %x[%slot] [%slot, %slot, %slot, %slot] to %a[%slot] : <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> to <2 x 64 x 32 x bf16, swizzle 64>
  sm.copy_commit
  sm.copy_wait 1
  sm.block_sync
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Two elements at a time: 4 bytes, through the L1 cache. A row of a panel has 32 vectors, 128 threads copy 4 rows at a
// time, and the swizzle is another one from row to row.
// CHECK-LABEL: llvm.func @two(
// CHECK: llvm.xor
// CHECK: llvm.xor
// CHECK-COUNT-8: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache =  ca, %{{.*}}
// CHECK-NOT: nvvm.cp.async.shared.global
sm.kernel @two(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 2>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 2>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 2>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  sm.copy %w[%zero] [%slot, %slot, %slot, %slot] to %b[%slot] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 2> to <2 x 32 x 64 x bf16, swizzle 128>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Single elements go through registers. What is not there is read from the first element of the map, and not taken.
// CHECK-LABEL: llvm.func @one(
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : i16
// CHECK: %[[ORIGIN:.*]] = llvm.load {{.*}} -> !llvm.ptr<1>
// CHECK: %[[FROM:.*]] = llvm.select %[[PRESENT:.*]], %{{.*}}, %[[ORIGIN]] : i1, !llvm.ptr<1>
// CHECK: %[[READ:.*]] = llvm.load %[[FROM]] {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK: %[[VALUE:.*]] = llvm.select %[[PRESENT]], %[[READ]], %[[ZERO]] : i1, i16
// CHECK-COUNT-15: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-NOT: llvm.load
// CHECK: llvm.store %[[VALUE]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK-COUNT-15: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK-NOT: nvvm.cp.async.shared.global
sm.kernel @one(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 1>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 1>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 1>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  sm.copy %w[%zero] [%slot, %slot, %slot, %slot] to %b[%slot] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 1> to <2 x 32 x 64 x bf16, swizzle 128>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// 96 threads copy three rows of 32 vectors at a time: 16 rows are no multiple of that, and two thirds of the threads have
// one vector less than the others.
// CHECK-LABEL: llvm.func @uneven(
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(512 : i32)
// CHECK: %[[MINE:.*]] = llvm.icmp "ult" %{{.*}}, %[[ALL]] : i32
// CHECK-COUNT-5: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.cond_br %[[MINE]], ^[[COPY:.*]], ^[[AFTER:.*]]
// CHECK: ^[[COPY]]:
// CHECK: nvvm.cp.async.shared.global
// CHECK: llvm.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
sm.kernel @uneven(%x: !sm.maps<2 x 48 x 16 x bf16, row_dimension 3, swizzle 32, vector 2>,
    %w: !sm.maps<1 x 16 x 64 x bf16, row_dimension 2, swizzle 128, vector 2>,
    %y: !sm.maps<2 x 48 x 64 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 48, columns = 64, depth = 16, stages = 2, warps = 3 x 1, vector = 2>} {
  %a = sm.allocate : !sm.buffer<2 x 48 x 16 x bf16, swizzle 32>
  %b = sm.allocate : !sm.buffer<2 x 16 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<48 x 64, warps 3 x 1>
  sm.copy %w[%zero] [%slot, %slot, %slot, %slot] to %b[%slot] : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128, vector 2> to <2 x 16 x 64 x bf16, swizzle 128>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 48 x 16 x bf16, swizzle 32>, <2 x 16 x 64 x bf16, swizzle 128>, <48 x 64, warps 3 x 1>
}
