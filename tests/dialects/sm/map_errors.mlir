// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{the numbers of columns are bf16 or f32, got 'f64'}}
func.func private @f(!sm.columns<2 x 96 x f64>)

// -----

// expected-error @+1 {{an operand has at least one number for at least one group, got 0 x 96}}
func.func private @f(!sm.columns<0 x 96 x bf16>)

// -----

func.func @two(%sum: !sm.accumulator<64 x 64>, %other: !sm.accumulator<128 x 64>, %b: !sm.columns<2 x 96 x bf16>, %a: f32, %i: index) {
  // expected-error @+1 {{maps sums of one type, but some are '!sm.accumulator<128 x 64>' and the result '!sm.accumulator<64 x 64>'}}
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %w = %other : !sm.accumulator<128 x 64>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %v : f32
  }
  return
}

// -----

func.func @none(%sum: !sm.accumulator<64 x 64>, %other: !sm.accumulator<128 x 64>, %b: !sm.columns<2 x 96 x bf16>, %a: f32, %i: index) {
  // expected-error @+1 {{needs at least one accumulator}}
  %r = sm.map (%v = %a : f32) at [%i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %v : f32
  }
  return
}

// -----

func.func @narrow(%sum: !sm.accumulator<64 x 64>, %other: !sm.accumulator<128 x 64>, %b: !sm.columns<2 x 96 x bf16>, %a: f32, %i: index) {
  // expected-error @+1 {{body must yield one value of type f32}}
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %w = %b : !sm.columns<2 x 96 x bf16>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %w : bf16
  }
  return
}

// -----

func.func @captured(%sum: !sm.accumulator<64 x 64>, %other: !sm.accumulator<128 x 64>, %b: !sm.columns<2 x 96 x bf16>, %a: f32, %i: index) {
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    // expected-error @+1 {{uses a value from outside of its sm.map that is no constant: make it an input}}
    %s = arith.addf %v, %a : f32
    sm.yield %s : f32
  }
  return
}

// -----

func.func @code(%sum: !sm.accumulator<64 x 64>, %other: !sm.accumulator<128 x 64>, %b: !sm.columns<2 x 96 x bf16>, %a: f32, %i: index) {
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    // expected-error @+1 {{is no scalar code of arith or math, so sm.map cannot apply it to elements}}
    %s = builtin.unrealized_conversion_cast %v : f32 to f32
    sm.yield %s : f32
  }
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{has '!sm.columns<2 x 96 x bf16>', but its layout's output groups are}}
sm.kernel @wide(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %bias: !sm.columns<2 x 96 x bf16>) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{takes the maps of X, W and Y, the rows, the offset, the terms table, of experts whose rows are listed their number, and what several products and maps take beside, which is maps, numbers of columns and numbers, got}}
sm.kernel @strange(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %bias: index) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{takes the maps of X, dY and dW, the rows, the offset, the terms table, beta and a plain map of dW, through which threads add to it, got}}
sm.kernel @gradient(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                %terms: !sm.terms_table, %bias: !sm.columns<2 x 96 x bf16>) attributes {layout = #layout, schedule = #schedule} {
}

// -----

func.func @half(%sum: !sm.accumulator<64 x 64>, %i: index) {
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    // expected-error @+1 {{is of 'f16'; elements in sm.map are f32 and bf16}}
    %h = arith.truncf %v : f32 to f16
    %s = arith.extf %h : f16 to f32
    sm.yield %s : f32
  }
  return
}

// -----

func.func @computes_narrow(%sum: !sm.accumulator<64 x 64>, %b: !sm.columns<2 x 96 x bf16>, %i: index) {
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %e = %b : !sm.columns<2 x 96 x bf16>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    // expected-error @+1 {{computes with 'bf16'; sm.map computes in f32: widen its operands}}
    %s = arith.addf %e, %e : bf16
    %t = arith.extf %s : bf16 to f32
    sm.yield %t : f32
  }
  return
}

// -----

func.func @yields_nothing(%sum: !sm.accumulator<64 x 64>, %i: index) {
  // expected-error @+1 {{body must yield one value of type f32}}
  %r = sm.map (%v = %sum : !sm.accumulator<64 x 64>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    %s = arith.negf %v : f32
  }
  return
}

// -----

func.func @place(%sum: !sm.accumulator<64 x 64>, %r: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>, %i: index) {
  // expected-error @+1 {{reads rows of an operand at a map and its four coordinates, got 0 indices}}
  %m = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %e = %r : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 2>) at [%i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %v : f32
  }
  return
}

// -----

func.func @needless(%sum: !sm.accumulator<64 x 64>, %i: index) {
  // expected-error @+1 {{reads no operand that has rows, and takes no place of them, got 5 indices}}
  %m = sm.map (%v = %sum : !sm.accumulator<64 x 64>) at [%i, %i] rows [%i, %i, %i, %i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %v : f32
  }
  return
}

// -----

func.func @tensor(%sum: !sm.accumulator<64 x 64>, %r: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{reads rows through plain maps of row dimension 3, got '!sm.maps<2 x 64 x 64 x bf16, row_dimension 3>'}}
  %m = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %e = %r : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>) at [%i, %i] rows [%i, %i, %i, %i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %v : f32
  }
  return
}

// -----

func.func @shape(%sum: !sm.accumulator<64 x 64>, %r: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, vector 2>, %i: index) {
  // expected-error @+1 {{maps 64 x 64 sums, of which '!sm.maps<2 x 128 x 64 x bf16, row_dimension 3, vector 2>' do not have so many}}
  %m = sm.map (%v = %sum : !sm.accumulator<64 x 64>, %e = %r : !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, vector 2>) at [%i, %i] rows [%i, %i, %i, %i, %i] -> !sm.accumulator<64 x 64> {
    sm.yield %v : f32
  }
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{has maps of a further weight matrix, '!sm.maps<1 x 32 x 64 x bf16, row_dimension 2>', unlike those of W, '!sm.maps<1 x 64 x 64 x bf16, row_dimension 2>'}}
sm.kernel @banks(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                 %terms: !sm.terms_table, %w2: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2>) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
// expected-error @+1 {{has tensor maps beside those of X, W and Y, '!sm.maps<2 x 64 x 64 x bf16, row_dimension 3>'; threads read operands of maps and write further results, through plain ones}}
sm.kernel @further(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                   %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                   %terms: !sm.terms_table, %y2: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>) attributes {layout = #layout, schedule = #schedule} {
}
