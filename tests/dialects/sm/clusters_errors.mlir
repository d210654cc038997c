// Parts that are none, and where a cluster cannot meet.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @no_mask(%x: !sm.maps<1 x 32 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{copies a part of several for a mask of blocks, or the whole for its own block}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] part %i of 2 : <1 x 32 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
  return
}

// -----

func.func @no_part(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{copies a part of several for a mask of blocks, or the whole for its own block}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] multicast %i : <1 x 64 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
  return
}

// -----

func.func @one_part(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{copies a part of 2 to 8, got 1}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] part %i of 1 multicast %i : <1 x 64 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
  return
}

// -----

func.func @odd_parts(%x: !sm.maps<1 x 4 x 64 x bf16, row_dimension 2>, %i: index) {
  // expected-error @+1 {{cannot copy 16 rows in 4 parts that are multiples of 8}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] part %i of 4 multicast %i : <1 x 4 x 64 x bf16, row_dimension 2> -> <16 x 64 x bf16>
  return
}

// -----

func.func @whole_boxes(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>, %i: index) {
  // expected-error @+1 {{the maps are for blocks of 64 x 64 x 'bf16', the other side has 32 x 64 x 'bf16'}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] part %i of 2 multicast %i : <1 x 64 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
  return
}

// -----

func.func @rows_of_boxes(%x: !sm.maps<1 x 24 x 64 x bf16, row_dimension 2>, %i: index) {
  // expected-error @+1 {{fetches 64 rows, which boxes of 24 do not make up: they are multiples of 8 rows, one below the other}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] : <1 x 24 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
  return
}

// -----

func.func @low_boxes(%x: !sm.maps<1 x 4 x 64 x bf16, row_dimension 2>, %i: index) {
  // expected-error @+1 {{fetches 16 rows, which boxes of 4 do not make up: they are multiples of 8 rows, one below the other}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] : <1 x 4 x 64 x bf16, row_dimension 2> -> <16 x 64 x bf16>
  return
}

// -----

func.func @columns_of_boxes(%x: !sm.maps<1 x 16 x 32 x bf16, row_dimension 2>, %i: index) {
  // expected-error @+1 {{the maps are for blocks of 16 x 32 x 'bf16'}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] : <1 x 16 x 32 x bf16, row_dimension 2> -> <64 x 64 x bf16>
  return
}

// -----

// Threads copy what their own map has, and no boxes.
func.func @boxes_of_threads(%x: !sm.maps<1 x 16 x 64 x bf16, row_dimension 2, vector 8>, %i: index) {
  // expected-error @+1 {{the maps are for blocks of 16 x 64 x 'bf16'}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] : <1 x 16 x 64 x bf16, row_dimension 2, vector 8> -> <64 x 64 x bf16>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @elected(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                   %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                   %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %b = sm.allocate : <3 x 64 x 64 x bf16, swizzle 128>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{copies a part of several for a mask of blocks, or the whole for its own block}}
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] part %i of 2 : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> to <3 x 64 x 64 x bf16, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @elected(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                   %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                   %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{is for all threads: it cannot stand inside an sm.elect}}
      sm.cluster_sync
    }
  }
}
