// What a thread block, or a cluster of them, does for few rows in a kernel of two layers: the hidden groups that the rows' terms read
// are made first and stay in shared memory, then they are multiplied.
// RUN: alg-opt %s '-convert-tile-to-sm=dependent=true' -canonicalize -cse -split-input-file | FileCheck %s
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: sm.kernel @cluster(
// CHECK-SAME:    %x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 8>, %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 8>, %y: !sm.maps<1 x 2 x 16 x bf16, row_dimension 3, vector 1>
// CHECK-SAME:    %[[NEXT:[a-z0-9]+]]: !sm.maps<1 x 8 x 16 x bf16, row_dimension 2, vector 8>, %[[SCALE:[a-z0-9_]+]]: !sm.maps<1 x 2 x 1 x f32, row_dimension 3, vector 1>, %[[Z:[a-z0-9_]+]]: !sm.maps<1 x 2 x 16 x bf16, row_dimension 3, vector 1>)
// CHECK-SAME:    hidden_layout = #tile.layout<{{.*}}>, hidden_schedule = #tile.reduced<rows = 2, columns = 32, slices = 16, vector = 8, cluster = 2>
// Of a complete graph a row has two terms at most. Each block makes half of the 80 columns of a hidden group, in tiles of 32.
// CHECK-DAG:     %[[MADE:.*]] = sm.allocate_sums_buffer : <2 x 2 x 32>
// CHECK-DAG:     %[[ADDED:.*]] = sm.allocate_sums_buffer : <2 x 2 x 16>
// CHECK-DAG:     %[[LEFT:.*]] = sm.allocate_hidden_buffer : <2 x 2 x 64>
// CHECK:         %[[THREAD:.*]] = sm.thread_index
// CHECK:         %[[RANK:.*]] = sm.cluster_rank
// CHECK-NEXT:    %[[BEGIN:.*]] = arith.muli %[[RANK]], %c40
// CHECK-NEXT:    %[[SHARE_END:.*]] = arith.addi %[[BEGIN]], %c40
// CHECK-NEXT:    %[[END:.*]] = arith.minsi %[[SHARE_END]], %c80
// A cluster has a part of the result.
// CHECK:         %[[BLOCK:.*]] = sm.block_index
// CHECK-NEXT:    %[[BLOCKS:.*]] = sm.block_count
// CHECK-NEXT:    %[[CLUSTER:.*]] = arith.divui %[[BLOCK]], %c2
// CHECK-NEXT:    %[[CLUSTERS:.*]] = arith.divui %[[BLOCKS]], %c2

// Blocks of both weight matrices on the diagonal, and where nobody reads positions those of the rows' types, before the wait.
// CHECK:         sm.locate %w[%c0]
// CHECK:           sm.prefetch
// CHECK:         sm.locate %[[NEXT]][%c0]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK-NEXT:      sm.prefetch
// CHECK:         %[[GIVEN:.*]] = sm.has_positions %positions
// CHECK:         %[[COUNTED:.*]] = arith.xori %[[GIVEN]], %true
// CHECK:         scf.if %[[COUNTED]]
// CHECK:           sm.prefetch
// CHECK-NOT:     sm.read
// CHECK:         sm.wait_for_predecessor
// CHECK-NEXT:    sm.release_successor

// ALONE-LABEL: sm.kernel @cluster(
// ALONE-NOT:     sm.prefetch
// ALONE-NOT:     sm.wait_for_predecessor

// CHECK:         scf.for %{{.*}} = %[[CLUSTER]] to %{{.*}} step %[[CLUSTERS]]
// The terms of the rows, side by side; a row's hidden group is its own.
// CHECK:           scf.for %[[TERM:.*]] = %c0 to %{{.*}} step %c1
// CHECK:             %[[FIRST_GOES:.*]] = arith.cmpi slt, %[[TERM]]
// CHECK:             %[[SECOND_GOES:.*]] = arith.cmpi slt, %[[TERM]]
// CHECK:             scf.for %[[COLUMN:.*]] = %[[BEGIN]] to %[[END]] step %c32
// CHECK:               %[[WALK:.*]]:6 = scf.while
// CHECK:                 sm.locate %w
// CHECK:                 sm.locate %x
// CHECK:                 sm.add_products
// CHECK:               sm.share_sums %[[WALK]]#4, %[[WALK]]#5 in %[[MADE]]
// CHECK-NEXT:          sm.block_sync
// CHECK-NEXT:          %[[SUMS:.*]] = sm.collect_sums %[[MADE]] : <2 x 2 x 32> to <2 x 32, threads 64>
// Numbers of rows are the same whatever the group, so that all rows come at once.
// CHECK-NEXT:          %[[SCALED:.*]] = sm.map (%{{.*}} = %[[SUMS]] : {{.*}}, %{{.*}} = %[[SCALE]] : {{.*}}) at [%[[COLUMN]], %{{.*}}] rows
// CHECK:               %[[PLACE:.*]] = arith.subi %[[COLUMN]], %[[BEGIN]]
// CHECK-NEXT:          %[[PRESENT:.*]] = arith.subi %c80, %[[COLUMN]]
// CHECK-NEXT:          sm.store_hidden %[[SCALED]] to %[[LEFT]][%[[TERM]], %[[PLACE]]] of %[[PRESENT]]
// CHECK-NEXT:          sm.block_sync

// The block multiplies its share by the rows of the second weight matrix that meet it.
// CHECK:           %[[FIRST:.*]] = arith.divui %[[BEGIN]], %c8
// CHECK:           scf.for %[[OUT:.*]] = %c0 to %c24 step %c16
// CHECK:             %[[LAST:.*]]:6 = scf.while
// CHECK:               sm.locate %[[NEXT]]
// CHECK:               scf.for %[[PIECE:.*]] = %{{.*}} to %{{.*}} step %c32
// CHECK-NEXT:            %[[DEPTH:.*]] = arith.muli %[[PIECE]], %c8
// CHECK-NEXT:            %[[WEIGHTS:.*]] = sm.read %{{.*}}[%[[DEPTH]]] of 80
// CHECK-NEXT:            %[[HERE:.*]] = arith.subi %[[DEPTH]], %[[BEGIN]]
// CHECK-NEXT:            sm.read_hidden %[[LEFT]][%{{.*}}, %[[HERE]]] row 0
// CHECK-NEXT:            sm.read_hidden %[[LEFT]][%{{.*}}, %[[HERE]]] row 1
// The threads of both blocks finish the elements, and no block leaves while others read its sums.
// CHECK:             sm.share_sums %[[LAST]]#4, %[[LAST]]#5 in %[[ADDED]]
// CHECK-NEXT:        sm.cluster_sync
// CHECK-NEXT:        %[[BEFORE:.*]] = arith.muli %[[RANK]], %c64
// CHECK-NEXT:        %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[THREAD]]
// CHECK-NEXT:        %[[HAS_ONE:.*]] = arith.cmpi slt, %[[NUMBER]], %c32
// CHECK-NEXT:        scf.if %[[HAS_ONE]]
// CHECK-NEXT:          %[[ALL:.*]] = sm.collect_sums %[[ADDED]] : <2 x 2 x 16> to <2 x 16, threads 2 x 64>
// CHECK-NEXT:          %[[MORE:.*]] = sm.map (%{{.*}} = %[[ALL]] : {{.*}}, %{{.*}} = %[[Z]] : {{.*}}) at [%[[OUT]], %[[GROUP:.*]]] rows [%c0, %[[OUT]], %[[GROUP]], %c0, %[[ROW:.*]]] ->
// CHECK:               sm.store_sums %[[MORE]] to %y[%c0] [%[[OUT]], %[[GROUP]], %c0, %[[ROW]]]
// CHECK:             sm.cluster_sync
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 80>,
                       row_types = <interval 2 x 5>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 80>, weights = <2 x 80>, out = <2 x 24>,
                       row_types = <interval 2 x 5>>
#of_hidden = #tile.reduced<rows = 2, columns = 32, slices = 16, vector = 8, cluster = 2>
#schedule = #tile.reduced<rows = 2, columns = 16, slices = 32, vector = 8, cluster = 2>
tile.kernel @cluster(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x160xbf16>, %w2: !tile.matrix<160x48xbf16>,
                     %scale: !tile.matrix<?x1xf32>, %z: !tile.matrix<?x48xbf16>, %y: !tile.matrix<?x48xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 32>] {
    %left = tile.buffer : !tile.buffer<2x160xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 32>] {
          %zero = tile.zero : !tile.fragment<2x32xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x64xbf16>, !tile.matrix<64x160xbf16>, !tile.fragment<2x32xf32>
          %h = tile.map (%v = %sum : !tile.fragment<2x32xf32>, %s = %scale[%r] : !tile.matrix<?x1xf32>) -> !tile.fragment<2x32xbf16> {
            %scaled = arith.mulf %v, %s : f32
            %b = arith.truncf %scaled : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %h to %left[%r, %k, %m] : !tile.fragment<2x32xbf16> to !tile.buffer<2x160xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 16>] {
      %zero = tile.zero : !tile.fragment<2x16xf32>
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x160xbf16>, !tile.matrix<160x48xbf16>, !tile.fragment<2x16xf32>
      %more = tile.map (%v = %sum : !tile.fragment<2x16xf32>, %o = %z[%r, %j, %c] : !tile.matrix<?x48xbf16>) -> !tile.fragment<2x16xbf16> {
        %wide = arith.extf %o : bf16 to f32
        %added = arith.addf %v, %wide : f32
        %b = arith.truncf %added : f32 to bf16
        tile.yield %b : bf16
      }
      tile.store_rows %more to %y[%r, %j, %c] : !tile.fragment<2x16xbf16> to !tile.matrix<?x48xbf16>
    }
  }
}

// -----

// One block alone, and terms from the table: as many as an output group has at most. There are as many elements as threads,
// so that each of them has one.
// CHECK-LABEL: sm.kernel @table(
// CHECK-NOT:     sm.cluster
// CHECK-DAG:     sm.allocate_sums_buffer : <1 x 1 x 32>
// CHECK-DAG:     %[[LEFT:.*]] = sm.allocate_hidden_buffer : <3 x 1 x 32>
// CHECK-NOT:     sm.cluster
// CHECK:         sm.wait_for_predecessor
// CHECK:         %[[OFFSET:.*]] = sm.read_terms %terms[%[[AT:.*]]]
// CHECK:         sm.read_terms %terms
// CHECK:         scf.for %[[TERM:.*]] = %c0 to %{{.*}} step %c1
// CHECK:           scf.while
// CHECK:           sm.share_sums
// CHECK-NEXT:      sm.block_sync
// CHECK-NEXT:      %[[SUMS:.*]] = sm.collect_sums %{{.*}} : <1 x 1 x 32> to <1 x 32, threads 32>
// CHECK-NEXT:      sm.store_hidden %[[SUMS]] to %[[LEFT]][%[[TERM]], %c0] of %c32
// CHECK-NEXT:      sm.block_sync
// CHECK:         scf.while
// The number of a row's term, by which it was left, is that of the term that is added.
// CHECK:         ^bb0(%[[NUMBER:.*]]: index, %{{.*}}: i64, %{{.*}}: !sm.row_sums
// CHECK:           sm.read_hidden %[[LEFT]][%[[NUMBER]], %{{.*}}] row 0
// CHECK-NOT:     sm.cluster
// CHECK:         sm.share_sums
// CHECK-NEXT:    sm.block_sync
// CHECK-NEXT:    %[[ALL:.*]] = sm.collect_sums %{{.*}} : <1 x 1 x 32> to <1 x 32, threads 32>
// CHECK-NEXT:    sm.store_sums %[[ALL]] to %y
// CHECK-NEXT:    sm.block_sync
#layout = #tile.layout<algebra = #alg.algebra<"T(3)">, lift = rows, in = <3 x 32>, weights = <3 x 32>, out = <3 x 32>,
                       row_types = <cyclic 3>>
#schedule = #tile.reduced<rows = 1, columns = 32, slices = 8, vector = 8>
tile.kernel @table(%x: !tile.matrix<?x96xbf16>, %w: !tile.matrix<96x96xbf16>, %w2: !tile.matrix<96x96xbf16>, %y: !tile.matrix<?x96xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 1>, <groups, 1>, <columns, 32>] {
    %left = tile.buffer : !tile.buffer<1x96xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #layout, schedule = #schedule} {
        tile.for (%m) over [<columns, 32>] {
          %zero = tile.zero : !tile.fragment<1x32xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x96xbf16>, !tile.matrix<96x96xbf16>, !tile.fragment<1x32xf32>
          %h = tile.map (%v = %sum : !tile.fragment<1x32xf32>) -> !tile.fragment<1x32xbf16> {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %h to %left[%r, %k, %m] : !tile.fragment<1x32xbf16> to !tile.buffer<1x96xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 32>] {
      %zero = tile.zero : !tile.fragment<1x32xf32>
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<1x96xbf16>, !tile.matrix<96x96xbf16>, !tile.fragment<1x32xf32>
      tile.store_rows %sum to %y[%r, %j, %c] : !tile.fragment<1x32xf32> to !tile.matrix<?x96xf32>
    }
  }
}

// -----

// A bias between the layers is of a group, and rows have groups of their own: they come one by one. Two products of the same rows go
// through their terms together.
// CHECK-LABEL: sm.kernel @one_by_one(
// CHECK-SAME:    %position_bytes: index, %[[UP:[a-z0-9_]+]]: !sm.maps<1 x 8 x 16 x bf16, row_dimension 2, vector 8>, %{{.*}}: !sm.maps<1 x 8 x 8 x bf16, row_dimension 2, vector 8>, %[[BIAS:[a-z0-9_]+]]: !sm.columns<2 x 16 x bf16>)
// CHECK:         scf.while
// CHECK:           sm.locate %w[
// CHECK:           sm.locate %[[UP]][
// CHECK:         sm.share_sums %{{.*}} in %[[GATES:.*]] :
// CHECK-NEXT:    sm.share_sums %{{.*}} in %[[UPS:.*]] :
// CHECK-NEXT:    sm.block_sync
// CHECK-NEXT:    %[[HAS_ONE:.*]] = arith.cmpi slt, %{{.*}}, %c16
// CHECK-NEXT:    scf.if %[[HAS_ONE]]
// CHECK-NEXT:      %[[A:.*]] = sm.collect_sums %[[GATES]] row 0 : <1 x 2 x 16> to <1 x 16, threads 32>
// CHECK-NEXT:      %[[B:.*]] = sm.collect_sums %[[UPS]] row 0 :
// CHECK-NEXT:      %[[FIRST:.*]] = sm.map (%{{.*}} = %[[A]] : {{.*}}, %{{.*}} = %[[B]] : {{.*}}, %{{.*}} = %[[BIAS]] : {{.*}}) at [%[[COLUMN:.*]], %[[GROUP:.*]]] ->
// CHECK:           sm.store_hidden %[[FIRST]] to %{{.*}} row 0
// CHECK-NOT:     sm.block_sync
// CHECK:         scf.if %[[HAS_ONE]]
// CHECK-NEXT:      sm.collect_sums %[[GATES]] row 1
// CHECK-NEXT:      sm.collect_sums %[[UPS]] row 1
// CHECK-NOT:       at [%[[COLUMN]], %[[GROUP]]]
// CHECK:           sm.map {{.*}} at [%[[COLUMN]], %{{.*}}] ->
// CHECK:           sm.store_hidden %{{.*}} row 1
// CHECK:         sm.block_sync

// Rows of one type have the groups of the first, and come at once.
// CHECK-LABEL: sm.kernel @at_once(
// CHECK:         sm.allocate_hidden_buffer : <1 x 2 x 16>
// CHECK:         sm.block_sync
// CHECK:         %[[SUMS:.*]] = sm.collect_sums %{{.*}} : <1 x 2 x 16> to <2 x 16, threads 32>
// CHECK-NEXT:    sm.map (%{{.*}} = %[[SUMS]] : {{.*}} : !sm.columns<1 x 16 x bf16>) at
// CHECK:         sm.store_hidden
// CHECK-NOT:     sm.store_hidden
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#one_type = #tile.layout<algebra = #alg.algebra<"Q(1)">, lift = rows, in = <1 x 16>, weights = <1 x 16>, out = <1 x 16>,
                         row_types = <cyclic 1>>
#schedule = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#own = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @one_by_one(%x: !tile.matrix<?x32xbf16>, %gate: !tile.matrix<32x32xbf16>, %up: !tile.matrix<32x32xbf16>, %down: !tile.matrix<32x16xbf16>,
                        %bias: !tile.matrix<1x32xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #own} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #schedule} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %gates = tile.add_row_terms %x[%r], %gate[%k, %m], %zero : !tile.matrix<?x32xbf16>, !tile.matrix<32x32xbf16>, !tile.fragment<2x16xf32>
          %ups = tile.add_row_terms %x[%r], %up[%k, %m], %zero : !tile.matrix<?x32xbf16>, !tile.matrix<32x32xbf16>, !tile.fragment<2x16xf32>
          %h = tile.map (%g = %gates : !tile.fragment<2x16xf32>, %u = %ups : !tile.fragment<2x16xf32>, %e = %bias[%k, %m] : !tile.matrix<1x32xbf16>) -> !tile.fragment<2x16xbf16> {
            %wide = arith.extf %e : bf16 to f32
            %biased = arith.addf %g, %wide : f32
            %product = arith.mulf %biased, %u : f32
            %b = arith.truncf %product : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %h to %left[%r, %k, %m] : !tile.fragment<2x16xbf16> to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !tile.fragment<2x8xf32>
      %sum = tile.add_row_terms %left[%r], %down[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !tile.fragment<2x8xf32>
      tile.store_rows %sum to %y[%r, %j, %c] : !tile.fragment<2x8xf32> to !tile.matrix<?x16xf32>
    }
  }
}
tile.kernel @at_once(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x16xbf16>, %w2: !tile.matrix<16x16xbf16>, %bias: !tile.matrix<1x16xbf16>,
                     %y: !tile.matrix<?x16xf32>) attributes {layout = #one_type, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %left = tile.buffer : !tile.buffer<2x16xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #one_type, schedule = #schedule} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x16xbf16>, !tile.fragment<2x16xf32>
          %h = tile.map (%v = %sum : !tile.fragment<2x16xf32>, %e = %bias[%k, %m] : !tile.matrix<1x16xbf16>) -> !tile.fragment<2x16xbf16> {
            %wide = arith.extf %e : bf16 to f32
            %biased = arith.addf %v, %wide : f32
            %b = arith.truncf %biased : f32 to bf16
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
