// What the CPU target refuses in kernels of two layers.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-cpu

// Registers are those of one tile: what another layer finds is in memory.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @fragment(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    // expected-error @+1 {{yields '!tile.fragment<2x8xf32>'; only buffers leave a layer on a CPU}}
    %tile = tile.layer attributes {layout = #hidden, schedule = #schedule} -> !tile.fragment<2x8xf32> {
      %zero = tile.zero : !tile.fragment<2x8xf32>
      tile.yield %zero : !tile.fragment<2x8xf32>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @number(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    // expected-error @+1 {{yields 'index'; only buffers leave a layer on a CPU}}
    %type = tile.layer attributes {layout = #hidden, schedule = #schedule} -> index {
      tile.yield %i : index
    }
  }
}

// -----

// What lies between the layers has the columns that the kernel's own layer multiplies, whoever makes it.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @columns(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    // expected-error @+1 {{has rows of 8 columns, but those that its layer multiplies have 16; rows of a matrix are held by tile.hold}}
    %hidden = tile.buffer : !tile.buffer<4x8xf32>
  }
}
