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

func.func @narrow(%s: !sm.accumulator<64 x 96>, %b: !sm.reduction_buffer<1 x 2 x 40>) {
  // expected-error @+1 {{'!sm.reduction_buffer<1 x 2 x 40>' has no room of the right shape: one place, for all of them}}
  sm.write_partial %s to %b : <64 x 96> to <1 x 2 x 40>
  return
}

// -----

func.func @places(%s: !sm.accumulator<64 x 96>, %b: !sm.reduction_buffer<1 x 3 x 48>) {
  // expected-error @+1 {{has no room of the right shape}}
  %0 = sm.add_partial %s, %b : <64 x 96>, <1 x 3 x 48>
  return
}

// -----

func.func @warpgroups(%s: !sm.accumulator<128 x 96>, %b: !sm.reduction_buffer<1 x 2 x 48>) {
  // expected-error @+1 {{has no room of the right shape}}
  %0 = sm.add_partial %s, %b : <128 x 96>, <1 x 2 x 48>
  return
}
