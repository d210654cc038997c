// RUN: alg-opt %s -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{body takes a type, an input group, an output group, a coefficient and 0 carried fragments, has 3 arguments}}
    "tile.weight_terms"(%b, %j) ({
    ^bb0(%t: index, %k: index, %c: f32):
      tile.yield
    }) : (index, index) -> ()
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{body's first 3 arguments have type index, got 'f32'}}
    "tile.weight_terms"(%b, %j) ({
    ^bb0(%t: index, %k: index, %o: f32, %c: f32):
      tile.yield
    }) : (index, index) -> ()
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{body's coefficient has type f32, got 'index'}}
    "tile.weight_terms"(%b, %j) ({
    ^bb0(%t: index, %k: index, %o: index, %c: index):
      tile.yield
    }) : (index, index) -> ()
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{yields 'index' but carries}}
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) {
      tile.yield %k : index
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{expected (type, input group, output group, coefficient)}}
    tile.weight_terms (%t, %k, %c) of (%b, %j) {
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    // expected-error @+1 {{brings rows along features or columns, not along rows}}
    tile.bring %x[%b, %j, %f, %n] along <rows> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32>
    // expected-error @+1 {{brings whole panels, got a buffer of type}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 3 x 1>
    // expected-error @+1 {{brings whole panels, got a buffer of type}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 3 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 1>
    // expected-error @+1 {{widens to f32, got a buffer of 'bf16'}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xbf16, panels 4 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    // expected-error @+1 {{source has 48 columns, the layout's input groups cover 16}}
    tile.bring %dy[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x48xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    // expected-error @+1 {{source has 16 columns, the layout's output groups cover 48}}
    tile.bring %x[%b, %j, %f, %n] along <columns> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<16x8xf32, panels 4 x 1>
    // expected-error @+1 {{buffer has 16 rows, the schedule goes through 32 at a time}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<16x8xf32, panels 4 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    %sum = tile.zero : !tile.fragment<4x16xbf16>
    // expected-error @+1 {{accumulates in f32, got 'bf16'}}
    %next = tile.outer %xs[%f], %dys[%n] rows(%b, %j), %sum : !tile.buffer<32x8xf32, panels 4 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xbf16>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 8 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    %sum = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{multiplies panels of 8 features and 16 columns into a fragment of 4x16}}
    %next = tile.outer %xs[%f], %dys[%n] rows(%b, %j), %sum : !tile.buffer<32x8xf32, panels 8 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<16x8xf32, panels 4 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    %sum = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{has panels of 16 and 32 rows}}
    %next = tile.outer %xs[%f], %dys[%n] rows(%b, %j), %sum : !tile.buffer<16x8xf32, panels 4 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 8 x 1>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    %sum = tile.zero : !tile.fragment<8x16xf32>
    // expected-error @+1 {{has a fragment of 8x16, the schedule's register tile is 4x16}}
    %next = tile.outer %xs[%f], %dys[%n] rows(%b, %j), %sum : !tile.buffer<32x8xf32, panels 8 x 1>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<8x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %sums = tile.buffer : !tile.buffer<8x32xf32, panels 16 x 1>
    // expected-error @+1 {{keeps sums of f32 in a plain buffer, got }}
    %sum = tile.load %sums[%f, %n] : !tile.buffer<8x32xf32, panels 16 x 1> -> !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %sums = tile.buffer : !tile.buffer<8x24xf32>
    // expected-error @+1 {{has a fragment of 4x16, which does not divide the buffer's 8x24}}
    %sum = tile.load %sums[%f, %n] : !tile.buffer<8x24xf32> -> !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %sums = tile.buffer : !tile.buffer<8x32xf32>
    %zero = tile.zero : !tile.fragment<2x16xf32>
    // expected-error @+1 {{has a fragment of 2x16, the schedule's register tile is 4x16}}
    tile.keep %zero to %sums[%f, %n] : !tile.fragment<2x16xf32> to !tile.buffer<8x32xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<4x16xbf16>
    // expected-error @+1 {{rounds sums of f32, got 'bf16'}}
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : !tile.fragment<4x16xbf16> to !tile.matrix<16x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x44xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{target is 16x44, the layout's weight matrix is 16x48}}
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<16x44xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32, panels 16 x 1>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{writes rows, not panels}}
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<16x48xf32, panels 16 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @forward(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x48xf32>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 32>, <groups, 0>] {
    // expected-error @+1 {{belongs to kernels of mode j, the layout's mode is k}}
    tile.weight_terms (%t, %k, %o, %c) of (%i, %g) {
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
// expected-error @+1 {{owns features, which belongs to mode j, but its layout's mode is k}}
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
// expected-error @+1 {{owns no features, but its layout's mode is j}}
tile.kernel @forward(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x48xf32>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 32>, <groups, 0>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns features owns a tile of one block of the weight matrix}}
  tile.forall (%f, %j, %n) over [<features, 8>, <groups, 1>, <columns, 32>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns features owns a tile of one block of the weight matrix}}
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 2>, <features, 8>, <groups, 1>, <columns, 32>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns features owns a tile of one block of the weight matrix}}
  tile.forall (%b, %f, %j) over [<weight_rows, 1>, <features, 8>, <groups, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns features owns a tile of one block of the weight matrix}}
  tile.forall (%b, %f, %j, %n, %t) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>, <types, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns row groups of the weight matrix owns nothing else, or a tile with features}}
  tile.forall (%b, %j, %n) over [<weight_rows, 1>, <groups, 1>, <columns, 32>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @forward(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x48xf32>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 32>, <groups, 0>] {
    // expected-error @+1 {{walks features, but nothing around it owns a row group of the weight matrix}}
    tile.for (%h) over [<features, 4>] {
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 2, warps = 2 x 1, vector = 8>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<32x32xf32>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<32x32xf32> {
      // expected-error @+1 {{has a fragment of 32x32, the schedule's tile is 64x32}}
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum : !tile.matrix<?x16xbf16>, !tile.matrix<?x48xbf16>, !tile.fragment<32x32xf32>
      tile.yield %next : !tile.fragment<32x32xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 2, warps = 2 x 1, vector = 8>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<64x32xf32>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x32xf32> {
      // expected-error @+1 {{multiplies rows of one type by rows of another}}
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%k, %o, %n], %sum : !tile.matrix<?x16xbf16>, !tile.matrix<?x48xbf16>, !tile.fragment<64x32xf32>
      tile.yield %next : !tile.fragment<64x32xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 2, warps = 2 x 1, vector = 8>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<64x32xf32>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x32xf32> {
      // expected-error @+1 {{multiplies rows of 48 and 48 columns; the layout's groups cover 16 of X and 48 of dY}}
      %next = tile.mma_rows %dy[%t, %k, %f], %dy[%t, %o, %n], %sum : !tile.matrix<?x48xbf16>, !tile.matrix<?x48xbf16>, !tile.fragment<64x32xf32>
      tile.yield %next : !tile.fragment<64x32xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xf32, panels 4 x 1>
    %c = arith.constant 1.0 : f32
    // expected-error @+1 {{says that its scale is a sign, but has none}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs signs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xf32, panels 4 x 1>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 16, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xf32>, %dy: !tile.matrix<?x48xf32>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 2>
    %c = arith.constant 1.0 : f32
    // expected-error @+1 {{brings pairs of bf16, but the source has 'f32'}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xf32> to !tile.buffer<32x8xbf16, panels 4 x 2>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 33, register_rows = 3, register_columns = 16, lanes = 16, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<33x8xbf16, panels 4 x 2>
    %c = arith.constant 1.0 : f32
    // expected-error @+1 {{brings pairs of 2 rows, got a buffer of 33}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xbf16> to !tile.buffer<33x8xbf16, panels 4 x 2>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 16, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 2>
    %c = arith.constant 1.0 : f32
    // expected-error @+1 {{cannot scale pairs of bf16 without rounding; only coefficients +1 and -1 go with them}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs scale %c : !tile.matrix<?x16xbf16> to !tile.buffer<32x8xbf16, panels 4 x 2>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 16, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 8>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x8xbf16, panels 4 x 2>
    %dys = tile.buffer : !tile.buffer<32x16xf32, panels 16 x 1>
    %sum = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{multiplies pairs of rows by pairs of rows, got }}
    %next = tile.outer %xs[%f], %dys[%n] rows(%b, %j), %sum : !tile.buffer<32x8xbf16, panels 4 x 2>, !tile.buffer<32x16xf32, panels 16 x 1>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 48, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<48x16xbf16, panels 16 x 32>
    // expected-error @+1 {{brings blocks of 32 rows, got a buffer of 48}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xbf16> to !tile.buffer<48x16xbf16, panels 16 x 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    %c = arith.constant 2.0 : f32
    // expected-error @+1 {{cannot scale blocks of bf16 without rounding; only coefficients +1 and -1 go with them}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs scale %c : !tile.matrix<?x16xbf16> to !tile.buffer<32x16xbf16, panels 16 x 32>
  }
}

// -----

// What a matrix unit takes is for a schedule that has it.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = direct>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    // expected-error @+1 {{panels with 32 rows side by side are for features that AMX multiplies}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xbf16> to !tile.buffer<32x16xbf16, panels 16 x 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 32>
    // expected-error @+1 {{panels with 32 rows side by side are for features that AMX multiplies}}
    tile.bring %dy[%b, %j, %f, %n] along <columns> to %dys : !tile.matrix<?x48xbf16> to !tile.buffer<32x16xbf16, panels 16 x 32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    // expected-error @+1 {{panels with 32 rows side by side are for features that AMX multiplies}}
    tile.bring %x[%b, %j, %f, %n] along <features> to %xs : !tile.matrix<?x16xbf16> to !tile.buffer<32x16xbf16, panels 16 x 2>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 16, register_columns = 16, lanes = 16, weights = copied, unit = amx>
tile.kernel @dw(%x: !tile.matrix<?x16xbf16>, %dy: !tile.matrix<?x48xbf16>, %dw: !tile.matrix<16x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 16>, <groups, 1>, <columns, 32>] {
    %xs = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    %dys = tile.buffer : !tile.buffer<32x16xbf16, panels 16 x 2>
    %sum = tile.zero : !tile.fragment<16x16xf32>
    // expected-error @+1 {{the schedule's unit is amx; AMX takes 32 rows of a feature side by side, and pairs of rows of dY}}
    %next = tile.outer %xs[%f], %dys[%n] rows(%b, %j), %sum : !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.buffer<32x16xbf16, panels 16 x 2>, !tile.fragment<16x16xf32>
  }
}
