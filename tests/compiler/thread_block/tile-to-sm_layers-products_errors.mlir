// Products, maps and results that a kernel of two layers does not have are refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

// Each sum has its weight matrix.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @twice(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // expected-error @+1 {{must add one product to each sum for each term}}
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
      %one = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %one
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
tile.kernel @nothing_added(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #layout, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            // expected-error @+1 {{must add one product to each sum for each term}}
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              tile.yield %acc : !tile.fragment<64x64xf32>
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

// The kernel's own layer multiplies what the other one has left.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @rows_of_x(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
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
      // expected-error @+1 {{must multiply what its terms name}}
      %next = tile.mma %x[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
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
tile.kernel @other_group(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
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
              // expected-error @+1 {{must multiply what its terms name}}
              %next = tile.mma %x[%i, %k, %r], %w[%b1, %k, %m], %acc
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
tile.kernel @coefficients(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
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
              // expected-error @+1 {{has coefficients, and the terms of a graph have none}}
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc scale %c1
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

// What is held comes from the terms.
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
            %half = tile.zero : !tile.fragment<64x64xbf16>
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x64>
            // expected-error @+1 {{holds sums that are not finished}}
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

// Hidden tiles have another width than what a map of the kernel's own layer reads.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 32>, weights = <2 x 32>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
// expected-error @+1 {{has two layers, and maps of the first one read elements of a matrix beside its sums: they read numbers of columns and rows}}
tile.kernel @elements(%x: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %d: !tile.matrix<?x128xf32>,
                  %y: !tile.matrix<?x128xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %hidden = tile.buffer : !tile.buffer<64x128xbf16>
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      tile.once (%i, %k) {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          tile.for (%m) over [<columns, 64>] {
            %none = tile.zero : !tile.fragment<64x64xf32>
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x64xf32> {
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x64xbf16>, !tile.matrix<64x128xbf16>, !tile.fragment<64x64xf32>
              tile.yield %next : !tile.fragment<64x64xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>, %e = %d[%i, %r, %k, %m] : !tile.matrix<?x128xf32>) -> !tile.fragment<64x64xbf16> {
              %added = arith.addf %v, %e : f32
              %rounded = arith.truncf %added : f32 to bf16
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

// A bias of the first layer belongs to the columns that are made.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, stationary = 2>
tile.kernel @bias(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %bias: !tile.matrix<1x128xf32>,
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
            // expected-error @+1 {{must read the columns that its tile owns}}
            %half = tile.map (%v = %made : !tile.fragment<64x64xf32>, %e = %bias[%g, %m] : !tile.matrix<1x128xf32>) -> !tile.fragment<64x64xbf16> {
              %added = arith.addf %v, %e : f32
              %rounded = arith.truncf %added : f32 to bf16
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
tile.kernel @something_else(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>,
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
    // expected-error @+1 {{is not something that a kernel of two layers does with its sums}}
    %more = tile.buffer : !tile.buffer<64x128xbf16>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}
