// RUN: alg-opt %s -split-input-file -sm-reduce-in-cluster -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 3>

sm.kernel @outside(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %sums = sm.zero : <64 x 96>
  // expected-error @+1 {{must be the only one of its kernel, in a partition: partition the kernel before}}
  %mine = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 3>

sm.kernel @twice(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  sm.partition @multiply warpgroups 1 registers 240 {
    %sums = sm.zero : <64 x 96>
    %mine = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
    // expected-error @+1 {{must be the only one of its kernel, in a partition: partition the kernel before}}
    %again = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 2>

sm.kernel @other(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  sm.partition @multiply warpgroups 1 registers 240 {
    %sums = sm.zero : <64 x 96>
    // expected-error @+1 {{adds up the sums of 3 blocks, but the schedule of its kernel is #tile.staged<}}
    %mine = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 3>

sm.kernel @elected(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.elect {
      %sums = sm.zero : <64 x 96>
      // expected-error @+1 {{must stand in nothing but loops and branches of its partition}}
      %mine = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 3>

sm.kernel @otherwise(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %condition = arith.constant 1 : i1
  sm.partition @multiply warpgroups 1 registers 240 {
    scf.if %condition {
    } else {
      %sums = sm.zero : <64 x 96>
      // expected-error @+1 {{must stand where a condition holds, not where it does not}}
      %mine = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
    }
  }
}
