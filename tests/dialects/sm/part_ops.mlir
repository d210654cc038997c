// How parts of a partition meet, and bring their sums together.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, ping_pong = 2>

sm.kernel @parts(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %partial = sm.allocate_reduction_buffer : <1 x 2 x 48>
  sm.partition @multiply warpgroups 2 registers 224 turns 2 {
    %sums = sm.zero : <64 x 96>
    // CHECK: sm.sync_parts 1
    sm.sync_parts 1
    // CHECK: sm.write_partial %[[SUMS:.*]] to %[[PARTIAL:.*]] : <64 x 96> to <1 x 2 x 48>
    sm.write_partial %sums to %partial : <64 x 96> to <1 x 2 x 48>
    // CHECK: sm.arrive_parts 0
    sm.arrive_parts 0
    // CHECK: sm.add_partial %[[SUMS]], %[[PARTIAL]] : <64 x 96>, <1 x 2 x 48>
    %all = sm.add_partial %sums, %partial : <64 x 96>, <1 x 2 x 48>
    // CHECK: sm.store_sums %{{.*}} to %{{.*}} by_one_part : <64 x 96>
    sm.store_sums %all to %y[%c0] [%c0, %c0, %c0, %c0] by_one_part : <64 x 96> to <2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>
  }
}
