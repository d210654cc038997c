// RUN: alg-opt %s -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xbf16>
    // expected-error @+1 {{sums up in f32, got 'bf16'}}
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xbf16>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x24xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{has rows of 24 columns, the layout's input groups cover 16}}
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x24xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x24xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{reads a weight matrix of 16x24, the layout's is 16x48}}
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x24xbf16>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<2x16xf32>
    // expected-error @+1 {{has a fragment of 2x16, the schedule's part of the result is 4x16}}
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<2x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{stores 'f32' into a matrix of 'bf16'; round with tile.map first}}
    tile.store_rows %zero to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xbf16>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x40xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{target has 40 columns, the layout's output groups cover 48}}
    tile.store_rows %zero to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x40xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
// expected-error @+1 {{has a schedule of vector reductions, but owns no rows of the batch}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 2>
// expected-error @+1 {{owns rows of the batch, which kernels with a #tile.reduced schedule do}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{that owns rows of the batch owns columns of one group of them: <batch, ...>, <groups, 1> and <columns, ...>}}
  tile.forall (%r, %n) over [<batch, 4>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    // expected-error @+1 {{walks rows of one type; rows of the batch, whatever their types, are owned}}
    tile.for (%s) over [<batch, 1>] {
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 4, columns = 16, depth = 16, stages = 2>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    // expected-error @+1 {{takes rows of all types, which kernels with a #tile.reduced schedule do}}
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{multiplies rows of one type; a kernel of vector reductions adds tile.add_row_terms}}
    %sum = tile.mma %x[%c0, %c0, %r], %w[%c0, %j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 2>
// expected-error @+1 {{is of experts, whose rows kernels with a #tile.reduced schedule tell apart, and those of products with a #tile.staged schedule whose row types are explicit and whose groups are equal}}
tile.kernel @experts(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {experts, layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <[8, 40]>,
                       row_types = <explicit 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 2, warps = 2 x 1, vector = 8>
// expected-error @+1 {{of products with a #tile.staged schedule whose row types are explicit and whose groups are equal}}
tile.kernel @experts(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {experts, layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 32, register_rows = 4, register_columns = 16, lanes = 8, weights = direct>
// expected-error @+1 {{is of experts, whose rows kernels with a #tile.reduced schedule tell apart, and those of products with a #tile.staged schedule whose row types are explicit and whose groups are equal}}
tile.kernel @experts(%x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x48xf32>, %y: !tile.matrix<?x48xf32>)
    attributes {experts, layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %g) over [<types, 1>, <rows, 32>, <groups, 0>] {
  }
}

// -----

// expected-error @+1 {{every size of a schedule must be at least 1}}
#schedule = #tile.reduced<rows = 0, columns = 16, slices = 16, vector = 8>

// -----

// expected-error @+1 {{a thread reads 1, 2, 4 or 8 elements at a time, got 3}}
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 3>

// -----

// expected-error @+1 {{the columns of a part (24) must be 1, 2, 4, ... or 32 times the vector (8): so many threads stand side by side}}
#schedule = #tile.reduced<rows = 4, columns = 24, slices = 16, vector = 8>

// -----

// expected-error @+1 {{15 slices of 2 threads must be whole warps of 32 threads, at most 1024 in all}}
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 15, vector = 8>

// -----

// expected-error @+1 {{1024 slices of 2 threads must be whole warps of 32 threads, at most 1024 in all}}
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 1024, vector = 8>
