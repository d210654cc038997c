// RUN: alg-opt %s -split-input-file -sm-multi-buffer -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, bank = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4, held = 2>
sm.kernel @unused(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %stays = sm.channel : <!sm.block<128 x 64 x bf16, swizzle 128>>
  sm.role multiply warpgroups 2 registers 232 {
    // expected-error @+1 {{must take rows that are held for one product, and nothing else}}
    %held = sm.take %stays : <!sm.block<128 x 64 x bf16, swizzle 128>> -> !sm.block<128 x 64 x bf16, swizzle 128>
  }
}
