// Kernels of two layers: everything is of the rows, groups and columns that the tile owns, or that its terms name.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @terms_of_columns(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // expected-error @+1 {{must go through the terms of what its tile owns}}
    %total = tile.terms (%k, %b, %c) of (%i, %n) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @once_for_another(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      // expected-error @+1 {{must make the input group that the terms around it name}}
      tile.once (%i, %g) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @hidden_terms_of_another(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            // expected-error @+1 {{must go through the terms of the input group that is made}}
            %made = tile.terms (%k1, %b1, %c1) of (%i, %g) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @held_elsewhere(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            // expected-error @+1 {{must hold the columns of the input group that are made}}
            tile.store_held %half to %hidden[%i, %r, %g, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @more_behind_hidden(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            // expected-error @+1 {{is not something that a kernel of two layers does with hidden sums}}
            %more = tile.buffer : !tile.buffer<64x128xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @stored_elsewhere(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    // expected-error @+1 {{must store what its tile owns to Y}}
    tile.store %total to %y[%i, %r, %g, %r] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @unfinished(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    // expected-error @+1 {{must store sums that its tile has finished}}
    tile.store %zero to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @columns_of_another(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      // expected-error @+1 {{must multiply what its terms name, of the rows and columns of its tile}}
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %r], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @rows_of_another(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              // expected-error @+1 {{must multiply what its terms name, of the rows and columns of its tile}}
              %next = tile.mma %x[%i, %k1, %n], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>) -> !tile.fragment<64x64xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x64xbf16>, !tile.buffer<64x128xbf16>, !tile.mask<64x64>
          }
        }
      }
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x64>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}
