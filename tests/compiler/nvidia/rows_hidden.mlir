// Two layers for few rows: what the first leaves in shared memory as bf16, and sums that the blocks of a cluster read from each other.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

// A cluster of two blocks, whose blocks of weight matrices are those of both layers. Sums take 396 bytes, and what is left follows at a
// multiple of 16.
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME:    {operand = "w2", type = "plain_map", value = "map", view = "bank"}
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME:    nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK-SAME:    sm.kernel = {boxes = {next_w = {columns = 8 : i64, rows = 512 : i64, swizzle = 0 : i64}, w = {columns = 16 : i64, rows = 256 : i64, swizzle = 0 : i64}
// CHECK-SAME:    cluster = 2 : i64
// CHECK-SAME:    schedule = "reduce=32,rows=3,hidden=16,columns=8,vector=8,cluster=2", shared_bytes = 880 : i64
// CHECK-DAG:     %[[ADDED:.*]] = llvm.getelementptr %[[SHARED:.*]][204] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-DAG:     %[[LEFT:.*]] = llvm.getelementptr %[[SHARED]][400] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8

// A term has three rows of 40 numbers, 240 bytes. Columns behind the group's end are zero.
// CHECK:         %[[SUM:.*]] = llvm.fadd
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[LEFT]][%{{.*}}] : (!llvm.ptr<3>, i32)
// CHECK:         nvvm.convert.f32x2.to.bf16x2 %{{.*}}, %[[SUM]]
// CHECK:         %[[BITS:.*]] = llvm.trunc %{{.*}} : i32 to i16
// CHECK-NEXT:    %[[THERE:.*]] = llvm.icmp "ult" %[[COLUMN:.*]], %{{.*}} : i32
// CHECK-NEXT:    %[[KEPT:.*]] = llvm.select %[[THERE]], %[[BITS]], %{{.*}} : i1, i16
// CHECK:         %[[ELEMENT:.*]] = llvm.getelementptr %[[PLACE]]
// CHECK-NEXT:    llvm.store %[[KEPT]], %[[ELEMENT]] {alignment = 2 : i64} : i16, !llvm.ptr<3>
// The third row alone begins 160 bytes behind the first.
// CHECK:         %[[ROW:.*]] = llvm.getelementptr %[[PLACE]][160]
// CHECK:         llvm.getelementptr %[[ROW]]
// CHECK-NEXT:    llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier0

// Eight numbers come at once, or as vectors of four.
// CHECK:         llvm.getelementptr %{{.*}}[160]
// CHECK-NEXT:    llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-COUNT-128: llvm.intr.fmuladd

// The threads of both blocks count together, and each adds the sums of both warps of the first block and of both of the second.
// CHECK:         nvvm.cluster.arrive
// CHECK-NEXT:    nvvm.cluster.wait
// CHECK-NEXT:    %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK-NEXT:    %[[BEFORE:.*]] = llvm.mul %[[RANK]], %{{.*}}
// CHECK-NEXT:    llvm.add %[[BEFORE]], %{{.*}}
// CHECK:         %[[OWN:.*]] = llvm.getelementptr %[[ADDED]]
// CHECK-NEXT:    %[[OF_FIRST:.*]] = nvvm.mapa %[[OWN]], %[[ZERO:.*]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT:    %[[A:.*]] = llvm.load %[[OF_FIRST]] {alignment = 4 : i64} : !llvm.ptr<7> -> f32
// CHECK-NEXT:    %[[NEXT:.*]] = llvm.getelementptr %[[OF_FIRST]][96] : (!llvm.ptr<7>)
// CHECK-NEXT:    %[[B:.*]] = llvm.load %[[NEXT]] {alignment = 4 : i64} : !llvm.ptr<7> -> f32
// CHECK-NEXT:    %[[AB:.*]] = llvm.fadd %[[A]], %[[B]]
// CHECK-NEXT:    %[[OF_SECOND:.*]] = nvvm.mapa %[[OWN]], %[[ONE:.*]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT:    %[[C:.*]] = llvm.load %[[OF_SECOND]]
// CHECK-NEXT:    %[[ABC:.*]] = llvm.fadd %[[AB]], %[[C]]
// CHECK-COUNT-1: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<7> -> f32
// CHECK-NEXT:    %[[ALL:.*]] = llvm.fadd %[[ABC]]
// CHECK-NOT:     nvvm.mapa
// CHECK:         nvvm.convert.f32x2.to.bf16x2 %{{.*}}, %[[ALL]]
// CHECK:         llvm.store %{{.*}} : i16, !llvm.ptr<1>
// CHECK:         nvvm.cluster.arrive
// CHECK-NEXT:    nvvm.cluster.wait
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 40>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 40>, weights = <2 x 40>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 3, columns = 16, slices = 32, vector = 8, cluster = 2>
#schedule = #tile.reduced<rows = 3, columns = 8, slices = 64, vector = 8, cluster = 2>
sm.kernel @rows(%x: !sm.maps<1 x 3 x 8 x bf16, row_dimension 3, vector 8>,
                %w: !sm.maps<1 x 8 x 16 x bf16, row_dimension 2, vector 8>,
                %y: !sm.maps<1 x 3 x 8 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index,
                %w2: !sm.maps<1 x 8 x 8 x bf16, row_dimension 2, vector 8> loc("w2"))
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %first = sm.allocate_sums_buffer : <1 x 3 x 16>
  %three = sm.allocate_sums_buffer : <1 x 3 x 1>
  %added = sm.allocate_sums_buffer : <2 x 3 x 8>
  %left = sm.allocate_hidden_buffer : <2 x 3 x 40>
  %sums = sm.collect_sums %added : <2 x 3 x 8> to <3 x 8, threads 64>
  sm.store_hidden %sums to %left[%rows, %offset] of %bytes : <3 x 8, threads 64> to <2 x 3 x 40>
  %third = sm.collect_sums %added row 2 : <2 x 3 x 8> to <1 x 8, threads 64>
  sm.store_hidden %third to %left[%rows, %offset] of %bytes row 2 : <1 x 8, threads 64> to <2 x 3 x 40>
  sm.block_sync
  %numbers = sm.read_hidden %left[%rows, %i] row 2 : <2 x 3 x 40> to <1 x 8 x bf16, vector 8>
  %halves = sm.read_hidden %left[%rows, %i] row 2 : <2 x 3 x 40> to <1 x 8 x bf16, vector 4>
  %block = sm.locate %w2[%i][%i, %i, %i, %i] : <1 x 8 x 8 x bf16, row_dimension 2, vector 8>
  %weights = sm.read %block[%i] of 40 : <<1 x 8 x 8 x bf16, row_dimension 2, vector 8>> to <8 x 8 x bf16, vector 8>
  %zero = sm.zero_row : <8, slices 64, vector 8>
  %once = sm.add_products %numbers, %weights, %zero : <1 x 8 x bf16, vector 8>, <8 x 8 x bf16, vector 8>, <8, slices 64, vector 8>
  %twice = sm.add_products %halves, %weights, %once : <1 x 8 x bf16, vector 4>, <8 x 8 x bf16, vector 8>, <8, slices 64, vector 8>
  sm.share_sums %twice, %twice, %zero in %added : !sm.row_sums<8, slices 64, vector 8>, !sm.row_sums<8, slices 64, vector 8>, !sm.row_sums<8, slices 64, vector 8> in <2 x 3 x 8>
  sm.cluster_sync
  %all = sm.collect_sums %added : <2 x 3 x 8> to <3 x 8, threads 2 x 64>
  sm.store_sums %all to %y[%i][%i, %i, %i, %i] : <3 x 8, threads 2 x 64> to !sm.maps<1 x 3 x 8 x bf16, row_dimension 3, vector 1>
  sm.cluster_sync
}
