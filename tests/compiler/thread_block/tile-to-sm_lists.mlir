// Rows that a list groups by type, and groups of unequal widths, whose terms come in pieces.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<explicit 2>>

// A segment is a type. The list begins with the longest one, behind it are the starts: type t has words t + 1 to t + 2.
// CHECK-LABEL: sm.kernel @rows(
// CHECK-SAME:  %x: !sm.maps<1 x 64 x 32 x bf16, row_dimension 3, vector 8, listed>, %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, vector 8>, %y: !sm.maps<1 x 64 x 64 x f32, row_dimension 3, vector 4, listed>
// CHECK:         %[[LONGEST:.*]] = sm.read_row_list %x[%c0]
// CHECK:         arith.index_cast %[[LONGEST]] : i32 to index
// CHECK:         scf.for
// CHECK:           %[[REST:.*]] = arith.divui
// CHECK:           %[[OTHERS:.*]] = arith.divui %[[REST]], %c2
// CHECK:           arith.remui %[[OTHERS]], %[[BLOCKS:.*]] : index
// CHECK:           %[[TYPE:.*]] = arith.divui %[[OTHERS]], %[[BLOCKS]] : index
// CHECK:           %[[FIRST:.*]] = arith.addi %[[TYPE]], %c1
// CHECK:           sm.read_row_list %x[%[[FIRST]]]
// CHECK:           %[[END:.*]] = arith.addi %[[TYPE]], %c2
// CHECK:           sm.read_row_list %x[%[[END]]]
// CHECK:           sm.fetch %x[%c0] [%{{.*}}, %{{.*}}, %[[TYPE]], %[[ROW:.*]]] :
// CHECK:           sm.store_sums %{{.*}} to %y[%c0] [%{{.*}}, %{{.*}}, %[[TYPE]], %[[ROW]]] :
tile.kernel @rows(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x192xbf16>, %y: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x128xbf16>, !tile.matrix<128x192xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x192xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<[24, 72]>, weights = #alg.groups<[24, 72]>,
                       out = #alg.groups<[16, 96]>, row_types = #alg.row_types<cyclic 2>>

// The table begins with the starts of 2 input groups, 2 output groups and 2 row groups, each with an end: 9 words. The
// output groups' are from word 3 on. Terms are listed also of a complete graph, a piece of three words for each step.
// CHECK-LABEL: sm.kernel @groups(
// CHECK-SAME:  row_dimension 3, vector 8, unequal>, %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, vector 8, unequal>
// CHECK:         %[[COLUMN:.*]] = arith.muli %{{.*}}, %c64
// CHECK:         %[[GROUP:.*]] = arith.remui %{{.*}}, %c2
// CHECK:         %[[WIDTH_AT:.*]] = arith.addi %[[GROUP]], %c3
// CHECK:         %[[END_AT:.*]] = arith.addi %[[GROUP]], %c4
// CHECK:         sm.read_terms %terms[%[[END_AT]]]
// CHECK:         sm.read_terms %terms[%[[WIDTH_AT]]]
// CHECK:         %[[WITHIN:.*]] = arith.cmpi slt, %[[COLUMN]],
// CHECK:         %[[IS_THERE:.*]] = arith.andi %{{.*}}, %[[WITHIN]]
// CHECK:         scf.if %[[IS_THERE]]
// CHECK:           scf.for %[[STEP:arg[0-9]+]] =
// CHECK:             %[[WORDS:.*]] = arith.muli %[[STEP]], %c3
// CHECK:             %[[PIECE:.*]] = arith.addi %{{.*}}, %[[WORDS]]
// CHECK:             %[[INPUT:.*]] = sm.read_terms %terms[%[[PIECE]]]
// CHECK:             %[[INPUT_GROUP:.*]] = arith.index_cast %[[INPUT]]
// CHECK:             sm.read_terms %terms
// CHECK:             %[[K:.*]] = sm.read_terms %terms
// CHECK:             %[[DEPTH:.*]] = arith.index_cast %[[K]]
// CHECK:             sm.fetch %x[%{{.*}}] [%[[DEPTH]], %[[INPUT_GROUP]],
// CHECK:             sm.multiply
// CHECK-NOT:         shallow
tile.kernel @groups(%x: !tile.matrix<?x96xbf16>, %w: !tile.matrix<96x112xbf16>, %y: !tile.matrix<?x112xf32>)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc : !tile.matrix<?x96xbf16>, !tile.matrix<96x112xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %sum to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x112xf32>, !tile.mask<64x64>
  }
}
