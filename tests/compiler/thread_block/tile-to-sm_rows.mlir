// What a thread block does for few rows: their types come from positions, blocks of the weight matrix are read once for all rows that
// share them, and sums of all slices meet before maps and stores.
// RUN: alg-opt %s '-convert-tile-to-sm=dependent=true' -canonicalize -cse -split-input-file | FileCheck %s
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: sm.kernel @forward(
// CHECK-SAME:    %x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 8>, %w: !sm.maps<1 x 8 x 16 x bf16, row_dimension 2, vector 8>, %y: !sm.maps<1 x 2 x 16 x bf16, row_dimension 3, vector 1>
// CHECK-SAME:    %rows: index, %offset: index, %terms: !sm.terms_table, %positions: !sm.positions, %position_bytes: index
// CHECK-SAME:    %[[BIAS:.*]]: !sm.columns<3 x 24 x bf16>, %[[SCALE:.*]]: !sm.maps<1 x 2 x 1 x f32, row_dimension 3, vector 1>, %[[Z:.*]]: !sm.maps<1 x 2 x 16 x bf16, row_dimension 3, vector 1>)
// CHECK:         %[[BUFFER:.*]] = sm.allocate_sums_buffer : <2 x 2 x 16>
// CHECK:         %[[THREAD:.*]] = sm.thread_index
// CHECK:         %[[LANE:.*]] = arith.remui %[[THREAD]], %c2
// CHECK:         %[[SLICE:.*]] = arith.divui %[[THREAD]], %c2

// The diagonal block, and where nobody reads positions the blocks of the rows' types, before the wait.
// CHECK:         sm.prefetch
// CHECK:         %[[GIVEN:.*]] = sm.has_positions %positions
// CHECK:         %[[COUNTED:.*]] = arith.xori %[[GIVEN]], %true
// CHECK:         scf.if %[[COUNTED]]
// CHECK:           sm.prefetch
// CHECK:           sm.prefetch
// CHECK-NOT:     sm.read
// CHECK:         sm.wait_for_predecessor
// CHECK-NEXT:    sm.release_successor

// ALONE-LABEL: sm.kernel @forward(
// ALONE-NOT:     sm.prefetch
// ALONE-NOT:     sm.wait_for_predecessor

// A position is read as int64 or as int32, and taken modulo the period; its quotient by the width is the type.
// CHECK:         scf.for
// CHECK:           arith.cmpi eq, %position_bytes, %c8
// CHECK:             sm.read_position %positions[%{{.*}}] : i64
// CHECK:             %[[NARROW:.*]] = sm.read_position %positions[%{{.*}}] : i32
// CHECK-NEXT:        arith.extsi %[[NARROW]] : i32 to i64
// CHECK:           %[[LEFT:.*]] = arith.remsi %{{.*}}, %c15_i64
// CHECK-NEXT:      %[[NEGATIVE:.*]] = arith.cmpi slt, %[[LEFT]]
// CHECK-NEXT:      %[[BACK:.*]] = arith.addi %[[LEFT]], %c15_i64
// CHECK-NEXT:      %[[OF_PERIOD:.*]] = arith.select %[[NEGATIVE]], %[[BACK]], %[[LEFT]]
// CHECK-NEXT:      %[[NUMBER:.*]] = arith.index_castui %[[OF_PERIOD]] : i64 to index
// CHECK-NEXT:      arith.divui %[[NUMBER]], %c5

// One block of the weight matrix after the other. Where all rows take part it is read once.
// CHECK:           %[[WALK:.*]]:6 = scf.while
// CHECK:             %[[BLOCK:.*]] = sm.locate %w
// CHECK:             %[[FIRST:.*]] = sm.locate %x
// CHECK:             %[[SECOND:.*]] = sm.locate %x
// CHECK:             scf.for %[[PIECE:.*]] = %[[SLICE]] to %c2 step %c32
// CHECK-NEXT:          %[[DEPTH:.*]] = arith.muli %[[PIECE]], %c8
// CHECK-NEXT:          %[[WEIGHTS:.*]] = sm.read %[[BLOCK]][%[[DEPTH]]] of 16
// CHECK-NEXT:          %[[A:.*]] = sm.read %[[FIRST]][%[[DEPTH]]] of 16
// CHECK-NEXT:          %[[B:.*]] = sm.read %[[SECOND]][%[[DEPTH]]] of 16
// CHECK-NEXT:          sm.add_products %[[A]], %[[WEIGHTS]]
// CHECK-NEXT:          sm.add_products %[[B]], %[[WEIGHTS]]
// Otherwise each row that takes part goes through it alone.
// CHECK:             scf.for
// CHECK:               sm.add_products
// CHECK-NOT:           sm.add_products
// CHECK:             scf.for
// CHECK:               sm.add_products

// As many threads as there are elements finish them.
// CHECK:           sm.share_sums %[[WALK]]#4, %[[WALK]]#5 in %[[BUFFER]]
// CHECK-NEXT:      sm.block_sync
// CHECK-NEXT:      %[[HAS_ONE:.*]] = arith.cmpi slt, %[[THREAD]], %c32
// CHECK-NEXT:      scf.if %[[HAS_ONE]]
// CHECK-NEXT:        %[[SUMS:.*]] = sm.collect_sums %[[BUFFER]] : <2 x 2 x 16> to <2 x 16, threads 64>
// CHECK-NEXT:        %[[BIASED:.*]] = sm.map (%{{.*}} = %[[SUMS]] : !sm.accumulator<2 x 16, threads 64>, %{{.*}} = %[[BIAS]] : !sm.columns<3 x 24 x bf16>) at [%[[COLUMN:.*]], %[[GROUP:.*]]] ->
// CHECK:             %[[SCALED:.*]] = sm.map (%{{.*}} = %[[BIASED]] : {{.*}}, %{{.*}} = %[[SCALE]] : {{.*}}, %{{.*}} = %[[Z]] : {{.*}}) at [%[[COLUMN]], %[[GROUP]]] rows [%c0, %[[COLUMN]], %[[GROUP]], %c0, %[[ROW:.*]]] ->
// CHECK:             sm.store_sums %[[SCALED]] to %y[%c0] [%[[COLUMN]], %[[GROUP]], %c0, %[[ROW]]]
// CHECK:           sm.block_sync
#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 16>, weights = <3 x 16>, out = <3 x 24>,
                       row_types = <interval 3 x 5>>
tile.kernel @forward(%x: !tile.matrix<?x48xbf16>, %w: !tile.matrix<48x72xbf16>, %bias: !tile.matrix<1x72xbf16>,
                     %scale: !tile.matrix<?x1xf32>, %z: !tile.matrix<?x72xbf16>, %y: !tile.matrix<?x72xbf16>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 16, slices = 32, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<2x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x48xbf16>, !tile.matrix<48x72xbf16>, !tile.fragment<2x16xf32>
    %biased = tile.map (%m = %sum : !tile.fragment<2x16xf32>, %e = %bias[%j, %n] : !tile.matrix<1x72xbf16>) -> !tile.fragment<2x16xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
    %scaled = tile.map (%v = %biased : !tile.fragment<2x16xf32>, %s = %scale[%r] : !tile.matrix<?x1xf32>, %o = %z[%r, %j, %n] : !tile.matrix<?x72xbf16>) -> !tile.fragment<2x16xf32> {
      %wide = arith.extf %o : bf16 to f32
      %product = arith.mulf %v, %s : f32
      %more = arith.addf %product, %wide : f32
      tile.yield %more : f32
    }
    %half = tile.map (%v = %scaled : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
      %b = arith.truncf %v : f32 to bf16
      tile.yield %b : bf16
    }
    tile.store_rows %half to %y[%r, %j, %n] : !tile.fragment<2x16xbf16> to !tile.matrix<?x72xbf16>
  }
}

// -----

// Terms that are added to what others have left, and a fragment of zeros that is stored as it is. As many elements as threads.
// CHECK-LABEL: sm.kernel @twice(
// CHECK:         %[[FIRST:.*]]:3 = scf.while
// CHECK:         %[[BOTH:.*]]:3 = scf.while (%{{.*}} = %c0, %{{.*}} = %{{.*}}, %{{.*}} = %[[FIRST]]#2)
// CHECK:         sm.share_sums %[[BOTH]]#2
// CHECK-NEXT:    sm.block_sync
// CHECK-NEXT:    %[[ZERO:.*]] = sm.zero : <1 x 32, threads 32>
// CHECK-NEXT:    %[[SUMS:.*]] = sm.collect_sums
// CHECK:         sm.store_sums %[[SUMS]]
// CHECK:         sm.store_sums %[[ZERO]]
// CHECK-NEXT:    sm.block_sync
#layout = #tile.layout<algebra = #alg.algebra<"Q(1)">, lift = rows, in = <1 x 16>, weights = <1 x 16>, out = <1 x 64>,
                       row_types = <cyclic 1>>
tile.kernel @twice(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x64xbf16>, %y: !tile.matrix<?x64xf32>, %z: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 1, columns = 32, slices = 8, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 1>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<1x32xf32>
    %once = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x64xbf16>, !tile.fragment<1x32xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %once : !tile.matrix<?x16xbf16>, !tile.matrix<16x64xbf16>, !tile.fragment<1x32xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<1x32xf32> to !tile.matrix<?x64xf32>
    tile.store_rows %zero to %z[%r, %j, %n] : !tile.fragment<1x32xf32> to !tile.matrix<?x64xf32>
  }
}

// -----

// Two products of the same rows go through their terms together: rows are read once, each block beside its counterpart.
// CHECK-LABEL: sm.kernel @both(
// CHECK-DAG:     %[[GATES:.*]] = sm.allocate_sums_buffer : <1 x 1 x 32>
// CHECK-DAG:     %[[UPS:.*]] = sm.allocate_sums_buffer : <1 x 1 x 32>
// CHECK:         %[[WALK:.*]]:4 = scf.while
// CHECK:           %[[GATE:.*]] = sm.locate %w[
// CHECK:           %[[UP:.*]] = sm.locate %operand[
// CHECK:           %[[ROW:.*]] = sm.locate %x
// CHECK:           scf.for
// CHECK:             %[[A:.*]] = sm.read %[[GATE]]
// CHECK-NEXT:        %[[B:.*]] = sm.read %[[UP]]
// CHECK-NEXT:        %[[NUMBERS:.*]] = sm.read %[[ROW]]
// CHECK-NEXT:        sm.add_products %[[NUMBERS]], %[[A]]
// CHECK-NEXT:        sm.add_products %[[NUMBERS]], %[[B]]
// CHECK-NOT:     scf.while
// CHECK-DAG:     sm.share_sums %[[WALK]]#2 in
// CHECK-DAG:     sm.share_sums %[[WALK]]#3 in
// CHECK:         sm.block_sync
// CHECK:         sm.collect_sums
// CHECK:         sm.collect_sums
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 32>,
                       row_types = <cyclic 2>>
tile.kernel @both(%x: !tile.matrix<?x32xbf16>, %gate: !tile.matrix<32x64xbf16>, %up: !tile.matrix<32x64xbf16>, %y: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 1, columns = 32, slices = 8, vector = 8>} {
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
