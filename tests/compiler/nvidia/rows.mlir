// Few rows: pieces of operands in registers, products in f32, sums of slices in shuffles and in shared memory, and the elements that
// threads have of them.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 60>, weights = #alg.groups<2 x 60>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>

// Three maps, rows, offset, terms, positions with the bytes of one, and what maps read.
// CHECK: llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME:    !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<4 x struct<(ptr<1>, array<3 x i64>, array<4 x i32>, array<3 x ptr<1>>)>>, nvvm.grid_constant}, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: !llvm.ptr<1>, %[[POSITIONS:[a-z0-9]*]]: !llvm.ptr<1>, %{{.*}}: i32, %[[BIAS:.*]]: !llvm.ptr<1>)
// CHECK-SAME:    kernel_parameters = [{operand = "x", type = "plain_map", value = "map", view = "all_rows"}, {operand = "w", type = "plain_map", value = "map", view = "bank"}, {operand = "y", type = "plain_map", value = "map", view = "all_rows"}, {operand = "scale", type = "plain_map", value = "map", view = "all_rows"}, {type = "i32", value = "rows"}, {type = "i32", value = "offset"}, {type = "address", value = "terms"}, {operand = "positions", type = "address", value = "operand"}, {operand = "positions", type = "i32", value = "element_bytes"}, {operand = "bias", type = "address", value = "operand"}]
// CHECK-SAME:    nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK-SAME:    sm.kernel = {boxes = {w = {columns = 32 : i64, rows = 128 : i64, swizzle = 0 : i64}, x = {columns = 128 : i64, rows = 5 : i64, swizzle = 0 : i64}, y = {columns = 32 : i64, rows = 5 : i64, swizzle = 0 : i64}}
// CHECK-SAME:    dependent_launch = false, groups = 2 : i64, listed = false, output = bf16, scaled = false, schedule = "reduce=16,rows=5,columns=32,vector=4", shared_bytes = 2560 : i64, slices = 16 : i64, terms = false, threads = 128 : i64
// CHECK-SAME:    vector = 4 : i64

// CHECK: llvm.icmp "ne" %[[POSITIONS]], %{{.*}} : !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: nvvm.prefetch level = L2

// 60 rows of a block are seven pieces of eight and the half of another: of each piece four rows are there always. Nobody writes the
// weight matrix, so that its loads may move; those of X may not.
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-NEXT:    llvm.add
// CHECK-NEXT:    %[[THERE:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    llvm.select %[[THERE]]
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-COUNT-4: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, vector<2xi32>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-COUNT-1: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, vector<2xi32>
// CHECK-COUNT-32: llvm.intr.fmuladd
// A coefficient multiplies the numbers of the row.
// CHECK-COUNT-8: llvm.fmul %
// CHECK-COUNT-4: llvm.intr.fmuladd

// Eight lanes stand side by side: slices of a warp meet in two rounds of shuffles for each of twenty sums, four warps in shared memory.
// CHECK-COUNT-40: nvvm.shfl.sync bfly
// CHECK-NOT:      nvvm.shfl.sync
// CHECK-COUNT-5:  llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:          nvvm.barrier0

// 160 elements in 128 threads: the second one of a thread may be missing, and is the first one of all then.
// CHECK-COUNT-4:  llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK:          %[[FIRST:.*]] = llvm.fadd
// CHECK-COUNT-3:  llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK:          %[[SECOND:.*]] = llvm.fadd
// Each has a number of its column and one of its row.
// CHECK:          llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:          llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK:          llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:          llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK:          llvm.cond_br
// CHECK:          nvvm.convert.f32x2.to.bf16x2
// CHECK:          llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK:          llvm.cond_br
// CHECK:          llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
sm.kernel @rows(%x: !sm.maps<1 x 5 x 8 x bf16, row_dimension 3, vector 4>,
                %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 4>,
                %y: !sm.maps<1 x 5 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index,
                %bias: !sm.columns<2 x 64 x bf16> loc("bias"), %scale: !sm.maps<1 x 5 x 1 x f32, row_dimension 3, vector 1> loc("scale"))
    attributes {layout = #layout, schedule = #tile.reduced<rows = 5, columns = 32, slices = 16, vector = 4>} {
  %i = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %buffer = sm.allocate_sums_buffer : <4 x 5 x 32>
  %thread = sm.thread_index
  %given = sm.has_positions %positions
  scf.if %given {
    %wide = sm.read_position %positions[%thread] : i64
    %left = arith.remsi %wide, %wide : i64
    %narrow = sm.read_position %positions[%thread] : i32
    %extended = arith.extsi %narrow : i32 to i64
    %sum = arith.addi %left, %extended : i64
    %d = arith.index_castui %sum : i64 to index
    %asked = sm.locate %w[%i][%i, %i, %i, %d] : <1 x 8 x 32 x bf16, row_dimension 2, vector 4>
    sm.prefetch %asked[%thread] : <<1 x 8 x 32 x bf16, row_dimension 2, vector 4>>
  }
  %block = sm.locate %w[%i][%i, %i, %i, %i] : <1 x 8 x 32 x bf16, row_dimension 2, vector 4>
  %row = sm.locate %x[%i][%i, %i, %i, %i] : <1 x 5 x 8 x bf16, row_dimension 3, vector 4>
  %depth = arith.muli %thread, %c8 : index
  %weights = sm.read %block[%depth] of 60 : <<1 x 8 x 32 x bf16, row_dimension 2, vector 4>> to <8 x 4 x bf16, vector 4>
  %numbers = sm.read %row[%depth] of 60 : <<1 x 5 x 8 x bf16, row_dimension 3, vector 4>> to <1 x 8 x bf16, vector 4>
  %zero = sm.zero_row : <32, slices 16, vector 4>
  %first = sm.add_products %numbers, %weights, %zero : <1 x 8 x bf16, vector 4>, <8 x 4 x bf16, vector 4>, <32, slices 16, vector 4>
  %two = arith.constant 2.0 : f32
  %second = sm.add_products %numbers, %weights, %first scaled %two : <1 x 8 x bf16, vector 4>, <8 x 4 x bf16, vector 4>, <32, slices 16, vector 4>
  sm.share_sums %first, %second, %first, %second, %zero in %buffer : !sm.row_sums<32, slices 16, vector 4>, !sm.row_sums<32, slices 16, vector 4>, !sm.row_sums<32, slices 16, vector 4>, !sm.row_sums<32, slices 16, vector 4>, !sm.row_sums<32, slices 16, vector 4> in <4 x 5 x 32>
  sm.block_sync
  %sums = sm.collect_sums %buffer : <4 x 5 x 32> to <5 x 32, threads 128>
  %mapped = sm.map (%v = %sums : !sm.accumulator<5 x 32, threads 128>, %b = %bias : !sm.columns<2 x 64 x bf16>, %s = %scale : !sm.maps<1 x 5 x 1 x f32, row_dimension 3, vector 1>) at [%i, %i] rows [%i, %i, %i, %i, %i] -> !sm.accumulator<5 x 32, threads 128> {
    %wide = arith.extf %b : bf16 to f32
    %scaled = arith.mulf %v, %s : f32
    %more = arith.addf %scaled, %wide : f32
    sm.yield %more : f32
  }
  sm.store_sums %mapped to %y[%i][%i, %i, %i, %i] : <5 x 32, threads 128> to !sm.maps<1 x 5 x 32 x bf16, row_dimension 3, vector 1>
}
