// Every thread runs the body of a map for each of its sums. Numbers of columns it reads once for all sums of the column, and
// past the end of the group those of the last one.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
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
    %bias: !sm.columns<4 x 40 x bf16>) attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 16 x bf16, swizzle 32>
  %c = sm.allocate : !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 16 x bf16, swizzle 32>, <64 x 16>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 16>
    %biased = sm.map (%v = %done : !sm.accumulator<64 x 16>, %e = %bias : !sm.columns<4 x 40 x bf16>) at [%rows, %offset] -> !sm.accumulator<64 x 16> {
      %wide = arith.extf %e : bf16 to f32
      %s = arith.addf %v, %wide : f32
      sm.yield %s : f32
    }
    sm.write %biased to %c[%slot] : !sm.accumulator<64 x 16> to !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
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
    %bias: !sm.columns<4 x 40 x bf16>) attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 16 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<16 x 64, transposed>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <16 x 64, transposed>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<16 x 64, transposed>
    %biased = sm.map (%v = %done : !sm.accumulator<16 x 64, transposed>, %e = %bias : !sm.columns<4 x 40 x bf16>) at [%rows, %offset] -> !sm.accumulator<16 x 64, transposed> {
      %wide = arith.extf %e : bf16 to f32
      %s = arith.addf %v, %wide : f32
      sm.yield %s : f32
    }
    sm.write %biased to %c[%slot] : !sm.accumulator<16 x 64, transposed> to !sm.buffer<1 x 16 x 64 x bf16, swizzle 128>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Sums of single warps: two numbers for each 8 columns, for two rows.
// CHECK-LABEL: llvm.func @warps(
// CHECK-COUNT-4: llvm.load {{.*}} -> i16
// CHECK:         llvm.store
// CHECK-NOT:     -> i16
sm.kernel @warps(%x: !sm.maps<2 x 16 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 16 x bf16, row_dimension 2, swizzle 32, vector 8>,
    %y: !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %bias: !sm.columns<4 x 40 x bf16>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 16, columns = 16, depth = 32, stages = 2, warps = 1 x 1, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 16 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  %zero = arith.constant 0 : index
  %sum = sm.zero : !sm.accumulator<16 x 16, warps 1 x 1>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 16 x 32 x bf16, swizzle 64>, <2 x 32 x 16 x bf16, swizzle 32>, <16 x 16, warps 1 x 1>
  %biased = sm.map (%v = %next : !sm.accumulator<16 x 16, warps 1 x 1>, %e = %bias : !sm.columns<4 x 40 x bf16>)
      at [%slot, %slot] -> !sm.accumulator<16 x 16, warps 1 x 1> {
    %wide = arith.extf %e : bf16 to f32
    %s = arith.addf %v, %wide : f32
    sm.yield %s : f32
  }
  sm.store_sums %biased to %y[%slot] [%slot, %slot, %slot, %slot]
      : !sm.accumulator<16 x 16, warps 1 x 1> to !sm.maps<2 x 16 x 16 x bf16, row_dimension 3, vector 8>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Of two warpgroups that divide the columns each begins with its own. Code of arith and math, with a number of the launch, a
// constant from outside, and a rounding to bf16 on the way.
// CHECK-LABEL: llvm.func @code(
// CHECK-SAME:    %[[NUMBER:[a-z0-9]+]]: f32)
// CHECK-DAG:     %[[THRESHOLD:.*]] = llvm.mlir.constant(6.000000e+00 : f32)
// CHECK:         %[[SUM:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK:         %[[SCALED:.*]] = llvm.intr.fma(%[[SUM]], %[[NUMBER]], %{{.*}})
// CHECK:         %[[LEAST:.*]] = llvm.intr.minimum(%[[SCALED]], %[[THRESHOLD]])
// CHECK:         nvvm.convert.f32x2.to.bf16x2 %{{.*}}, %[[LEAST]]
// CHECK:         llvm.shl
// CHECK:         nvvm.stmatrix
sm.kernel @code(%x: !sm.maps<2 x 16 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 16 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %b: !sm.columns<4 x 40 x f32>, %a: f32) attributes {layout = #layout, schedule = "by hand"} {
  %a0 = sm.allocate : !sm.buffer<2 x 16 x 64 x bf16, swizzle 128>
  %b0 = sm.allocate : !sm.buffer<2 x 64 x 128 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<2 x 16 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %six = arith.constant 6.0 : f32
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : !sm.accumulator<16 x 128, transposed>
    %next = sm.mma %a0[%slot], %b0[%slot], %sum : <2 x 16 x 64 x bf16, swizzle 128>, <2 x 64 x 128 x bf16, swizzle 128>, <16 x 128, transposed>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<16 x 128, transposed>
    %mapped = sm.map (%v = %done : !sm.accumulator<16 x 128, transposed>, %n = %b : !sm.columns<4 x 40 x f32>, %f = %a : f32)
        at [%rows, %offset] -> !sm.accumulator<16 x 128, transposed> {
      %s = math.fma %v, %f, %n : f32
      %least = arith.minimumf %s, %six : f32
      %half = arith.truncf %least : f32 to bf16
      %wide = arith.extf %half : bf16 to f32
      sm.yield %wide : f32
    }
    %g = sm.warpgroup
    sm.write %mapped to %c[%g] : !sm.accumulator<16 x 128, transposed> to !sm.buffer<2 x 16 x 64 x bf16, swizzle 128>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Rounded sums are bf16 in the map and f32 in registers, and so is a constant that stands outside of it.
// CHECK-LABEL: llvm.func @rectified(
// CHECK:       nvvm.convert.f32x2.to.bf16x2
// CHECK:       llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, f32
sm.kernel @rectified(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 16 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, swizzle 32>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 16 x bf16, swizzle 32>
  %c = sm.allocate : !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %nothing = arith.constant 0.0 : bf16
    %sum = sm.zero : !sm.accumulator<64 x 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 16 x bf16, swizzle 32>, <64 x 16>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 16>
    %positive = sm.map (%v = %done : !sm.accumulator<64 x 16>) at [%rows, %offset] -> !sm.accumulator<64 x 16> {
      %h = arith.truncf %v : f32 to bf16
      %zero = arith.constant 0.0 : f32
      %k = arith.cmpf ogt, %v, %zero : f32
      %r = arith.select %k, %h, %nothing : bf16
      %wide = arith.extf %r : bf16 to f32
      sm.yield %wide : f32
    }
    sm.write %positive to %c[%slot] : !sm.accumulator<64 x 16> to !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 40>, row_types = #alg.row_types<cyclic 4>>

// Rows of operands are read where the result has them: a number for each of a thread's two rows, and in each of them two pairs of
// elements; what is not there is read from where the map begins. Plain maps lie behind the tensor maps.
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME:    kernel_parameters = [{operand = "x", type = "tensor_map", value = "map", view = "longer_lines"}
// CHECK-SAME:    {operand = "w2", type = "tensor_map", value = "map", view = "bank"}
// CHECK-SAME:    {operand = "operand7", type = "plain_map", value = "map", view = "longer_lines"}, {operand = "operand7", type = "plain_map", value = "map", view = "shorter_lines"}
// CHECK-SAME:    {operand = "operand8", type = "plain_map", value = "map", view = "longer_lines"}
// CHECK-SAME:    {operand = "y2", type = "plain_map", value = "map", view = "longer_lines"}
// CHECK-SAME:    {type = "i32", value = "rows"}
// CHECK:         %[[PLAIN:.*]] = llvm.getelementptr %{{.*}}[6] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<128 x i8>
// CHECK:         %[[SECOND:.*]] = llvm.getelementptr %[[PLAIN]][144] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         %[[THIRD:.*]] = llvm.getelementptr %[[PLAIN]][288] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, !llvm.ptr<1>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT:     llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1>
// CHECK:         llvm.store
sm.kernel @rows(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 16 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, swizzle 32>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %w2: !sm.maps<1 x 64 x 16 x bf16, row_dimension 2, swizzle 32>,
    %scale: !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>,
    %residual: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, vector 2>,
    %y2: !sm.maps<2 x 64 x 16 x f32, row_dimension 3, vector 2>) attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 16 x bf16, swizzle 32>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 16>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 16 x bf16, swizzle 32>, <64 x 16>
    sm.mma_commit
    sm.mma_wait 0
    %done = sm.settle %next : !sm.accumulator<64 x 16>
    %mapped = sm.map (%v = %done : !sm.accumulator<64 x 16>, %s = %scale : !sm.maps<2 x 64 x 1 x f32, row_dimension 3, vector 1>,
                      %r = %residual : !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, vector 2>)
        at [%rows, %offset] rows [%slot, %rows, %offset, %slot, %slot] -> !sm.accumulator<64 x 16> {
      %wide = arith.extf %r : bf16 to f32
      %t = math.fma %v, %s, %wide : f32
      sm.yield %t : f32
    }
    sm.store_sums %mapped to %y2[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<64 x 16> to !sm.maps<2 x 64 x 16 x f32, row_dimension 3, vector 2>
  }
}
