// What kernels of two layers for few rows refuse.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -o /dev/null

// The ops of rows that go through terms side by side.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @no_index(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{hands one index to its body, the input group of every row}}
    "tile.row_terms"(%r, %j) ({
    ^bb0:
    }) : (index, index) -> ()
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @another_type(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{hands one index to its body, the input group of every row}}
    "tile.row_terms"(%r, %j) ({
    ^bb0(%k: i32):
    }) : (index, index) -> ()
  }
}

// -----

func.func @no_kernel(%r: index, %j: index) {
  // expected-error @+1 {{is a part of a task, and no tile.forall is around it}}
  tile.row_terms (%k) of (%r, %j) {
  }
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @no_task(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  %r = arith.constant 0 : index
  // expected-error @+1 {{is a part of a task, and no tile.forall is around it}}
  tile.row_terms (%k) of (%r, %r) {
  }
  tile.forall (%t, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 8, depth = 16, stages = 2>
tile.kernel @staged(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %r, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{takes rows of all types, which kernels with a #tile.reduced schedule do}}
    tile.row_terms (%k) of (%r, %j) {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @in_layer(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      // expected-error @+1 {{is inside of a tile.layer, but its groups are those that the kernel's own layer reads}}
      tile.row_terms (%k) of (%r, %j) {
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @twice(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.row_terms (%k) of (%r, %j) {
      // expected-error @+1 {{is inside of another tile.row_terms, which goes through the terms already}}
      tile.row_terms (%l) of (%r, %k) {
      }
    }
  }
}

// -----

// Rows that another layer has left.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @buffer_rows(%w: !tile.matrix<32x16xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    %zero = tile.zero : !tile.fragment<4x8xf32>
    // expected-error @+1 {{has a buffer of 2 rows, the schedule owns 4}}
    %sum = tile.add_row_terms %left[%r], %w[%j, %n], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !tile.fragment<4x8xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @buffer_columns(%w: !tile.matrix<32x16xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<4x24xbf16>
    %zero = tile.zero : !tile.fragment<4x8xf32>
    // expected-error @+1 {{has rows of 24 columns, the layout's input groups cover 32}}
    %sum = tile.add_row_terms %left[%r], %w[%j, %n], %zero : !tile.buffer<4x24xbf16>, !tile.matrix<32x16xbf16>, !tile.fragment<4x8xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @buffer_panels(%w: !tile.matrix<32x16xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<4x32xbf16, panels 16 x 1>
    %zero = tile.zero : !tile.fragment<4x8xf32>
    // expected-error @+1 {{reads operands as the user stores them, not in panels}}
    %sum = tile.add_row_terms %left[%r], %w[%j, %n], %zero : !tile.buffer<4x32xbf16, panels 16 x 1>, !tile.matrix<32x16xbf16>, !tile.fragment<4x8xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @weight_panels(%w: !tile.matrix<32x16xbf16, panels 8 x 1>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<4x32xbf16>
    %zero = tile.zero : !tile.fragment<4x8xf32>
    // expected-error @+1 {{reads operands as the user stores them, not in panels}}
    %sum = tile.add_row_terms %left[%r], %w[%j, %n], %zero : !tile.buffer<4x32xbf16>, !tile.matrix<32x16xbf16, panels 8 x 1>, !tile.fragment<4x8xf32>
  }
}

// -----

// In a layer, its schedule and its layout count.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @fragment(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %zero = tile.zero : !tile.fragment<4x8xf32>
      // expected-error @+1 {{has a fragment of 4x8, the schedule's part of the result is 4x16}}
      %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !tile.fragment<4x8xf32>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @layout(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<32x16xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %zero = tile.zero : !tile.fragment<4x16xf32>
      // expected-error @+1 {{reads a weight matrix of 32x16, the layout's is 16x32}}
      %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<32x16xbf16>, !tile.fragment<4x16xf32>
    }
  }
}

// -----

// What a layer leaves.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @stored_panels(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %left = tile.buffer : !tile.buffer<4x32xf32, panels 16 x 1>
      %zero = tile.zero : !tile.fragment<4x16xf32>
      // expected-error @+1 {{writes rows, not panels}}
      tile.store_rows %zero to %left[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.buffer<4x32xf32, panels 16 x 1>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @stored_elements(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %left = tile.buffer : !tile.buffer<4x32xbf16>
      %zero = tile.zero : !tile.fragment<4x16xf32>
      // expected-error @+1 {{stores 'f32' into a buffer of 'bf16'; round with tile.map first}}
      tile.store_rows %zero to %left[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.buffer<4x32xbf16>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @no_layer(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<4x32xf32>
    %zero = tile.zero : !tile.fragment<4x8xf32>
    // expected-error @+1 {{is of a layer whose results another one multiplies: put it into a tile.layer}}
    tile.store_rows %zero to %left[%r, %j, %n] : !tile.fragment<4x8xf32> to !tile.buffer<4x32xf32>
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @not_left(%y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %zero = tile.zero : !tile.fragment<4x16xf32>
      // expected-error @+1 {{writes a matrix, but the results of a tile.layer stay in a buffer}}
      tile.store_rows %zero to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x32xf32>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @stored_rows(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %left = tile.buffer : !tile.buffer<8x32xf32>
      %zero = tile.zero : !tile.fragment<4x16xf32>
      // expected-error @+1 {{has a buffer of 8 rows, the schedule owns 4}}
      tile.store_rows %zero to %left[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.buffer<8x32xf32>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @stored_columns(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %left = tile.buffer : !tile.buffer<4x16xf32>
      %zero = tile.zero : !tile.fragment<4x16xf32>
      // expected-error @+1 {{target has 16 columns, the layout's output groups cover 32}}
      tile.store_rows %zero to %left[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.buffer<4x16xf32>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8>
tile.kernel @stored_fragment(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      %left = tile.buffer : !tile.buffer<4x32xf32>
      %zero = tile.zero : !tile.fragment<4x8xf32>
      // expected-error @+1 {{has a fragment of 4x8, the schedule's part of the result is 4x16}}
      tile.store_rows %zero to %left[%r, %j, %n] : !tile.fragment<4x8xf32> to !tile.buffer<4x32xf32>
    }
  }
}

// -----

// Both layers have the same rows, threads, vectors and clusters.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8, cluster = 2>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 2>
tile.kernel @other_rows(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{owns 2 rows for a cluster of 2 blocks of 32 threads with vectors of 8, the kernel 4 for 2 of 32 with 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 32, vector = 8, cluster = 2>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 2>
tile.kernel @other_threads(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{owns 4 rows for a cluster of 2 blocks of 64 threads with vectors of 8, the kernel 4 for 2 of 32 with 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 8, vector = 4, cluster = 2>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 2>
tile.kernel @other_vectors(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{owns 4 rows for a cluster of 2 blocks of 32 threads with vectors of 4, the kernel 4 for 2 of 32 with 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8, cluster = 4>
#schedule = #tile.reduced<rows = 4, columns = 8, slices = 32, vector = 8, cluster = 2>
tile.kernel @other_cluster(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 8>] {
    // expected-error @+1 {{owns 4 rows for a cluster of 4 blocks of 32 threads with vectors of 8, the kernel 4 for 2 of 32 with 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// expected-error @+1 {{a cluster has 1 to 8 thread blocks, got 0}}
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8, cluster = 0>

// -----

// expected-error @+1 {{a cluster has 1 to 8 thread blocks, got 9}}
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8, cluster = 9>
