// Few rows that are divided among experts: where those of each begin is read as it is, and elements from the end of an expert on stay
// where they are.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 60>, weights = <2 x 60>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// Behind the positions come the starts and the number of experts, the lists of their rows, and then what maps read.
// CHECK-LABEL: llvm.func @experts(
// CHECK-SAME:    %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %[[STARTS:[a-z0-9]*]]: !llvm.ptr<1>, %[[EXPERTS:[a-z0-9]*]]: i32, %[[OF_X:[a-z0-9]*]]: !llvm.ptr<1>, %[[LIST:[a-z0-9]*]]: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME:    kernel_parameters = [{operand = "x", type = "plain_map", value = "map", view = "all_rows"}, {operand = "w", type = "plain_map", value = "map", view = "bank"}, {operand = "y", type = "plain_map", value = "map", view = "all_rows"}, {type = "i32", value = "rows"}, {type = "i32", value = "offset"}, {type = "address", value = "terms"}, {operand = "positions", type = "address", value = "operand"}, {operand = "positions", type = "i32", value = "element_bytes"}, {operand = "expert_starts", type = "address", value = "operand"}, {type = "i32", value = "experts"}, {operand = "x_rows", type = "address", value = "operand"}, {operand = "expert_rows", type = "address", value = "operand"}, {type = "i32", value = "batch_rows"}, {operand = "bias", type = "address", value = "operand"}]

// A grid before this one may have written them, so that their loads may not move.
// CHECK-DAG:     %[[FOUR:.*]] = llvm.mlir.constant(4 : i64) : i64
// CHECK-DAG:     %[[FIRST:.*]] = llvm.load %[[STARTS]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK:         %[[WIDE:.*]] = llvm.zext %[[EXPERTS]] : i32 to i64
// CHECK-NEXT:    %[[BYTES:.*]] = llvm.mul %[[WIDE]], %[[FOUR]]
// CHECK-NEXT:    %[[ADDRESS:.*]] = llvm.getelementptr %[[STARTS]][%[[BYTES]]]
// CHECK-NEXT:    %[[END:.*]] = llvm.load %[[ADDRESS]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32

// Rows are counted from the first of the batch. 160 elements in 128 threads: the second one of a thread may be missing.
// CHECK:         %[[COUNT:.*]] = llvm.sub %[[END]], %[[FIRST]] : i32
// CHECK:         %[[OWN:.*]] = llvm.icmp "slt" %{{.*}}, %[[COUNT]] : i32
// CHECK:         %[[STORED:.*]] = llvm.and %[[OWN]], %{{.*}} : i1
// CHECK-NEXT:    llvm.cond_br %[[STORED]],
// CHECK:         llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK:         %[[OWN_NEXT:.*]] = llvm.icmp "slt" %{{.*}}, %[[COUNT]] : i32
// CHECK:         %[[EXISTS:.*]] = llvm.and %{{.*}}, %[[OWN_NEXT]] : i1
// CHECK:         %[[STORED_NEXT:.*]] = llvm.and %[[EXISTS]], %{{.*}} : i1
// CHECK-NEXT:    llvm.cond_br %[[STORED_NEXT]],
// CHECK:         llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NOT:     llvm.store
sm.kernel @experts(%x: !sm.maps<1 x 5 x 8 x bf16, row_dimension 3, vector 4>,
                   %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 4>,
                   %y: !sm.maps<1 x 5 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                   %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %starts: !sm.expert_starts, %experts: index,
                   %of_x: !sm.expert_rows, %list: !sm.expert_rows, %batch: index, %bias: !sm.columns<2 x 64 x bf16> loc("bias"))
    attributes {layout = #layout, schedule = #tile.reduced<rows = 5, columns = 32, slices = 16, vector = 4>} {
  %i = arith.constant 0 : index
  %first = sm.read_expert_start %starts[%i]
  %row = arith.index_cast %first : i32 to index
  %last = sm.read_expert_start %starts[%experts]
  %end = arith.index_cast %last : i32 to index
  %buffer = sm.allocate_sums_buffer : <4 x 5 x 32>
  %sums = sm.collect_sums %buffer : <4 x 5 x 32> to <5 x 32, threads 128>
  sm.store_sums %sums to %y[%i] [%i, %i, %i, %row] rows_before %end : <5 x 32, threads 128> to <1 x 5 x 32 x bf16, row_dimension 3, vector 1>
}

// Whether the launch has a list, and an entry of it.
// CHECK-LABEL: llvm.func @listed(
// CHECK-SAME:    %[[X_ROWS:[a-z0-9]*]]: !llvm.ptr<1>, %[[EXPERT_ROWS:[a-z0-9]*]]: !llvm.ptr<1>, %[[BATCH:[a-z0-9]*]]: i32)
// CHECK-DAG:     %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr<1>
// CHECK-DAG:     llvm.icmp "ne" %[[X_ROWS]], %[[NONE]] : !llvm.ptr<1>
// CHECK-DAG:     %[[OWN:.*]] = llvm.zext %[[BATCH]] : i32 to i64
// CHECK:         %[[DISTANCE:.*]] = llvm.mul %[[OWN]], %{{.*}}
// CHECK-NEXT:    %[[PLACE:.*]] = llvm.getelementptr %[[EXPERT_ROWS]][%[[DISTANCE]]]
// CHECK-NEXT:    llvm.load %[[PLACE]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
sm.kernel @listed(%x: !sm.maps<1 x 5 x 8 x bf16, row_dimension 3, vector 4>,
                  %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 4>,
                  %y: !sm.maps<1 x 5 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %starts: !sm.expert_starts, %experts: index,
                  %of_x: !sm.expert_rows, %list: !sm.expert_rows, %batch: index)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 5, columns = 32, slices = 16, vector = 4>} {
  %i = arith.constant 0 : index
  %given = sm.has_expert_rows %of_x
  %entry = sm.read_expert_row %list[%batch]
  %number = arith.index_cast %entry : i32 to index
  %row = arith.select %given, %number, %i : index
  %buffer = sm.allocate_sums_buffer : <4 x 5 x 32>
  %sums = sm.collect_sums %buffer : <4 x 5 x 32> to <5 x 32, threads 128>
  sm.store_sums %sums to %y[%i] [%i, %i, %i, %row] rows_before %row : <5 x 32, threads 128> to <1 x 5 x 32 x bf16, row_dimension 3, vector 1>
}
