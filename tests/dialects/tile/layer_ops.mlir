// Kernels of two layers, printed and read again, in the pretty and in the generic form.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>,
                       row_types = <cyclic 2>>

// Two products and their map leave what a third one multiplies. The layer that holds rows has a result, the one that makes
// hidden rows has none. Register tiles of the layers differ, what a task owns does not.
// CHECK-LABEL: tile.kernel @gated(
// CHECK-SAME:  %[[X:.*]]: !tile.matrix<?x8xf32>, %[[W:.*]]: !tile.matrix<8x16xf32>, %[[W2:.*]]: !tile.matrix<8x16xf32>, %[[W3:.*]]: !tile.matrix<16x8xf32>, %[[Y:.*]]: !tile.matrix<?x8xf32>)
// CHECK-SAME:  in = <2 x 8>, weights = <2 x 8>, out = <2 x 4>
tile.kernel @gated(%x: !tile.matrix<?x8xf32>, %w: !tile.matrix<8x16xf32>, %w2: !tile.matrix<8x16xf32>,
                   %w3: !tile.matrix<16x8xf32>, %y: !tile.matrix<?x8xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8,
                register_columns = 8, lanes = 8, weights = direct>} {
  // CHECK: tile.forall (%[[I:.*]], %[[R:.*]], %{{.*}}) over
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // CHECK: %[[HELD:.*]] = tile.layer attributes {layout = #tile.layout<{{.*}}, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>, row_types = <cyclic 2>>, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 4, register_columns = 8, lanes = 8, weights = direct>} -> !tile.buffer<8x8xf32> {
    // CHECK-NEXT: %[[ROWS:.*]] = tile.hold %[[X]][%[[I]], %[[R]]] : <?x8xf32> -> <8x8xf32>
    // CHECK-NEXT: tile.yield %[[ROWS]] : !tile.buffer<8x8xf32>
    // CHECK-NEXT: }
    %held = tile.layer attributes {layout = #hidden, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 4,
                                   register_columns = 8, lanes = 8, weights = direct>} -> !tile.buffer<8x8xf32> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xf32> -> !tile.buffer<8x8xf32>
      tile.yield %rows : !tile.buffer<8x8xf32>
    }
    // CHECK-NEXT: %[[HIDDEN:.*]] = tile.buffer : <8x16xf32>
    %hidden = tile.buffer : !tile.buffer<8x16xf32>
    // CHECK: tile.for (%[[J:.*]]) over [<groups, 1>] {
    tile.for (%j) over [<groups, 1>] {
      // CHECK: tile.for (%[[T:.*]]) over [<types, 1>] {
      tile.for (%t) over [<types, 1>] {
        // CHECK: tile.terms (%[[K:.*]], %{{.*}}, %{{.*}}) of (%[[T]], %[[J]]) {
        tile.terms (%k, %b, %c) of (%t, %j) {
          // CHECK-NEXT: tile.once (%[[T]], %[[K]]) {
          tile.once (%t, %k) {
            // CHECK-NEXT: tile.layer attributes {layout = #tile.layout<{{.*}}out = <2 x 8>{{.*}}register_rows = 4, {{.*}}>} {
            tile.layer attributes {layout = #hidden, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 4,
                                   register_columns = 8, lanes = 8, weights = direct>} {
              // CHECK-NEXT: tile.for (%[[N:.*]]) over [<columns, 8>] {
              tile.for (%n) over [<columns, 8>] {
                // CHECK-NEXT: tile.for (%[[S:.*]]) over [<rows, 4>] {
                tile.for (%s) over [<rows, 4>] {
                  %zero = tile.zero : !tile.fragment<4x8xf32>
                  // CHECK: tile.terms (%[[K1:.*]], %[[B1:.*]], %{{.*}}) of (%[[T]], %[[K]]) carry(%[[GATE:.*]] = %{{.*}}, %[[UP:.*]] = %{{.*}}) : !tile.fragment<4x8xf32>, !tile.fragment<4x8xf32> {
                  %gate, %up = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero, %acc2 = %zero)
                      : !tile.fragment<4x8xf32>, !tile.fragment<4x8xf32> {
                    // CHECK-NEXT: tile.mma %[[HELD]][%[[T]], %[[K1]], %[[S]]], %[[W]][%[[B1]], %[[K]], %[[N]]], %[[GATE]]
                    %next = tile.mma %held[%t, %k1, %s], %w[%b1, %k, %n], %acc
                        : !tile.buffer<8x8xf32>, !tile.matrix<8x16xf32>, !tile.fragment<4x8xf32>
                    // CHECK-NEXT: tile.mma %[[HELD]][%[[T]], %[[K1]], %[[S]]], %[[W2]][%[[B1]], %[[K]], %[[N]]], %[[UP]]
                    %next2 = tile.mma %held[%t, %k1, %s], %w2[%b1, %k, %n], %acc2
                        : !tile.buffer<8x8xf32>, !tile.matrix<8x16xf32>, !tile.fragment<4x8xf32>
                    tile.yield %next, %next2 : !tile.fragment<4x8xf32>, !tile.fragment<4x8xf32>
                  }
                  // CHECK: %[[MAPPED:.*]] = tile.map
                  %mapped = tile.map (%a = %gate : !tile.fragment<4x8xf32>, %d = %up : !tile.fragment<4x8xf32>)
                      -> !tile.fragment<4x8xf32> {
                    %product = arith.mulf %a, %d : f32
                    tile.yield %product : f32
                  }
                  // CHECK: %[[MASK:.*]] = tile.mask rows(%[[T]], %[[S]]) columns(%[[K]], %[[N]]) : <4x8>
                  %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
                  // CHECK-NEXT: tile.store_held %[[MAPPED]] to %[[HIDDEN]][%[[T]], %[[S]], %[[K]], %[[N]]] mask %[[MASK]] : <4x8xf32>, <8x16xf32>, <4x8>
                  tile.store_held %mapped to %hidden[%t, %s, %k, %n] mask %mask
                      : !tile.fragment<4x8xf32>, !tile.buffer<8x16xf32>, !tile.mask<4x8>
                }
              }
            }
          }
        }
      }
      // CHECK: tile.for (%[[M:.*]]) over [<columns, 8>] {
      tile.for (%n) over [<columns, 8>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 8>] {
          %zero = tile.zero : !tile.fragment<8x8xf32>
          // CHECK: tile.terms (%[[K2:.*]], %[[B2:.*]], %{{.*}}) of (%[[T2:.*]], %[[J]]) carry
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x8xf32> {
            // CHECK-NEXT: tile.mma %[[HIDDEN]][%[[T2]], %[[K2]], %{{.*}}], %[[W3]][%[[B2]], %[[J]], %[[M]]]
            %next = tile.mma %hidden[%t, %k, %s], %w3[%b, %j, %n], %acc
                : !tile.buffer<8x16xf32>, !tile.matrix<16x8xf32>, !tile.fragment<8x8xf32>
            tile.yield %next : !tile.fragment<8x8xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<8x8>
          // CHECK: tile.store %{{.*}} to %[[Y]][%[[T2]], %{{.*}}, %[[J]], %[[M]]]
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask
              : !tile.fragment<8x8xf32>, !tile.matrix<?x8xf32>, !tile.mask<8x8>
        }
      }
    }
  }
}

// Several results of a layer: rows of bf16, held as f32, and a buffer for panels. What the first layer leaves is bf16, and a buffer
// of f32 takes it as it is.
// CHECK-LABEL: tile.kernel @halves(
// CHECK-SAME:  %{{.*}}: !tile.matrix<?x8xbf16>, %{{.*}}: !tile.matrix<8x16xbf16>, %[[SECOND:.*]]: !tile.matrix<16x8xbf16>,
tile.kernel @halves(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x16xbf16>, %w2: !tile.matrix<16x8xbf16>,
                    %y: !tile.matrix<?x8xf32>)
    attributes {layout = #layout, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8,
                register_columns = 8, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 8>, <groups, 0>] {
    // CHECK: %[[MADE:.*]]:2 = tile.layer attributes {{.*}} -> !tile.buffer<8x8xf32>, !tile.buffer<8x8xbf16, panels 8 x 1> {
    // CHECK-NEXT: %[[ROWS:.*]] = tile.hold
    // CHECK-NEXT: %[[STAGE:.*]] = tile.buffer
    // CHECK-NEXT: tile.yield %[[ROWS]], %[[STAGE]] : !tile.buffer<8x8xf32>, !tile.buffer<8x8xbf16, panels 8 x 1>
    %held, %stage = tile.layer attributes {layout = #hidden, schedule = #tile.schedule<types = 1, rows = 8,
        register_rows = 4, register_columns = 8, lanes = 8, weights = copied>}
        -> !tile.buffer<8x8xf32>, !tile.buffer<8x8xbf16, panels 8 x 1> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x8xbf16> -> !tile.buffer<8x8xf32>
      %panels = tile.buffer : !tile.buffer<8x8xbf16, panels 8 x 1>
      tile.yield %rows, %panels : !tile.buffer<8x8xf32>, !tile.buffer<8x8xbf16, panels 8 x 1>
    }
    // CHECK: %[[HIDDEN:.*]] = tile.buffer : <8x16xf32>
    %hidden = tile.buffer : !tile.buffer<8x16xf32>
    tile.for (%j) over [<groups, 1>] {
      tile.for (%t) over [<types, 1>] {
        tile.terms (%k, %b, %c) of (%t, %j) {
          tile.once (%t, %k) {
            tile.layer attributes {layout = #hidden, schedule = #tile.schedule<types = 1, rows = 8, register_rows = 4,
                                   register_columns = 8, lanes = 8, weights = copied>} {
              tile.for (%n) over [<columns, 8>] {
                tile.terms (%k1, %b1, %c1) of (%t, %k) {
                  // CHECK: tile.copy %{{.*}} to %[[MADE]]#1
                  tile.copy %w[%b1, %k, %n] to %stage : !tile.matrix<8x16xbf16> to !tile.buffer<8x8xbf16, panels 8 x 1>
                }
                tile.for (%s) over [<rows, 4>] {
                  %zero = tile.zero : !tile.fragment<4x8xf32>
                  %sum = tile.terms (%k1, %b1, %c1) of (%t, %k) carry(%acc = %zero) : !tile.fragment<4x8xf32> {
                    // CHECK: tile.mma %[[MADE]]#0[{{.*}}], %[[MADE]]#1[
                    %next = tile.mma %held[%t, %k1, %s], %stage[%b1, %k, %n], %acc
                        : !tile.buffer<8x8xf32>, !tile.buffer<8x8xbf16, panels 8 x 1>, !tile.fragment<4x8xf32>
                    tile.yield %next : !tile.fragment<4x8xf32>
                  }
                  %half = tile.map (%v = %sum : !tile.fragment<4x8xf32>) -> !tile.fragment<4x8xbf16> {
                    %h = arith.truncf %v : f32 to bf16
                    tile.yield %h : bf16
                  }
                  %mask = tile.mask rows(%t, %s) columns(%k, %n) : !tile.mask<4x8>
                  // CHECK: tile.store_held %{{.*}} to %[[HIDDEN]][{{.*}}] mask %{{.*}} : <4x8xbf16>, <8x16xf32>, <4x8>
                  tile.store_held %half to %hidden[%t, %s, %k, %n] mask %mask
                      : !tile.fragment<4x8xbf16>, !tile.buffer<8x16xf32>, !tile.mask<4x8>
                }
              }
            }
          }
        }
      }
      tile.for (%n) over [<columns, 8>] {
        tile.for (%t, %s) over [<types, 1>, <rows, 8>] {
          %zero = tile.zero : !tile.fragment<8x8xf32>
          %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x8xf32> {
            // CHECK: tile.mma %[[HIDDEN]][{{.*}}], %[[SECOND]][
            %next = tile.mma %hidden[%t, %k, %s], %w2[%b, %j, %n], %acc
                : !tile.buffer<8x16xf32>, !tile.matrix<16x8xbf16>, !tile.fragment<8x8xf32>
            tile.yield %next : !tile.fragment<8x8xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<8x8>
          tile.store %sum to %y[%t, %s, %j, %n] mask %mask
              : !tile.fragment<8x8xf32>, !tile.matrix<?x8xf32>, !tile.mask<8x8>
        }
      }
    }
  }
}

#of_hidden = #tile.staged<types = 1, rows = 64, columns = 16, depth = 32, stages = 4>

// Operands of both layers come in stages. A task is a tile: the hidden rows are those of one type, made 16 columns at a time, as
// deep as the kernel's own layer multiplies them. A type's own hidden group stays for two tiles.
// CHECK-LABEL: tile.kernel @staged(
// CHECK-SAME:  %[[X:.*]]: !tile.matrix<?x8xbf16>, %[[W:.*]]: !tile.matrix<8x16xbf16>, %[[W2:.*]]: !tile.matrix<16x8xbf16>, %{{.*}}: !tile.matrix<?x8xf32>)
// CHECK-SAME:  schedule = #tile.staged<types = 1, rows = 64, columns = 8, depth = 16, stages = 2, stationary = 2>
tile.kernel @staged(%x: !tile.matrix<?x8xbf16>, %w: !tile.matrix<8x16xbf16>, %w2: !tile.matrix<16x8xbf16>,
                    %y: !tile.matrix<?x8xf32>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 8, depth = 16, stages = 2,
                stationary = 2>} {
  // CHECK: tile.forall (%[[I:.*]], %[[R:.*]], %[[G:.*]], %[[N:.*]]) over
  tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 8>] {
    // CHECK-NEXT: %[[HIDDEN:.*]] = tile.buffer : <64x16xbf16>
    %hidden = tile.buffer : !tile.buffer<64x16xbf16>
    %zero = tile.zero : !tile.fragment<64x8xf32>
    // CHECK: tile.terms (%[[K:.*]], %[[B:.*]], %{{.*}}) of (%[[I]], %[[G]]) carry(%[[SUM:.*]] = %{{.*}})
    %total = tile.terms (%k, %b, %c) of (%i, %g) carry(%sum = %zero) : !tile.fragment<64x8xf32> {
      // CHECK-NEXT: tile.once (%[[I]], %[[K]]) {
      tile.once (%i, %k) {
        // CHECK-NEXT: tile.layer attributes {layout = #tile.layout<{{.*}}out = <2 x 8>{{.*}}>, schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 32, stages = 4>} {
        tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
          // CHECK-NEXT: tile.for (%[[M:.*]]) over [<columns, 16>] {
          tile.for (%m) over [<columns, 16>] {
            %none = tile.zero : !tile.fragment<64x16xf32>
            // CHECK: tile.terms (%[[K1:.*]], %[[B1:.*]], %{{.*}}) of (%[[I]], %[[K]]) carry(%[[SUM1:.*]] = %{{.*}})
            %made = tile.terms (%k1, %b1, %c1) of (%i, %k) carry(%acc = %none) : !tile.fragment<64x16xf32> {
              // CHECK-NEXT: tile.mma %[[X]][%[[I]], %[[K1]], %[[R]]], %[[W]][%[[B1]], %[[K]], %[[M]]], %[[SUM1]]
              %next = tile.mma %x[%i, %k1, %r], %w[%b1, %k, %m], %acc
                  : !tile.matrix<?x8xbf16>, !tile.matrix<8x16xbf16>, !tile.fragment<64x16xf32>
              tile.yield %next : !tile.fragment<64x16xf32>
            }
            %half = tile.map (%v = %made : !tile.fragment<64x16xf32>) -> !tile.fragment<64x16xbf16> {
              %rounded = arith.truncf %v : f32 to bf16
              tile.yield %rounded : bf16
            }
            %mask = tile.mask rows(%i, %r) columns(%k, %m) : !tile.mask<64x16>
            // CHECK: tile.store_held %{{.*}} to %[[HIDDEN]][%[[I]], %[[R]], %[[K]], %[[M]]] mask %{{.*}} : <64x16xbf16>, <64x16xbf16>, <64x16>
            tile.store_held %half to %hidden[%i, %r, %k, %m] mask %mask
                : !tile.fragment<64x16xbf16>, !tile.buffer<64x16xbf16>, !tile.mask<64x16>
          }
        }
      }
      // CHECK: tile.mma %[[HIDDEN]][%[[I]], %[[K]], %[[R]]], %[[W2]][%[[B]], %[[G]], %[[N]]], %[[SUM]]
      %next = tile.mma %hidden[%i, %k, %r], %w2[%b, %g, %n], %sum
          : !tile.buffer<64x16xbf16>, !tile.matrix<16x8xbf16>, !tile.fragment<64x8xf32>
      tile.yield %next : !tile.fragment<64x8xf32>
    }
    %mask = tile.mask rows(%i, %r) columns(%g, %n) : !tile.mask<64x8>
    tile.store %total to %y[%i, %r, %g, %n] mask %mask
        : !tile.fragment<64x8xf32>, !tile.matrix<?x8xf32>, !tile.mask<64x8>
  }
}
