// Sums that go to two other blocks of a cluster, and those that come from them.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 48>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 48, depth = 64, stages = 2, split_k = 3>

// CHECK-LABEL: llvm.func @exchange(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 3, 1, 1>
// CHECK-SAME: cluster = 3 : i64
// The exchange lies behind the buffers and before the barriers: two slots of 8 sums of each thread.
// CHECK-SAME: shared_bytes = 38952 : i64
// CHECK-SAME: cluster_columns = 1 : i64, cluster_rows = 1 : i64,
// CHECK-SAME: split = 3 : i64
sm.kernel @exchange(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 48 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 16 x bf16, row_dimension 3, swizzle 32>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #schedule} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 48 x bf16, swizzle 32>
  %b16 = sm.allocate : !sm.buffer<1 x 64 x 16 x bf16, swizzle 32>
  %exchange = sm.allocate_reduction_buffer : <1 x 3 x 8>
  %received = sm.barriers arrivals 8 : <1>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %received, %full, %empty cluster : !sm.barriers<1>, !sm.barriers<2>, !sm.barriers<2>
  sm.partition @multiply warpgroups 1 registers 240 {
    %slot = arith.constant 0 : index
    %parity = arith.constant 0 : i32
    %mask = sm.block_index
    %zero = sm.zero : !sm.accumulator<64 x 48>
    %sums = sm.mma %a[%slot], %b[%slot], %zero : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 48 x bf16, swizzle 32>, <64 x 48>
    // Vectors of four sums, thread after thread. What block 1 sends to block 0 goes to the first slot there, and the first
    // vector of the next thread lies 16 bytes further on.
    // CHECK-COUNT-4: nvvm.wgmma.mma_async
    // CHECK: %[[WARPGROUP:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    // CHECK: %[[HERE:.*]] = llvm.getelementptr %[[WARPGROUP]][%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    // CHECK-NEXT: %[[BLOCK0:.*]] = nvvm.mapa %[[HERE]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: llvm.extractvalue %[[SUMS:.*]][0]
    // CHECK: llvm.extractvalue %[[SUMS]][3]
    // CHECK: llvm.store %{{.*}}, %[[BLOCK0]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<7>
    // CHECK: llvm.extractvalue %[[SUMS]][7]
    // CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[BLOCK0]][2048]
    // CHECK: llvm.store %{{.*}}, %[[NEXT]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<7>
    // Block 1 has the middle part. In block 2 it is the second of the others.
    // CHECK: %[[BLOCK2:.*]] = nvvm.mapa %[[HERE]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: llvm.extractvalue %[[SUMS]][16]
    // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[BLOCK2]][4096]
    // CHECK: llvm.store %{{.*}}, %[[SECOND]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<7>
    // CHECK: llvm.getelementptr %[[BLOCK2]][6144]
    sm.send %sums to %exchange[%slot] as 1 : <64 x 48> to <1 x 3 x 8>
    // All lanes have sent when one of them says so, for the whole cluster.
    // CHECK: nvvm.bar.warp.sync
    // CHECK: nvvm.mapa
    // CHECK: nvvm.mbarrier.arrive %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    sm.arrive %received[%slot] at %mask publish : <1>
    // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {scope = #nvvm.mem_scope<cluster>}
    sm.wait %received[%slot] parity %parity cluster : <1>
    // The sums of block 0, then its own, then those of block 2.
    // CHECK: %[[LEFT:.*]] = llvm.load %[[HERE]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    // CHECK: llvm.extractvalue %[[SUMS]][8]
    // CHECK: llvm.extractvalue %[[SUMS]][11]
    // CHECK: %[[TWO:.*]] = llvm.fadd %[[LEFT]], %{{.*}} : vector<4xf32>
    // CHECK: %[[THERE:.*]] = llvm.getelementptr %[[HERE]][4096]
    // CHECK: %[[RIGHT:.*]] = llvm.load %[[THERE]] {alignment = 16 : i64}
    // CHECK: llvm.fadd %[[TWO]], %[[RIGHT]] : vector<4xf32>
    %mine = sm.add_received %sums, %exchange[%slot] as 1 : <64 x 48>, <1 x 3 x 8> to <64 x 16>
    %staging = arith.constant 0 : index
    sm.write %mine to %b16[%staging] : <64 x 16> to <1 x 64 x 16 x bf16, swizzle 32>
    sm.cluster_sync
  }
}
