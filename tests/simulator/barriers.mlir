// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

// CHECK-LABEL: llvm.func @mbarriers
// CHECK-SAME: (%[[B:.*]]: !llvm.ptr<3>, %[[C:.*]]: !llvm.ptr<7>, %[[N:.*]]: i32, %[[P:.*]]: i1)
llvm.func @mbarriers(%b: !llvm.ptr<3>, %c: !llvm.ptr<7>, %n: i32, %p: i1) attributes {nvvm.kernel} {
  // CHECK: %[[SITE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_mbarrier_init(%[[SITE]], %{{.*}}, %[[N]]) : (i32, !llvm.ptr, i32) -> ()
  nvvm.mbarrier.init %b, %n : !llvm.ptr<3>, i32
  // CHECK: llvm.cond_br %[[P]], ^[[THEN:.*]], ^[[REST:.*]]
  // CHECK: ^[[THEN]]:
  // CHECK: llvm.call @sm_mbarrier_init
  // CHECK: llvm.br ^[[REST]]
  // CHECK: ^[[REST]]:
  nvvm.mbarrier.init %b, %n, predicate = %p : !llvm.ptr<3>, i32, i1
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[A:.*]] = llvm.addrspacecast %[[B]] : !llvm.ptr<3> to !llvm.ptr
  // CHECK: %[[STATE:.*]] = llvm.call @sm_mbarrier_arrive(%{{.*}}, %[[A]], %[[ONE]]) : (i32, !llvm.ptr, i32) -> i64
  %s = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64
  // CHECK: llvm.call @sm_mbarrier_arrive(%{{.*}}, %{{.*}}, %[[N]])
  %s2 = nvvm.mbarrier.arrive %b, %n : !llvm.ptr<3> -> i64
  // A remote arrival has its scope: 0 is a block's, 1 the cluster's.
  // CHECK: %[[CTA:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_mbarrier_arrive_cluster(%{{.*}}, %{{.*}}, %{{.*}}, %[[CTA]]) : (i32, !llvm.ptr, i32, i32) -> ()
  nvvm.mbarrier.arrive %c : !llvm.ptr<7>
  // CHECK: %[[ONCE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[CLUSTER:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_mbarrier_arrive_cluster(%{{.*}}, %{{.*}}, %[[ONCE]], %[[CLUSTER]]) : (i32, !llvm.ptr, i32, i32) -> ()
  nvvm.mbarrier.arrive %c {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: llvm.call @sm_mbarrier_arrive_expect_tx(%{{.*}}, %{{.*}}, %[[N]])
  nvvm.mbarrier.arrive.expect_tx %b, %n : !llvm.ptr<3>, i32
  // CHECK: llvm.call @sm_mbarrier_arrive_expect_tx_cluster(%{{.*}}, %{{.*}}, %[[N]])
  nvvm.mbarrier.arrive.expect_tx %c, %n : !llvm.ptr<7>, i32
  // CHECK: llvm.call @sm_mbarrier_expect_tx(%{{.*}}, %{{.*}}, %[[N]])
  nvvm.mbarrier.expect_tx %b, %n : !llvm.ptr<3>, i32
  // CHECK: llvm.call @sm_mbarrier_complete_tx(%{{.*}}, %{{.*}}, %[[N]])
  nvvm.mbarrier.complete_tx %b, %n : !llvm.ptr<3>, i32
  // CHECK: %[[DONE:.*]] = llvm.call @sm_mbarrier_try_wait_parity(%{{.*}}, %{{.*}}, %[[N]], %{{.*}}) : (i32, !llvm.ptr, i32, i32) -> i32
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[OK:.*]] = llvm.icmp "ne" %[[DONE]], %[[ZERO]]
  %ok = nvvm.mbarrier.try_wait %b, %n : !llvm.ptr<3>, i32 -> i1
  // CHECK: llvm.call @sm_mbarrier_try_wait(%{{.*}}, %{{.*}}, %[[STATE]], %{{.*}}) : (i32, !llvm.ptr, i64, i32) -> i32
  %ok2 = nvvm.mbarrier.try_wait %b, %s : !llvm.ptr<3>, i64 -> i1
  // CHECK: %[[WIDE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_mbarrier_try_wait_parity(%{{.*}}, %{{.*}}, %[[N]], %[[WIDE]])
  %ok5 = nvvm.mbarrier.try_wait %b, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // CHECK: llvm.call @sm_mbarrier_test_wait_parity(%{{.*}}, %{{.*}}, %[[N]])
  %ok3 = nvvm.mbarrier.test.wait %b, %n : !llvm.ptr<3>, i32 -> i1
  // CHECK: llvm.call @sm_mbarrier_test_wait(%{{.*}}, %{{.*}}, %[[STATE]])
  %ok4 = nvvm.mbarrier.test.wait %b, %s : !llvm.ptr<3>, i64 -> i1
  // CHECK: llvm.intr.assume %[[OK]]
  llvm.intr.assume %ok : i1
  // CHECK: llvm.call @sm_mbarrier_inval
  nvvm.mbarrier.inval %b : !llvm.ptr<3>
  llvm.return
}

// The op without a result is a loop.
// CHECK-LABEL: llvm.func @waits_by_itself
llvm.func @waits_by_itself(%b: !llvm.ptr<3>, %parity: i32, %ticks: i32) {
  // CHECK: llvm.br ^[[LOOP:.*]]
  // CHECK: ^[[LOOP]]:
  // CHECK: llvm.call @sm_mbarrier_try_wait_parity
  // CHECK: llvm.cond_br %{{.*}}, ^[[REST:.*]], ^[[LOOP]]
  // CHECK: ^[[REST]]:
  // CHECK-NEXT: llvm.return
  nvvm.mbarrier.try_wait.parity %b, %parity, %ticks : !llvm.ptr<3>, i32, i32
  llvm.return
}

// CHECK-LABEL: llvm.func @fences
llvm.func @fences() {
  // CHECK: llvm.call @sm_fence_mbarrier_init
  nvvm.fence.mbarrier.init
  // CHECK: %[[CTA:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @sm_fence_proxy(%{{.*}}, %[[CTA]])
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: %[[CLUSTER:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @sm_fence_proxy(%{{.*}}, %[[CLUSTER]])
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  // CHECK: %[[ASYNC:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_fence_proxy(%{{.*}}, %[[ASYNC]])
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK: %[[GLOBAL:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_fence_proxy(%{{.*}}, %[[GLOBAL]])
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  // CHECK: %[[GPU:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @sm_fence(%{{.*}}, %[[GPU]])
  nvvm.memory.barrier <gpu>
  // CHECK: llvm.call @sm_fence
  nvvm.fence.sc.cluster
  // CHECK: %[[BLOCK:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_fence(%{{.*}}, %[[BLOCK]])
  llvm.fence syncscope("block") acq_rel
  llvm.return
}

// CHECK-LABEL: llvm.func @block_and_cluster
// CHECK-SAME: (%[[ID:.*]]: i32, %[[N:.*]]: i32)
llvm.func @block_and_cluster(%id: i32, %n: i32) {
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_barrier(%{{.*}}, %[[ZERO]], %[[ALL]])
  nvvm.barrier0
  // CHECK: llvm.call @sm_barrier(%{{.*}}, %[[ID]], %[[N]])
  nvvm.barrier id = %id number_of_threads = %n
  // CHECK: llvm.call @sm_barrier_arrive(%{{.*}}, %[[ID]], %[[N]])
  nvvm.barrier.arrive id = %id number_of_threads = %n
  // CHECK: %[[STRONG:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[ALIGNED:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_cluster_arrive(%{{.*}}, %[[STRONG]], %[[ALIGNED]])
  nvvm.cluster.arrive {aligned}
  // CHECK: %[[RELAXED:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[UNALIGNED:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_cluster_arrive(%{{.*}}, %[[RELAXED]], %[[UNALIGNED]])
  nvvm.cluster.arrive.relaxed
  // CHECK: llvm.call @sm_cluster_wait
  nvvm.cluster.wait {aligned}
  // CHECK: llvm.call @sm_warp_sync(%{{.*}}, %[[N]])
  nvvm.bar.warp.sync %n : i32
  // CHECK: llvm.call @sm_griddepcontrol_wait
  nvvm.griddepcontrol wait
  // CHECK: llvm.call @sm_griddepcontrol_launch_dependents
  nvvm.griddepcontrol launch_dependents
  llvm.return
}
