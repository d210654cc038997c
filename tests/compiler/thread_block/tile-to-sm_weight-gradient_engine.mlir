// The gradient of the weight matrix whose blocks the copy engine moves: tensor maps of X, dY and dW, a plain one of dW for
// threads that add to it, blocks of a cluster that share rows or divide a tile.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 128>, weights = <4 x 128>, out = <4 x 96>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, split_k = 2, longest_first = 1>

// The map of dW is for the part that a block stores of a tile that two divide.
// CHECK-LABEL: sm.kernel @divided(
// CHECK-SAME: %[[X:.*]]: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3>, %[[DY:.*]]: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3>,
// CHECK-SAME: %[[DW:.*]]: !sm.maps<1 x 64 x 32 x f32, row_dimension 2>, %[[ROWS:.*]]: index
// CHECK-SAME: %[[BETA:beta]]: f32, %[[PLAIN:.*]]: !sm.maps<1 x 64 x 32 x f32, row_dimension 2, vector 4>)
tile.kernel @divided(%x: !tile.matrix<?x512xbf16>, %dy: !tile.matrix<?x384xbf16>, %dw: !tile.matrix<512x384xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: sm.wait_for_predecessor
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  // CHECK: %[[LONG:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    // The diagonal goes type after type where that takes no more than an eighth more steps.
    // CHECK: sm.zero
    // CHECK: %[[ALL:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
    // CHECK: %[[EIGHTH:.*]] = arith.divui %[[LYING:.*]], %c8
    // CHECK: %[[MOST:.*]] = arith.addi %[[LYING]], %[[EIGHTH]]
    // CHECK: %[[FITS:.*]] = arith.cmpi sge, %[[MOST]], %[[ONE_BY_ONE:.*]] : index
    // CHECK: %[[BY_TYPE:.*]] = arith.andi %[[ALL]], %[[FITS]] : i1
    // CHECK: %[[OF_ALL:.*]] = arith.select %[[BY_TYPE]], %[[ONE_BY_ONE]], %[[LYING]] : index
    // CHECK: %[[STEPS:.*]] = arith.select %[[ALL]], %[[OF_ALL]], %[[OF_TYPE:.*]] : index
    // Both blocks take steps in turn of a long tile, of others each has all.
    // CHECK: %[[FIRST:.*]] = arith.select %[[LONG]], %[[RANK]], %c0 : index
    // CHECK: %[[STRIDE:.*]] = arith.select %[[LONG]], %c2, %c1 : index
    // CHECK: scf.for %[[STEP:.*]] = %[[FIRST]] to %[[STEPS]] step %[[STRIDE]]
    // CHECK-DAG: arith.divui %[[STEP]], %[[OF_TYPE]]
    // CHECK-DAG: arith.remui %[[STEP]], %[[OF_TYPE]]
    // CHECK: %[[A:.*]] = sm.fetch %[[X]]
    // CHECK: %[[B:.*]] = sm.fetch %[[DY]]
    // CHECK: sm.multiply %[[A]] transposed, %[[B]], %{{.*}} : <32 x 64 x bf16>, <32 x 64 x bf16>, <64 x 64>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum : !tile.matrix<?x512xbf16>, !tile.matrix<?x384xbf16>, <64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    // CHECK: scf.if %[[LONG]] {
    // CHECK: %[[PART:.*]] = sm.reduce_scatter %{{.*}} : <64 x 64> to <64 x 32>
    // Where beta is 0 the copy engine stores, and what dW holds is not read.
    // CHECK: %[[ADDS:.*]] = arith.cmpf une, %[[BETA]]
    // CHECK: scf.if %[[ADDS]] {
    // Where it is 1 the copy engine adds.
    // CHECK-NEXT: %[[ONE:.*]] = arith.cmpf oeq, %[[BETA]]
    // CHECK-NEXT: scf.if %[[ONE]] {
    // CHECK-NEXT: sm.store_sums %[[PART]] added to %[[DW]][%c0] {{.*}}] : <64 x 32> to
    // CHECK-NEXT: } else {
    // CHECK-NEXT: sm.store_sums %[[PART]] to %[[PLAIN]][%c0] {{.*}} plus %[[BETA]] : <64 x 32> to
    // CHECK: } else {
    // CHECK-NEXT: sm.store_sums %[[PART]] to %[[DW]][%c0] {{.*}}] : <64 x 32> to
    // CHECK: } else {
    // CHECK: sm.store_sums %{{.*}} added to %[[DW]][%c0] {{.*}}] : <64 x 64> to
    // CHECK: sm.store_sums %{{.*}} to %[[PLAIN]][%c0] {{.*}} plus %[[BETA]] : <64 x 64> to
    // CHECK: sm.store_sums %{{.*}} to %[[DW]][%c0] {{.*}}] : <64 x 64> to
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <64x64xf32> to <512x384xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 256>, weights = <2 x 256>, out = <2 x 256>,
                       row_types = <cyclic 2>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, cluster = 2 x 4>

// Four blocks of columns copy 16 of the 64 rows of X each, two blocks of features 32 of those of dY.
// CHECK-LABEL: sm.kernel @shared(
// CHECK-SAME: %[[X:.*]]: !sm.maps<3 x 16 x 64 x bf16, row_dimension 3>, %[[DY:.*]]: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3>,
// CHECK-SAME: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>, %{{.*}}: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8>
tile.kernel @shared(%x: !tile.matrix<?x512xbf16>, %dy: !tile.matrix<?x512xbf16>, %dw: !tile.matrix<512x512xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    // CHECK: sm.fetch %[[X]]{{.*}} part %{{.*}} of 4 multicast %{{.*}} -> <64 x 64 x bf16>
    // CHECK: sm.fetch %[[DY]]{{.*}} part %{{.*}} of 2 multicast %{{.*}} -> <64 x 64 x bf16>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum : !tile.matrix<?x512xbf16>, !tile.matrix<?x512xbf16>, <64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <64x64xf32> to <512x512xbf16>
  }
}
