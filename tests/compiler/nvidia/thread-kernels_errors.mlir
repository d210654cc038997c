// Kernels whose threads copy for themselves, and what does not belong into them.
// RUN: alg-opt %s -convert-sm-to-nvvm -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// expected-error@+1 {{mixes plain maps and tensor maps: where threads copy all are plain, where the copy engine does at most those of the result}}
sm.kernel @mixed(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// expected-error@+1 {{has partitions, and plain maps: all threads of a block copy through those}}
sm.kernel @partitions(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

sm.kernel @other_warps(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 4 x 1, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  // expected-error@+1 {{is for 2 x 2 warps, but the schedule of its kernel is #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 4 x 1, vector = 8>}}
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

sm.kernel @no_warps(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<64 x 64>
  // expected-error@+1 {{adds to sums of warpgroups, which only a partition has: give the accumulator warps}}
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

sm.kernel @tensor_maps(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
    // expected-error@+1 {{adds to sums of single warps, which kernels with plain maps have}}
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// Every GPU since compute capability 8.0 has this much, not what Hopper has.
// expected-error@+1 {{needs 147456 bytes of shared memory, a block can have 101376; take fewer stages or a smaller tile}}
sm.kernel @shared(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128, vector 8>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  %sum = sm.zero : !sm.accumulator<64 x 64, warps 2 x 2>
  %more = sm.allocate : !sm.buffer<16 x 64 x 64 x bf16, swizzle 128>
  %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

sm.kernel @warpgroup_results(%x: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 2, warps = 2 x 2, vector = 8>} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>
  %b = sm.allocate : !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 64>
    // expected-error@+2 {{stores through tensor maps, by way of shared memory: lower the epilogue before}}
    // expected-error@+1 {{failed to legalize operation 'sm.store_sums'}}
    sm.store_sums %next to %y[%slot] [%slot, %slot, %slot, %slot] : !sm.accumulator<64 x 64> to !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>
  }
}
