// RUN: alg-opt %s -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, bank = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, bank = packed>
// expected-error @+1 {{does its work in exactly one tile.own}}
tile.kernel @nothing(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, bank = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, bank = packed>
// expected-error @+1 {{takes matrices in memory only, got an argument of type 'index'}}
tile.kernel @operand(%x: index) attributes {layout = #layout, schedule = #schedule} {
  tile.own (%b) over [<bank_rows, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, bank = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, bank = packed>
tile.kernel @own(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{owns types and rows together: a row belongs to a type}}
  tile.own (%t) over [<types, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, bank = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, bank = packed>
tile.kernel @own(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{leaves the slice of the groups to the launch; their step is 0}}
  tile.own (%t, %r, %g) over [<types, 1>, <rows, 8>, <groups, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, bank = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, bank = packed>
tile.kernel @walk(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.own (%t, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{walks columns, but nothing around it walks groups}}
    tile.walk (%n) over [<columns, 16>] {
    }
  }
}

// -----

// expected-error @+1 {{names the axis 'rows' twice}}
tile.walk (%a, %b) over [<rows, 1>, <rows, 1>] {
}

// -----

// expected-error @+1 {{expected one axis for each index, 2 indices but 1 axes}}
tile.walk (%a, %b) over [<types, 1>] {
}

// -----

// expected-error @+1 {{the step along 'columns' must be at least 1; only 'groups' may leave it to the launch with 0}}
tile.walk (%a) over [<columns, 0>] {
}

// -----

func.func @carry(%t: index, %j: index) {
  %zero = tile.zero : !tile.fragment<8x16xf32>
  // expected-error @+1 {{yields '!tile.fragment<4x16xf32>' but carries '!tile.fragment<8x16xf32>'}}
  %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x16xf32> {
    %other = tile.zero : !tile.fragment<4x16xf32>
    tile.yield %other : !tile.fragment<4x16xf32>
  }
  return
}

// -----

func.func @hold(%x: !tile.matrix<?x64xf32>, %i: index) {
  // expected-error @+1 {{buffer has room for 32 of 64 columns}}
  %b = tile.hold %x[%i, %i] : !tile.matrix<?x64xf32> -> !tile.buffer<8x32xf32>
  return
}

// -----

func.func @copy(%w: !tile.matrix<64x64xf32>, %b: !tile.buffer<64x32xf32>, %i: index) {
  // expected-error @+1 {{copies into panels, got '!tile.buffer<64x32xf32>'}}
  tile.copy %w[%i, %i, %i] to %b : !tile.matrix<64x64xf32> to !tile.buffer<64x32xf32>
  return
}

// -----

func.func @mma(%x: !tile.buffer<8x64xf32>, %w: !tile.buffer<64x16xf32, panels 16 x 1>, %a: !tile.fragment<8x32xf32>, %i: index) {
  // expected-error @+1 {{multiplies panels of 16 columns into a fragment of 32}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a
      : !tile.buffer<8x64xf32>, !tile.buffer<64x16xf32, panels 16 x 1>, !tile.fragment<8x32xf32>
  return
}

// -----

func.func @accumulate(%x: !tile.buffer<8x64xf32>, %w: !tile.buffer<64x16xf32, panels 16 x 1>, %a: !tile.fragment<8x16xbf16>, %i: index) {
  // expected-error @+1 {{accumulates in f32, got 'bf16'}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a
      : !tile.buffer<8x64xf32>, !tile.buffer<64x16xf32, panels 16 x 1>, !tile.fragment<8x16xbf16>
  return
}

// -----

func.func @pairs(%x: !tile.buffer<8x64xbf16>, %w: !tile.buffer<64x16xbf16, panels 16 x 2>, %a: !tile.fragment<8x16xf32>, %i: index, %c: f32) {
  // expected-error @+1 {{cannot scale pairs of bf16 without rounding; only coefficients +1 and -1 go with them}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a scale %c
      : !tile.buffer<8x64xbf16>, !tile.buffer<64x16xbf16, panels 16 x 2>, !tile.fragment<8x16xf32>
  return
}

// -----

func.func @map(%a: !tile.fragment<8x16xf32>) {
  // expected-error @+1 {{maps fragments of different shapes}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x32xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @store(%a: !tile.fragment<8x16xf32>, %y: !tile.matrix<?x64xbf16>, %m: !tile.mask<8x16>, %i: index) {
  // expected-error @+1 {{stores 'f32' into a matrix of 'bf16'; round with tile.map first}}
  tile.store %a to %y[%i, %i, %i, %i] mask %m : !tile.fragment<8x16xf32>, !tile.matrix<?x64xbf16>, !tile.mask<8x16>
  return
}

// -----

func.func @mask(%a: !tile.fragment<8x16xf32>, %y: !tile.matrix<?x64xf32>, %m: !tile.mask<8x32>, %i: index) {
  // expected-error @+1 {{mask is 8x32, the fragment 8x16}}
  tile.store %a to %y[%i, %i, %i, %i] mask %m : !tile.fragment<8x16xf32>, !tile.matrix<?x64xf32>, !tile.mask<8x32>
  return
}
