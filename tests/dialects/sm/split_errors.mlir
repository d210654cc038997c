// Parts that are none, and exchanges without room for them.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @warps(%s: !sm.accumulator<64 x 96, warps 2 x 1>) {
  // expected-error @+1 {{is for sums of warpgroups; here single warps hold them}}
  %0 = sm.reduce_scatter %s : <64 x 96, warps 2 x 1> to <64 x 32>
  return
}

// -----

func.func @other_side(%s: !sm.accumulator<64 x 96>) {
  // expected-error @+1 {{along its columns; '!sm.accumulator<128 x 32>' is no part of it}}
  %0 = sm.reduce_scatter %s : <64 x 96> to <128 x 32>
  return
}

// -----

func.func @turned(%s: !sm.accumulator<64 x 96>) {
  // expected-error @+1 {{is no part of it}}
  %0 = sm.reduce_scatter %s : <64 x 96> to <32 x 64, transposed>
  return
}

// -----

func.func @uneven(%s: !sm.accumulator<64 x 96>) {
  // expected-error @+1 {{has 2 to 8 equal parts, and 40 of 96 columns make no such}}
  %0 = sm.reduce_scatter %s : <64 x 96> to <64 x 40>
  return
}

// -----

func.func @whole(%s: !sm.accumulator<64 x 96>) {
  // expected-error @+1 {{has 2 to 8 equal parts, and 96 of 96 columns make no such}}
  %0 = sm.reduce_scatter %s : <64 x 96> to <64 x 96>
  return
}

// -----

func.func @many(%s: !sm.accumulator<96 x 64, transposed>) {
  // expected-error @+1 {{has 2 to 8 equal parts, and 8 of 96 rows make no such}}
  %0 = sm.reduce_scatter %s : <96 x 64, transposed> to <8 x 64, transposed>
  return
}

// -----

func.func @room(%s: !sm.accumulator<64 x 96>, %e: !sm.reduction_buffer<1 x 2 x 16>, %i: index) {
  // expected-error @+1 {{for which '!sm.reduction_buffer<1 x 2 x 16>' has no room of the right shape}}
  sm.send %s to %e[%i] as 0 : <64 x 96> to <1 x 2 x 16>
  return
}

// -----

func.func @warpgroups(%s: !sm.accumulator<64 x 96>, %e: !sm.reduction_buffer<2 x 3 x 16>, %i: index) {
  // expected-error @+1 {{has no room of the right shape}}
  sm.send %s to %e[%i] as 0 : <64 x 96> to <2 x 3 x 16>
  return
}

// -----

func.func @nobody(%s: !sm.accumulator<64 x 96>, %e: !sm.reduction_buffer<1 x 3 x 16>, %i: index) {
  // expected-error @+1 {{is for one of blocks 0 to 2, got 3}}
  sm.send %s to %e[%i] as 3 : <64 x 96> to <1 x 3 x 16>
  return
}

// -----

func.func @result(%s: !sm.accumulator<64 x 96>, %e: !sm.reduction_buffer<1 x 3 x 16>, %i: index) {
  // expected-error @+1 {{results in '!sm.accumulator<64 x 48>', and its threads get 16 sums each}}
  %0 = sm.add_received %s, %e[%i] as 0 : <64 x 96>, <1 x 3 x 16> to <64 x 48>
  return
}

// -----

// expected-error @+1 {{a thread exchanges vectors of 4 sums; 6 is not a multiple of it}}
func.func private @vectors(!sm.reduction_buffer<1 x 2 x 6>)

// -----

// expected-error @+1 {{2 to 8 blocks exchange sums, got 1}}
func.func private @alone(!sm.reduction_buffer<1 x 1 x 8>)

// -----

// expected-error @+1 {{sums of at least one warpgroup are exchanged, got 0}}
func.func private @none(!sm.reduction_buffer<0 x 2 x 8>)
