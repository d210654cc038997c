// RUN: alg-opt %s -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 12, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
// expected-error @+1 {{owns rows (12) that are no multiple of the register tile's (8)}}
tile.kernel @rows(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %g) over [<types, 1>, <rows, 12>, <groups, 0>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
// expected-error @+1 {{does its work in exactly one tile.forall}}
tile.kernel @nothing(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
// expected-error @+1 {{takes matrices in memory and numbers of f32, got an argument of type 'index'}}
tile.kernel @operand(%x: index) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b) over [<weight_rows, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @own(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{owns types and rows together: a row belongs to a type}}
  tile.forall (%t) over [<types, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @own(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns whole groups leaves their slice to the launch; their step is 0}}
  tile.forall (%t, %r, %g) over [<types, 1>, <rows, 8>, <groups, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @walk(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{walks columns, but nothing around it walks groups}}
    tile.for (%n) over [<columns, 16>] {
    }
  }
}

// -----

// expected-error @+1 {{names the axis 'rows' twice}}
tile.for (%a, %b) over [<rows, 1>, <rows, 1>] {
}

// -----

// expected-error @+1 {{expected one axis for each index, 2 indices but 1 axes}}
tile.for (%a, %b) over [<types, 1>] {
}

// -----

// expected-error @+1 {{the step along 'columns' must be at least 1; only 'groups' may leave it to the launch with 0}}
tile.for (%a) over [<columns, 0>] {
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

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
// expected-error @+1 {{does its work in exactly one tile.forall}}
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b) over [<weight_rows, 1>] {
  }
  tile.forall (%b) over [<weight_rows, 1>] {
  }
}

// -----

// expected-error @+1 {{needs at least one axis}}
"tile.for"() <{axes = []}> ({
^bb0:
}) : () -> ()

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns columns owns them of one group: give it <groups, 1>}}
  tile.forall (%t, %r, %n) over [<types, 1>, <rows, 8>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns row groups of the weight matrix owns nothing else}}
  tile.forall (%b, %g) over [<weight_rows, 1>, <groups, 0>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{owns types and rows together: a row belongs to a type}}
  tile.forall (%r) over [<rows, 8>] {
  }
}

// -----

// expected-error @+1 {{'tile.forall' op expects parent op 'tile.kernel'}}
tile.forall (%b) over [<weight_rows, 1>] {
}

// -----

// expected-error @+1 {{needs a step of at least 1 along 'groups'}}
tile.for (%j) over [<groups, 0>] {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{walks rows, but nothing around it walks types}}
    tile.for (%s) over [<rows, 8>] {
    }
  }
}

// -----

// The axis that fixes another comes before it.
// expected-error @+1 {{walks columns, but nothing around it walks groups}}
tile.for (%n, %j) over [<columns, 16>, <groups, 1>] {
}

// -----

// expected-error @+1 {{has 2 indices for 1 axes}}
"tile.for"() <{axes = [#tile.axis<groups, 1>]}> ({
^bb0(%j: index, %n: index):
}) : () -> ()

// -----

// expected-error @+1 {{indices have type index, got 'i64'}}
"tile.for"() <{axes = [#tile.axis<groups, 1>]}> ({
^bb0(%j: i64):
}) : () -> ()

// -----

// expected-error @+1 {{attribute 'axes' failed to satisfy constraint: axes}}
"tile.for"() <{axes = [1]}> ({
^bb0(%j: index):
}) : () -> ()

// -----

func.func @terms(%t: index, %j: index) {
  // expected-error @+1 {{expected (input group, weight row group, coefficient)}}
  tile.terms (%k, %b) of (%t, %j) {
  }
  return
}

// -----

func.func @terms(%t: index, %j: index) {
  %zero = tile.zero : !tile.fragment<8x16xf32>
  // expected-error @+1 {{expected one type for each carried fragment}}
  %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x16xf32>, !tile.fragment<8x16xf32> {
    tile.yield %acc : !tile.fragment<8x16xf32>
  }
  return
}

// -----

func.func @terms(%t: index, %j: index) {
  // expected-error @+1 {{body takes an input group, a weight row group, a coefficient and 0 carried fragments, has 2 arguments}}
  "tile.terms"(%t, %j) ({
  ^bb0(%k: index, %b: index):
    "tile.yield"() : () -> ()
  }) : (index, index) -> ()
  return
}

// -----

func.func @terms(%t: index, %j: index) {
  // expected-error @+1 {{body's coefficient has type f32, got 'f64'}}
  "tile.terms"(%t, %j) ({
  ^bb0(%k: index, %b: index, %c: f64):
    "tile.yield"() : () -> ()
  }) : (index, index) -> ()
  return
}

// -----

func.func @terms(%t: index, %j: index) {
  %zero = tile.zero : !tile.fragment<8x16xf32>
  // expected-error @+1 {{carries fragments whose types change}}
  %sum = "tile.terms"(%t, %j, %zero) ({
  ^bb0(%k: index, %b: index, %c: f32, %acc: !tile.fragment<8x16xbf16>):
    "tile.yield"(%zero) : (!tile.fragment<8x16xf32>) -> ()
  }) : (index, index, !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32>
  return
}

// -----

func.func @yield(%a: f32) {
  // expected-error @+1 {{'tile.yield' op expects parent op to be one of 'tile.terms, tile.weight_terms, tile.map, tile.layer'}}
  tile.yield %a : f32
  return
}

// -----

func.func @hold(%w: !tile.matrix<64x64xf32, panels 16 x 1>, %i: index) {
  // expected-error @+1 {{holds plain rows; panels are for the weight matrix}}
  %b = tile.hold %w[%i, %i] : !tile.matrix<64x64xf32, panels 16 x 1> -> !tile.buffer<8x64xf32>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x24xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{source has 24 columns, the layout's input groups cover 16}}
    %b = tile.hold %x[%i, %r] : !tile.matrix<?x24xf32> -> !tile.buffer<8x24xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{buffer has 16 rows, the schedule owns 1 types of 8 rows}}
    %b = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<16x16xf32>
  }
}

// -----

func.func @copy(%w: !tile.matrix<64x64xf32, panels 16 x 1>, %b: !tile.buffer<64x16xf32, panels 16 x 1>, %i: index) {
  // expected-error @+1 {{copies from the user's weight matrix, which is not in panels}}
  tile.copy %w[%i, %i, %i] to %b : !tile.matrix<64x64xf32, panels 16 x 1> to !tile.buffer<64x16xf32, panels 16 x 1>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%w: !tile.matrix<24x32xf32>, %p: !tile.matrix<24x32xf32, panels 16 x 1>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b) over [<weight_rows, 1>] {
    tile.for (%j, %n) over [<groups, 1>, <columns, 16>] {
      // expected-error @+1 {{weight matrix has 24 rows, the layout's row groups cover 16}}
      tile.copy %w[%b, %j, %n] to %p : !tile.matrix<24x32xf32> to !tile.matrix<24x32xf32, panels 16 x 1>
    }
  }
}

// -----

func.func @mma(%x: !tile.buffer<64x16xf32, panels 16 x 1>, %w: !tile.matrix<64x16xf32>, %a: !tile.fragment<8x16xf32>, %i: index) {
  // expected-error @+1 {{takes its rows as they are, not from panels}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a
      : !tile.buffer<64x16xf32, panels 16 x 1>, !tile.matrix<64x16xf32>, !tile.fragment<8x16xf32>
  return
}

// -----

func.func @mma(%x: !tile.buffer<8x64xf32>, %w: !tile.buffer<64x16xf32>, %a: !tile.fragment<8x16xf32>, %i: index) {
  // expected-error @+1 {{takes a buffered weight matrix in panels only}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a
      : !tile.buffer<8x64xf32>, !tile.buffer<64x16xf32>, !tile.fragment<8x16xf32>
  return
}

// -----

func.func @mma(%x: !tile.buffer<8x64xf32>, %w: !tile.matrix<64x16xbf16, panels 16 x 2>, %a: !tile.fragment<8x16xf32>, %i: index) {
  // expected-error @+1 {{multiplies pairs of bf16, but its rows are 'f32'}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a
      : !tile.buffer<8x64xf32>, !tile.matrix<64x16xbf16, panels 16 x 2>, !tile.fragment<8x16xf32>
  return
}

// -----

func.func @mma(%x: !tile.buffer<8x64xf32>, %w: !tile.matrix<64x16xf32>, %a: !tile.fragment<8x16xf32>, %i: index) {
  // expected-error @+1 {{says that its coefficients are signs, but has none}}
  %r = tile.mma %x[%i, %i, %i], %w[%i, %i, %i], %a signs
      : !tile.buffer<8x64xf32>, !tile.matrix<64x16xf32>, !tile.fragment<8x16xf32>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x32xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %xs = tile.hold %x[%i, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<8x16xf32>
    %a = tile.zero : !tile.fragment<4x32xf32>
    // expected-error @+1 {{accumulates 4x32, the schedule's register tile is 8x16}}
    %m = tile.mma %xs[%i, %g, %r], %w[%g, %g, %g], %a
        : !tile.buffer<8x16xf32>, !tile.matrix<16x32xf32>, !tile.fragment<4x32xf32>
  }
}

// -----

func.func @map(%a: !tile.fragment<8x16xf32>) {
  // expected-error @+1 {{body has 0 arguments for 1 inputs}}
  %r = "tile.map"(%a) <{operandSegmentSizes = array<i32: 1, 0>, index_counts = array<i32: 0>}> ({
    %c = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
    "tile.yield"(%c) : (f32) -> ()
  }) : (!tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32>
  return
}

// -----

func.func @map(%a: !tile.fragment<8x16xf32>) {
  // expected-error @+1 {{body takes 'bf16' where the input has 'f32'}}
  %r = "tile.map"(%a) <{operandSegmentSizes = array<i32: 1, 0>, index_counts = array<i32: 0>}> ({
  ^bb0(%v: bf16):
    "tile.yield"(%v) : (bf16) -> ()
  }) : (!tile.fragment<8x16xf32>) -> !tile.fragment<8x16xbf16>
  return
}

// -----

func.func @map(%a: !tile.fragment<8x16xf32>) {
  // expected-error @+1 {{body must yield one value of type 'bf16'}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xbf16> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @store(%a: !tile.fragment<8x16xf32>, %y: !tile.matrix<64x64xf32, panels 16 x 1>, %m: !tile.mask<8x16>, %i: index) {
  // expected-error @+1 {{writes rows, not panels}}
  tile.store %a to %y[%i, %i, %i, %i] mask %m : !tile.fragment<8x16xf32>, !tile.matrix<64x64xf32, panels 16 x 1>, !tile.mask<8x16>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%y: !tile.matrix<?x48xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %a = tile.zero : !tile.fragment<8x16xf32>
    %m = tile.mask rows(%i, %r) columns(%g, %r) : !tile.mask<8x16>
    // expected-error @+1 {{target has 48 columns, the layout's output groups cover 32}}
    tile.store %a to %y[%i, %r, %g, %r] mask %m : !tile.fragment<8x16xf32>, !tile.matrix<?x48xf32>, !tile.mask<8x16>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 0>
tile.kernel @hold(%x: !tile.matrix<?x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
    // expected-error @+1 {{holds rows for a thread, but the kernel's operands come in stages}}
    %xs = tile.hold %x[%t, %r] : !tile.matrix<?x16xf32> -> !tile.buffer<64x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 0>
tile.kernel @tile(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<8x16xf32>
    // expected-error @+1 {{accumulates 8x16, the schedule's tile is 64x16}}
    %next = tile.mma %x[%t, %t, %r], %w[%j, %j, %n], %zero
        : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !tile.fragment<8x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 0>
tile.kernel @slice(%x: !tile.matrix<?x16xbf16>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns columns owns them of one group: give it <groups, 1>}}
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 64>, <groups, 0>, <columns, 16>] {
  }
}

// -----

func.func @tall(%a: !tile.fragment<8x16xf32>, %b: !tile.matrix<2x64xbf16>, %i: index) {
  // expected-error @+1 {{reads a matrix at type, row, output group and column, one of a single column at type and row; of '!tile.matrix<2x64xbf16>' it has 2 indices}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>, %w = %b[%i, %i] : !tile.matrix<2x64xbf16>) -> !tile.fragment<8x16xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @in_panels(%a: !tile.fragment<8x16xf32>, %b: !tile.matrix<1x64xbf16, panels 16 x 1>, %i: index) {
  // expected-error @+1 {{reads rows, not panels, got}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>, %w = %b[%i, %i] : !tile.matrix<1x64xbf16, panels 16 x 1>) -> !tile.fragment<8x16xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @one_index(%a: !tile.fragment<8x16xf32>, %b: !tile.matrix<1x64xbf16>, %i: index) {
  // expected-error @+1 {{reads one row at output group and column, got 1 indices}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>, %w = %b[%i] : !tile.matrix<1x64xbf16>) -> !tile.fragment<8x16xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @five_indices(%a: !tile.fragment<8x16xf32>, %b: !tile.matrix<?x64xbf16>, %i: index) {
  // expected-error @+1 {{reads a matrix at type, row, output group and column, got 5 indices}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>, %w = %b[%i, %i, %i, %i, %i] : !tile.matrix<?x64xbf16>) -> !tile.fragment<8x16xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @indexed(%a: !tile.fragment<8x16xf32>, %i: index) {
  // expected-error @+1 {{has indices for '!tile.fragment<8x16xf32>', which does not lie in memory}}
  %r = tile.map (%v = %a[%i] : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @numbers_alone(%a: f32) {
  // expected-error @+1 {{needs at least one fragment}}
  %r = tile.map (%v = %a : f32) -> !tile.fragment<8x16xf32> {
    tile.yield %v : f32
  }
  return
}

// -----

func.func @captured(%a: !tile.fragment<8x16xf32>, %b: f32) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    // expected-error @+1 {{uses a value from outside of its tile.map that is no constant: make it an input}}
    %s = arith.addf %v, %b : f32
    tile.yield %s : f32
  }
  return
}

// -----

func.func @narrow(%a: !tile.fragment<8x16xbf16>) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xbf16>) -> !tile.fragment<8x16xbf16> {
    // expected-error @+1 {{computes with 'bf16'; tile.map computes in f32: widen its operands}}
    %s = arith.addf %v, %v : bf16
    tile.yield %s : bf16
  }
  return
}

// -----

func.func @code(%a: !tile.fragment<8x16xf32>) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    // expected-error @+1 {{is no scalar code of arith or math, so tile.map cannot apply it to elements}}
    %p = builtin.unrealized_conversion_cast %v : f32 to f32
    tile.yield %p : f32
  }
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%b: !tile.matrix<1x16xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %zero = tile.zero : !tile.fragment<8x16xf32>
    // expected-error @+1 {{reads a matrix of 16 columns, the layout's output groups cover 32}}
    %y = tile.map (%v = %zero : !tile.fragment<8x16xf32>, %w = %b[%g, %g] : !tile.matrix<1x16xf32>) -> !tile.fragment<8x16xf32> {
      tile.yield %v : f32
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%b: !tile.matrix<?x1xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %zero = tile.zero : !tile.fragment<8x16xf32>
    // expected-error @+1 {{reads rows of a type, by two indices, got 1 indices instead of 2}}
    %y = tile.map (%v = %zero : !tile.fragment<8x16xf32>, %w = %b[%r] : !tile.matrix<?x1xf32>) -> !tile.fragment<8x16xf32> {
      tile.yield %v : f32
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 8>, weights = #alg.groups<2 x 8>,
                       out = #alg.groups<2 x 16>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
tile.kernel @kernel(%b: !tile.matrix<8x32xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %zero = tile.zero : !tile.fragment<8x16xf32>
    // expected-error @+1 {{reads a matrix with the rows of X, which only the launch knows, got '!tile.matrix<8x32xf32>'}}
    %y = tile.map (%v = %zero : !tile.fragment<8x16xf32>, %w = %b[%i, %r, %g, %g] : !tile.matrix<8x32xf32>) -> !tile.fragment<8x16xf32> {
      tile.yield %v : f32
    }
  }
}

// -----

func.func @half(%a: !tile.fragment<8x16xf32>) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    // expected-error @+1 {{is of 'f16'; elements in tile.map are f32 and bf16}}
    %h = arith.truncf %v : f32 to f16
    %s = arith.extf %h : f16 to f32
    tile.yield %s : f32
  }
  return
}

// -----

func.func @vectors(%a: !tile.fragment<8x16xf32>) {
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    // expected-error @+1 {{is of 'vector<4xf32>'; elements in tile.map are f32 and bf16}}
    %c = arith.constant dense<1.0> : vector<4xf32>
    tile.yield %v : f32
  }
  return
}

// -----

func.func @yields_nothing(%a: !tile.fragment<8x16xf32>) {
  // expected-error @+1 {{body must yield one value of type 'f32'}}
  %r = tile.map (%v = %a : !tile.fragment<8x16xf32>) -> !tile.fragment<8x16xf32> {
    %s = arith.negf %v : f32
  }
  return
}
