// What blocks that divide the steps of a tile do with their sums.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 3>

sm.kernel @split(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %mask = arith.constant 6 : index
  %parity = arith.constant 1 : i32
  // CHECK: sm.allocate_reduction_buffer : <1 x 3 x 16>
  %exchange = sm.allocate_reduction_buffer : <1 x 3 x 16>
  %received = sm.barriers arrivals 8 : <1>
  sm.partition @multiply warpgroups 1 registers 240 {
    %sums = sm.zero : <64 x 96>
    // CHECK: sm.reduce_scatter %{{.*}} : <64 x 96> to <64 x 32>
    %mine = sm.reduce_scatter %sums : <64 x 96> to <64 x 32>
    %across = sm.zero : <96 x 64, transposed>
    // CHECK: sm.reduce_scatter %{{.*}} : <96 x 64, transposed> to <24 x 64, transposed>
    %rows_of_mine = sm.reduce_scatter %across : <96 x 64, transposed> to <24 x 64, transposed>
    // CHECK: sm.send %{{.*}} to %{{.*}}[%{{.*}}] as 2 : <64 x 96> to <1 x 3 x 16>
    sm.send %sums to %exchange[%i] as 2 : <64 x 96> to <1 x 3 x 16>
    // CHECK: sm.arrive %{{.*}}[%{{.*}}] at %{{.*}} publish : <1>
    sm.arrive %received[%i] at %mask publish : <1>
    // CHECK: sm.wait %{{.*}}[%{{.*}}] parity %{{.*}} cluster : <1>
    sm.wait %received[%i] parity %parity cluster : <1>
    // CHECK: sm.add_received %{{.*}}, %{{.*}}[%{{.*}}] as 2 : <64 x 96>, <1 x 3 x 16> to <64 x 32>
    %part = sm.add_received %sums, %exchange[%i] as 2 : <64 x 96>, <1 x 3 x 16> to <64 x 32>
  }
}
