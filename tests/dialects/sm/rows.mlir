// Few rows whose operands go straight into registers.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 60>, weights = #alg.groups<2 x 60>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>

// CHECK: sm.kernel @rows(%x: {{.*}}, %position_bytes: index)
sm.kernel @rows(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index)
    attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  // CHECK: sm.allocate_sums_buffer : <8 x 2 x 64>
  %buffer = sm.allocate_sums_buffer : <8 x 2 x 64>
  // CHECK: sm.thread_index
  %thread = sm.thread_index
  // CHECK: sm.has_positions %positions
  %given = sm.has_positions %positions
  // CHECK: sm.read_position %positions[%{{.*}}] : i64
  %position = sm.read_position %positions[%i] : i64
  // CHECK: %[[BLOCK:.*]] = sm.locate %w[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : <1 x 8 x 64 x bf16, row_dimension 2, vector 4>
  %block = sm.locate %w[%i][%i, %i, %i, %i] : <1 x 8 x 64 x bf16, row_dimension 2, vector 4>
  %row = sm.locate %x[%i][%i, %i, %i, %i] : <1 x 2 x 8 x bf16, row_dimension 3, vector 4>
  // CHECK: sm.prefetch %[[BLOCK]][%{{.*}}] : <<1 x 8 x 64 x bf16, row_dimension 2, vector 4>>
  sm.prefetch %block[%thread] : <<1 x 8 x 64 x bf16, row_dimension 2, vector 4>>
  // CHECK: %[[WEIGHTS:.*]] = sm.read %[[BLOCK]][%{{.*}}] of 60 : {{.*}} to <8 x 4 x bf16, vector 4>
  %weights = sm.read %block[%i] of 60 : <<1 x 8 x 64 x bf16, row_dimension 2, vector 4>> to <8 x 4 x bf16, vector 4>
  // CHECK: %[[NUMBERS:.*]] = sm.read %{{.*}}[%{{.*}}] of 60 : {{.*}} to <1 x 8 x bf16, vector 4>
  %numbers = sm.read %row[%i] of 60 : <<1 x 2 x 8 x bf16, row_dimension 3, vector 4>> to <1 x 8 x bf16, vector 4>
  // CHECK: sm.zero_row : <64, slices 16, vector 4>
  %zero = sm.zero_row : <64, slices 16, vector 4>
  // CHECK: sm.add_products %[[NUMBERS]], %[[WEIGHTS]], %{{.*}} : <1 x 8 x bf16, vector 4>, <8 x 4 x bf16, vector 4>, <64, slices 16, vector 4>
  %first = sm.add_products %numbers, %weights, %zero : <1 x 8 x bf16, vector 4>, <8 x 4 x bf16, vector 4>, <64, slices 16, vector 4>
  // CHECK: sm.add_products %[[NUMBERS]], %[[WEIGHTS]], %{{.*}} scaled %{{.*}} : <1 x 8 x bf16, vector 4>
  %second = sm.add_products %numbers, %weights, %zero scaled %two : <1 x 8 x bf16, vector 4>, <8 x 4 x bf16, vector 4>, <64, slices 16, vector 4>
  // CHECK: sm.share_sums %{{.*}}, %{{.*}} in %{{.*}} : !sm.row_sums<64, slices 16, vector 4>, !sm.row_sums<64, slices 16, vector 4> in <8 x 2 x 64>
  sm.share_sums %first, %second in %buffer : !sm.row_sums<64, slices 16, vector 4>, !sm.row_sums<64, slices 16, vector 4> in <8 x 2 x 64>
  sm.block_sync
  // CHECK: sm.collect_sums %{{.*}} : <8 x 2 x 64> to <2 x 64, threads 256>
  %sums = sm.collect_sums %buffer : <8 x 2 x 64> to <2 x 64, threads 256>
  // CHECK: sm.store_sums %{{.*}} to %y{{.*}} : <2 x 64, threads 256> to
  sm.store_sums %sums to %y[%i][%i, %i, %i, %i] : <2 x 64, threads 256> to !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>
}
