// What the CPU target refuses in kernels of two layers.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-cpu

// Registers are those of one tile: what another layer finds is in memory.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @fragment(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    // expected-error @+1 {{yields '!tile.fragment<2x8xf32>'; only buffers leave a layer on a CPU}}
    %tile = tile.layer attributes {layout = #hidden, schedule = #schedule} -> !tile.fragment<2x8xf32> {
      %zero = tile.zero : !tile.fragment<2x8xf32>
      tile.yield %zero : !tile.fragment<2x8xf32>
    }
  }
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @number(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    // expected-error @+1 {{yields 'index'; only buffers leave a layer on a CPU}}
    %type = tile.layer attributes {layout = #hidden, schedule = #schedule} -> index {
      tile.yield %i : index
    }
  }
}

// -----

// The second layer reads pairs of depths, and a hidden group has five: the first layer stores no zero beside the last one.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 5>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 5>, weights = <2 x 5>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#of_hidden = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 16,
                            weights = packed>
#of_result = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 16, lanes = 16,
                            weights = packed>
tile.kernel @odd_groups(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x10xbf16, panels 16 x 2>,
                        %w2: !tile.matrix<10x32xbf16, panels 16 x 2>, %y: !tile.matrix<?x32xf32>)
    attributes {layout = #layout, schedule = #of_result} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<4x8xbf16> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xbf16> -> !tile.buffer<4x8xbf16>
      tile.yield %rows : !tile.buffer<4x8xbf16>
    }
    // expected-error @+1 {{has groups of an odd depth, whose rows are not filled up to pairs of bf16}}
    %hidden = tile.buffer : !tile.buffer<4x10xbf16>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
              tile.for (%n, %s) over [<columns, 16>, <rows, 2>] {
                %zero = tile.zero : !tile.fragment<2x16xf32>
                %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
                  %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                      : !tile.buffer<4x8xbf16>, !tile.matrix<8x10xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
                  tile.yield %next : !tile.fragment<2x16xf32>
                }
                %half = tile.map (%v = %sum : !tile.fragment<2x16xf32>) -> !tile.fragment<2x16xbf16> {
                  %rounded = arith.truncf %v : f32 to bf16
                  tile.yield %rounded : bf16
                }
                %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<2x16>
                tile.store_held %half to %hidden[%t, %s, %k, %n] mask %mask
                    : !tile.fragment<2x16xbf16>, !tile.buffer<4x10xbf16>, !tile.mask<2x16>
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 16>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 2>] {
          %zero = tile.zero : !tile.fragment<2x16xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<2x16xf32> {
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<4x10xbf16>, !tile.matrix<10x32xbf16, panels 16 x 2>, !tile.fragment<2x16xf32>
            tile.yield %next : !tile.fragment<2x16xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<2x16>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<2x16xf32>, !tile.matrix<?x32xf32>, !tile.mask<2x16>
        }
      }
    }
  }
}

// -----

// What lies between the layers has the columns that the kernel's own layer multiplies, whoever makes it.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 16>,
                       row_types = <cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 4, register_rows = 2, register_columns = 8, lanes = 8, weights = direct>
tile.kernel @columns(%x: !tile.matrix<?x8xf32>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 4>, <groups, 0>] {
    // expected-error @+1 {{has rows of 8 columns, but those that its layer multiplies have 16; rows of a matrix are held by tile.hold}}
    %hidden = tile.buffer : !tile.buffer<4x8xf32>
  }
}
