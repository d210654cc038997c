// Everything in a program of two layers for few rows is of what its task owns, or of what its terms name. All else is refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm -o /dev/null

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @place(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    // expected-error @+1 {{must go through the terms of what its task owns}}
    tile.row_terms (%k) of (%r, %n) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_group(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
          %sum = tile.add_row_terms %x[%r], %w[%j, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_column(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
          %sum = tile.add_row_terms %x[%r], %w[%k, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_row(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
          %sum = tile.add_row_terms %x[%m], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_rows(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %z: !tile.matrix<?x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
          %sum = tile.add_row_terms %z[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_sums(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %first = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %first : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @weights(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %u: !tile.matrix<16x32xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
          %sum = tile.add_row_terms %x[%r], %u[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @own_rows(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    %other = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
      %sum = tile.add_row_terms %other[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @own_group(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      // expected-error @+1 {{must add to zeros the terms of its loop's columns, by a weight matrix of the kernel}}
      %sum = tile.add_row_terms %left[%r], %w2[%c, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @left_group(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          // expected-error @+1 {{must store the columns of its loop}}
          tile.store_rows %rounded to %left[%r, %j, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @left_column(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          // expected-error @+1 {{must store the columns of its loop}}
          tile.store_rows %rounded to %left[%r, %k, %n] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @stored_column(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      // expected-error @+1 {{must store the columns of its loop}}
      tile.store_rows %sum to %y[%r, %j, %n] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @target(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %z: !tile.matrix<?x16xf32>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      // expected-error @+1 {{must store to Y}}
      tile.store_rows %sum to %z[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}
