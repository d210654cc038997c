// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-reduction

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{is no kernel of vector reductions; those have a #tile.reduced schedule}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 4, columns = 16, depth = 16, stages = 2>} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <explicit 2>>
// expected-error @+1 {{has explicit row types, which do not follow from a position}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <[6, 10]>, weights = <[6, 10]>, out = <2 x 24>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{has groups of unequal widths, which one map cannot address}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 24>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{reads 8 elements at a time, of which groups of 4 and 24 are no multiples}}
tile.kernel @forward(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 15>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{reads 2 elements at a time, of which groups of 8 and 15 are no multiples}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x30xbf16>, %y: !tile.matrix<?x30xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 2>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{takes X, W, what its maps read, and Y, got 2 operands}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
// expected-error @+1 {{reads bf16 operands, got '!tile.matrix<?x16xf32>'}}
tile.kernel @forward(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  // expected-error @+1 {{must own one part of the schedule: <batch, 4>, <groups, 1>, <columns, 16>}}
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{must add the terms of what its part owns to zeros}}
    %more = tile.add_row_terms %x[%r], %w[%j, %n], %sum : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{must add the terms of what its part owns to zeros}}
    %sum = tile.add_row_terms %x[%r], %w[%n, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{must store what its part owns to Y}}
    tile.store_rows %sum to %y[%r, %n, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %bias: !tile.matrix<1x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{must read the columns that its part owns}}
    %biased = tile.map (%m = %sum : !tile.fragment<4x16xf32>, %e = %bias[%r, %n] : !tile.matrix<1x48xbf16>) -> !tile.fragment<4x16xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %z: !tile.matrix<?x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{reads rows of an operand; vector reductions read numbers of columns, and numbers}}
    %other = tile.map (%v = %sum : !tile.fragment<4x16xf32>, %o = %z[%r, %j, %n] : !tile.matrix<?x48xbf16>) -> !tile.fragment<4x16xf32> {
      %m = arith.negf %v : f32
      tile.yield %m : f32
    }
    tile.store_rows %other to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{is not something that a kernel of vector reductions does}}
    %mask = tile.mask rows(%j, %r) columns(%j, %n) : !tile.mask<4x16>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    %two = arith.constant 2.0 : f32
    // expected-error @+1 {{must take operands of the kernel, behind X and W and before Y}}
    %other = tile.map (%v = %sum : !tile.fragment<4x16xf32>, %a = %two : f32) -> !tile.fragment<4x16xf32> {
      %m = arith.mulf %v, %a : f32
      tile.yield %m : f32
    }
    tile.store_rows %other to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
  }
}
