// Clusters along the types that no kernel has.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster_types = 4>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster_types = 4, stationary = 2>
// expected-error @+1 {{owns 1 types in a tile of a cluster of 4, of 2 that there are}}
tile.kernel @types(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
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

// Blocks of a cluster load parts that begin where the swizzle does.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 8, stages = 2, cluster_types = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster_types = 2, stationary = 2>
// expected-error @+1 {{runs in clusters of 2 blocks along the types, but 8 rows of a weight matrix have no parts that are multiples of 8}}
tile.kernel @depth(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
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
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 24, depth = 64, stages = 2, cluster_types = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 24, stages = 2, cluster_types = 2, stationary = 2>
// expected-error @+1 {{runs in clusters of 2 blocks along the types, but 24 rows of a weight matrix have no parts that are multiples of 8}}
tile.kernel @hidden_columns(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 24>] {
            tile.terms (%k1, %b1, %c1) of (%i, %k) {
            }
            %half = tile.zero : !tile.fragment<64x24xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x24>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x24xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x24>
          }
        }
      }
      tile.yield %sum : !tile.fragment<64x64xf32>
    }
  }
}

// -----

// Blocks of rows of one type alone share nothing else.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster = 2 x 1, cluster_types = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster = 2 x 1, cluster_types = 2, stationary = 2>
// expected-error @+1 {{has two layers, whose tiles have rows on the first side, alone and in turn}}
tile.kernel @rows_too(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
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

// In a kernel of one layer a cluster's blocks share columns, or rows.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster_types = 2>
// expected-error @+1 {{runs in clusters along the types, which kernels of two layers do: there output groups have blocks of the weight matrices that all types read}}
tile.kernel @one_layer(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%i, %g) carry(%before = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%i, %k, %r], %w[%b, %g, %n], %before : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %sum to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}
