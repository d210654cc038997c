// A map may stand in the loop over terms, where no store follows it: here each term's sum is negated.
// RUN: alg-opt %s -convert-tile-to-cpu | FileCheck %s

// CHECK-LABEL: func.func @negated(
// CHECK:         scf.for
// CHECK:         vector.fma
// CHECK:         arith.negf %{{.*}} : vector<8xf32>
// CHECK:         vector.store
tile.kernel @negated(%x: !tile.matrix<?x8xf32>, %w: !tile.matrix<8x16xf32>, %y: !tile.matrix<?x16xf32>)
    attributes {layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 4>, weights = <2 x 4>, out = <2 x 8>, row_types = <cyclic 2>>,
                schedule = #tile.schedule<types = 1, rows = 2, register_rows = 1, register_columns = 8, lanes = 8, weights = direct>} {
  tile.forall (%i, %r, %g) over [<types, 1>, <rows, 2>, <groups, 0>] {
    %held = tile.hold %x[%i, %r] : <?x8xf32> -> <2x8xf32>
    tile.for (%j, %n) over [<groups, 1>, <columns, 8>] {
      tile.for (%t) over [<types, 1>] {
        tile.for (%s) over [<rows, 1>] {
          %zero = tile.zero : <1x8xf32>
          %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<1x8xf32> {
            %next = tile.mma %held[%t, %k, %s], %w[%b, %j, %n], %sum : !tile.buffer<2x8xf32>, !tile.matrix<8x16xf32>, <1x8xf32>
            %mapped = tile.map (%q = %next : !tile.fragment<1x8xf32>) -> !tile.fragment<1x8xf32> {
              %negated = arith.negf %q : f32
              tile.yield %negated : f32
            }
            tile.yield %mapped : !tile.fragment<1x8xf32>
          }
          %mask = tile.mask rows(%t, %s) columns(%j, %n) : <1x8>
          tile.store %total to %y[%t, %s, %j, %n] mask %mask : <1x8xf32>, <?x16xf32>, <1x8>
        }
      }
    }
  }
}
