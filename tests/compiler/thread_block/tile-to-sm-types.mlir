// A tile of several types of a complete graph: one term that they share, and one of each type's own.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 96>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 96, depth = 64, stages = 3>
// The boxes of X and Y are the rows of one type.
// CHECK-LABEL: sm.kernel @types(
// CHECK-SAME: %x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>
// CHECK-SAME: %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3>
tile.kernel @types(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x384xbf16>, %y: !tile.matrix<?x384xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK-DAG: %[[LINES:.*]] = arith.minsi %rows, %c4
  // CHECK-DAG: %[[LINE_BLOCKS:.*]] = arith.divui %{{.*}}, %c2
  // CHECK: %[[BANDS:.*]] = arith.muli %[[LINE_BLOCKS]], %[[BLOCKS:.*]] : index
  // CHECK: arith.muli %[[BANDS]], %c4
  // CHECK: scf.for
  // CHECK: %[[GROUP:.*]] = arith.remui
  // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64
  // CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c2
  // A segment behind the last one is the end of the last one.
  // CHECK: %[[LAST:.*]] = arith.addi %[[LINES]], %c-1
  // CHECK: %[[IS_LINE:.*]] = arith.cmpi sge, %[[LAST]], %[[FIRST]]
  // CHECK: %[[NUMBER:.*]] = arith.select %[[IS_LINE]], %[[FIRST]], %[[LAST]]
  // CHECK: %[[MAP0:.*]] = arith.select %{{.*}}, %c0, %c1
  // CHECK: %[[LINE0:.*]] = arith.select
  // CHECK: %[[LENGTH0:.*]] = arith.addi
  // CHECK: %[[TYPE:.*]] = arith.select
  // CHECK: %[[ROW0:.*]] = arith.select %[[IS_LINE]], %[[ROW]], %[[LENGTH0]]
  // CHECK: arith.cmpi slt, %[[ROW0]], %[[LENGTH0]]
  // CHECK: %[[MAP1:.*]] = arith.select %{{.*}}, %c0, %c1
  // CHECK: %[[LINE1:.*]] = arith.select
  // CHECK: %[[ROW1:.*]] = arith.select %{{.*}}, %[[ROW]], %{{.*}}
  // CHECK: %[[HAS1:.*]] = arith.cmpi slt, %[[ROW1]]
  // CHECK: %[[PRESENT:.*]] = arith.select %[[HAS1]], %c2, %{{.*}}
  // CHECK: %[[EXISTS:.*]] = arith.cmpi sgt, %[[PRESENT]], %c0
  // CHECK: scf.if %[[EXISTS]] {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !tile.fragment<128x96xf32>
    // In ascending order the types are those that wrapped around, then the others; the group's place is among them.
    // CHECK: %[[TO_LAST:.*]] = arith.subi %c4, %[[TYPE]]
    // CHECK: %[[STRAIGHT:.*]] = arith.minsi %[[PRESENT]], %[[TO_LAST]]
    // CHECK: %[[WRAPPED:.*]] = arith.subi %[[PRESENT]], %[[STRAIGHT]]
    // CHECK: %[[BELOW:.*]] = arith.addi
    // CHECK: %[[INSERTED:.*]] = arith.select %{{.*}}, %c0, %c1
    // CHECK: %[[TERMS:.*]] = arith.addi %[[PRESENT]], %[[INSERTED]]
    // CHECK: %[[STEPS:.*]] = arith.muli %[[TERMS]], %c2
    // CHECK: %[[TOTAL:.*]] = scf.for %[[STEP:.*]] = %c0 to %[[STEPS]] step %c1 iter_args(%[[SUM:.*]] = %{{.*}})
    // CHECK: %[[K:.*]] = arith.muli %{{.*}}, %c64
    // CHECK: %[[SHARED:.*]] = arith.cmpi eq, %{{.*}}, %[[BELOW]]
    // CHECK: %[[TERM:.*]] = arith.select %[[SHARED]], %[[GROUP]], %{{.*}}
    // CHECK: %[[PART:.*]] = arith.select %[[SHARED]], %c2, %{{.*}}
    // CHECK: %[[A:.*]] = sm.fetch_parts %x[%[[MAP0]], %[[MAP1]]] [%[[K]], %[[TERM]], %[[LINE0]], %[[ROW0]], %[[K]], %[[TERM]], %[[LINE1]], %[[ROW1]]] part %[[PART]] : <2 x 64 x 64 x bf16, row_dimension 3> -> <128 x 64 x bf16>
    // CHECK: %[[B:.*]] = sm.fetch %w[%c0] [%c0, %[[GROUP]], %[[K]], %[[TERM]]]
    // CHECK: %[[NEXT:.*]] = sm.multiply %[[A]], %[[B]], %[[SUM]] part %[[PART]] of 2
    // CHECK: scf.yield %[[NEXT]]
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x384xbf16>, !tile.fragment<128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x96>
    // CHECK: sm.store_sums_in_parts %[[TOTAL]] to %y[%[[MAP0]], %[[MAP1]]] [%c0, %[[GROUP]], %[[LINE0]], %[[ROW0]], %c0, %[[GROUP]], %[[LINE1]], %[[ROW1]]]
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<128x96xbf16>, !tile.matrix<?x384xbf16>, !tile.mask<128x96>
  }
}
