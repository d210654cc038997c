// Layers of which there is no kernel for few rows. All else is refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm -o /dev/null

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
#hidden = #tile.layout<algebra = #alg.algebra<"Q(1048576)">, lift = rows, in = <1048576 x 8>, weights = <1048576 x 8>, out = <1048576 x 16>, row_types = <cyclic 1048576>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(1048576)">, lift = rows, in = <1048576 x 16>, weights = <1048576 x 16>, out = <1048576 x 8>, row_types = <cyclic 1048576>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{has two layers, of which each has less than 1048576 groups}}
tile.kernel @many_groups(%x: !tile.matrix<?x8388608xbf16>, %w: !tile.matrix<8388608x16777216xbf16>, %w2: !tile.matrix<16777216x8388608xbf16>, %y: !tile.matrix<?x8388608xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x16777216xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x8388608xbf16>, !tile.matrix<8388608x16777216xbf16>, !f
          %rounded = tile.map (%v = %sum : !f) -> !h {
            %b = arith.truncf %v : f32 to bf16
            tile.yield %b : bf16
          }
          tile.store_rows %rounded to %left[%r, %k, %m] : !h to !tile.buffer<2x16777216xbf16>
        }
      }
    }
    tile.for (%c) over [<columns, 8>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x16777216xbf16>, !tile.matrix<16777216x8388608xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x8388608xf32>
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
// expected-error @+1 {{has two layers, which are products of one algebra}}
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
tile.kernel @results(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>, %z: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    // expected-error @+1 {{is not something that a kernel of two layers does for few rows}}
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
