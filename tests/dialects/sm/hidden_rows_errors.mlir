// What few rows between two layers cannot be, and sums of clusters.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -o /dev/null

// Sums of one row, and of all blocks of a cluster.
func.func @no_such_row(%buffer: !sm.sums_buffer<4 x 2 x 32>) {
  // expected-error @+1 {{names row 2 of 2}}
  %sums = sm.collect_sums %buffer row 2 : <4 x 2 x 32> to <1 x 32, threads 128>
  return
}

// -----

func.func @negative_row(%buffer: !sm.sums_buffer<4 x 2 x 32>) {
  // expected-error @+1 {{names row -1 of 2}}
  %sums = sm.collect_sums %buffer row -1 : <4 x 2 x 32> to <1 x 32, threads 128>
  return
}

// -----

func.func @one_of_both(%buffer: !sm.sums_buffer<4 x 2 x 32>) {
  // expected-error @+1 {{makes '!sm.accumulator<2 x 32, threads 128>' of '!sm.sums_buffer<4 x 2 x 32>', whose threads and sums are others}}
  %sums = sm.collect_sums %buffer row 1 : <4 x 2 x 32> to <2 x 32, threads 128>
  return
}

// -----

func.func @all_threads(%buffer: !sm.sums_buffer<4 x 2 x 32>) {
  // expected-error @+1 {{makes '!sm.accumulator<2 x 32, threads 2 x 64>' of '!sm.sums_buffer<4 x 2 x 32>', whose threads and sums are others}}
  %sums = sm.collect_sums %buffer : <4 x 2 x 32> to <2 x 32, threads 2 x 64>
  return
}

// -----

// What is left in shared memory.
func.func @of_warps(%sums: !sm.accumulator<64 x 64, warps 2 x 2>, %left: !sm.hidden_buffer<3 x 64 x 64>, %i: index) {
  // expected-error @+1 {{leaves sums that the threads of one block have element by element, got '!sm.accumulator<64 x 64, warps 2 x 2>'}}
  sm.store_hidden %sums to %left[%i, %i] of %i : <64 x 64, warps 2 x 2> to <3 x 64 x 64>
  return
}

// -----

func.func @of_cluster(%sums: !sm.accumulator<2 x 32, threads 2 x 128>, %left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{leaves sums that the threads of one block have element by element, got '!sm.accumulator<2 x 32, threads 2 x 128>'}}
  sm.store_hidden %sums to %left[%i, %i] of %i : <2 x 32, threads 2 x 128> to <3 x 2 x 64>
  return
}

// -----

func.func @left_row(%sums: !sm.accumulator<1 x 32, threads 128>, %left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{names row 2 of 2}}
  sm.store_hidden %sums to %left[%i, %i] of %i row 2 : <1 x 32, threads 128> to <3 x 2 x 64>
  return
}

// -----

func.func @fewer_rows(%sums: !sm.accumulator<1 x 32, threads 128>, %left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{leaves '!sm.accumulator<1 x 32, threads 128>', for which '!sm.hidden_buffer<3 x 2 x 64>' has no room of the right shape}}
  sm.store_hidden %sums to %left[%i, %i] of %i : <1 x 32, threads 128> to <3 x 2 x 64>
  return
}

// -----

func.func @more_rows(%sums: !sm.accumulator<2 x 32, threads 128>, %left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{leaves '!sm.accumulator<2 x 32, threads 128>', for which '!sm.hidden_buffer<3 x 2 x 64>' has no room of the right shape}}
  sm.store_hidden %sums to %left[%i, %i] of %i row 1 : <2 x 32, threads 128> to <3 x 2 x 64>
  return
}

// -----

func.func @wide(%sums: !sm.accumulator<2 x 128, threads 128>, %left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{leaves '!sm.accumulator<2 x 128, threads 128>', for which '!sm.hidden_buffer<3 x 2 x 64>' has no room of the right shape}}
  sm.store_hidden %sums to %left[%i, %i] of %i : <2 x 128, threads 128> to <3 x 2 x 64>
  return
}

// -----

// What is read of it.
func.func @two_rows(%left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{reads a piece of one row, so many of which make up the buffer's 64 columns, got '!sm.piece<2 x 8 x bf16, vector 8>'}}
  %piece = sm.read_hidden %left[%i, %i] row 1 : <3 x 2 x 64> to <2 x 8 x bf16, vector 8>
  return
}

// -----

func.func @pieces(%left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{reads a piece of one row, so many of which make up the buffer's 64 columns, got '!sm.piece<1 x 24 x bf16, vector 8>'}}
  %piece = sm.read_hidden %left[%i, %i] row 1 : <3 x 2 x 64> to <1 x 24 x bf16, vector 8>
  return
}

// -----

func.func @read_row(%left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{names row 2 of 2}}
  %piece = sm.read_hidden %left[%i, %i] row 2 : <3 x 2 x 64> to <1 x 8 x bf16, vector 8>
  return
}

// -----

func.func @negative_read(%left: !sm.hidden_buffer<3 x 2 x 64>, %i: index) {
  // expected-error @+1 {{names row -3 of 2}}
  %piece = sm.read_hidden %left[%i, %i] row -3 : <3 x 2 x 64> to <1 x 8 x bf16, vector 8>
  return
}

// -----

func.func @outside() {
  // expected-error @+1 {{expects parent op 'sm.kernel'}}
  %left = sm.allocate_hidden_buffer : <3 x 2 x 64>
  return
}

// -----

// Types.
// expected-error @+1 {{there is at least one number, got 0 x 2 x 64}}
func.func private @terms(!sm.hidden_buffer<0 x 2 x 64>)

// -----

// expected-error @+1 {{there is at least one number, got 3 x 0 x 64}}
func.func private @no_rows(!sm.hidden_buffer<3 x 0 x 64>)

// -----

// expected-error @+1 {{there is at least one number, got 3 x 2 x 0}}
func.func private @no_columns(!sm.hidden_buffer<3 x 2 x 0>)

// -----

// expected-error @+1 {{a cluster has 1 to 8 blocks of threads, got 0}}
func.func private @no_block(!sm.accumulator<2 x 32, threads 0 x 128>)

// -----

// expected-error @+1 {{a cluster has 1 to 8 blocks of threads, got 9}}
func.func private @blocks(!sm.accumulator<2 x 32, threads 9 x 128>)

// -----

// expected-error @+1 {{the sums are dealt out among 1 to 1024 threads, got 2048}}
func.func private @threads(!sm.accumulator<2 x 32, threads 2 x 2048>)

// -----

// expected-error @+1 {{there is at least one sum, got 0 x 32}}
func.func private @no_sum(!sm.accumulator<0 x 32, threads 2 x 128>)

// -----

// expected-error @+1 {{expected integer value}}
func.func private @half(!sm.accumulator<2 x 32, threads 2 x>)

// -----

// Two layers are of one kind.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#staged = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#reduced = #tile.reduced<rows = 2, columns = 32, slices = 32, vector = 8>
// expected-error @+1 {{has two layers, each with a #tile.layout and a schedule, both #tile.staged or both #tile.reduced}}
sm.kernel @two_kinds(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 8>, %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 8>,
                     %y: !sm.maps<1 x 2 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                     %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index)
    attributes {hidden_layout = #hidden, hidden_schedule = #staged, layout = #layout, schedule = #reduced} {
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 96>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#reduced = #tile.reduced<rows = 2, columns = 32, slices = 32, vector = 8>
// expected-error @+1 {{has a hidden layer that leaves #alg.groups<2 x 96>, but its own one multiplies #alg.groups<2 x 64>}}
sm.kernel @between(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 8>, %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 8>,
                   %y: !sm.maps<1 x 2 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                   %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index)
    attributes {hidden_layout = #hidden, hidden_schedule = #reduced, layout = #layout, schedule = #reduced} {
}

// -----

// Sums of a cluster are those of all its blocks.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#reduced = #tile.reduced<rows = 2, columns = 32, slices = 16, vector = 8, cluster = 2>
sm.kernel @cluster(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 8>, %w: !sm.maps<1 x 8 x 32 x bf16, row_dimension 2, vector 8>,
                   %y: !sm.maps<1 x 2 x 32 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                   %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index)
    attributes {layout = #layout, schedule = #reduced} {
  %buffer = sm.allocate_sums_buffer : !sm.sums_buffer<2 x 2 x 32>
  // expected-error @+1 {{adds the sums of 4 blocks, of which the kernel's cluster has 2}}
  %sums = sm.collect_sums %buffer : !sm.sums_buffer<2 x 2 x 32> to !sm.accumulator<2 x 32, threads 4 x 64>
}
