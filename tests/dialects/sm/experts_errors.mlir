// What kernels of experts refuse.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// expected-error @+1 {{the positions, the bytes of one, of experts their starts, their number, two lists of their rows and the rows of the batch, and what maps take beside, which is maps, numbers of columns and numbers, got (}}
sm.kernel @no_number(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                     %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                     %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                     %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %starts: !sm.expert_starts)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// expected-error @+1 {{of experts their starts, their number, two lists of their rows and the rows of the batch}}
sm.kernel @no_starts(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                     %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                     %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                     %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %experts: index)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// expected-error @+1 {{of experts their starts, their number, two lists of their rows and the rows of the batch}}
sm.kernel @other_number(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                        %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                        %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                        %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %starts: !sm.expert_starts, %number: f32)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// expected-error @+1 {{of experts their starts, their number, two lists of their rows and the rows of the batch}}
sm.kernel @one_list(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                    %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                    %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                    %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %starts: !sm.expert_starts,
                    %experts: index, %list: !sm.expert_rows, %batch: index)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// Behind other operands.
// expected-error @+1 {{of experts their starts, their number, two lists of their rows and the rows of the batch}}
sm.kernel @last(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %positions: !sm.positions, %bytes: index, %bias: !sm.columns<2 x 64 x bf16>,
                %starts: !sm.expert_starts, %experts: index, %x_rows: !sm.expert_rows, %list: !sm.expert_rows, %batch: index)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>

// Of another kind of schedule.
// expected-error @+1 {{takes the maps of X, W and Y, the rows, the offset, the terms table, of experts whose rows are listed their number, and what several products and maps take beside}}
sm.kernel @staged(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 2>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %starts: !sm.expert_starts, %experts: index, %x_rows: !sm.expert_rows,
                  %list: !sm.expert_rows, %batch: index)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>} {
}

// -----

func.func @warps(%sums: !sm.accumulator<64 x 64, warps 2 x 2>, %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2>, %i: index) {
  // expected-error @+1 {{stores the rows before one alone, which single threads do}}
  sm.store_sums %sums to %y[%i] [%i, %i, %i, %i] rows_before %i : <64 x 64, warps 2 x 2> to <1 x 64 x 64 x bf16, row_dimension 3, vector 2>
  return
}

// -----

func.func @warpgroups(%sums: !sm.accumulator<64 x 64>, %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{stores the rows before one alone, which single threads do}}
  sm.store_sums %sums to %y[%i] [%i, %i, %i, %i] rows_before %i : <64 x 64> to <1 x 64 x 64 x bf16, row_dimension 3>
  return
}

// -----

func.func @no_starts(%positions: !sm.positions, %i: index) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%positions' expects different type than prior uses: '!sm.expert_starts' vs '!sm.positions'}}
  %row = sm.read_expert_start %positions[%i]
  return
}

// -----

func.func @no_list(%starts: !sm.expert_starts, %i: index) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%starts' expects different type than prior uses: '!sm.expert_rows' vs '!sm.expert_starts'}}
  %row = sm.read_expert_row %starts[%i]
  return
}

// -----

func.func @no_rows(%starts: !sm.expert_starts) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%starts' expects different type than prior uses: '!sm.expert_rows' vs '!sm.expert_starts'}}
  %given = sm.has_expert_rows %starts
  return
}
