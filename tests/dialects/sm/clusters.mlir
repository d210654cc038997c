// What thread blocks of a cluster do for each other.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3, cluster = 4 x 2>

sm.kernel @clusters(%x: !sm.maps<2 x 32 x 64 x bf16, row_dimension 3, swizzle 128>,
                    %w: !sm.maps<1 x 16 x 64 x bf16, row_dimension 2, swizzle 128>,
                    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                    %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %mask = arith.constant 3 : index
  %b = sm.allocate : <3 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <3>
  %empty = sm.barriers arrivals 20 : <3>
  // CHECK: sm.initialize %{{.*}}, %{{.*}} cluster : !sm.barriers<3>, !sm.barriers<3>
  sm.initialize %full, %empty cluster : !sm.barriers<3>, !sm.barriers<3>
  // CHECK: %[[RANK:.*]] = sm.cluster_rank
  %rank = sm.cluster_rank
  // CHECK: sm.fetch %x[%{{.*}}] [%{{.*}}] part %[[RANK]] of 2 multicast %{{.*}} : <2 x 32 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %a = sm.fetch %x[%i] [%i, %i, %i, %i] part %rank of 2 multicast %mask : <2 x 32 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  // What a block alone reads is as many boxes high as others have blocks.
  // CHECK: sm.fetch %w[%{{.*}}] [%{{.*}}] : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %own = sm.fetch %w[%i] [%i, %i, %i, %i] : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: sm.arrive %{{.*}}[%{{.*}}] at %{{.*}} : <3>
    sm.arrive %empty[%i] at %mask : <3>
    // CHECK: sm.cluster_sync
    sm.cluster_sync
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: sm.load %w[%{{.*}}] [%{{.*}}] to %{{.*}}[%{{.*}}] part %[[RANK]] of 4 multicast %{{.*}} : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> to <3 x 64 x 64 x bf16, swizzle 128>
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] part %rank of 4 multicast %mask
          : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> to <3 x 64 x 64 x bf16, swizzle 128>
      // CHECK: sm.load %w[%{{.*}}] [%{{.*}}] to %{{.*}}[%{{.*}}] part %[[RANK]] of 4 multicast %{{.*}} signal %{{.*}}[%{{.*}}] : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> to <3 x 64 x 64 x bf16, swizzle 128>, !sm.barriers<3>
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] part %rank of 4 multicast %mask signal %full[%i]
          : <1 x 16 x 64 x bf16, row_dimension 2, swizzle 128> to <3 x 64 x 64 x bf16, swizzle 128>, !sm.barriers<3>
    }
    sm.cluster_sync
  }
}
