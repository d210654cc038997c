// Sums that cannot stay.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

#layout = #tile.layout<algebra = #alg.algebra<"path(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 3>
// expected-error @+1 {{has stationary sums; only types of a complete graph have a group of their own}}
tile.kernel @incomplete(%dy: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %dx: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, warps = 2 x 2, vector = 8, stationary = 2>
// expected-error @+1 {{has stationary sums; where threads copy, a tile has all of its steps at once}}
tile.kernel @threads(%dy: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %dx: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 2, ping_pong = 2>
// expected-error @+1 {{has stationary sums: its warpgroups take no turns, compute one product and go through the groups as they are numbered}}
tile.kernel @turns(%dy: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %dx: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 2, longest_first = 1>
// expected-error @+1 {{has stationary sums: its warpgroups take no turns, compute one product and go through the groups as they are numbered}}
tile.kernel @ordered(%dy: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %dx: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(1)">, lift = rows, in = <1 x 64>, weights = <1 x 64>, out = <1 x 64>,
                       row_types = <cyclic 1>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 1>
// expected-error @+1 {{has stationary sums of its only group: no other is gone through while they stay}}
tile.kernel @single(%dy: !tile.matrix<?x64xbf16>, %w: !tile.matrix<64x64xbf16>, %dx: !tile.matrix<?x64xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 2>
// expected-error @+1 {{has sums that stay for 2 groups of dY, where each of 1 blocks has 3 of 3}}
tile.kernel @too_few(%dy: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %dx: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 3, split_k = 2>
// expected-error @+1 {{has sums that stay for 3 groups of dY, where each of 2 blocks has 2 of 3}}
tile.kernel @too_many(%dy: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %dx: !tile.matrix<?x192xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}
