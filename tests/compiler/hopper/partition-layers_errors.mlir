// Blocks of kernels of two layers that no pipe can pass.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-partition

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
// expected-error @+1 {{has two layers, of which the second multiplies rows that are kept}}
sm.kernel @no_kept_rows(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %stay = sm.hold %x[%c0] [%c0, %c0, %c0, %rows] stages 1 : !x -> !b
  %none = sm.zero : <64 x 64>
  %a = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
  %h = sm.multiply_held %stay[%c0], [%a], %none : !b, !b, <64 x 64>
}

// -----

// A stage is released behind the product that reads it.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @twice(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %stay = sm.hold %x[%c0] [%c0, %c0, %c0, %rows] stages 1 : !x -> !b
  %none = sm.zero : <64 x 64>
  // expected-error @+1 {{must be multiplied once, beside it, by rows that are there}}
  %a = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
  %h = sm.multiply_held %stay[%c0], [%a], %none : !b, !b, <64 x 64>
  %more = sm.multiply_held %stay[%c0], [%a], %h : !b, !b, <64 x 64>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @elsewhere(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %stay = sm.hold %x[%c0] [%c0, %c0, %c0, %rows] stages 1 : !x -> !b
  %none = sm.zero : <64 x 64>
  // expected-error @+1 {{must be multiplied once, beside it, by rows that are there}}
  %a = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
  scf.for %step = %c0 to %rows step %c1 {
    %h = sm.multiply_held %stay[%c0], [%a], %none : !b, !b, <64 x 64>
  }
}

// -----

// Rows of X are held, not fetched with every step.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @fetched_rows(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %none = sm.zero : <64 x 64>
  // expected-error @+1 {{must be multiplied once, beside it, by rows that are there}}
  %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %rows] : !x -> !b
  %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
  %h = sm.multiply %a, %b, %none : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @parts(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : <128 x 64 x bf16, swizzle 128>
  // expected-error @+1 {{is of rows that come with every step; those of a kernel of two layers stay in shared memory}}
  %a = sm.fetch_parts %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c0, %rows] part %rows : !x -> <128 x 64 x bf16, swizzle 128>
}

// -----

// What passes together is fetched one behind the other: blocks of two weight matrices by the same rows, without those that other
// rows multiply between them.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
sm.kernel @between(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !b
  %own = sm.hold %x[%c0] [%c0, %c0, %c0, %rows] stages 1 : !x -> !b
  %of_group = sm.hold %x[%c0] [%c0, %c1, %c0, %rows] stages 1 : !x -> !b
  %none = sm.zero : <64 x 64>
  %a = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
  // expected-error @+1 {{stands between blocks that other rows multiply: blocks that pass together are fetched one behind the other}}
  %b = sm.fetch %w[%c0] [%c0, %c0, %c1, %c0] : !w -> !b
  %c = sm.fetch %w[%c0] [%c0, %c0, %c0, %c1] : !w -> !b
  %h = sm.multiply_held %own[%c0], [%a], %none : !b, !b, <64 x 64>
  %i = sm.multiply_held %of_group[%c0], [%b], %none : !b, !b, <64 x 64>
  %j = sm.multiply_held %own[%c0], [%c], %i : !b, !b, <64 x 64>
}
