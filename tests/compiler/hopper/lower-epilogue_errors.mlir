// RUN: alg-opt %s -split-input-file -verify-diagnostics -sm-lower-epilogue

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @synchronous(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %sum = sm.zero : <128 x 64>
  // expected-error @+1 {{must store from the partition of all that use its maps, and not in parts where others do: partition the kernel first}}
  sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 64, stages = 4>
sm.kernel @layout(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : <128 x 64>
    // expected-error @+1 {{needs to know how its result lies in shared memory: assign swizzles first}}
    sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3>
  }
}

// -----

// Stores may share maps, of a whole and of a part, but from one partition.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4, split_k = 2, longest_first = 1>
sm.kernel @two_partitions(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : <64 x 64>
    %part = sm.zero : <64 x 32>
    // expected-error @+1 {{must store from the partition of all that use its maps, and not in parts where others do: partition the kernel first}}
    sm.store_sums %part to %y[%c0] [%c0, %c0, %c0, %c0] : <64 x 32> to <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>
    sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <64 x 64> to <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>
  }
  sm.partition @other warpgroups 1 registers 240 {
    %sum = sm.zero : <64 x 64>
    sm.store_sums %sum to %y[%c0] [%c0, %c0, %c0, %c0] : <64 x 64> to <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>
  }
}
