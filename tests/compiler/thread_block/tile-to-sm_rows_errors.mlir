// What a thread block cannot do for few rows is refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

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
// expected-error @+1 {{reads '!sm.piece<1 x 8 x bf16, vector 8>' through '!sm.maps<1 x 4 x 8 x f32, row_dimension 3, vector 8>'}}
tile.kernel @forward(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xf32>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
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
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %bias: !tile.matrix<1x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{must read the columns that its tile owns}}
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
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    // expected-error @+1 {{is not something that a GPU target can lower}}
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
    // expected-error @+1 {{must take numbers that are operands of the kernel}}
    %other = tile.map (%v = %sum : !tile.fragment<4x16xf32>, %a = %two : f32) -> !tile.fragment<4x16xf32> {
      %m = arith.mulf %v, %a : f32
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
    // expected-error @+1 {{maps sums of which terms are still to come}}
    %half = tile.map (%v = %sum : !tile.fragment<4x16xf32>) -> !tile.fragment<4x16xf32> {
      %n2 = arith.negf %v : f32
      tile.yield %n2 : f32
    }
    %more = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
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
    // expected-error @+1 {{stores sums of which terms are still to come}}
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
    %more = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
  }
}
