// What a cluster of thread blocks does in a kernel of two layers for rows that are divided among experts: both layers multiply by the
// weight matrices of the part's expert.
// RUN: alg-opt %s '-convert-tile-to-sm=dependent=true' -canonicalize -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,DEPENDENT
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,ALONE

// CHECK-LABEL: sm.kernel @cluster(
// CHECK-SAME:    %positions: !sm.positions, %position_bytes: index, %expert_starts: !sm.expert_starts, %experts: index, %x_rows: !sm.expert_rows, %expert_rows: !sm.expert_rows, %batch_rows: index
// CHECK-SAME:    %[[NEXT:[a-z0-9_]+]]: !sm.maps<1 x 8 x 16 x bf16, row_dimension 2, vector 8>, %[[HIDDEN_BIAS:[a-z0-9_]+]]: !sm.columns<2 x 80 x bf16>, %[[BIAS:[a-z0-9_]+]]: !sm.columns<2 x 24 x bf16>)
// CHECK:         %[[THREAD:.*]] = sm.thread_index
// CHECK:         %[[BLOCK:.*]] = sm.block_index
// CHECK-NEXT:    %[[BLOCKS:.*]] = sm.block_count
// CHECK-NEXT:    %[[CLUSTER:.*]] = arith.divui %[[BLOCK]], %c2
// CHECK-NEXT:    %[[CLUSTERS:.*]] = arith.divui %[[BLOCKS]], %c2

// Not even blocks on the diagonal are known before the grid before has ended: they are an expert's.
// DEPENDENT-NOT: sm.prefetch
// DEPENDENT-NOT: sm.locate
// DEPENDENT-NOT: sm.read
// DEPENDENT:     sm.wait_for_predecessor
// DEPENDENT-NEXT: sm.release_successor
// ALONE-NOT:     sm.prefetch
// ALONE-NOT:     sm.wait_for_predecessor

// Of a batch of two rows there are two parts, one for each group.
// CHECK-NEXT:    sm.read_expert_start %expert_starts[%c0]
// CHECK:         sm.read_expert_start %expert_starts[%c1]
// CHECK:         %[[FOUND:.*]]:4 = scf.while (%[[EXPERT:.*]] = %c0, %[[BEFORE:.*]] = %c0,
// CHECK-NEXT:      %[[BATCH:.*]] = arith.divui %[[CLUSTER]], %c2
// CHECK:           arith.cmpi sge, %[[BATCH]], %{{.*}}
// CHECK:           arith.cmpi slt, %[[EXPERT]], %experts
// CHECK:         scf.while (%{{.*}} = %[[CLUSTER]], %{{.*}} = %[[FOUND]]#0, %{{.*}} = %[[FOUND]]#1, %{{.*}} = %[[FOUND]]#2, %{{.*}} = %[[FOUND]]#3)
// CHECK-NEXT:      %[[HAS_PART:.*]] = arith.cmpi slt, %{{.*}}, %experts
// CHECK-NEXT:      scf.condition(%[[HAS_PART]])
// CHECK:         ^bb0(%[[PART:[a-z0-9]+]]: index, %[[OWNER:[a-z0-9]+]]: index, %[[ALL_BEFORE:[a-z0-9]+]]: index, %[[FROM:[a-z0-9]+]]: index, %[[TO:[a-z0-9]+]]: index):
// CHECK-NEXT:      %[[BATCH:.*]] = arith.divui %[[PART]], %c2
// CHECK-NEXT:      %[[OWN:.*]] = arith.subi %[[BATCH]], %[[ALL_BEFORE]]
// CHECK-NEXT:      %[[SKIPPED:.*]] = arith.muli %[[OWN]], %c2
// CHECK-NEXT:      %[[ROW:.*]] = arith.addi %[[FROM]], %[[SKIPPED]]
// CHECK-NEXT:      %[[GROUP:.*]] = arith.remui %[[PART]], %c2
// Lists say which row of the batch it is.
// CHECK:           %[[SOURCE:.*]] = scf.if %{{.*}} -> (index) {
// CHECK-NEXT:        sm.read_expert_row %expert_rows[%[[ROW]]]
// CHECK:           sm.read_position %positions[%[[SOURCE]]] : i64
// CHECK:           %[[ROW_OF_X:.*]] = scf.if %{{.*}} -> (index) {
// CHECK-NEXT:        sm.read_expert_row %x_rows[%[[ROW]]]
// A row of another expert is as one that is not there.
// CHECK:           %[[SECOND:.*]] = arith.addi %[[ROW]], %c1
// CHECK-NEXT:      arith.cmpi slt, %[[SECOND]], %[[TO]]
// CHECK:           %[[LAST:.*]] = arith.subi %[[TO]], %c1
// CHECK-NEXT:      %[[OR_LAST:.*]] = arith.minsi %[[SECOND]], %[[LAST]]
// CHECK-NEXT:      %[[SECOND_OF_X:.*]] = scf.if %{{.*}} -> (index) {
// CHECK-NEXT:        sm.read_expert_row %x_rows[%[[OR_LAST]]]

// Once it is known whose the rows are, blocks of that expert are asked for, whether positions are read or not.
// DEPENDENT:       %[[THERE:.*]] = arith.cmpi slt, %[[ROW]], %[[TO]]
// DEPENDENT-NEXT:  scf.if %[[THERE]]
// DEPENDENT:         %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// DEPENDENT-NEXT:    %[[WEIGHT_ROW:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// DEPENDENT-NEXT:    sm.locate %[[NEXT]][%c0] [%c0, %[[GROUP]], %c0, %[[WEIGHT_ROW]]]
// DEPENDENT:           sm.prefetch
// DEPENDENT:           %[[WEIGHT_ROW:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// DEPENDENT-NEXT:      sm.locate %w[%c0] [%{{.*}}, %{{.*}}, %c0, %[[WEIGHT_ROW]]]
// DEPENDENT:             sm.prefetch
// ALONE-NOT:       sm.prefetch

// CHECK:           scf.while
// CHECK:             %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// CHECK-NEXT:        %[[WEIGHT_ROW:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// CHECK-NEXT:        sm.locate %w[%c0] [%{{.*}}, %{{.*}}, %c0, %[[WEIGHT_ROW]]]
// CHECK-NEXT:        sm.locate %x[%c0] [%c0, %{{.*}}, %c0, %[[ROW_OF_X]]]
// CHECK-NEXT:        sm.locate %x[%c0] [%c0, %{{.*}}, %c0, %[[SECOND_OF_X]]]
// Numbers of columns lie behind each other as well, in either layer. Between the layers they are of the hidden group of each row.
// CHECK:           %[[SUMS:.*]] = sm.collect_sums %{{.*}} row 0 :
// CHECK-NEXT:      %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// CHECK-NEXT:      %[[OF_ALL:.*]] = arith.addi %[[GROUP_OF_FIRST:.*]], %[[BEFORE]]
// CHECK-NEXT:      sm.map (%{{.*}} = %[[SUMS]] : {{.*}}, %{{.*}} = %[[HIDDEN_BIAS]] : {{.*}}) at [%{{.*}}, %[[OF_ALL]]] ->
// CHECK:           sm.store_hidden %{{.*}} row 0
// CHECK:           %[[SUMS:.*]] = sm.collect_sums %{{.*}} row 1 :
// CHECK-NEXT:      %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// CHECK-NOT:       arith.addi %[[GROUP_OF_FIRST]],
// CHECK-NEXT:      %[[OF_ALL:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// CHECK-NEXT:      sm.map (%{{.*}} = %[[SUMS]] : {{.*}}, %{{.*}} = %[[HIDDEN_BIAS]] : {{.*}}) at [%{{.*}}, %[[OF_ALL]]] ->
// CHECK:           sm.store_hidden %{{.*}} row 1

// CHECK:           scf.while
// CHECK:             %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// CHECK-NEXT:        %[[WEIGHT_ROW:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// CHECK-NEXT:        sm.locate %[[NEXT]][%c0] [%{{.*}}, %[[GROUP]], %c0, %[[WEIGHT_ROW]]]
// CHECK:             %[[ALL:.*]] = sm.collect_sums %{{.*}} : <2 x 2 x 16> to <2 x 16, threads 2 x 64>
// CHECK-NEXT:        %[[BEFORE:.*]] = arith.muli %[[OWNER]], %c2
// CHECK-NEXT:        %[[OF_ALL:.*]] = arith.addi %[[GROUP]], %[[BEFORE]]
// CHECK-NEXT:        %[[MORE:.*]] = sm.map (%{{.*}} = %[[ALL]] : {{.*}}, %{{.*}} = %[[BIAS]] : {{.*}}) at [%[[OUT:.*]], %[[OF_ALL]]] ->
// CHECK:             sm.store_sums %[[MORE]] to %y[%c0] [%[[OUT]], %[[GROUP]], %c0, %[[ROW]]] rows_before %[[TO]] :
// CHECK:             sm.cluster_sync

// All blocks of a cluster come to the same part next.
// CHECK:           %[[NEXT_PART:.*]] = arith.addi %[[PART]], %[[CLUSTERS]]
// CHECK-NEXT:      %[[FOUND_NEXT:.*]]:4 = scf.while (%{{.*}} = %[[OWNER]], %{{.*}} = %[[ALL_BEFORE]], %{{.*}} = %[[FROM]], %{{.*}} = %[[TO]])
// CHECK:           scf.yield %[[NEXT_PART]], %[[FOUND_NEXT]]#0, %[[FOUND_NEXT]]#1, %[[FOUND_NEXT]]#2, %[[FOUND_NEXT]]#3
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 80>,
                       row_types = <interval 2 x 5>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 80>, weights = <2 x 80>, out = <2 x 24>,
                       row_types = <interval 2 x 5>>
#of_hidden = #tile.reduced<rows = 2, columns = 32, slices = 16, vector = 8, cluster = 2>
#schedule = #tile.reduced<rows = 2, columns = 16, slices = 32, vector = 8, cluster = 2>
tile.kernel @cluster(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x160xbf16>, %w2: !tile.matrix<160x48xbf16>,
                     %hidden_bias: !tile.matrix<1x160xbf16>, %bias: !tile.matrix<1x48xbf16>, %y: !tile.matrix<?x48xbf16>)
    attributes {experts, layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 32>] {
    %left = tile.buffer : !tile.buffer<2x160xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 32>] {
          %zero = tile.zero : !tile.fragment<2x32xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x64xbf16>, !tile.matrix<64x160xbf16>, !tile.fragment<2x32xf32>
          %h = tile.map (%v = %sum : !tile.fragment<2x32xf32>, %e = %hidden_bias[%k, %m] : !tile.matrix<1x160xbf16>) -> !tile.fragment<2x32xbf16> {
            %wide = arith.extf %e : bf16 to f32
            %biased = arith.addf %v, %wide : f32
            %b = arith.truncf %biased : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %h to %left[%r, %k, %m] : !tile.fragment<2x32xbf16> to !tile.buffer<2x160xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 16>] {
      %zero = tile.zero : !tile.fragment<2x16xf32>
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x160xbf16>, !tile.matrix<160x48xbf16>, !tile.fragment<2x16xf32>
      %more = tile.map (%v = %sum : !tile.fragment<2x16xf32>, %e = %bias[%j, %c] : !tile.matrix<1x48xbf16>) -> !tile.fragment<2x16xbf16> {
        %wide = arith.extf %e : bf16 to f32
        %added = arith.addf %v, %wide : f32
        %b = arith.truncf %added : f32 to bf16
        tile.yield %b : bf16
      }
      tile.store_rows %more to %y[%r, %j, %c] : !tile.fragment<2x16xbf16> to !tile.matrix<?x48xbf16>
    }
  }
}

// -----

// Dense layers, whose blocks are known before of one network. Of experts they are asked for behind, once for all rows.
// CHECK-LABEL: sm.kernel @dense(
// DEPENDENT-NOT: sm.prefetch
// DEPENDENT:     sm.wait_for_predecessor
// CHECK:         ^bb0(%{{.*}}: index, %[[OWNER:[a-z0-9]+]]: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// DEPENDENT:       sm.locate %operand[%c0] [%c0, %c0, %c0, %[[OWNER]]]
// DEPENDENT:       sm.prefetch
// DEPENDENT:       sm.locate %w[%c0] [%{{.*}}, %c0, %c0, %[[OWNER]]]
// DEPENDENT:       sm.prefetch
// CHECK-NOT:       sm.prefetch
// CHECK:           scf.while
#layout = #tile.layout<algebra = #alg.algebra<"Q(1)">, lift = rows, in = <1 x 16>, weights = <1 x 16>, out = <1 x 16>,
                       row_types = <cyclic 1>>
#schedule = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
tile.kernel @dense(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x16xbf16>, %w2: !tile.matrix<16x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {experts, layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %left = tile.buffer : !tile.buffer<2x16xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #layout, schedule = #schedule} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x16xbf16>, !tile.fragment<2x16xf32>
          %h = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %h to %left[%r, %k, %m] : !tile.fragment<2x16xbf16> to !tile.buffer<2x16xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 16>] {
      %zero = tile.zero : !tile.fragment<2x16xf32>
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x16xbf16>, !tile.matrix<16x16xbf16>, !tile.fragment<2x16xf32>
      tile.store_rows %sum to %y[%r, %j, %c] : !tile.fragment<2x16xf32> to !tile.matrix<?x16xf32>
    }
  }
}
