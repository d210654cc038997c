// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{the numbers of a bias are bf16, got 'f32'}}
func.func private @f(!sm.bias<2 x 96 x f32>)

// -----

// expected-error @+1 {{a bias has at least one number for at least one group, got 0 x 96}}
func.func private @f(!sm.bias<0 x 96 x bf16>)

// -----

func.func @warps(%sum: !sm.accumulator<64 x 64, warps 2 x 2>, %bias: !sm.bias<2 x 96 x bf16>, %i: index) {
  // expected-error @+1 {{adds to sums of warpgroups; those of single warps get a bias when they are delivered}}
  %0 = sm.add_bias %sum, %bias[%i, %i] : <64 x 64, warps 2 x 2>, <2 x 96 x bf16>
  return
}

// -----

func.func @both(%sum: !sm.accumulator<64 x 64, warps 2 x 2>, %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 1>,
                %bias: !sm.bias<2 x 96 x bf16>, %beta: f32, %i: index) {
  // expected-error @+1 {{adds a bias, as products do, and to what the result holds, as gradients do}}
  sm.deliver %sum to %y[%i] [%i, %i, %i, %i] plus %beta bias %bias : !sm.bias<2 x 96 x bf16>
      : <64 x 64, warps 2 x 2> to <2 x 64 x 64 x bf16, row_dimension 3, vector 1>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, bank = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{has '!sm.bias<2 x 96 x bf16>', but its layout's output groups are}}
sm.kernel @wide(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %bias: !sm.bias<2 x 96 x bf16>) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, bank = #alg.groups<2 x 96>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{takes the maps of X, W and Y, the rows, the offset and the terms table, of a product perhaps a bias, got}}
sm.kernel @gradient(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                    %terms: !sm.terms_table, %bias: !sm.bias<2 x 96 x bf16>) attributes {layout = #layout, schedule = #schedule} {
}
