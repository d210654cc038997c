// Parts that do not meet, and partial sums without room.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @nowhere() {
  // expected-error @+1 {{is for parts of a partition that take turns}}
  sm.sync_parts 0
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @whole(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  sm.partition @multiply warpgroups 2 registers 224 {
    // expected-error @+1 {{is for parts of a partition that take turns}}
    sm.arrive_parts 0
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @many(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  sm.partition @multiply warpgroups 2 registers 224 turns 2 {
    // expected-error @+1 {{is at one of the barriers 0 to 5, got 6}}
    sm.sync_parts 6
  }
}

// -----

func.func @warps(%s: !sm.accumulator<64 x 96, warps 2 x 1>, %b: !sm.reduction_buffer<1 x 2 x 48>) {
  // expected-error @+1 {{is for sums of warpgroups; here single warps hold them}}
  sm.write_partial %s to %b : <64 x 96, warps 2 x 1> to <1 x 2 x 48>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @narrow(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %b = sm.allocate_reduction_buffer : <1 x 2 x 40>
  sm.partition @multiply warpgroups 2 registers 224 turns 2 {
    %s = sm.zero : <64 x 96>
    // expected-error @+1 {{'!sm.reduction_buffer<1 x 2 x 40>' has no room of the right shape: one place, for all of them}}
    sm.write_partial %s to %b : <64 x 96> to <1 x 2 x 40>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @places(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %b = sm.allocate_reduction_buffer : <1 x 3 x 48>
  sm.partition @multiply warpgroups 2 registers 224 turns 2 {
    %s = sm.zero : <64 x 96>
    // expected-error @+1 {{has no room of the right shape}}
    %0 = sm.add_partial %s, %b : <64 x 96>, <1 x 3 x 48>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @warpgroups(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %b = sm.allocate_reduction_buffer : <1 x 2 x 48>
  sm.partition @multiply warpgroups 2 registers 224 turns 2 {
    %s = sm.zero : <128 x 96>
    // expected-error @+1 {{has no room of the right shape}}
    %0 = sm.add_partial %s, %b : <128 x 96>, <1 x 2 x 48>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @whole_sums(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %b = sm.allocate_reduction_buffer : <1 x 2 x 48>
  sm.partition @multiply warpgroups 1 registers 224 {
    %s = sm.zero : <64 x 96>
    // expected-error @+1 {{is for parts of a partition that take turns}}
    %0 = sm.add_partial %s, %b : <64 x 96>, <1 x 2 x 48>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4>
sm.kernel @stored(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %b = sm.allocate_reduction_buffer : <1 x 2 x 48>
  sm.partition @multiply warpgroups 1 registers 224 {
    %s = sm.zero : <64 x 96>
    // expected-error @+1 {{is by one part of a partition, whose parts take turns}}
    sm.store_sums %s to %y[%c0] [%c0, %c0, %c0, %c0] by_one_part : <64 x 96> to <2 x 64 x 96 x bf16, row_dimension 3>
  }
}
