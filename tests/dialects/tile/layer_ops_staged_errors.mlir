// What layers refuse in kernels whose operands come in stages, and in those that have no layers beside their own.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -o /dev/null

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 64, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @stages_in_threads(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 64>, <groups, 0>] {
    // expected-error @+1 {{has a schedule of another kind than its kernel, whose workers are threads}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @reduced(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %g, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    // expected-error @+1 {{has a schedule of another kind than its kernel, one of vector reductions}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// The rows that a tile makes are those that it multiplies.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 16, depth = 16, stages = 3>
tile.kernel @rows(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{owns 1 types of 128 rows, the kernel 1 of 64}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @types(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{owns 2 types of 64 rows, the kernel 1 of 64}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// Blocks that load for each other do so in both layers.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3, cluster_types = 2>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @clusters(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{runs in clusters of 1 workers along the types, the kernel in clusters of 2}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// What leaves the cache first does so in both layers.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3, evict_first = 1>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @evicted(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{has evict_first = 0, the kernel 1}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// Maps of the hidden layer overlap with products of the other one, which both have to know.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3, overlap = 1>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @overlapped(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{has overlap = 0, the kernel 1}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// Warpgroups take chunks in turn in both layers.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 4, ping_pong = 2>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 4>
tile.kernel @in_turn(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{has ping_pong = 1, the kernel 2}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// What is made at a time is multiplied at a time.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>
tile.kernel @depth(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{makes 32 columns at a time, but the kernel's own layer multiplies 16}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @held_rows(%x: !tile.matrix<?x8xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    %hidden = tile.buffer : !tile.buffer<128x16xbf16>
    tile.once (%i, %g) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<64x16xbf16>
          %mask = tile.mask rows(%i, %r) columns(%g, %m) : !tile.mask<64x16>
          // expected-error @+1 {{target has 128 rows, the schedule owns 1 types of 64 rows}}
          tile.store_held %zero to %hidden[%i, %r, %g, %m] mask %mask
              : !tile.fragment<64x16xbf16>, !tile.buffer<128x16xbf16>, !tile.mask<64x16>
        }
      }
    }
  }
}

// -----

// Tiles of a layer are those of its own schedule, not of the kernel's.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 16, stages = 3>
tile.kernel @tile(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x16xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    tile.once (%i, %g) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !tile.fragment<64x32xf32>
          %sum = tile.terms (%k, %b, %c) of (%i, %g) carry(%before = %zero) : !tile.fragment<64x32xf32> {
            // expected-error @+1 {{accumulates 64x32, the schedule's tile is 64x16}}
            %next = tile.mma %x[%i, %k, %r], %w[%b, %g, %m], %before
                : !tile.matrix<?x8xbf16>, !tile.matrix<8x16xbf16>, !tile.fragment<64x32xf32>
            tile.yield %next : !tile.fragment<64x32xf32>
          }
        }
      }
    }
  }
}
