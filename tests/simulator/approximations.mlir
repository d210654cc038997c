// Instructions that approximate become calls of the model, with the bits of what they take.
// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

// CHECK-LABEL: llvm.func @approximate
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32)
llvm.func @approximate(%a: f32, %b: f32) -> f32 attributes {nvvm.kernel} {
  // CHECK: %[[A_BITS:.*]] = llvm.bitcast %[[A]] : f32 to i32
  // CHECK: %[[POWER_BITS:.*]] = llvm.call @sm_ex2_approx(%{{.*}}, %[[A_BITS]]) : (i32, i32) -> i32
  // CHECK: %[[POWER:.*]] = llvm.bitcast %[[POWER_BITS]] : i32 to f32
  %power = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%a) : (f32) -> f32
  // CHECK: %[[TANH_BITS:.*]] = llvm.call @sm_tanh_approx(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
  // CHECK: %[[TANH:.*]] = llvm.bitcast %[[TANH_BITS]] : i32 to f32
  %tanh = llvm.intr.tanh(%power) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // CHECK: llvm.call @sm_div_full(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> i32
  %quotient = llvm.call_intrinsic "llvm.nvvm.div.full"(%tanh, %b) : (f32, f32) -> f32
  // CHECK: llvm.call @sm_div_approx(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> i32
  %fast = llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"(%quotient, %b) : (f32, f32) -> f32
  llvm.return %fast : f32
}
