// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

// CHECK-LABEL: llvm.func @tensor_maps
// CHECK-SAME: (%[[MAP:.*]]: !llvm.ptr, %[[S:.*]]: !llvm.ptr<3>, %[[S7:.*]]: !llvm.ptr<7>, %[[B:.*]]: !llvm.ptr<3>, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[MASK:.*]]: i16, %[[P:.*]]: i1)
llvm.func @tensor_maps(%map: !llvm.ptr, %s: !llvm.ptr<3>, %s7: !llvm.ptr<7>, %b: !llvm.ptr<3>, %x: i32, %y: i32, %mask: i16,
                       %p: i1) attributes {nvvm.kernel} {
  // CHECK: %[[RANK:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[TO:.*]] = llvm.addrspacecast %[[S7]] : !llvm.ptr<7> to !llvm.ptr
  // CHECK: %[[BARRIER:.*]] = llvm.addrspacecast %[[B]] : !llvm.ptr<3> to !llvm.ptr
  // CHECK: %[[NONE:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: %[[CLUSTER:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_tma_load(%{{.*}}, %[[TO]], %[[MAP]], %[[BARRIER]], %[[RANK]], %[[X]], %[[Y]], %{{.*}}, %{{.*}}, %{{.*}}, %[[NONE]], %[[CLUSTER]])
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s7, %map, %b, box[%x, %y] {isCTAOnly = false} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[MASK]] : i16 to i32
  // CHECK: llvm.call @sm_tma_load({{.*}}, %[[WIDE]], %{{.*}})
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s7, %map, %b, box[%x] multicast_mask = %mask {isCTAOnly = false} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: llvm.cond_br %[[P]], ^[[THEN:.*]], ^[[REST:.*]]
  // CHECK: ^[[THEN]]:
  // CHECK: llvm.call @sm_tma_load
  // CHECK: ^[[REST]]:
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s7, %map, %b, box[%x, %y, %x] predicate = %p {isCTAOnly = false} : !llvm.ptr<7>, !llvm.ptr
  // CHECK: %[[ONLY:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_tma_load({{.*}}, %[[ONLY]])
  nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %map, %b, box[%x, %y, %x] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  // CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @sm_tma_store(%{{.*}}, %[[MAP]], %{{.*}}, %[[THREE]], %[[X]], %[[Y]], %[[X]], %{{.*}}, %{{.*}})
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%x, %y, %x] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: llvm.call @sm_tma_add(%{{.*}}, %[[MAP]], %{{.*}}, %{{.*}}, %[[X]], %[[Y]], %{{.*}}, %{{.*}}, %{{.*}})
  nvvm.cp.async.bulk.tensor.reduce %map, %s, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  // CHECK: llvm.call @sm_tma_prefetch(%{{.*}}, %[[MAP]], %{{.*}}, %[[X]], %[[Y]], %{{.*}}, %{{.*}}, %{{.*}})
  nvvm.cp.async.bulk.tensor.prefetch %map, box[%x, %y] : !llvm.ptr
  // CHECK: llvm.call @sm_prefetch_tensormap(%{{.*}}, %[[MAP]])
  nvvm.prefetch tensormap, %map : !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @bulk
// CHECK-SAME: (%[[S7:.*]]: !llvm.ptr<7>, %[[S:.*]]: !llvm.ptr<3>, %[[G:.*]]: !llvm.ptr<1>, %[[B:.*]]: !llvm.ptr<3>, %[[N:.*]]: i32)
llvm.func @bulk(%s7: !llvm.ptr<7>, %s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %b: !llvm.ptr<3>, %n: i32) {
  // CHECK: llvm.call @sm_bulk_load(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[N]], %{{.*}})
  nvvm.cp.async.bulk.shared.cluster.global %s7, %g, %b, %n : !llvm.ptr<7>, !llvm.ptr<1>
  // CHECK: llvm.call @sm_bulk_store(%{{.*}}, %{{.*}}, %{{.*}}, %[[N]])
  nvvm.cp.async.bulk.global.shared.cta %g, %s, %n : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: llvm.call @sm_bulk_commit_group
  nvvm.cp.async.bulk.commit.group
  // CHECK: %[[PENDING:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[READ:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_bulk_wait_group(%{{.*}}, %[[PENDING]], %[[READ]])
  nvvm.cp.async.bulk.wait_group 3 {read}
  // CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[WRITTEN:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_bulk_wait_group(%{{.*}}, %[[NONE]], %[[WRITTEN]])
  nvvm.cp.async.bulk.wait_group 0
  llvm.return
}

// CHECK-LABEL: llvm.func @cp_async
// CHECK-SAME: (%{{.*}}: !llvm.ptr<3>, %{{.*}}: !llvm.ptr<1>, %[[N:.*]]: i32)
llvm.func @cp_async(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %n: i32) {
  // CHECK: %[[FULL:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: llvm.call @sm_cp_async(%{{.*}}, %{{.*}}, %{{.*}}, %[[FULL]], %[[ALL]])
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: llvm.call @sm_cp_async(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[N]])
  nvvm.cp.async.shared.global %s, %g, 8, cache = ca, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: llvm.call @sm_cp_async_commit_group
  nvvm.cp.async.commit.group
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @sm_cp_async_wait_group(%{{.*}}, %[[TWO]])
  nvvm.cp.async.wait.group 2
  // CHECK: %[[NOINC:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_cp_async_mbarrier_arrive(%{{.*}}, %{{.*}}, %[[NOINC]])
  nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @other_blocks
// CHECK-SAME: (%{{.*}}: !llvm.ptr<3>, %[[RANK:.*]]: i32)
llvm.func @other_blocks(%s: !llvm.ptr<3>, %rank: i32) -> !llvm.ptr<7> {
  // CHECK: %[[A:.*]] = llvm.call @sm_mapa(%{{.*}}, %{{.*}}, %[[RANK]]) : (i32, !llvm.ptr, i32) -> !llvm.ptr
  // CHECK: %[[A7:.*]] = llvm.addrspacecast %[[A]] : !llvm.ptr to !llvm.ptr<7>
  %a = nvvm.mapa %s, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.return %[[A7]]
  llvm.return %a : !llvm.ptr<7>
}
