// What happens to sums in a program of two layers for few rows. All else is refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm -o /dev/null

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

// Zeros are no sums of terms.
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
          // expected-error @+1 {{must leave bf16 in a buffer of the kernel}}
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
