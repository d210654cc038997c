// RUN: alg-opt %s -split-input-file -sm-ping-pong -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, ping_pong = 2>

// expected-error @+1 {{has no partition to take turns in beside others: partition it first}}
sm.kernel @whole(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, ping_pong = 2>

sm.kernel @nothing(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{takes blocks from no pipe: nothing to take turns at}}
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
    %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
    %sum = sm.multiply %a, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
  }
  sm.partition @load warpgroups 1 registers 56 {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, ping_pong = 2>

sm.kernel @flat(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 64>
    // expected-error @+1 {{must stand in a loop over tiles, where the tile exists}}
    %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    %sum = sm.multiply %a, %b, %zero : <64 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <64 x 64>
    sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <64 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      sm.produce %pipe, %p0, %p1 : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>
    }
  }
}
