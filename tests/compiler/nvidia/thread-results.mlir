// Sums leave straight from registers: each thread has two neighbouring columns of a tile, in two rows. Where more columns
// go at a time, the lanes of a row exchange words of neighbouring tiles.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// CHECK-LABEL: llvm.func @pairs(
// CHECK: nvvm.mma.sync
// CHECK: %[[LEFT:.*]] = nvvm.mma.sync
// CHECK: %[[SUM0:.*]] = llvm.extractvalue
// CHECK: %[[MAP:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct
// CHECK: %[[COLUMNS:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK: %[[ROWS:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK-NOT: shfl
// CHECK: %[[START:.*]] = llvm.getelementptr {{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[HAS_FIRST:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
// CHECK: %[[HAS_SECOND:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
// CHECK: %[[IN_ROWS:.*]] = llvm.icmp "ult" %{{.*}}, %[[ROWS]] : i32
// CHECK: %[[HAS_ROW:.*]] = llvm.and %{{.*}}, %[[IN_ROWS]] : i1
// CHECK: llvm.cond_br %[[HAS_ROW]]
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: %[[PAIR:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: llvm.cond_br %[[HAS_FIRST]]
// CHECK: llvm.store %[[PAIR]], %[[START]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[START]][16]
// CHECK: llvm.cond_br %[[HAS_SECOND]]
// CHECK: llvm.store %{{.*}}, %[[NEXT]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: llvm.cond_br
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-NOT: llvm.store
sm.kernel @pairs(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 2>,
    %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 2>,
    %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 2, warps = 1 x 1, vector = 2>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<16 x 16, warps 1 x 1>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<16 x 16, warps 1 x 1> to !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Eight at a time, of seven tiles: four lanes transpose the words of four tiles, two those of two, and the last tile goes
// in pairs. Every lane takes part in the exchange, whether its row is there or not.
// CHECK-LABEL: llvm.func @eights(
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
// CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(31 : i32) : i32
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32) : i32
// CHECK: %[[COLUMNS:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK: %[[ROWS:.*]] = llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr -> i32
// A lane has a tile of four; or, of two tiles, four of the eight columns.
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: llvm.icmp "eq" %{{.*}}, %[[ZERO]] : i32
// CHECK: llvm.icmp "eq" %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[START4:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[HAS4:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
// CHECK: %[[START2:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[HAS2:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
// CHECK: %[[START1:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[HAS1:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
// CHECK: %[[IN_ROWS:.*]] = llvm.icmp "ult" %{{.*}}, %[[ROWS]] : i32
// CHECK: %[[HAS_ROW:.*]] = llvm.and %{{.*}}, %[[IN_ROWS]] : i1
// CHECK-NOT: cond_br
// CHECK-COUNT-4: nvvm.convert.f32x2.to.bf16x2
// The first round: tiles 0 and 1, and 2 and 3; the second one: 0 and 2, and 1 and 3.
// CHECK: %[[WORD3:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: %[[SENT:.*]] = llvm.select %[[IS_EVEN:.*]], %{{.*}}, %{{.*}} : i1, i32
// CHECK: %[[RECEIVED:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[SENT]], %[[ONE]], %[[LAST]] : i32 -> i32
// CHECK: llvm.select %[[IS_EVEN]], %{{.*}}, %[[RECEIVED]]
// CHECK: llvm.select %[[IS_EVEN]], %[[RECEIVED]], %{{.*}}
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %[[ONE]], %[[LAST]] : i32 -> i32
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %[[TWO]], %[[LAST]] : i32 -> i32
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %[[TWO]], %[[LAST]] : i32 -> i32
// CHECK-NOT: shfl
// CHECK: %[[STORES4:.*]] = llvm.and %[[HAS_ROW]], %[[HAS4]] : i1
// CHECK: llvm.cond_br %[[STORES4]]
// CHECK: llvm.store %{{.*}}, %[[START4]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-2: nvvm.convert.f32x2.to.bf16x2
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %[[ONE]], %[[LAST]] : i32 -> i32
// CHECK: %[[BEHIND4:.*]] = llvm.getelementptr %[[START2]][64]
// CHECK: %[[STORES2:.*]] = llvm.and %[[HAS_ROW]], %[[HAS2]] : i1
// CHECK: llvm.cond_br %[[STORES2]]
// CHECK: llvm.store %{{.*}}, %[[BEHIND4]] {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK: %[[BEHIND2:.*]] = llvm.getelementptr %[[START1]][96]
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: %[[STORES1:.*]] = llvm.and %[[HAS_ROW]], %[[HAS1]] : i1
// CHECK: llvm.cond_br %[[STORES1]]
// CHECK: llvm.store %{{.*}}, %[[BEHIND2]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT: shfl
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK: nvvm.shfl.sync
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32
// CHECK-NOT: llvm.store
sm.kernel @eights(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 112 x bf16, row_dimension 2, swizzle 32, vector 8>,
    %y: !sm.maps<2 x 16 x 112 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 112, depth = 32, stages = 2, warps = 1 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 112 x bf16, swizzle 32>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<16 x 112, warps 1 x 2>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 112 x bf16, swizzle 32>, <16 x 112, warps 1 x 2>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<16 x 112, warps 1 x 2> to !sm.maps<2 x 16 x 112 x bf16, row_dimension 3, vector 8>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Four f32 are 16 bytes: two lanes exchange the left columns of two tiles, and the right ones.
// CHECK-LABEL: llvm.func @floats(
// CHECK-NOT: convert
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}} : f32 -> f32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}} : f32 -> f32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
sm.kernel @floats(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
    %y: !sm.maps<2 x 16 x 16 x f32, row_dimension 3, vector 4>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 2, warps = 1 x 1, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<16 x 16, warps 1 x 1>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<16 x 16, warps 1 x 1> to !sm.maps<2 x 16 x 16 x f32, row_dimension 3, vector 4>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// One at a time: each element has a condition of its own.
// CHECK-LABEL: llvm.func @singles(
// CHECK-COUNT-4: llvm.icmp "ult" %{{.*}}, %[[COLUMNS:.*]] : i32
// CHECK-NOT: shfl
// CHECK: %[[PAIR:.*]] = llvm.bitcast
// CHECK: %[[LOW:.*]] = llvm.trunc %[[PAIR]] : i32 to i16
// CHECK: llvm.store %[[LOW]], %[[AT:.*]] {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK: %[[UPPER:.*]] = llvm.lshr
// CHECK: %[[HIGH:.*]] = llvm.trunc %[[UPPER]] : i32 to i16
// CHECK: llvm.getelementptr %[[AT]][2]
// CHECK: llvm.store %[[HIGH]]
// CHECK-COUNT-6: llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
sm.kernel @singles(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 1>,
    %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 1>,
    %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 2, warps = 1 x 1, vector = 1>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<16 x 16, warps 1 x 1>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<16 x 16, warps 1 x 1> to !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 1>
}
