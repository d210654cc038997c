// RUN: alg-opt %s -split-input-file -sm-multi-buffer -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4, stationary = 2>
sm.kernel @unused(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %stays = sm.pipe stages 1 : <!sm.block<128 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 2 registers 232 {
    // expected-error @+1 {{must take rows that are held for one product, and nothing else}}
    %held = sm.consume %stays : <!sm.block<128 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>
    %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
    %zero = sm.zero : <128 x 64>
    %one = sm.multiply %held, %b, %zero part %rows of 2 held %held[%c0] : !sm.block<128 x 64 x bf16, swizzle 128> : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %rows_held = sm.hold %x[%c0, %c0] [%c0, %c0, %c0, %rows, %c0, %c0, %c0, %offset] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
      sm.produce %stays, %rows_held : <!sm.block<128 x 64 x bf16, swizzle 128>>, !sm.block<128 x 64 x bf16, swizzle 128>
    }
  }
}
