// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

// CHECK-LABEL: llvm.func @divisions
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
llvm.func @divisions(%a: i32, %b: i32) -> i32 attributes {nvvm.kernel} {
  %three = llvm.mlir.constant(3 : index) : i32
  // CHECK-NOT: sm_undefined
  // CHECK: llvm.udiv %[[A]], %{{.*}} : i32
  %0 = llvm.udiv %a, %three : i32
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[BAD:.*]] = llvm.icmp "eq" %[[B]], %[[ZERO]] : i32
  // CHECK: llvm.cond_br %[[BAD]], ^[[OBJECT:.*]], ^[[GO_ON:.*]]
  // CHECK: ^[[OBJECT]]:
  // CHECK: %[[WHAT:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @sm_undefined(%{{.*}}, %[[WHAT]]) : (i32, i32) -> ()
  // CHECK-NEXT: llvm.br ^[[GO_ON]]
  // CHECK: ^[[GO_ON]]:
  // CHECK-NEXT: llvm.urem %{{.*}}, %[[B]]
  %1 = llvm.urem %0, %b : i32
  // The least number over -1 has no quotient.
  // CHECK: llvm.icmp "eq" %[[B]]
  // CHECK: %[[MINUS_ONE:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: llvm.icmp "eq" %[[B]], %[[MINUS_ONE]]
  // CHECK: %[[LEAST:.*]] = llvm.mlir.constant(-2147483648 : i32)
  // CHECK: llvm.icmp "eq" %{{.*}}, %[[LEAST]]
  // CHECK: llvm.and
  // CHECK: llvm.or
  // CHECK: llvm.cond_br
  // CHECK: llvm.sdiv
  %2 = llvm.sdiv %1, %b : i32
  // A constant of zero is no better than a value.
  %zero = llvm.mlir.constant(0 : i32) : i32
  // CHECK: llvm.call @sm_undefined
  // CHECK: llvm.udiv
  %3 = llvm.udiv %2, %zero : i32
  llvm.return %3 : i32
}

// CHECK-LABEL: llvm.func @shifts
llvm.func @shifts(%a: i32, %b: i32) -> i32 {
  %four = llvm.mlir.constant(4 : i32) : i32
  // CHECK-NOT: sm_undefined
  // CHECK: llvm.shl
  %0 = llvm.shl %a, %four : i32
  // CHECK: %[[WIDTH:.*]] = llvm.mlir.constant(32 : i32)
  // CHECK: llvm.icmp "uge" %{{.*}}, %[[WIDTH]] : i32
  // CHECK: %[[WHAT:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @sm_undefined(%{{.*}}, %[[WHAT]])
  // CHECK: llvm.lshr
  %1 = llvm.lshr %0, %b : i32
  llvm.return %1 : i32
}

// CHECK-LABEL: llvm.func @elements
llvm.func @elements(%v: vector<2xf32>, %i: i32) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NOT: sm_undefined
  // CHECK: llvm.extractelement
  %0 = llvm.extractelement %v[%one : i32] : vector<2xf32>
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.icmp "uge" %{{.*}}, %[[COUNT]] : i32
  // CHECK: llvm.call @sm_undefined
  // CHECK: llvm.insertelement
  %1 = llvm.insertelement %0, %v[%i : i32] : vector<2xf32>
  %2 = llvm.extractelement %1[%one : i32] : vector<2xf32>
  llvm.return %2 : f32
}

// Every way back has a call, no way forward.
// CHECK-LABEL: llvm.func @loops
llvm.func @loops(%n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NOT: sm_loop
  // CHECK: llvm.br ^[[HEAD:bb[0-9]+]](
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  // CHECK: llvm.icmp "slt"
  %more = llvm.icmp "slt" %i, %n : i32
  // CHECK-NEXT: llvm.cond_br
  llvm.cond_br %more, ^body, ^alone
^body:
  %next = llvm.add %i, %one : i32
  // CHECK: llvm.call @sm_loop(%{{.*}}) : (i32) -> ()
  // CHECK-NEXT: llvm.br ^[[HEAD]](
  llvm.br ^head(%next : i32)
^alone:
  // CHECK: llvm.call @sm_loop
  // CHECK-NEXT: llvm.cond_br
  llvm.cond_br %more, ^alone, ^never
^never:
  // CHECK: %[[WHAT:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @sm_undefined(%{{.*}}, %[[WHAT]])
  // CHECK-NEXT: llvm.unreachable
  llvm.unreachable
}
