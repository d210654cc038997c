// What the ops refuse that make, keep, hold and round rows in kernels of two layers, message by message.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{each warpgroup holds 64 rows, got 96}}
func.func private @fragment_rows(!sm.fragment<96 x 64>)

// -----

// expected-error @+1 {{instructions multiply 16 columns of A at a time, got 40}}
func.func private @fragment_columns(!sm.fragment<64 x 40>)

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
sm.kernel @pieces(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  // expected-error @+1 {{has 3 pieces, which do not make up 128 columns}}
  %kept = sm.kept_rows pieces 3 : <64 x 128 x bf16>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
sm.kernel @no_pieces(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                     %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  // expected-error @+1 {{has 0 pieces, which do not make up 128 columns}}
  %kept = sm.kept_rows pieces 0 : <64 x 128 x bf16>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
sm.kernel @warpgroups(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                      %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  // expected-error @+1 {{is written by warpgroups, which have 64 rows each, got 96}}
  %kept = sm.kept_rows pieces 2 : <96 x 128 x bf16>
}

// -----

// Kept rows are the block's own, outside of what its partitions do.
func.func @nowhere() {
  // expected-error @+1 {{expects parent op 'sm.kernel'}}
  %kept = sm.kept_rows pieces 2 : <64 x 128 x bf16>
  return
}

// -----

// Other rows come with the copy engine.
func.func @keep_others(%sum: !sm.accumulator<64 x 64>, %rows: !sm.block<64 x 64 x bf16>, %i: index) {
  // expected-error @+1 {{writes rows that are kept, got others}}
  sm.keep %sum to %rows[%i] : <64 x 64> to <64 x 64 x bf16>
  return
}

// -----

func.func @keep_warps(%sum: !sm.accumulator<64 x 64, warps 2 x 2>, %rows: !sm.block<64 x 64 x bf16>, %i: index) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 64, warps 2 x 2>'}}
  sm.keep %sum to %rows[%i] : <64 x 64, warps 2 x 2> to <64 x 64 x bf16>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
sm.kernel @keep_rows(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                     %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %kept = sm.kept_rows pieces 2 : <128 x 128 x bf16>
  %sum = sm.zero : <64 x 64>
  // expected-error @+1 {{writes 64 x 64 sums into pieces of 128 x 64}}
  sm.keep %sum to %kept[%rows] : <64 x 64> to <128 x 128 x bf16>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
sm.kernel @keep_columns(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                        %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %kept = sm.kept_rows pieces 4 : <64 x 128 x bf16>
  %sum = sm.zero : <64 x 64>
  // expected-error @+1 {{writes 64 x 64 sums into pieces of 64 x 32}}
  sm.keep %sum to %kept[%rows] : <64 x 64> to <64 x 128 x bf16>
}

// -----

func.func @clip_transposed(%sum: !sm.accumulator<32 x 64, transposed>, %last: i1) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<32 x 64, transposed>'}}
  %clipped = sm.clip_columns %sum narrow %last to 24 : <32 x 64, transposed>
  return
}

// -----

// A thread has pairs of every 8 columns.
func.func @clip_inside(%sum: !sm.accumulator<64 x 64>, %last: i1) {
  // expected-error @+1 {{is narrowed from 64 columns to a multiple of 8 below them, got 20}}
  %clipped = sm.clip_columns %sum narrow %last to 20 : <64 x 64>
  return
}

// -----

func.func @clip_nothing(%sum: !sm.accumulator<64 x 64>, %last: i1) {
  // expected-error @+1 {{is narrowed from 64 columns to a multiple of 8 below them, got 64}}
  %clipped = sm.clip_columns %sum narrow %last to 64 : <64 x 64>
  return
}

// -----

func.func @fragment_of_threads(%sum: !sm.accumulator<64 x 64, threads 256>) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 64, threads 256>'}}
  %rows = sm.fragment %sum : <64 x 64, threads 256> to <64 x 64>
  return
}

// -----

func.func @other_rows(%sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{rounds 64 x 64 sums, not 128 x 64}}
  %rows = sm.fragment %sum : <64 x 64> to <128 x 64>
  return
}

// -----

func.func @other_columns(%sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{rounds 64 x 64 sums, not 64 x 32}}
  %rows = sm.fragment %sum : <64 x 64> to <64 x 32>
  return
}

// -----

// Stages of several panels have the rows of one warpgroup.
func.func @write_panels(%sum: !sm.accumulator<128 x 128>, %stages: !sm.buffer<2 x 128 x 128 x bf16, swizzle 128>, %i: index) {
  // expected-error @+1 {{writes a warpgroup's 64 x 128 sums, but the stage has 128 x 128}}
  sm.write %sum to %stages[%i] : <128 x 128> to <2 x 128 x 128 x bf16, swizzle 128>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
sm.kernel @kept_elements(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                         %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  // expected-error @+1 {{has rows of bf16, which products take, got 'f32'}}
  %kept = sm.kept_rows pieces 2 : <64 x 128 x f32>
}

// -----

func.func @no_stage(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{passes through a pipe of at least one stage, got 0}}
  %rows = sm.hold %x[%i] [%i, %i, %i, %i] stages 0 : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3> -> !sm.block<64 x 64 x bf16>
  return
}

// -----

func.func @taken_rows(%sum: !sm.accumulator<128 x 64>) {
  // expected-error @+1 {{takes the columns from 0 on of 128 x 64 sums as 64 x 32: instructions have multiples of 8}}
  %some = sm.take_columns %sum from 0 : <128 x 64> to <64 x 32>
  return
}

// -----

func.func @taken_between(%sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{takes the columns from 4 on of 64 x 64 sums as 64 x 32: instructions have multiples of 8}}
  %some = sm.take_columns %sum from 4 : <64 x 64> to <64 x 32>
  return
}

// -----

func.func @taken_beyond(%sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{takes the columns from 40 on of 64 x 64 sums as 64 x 32: instructions have multiples of 8}}
  %some = sm.take_columns %sum from 40 : <64 x 64> to <64 x 32>
  return
}

// -----

func.func @taken_before(%sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{takes the columns from -8 on of 64 x 64 sums as 64 x 32: instructions have multiples of 8}}
  %some = sm.take_columns %sum from -8 : <64 x 64> to <64 x 32>
  return
}

// -----

func.func @taken_of_warps(%sum: !sm.accumulator<64 x 64, warps 2 x 2>) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 64, warps 2 x 2>'}}
  %some = sm.take_columns %sum from 0 : <64 x 64, warps 2 x 2> to <64 x 32>
  return
}

// -----

func.func @taken_for_warps(%sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 32, warps 2 x 2>'}}
  %some = sm.take_columns %sum from 0 : <64 x 64> to <64 x 32, warps 2 x 2>
  return
}
