// What the first layer leaves of few rows counts like all other shared memory of kernels whose threads copy.
// RUN: alg-opt %s -convert-sm-to-nvvm -verify-diagnostics -o /dev/null

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4096>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4096>, weights = <2 x 4096>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 8, columns = 8, slices = 64, vector = 8>
// expected-error@+1 {{needs 131584 bytes of shared memory, a block can have 101376; take fewer stages or a smaller tile}}
sm.kernel @rows(%x: !sm.maps<1 x 8 x 8 x bf16, row_dimension 3, vector 8>, %w: !sm.maps<1 x 8 x 8 x bf16, row_dimension 2, vector 8>,
                %y: !sm.maps<1 x 8 x 8 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index, %terms: !sm.terms_table,
                %positions: !sm.positions, %bytes: index, %w2: !sm.maps<1 x 8 x 8 x bf16, row_dimension 2, vector 8>)
    attributes {hidden_layout = #hidden, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %sums = sm.allocate_sums_buffer : <2 x 8 x 8>
  %left = sm.allocate_hidden_buffer : <2 x 8 x 4096>
}
