// Kernels of two layers for few rows: what the first layer leaves in shared memory, and sums that all blocks of a cluster have.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 2, columns = 32, slices = 32, vector = 8, cluster = 2>

// CHECK-LABEL: sm.kernel @rows(
// CHECK-SAME:    hidden_layout = #tile.layout<{{.*}}>, hidden_schedule = #tile.reduced<{{.*}}, cluster = 2>
sm.kernel @rows(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 8>,
                %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 8>,
                %y: !sm.maps<1 x 2 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index,
                %w2: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 8>)
    attributes {hidden_layout = #hidden, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %present = arith.constant 20 : index
  // CHECK: %[[SUMS:.*]] = sm.allocate_sums_buffer : <4 x 2 x 32>
  %buffer = sm.allocate_sums_buffer : <4 x 2 x 32>
  // CHECK: %[[LEFT:.*]] = sm.allocate_hidden_buffer : <3 x 2 x 64>
  %left = sm.allocate_hidden_buffer : <3 x 2 x 64>

  // CHECK: %[[BOTH:.*]] = sm.collect_sums %[[SUMS]] : <4 x 2 x 32> to <2 x 32, threads 128>
  %both = sm.collect_sums %buffer : <4 x 2 x 32> to <2 x 32, threads 128>
  // CHECK: sm.store_hidden %[[BOTH]] to %[[LEFT]][%{{.*}}, %{{.*}}] of %{{.*}} : <2 x 32, threads 128> to <3 x 2 x 64>
  sm.store_hidden %both to %left[%i, %i] of %present : <2 x 32, threads 128> to <3 x 2 x 64>

  // One row alone.
  // CHECK: %[[SECOND:.*]] = sm.collect_sums %[[SUMS]] row 1 : <4 x 2 x 32> to <1 x 32, threads 128>
  %second = sm.collect_sums %buffer row 1 : <4 x 2 x 32> to <1 x 32, threads 128>
  // CHECK: sm.store_hidden %[[SECOND]] to %[[LEFT]][%{{.*}}, %{{.*}}] of %{{.*}} row 1 : <1 x 32, threads 128> to <3 x 2 x 64>
  sm.store_hidden %second to %left[%i, %i] of %present row 1 : <1 x 32, threads 128> to <3 x 2 x 64>
  sm.block_sync

  // CHECK: sm.read_hidden %[[LEFT]][%{{.*}}, %{{.*}}] row 1 : <3 x 2 x 64> to <1 x 8 x bf16, vector 8>
  %numbers = sm.read_hidden %left[%i, %i] row 1 : <3 x 2 x 64> to <1 x 8 x bf16, vector 8>

  // The threads of both blocks of a cluster.
  sm.cluster_sync
  // CHECK: %[[ALL:.*]] = sm.collect_sums %[[SUMS]] : <4 x 2 x 32> to <2 x 32, threads 2 x 128>
  %all = sm.collect_sums %buffer : <4 x 2 x 32> to <2 x 32, threads 2 x 128>
  // CHECK: sm.store_sums %[[ALL]] to %y{{.*}} : <2 x 32, threads 2 x 128> to
  sm.store_sums %all to %y[%i][%i, %i, %i, %i] : <2 x 32, threads 2 x 128> to !sm.maps<1 x 2 x 32 x bf16, row_dimension 3, vector 1>
  sm.cluster_sync
}

// One block is a cluster of one, of which nothing is said.
// CHECK: func.func private @one_block(!sm.accumulator<2 x 32, threads 128>)
func.func private @one_block(!sm.accumulator<2 x 32, threads 1 x 128>)
