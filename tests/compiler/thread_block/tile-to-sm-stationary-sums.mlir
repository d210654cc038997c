// Gradients of X: the sums of a type's own group stay while a block goes through the groups of dY, whose rows
// are multiplied by the diagonal block for the group's own dX as well.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

// One block has all groups, and the columns of dX that are left over in a last block of their own.
#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 96>, weights = <3 x 96>, out = <3 x 80>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 48, depth = 64, stages = 3, stationary = 3>
// CHECK-LABEL: sm.kernel @alone(
tile.kernel @alone(%dy: !tile.matrix<?x288xbf16>, %w: !tile.matrix<240x288xbf16>, %dx: !tile.matrix<?x240xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // A turn is a block of rows and one of two blocks of columns.
  // CHECK: scf.for %[[TURN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK-NEXT: %[[BLOCK:.*]] = arith.remui %[[TURN]], %c2
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[BLOCK]], %c48
  // CHECK: scf.if
  // CHECK: %[[ZERO:.*]] = sm.zero : <64 x 48>
  // CHECK-NEXT: %[[OWN:.*]] = scf.for %[[GROUP:.*]] = %c0 to %c3 step %c1 iter_args(%[[SO_FAR:.*]] = %[[ZERO]])
  // CHECK-NEXT: %[[SUMS:.*]]:2 = scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 iter_args(%[[ONE:.*]] = %[[ZERO]], %[[BOTH:.*]] = %[[SO_FAR]])
  // CHECK-NEXT: %[[K:.*]] = arith.muli %[[STEP]], %c64
  // CHECK-NEXT: %[[ROWS:.*]] = sm.fetch %x[%[[MAP:.*]]] [%[[K]], %[[GROUP]], %[[LINE:.*]], %[[ROW:.*]]]
  // W(j, j), and W(i, j) of the type's own group.
  // CHECK-NEXT: %[[DIAGONAL:.*]] = sm.fetch %w[%c0] [%[[K]], %[[GROUP]], %[[COLUMN]], %[[GROUP]]]
  // CHECK-NEXT: %[[OF_TYPE:.*]] = sm.fetch %w[%c0] [%[[K]], %[[GROUP]], %[[COLUMN]], %[[TYPE:.*]]]
  // Of 96 in the depth the last step has 32.
  // CHECK-NEXT: %[[LAST:.*]] = arith.cmpi eq, %[[STEP]], %c1
  // CHECK-NEXT: sm.multiply %[[ROWS]], %[[DIAGONAL]] transposed, %[[ONE]] shallow %[[LAST]] to 32
  // CHECK-NEXT: sm.multiply %[[ROWS]], %[[OF_TYPE]] transposed, %[[BOTH]] shallow %[[LAST]] to 32
  // CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[GROUP]], %[[TYPE]]
  // CHECK-NEXT: scf.if %[[OTHER]] {
  // CHECK-NEXT: sm.store_sums %[[SUMS]]#0 to %y[%[[MAP]]] [%[[COLUMN]], %[[GROUP]], %[[LINE]], %[[ROW]]]
  // CHECK: scf.yield %[[SUMS]]#1
  // CHECK: sm.store_sums %[[OWN]] to %y[%[[MAP]]] [%[[COLUMN]], %[[TYPE]], %[[LINE]], %[[ROW]]]
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 48>] {
    %zero = tile.zero : !tile.fragment<64x48xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x48xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x288xbf16>, !tile.matrix<240x288xbf16>, !tile.fragment<64x48xf32>
      tile.yield %next : !tile.fragment<64x48xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<64x48xf32>) -> !tile.fragment<64x48xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x48>
    tile.store %rounded to %dx[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x48xbf16>, !tile.matrix<?x240xbf16>, !tile.mask<64x48>
  }
}

// -----

// Two blocks of a cluster have two of three groups and the one that is left, and store half of the columns of the
// sums that have stayed.
#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 32>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 64, stages = 3, stationary = 2, split_k = 2>
// CHECK-LABEL: sm.kernel @divided(
tile.kernel @divided(%dy: !tile.matrix<?x192xbf16>, %w: !tile.matrix<96x192xbf16>, %dx: !tile.matrix<?x96xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[RANK]], %c2
  // CHECK-NEXT: %[[FIRST:.*]] = arith.minsi %[[BEFORE]], %c3
  // CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[FIRST]], %c2
  // CHECK-NEXT: %[[END:.*]] = arith.minsi %[[BEHIND]], %c3
  // CHECK: %[[OWN:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[END]]
  // CHECK: scf.if
  // CHECK-NEXT: sm.store_sums %{{.*}} : <64 x 32> to
  // CHECK: %[[PART:.*]] = sm.reduce_scatter %[[OWN]] : <64 x 32> to <64 x 16>
  // CHECK-NEXT: %[[COLUMN:.*]] = arith.muli %[[RANK]], %c16
  // CHECK-NEXT: sm.store_sums %[[PART]] to %y[%{{.*}}] [%[[COLUMN]],
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 32>] {
    %zero = tile.zero : !tile.fragment<64x32xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x32xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x192xbf16>, !tile.matrix<96x192xbf16>, !tile.fragment<64x32xf32>
      tile.yield %next : !tile.fragment<64x32xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x32>
    tile.store %total to %dx[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x32xf32>, !tile.matrix<?x96xf32>, !tile.mask<64x32>
  }
}

// -----

// Blocks of a cluster go through the groups together: the rows come in two parts, and so do both blocks of the
// weight matrix.
#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 32>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 16, depth = 64, stages = 3, cluster = 2 x 2, stationary = 3>
// CHECK-LABEL: sm.kernel @sharing(
// CHECK-COUNT-3: sm.fetch {{.*}} part %{{.*}} of 2 multicast %
// CHECK-NOT: sm.fetch
tile.kernel @sharing(%dy: !tile.matrix<?x192xbf16>, %w: !tile.matrix<96x192xbf16>, %dx: !tile.matrix<?x96xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 16>] {
    %zero = tile.zero : !tile.fragment<64x16xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x16xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x192xbf16>, !tile.matrix<96x192xbf16>, !tile.fragment<64x16xf32>
      tile.yield %next : !tile.fragment<64x16xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x16>
    tile.store %total to %dx[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x16xf32>, !tile.matrix<?x96xf32>, !tile.mask<64x16>
  }
}
