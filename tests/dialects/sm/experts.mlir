// Kernels of experts: where the rows of each begin, how many experts there are, and the lists by which their rows are found, behind the
// positions.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>

// CHECK-LABEL: sm.kernel @experts(
// CHECK-SAME:    %positions: !sm.positions, %position_bytes: index, %expert_starts: !sm.expert_starts, %experts: index,
// CHECK-SAME:    %x_rows: !sm.expert_rows, %expert_rows: !sm.expert_rows, %batch_rows: index)
sm.kernel @experts(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                   %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                   %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %m: index, %p0: index,
                   %table: !sm.terms_table, %places: !sm.positions, %bytes: index, %starts: !sm.expert_starts, %count: index,
                   %of_x: !sm.expert_rows, %list: !sm.expert_rows, %batch: index)
    attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %buffer = sm.allocate_sums_buffer : <8 x 2 x 64>
  // CHECK: %[[END:.*]] = sm.read_expert_start %expert_starts[%experts]
  %row = sm.read_expert_start %starts[%count]
  // CHECK: %[[ROW:.*]] = arith.index_cast %[[END]] : i32 to index
  %end = arith.index_cast %row : i32 to index
  // CHECK: sm.has_expert_rows %x_rows
  %given = sm.has_expert_rows %of_x
  // CHECK: sm.read_expert_row %expert_rows[%{{.*}}]
  %entry = sm.read_expert_row %list[%i]
  %sums = sm.collect_sums %buffer : <8 x 2 x 64> to <2 x 64, threads 256>
  // CHECK: sm.store_sums %{{.*}} to %y[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] rows_before %[[ROW]] : <2 x 64, threads 256> to <1 x 2 x 64 x bf16, row_dimension 3, vector 1>
  sm.store_sums %sums to %y[%i] [%i, %i, %i, %i] rows_before %end : <2 x 64, threads 256> to <1 x 2 x 64 x bf16, row_dimension 3, vector 1>
}

// Further operands come behind the rows of the batch.
// CHECK-LABEL: sm.kernel @beside(
// CHECK-SAME:    %batch_rows: index, %operand: !sm.columns<2 x 64 x bf16>, %operand_0: f32)
sm.kernel @beside(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                  %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                  %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %m: index, %p0: index,
                  %table: !sm.terms_table, %places: !sm.positions, %bytes: index, %starts: !sm.expert_starts, %count: index,
                  %of_x: !sm.expert_rows, %list: !sm.expert_rows, %batch: index,
                  %bias: !sm.columns<2 x 64 x bf16>, %number: f32) attributes {layout = #layout, schedule = #schedule} {
}

// Where a list has said whose the rows are, a kernel takes the number of experts alone.
#listed = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <explicit 2>>
// CHECK-LABEL: sm.kernel @listed(
// CHECK-SAME:    %terms: !sm.terms_table, %experts: index, %operand: !sm.columns<2 x 64 x bf16>)
sm.kernel @listed(%x: !sm.maps<1 x 64 x 32 x bf16, row_dimension 3, vector 8, listed>,
                  %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, vector 8>,
                  %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8, listed>, %m: index, %p0: index,
                  %table: !sm.terms_table, %count: index, %bias: !sm.columns<2 x 64 x bf16>)
    attributes {layout = #listed, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>} {
}

// CHECK: func.func private @starts(!sm.expert_starts, !sm.expert_rows)
func.func private @starts(!sm.expert_starts, !sm.expert_rows)
