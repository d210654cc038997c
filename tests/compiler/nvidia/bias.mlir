// Every thread reads the numbers of its columns, the last one of the group past its end, and adds them.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, bank = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Two neighbouring columns in every 8, each in two rows: of 16 columns 4 numbers, added to 8 sums. Groups are 80 bytes long.
// CHECK-LABEL: llvm.func @columns(
// CHECK-SAME:  %[[BIAS:[a-z0-9]+]]: !llvm.ptr<1>)
// CHECK-DAG:   %[[LAST:.*]] = llvm.mlir.constant(39 : i32)
// CHECK-DAG:   %[[GROUP:.*]] = llvm.mlir.constant(80 : i64)
// CHECK:       %[[START_OFFSET:.*]] = llvm.mul %{{.*}}, %[[GROUP]] : i64
// CHECK:       %[[START:.*]] = llvm.getelementptr %[[BIAS]][%[[START_OFFSET]]]
// CHECK:       %[[INSIDE:.*]] = llvm.icmp "ult" %[[COLUMN:.*]], %[[LAST]] : i32
// CHECK:       %[[THERE:.*]] = llvm.select %[[INSIDE]], %[[COLUMN]], %[[LAST]]
// CHECK:       %[[BITS:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:       %[[WORD:.*]] = llvm.zext %[[BITS]] : i16 to i32
// CHECK:       %[[UPPER:.*]] = llvm.shl %[[WORD]]
// CHECK:       %[[NUMBER:.*]] = llvm.bitcast %[[UPPER]] : i32 to f32
// CHECK:       llvm.fadd %{{.*}}, %[[NUMBER]]
// CHECK:       llvm.fadd %{{.*}}, %[[NUMBER]]
// CHECK-COUNT-3: llvm.load {{.*}} -> i16
// CHECK-NOT:   llvm.load {{.*}} -> i16
// CHECK:       nvvm.stmatrix
sm.kernel @columns(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 16 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, swizzle 32>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %bias: !sm.bias<4 x 40 x bf16>) attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 16 x bf16, swizzle 32>
  %c = sm.allocate : !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  sm.role multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 16 x bf16, swizzle 32>, <64 x 16>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 16>
    %biased = sm.add_bias %done, %bias[%rows, %offset] : !sm.accumulator<64 x 16>, !sm.bias<4 x 40 x bf16>
    sm.write %biased to %c[%slot] : !sm.accumulator<64 x 16> to !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, bank = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Transposed sums: a thread has two columns in all, and all its rows get the number of one of them.
// CHECK-LABEL: llvm.func @transposed(
// CHECK:         llvm.load {{.*}} -> i16
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT:     llvm.fadd
// CHECK:         llvm.load {{.*}} -> i16
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT:     llvm.load {{.*}} -> i16
sm.kernel @transposed(%x: !sm.maps<2 x 16 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 16 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %bias: !sm.bias<4 x 40 x bf16>) attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 16 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.role multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<16 x 64, transposed>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <16 x 64, transposed>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<16 x 64, transposed>
    %biased = sm.add_bias %done, %bias[%rows, %offset] : !sm.accumulator<16 x 64, transposed>, !sm.bias<4 x 40 x bf16>
    sm.write %biased to %c[%slot] : !sm.accumulator<16 x 64, transposed> to !sm.buffer<1 x 16 x 64 x bf16, swizzle 128>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, bank = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Sums of single warps get it when they are delivered: two numbers for each 8 columns, for two rows.
// CHECK-LABEL: llvm.func @warps(
// CHECK-COUNT-4: llvm.load {{.*}} -> i16
// CHECK:         llvm.store
// CHECK-NOT:     -> i16
sm.kernel @warps(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
    %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %bias: !sm.bias<4 x 40 x bf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 2, warps = 1 x 1, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<16 x 16, warps 1 x 1>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
  sm.deliver %next to %y[%slot] [%slot, %slot, %slot, %slot] bias %bias : !sm.bias<4 x 40 x bf16>
      : !sm.accumulator<16 x 16, warps 1 x 1> to !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 8>
}
