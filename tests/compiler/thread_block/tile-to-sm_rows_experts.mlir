// What a thread block does for rows that are divided among experts: it finds out whose its part is, multiplies by the weight matrices of
// that expert, and stores none of the rows behind.
// RUN: alg-opt %s '-convert-tile-to-sm=dependent=true' -canonicalize -cse -split-input-file | FileCheck %s
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: sm.kernel @experts(
// CHECK-SAME:    %positions: !sm.positions, %position_bytes: index, %expert_starts: !sm.expert_starts, %experts: index, %x_rows: !sm.expert_rows, %expert_rows: !sm.expert_rows, %batch_rows: index
// CHECK-SAME:    %[[BIAS:[a-z0-9_]+]]: !sm.columns<3 x 24 x bf16>, %[[SCALE:[a-z0-9_]+]]: !sm.maps<1 x 2 x 1 x f32, row_dimension 3, vector 1>)
// CHECK:         %[[BLOCK:.*]] = sm.block_index
// CHECK-NEXT:    %[[BLOCKS:.*]] = sm.block_count

// Whose the rows are follows from the grid before: nothing is read or prefetched until it has ended.
// CHECK-NOT:     sm.prefetch
// CHECK-NOT:     sm.locate
// CHECK-NOT:     sm.read
// CHECK:         sm.wait_for_predecessor
// CHECK-NEXT:    sm.release_successor

// ALONE-LABEL: sm.kernel @experts(
// ALONE-NOT:     sm.prefetch
// ALONE-NOT:     sm.wait_for_predecessor
// ALONE:         sm.read_expert_start

// Starts are brought to what rows there are.
// CHECK-NEXT:    %[[WORD:.*]] = sm.read_expert_start %expert_starts[%c0]
// CHECK-NEXT:    %[[START:.*]] = arith.index_cast %[[WORD]] : i32 to index
// CHECK-NEXT:    %[[LEAST:.*]] = arith.minsi %[[START]], %rows
// CHECK-NEXT:    %[[FIRST:.*]] = arith.maxsi %[[LEAST]], %c0
// CHECK-NEXT:    sm.read_expert_start %expert_starts[%c1]
// CHECK:         %[[END:.*]] = arith.maxsi %{{.*}}, %c0

// From one expert to the next, as long as the part lies behind all batches of two rows that it has. Of a batch there are six parts: three
// groups of two blocks of columns.
// CHECK-NEXT:    %[[FOUND:.*]]:4 = scf.while (%[[EXPERT:.*]] = %c0, %[[BEFORE:.*]] = %c0, %[[FROM:.*]] = %[[FIRST]], %[[TO:.*]] = %[[END]])
// CHECK-NEXT:      %[[BATCH:.*]] = arith.divui %[[BLOCK]], %c6
// CHECK-NEXT:      %[[NO_LESS:.*]] = arith.maxsi %[[TO]], %[[FROM]]
// CHECK-NEXT:      %[[COUNT:.*]] = arith.subi %[[NO_LESS]], %[[FROM]]
// CHECK-NEXT:      %[[MORE:.*]] = arith.addi %[[COUNT]], %c1
// CHECK-NEXT:      %[[BATCHES:.*]] = arith.divui %[[MORE]], %c2
// CHECK-NEXT:      %[[BEHIND:.*]] = arith.addi %[[BEFORE]], %[[BATCHES]]
// CHECK-NEXT:      %[[GOES_ON:.*]] = arith.cmpi sge, %[[BATCH]], %[[BEHIND]]
// CHECK-NEXT:      %[[THERE:.*]] = arith.cmpi slt, %[[EXPERT]], %experts
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[THERE]], %[[GOES_ON]]
// CHECK-NEXT:      scf.condition(%[[BOTH]])
// CHECK:           %[[NEXT:.*]] = arith.addi %[[EXPERT:.*]], %c1
// CHECK-NEXT:      %[[HAS_END:.*]] = arith.cmpi slt, %[[NEXT]], %experts
// CHECK-NEXT:      scf.if %[[HAS_END]]
// CHECK-NEXT:        %[[BEHIND_NEXT:.*]] = arith.addi %[[EXPERT]], %c2
// CHECK-NEXT:        sm.read_expert_start %expert_starts[%[[BEHIND_NEXT]]]

// Part after part, until the experts are at an end.
// CHECK:         scf.while (%{{.*}} = %[[BLOCK]], %{{.*}} = %[[FOUND]]#0, %{{.*}} = %[[FOUND]]#1, %{{.*}} = %[[FOUND]]#2, %{{.*}} = %[[FOUND]]#3)
// CHECK-NEXT:      %[[HAS_PART:.*]] = arith.cmpi slt, %{{.*}}, %experts
// CHECK-NEXT:      scf.condition(%[[HAS_PART]])
// CHECK:         ^bb0(%[[PART:[a-z0-9]+]]: index, %[[OWNER:[a-z0-9]+]]: index, %[[BEFORE:[a-z0-9]+]]: index, %[[FROM:[a-z0-9]+]]: index, %[[TO:[a-z0-9]+]]: index):
// CHECK-NEXT:      %[[BATCH:.*]] = arith.divui %[[PART]], %c6
// CHECK-NEXT:      %[[OWN:.*]] = arith.subi %[[BATCH]], %[[BEFORE]]
// CHECK-NEXT:      %[[SKIPPED:.*]] = arith.muli %[[OWN]], %c2
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[FROM]], %[[SKIPPED]]
// CHECK-NEXT:      %[[REST:.*]] = arith.remui %[[PART]], %c6
// CHECK-NEXT:      %[[GROUP:.*]] = arith.divui %[[REST]], %c2

// Where the row is by the list, brought to what rows the batch has, or in its order: its position, and its row of X.
// CHECK:           %[[LISTED:.*]] = sm.has_expert_rows %expert_rows
// CHECK-NEXT:      %[[SOURCE:.*]] = scf.if %[[LISTED]]
// CHECK-NEXT:        %[[ENTRY:.*]] = sm.read_expert_row %expert_rows[%[[ROW]]]
// CHECK-NEXT:        %[[NUMBER:.*]] = arith.index_cast %[[ENTRY]] : i32 to index
// CHECK-NEXT:        %[[LAST_OF_BATCH:.*]] = arith.subi %batch_rows, %c1
// CHECK-NEXT:        %[[NO_MORE:.*]] = arith.minsi %[[NUMBER]], %[[LAST_OF_BATCH]]
// CHECK-NEXT:        %[[WITHIN:.*]] = arith.maxsi %[[NO_MORE]], %c0
// CHECK-NEXT:        scf.yield %[[WITHIN]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[ROW]]
// CHECK:           sm.read_position %positions[%[[SOURCE]]] : i64
// CHECK:           arith.addi %offset, %[[SOURCE]]
// CHECK:           %[[X_LISTED:.*]] = sm.has_expert_rows %x_rows
// CHECK-NEXT:      %[[ROW_OF_X:.*]] = scf.if %[[X_LISTED]]
// CHECK-NEXT:        sm.read_expert_row %x_rows[%[[ROW]]]
// CHECK:             scf.yield %[[ROW]]

// A row of another expert is as one that is not there, and reads the last one's row of X.
// CHECK:           %[[SECOND:.*]] = arith.addi %[[ROW]], %c1
// CHECK-NEXT:      arith.cmpi slt, %[[SECOND]], %[[TO]]
// CHECK:             sm.read_expert_row %expert_rows[%[[SECOND]]]
// CHECK:           %[[LAST:.*]] = arith.subi %[[TO]], %c1
// CHECK-NEXT:      %[[OR_LAST:.*]] = arith.minsi %[[SECOND]], %[[LAST]]
// CHECK-NEXT:      %[[SECOND_OF_X:.*]] = scf.if %[[X_LISTED]]
// CHECK-NEXT:        sm.read_expert_row %x_rows[%[[OR_LAST]]]

// Weight matrices of three blocks lie one below the other.
// CHECK:           %[[WALK:.*]]:6 = scf.while
// CHECK:             %[[BLOCKS_BEFORE:.*]] = arith.muli %[[OWNER]], %c3
// CHECK-NEXT:        %[[WEIGHT_ROW:.*]] = arith.addi %{{.*}}, %[[BLOCKS_BEFORE]]
// CHECK-NEXT:        sm.locate %w[%c0] [%{{.*}}, %[[GROUP]], %c0, %[[WEIGHT_ROW]]]
// CHECK-NEXT:        sm.locate %x[%c0] [%c0, %{{.*}}, %c0, %[[ROW_OF_X]]]
// CHECK-NEXT:        sm.locate %x[%c0] [%c0, %{{.*}}, %c0, %[[SECOND_OF_X]]]

// So do numbers of columns; numbers of rows and the result are of all experts.
// CHECK:             %[[SUMS:.*]] = sm.collect_sums
// CHECK-NEXT:        %[[GROUPS_BEFORE:.*]] = arith.muli %[[OWNER]], %c3
// CHECK-NEXT:        %[[GROUP_OF_ALL:.*]] = arith.addi %[[GROUP]], %[[GROUPS_BEFORE]]
// CHECK-NEXT:        %[[BIASED:.*]] = sm.map (%{{.*}} = %[[SUMS]] : {{.*}}, %{{.*}} = %[[BIAS]] : {{.*}}) at [%[[COLUMN:.*]], %[[GROUP_OF_ALL]]] ->
// CHECK:             %[[SCALED:.*]] = sm.map (%{{.*}} = %[[BIASED]] : {{.*}}, %{{.*}} = %[[SCALE]] : {{.*}}) at [%[[COLUMN]], %{{.*}}] rows [%c0, %[[COLUMN]], %[[GROUP]], %c0, %[[ROW]]] ->
// CHECK:             sm.store_sums %[[SCALED]] to %y[%c0] [%[[COLUMN]], %[[GROUP]], %c0, %[[ROW]]] rows_before %[[TO]] :
// CHECK:           sm.block_sync

// The next part of the block is of this expert or of a later one.
// CHECK-NEXT:      %[[NEXT_PART:.*]] = arith.addi %[[PART]], %[[BLOCKS]]
// CHECK-NEXT:      %[[FOUND_NEXT:.*]]:4 = scf.while (%{{.*}} = %[[OWNER]], %{{.*}} = %[[BEFORE]], %{{.*}} = %[[FROM]], %{{.*}} = %[[TO]])
// CHECK-NEXT:        arith.divui %[[NEXT_PART]], %c6
// CHECK:           scf.yield %[[NEXT_PART]], %[[FOUND_NEXT]]#0, %[[FOUND_NEXT]]#1, %[[FOUND_NEXT]]#2, %[[FOUND_NEXT]]#3
#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 16>, weights = <3 x 16>, out = <3 x 24>,
                       row_types = <interval 3 x 5>>
tile.kernel @experts(%x: !tile.matrix<?x48xbf16>, %w: !tile.matrix<48x72xbf16>, %bias: !tile.matrix<1x72xbf16>,
                     %scale: !tile.matrix<?x1xf32>, %y: !tile.matrix<?x72xf32>)
    attributes {experts, layout = #layout, schedule = #tile.reduced<rows = 2, columns = 16, slices = 32, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<2x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x48xbf16>, !tile.matrix<48x72xbf16>, !tile.fragment<2x16xf32>
    %biased = tile.map (%m = %sum : !tile.fragment<2x16xf32>, %e = %bias[%j, %n] : !tile.matrix<1x72xbf16>) -> !tile.fragment<2x16xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
    %scaled = tile.map (%v = %biased : !tile.fragment<2x16xf32>, %s = %scale[%r] : !tile.matrix<?x1xf32>) -> !tile.fragment<2x16xf32> {
      %product = arith.mulf %v, %s : f32
      tile.yield %product : f32
    }
    tile.store_rows %scaled to %y[%r, %j, %n] : !tile.fragment<2x16xf32> to !tile.matrix<?x72xf32>
  }
}

// -----

// Two products of the same rows, each by weight matrices of the expert. One row at a time: there is none behind it.
// CHECK-LABEL: sm.kernel @both(
// CHECK-SAME:    %expert_starts: !sm.expert_starts, %experts: index, %x_rows: !sm.expert_rows, %expert_rows: !sm.expert_rows, %batch_rows: index, %[[UP:[a-z0-9_]+]]: !sm.maps<
// CHECK:         ^bb0(%{{.*}}: index, %[[OWNER:[a-z0-9]+]]: index, %{{.*}}: index, %{{.*}}: index, %[[TO:[a-z0-9]+]]: index):
// CHECK:           scf.while
// CHECK:             %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// CHECK-NEXT:        %[[WEIGHT_ROW:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// CHECK-NEXT:        sm.locate %w[%c0] [%{{.*}}, %{{.*}}, %c0, %[[WEIGHT_ROW]]]
// CHECK-NEXT:        sm.locate %[[UP]][%c0] [%{{.*}}, %{{.*}}, %c0, %[[WEIGHT_ROW]]]
// CHECK:           sm.store_sums %{{.*}} rows_before %[[TO]] :
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @both(%x: !tile.matrix<?x32xbf16>, %gate: !tile.matrix<32x64xbf16>, %up: !tile.matrix<32x64xbf16>, %y: !tile.matrix<?x64xf32>)
    attributes {experts, layout = #layout, schedule = #tile.reduced<rows = 1, columns = 32, slices = 8, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 1>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<1x32xf32>
    %gates = tile.add_row_terms %x[%r], %gate[%j, %n], %zero : !tile.matrix<?x32xbf16>, !tile.matrix<32x64xbf16>, !tile.fragment<1x32xf32>
    %nothing = tile.zero : !tile.fragment<1x32xf32>
    %ups = tile.add_row_terms %x[%r], %up[%j, %n], %nothing : !tile.matrix<?x32xbf16>, !tile.matrix<32x64xbf16>, !tile.fragment<1x32xf32>
    %both = tile.map (%g = %gates : !tile.fragment<1x32xf32>, %u = %ups : !tile.fragment<1x32xf32>) -> !tile.fragment<1x32xf32> {
      %product = arith.mulf %g, %u : f32
      tile.yield %product : f32
    }
    tile.store_rows %both to %y[%r, %j, %n] : !tile.fragment<1x32xf32> to !tile.matrix<?x64xf32>
  }
}
