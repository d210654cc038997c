// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-narrow-columns

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 64, stages = 4>
sm.kernel @used_behind(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                       %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                       %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                       %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.partition @multiply warpgroups 1 registers 240 {
    %start = sm.zero : <64 x 128>
    %end = scf.for %tile = %c0 to %rows step %c1 iter_args(%before = %start) -> (!sm.accumulator<64 x 128>) {
      %last = arith.cmpi eq, %tile, %offset : index
      // expected-error @+1 {{belongs to a tile whose sums are used behind it: they have two widths}}
      %zero = sm.zero narrow %last to 32 : <64 x 128>
      scf.yield %zero : !sm.accumulator<64 x 128>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 64, stages = 4>
sm.kernel @two_widths(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                      %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                      %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                      %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.partition @multiply warpgroups 1 registers 240 {
    scf.for %tile = %c0 to %rows step %c1 {
      %last = arith.cmpi eq, %tile, %offset : index
      %one = sm.zero narrow %last to 32 : <64 x 128>
      // expected-error @+1 {{must have as many columns as the other sums of its tile, and be narrow where they are}}
      %other = sm.zero narrow %last to 40 : <64 x 128>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}
