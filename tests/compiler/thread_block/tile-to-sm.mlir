// One thread block in order: a persistent loop over tiles, one loop over the steps of a tile.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 192>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 96, depth = 64, stages = 3>

// Two maps for the rows of X and Y: phases below M mod 4 have a row more.
// CHECK-LABEL: sm.kernel @cyclic(
// CHECK-SAME: %x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2>,
// CHECK-SAME: %y: !sm.maps<2 x 128 x 96 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
tile.kernel @cyclic(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x768xbf16>, %y: !tile.matrix<?x768xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: sm.wait_for_predecessor
  // CHECK-DAG: %[[EACH:.*]] = arith.divui %rows, %c4 : index
  // CHECK-DAG: %[[LONGER:.*]] = arith.remui %rows, %c4 : index
  // CHECK-DAG: %[[LINES:.*]] = arith.minsi %rows, %c4 : index
  // CHECK: %[[BLOCKS:.*]] = arith.divui %{{.*}}, %c128 : index
  // CHECK: %[[BANDS:.*]] = arith.muli %[[LINES]], %[[BLOCKS]]
  // 4 groups of two blocks of columns.
  // CHECK: %[[TILES:.*]] = arith.muli %[[BANDS]], %c8
  // CHECK: %[[FIRST:.*]] = sm.block_index
  // CHECK: %[[GRID:.*]] = sm.block_count
  // CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %[[TILES]] step %[[GRID]] {
  // CHECK: %[[COLUMN_BLOCK:.*]] = arith.remui %[[TILE]], %c2
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[COLUMN_BLOCK]], %c96
  // CHECK: %[[GROUP:.*]] = arith.remui %{{.*}}, %c4
  // CHECK: %[[BAND:.*]] = arith.divui %{{.*}}, %c4
  // CHECK: %[[ROW_BLOCK:.*]] = arith.remui %[[BAND]], %[[BLOCKS]]
  // CHECK: %[[PHASE:.*]] = arith.divui %[[BAND]], %[[BLOCKS]]
  // CHECK: %[[ROW:.*]] = arith.muli %[[ROW_BLOCK]], %c128
  // CHECK: %[[IS_LONGER:.*]] = arith.cmpi slt, %[[PHASE]], %[[LONGER]]
  // CHECK: %[[MAP:.*]] = arith.select %[[IS_LONGER]], %c0, %c1
  // CHECK: %[[LINE:.*]] = arith.select %[[IS_LONGER]], %[[PHASE]], %{{.*}}
  // CHECK: arith.addi %[[PHASE]], %offset
  // CHECK: %[[TYPE:.*]] = arith.select
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}}
  // CHECK: scf.if %[[EXISTS]] {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 96>] {
    // CHECK: %[[ZERO:.*]] = sm.zero : <128 x 96>
    %zero = tile.zero : !tile.fragment<128x96xf32>
    // CHECK: %[[LOWER:.*]] = arith.minsi %[[TYPE]], %[[GROUP]]
    // CHECK: %[[UPPER:.*]] = arith.maxsi %[[TYPE]], %[[GROUP]]
    // CHECK: %[[DIAGONAL:.*]] = arith.cmpi eq, %[[TYPE]], %[[GROUP]]
    // CHECK: %[[TERMS:.*]] = arith.select %[[DIAGONAL]], %c1, %c2
    // CHECK: %[[STEPS:.*]] = arith.muli %[[TERMS]], %c2
    // CHECK: %[[TOTAL:.*]] = scf.for %[[STEP:.*]] = %c0 to %[[STEPS]] step %c1 iter_args(%[[SUM:.*]] = %[[ZERO]])
    // CHECK: %[[K:.*]] = arith.muli %{{.*}}, %c64
    // CHECK: %[[TERM:.*]] = arith.select %{{.*}}, %[[LOWER]], %[[UPPER]]
    // CHECK: %[[A:.*]] = sm.fetch %x[%[[MAP]]] [%[[K]], %[[TERM]], %[[LINE]], %[[ROW]]]
    // CHECK: %[[B:.*]] = sm.fetch %w[%c0] [%[[COLUMN]], %[[GROUP]], %[[K]], %[[TERM]]]
    // CHECK: %[[NEXT:.*]] = sm.multiply %[[A]], %[[B]], %[[SUM]] : <128 x 64 x bf16>, <64 x 96 x bf16>, <128 x 96>
    // CHECK: scf.yield %[[NEXT]]
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x512xbf16>, !tile.matrix<512x768xbf16>, !tile.fragment<128x96xf32>
      tile.yield %next : !tile.fragment<128x96xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<128x96xf32>) -> !tile.fragment<128x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x96>
    // CHECK: sm.store_sums %[[TOTAL]] to %y[%[[MAP]]] [%[[COLUMN]], %[[GROUP]], %[[LINE]], %[[ROW]]]
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<128x96xbf16>, !tile.matrix<?x768xbf16>, !tile.mask<128x96>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 80>, weights = #alg.groups<4 x 80>,
                       out = #alg.groups<4 x 192>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 3, outer = groups>

// The group is the slowest of a tile's numbers. 80 are a block of 64 and one that is shallow.
// CHECK-LABEL: sm.kernel @groups_outside(
tile.kernel @groups_outside(%x: !tile.matrix<?x320xbf16>, %w: !tile.matrix<320x768xbf16>, %y: !tile.matrix<?x768xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK-DAG: %[[LINES:.*]] = arith.minsi %rows, %c4 : index
  // CHECK-DAG: %[[BLOCKS:.*]] = arith.divui %{{.*}}, %c64 : index
  // CHECK: scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: arith.remui %[[TILE]], %c2
  // CHECK: %[[BAND:.*]] = arith.divui %[[TILE]], %c2
  // CHECK: arith.remui %[[BAND]], %[[BLOCKS]]
  // CHECK: %[[LINE:.*]] = arith.divui %[[BAND]], %[[BLOCKS]]
  // CHECK: %[[PHASE:.*]] = arith.remui %[[LINE]], %[[LINES]]
  // CHECK: %[[GROUP:.*]] = arith.divui %[[LINE]], %[[LINES]]
  // CHECK: arith.addi %[[PHASE]], %offset
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 96>] {
    %zero = tile.zero : !tile.fragment<64x96xf32>
    // CHECK: arith.minsi %{{.*}}, %[[GROUP]]
    // CHECK: scf.for %[[STEP:.*]] = %c0
    // CHECK: %[[DEPTH_BLOCK:.*]] = arith.remui %[[STEP]], %c2
    // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[DEPTH_BLOCK]], %c1
    // CHECK: sm.multiply %{{.*}}, %{{.*}}, %{{.*}} shallow %[[LAST]] to 16 :
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x96xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x320xbf16>, !tile.matrix<320x768xbf16>, !tile.fragment<64x96xf32>
      tile.yield %next : !tile.fragment<64x96xf32>
    }
    %rounded = tile.map (%v = %total : !tile.fragment<64x96xf32>) -> !tile.fragment<64x96xbf16> {
      %r = arith.truncf %v : f32 to bf16
      tile.yield %r : bf16
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x96>
    tile.store %rounded to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x96xbf16>, !tile.matrix<?x768xbf16>, !tile.mask<64x96>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<interval 2 x 192>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>

// Three maps: the run that began before row 0, the whole runs, what is left. One step per term: no division.
// CHECK-LABEL: sm.kernel @interval(
// CHECK-SAME: %x: !sm.maps<3 x 64 x 64 x bf16, row_dimension 3>
// CHECK-SAME: %y: !sm.maps<3 x 64 x 64 x f32, row_dimension 3>
tile.kernel @interval(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // CHECK: %[[BEGUN:.*]] = arith.remui %offset, %c192
  // CHECK: %[[FIRST_TYPE:.*]] = arith.divui %offset, %c192
  // CHECK: %[[PARTIAL:.*]] = arith.cmpi sgt, %[[BEGUN]], %c0
  // CHECK: %[[FIRST_RUNS:.*]] = arith.select %[[PARTIAL]], %c1, %c0
  // CHECK: %[[ROOM:.*]] = arith.subi %c192, %[[BEGUN]]
  // CHECK: %[[AT_MOST:.*]] = arith.minsi %rows, %[[ROOM]]
  // CHECK: %[[FIRST_ROWS:.*]] = arith.select %[[PARTIAL]], %[[AT_MOST]], %c0
  // CHECK: %[[LEFT:.*]] = arith.subi %rows, %[[FIRST_ROWS]]
  // CHECK: %[[WHOLE:.*]] = arith.divui %[[LEFT]], %c192
  // CHECK: %[[TAIL:.*]] = arith.remui %[[LEFT]], %c192
  // CHECK: scf.for
  // CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[NUMBER:.*]], %[[FIRST_RUNS]]
  // CHECK: %[[BEHIND:.*]] = arith.subi %[[NUMBER]], %[[FIRST_RUNS]]
  // CHECK: %[[LAST:.*]] = arith.cmpi sge, %[[BEHIND]], %[[WHOLE]]
  // CHECK: %[[LATER_MAP:.*]] = arith.select %[[LAST]], %c2, %c1
  // CHECK: %[[MAP:.*]] = arith.select %[[FIRST]], %c0, %[[LATER_MAP]]
  // CHECK: %[[LATER_ROWS:.*]] = arith.select %[[LAST]], %[[TAIL]], %c192
  // CHECK: arith.select %[[FIRST]], %[[FIRST_ROWS]], %[[LATER_ROWS]]
  // CHECK: %[[COUNTED:.*]] = arith.addi %[[FIRST_TYPE]], %[[NUMBER]]
  // CHECK: arith.remui %[[COUNTED]], %c2
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    // CHECK: sm.store_sums %{{.*}} to %y[%[[MAP]]]
    tile.store %total to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"T(2)">, lift = slots, in = #alg.groups<3 x 32>, weights = #alg.groups<3 x 32>,
                       out = #alg.groups<3 x 64>, row_types = #alg.row_types<cyclic 1>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3>

// Terms out of the table: 1 type, 3 groups, so that words begin at 4. Blocks of the weight matrix have no output group.
// CHECK-LABEL: sm.kernel @slots(
tile.kernel @slots(%x: !tile.matrix<?x96xbf16>, %w: !tile.matrix<96x64xbf16>, %y: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // CHECK: %[[START_WORD:.*]] = sm.read_terms %terms[%[[ENTRY:.*]]]
    // CHECK: %[[START:.*]] = arith.index_cast %[[START_WORD]]
    // CHECK: %[[NEXT_ENTRY:.*]] = arith.addi %[[ENTRY]], %c1
    // CHECK: %[[END_WORD:.*]] = sm.read_terms %terms[%[[NEXT_ENTRY]]]
    // CHECK: %[[END:.*]] = arith.index_cast %[[END_WORD]]
    // CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[START]]
    // CHECK: %[[TWICE:.*]] = arith.muli %[[START]], %c2
    // CHECK: %[[WORDS:.*]] = arith.addi %[[TWICE]], %c4
    // CHECK: scf.for %[[STEP:.*]] = %c0 to %[[COUNT]] step %c1
    // CHECK: %[[OWN_WORDS:.*]] = arith.muli %[[STEP]], %c2
    // CHECK: %[[AT:.*]] = arith.addi %[[WORDS]], %[[OWN_WORDS]]
    // CHECK: %[[GROUP_WORD:.*]] = sm.read_terms %terms[%[[AT]]]
    // CHECK: %[[GROUP:.*]] = arith.index_cast %[[GROUP_WORD]]
    // CHECK: %[[BANK:.*]] = sm.read_terms %terms
    // CHECK: arith.andi %[[BANK]], %c2147483647_i32
    // CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BANK]], %c0_i32
    // CHECK: sm.fetch %x[%c1] [%c0, %[[GROUP]], %c0, %{{.*}}]
    // CHECK: sm.fetch %w[%c0] [%c0, %c0, %c0, %{{.*}}]
    // CHECK: sm.multiply {{.*}} negate %[[NEGATIVE]]
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum scale %c signs
          : !tile.matrix<?x96xbf16>, !tile.matrix<96x64xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %total to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x64xf32>, !tile.matrix<?x192xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 20>, weights = #alg.groups<2 x 20>,
                       out = #alg.groups<2 x 100>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 112, depth = 32, stages = 3, warps = 2 x 1, vector = 4>

// A schedule with warps: plain maps, sums of single warps, no launch that depends on another. Sums leave in pairs.
// CHECK-LABEL: sm.kernel @threads(
// CHECK-SAME: %x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, vector 4>, %w: !sm.maps<1 x 32 x 112 x bf16, row_dimension 2, vector 4>,
// CHECK-SAME: %y: !sm.maps<2 x 64 x 112 x f32, row_dimension 3, vector 4>
// CHECK-NOT: sm.wait_for_predecessor
tile.kernel @threads(%x: !tile.matrix<?x40xbf16>, %w: !tile.matrix<40x200xbf16>, %y: !tile.matrix<?x200xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 112>] {
    // CHECK: sm.zero : <64 x 112, warps 2 x 1>
    %zero = tile.zero : !tile.fragment<64x112xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x112xf32> {
      // CHECK: sm.multiply %{{.*}} : <64 x 32 x bf16>, <32 x 112 x bf16>, <64 x 112, warps 2 x 1>
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x40xbf16>, !tile.matrix<40x200xbf16>, !tile.fragment<64x112xf32>
      tile.yield %next : !tile.fragment<64x112xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x112>
    // CHECK: sm.store_sums %{{.*}} : <64 x 112, warps 2 x 1> to <2 x 64 x 112 x f32, row_dimension 3, vector 4>
    tile.store %total to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<64x112xf32>, !tile.matrix<?x200xf32>, !tile.mask<64x112>
  }
}

// -----

#halves = #alg.algebra<"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1/2']]})">
#layout = #tile.layout<algebra = #halves, lift = slots, in = #alg.groups<2 x 40>, weights = #alg.groups<2 x 40>,
                       out = #alg.groups<2 x 24>, row_types = #alg.row_types<cyclic 1>>
#schedule = #tile.staged<types = 1, rows = 16, columns = 32, depth = 32, stages = 2, warps = 1 x 1, vector = 8>

// Coefficients that are no signs: three words for each term behind the three starts, a sum for the products of the
// current coefficient, and one that takes it in, scaled, behind the last term that has it.
// CHECK-LABEL: sm.kernel @scaled(
tile.kernel @scaled(%x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x24xbf16>, %y: !tile.matrix<?x48xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 16>, <groups, 1>, <columns, 32>] {
    // CHECK: %[[ZERO:.*]] = sm.zero : <16 x 32, warps 1 x 1>
    %zero = tile.zero : !tile.fragment<16x32xf32>
    // CHECK: %[[COUNT:.*]] = arith.subi
    // CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c3
    // CHECK: %[[WORDS:.*]] = arith.addi %[[FIRST]], %c3
    // CHECK: %[[SUMS:.*]]:2 = scf.for %[[STEP:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[PARTIAL:.*]] = %{{.*}}, %[[TOTAL:.*]] = %{{.*}})
    // CHECK-DAG: %[[BLOCK:.*]] = arith.remui %[[STEP]], %c2
    // CHECK-DAG: %[[TERM:.*]] = arith.divui %[[STEP]], %c2
    // CHECK: %[[ENDS_TERM:.*]] = arith.cmpi eq, %[[BLOCK]], %c1
    // CHECK: %[[NEXT:.*]] = sm.multiply %{{.*}}, %{{.*}}, %[[PARTIAL]] shallow %[[ENDS_TERM]] to 16 :
    // CHECK: %[[STEP_SUMS:.*]]:2 = scf.if %[[ENDS_TERM]]
    // CHECK: %[[BITS:.*]] = sm.read_terms
    // CHECK: %[[LATER:.*]] = arith.addi %[[TERM]], %c1
    // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[LATER]], %[[COUNT]]
    // CHECK: arith.select %[[LAST]], %[[TERM]], %[[LATER]]
    // CHECK: %[[NEXT_BITS:.*]] = sm.read_terms
    // CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[BITS]], %[[NEXT_BITS]]
    // CHECK: %[[COEFFICIENT:.*]] = arith.bitcast %[[BITS]] : i32 to f32
    // CHECK: %[[ENDS:.*]] = arith.ori %[[LAST]], %[[DIFFERS]]
    // CHECK: scf.if %[[ENDS]]
    // CHECK: %[[SCALED:.*]] = sm.add_scaled %[[NEXT]], %[[COEFFICIENT]], %[[TOTAL]] : <16 x 32, warps 1 x 1>
    // CHECK: scf.yield %{{.*}}, %[[SCALED]]
    // CHECK: else
    // CHECK: scf.yield %[[NEXT]], %[[TOTAL]]
    // CHECK: else
    // CHECK: scf.yield %[[NEXT]], %[[TOTAL]]
    // CHECK: scf.yield %[[STEP_SUMS]]#0, %[[STEP_SUMS]]#1
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<16x32xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum scale %c
          : !tile.matrix<?x80xbf16>, !tile.matrix<80x24xbf16>, !tile.fragment<16x32xf32>
      tile.yield %next : !tile.fragment<16x32xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<16x32>
    // CHECK: sm.store_sums %[[SUMS]]#1
    tile.store %total to %y[%t, %s, %j, %n] mask %mask
        : !tile.fragment<16x32xf32>, !tile.matrix<?x48xf32>, !tile.mask<16x32>
  }
}
