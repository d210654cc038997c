// What the ops of kernels of two layers refuse, message by message.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -o /dev/null

// Nothing says which layout and schedule the one of this layer stands beside.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
// expected-error @+1 {{is a layer of a tile.kernel, and none is around it}}
tile.layer attributes {layout = #hidden, schedule = #schedule} {
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @nested(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // Layers stand beside each other, so that what an op belongs to is the one around it.
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      // expected-error @+1 {{is inside of another layer; layers of a kernel stand beside each other}}
      tile.layer attributes {layout = #hidden, schedule = #schedule} {
      }
    }
  }
}

// -----

// One layer cannot own rows thread by thread where the other one owns a tile.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 64, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @threads_in_stages(%x: !tile.matrix<?x16xbf16>) attributes {layout = #layout,
    schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 16, stages = 3>} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    // expected-error @+1 {{has a schedule of another kind than its kernel, whose operands come in stages}}
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <explicit 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @row_types(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{has rows of other types than the kernel: #alg.row_types<explicit 2>, not #alg.row_types<cyclic 2>}}
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
    }
  }
}

// -----

// What one layer leaves is what the other one multiplies, group by group: the sum of the widths is not enough.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <[6, 10]>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @groups(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{leaves #alg.groups<[6, 10]>, but the kernel's own layer multiplies #alg.groups<2 x 8>}}
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
#of_hidden = #tile.schedule<types = 1, rows = 8, register_rows = 6, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @register_rows(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{owns rows (8) that are no multiple of the register tile's (6)}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

// The rows that a task makes are those that it multiplies.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
#of_hidden = #tile.schedule<types = 2, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @types(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{owns 2 types of 8 rows in vectors of 8, the kernel 1 of 8 in vectors of 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
#of_hidden = #tile.schedule<types = 1, rows = 16, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @rows(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{owns 1 types of 16 rows in vectors of 8, the kernel 1 of 8 in vectors of 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
#of_hidden = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 4, weights = direct>
tile.kernel @lanes(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{owns 1 types of 8 rows in vectors of 4, the kernel 1 of 8 in vectors of 8}}
    tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @results(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // expected-error @+1 {{yields ('!tile.buffer<8x8xf32>') but has results of ('!tile.buffer<8x16xf32>')}}
    %held = tile.layer attributes {layout = #hidden, schedule = #schedule} -> !tile.buffer<8x16xf32> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xf32> -> !tile.buffer<8x8xf32>
      tile.yield %rows : !tile.buffer<8x8xf32>
    }
  }
}

// -----

// Once is once in a task, and this is not in one.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @outside(%x: !tile.matrix<?x8xf32>, %y: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{is a part of a task, and no tile.forall is around it}}
  tile.once (%zero, %zero) {
  }
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
  }
}

// -----

func.func @no_kernel(%t: index) {
  // expected-error @+1 {{is a part of a task, and no tile.forall is around it}}
  tile.once (%t, %t) {
  }
  return
}

// -----

// Kernels of vector reductions go through all terms of an output group at once.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8>
tile.kernel @reduced(%x: !tile.matrix<?x16xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %g, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    // expected-error @+1 {{belongs to kernels whose workers are threads or whose operands come in stages, not to those of vector reductions}}
    tile.once (%r, %g) {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @once_in_once(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    tile.once (%i, %g) {
      // expected-error @+1 {{is inside of another tile.once, which has made up its mind for both}}
      tile.once (%i, %g) {
      }
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @mask(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %hidden = tile.buffer : !tile.buffer<8x16xf32>
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      tile.for (%t, %k, %n, %s) over [<types, 1>, <groups, 1>, <columns, 8>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<4x8xf32>
        %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x16>
        // expected-error @+1 {{mask is 4x16, the fragment 4x8}}
        tile.store_held %zero to %hidden[%t, %s, %k, %n] mask %mask
            : !tile.fragment<4x8xf32>, !tile.buffer<8x16xf32>, !tile.mask<4x16>
      }
    }
  }
}

// -----

// The other layer multiplies rows that stay as they are, whatever its weight matrices are.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @panels(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %hidden = tile.buffer : !tile.buffer<8x16xf32, panels 16 x 1>
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      tile.for (%t, %k, %n, %s) over [<types, 1>, <groups, 1>, <columns, 8>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<4x8xf32>
        %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
        // expected-error @+1 {{writes rows, not panels}}
        tile.store_held %zero to %hidden[%t, %s, %k, %n] mask %mask
            : !tile.fragment<4x8xf32>, !tile.buffer<8x16xf32, panels 16 x 1>, !tile.mask<4x8>
      }
    }
  }
}

// -----

// A buffer of f32 takes bf16, which it holds exactly; the other way round something is lost, and a map says so.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @rounding(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %hidden = tile.buffer : !tile.buffer<8x16xbf16>
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      tile.for (%t, %k, %n, %s) over [<types, 1>, <groups, 1>, <columns, 8>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<4x8xf32>
        %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
        // expected-error @+1 {{stores 'f32' into a buffer of 'bf16'; round with tile.map first}}
        tile.store_held %zero to %hidden[%t, %s, %k, %n] mask %mask
            : !tile.fragment<4x8xf32>, !tile.buffer<8x16xbf16>, !tile.mask<4x8>
      }
    }
  }
}

// -----

// The layer of the kernel itself writes results, with tile.store.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @own_layer(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %hidden = tile.buffer : !tile.buffer<8x16xf32>
    tile.for (%t, %k, %n, %s) over [<types, 1>, <groups, 1>, <columns, 8>, <rows, 8>] {
      %zero = tile.zero : !tile.fragment<4x8xf32>
      %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
      // expected-error @+1 {{is of a layer whose results another one multiplies: put it into a tile.layer}}
      tile.store_held %zero to %hidden[%t, %s, %k, %n] mask %mask
          : !tile.fragment<4x8xf32>, !tile.buffer<8x16xf32>, !tile.mask<4x8>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @columns(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %hidden = tile.buffer : !tile.buffer<8x8xf32>
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      tile.for (%t, %k, %n, %s) over [<types, 1>, <groups, 1>, <columns, 8>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<4x8xf32>
        %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
        // expected-error @+1 {{target has 8 columns, the layout's output groups cover 16}}
        tile.store_held %zero to %hidden[%t, %s, %k, %n] mask %mask
            : !tile.fragment<4x8xf32>, !tile.buffer<8x8xf32>, !tile.mask<4x8>
      }
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @rows(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    %hidden = tile.buffer : !tile.buffer<1x16xf32>
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      tile.for (%t, %k, %n, %s) over [<types, 1>, <groups, 1>, <columns, 8>, <rows, 8>] {
        %zero = tile.zero : !tile.fragment<4x8xf32>
        %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
        // expected-error @+1 {{target has 1 rows, the schedule owns 1 types of 8 rows}}
        tile.store_held %zero to %hidden[%t, %s, %k, %n] mask %mask
            : !tile.fragment<4x8xf32>, !tile.buffer<1x16xf32>, !tile.mask<4x8>
      }
    }
  }
}

// -----

// The groups that are made once are the input groups of the kernel's own layer.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @once_in_layer(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    tile.layer attributes {layout = #hidden, schedule = #schedule} {
      // expected-error @+1 {{is inside of a tile.layer, but its groups are those that the kernel's own layer reads}}
      tile.once (%i, %g) {
      }
    }
  }
}

// -----

// Rows that one layer leaves are filled up to the depths that the other one multiplies at a time.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 32>,
                       row_types = <cyclic 2>>
#vectors = #tile.schedule<types = 1, rows = 16, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
#amx = #tile.schedule<types = 1, rows = 16, register_rows = 16, register_columns = 16, lanes = 16, weights = packed, unit = amx>
tile.kernel @units(%x: !tile.matrix<?x64xbf16>) attributes {layout = #layout, schedule = #amx} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 16>, <groups, 0>] {
    // expected-error @+1 {{is multiplied by vectors, the kernel by amx: rows in the cache are filled up to the depths of one}}
    tile.layer attributes {layout = #hidden, schedule = #vectors} {
    }
  }
}
