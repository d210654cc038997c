// The last columns of a group: fewer are fetched and multiplied.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -canonicalize -cse | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 160>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 128, depth = 64, stages = 3>

// CHECK-LABEL: sm.kernel @some_tiles(
tile.kernel @some_tiles(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x640xbf16>, %y: !tile.matrix<?x640xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 128>] {
    // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c128
    // CHECK: %[[LAST:.*]] = arith.cmpi sgt, %[[COLUMN]], %c127
    // CHECK: sm.zero narrow %[[LAST]] to 32 : <128 x 128>
    // CHECK: sm.fetch %w[%c0] [%[[COLUMN]], %{{.*}}, %{{.*}}, %{{.*}}] narrow %[[LAST]] to 32 :
    %zero = tile.zero : !tile.fragment<128x128xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x128xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum : !tile.matrix<?x512xbf16>, !tile.matrix<512x640xbf16>, <128x128xf32>
      tile.yield %next : !tile.fragment<128x128xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <128x128>
    tile.store %total to %y[%t, %s, %j, %n] mask %mask : <128x128xf32>, <?x640xf32>, <128x128>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 104>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 128, depth = 64, stages = 3>

// A group of one block of columns.
// CHECK-LABEL: sm.kernel @all_tiles(
// CHECK: sm.zero narrow %true to 104 : <128 x 128>
// CHECK: sm.fetch %w[%c0] [%{{.*}}] narrow %true to 104 :
tile.kernel @all_tiles(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x416xbf16>, %y: !tile.matrix<?x416xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 128>] {
    %zero = tile.zero : !tile.fragment<128x128xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x128xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum : !tile.matrix<?x512xbf16>, !tile.matrix<512x416xbf16>, <128x128xf32>
      tile.yield %next : !tile.fragment<128x128xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <128x128>
    tile.store %total to %y[%t, %s, %j, %n] mask %mask : <128x128xf32>, <?x416xf32>, <128x128>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 128>, weights = #alg.groups<4 x 128>,
                       out = #alg.groups<4 x 160>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 128, depth = 64, stages = 3, split_k = 2>

// Blocks that divide sums give each other parts of one width.
// CHECK-LABEL: sm.kernel @divided(
// CHECK-NOT: narrow
tile.kernel @divided(%x: !tile.matrix<?x512xbf16>, %w: !tile.matrix<512x640xbf16>, %y: !tile.matrix<?x640xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 128>] {
    %zero = tile.zero : !tile.fragment<128x128xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<128x128xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum : !tile.matrix<?x512xbf16>, !tile.matrix<512x640xbf16>, <128x128xf32>
      tile.yield %next : !tile.fragment<128x128xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : <128x128>
    tile.store %total to %y[%t, %s, %j, %n] mask %mask : <128x128xf32>, <?x640xf32>, <128x128>
  }
}
