// What a thread block cannot do is refused at the op that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-tile-to-sm

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.schedule<types = 1, rows = 8, register_rows = 8, register_columns = 16, lanes = 16, weights = packed>
// expected-error @+1 {{is scheduled for threads; GPU targets lower kernels with a #tile.staged or a #tile.reduced schedule}}
tile.kernel @threads(%w: !tile.matrix<128x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b) over [<weight_rows, 1>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<explicit 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{has explicit row types, whose rows no tensor map can address; threads find them in a list: give its schedule warps}}
tile.kernel @explicit(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<[64, 72]>, weights = #alg.groups<[64, 72]>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{has groups of unequal widths, which one tensor map cannot address; threads find them in a list: give its schedule warps}}
tile.kernel @unequal(%x: !tile.matrix<?x136xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @own(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{must own one tile of the schedule: <types, 1>, <rows, 64>, <groups, 1>, <columns, 64>}}
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{takes X, W, what its maps read, and Y, got 1 operands}}
tile.kernel @operands(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 100, columns = 64, depth = 64, stages = 3>
tile.kernel @sums(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 100>, <groups, 1>, <columns, 64>] {
    // expected-error @+1 {{the sums of a warpgroup have 64 rows; 100 is not a multiple of it}}
    %zero = tile.zero : !tile.fragment<100x64xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @twice(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // expected-error @+1 {{must add one product to one sum for each term}}
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      %once = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      %again = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %once
          : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %again : !tile.fragment<64x64xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @foreign(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      // expected-error @+1 {{must multiply what its tile owns}}
      %next = tile.mma %x[%t, %b, %s], %w[%b, %j, %n], %sum
          : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @scale(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xbf16>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %total = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      // expected-error @+1 {{scales by coefficients that are not signs, which tensor cores cannot do in passing}}
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %sum scale %c
          : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @map(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %scale: !tile.matrix<?x1xf32>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // expected-error @+1 {{must read the rows that its tile owns}}
    %doubled = tile.map (%v = %zero : !tile.fragment<64x64xf32>, %r = %scale[%t, %n] : !tile.matrix<?x1xf32>) -> !tile.fragment<64x64xf32> {
      %d = arith.mulf %v, %r : f32
      tile.yield %d : f32
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @walk(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    // expected-error @+1 {{is not something that a GPU target can lower}}
    tile.for (%u) over [<types, 1>] {
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 16, stages = 3, cluster = 4 x 1>
// expected-error @+1 {{runs in clusters of 4 x 1, but 16 rows of the weight matrix and 64 of X have no parts that are multiples of 8}}
tile.kernel @parts(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8, cluster = 2 x 1>
// expected-error @+1 {{runs in clusters, whose blocks copy for each other: the copy engine does that, and threads cannot; take away its warps}}
tile.kernel @threads(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{multiplies by a transposed weight matrix (mode i), of which no kernel shares blocks among types: its tiles have one type}}
tile.kernel @transposed(%dy: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 2, cluster = 2 x 1>
// expected-error @+1 {{divides the steps of a tile among blocks: its tiles have one type, hold no rows, copy nothing for others and take no turns}}
tile.kernel @split_cluster(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 2, ping_pong = 2>
// expected-error @+1 {{divides the steps of a tile among blocks: its tiles have one type, hold no rows, copy nothing for others and take no turns}}
tile.kernel @split_turns(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 2, stationary = 2>
// expected-error @+1 {{divides the steps of a tile among blocks: its tiles have one type, hold no rows, copy nothing for others and take no turns}}
tile.kernel @split_held(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 2>
// expected-error @+1 {{divides the steps of a tile among blocks: its tiles have one type, hold no rows, copy nothing for others and take no turns}}
tile.kernel @split_types(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 3>
// expected-error @+1 {{has 64 columns, of which 3 blocks cannot store equal parts, multiples of 8}}
tile.kernel @split_columns(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 24, columns = 64, depth = 64, stages = 3, split_k = 2, rows_on = n>
// expected-error @+1 {{has 24 rows, of which 2 blocks cannot store equal parts, multiples of 8}}
tile.kernel @split_rows(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 24>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8, split_k = 2>
// expected-error @+1 {{whose warpgroups exchange sums; where threads copy, single warps have them}}
tile.kernel @split_threads(%x: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

// The rows of a transposed weight matrix's blocks in memory are columns: those are what a cluster divides.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 48, depth = 64, stages = 3, cluster = 4 x 1>
// expected-error @+1 {{runs in clusters of 4 x 1, but 48 rows of the weight matrix and 64 of X have no parts that are multiples of 8}}
tile.kernel @transposed_cluster(%dy: !tile.matrix<?x128xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 48>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, longest_first = 1>
// expected-error @+1 {{takes the tiles of long groups first, but in the product of a complete graph no group has more terms than others}}
tile.kernel @equal(%x: !tile.matrix<?x192xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, longest_first = 4>
// expected-error @+1 {{has 4 long groups, of 3}}
tile.kernel @too_many(%dy: !tile.matrix<?x192xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(3)">, lift = rows, in = <3 x 64>, weights = <3 x 64>, out = <3 x 64>,
                       row_types = <cyclic 3>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @other_columns(%x: !tile.matrix<?x192xbf16>, %w: !tile.matrix<192x192xbf16>, %bias: !tile.matrix<1x192xbf16>,
                           %y: !tile.matrix<?x192xbf16>) attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // expected-error @+1 {{must read the columns that its tile owns}}
    %biased = tile.map (%m = %zero : !tile.fragment<64x64xf32>, %e = %bias[%t, %n] : !tile.matrix<1x192xbf16>) -> !tile.fragment<64x64xf32> {
      %wide = arith.extf %e : bf16 to f32
      %added = arith.addf %m, %wide : f32
      tile.yield %added : f32
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3>
// expected-error @+1 {{shares blocks among its types, or holds rows: it computes one product, writes one result, and its maps read no rows}}
tile.kernel @types(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<128x64xf32>
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%first = %zero, %second = %zero) : !tile.fragment<128x64xf32>, !tile.fragment<128x64xf32> {
      %next0 = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %first : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<128x64xf32>
      %next1 = tile.mma %x[%t, %k, %s], %w2[%b, %j, %n], %second : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<128x64xf32>
      tile.yield %next0, %next1 : !tile.fragment<128x64xf32>, !tile.fragment<128x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<128x64>
    tile.store %sums#0 to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<128x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<128x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, split_k = 2>
// expected-error @+1 {{divides the steps of a tile among blocks, which exchange the sums of one product; it computes 2}}
tile.kernel @split(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%first = %zero, %second = %zero) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
      %next0 = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %first : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      %next1 = tile.mma %x[%t, %k, %s], %w2[%b, %j, %n], %second : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next0, %next1 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %sums#0 to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, rows_on = n>
// expected-error @+1 {{writes 2 results, the further ones by threads, which have rows of the sums: put rows on the first side}}
tile.kernel @side(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>, %y2: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%first = %zero, %second = %zero) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
      %next0 = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %first : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      %next1 = tile.mma %x[%t, %k, %s], %w2[%b, %j, %n], %second : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next0, %next1 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %sums#0 to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
    tile.store %sums#1 to %y2[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @order(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%first = %zero, %second = %zero) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
      // expected-error @+1 {{must multiply X and each of the weight matrices straight from memory, in the order of the kernel}}
      %next0 = tile.mma %x[%t, %k, %s], %w2[%b, %j, %n], %first : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      %next1 = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %second : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next0, %next1 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %sums#0 to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>
tile.kernel @same(%x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x128xbf16>, %w2: !tile.matrix<128x128xbf16>, %y: !tile.matrix<?x128xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%t, %s, %j, %n) over [<types, 1>, <rows, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : !tile.fragment<64x64xf32>
    // expected-error @+1 {{has 2 products, of 1 weight matrices: each weight matrix is multiplied once}}
    %sums:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%first = %zero, %second = %zero) : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32> {
      %next0 = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %first : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      %next1 = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %second : !tile.matrix<?x128xbf16>, !tile.matrix<128x128xbf16>, !tile.fragment<64x64xf32>
      tile.yield %next0, %next1 : !tile.fragment<64x64xf32>, !tile.fragment<64x64xf32>
    }
    %mask = tile.mask rows(%t, %s) columns(%j, %n) : !tile.mask<64x64>
    tile.store %sums#0 to %y[%t, %s, %j, %n] mask %mask : !tile.fragment<64x64xf32>, !tile.matrix<?x128xf32>, !tile.mask<64x64>
  }
}
