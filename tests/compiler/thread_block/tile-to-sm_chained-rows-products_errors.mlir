// Products and schedules of which there is no kernel of two layers for few rows, and clusters of a kernel of one.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm -o /dev/null
!f = !tile.fragment<2x16xf32>
!h = !tile.fragment<2x16xbf16>
!g = !tile.fragment<2x8xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 16, slices = 16, vector = 8>
#schedule = #tile.reduced<rows = 2, columns = 8, slices = 32, vector = 8>
// expected-error @+1 {{takes a weight matrix for each product of its first layer, in their order, and then that of the second}}
tile.kernel @same_weights(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %again = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f, %u = %again : !f) -> !h {
            %p = arith.mulf %v, %u : f32
            %b = arith.truncf %p : f32 to bf16
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
// expected-error @+1 {{takes a weight matrix for each product of its first layer, in their order, and then that of the second}}
tile.kernel @weights_order(%x: !tile.matrix<?x16xbf16>, %w2: !tile.matrix<32x16xbf16>, %w: !tile.matrix<16x32xbf16>, %y: !tile.matrix<?x16xf32>)
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

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 24>, row_types = <cyclic 2>>
// expected-error @+1 {{is of one layer, of which each block computes alone: its schedule has no cluster}}
tile.kernel @forward(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x48xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 4, columns = 16, slices = 16, vector = 8, cluster = 2>} {
  tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<4x16xf32>
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x48xbf16>, !tile.fragment<4x16xf32>
    tile.store_rows %sum to %y[%r, %j, %n] : !tile.fragment<4x16xf32> to !tile.matrix<?x48xf32>
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
// expected-error @+1 {{maps of the first one read elements of a matrix beside its sums: they read numbers of columns and rows}}
tile.kernel @hidden_elements(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %z: !tile.matrix<?x32xf32>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 16>] {
          %zero = tile.zero : !f
          %sum = tile.add_row_terms %x[%r], %w[%k, %m], %zero : !tile.matrix<?x16xbf16>, !tile.matrix<16x32xbf16>, !f
          %rounded = tile.map (%v = %sum : !f, %e = %z[%r, %k, %m] : !tile.matrix<?x32xf32>) -> !h {
            %added = arith.addf %v, %e : f32
            %b = arith.truncf %added : f32 to bf16
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

!f = !tile.fragment<2x4xf32>
!h = !tile.fragment<2x4xbf16>
!g = !tile.fragment<2x4xf32>
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>, row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 16>, weights = <2 x 16>, out = <2 x 8>, row_types = <cyclic 2>>
#of_hidden = #tile.reduced<rows = 2, columns = 4, slices = 32, vector = 4>
#schedule = #tile.reduced<rows = 2, columns = 4, slices = 32, vector = 4>
tile.kernel @four_columns(%x: !tile.matrix<?x16xbf16>, %w: !tile.matrix<16x32xbf16>, %w2: !tile.matrix<32x16xbf16>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%r, %j, %n) over [<batch, 2>, <groups, 1>, <columns, 8>] {
    %left = tile.buffer : !tile.buffer<2x32xbf16>
    tile.row_terms (%k) of (%r, %j) {
      // expected-error @+1 {{makes 4 hidden columns at a time: 8 or several times as many}}
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%m) over [<columns, 4>] {
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
    tile.for (%c) over [<columns, 4>] {
      %zero = tile.zero : !g
      %sum = tile.add_row_terms %left[%r], %w2[%j, %c], %zero : !tile.buffer<2x32xbf16>, !tile.matrix<32x16xbf16>, !g
      tile.store_rows %sum to %y[%r, %j, %c] : !g to !tile.matrix<?x16xf32>
    }
  }
}
