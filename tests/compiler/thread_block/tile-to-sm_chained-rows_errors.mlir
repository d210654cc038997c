// What kernels of two layers cannot do for few rows is refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm -o /dev/null

// What the parts of such a program are.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @two_loops(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{makes what one layer leaves in one tile.row_terms, and goes through the columns of its group in one loop, 8 at a time}}
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
    tile.for (%c) over [<columns, 8>] {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @columns_at_a_time(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{makes what one layer leaves in one tile.row_terms, and goes through the columns of its group in one loop, 8 at a time}}
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
        }
      }
    }
    tile.for (%c) over [<columns, 16>] {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @terms_twice(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{makes what one layer leaves in one tile.row_terms, and goes through the columns of its group in one loop, 8 at a time}}
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
    tile.row_terms (%k) of (%r, %j) {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @two_layers(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    // expected-error @+1 {{makes the results of one layer}}
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      }
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_at_a_time(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      // expected-error @+1 {{goes through the columns of a group in one loop, 16 at a time}}
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 8>] {
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @hidden_groups(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      // expected-error @+1 {{goes through the columns of a group in one loop, 16 at a time}}
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<groups, 1>] {
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @no_products(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        // expected-error @+1 {{adds up the terms of its products, and stores what becomes of them once}}
        tile.for (%m) over [<columns, 16>] {
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @left_twice(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        // expected-error @+1 {{adds up the terms of its products, and stores what becomes of them once}}
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @no_product(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
    // expected-error @+1 {{adds up the terms of one product, and stores what becomes of it once}}
    tile.for (%c) over [<columns, 8>] {
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
tile.kernel @two_products(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
    // expected-error @+1 {{adds up the terms of one product, and stores what becomes of it once}}
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      %more = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

// Which layers have such kernels.
!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <explicit 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <explicit 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{has explicit row types, which do not follow from a position}}
tile.kernel @explicit(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <[6, 10]>, weights = <[6, 10]>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{has groups of unequal widths, which one map cannot address}}
tile.kernel @unequal(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{reads 8 elements at a time, of which groups of 4 and 16 are no multiples}}
tile.kernel @vector(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x8xbf16>, !tile.matrix<8x32xbf16>, !f
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
#hidden = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = slots, in = <3 x 8>, weights = <3 x 8>, out = <3 x 16>, row_types = <cyclic 1>>
#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = slots, in = <3 x 16>, weights = <3 x 16>, out = <3 x 8>, row_types = <cyclic 1>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{has two layers, which are products in the lift by rows}}
tile.kernel @slots(%x: !tile.matrix<?x24xbf16>, %w: !tile.matrix<24x16xbf16>, %w2: !tile.matrix<48x8xbf16>, %y: !tile.matrix<?x24xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x48xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x24xbf16>, !tile.matrix<24x16xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x48xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x48xbf16>, !tile.matrix<48x8xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x24xf32>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 16>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
// expected-error @+1 {{takes X, W, what its maps read, and Y, got 2 operands}}
tile.kernel @operands(%x: !tile.matrix<?x32xbf16>, %w: !tile.matrix<32x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x32xbf16>, !tile.matrix<32x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x32xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 16>] {
      %zero = tile.zero : !f
      %sum = tile.add_row_terms %left[%r], %w[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x32xbf16>, !f
      %rounded = tile.map (%v = %sum : !f) -> !h {
        %b = arith.truncf %v : f32 to bf16
        tile.yield %b : bf16
      }
      tile.store_rows %rounded to %x[%r, %j, %c] : !h to !tile.matrix<?x32xbf16>
    }
  }
}

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{has two layers, which have the same terms}}
tile.kernel @terms(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
tile.kernel @task(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{must own rows with all columns of a group: <batch, 2>, <groups, 1>, <columns, 8>}}
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 16>] {
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
// expected-error @+1 {{has two layers, of which the second writes one result}}
tile.kernel @results(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>, %z: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    %nothing = tile.zero : !g
    tile.store_rows %nothing to %z[%r, %j, %n] : !g to !tile.matrix<?x16xf32>
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
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

// What the ops of such a program are of.
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

// -----

!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @mask(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
      // expected-error @+1 {{is not something that a kernel of two layers does for few rows}}
      %mask = tile.mask rows(%j, %r) columns(%j, %c) : !tile.mask<2x8>
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
tile.kernel @hidden_mask(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          // expected-error @+1 {{is not something that a kernel of two layers does for few rows}}
          %mask = tile.mask rows(%k, %r) columns(%k, %m) : !tile.mask<2x16>
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

// Sums that are there in the end.
!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @left_zeros(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          // expected-error @+1 {{maps sums of which terms are still to come}}
          %rounded = tile.map (%v = %zero : !f) -> !h {
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
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @left_f32(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xf32>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          // expected-error @+1 {{stores sums of which terms are still to come}}
          tile.store_rows %zero to %left[%r, %k, %m] : !f to !tile.buffer<2x32xf32>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xf32>, !tile.matrix<32x16xbf16>, !g
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
tile.kernel @stored_zeros(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
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
      // expected-error @+1 {{stores sums of which terms are still to come}}
      tile.store_rows %zero to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}

// -----

// What maps read is of the group and the columns that the sums are of.
!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
tile.kernel @bias_group(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %bias: !tile.matrix<1x32xf32>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          // expected-error @+1 {{must read the columns that its tile owns}}
          %rounded = tile.map (%v = %sum : !f, %e = %bias[%j, %m] : !tile.matrix<1x32xf32>) -> !h {
            %biased = arith.addf %v, %e : f32
            %b = arith.truncf %biased : f32 to bf16
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
tile.kernel @bias_column(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %bias: !tile.matrix<1x32xf32>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          // expected-error @+1 {{must read the columns that its tile owns}}
          %rounded = tile.map (%v = %sum : !f, %e = %bias[%k, %n] : !tile.matrix<1x32xf32>) -> !h {
            %biased = arith.addf %v, %e : f32
            %b = arith.truncf %biased : f32 to bf16
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
tile.kernel @elements(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %z: !tile.matrix<?x16xf32>, %y: !tile.matrix<?x16xf32>)
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
      // expected-error @+1 {{must read the rows that its tile owns}}
      %more = tile.map (%v = %sum : !g, %e = %z[%r, %c, %c] : !tile.matrix<?x16xf32>) -> !g {
        %added = arith.addf %v, %e : f32
        tile.yield %added : f32
      }
      tile.store_rows %more to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}
