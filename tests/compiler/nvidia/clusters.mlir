// What blocks of a cluster do for each other: copies of parts to several blocks, arrivals at the barriers of others,
// meeting at both ends of the kernel.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2, cluster = 2 x 1>

// A launch without clusters of two fails.
// CHECK-LABEL: llvm.func @clusters(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: boxes = {w = {columns = 16 : i64, rows = 32 : i64, swizzle = 32 : i64}, x = {columns = 64 : i64, rows = 64 : i64
// CHECK-SAME: cluster = 2 : i64
// CHECK-SAME: tile = {cluster_columns = 1 : i64, cluster_rows = 2 : i64,
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NOT: nvvm.barrier0
sm.kernel @clusters(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 32>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 8 : <2>
  sm.initialize %full, %empty cluster : !sm.barriers<2>, !sm.barriers<2>
  sm.partition @multiply warpgroups 1 registers 240 {
    %slot = arith.constant 1 : index
    // CHECK: %[[MASK:.*]] = nvvm.read.ptx.sreg.ctaid.x
    %mask = sm.block_index
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 32>, <64 x 64>
    // Lane l arrives at block l, where bit l is set.
    // CHECK-COUNT-4: nvvm.wgmma.mma_async
    // CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
    // CHECK: %[[SHIFTED:.*]] = llvm.lshr %[[MASK]], %[[LANE]]
    // CHECK: %[[BIT:.*]] = llvm.and %[[SHIFTED]], %{{.*}}
    // CHECK: %[[SET:.*]] = llvm.icmp "eq" %[[BIT]], %{{.*}}
    // CHECK: llvm.cond_br %[[SET]], ^[[ARRIVE:bb[0-9]+]], ^[[ARRIVED:bb[0-9]+]]
    // CHECK: ^[[ARRIVE]]:
    // CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %[[LANE]] : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: nvvm.mbarrier.arrive %[[THERE]] : !llvm.ptr<7>
    // CHECK: ^[[ARRIVED]]:
    sm.arrive %empty[%slot] at %mask : <2>
    // CHECK: nvvm.cluster.arrive
    // CHECK-NOT: aligned
    // CHECK: nvvm.cluster.wait
    // CHECK-NOT: aligned
    sm.cluster_sync
  }
  sm.partition @load warpgroups 1 registers 40 {
    // One thread does everything but meet the others, and the hardware elects it.
    // CHECK: nvvm.elect.sync
    sm.elect {
      %slot = arith.constant 1 : index
      // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
      %rank = sm.cluster_rank
      %i = sm.block_index
      // 32 rows of the part before this one, of the depth and of every panel.
      // CHECK: %[[BEFORE:.*]] = llvm.mul %[[RANK]], %{{.*}} : i32
      // CHECK: %[[DEPTH:.*]] = llvm.add %{{.*}}, %[[BEFORE]]
      // CHECK: %[[BLOCKS:.*]] = llvm.trunc %{{.*}} : i32 to i16
      // CHECK: %[[BYTES:.*]] = llvm.mul %[[BEFORE]], %{{.*}}
      // CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[BYTES]]]
      // CHECK: %[[TARGET:.*]] = llvm.addrspacecast %[[PLACE]]
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TARGET]], %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %[[DEPTH]], %{{.*}}] multicast_mask = %[[BLOCKS]]
      // CHECK-COUNT-3: multicast_mask = %[[BLOCKS]]
      sm.load %w[%slot] [%i, %i, %i, %i] to %b[%slot] part %rank of 2 multicast %i signal %full[%slot]
          : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 32> to <2 x 64 x 64 x bf16, swizzle 32>, !sm.barriers<2>
    }
    // CHECK: nvvm.cluster.arrive
    // CHECK: nvvm.cluster.wait
    sm.cluster_sync
  }
}
