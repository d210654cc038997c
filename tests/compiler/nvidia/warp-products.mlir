// Products of single warps: ldmatrix for the rows of A, transposed for the columns of the weight matrix, mma.sync.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// A part of 32 x 32: two tiles of rows, two pairs of tiles of columns, two steps of the depth.
// CHECK-LABEL: llvm.func @part(
// CHECK-DAG: %[[FIVE:.*]] = llvm.mlir.constant(5 : i32)
// CHECK-DAG: %[[FIFTEEN:.*]] = llvm.mlir.constant(15 : i32)
// CHECK-DAG: %[[LAST_LANE:.*]] = llvm.mlir.constant(31 : i32)
// CHECK: %[[A:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = llvm.lshr %[[THREAD]], %[[FIVE]]
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %[[LAST_LANE]]
// CHECK: %[[LANE_ROW:.*]] = llvm.and %[[LANE]], %[[FIFTEEN]]
// CHECK: %[[A_ROWS:.*]] = llvm.getelementptr %[[A]][%{{.*}}]
// CHECK: %[[UPPER:.*]] = nvvm.ldmatrix %[[A_ROWS]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK: %[[A0:.*]] = llvm.extractvalue %[[UPPER]][0]
// CHECK: %[[A1:.*]] = llvm.extractvalue %[[UPPER]][1]
// CHECK: %[[A2:.*]] = llvm.extractvalue %[[UPPER]][2]
// CHECK: %[[A3:.*]] = llvm.extractvalue %[[UPPER]][3]
// 16 rows of 64 bytes further down.
// CHECK: %[[LOWER_ROWS:.*]] = llvm.getelementptr %[[A_ROWS]][1024]
// CHECK: nvvm.ldmatrix %[[LOWER_ROWS]]
// CHECK: %[[PAIR:.*]] = nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK: %[[B0:.*]] = llvm.extractvalue %[[PAIR]][0]
// CHECK: %[[B1:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: %[[B2:.*]] = llvm.extractvalue %[[PAIR]][2]
// CHECK: %[[B3:.*]] = llvm.extractvalue %[[PAIR]][3]
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]]  C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK: nvvm.mma.sync {{.*}} B[%[[B0]], %[[B1]]]
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B2]], %[[B3]]]
// CHECK: nvvm.mma.sync {{.*}} B[%[[B2]], %[[B3]]]
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// CHECK-COUNT-4: nvvm.mma.sync
// The second step of the depth.
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// CHECK-COUNT-8: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
sm.kernel @part(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<64 x 64, warps 2 x 2> to !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Three tiles of columns: a pair, and one by ldmatrix.x2. The sign is an attribute: all bits of it are flipped.
// CHECK-LABEL: llvm.func @negated(
// CHECK-DAG: %[[SIGNS:.*]] = llvm.mlir.constant(-2147450880 : i32)
// CHECK: %[[A:.*]] = nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
// CHECK: %[[MINUS0:.*]] = llvm.xor %[[A0]], %[[SIGNS]]
// CHECK: nvvm.ldmatrix {{.*}} num = 4
// CHECK: nvvm.mma.sync A[%[[MINUS0]]
// CHECK: nvvm.mma.sync A[%[[MINUS0]]
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 2
// CHECK: nvvm.mma.sync A[%[[MINUS0]]
sm.kernel @negated(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 48 x bf16, row_dimension 2, swizzle 32, vector 8>,
    %y: !sm.maps<2 x 16 x 48 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 48, depth = 32, stages = 2, warps = 1 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 48 x bf16, swizzle 32>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<16 x 48, warps 1 x 2>
  %next = sm.mma %a[%slot], %b[%slot], %sum negate : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 48 x bf16, swizzle 32>, <16 x 48, warps 1 x 2>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<16 x 48, warps 1 x 2> to !sm.maps<2 x 16 x 48 x bf16, row_dimension 3, vector 8>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// The sign is a value; afterwards the products are scaled and added to others.
// CHECK-LABEL: llvm.func @scaled(
// CHECK-SAME: scaled = true
// CHECK-DAG: %[[SIGNS:.*]] = llvm.mlir.constant(-2147450880 : i32)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[NEGATIVE:.*]] = llvm.icmp "eq"
// CHECK: %[[FLIP:.*]] = llvm.select %[[NEGATIVE]], %[[SIGNS]], %[[NONE]] : i1, i32
// CHECK: nvvm.ldmatrix
// CHECK: llvm.xor %{{.*}}, %[[FLIP]]
// CHECK-COUNT-32: llvm.intr.fmuladd(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
// CHECK-NOT: fmuladd
sm.kernel @scaled(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  %minus = arith.cmpi eq, %slot, %zero : index
  %next = sm.mma %a[%slot], %b[%slot], %sum negate_if %minus : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
  %half = arith.constant 0.5 : f32
  %total = sm.add_scaled %next, %half, %next : !sm.accumulator<64 x 64, warps 2 x 2>
  sm.store_sums %total to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<64 x 64, warps 2 x 2> to !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>, mode = i>

// A transposed weight matrix lies in rows of columns, which ldmatrix reads as they are: lanes 0 to 7 and 8 to 15 name the same 8
// columns, 16 bytes of the depth apart, the others the 8 columns behind them.
// CHECK-LABEL: llvm.func @transposed(
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[MATRIX:.*]] = llvm.lshr %{{.*}}, %[[THREE]]
// CHECK: llvm.and %[[MATRIX]], %[[ONE]]
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK: %[[PAIR:.*]] = nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK: %[[B0:.*]] = llvm.extractvalue %[[PAIR]][0]
// CHECK: %[[B1:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: nvvm.mma.sync {{.*}} B[%[[B0]], %[[B1]]]
// CHECK-NOT: nvvm.mma_layout<col>, num
sm.kernel @transposed(%x: !sm.maps<2 x 32 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2, swizzle 64, vector 8>,
    %y: !sm.maps<2 x 32 x 32 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 32, columns = 32, depth = 32, stages = 2, warps = 2 x 1, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 32 x bf16, swizzle 64>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<32 x 32, warps 2 x 1>
  %next = sm.mma %a[%slot], %b[%slot] transposed, %sum : <2 x 32 x 32 x bf16, swizzle 64>, <2 x 32 x 32 x bf16, swizzle 64>, <32 x 32, warps 2 x 1>
  sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<32 x 32, warps 2 x 1> to !sm.maps<2 x 32 x 32 x bf16, row_dimension 3, vector 8>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>, mode = j>

// A that has its rows as columns: ldmatrix transposes both operands. A fragment of 16 rows is four matrices, of
// which the second is 8 rows further on, in the next piece of the same row of the stage, and the third 8 rows of the
// slot further down: lane l names row l mod 8, + 8 from lane 16 on, and the piece of bit 3.
// CHECK-LABEL: llvm.func @rows_as_columns(
// CHECK-SAME: f32
// CHECK-DAG: %[[FIVE:.*]] = llvm.mlir.constant(5 : i32)
// CHECK-DAG: %[[SEVEN:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-DAG: %[[LAST_LANE:.*]] = llvm.mlir.constant(31 : i32)
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %[[LAST_LANE]]
// CHECK: llvm.and %[[LANE]], %[[SEVEN]]
// CHECK: %[[A:.*]] = nvvm.ldmatrix %[[FROM:.*]] {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
// CHECK: %[[A1:.*]] = llvm.extractvalue %[[A]][1]
// CHECK: %[[A2:.*]] = llvm.extractvalue %[[A]][2]
// CHECK: %[[A3:.*]] = llvm.extractvalue %[[A]][3]
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK: nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]]
// 16 of the depth further down: 16 rows of 128 bytes.
// CHECK: %[[DEEPER:.*]] = llvm.getelementptr %{{.*}}[2048]
// CHECK: nvvm.ldmatrix %[[DEEPER]] {{.*}} layout = #nvvm.mma_layout<col>, num = 4
// CHECK-NOT: layout = #nvvm.mma_layout<row>, num
sm.kernel @rows_as_columns(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3, swizzle 128, vector 8>,
    %dy: !sm.maps<3 x 32 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %dw: !sm.maps<1 x 64 x 32 x bf16, row_dimension 2, vector 2>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %beta: f32)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 32, stages = 2, warps = 4 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 32 x 32 x bf16, swizzle 64>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<64 x 32, warps 4 x 2>
  %next = sm.mma %a[%slot] transposed, %b[%slot], %sum : <2 x 32 x 64 x bf16, swizzle 128>, <2 x 32 x 32 x bf16, swizzle 64>, <64 x 32, warps 4 x 2>
  sm.store_sums %next to %dw[%slot] [%slot, %slot, %slot, %slot] plus %beta : !sm.accumulator<64 x 32, warps 4 x 2> to !sm.maps<1 x 64 x 32 x bf16, row_dimension 2, vector 2>
}
