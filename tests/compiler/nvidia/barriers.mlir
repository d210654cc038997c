// Waiting, arriving, meeting and fencing.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// CHECK-LABEL: llvm.func @barriers(
// CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @shared
// Two slots of 8192 bytes for each of A and B, one for C, then the barriers.
// CHECK-DAG: %[[FULL:.*]] = llvm.getelementptr %[[SHARED]][40960]
// CHECK-DAG: %[[EMPTY:.*]] = llvm.getelementptr %[[SHARED]][40976]
// CHECK: %[[SLOT:.*]] = nvvm.read.ptx.sreg.ctaid.x
sm.kernel @barriers(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %even = arith.constant 0 : i32
    // A loop around an attempt, so that a wait that needs more than one is seen by whoever reads or mutates the program.
    // CHECK: %[[AT:.*]] = llvm.mul %[[SLOT]], %{{.*}} : i32
    // CHECK: %[[BARRIER:.*]] = llvm.getelementptr %[[FULL]][%[[AT]]]
    // CHECK: llvm.br ^[[ATTEMPT:bb[0-9]+]]
    // CHECK: ^[[ATTEMPT]]:
    // CHECK-NEXT: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[BARRIER]], %{{.*}} : !llvm.ptr<3>, i32 -> i1
    // CHECK-NEXT: llvm.cond_br %[[DONE]], ^[[AFTER:bb[0-9]+]], ^[[ATTEMPT]]
    // CHECK: ^[[AFTER]]:
    sm.wait %full[%slot] parity %even : <2>
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64>
    // The first lane of every warp arrives.
    // CHECK-COUNT-4: nvvm.wgmma.mma_async
    // CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
    // CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[LANE]], %{{.*}}
    // CHECK: llvm.cond_br %[[FIRST]], ^[[ARRIVE:bb[0-9]+]], ^[[ARRIVED:bb[0-9]+]]
    // CHECK: ^[[ARRIVE]]:
    // CHECK: %[[RELEASED:.*]] = llvm.getelementptr %[[EMPTY]]
    // CHECK: nvvm.mbarrier.arrive %[[RELEASED]] : !llvm.ptr<3>
    // CHECK: ^[[ARRIVED]]:
    sm.arrive %empty[%slot] : <2>
    // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    sm.fence
    // Each warpgroup has a barrier of its own, behind the block's.
    // CHECK: %[[OWN:.*]] = llvm.add %{{.*}}, %{{.*}} : i32
    // CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %{{.*}}
    sm.sync
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %{{.*}} : !llvm.ptr<3>, i32
      sm.expect %full[%slot] bytes 16384 : <2>
    }
  }
}
