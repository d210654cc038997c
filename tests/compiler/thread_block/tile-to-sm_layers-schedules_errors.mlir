// Schedules and layouts that no kernel of two layers has.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

// A block makes the hidden rows that it multiplies.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster = 2 x 1, stationary = 2>
// expected-error @+1 {{has two layers, whose tiles have rows on the first side, alone and in turn}}
tile.kernel @cluster(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
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
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2, rows_on = n>
// expected-error @+1 {{has two layers, whose tiles have rows on the first side, alone and in turn}}
tile.kernel @turns(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
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
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has two layers, and goes through at least one group while the hidden group of its own type stays: give its schedule stationary groups}}
tile.kernel @comes_with_every_group(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
    }
  }
}

// -----

// Elsewhere a hidden group has several readers.
#layout = #tile.layout<algebra = #alg.algebra<"T(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 3>
// expected-error @+1 {{has two layers, which are products of one graph in the lift by rows: there a hidden group is read where it is made, or is the rows' own}}
tile.kernel @incomplete(%x: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %y: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x192xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x192xbf16>, !tile.mask<64x64>
          }
        }
      }
    }
  }
}

// -----

// Types share the blocks of groups that all of them have an edge to.
#layout = #tile.layout<algebra = #alg.algebra<"path(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{owns several types in a tile or a cluster of two layers, which share blocks only of a complete graph}}
tile.kernel @mixed(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<128x128xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<128x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<128x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<128x64xbf16>, !tile.buffer<128x128xbf16>, !tile.mask<128x64>
          }
        }
      }
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <explicit 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{has two layers, whose groups have one width each and whose rows follow from their positions}}
tile.kernel @explicit(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <[56, 72]>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <[56, 72]>, weights = <[56, 72]>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{has two layers, whose groups have one width each and whose rows follow from their positions}}
tile.kernel @unequal(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    tile.terms (%k, %b, %c) of (%i, %g) {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
    }
  }
}

// -----

// Hidden rows go from registers to one weight matrix.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{has two layers, of which the second computes one product and writes it}}
tile.kernel @two_products(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total:2 = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero, %sum2 = %zero) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      tile.yield %sum, %sum2 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
    }
  }
}

// -----

// With part of them hidden rows would be made again for the others.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{has two layers: a tile has all 64 columns of its group, got 32}}
tile.kernel @narrow(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      tile.yield %sum : !tile.fragment<64x64xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 3, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 3, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{owns 3 types in a tile, of 2 that there are}}
tile.kernel @types(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 3>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<192x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<192x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<192x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<192x64xbf16>, !tile.buffer<192x128xbf16>, !tile.mask<192x64>
          }
        }
      }
      tile.yield %sum : !tile.fragment<64x64xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{owns several types in a tile of two layers: its maps read no rows}}
tile.kernel @rows_of_types(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %d: !tile.matrix<?x1xf32>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<128x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<128x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<128x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<128x64xbf16>, !tile.buffer<128x128xbf16>, !tile.mask<128x64>
          }
        }
      }
      tile.yield %sum : !tile.fragment<64x64xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @own(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{must own one tile of the schedule}}
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      tile.yield %sum : !tile.fragment<64x64xf32>
    }
  }
}
