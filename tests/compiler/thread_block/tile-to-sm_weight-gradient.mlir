// The gradient of the weight matrix: one loop over rows of X and dY, both across the contraction, and a store that may add.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 40>, weights = <4 x 40>, out = <4 x 80>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 32, columns = 48, depth = 16, stages = 3, warps = 2 x 1, vector = 8>

// X and dY have a map more than their segments need: of all rows.
// CHECK-LABEL: sm.kernel @complete(
// CHECK-SAME: !sm.maps<3 x 16 x 32 x bf16, row_dimension 3, vector 8>, %[[DY:.*]]: !sm.maps<3 x 16 x 48 x bf16, row_dimension 3, vector 8>,
// CHECK-SAME: %[[DW:.*]]: !sm.maps<1 x 32 x 48 x f32, row_dimension 2, vector 4>, %[[ROWS:.*]]: index, %{{.*}}: index, %{{.*}}: !sm.terms_table, %[[BETA:.*]]: f32)
tile.kernel @complete(%x: !tile.matrix<?x160xbf16>, %dy: !tile.matrix<?x320xbf16>, %dw: !tile.matrix<160x320xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // Two blocks of columns, four groups, two blocks of features, four row groups.
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c64 step
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c48
  // CHECK: %[[GROUP:.*]] = arith.remui %{{.*}}, %c4
  // CHECK: %[[BANK_ROW:.*]] = arith.divui %{{.*}}, %c2
  // CHECK: %[[FEATURE:.*]] = arith.muli %{{.*}}, %c32
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 32>, <groups, 1>, <columns, 48>] {
    %zero = tile.zero : <32x48xf32>
    // The diagonal goes through all rows, another block through those of its type; no test for rows is around it.
    // CHECK-NOT: scf.if
    // CHECK: %[[ALL:.*]] = arith.cmpi eq, %[[BANK_ROW]], %[[GROUP]] : index
    // CHECK: %[[STEPS:.*]] = arith.select %[[ALL]], %{{.*}}, %{{.*}} : index
    // CHECK: scf.for %[[STEP:.*]] = %c0 to %[[STEPS]] step %c1
    // CHECK-DAG: %[[ROW:.*]] = arith.muli %[[STEP]], %c16
    // CHECK-DAG: %[[MAP:.*]] = arith.select %[[ALL]], %c2, %{{.*}} : index
    // CHECK-DAG: %[[LINE:.*]] = arith.select %[[ALL]], %c0, %{{.*}} : index
    // CHECK-DAG: %[[FROM:.*]] = arith.select %[[ALL]], %[[ROW]], %{{.*}} : index
    // CHECK: %[[A:.*]] = sm.fetch %{{.*}}[%[[MAP]]] [%[[FEATURE]], %[[BANK_ROW]], %[[LINE]], %[[FROM]]] : {{.*}} -> <16 x 32 x bf16>
    // CHECK: %[[B:.*]] = sm.fetch %[[DY]][%[[MAP]]] [%[[COLUMN]], %[[GROUP]], %[[LINE]], %[[FROM]]] : {{.*}} -> <16 x 48 x bf16>
    // CHECK: sm.multiply %[[A]] transposed, %[[B]], %{{.*}} : <16 x 32 x bf16>, <16 x 48 x bf16>, <32 x 48, warps 2 x 1>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<32x48xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum : !tile.matrix<?x160xbf16>, !tile.matrix<?x320xbf16>, <32x48xf32>
      tile.yield %next : !tile.fragment<32x48xf32>
    }
    // What dW holds is read only where beta is not 0.
    // CHECK: %[[ADDS:.*]] = arith.cmpf une, %[[BETA]]
    // CHECK: scf.if %[[ADDS]] {
    // CHECK-NEXT: sm.store_sums %[[TOTAL:.*]] to %[[DW]][%c0] [%[[COLUMN]], %[[GROUP]], %[[FEATURE]], %[[BANK_ROW]]] plus %[[BETA]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: sm.store_sums %[[TOTAL]] to %[[DW]][%c0] [%[[COLUMN]], %[[GROUP]], %[[FEATURE]], %[[BANK_ROW]]] : <
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <32x48xf32> to <160x320xf32>
  }
}

// -----

// Terms with signs from the table, three words each: type, input group, output group; runs of rows. Of a block of the
// slot lift, which has one column of blocks, all terms are of all rows.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)^2">, lift = rows, in = <4 x 32>, weights = <4 x 32>, out = <4 x 32>,
                       row_types = <interval 4 x 20>, mode = j>
#schedule = #tile.staged<types = 1, rows = 32, columns = 32, depth = 16, stages = 3, warps = 2 x 1, vector = 8, longest_first = 1>

// CHECK-LABEL: sm.kernel @table(
// CHECK-SAME: !sm.maps<4 x 16 x 32 x bf16, row_dimension 3, vector 8>
// CHECK-SAME: %[[TERMS:[^:]*]]: !sm.terms_table
tile.kernel @table(%x: !tile.matrix<?x128xbf16>, %dy: !tile.matrix<?x128xbf16>, %dw: !tile.matrix<128x128xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // Behind the 17 starts and the terms of three words, the order of each row of blocks.
  // CHECK: sm.read_terms %[[TERMS]][%c16]
  // CHECK: arith.muli %{{.*}}, %c3
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 32>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : <32x32xf32>
    // CHECK: sm.read_terms %[[TERMS]][%{{.*}}]
    // CHECK: scf.for
    // CHECK: sm.read_terms
    // CHECK: sm.fetch
    // CHECK: sm.multiply %{{.*}} transposed
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<32x32xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum : !tile.matrix<?x128xbf16>, !tile.matrix<?x128xbf16>, <32x32xf32>
      tile.yield %next : !tile.fragment<32x32xf32>
    }
    // CHECK: sm.store_sums {{.*}} plus
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <32x32xf32> to <128x128xbf16>
  }
}

// -----

// Other coefficients scale a sum of their own.
#layout = #tile.layout<algebra = #alg.algebra<"M(2)">, lift = slots, in = <4 x 32>, weights = <4 x 32>, out = <4 x 32>,
                       row_types = <cyclic 1>, mode = j>
#schedule = #tile.staged<types = 1, rows = 32, columns = 32, depth = 16, stages = 3, warps = 2 x 1, vector = 8>

// CHECK-LABEL: sm.kernel @scaled(
tile.kernel @scaled(%x: !tile.matrix<?x128xbf16>, %dy: !tile.matrix<?x128xbf16>, %dw: !tile.matrix<128x32xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 32>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : <32x32xf32>
    // CHECK: scf.for {{.*}} iter_args(%[[PARTIAL:.*]] = %{{.*}}, %[[TOTAL:.*]] = %{{.*}})
    // CHECK: sm.multiply %{{.*}} transposed, %{{.*}}, %[[PARTIAL]]
    // CHECK: sm.add_scaled
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<32x32xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum scale %c : !tile.matrix<?x128xbf16>, !tile.matrix<?x128xbf16>, <32x32xf32>
      tile.yield %next : !tile.fragment<32x32xf32>
    }
    // CHECK: sm.store_sums
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <32x32xf32> to <128x32xbf16>
  }
}
