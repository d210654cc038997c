// Programs that no kernel of two layers has are refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

// Hidden groups are made where the terms read them.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @no_terms(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{has the terms of one output group in a kernel of two layers}}
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    tile.once (%i, %g) {
      tile.layer attributes {layout = #layout, schedule = #of_hidden} {
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @outside_of_terms(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    tile.once (%i, %g) {
      tile.layer attributes {layout = #layout, schedule = #of_hidden} {
      }
    }
    // expected-error @+1 {{must make what its products read in one tile.once where a layer of the kernel feeds another}}
    tile.terms (%k, %b, %c) of (%i, %g) {
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @two_at_once(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    tile.terms (%k, %b, %c) of (%i, %g) {
      // expected-error @+1 {{makes the results of one layer}}
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
        }
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @no_loop(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        // expected-error @+1 {{goes through the columns of a group in one loop}}
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
        }
      }
    }
  }
}

// -----

// A tile has all rows that it makes at a time.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @rows_in_a_loop(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        // expected-error @+1 {{goes through the columns of a group in one loop}}
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m, %s) over [<columns, 64>, <rows, 64>] {
          }
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @nothing_held(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          // expected-error @+1 {{adds up the terms of a tile, and holds what becomes of it}}
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
          }
        }
      }
    }
  }
}
