// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = #alg.groups<3 x 64>, weights = #alg.groups<3 x 64>,
                       out = #alg.groups<3 x 64>, row_types = #alg.row_types<cyclic 3>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{owns 2 types in a tile; only those of a complete graph share blocks, and 3 are there}}
tile.kernel @incomplete(%x: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %y: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 3, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{owns 3 types in a tile; only those of a complete graph share blocks, and 2 are there}}
tile.kernel @too_many(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 3>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, warps = 2 x 2, vector = 8>
// expected-error @+1 {{owns 2 types in a tile; where threads copy, it has one}}
tile.kernel @threads(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @owns_one(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{must own one tile of the schedule: <types, 2>, <rows, 64>, <groups, 1>, <columns, 64>}}
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = #alg.groups<3 x 64>, weights = #alg.groups<3 x 64>,
                       out = #alg.groups<3 x 64>, row_types = #alg.row_types<cyclic 3>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 2>
// expected-error @+1 {{holds rows of X; only types of a complete graph have a group of their own}}
tile.kernel @held_incomplete(%x: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %y: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, warps = 2 x 2, vector = 8, stationary = 2>
// expected-error @+1 {{holds rows of X; where threads copy, they come with every group}}
tile.kernel @held_threads(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}
