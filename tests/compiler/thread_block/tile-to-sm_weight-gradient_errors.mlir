// What no thread block's program can be made of in mode j.
// RUN: alg-opt %s -split-input-file -convert-tile-to-sm -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 32, stages = 3>
// expected-error @+1 {{computes the gradient of the weight matrix (mode j), whose tiles have features and columns: they share no types and hold no rows}}
tile.kernel @types(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x256xbf16>, %dw: !tile.matrix<256x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : <64x64xf32> to <256x256xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, rows_on = n>
// expected-error @+1 {{computes the gradient of the weight matrix (mode j), whose sums threads add to it row by row: its features are on side M}}
tile.kernel @side(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x256xbf16>, %dw: !tile.matrix<256x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : <64x64xf32> to <256x256xf32>
  }
}

// -----

// Blocks of columns share rows of X, a part of a step each.
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 512>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 16, stages = 3, cluster = 1 x 4>
// expected-error @+1 {{runs in clusters of 1 x 4, but 16 rows of dY and 16 of X have no parts that are multiples of 8}}
tile.kernel @parts(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x2048xbf16>, %dw: !tile.matrix<256x2048xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : <64x64xf32> to <256x2048xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3>
tile.kernel @numbers(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x256xbf16>, %dw: !tile.matrix<256x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      // expected-error @+1 {{scales by coefficients that are not signs}}
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum scale %c : !tile.matrix<?x256xbf16>, !tile.matrix<?x256xbf16>, <64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <64x64xf32> to <256x256xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>
tile.kernel @owns(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x256xbf16>, %dw: !tile.matrix<256x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  // expected-error @+1 {{must own one tile of the schedule: <weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>}}
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 32>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    tile.store_weights %zero to %dw[%b, %f, %j, %n] : <64x64xf32> to <256x256xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>
tile.kernel @elsewhere(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x256xbf16>, %dw: !tile.matrix<256x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x64xf32> {
      // expected-error @+1 {{must multiply what its tile owns}}
      %next = tile.mma_rows %x[%t, %k, %n], %dy[%t, %o, %n], %sum : !tile.matrix<?x256xbf16>, !tile.matrix<?x256xbf16>, <64x64xf32>
      tile.yield %next : !tile.fragment<64x64xf32>
    }
    tile.store_weights %total to %dw[%b, %f, %j, %n] : <64x64xf32> to <256x256xf32>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>, mode = j>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, warps = 2 x 2, vector = 8>
tile.kernel @stores(%x: !tile.matrix<?x256xbf16>, %dy: !tile.matrix<?x256xbf16>, %dw: !tile.matrix<256x256xf32>)
    attributes {layout = #layout, schedule = #schedule} {
  tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 64>] {
    %zero = tile.zero : <64x64xf32>
    // expected-error @+1 {{must store what its tile owns to dW}}
    tile.store_weights %zero to %dw[%j, %f, %b, %n] : <64x64xf32> to <256x256xf32>
  }
}
