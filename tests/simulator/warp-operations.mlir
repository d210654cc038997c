// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

// CHECK-LABEL: llvm.func @warp
// CHECK-SAME: (%[[MASK:.*]]: i32, %[[I:.*]]: i32, %[[F:.*]]: f32, %[[P:.*]]: i1)
llvm.func @warp(%mask: i32, %i: i32, %f: f32, %p: i1) -> f32 attributes {nvvm.kernel} {
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: llvm.call @sm_elect(%{{.*}}, %[[ALL]]) : (i32, i32) -> i32
  %e = nvvm.elect.sync -> i1
  // CHECK: llvm.call @sm_elect(%{{.*}}, %[[MASK]])
  %e2 = nvvm.elect.sync %mask -> i1
  // CHECK: llvm.mlir.zero
  // CHECK: %[[IDX:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_shuffle(%{{.*}}, %[[IDX]], %[[MASK]], %[[I]], %[[I]], %[[I]], %{{.*}})
  %s = nvvm.shfl.sync idx %mask, %i, %i, %i : i32 -> i32
  // CHECK: llvm.mlir.zero
  // CHECK: %[[BFLY:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[BITS:.*]] = llvm.bitcast %[[F]] : f32 to i32
  // CHECK: %[[GOT:.*]] = llvm.call @sm_shuffle(%{{.*}}, %[[BFLY]], %[[MASK]], %[[BITS]]
  // CHECK: %[[VALUE:.*]] = llvm.bitcast %[[GOT]] : i32 to f32
  %t = nvvm.shfl.sync bfly %mask, %f, %i, %i : f32 -> f32
  // CHECK: %[[DOWN:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @sm_shuffle(%{{.*}}, %[[DOWN]]
  // CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1] : !llvm.struct<(i32, i1)>
  %u = nvvm.shfl.sync down %mask, %i, %i, %i {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  // CHECK: %[[VOTE:.*]] = llvm.zext %[[P]] : i1 to i32
  // CHECK: llvm.call @sm_vote(%{{.*}}, %{{.*}}, %[[MASK]], %[[VOTE]])
  %v = nvvm.vote.sync ballot %mask, %p -> i32
  // CHECK: llvm.call @sm_vote
  %w = nvvm.vote.sync any %mask, %p -> i1
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(40 : i32)
  // CHECK: %[[DECREASE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_setmaxnreg(%{{.*}}, %[[COUNT]], %[[DECREASE]])
  nvvm.setmaxregister decrease 40
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(232 : i32)
  // CHECK: %[[INCREASE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_setmaxnreg(%{{.*}}, %[[COUNT]], %[[INCREASE]])
  nvvm.setmaxregister increase 232
  // CHECK: llvm.call @sm_nanosleep
  nvvm.nanosleep %i
  // CHECK: llvm.return %[[VALUE]]
  llvm.return %t : f32
}

// CHECK-LABEL: llvm.func @registers
llvm.func @registers() -> i32 {
  // CHECK: %[[TID:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[R:.*]] = llvm.call @sm_special_register(%{{.*}}, %[[TID]]) : (i32, i32) -> i32
  %a = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[CTAID:.*]] = llvm.mlir.constant(6 : i32)
  // CHECK: llvm.call @sm_special_register(%{{.*}}, %[[CTAID]])
  %b = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 132> : i32
  // CHECK: %[[LANE:.*]] = llvm.mlir.constant(12 : i32)
  // CHECK: llvm.call @sm_special_register(%{{.*}}, %[[LANE]])
  %c = nvvm.read.ptx.sreg.laneid : i32
  // CHECK: %[[RANK:.*]] = llvm.mlir.constant(28 : i32)
  // CHECK: llvm.call @sm_special_register(%{{.*}}, %[[RANK]])
  %d = nvvm.read.ptx.sreg.cluster.ctarank : i32
  // CHECK: llvm.return %[[R]]
  llvm.return %a : i32
}
