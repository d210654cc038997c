// Tiles of long groups come first; where blocks divide them, those of others are each block's own.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(8)">, lift = rows, in = <8 x 64>, weights = <8 x 64>, out = <8 x 128>,
                       row_types = <cyclic 8>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 64, stages = 3, split_k = 2, longest_first = 1>

// The maps of the result are for a part.
// CHECK-LABEL: sm.kernel @divided(
// CHECK-SAME: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %{{[a-z]*}}: index
tile.kernel @divided(%dy: !tile.matrix<?x512xbf16>, %w: !tile.matrix<1024x512xbf16>, %dx: !tile.matrix<?x1024xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // Of each block of rows one tile is long, seven are short, two of which are a turn.
  // CHECK: %[[LONG:.*]] = arith.muli %{{.*}}, %{{.*}} : index
  // CHECK: %[[SHORT:.*]] = arith.muli %[[LONG]], %c7
  // CHECK: arith.divui %{{.*}}, %c2
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  // CHECK: scf.for %[[TURN:.*]] = %c0 to %{{.*}} step %c1 {
  // CHECK: %[[IS_LONG:.*]] = arith.cmpi slt, %[[TURN]], %{{.*}}
  // CHECK: arith.addi %{{.*}}, %[[RANK]]
  // CHECK: %[[MINE:.*]] = arith.cmpi slt, %{{.*}}, %[[SHORT]]
  // CHECK: %[[THERE:.*]] = arith.ori %[[IS_LONG]], %[[MINE]]
  // CHECK: arith.select %[[IS_LONG]], %c1, %c7
  // A type's own group is the first, the others follow it.
  // CHECK: %[[RANK_OF_GROUP:.*]] = arith.select %[[IS_LONG]],
  // CHECK: %[[TYPE:.*]] = arith.select
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[RANK_OF_GROUP]]
  // CHECK: %[[WITHIN:.*]] = arith.cmpi slt, %[[AT]], %c8
  // CHECK: %[[AROUND:.*]] = arith.subi %[[AT]], %c8
  // CHECK: %[[GROUP:.*]] = arith.select %[[WITHIN]], %[[AT]], %[[AROUND]]
  // CHECK: %[[EXISTS:.*]] = arith.andi %[[THERE]], %{{.*}}
  // CHECK: scf.if %[[EXISTS]] {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 128>] {
    %zero = tile.zero : <64x128xf32>
    // CHECK: %[[FIRST:.*]] = arith.select %[[IS_LONG]], %{{.*}}, %c0
    // CHECK: %[[END:.*]] = arith.select %[[IS_LONG]], %{{.*}}, %{{.*}}
    // CHECK: %[[TOTAL:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c1
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x128xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<1024x512xbf16>, <64x128xf32>
      tile.yield %next : !tile.fragment<64x128xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<64x128xf32>) -> !tile.fragment<64x128xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <64x128>
    // CHECK: scf.if %[[IS_LONG]] {
    // CHECK: %[[PART:.*]] = sm.reduce_scatter %[[TOTAL]] : <64 x 128> to <64 x 64>
    // CHECK: sm.store_sums %[[PART]] to
    // CHECK: } else {
    // CHECK: sm.store_sums %[[TOTAL]] to {{.*}} : <64 x 128> to <2 x 64 x 64 x bf16, row_dimension 3>
    tile.store %rounded to %dx[%t, %s, %j, %n] mask %mask : <64x128xbf16>, <?x1024xbf16>, <64x128>
  }
}

// -----

// Other groups have their order in the table, behind the words of all terms.
#layout = #tile.layout<algebra = #alg.algebra<"T(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 32, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8, longest_first = 2>

// CHECK-LABEL: sm.kernel @table(
tile.kernel @table(%dy: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %dx: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: %[[TERMS:.*]] = sm.read_terms %{{.*}}[%c9]
  // CHECK: %[[COUNT:.*]] = arith.index_cast %[[TERMS]]
  // CHECK: %[[WORDS:.*]] = arith.muli %[[COUNT]], %c2
  // CHECK: %[[ORDER:.*]] = arith.addi %[[WORDS]], %c10
  // CHECK: scf.for
  // CHECK: %[[POSITION:.*]] = arith.addi %[[ORDER]], %{{.*}}
  // CHECK: sm.read_terms %{{.*}}[%[[POSITION]]]
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 32>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <32x64xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<32x64xf32> {
      %next = tile.mma %dy[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x192xbf16>, !tile.matrix<192x192xbf16>, <32x64xf32>
      tile.yield %next : !tile.fragment<32x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <32x64>
    tile.store %total to %dx[%t, %s, %j, %n] mask %mask : <32x64xf32>, <?x192xf32>, <32x64>
  }
}
