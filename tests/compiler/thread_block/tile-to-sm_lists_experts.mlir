// Rows of experts that a list groups: of each expert, one after another, those of each type. Weight matrices lie one below the other, and
// numbers of columns one behind the other.
// RUN: alg-opt %s -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <explicit 3>>

// CHECK-LABEL: sm.kernel @experts(
// CHECK-SAME:    %terms: !sm.terms_table, %experts: index, %[[BIAS:[a-z0-9_]+]]: !sm.columns<3 x 64 x bf16>)
// CHECK:         %[[SEGMENTS:.*]] = arith.muli %experts, %c3
// CHECK:         %[[LONGEST:.*]] = sm.read_row_list %x[%c0]
// CHECK:         scf.for
// CHECK:           %[[GROUP:.*]] = arith.remui %{{.*}}, %c3
// CHECK:           sm.read_row_list %x[
// CHECK:           sm.read_row_list %x[
// CHECK:           %[[TYPE:.*]] = arith.remui %[[SEGMENT:.*]], %c3
// CHECK:           %[[EXPERT:.*]] = arith.divui %[[SEGMENT]], %c3

// Terms are those of the type, blocks of the weight matrix those of the expert: it has three row groups.
// CHECK:           arith.minsi %[[TYPE]], %[[GROUP]]
// CHECK:           sm.fetch %x[%c0] [%{{.*}}, %[[TERM:.*]], %[[SEGMENT]], %[[ROW:.*]]] :
// CHECK:           %[[BEFORE:.*]] = arith.muli %[[EXPERT]], %c3
// CHECK:           %[[BLOCK:.*]] = arith.addi %[[TERM]], %[[BEFORE]]
// CHECK:           sm.fetch %w[%c0] [%{{.*}}, %[[GROUP]], %{{.*}}, %[[BLOCK]]] :
// CHECK:           %[[ALL:.*]] = arith.muli %[[EXPERT]], %c3
// CHECK:           %[[COLUMNS:.*]] = arith.addi %[[GROUP]], %[[ALL]]
// CHECK:           sm.map (%{{.*}} = %{{.*}}, %{{.*}} = %[[BIAS]]{{.*}}) at [%{{.*}}, %[[COLUMNS]]]
// CHECK:           sm.store_sums %{{.*}} to %y[%c0] [%{{.*}}, %[[GROUP]], %[[SEGMENT]], %[[ROW]]] :
tile.kernel @experts(%x: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %bias: !tile.matrix<1x192xbf16>, %y: !tile.matrix<?x192xf32>)
    attributes {experts, layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x192xbf16>, !tile.matrix<192x192xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %biased = tile.map (%v = %sum : !tile.fragment<64x64xf32>, %b = %bias[%j, %n] : !tile.matrix<1x192xbf16>) -> !tile.fragment<64x64xf32> {
      %wide = arith.extf %b : bf16 to f32
      %more = arith.addf %v, %wide : f32
      tile.yield %more : f32
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %biased to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x192xf32>, !tile.mask<64x64>
  }
}
