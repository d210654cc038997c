// RUN: alg-opt --convert-nvvm-to-simulator %s | FileCheck %s

// The text of each site is kept: names of values as the module has them, long structs shortened.
// CHECK: sm.sites = ["outside of the kernel",
// CHECK-SAME: "%{{[0-9]+}} = llvm.mlir.addressof @shared : !llvm.ptr<3> (line [[# @LINE + 9]])"
// CHECK-SAME: "llvm.store %arg0, %{{.*}} : vector<4xf32>, !llvm.ptr<3> (line

// CHECK-NOT: llvm.mlir.global
llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @plain
// CHECK-SAME: (%[[V:.*]]: vector<4xf32>, %[[G:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32)
llvm.func @plain(%v: vector<4xf32>, %g: !llvm.ptr<1>, %n: i32) {
  %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
  // CHECK: %[[BASE:.*]] = llvm.call @sm_shared_base(%{{.*}}) : (i32) -> !llvm.ptr
  // CHECK: %[[S:.*]] = llvm.addrspacecast %[[BASE]] : !llvm.ptr to !llvm.ptr<3>
  // CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i64)
  // CHECK: llvm.call @sm_write(%{{.*}}, %{{.*}}, %[[SIXTEEN]]) : (i32, !llvm.ptr, i64) -> ()
  // CHECK-NEXT: llvm.store %[[V]], %[[S]]
  llvm.store %v, %s : vector<4xf32>, !llvm.ptr<3>
  %sum = llvm.mlir.constant(1.0 : f64) : f64
  // CHECK: llvm.call @sm_write_f64
  // CHECK-NEXT: llvm.store
  llvm.store %sum, %g : f64, !llvm.ptr<1>
  // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK: llvm.call @sm_read(%{{.*}}, %{{.*}}, %[[FOUR]])
  // CHECK-NEXT: llvm.load %[[G]]
  %a = llvm.load %g : !llvm.ptr<1> -> i32
  // CHECK: llvm.call @sm_atomic
  // CHECK-NEXT: llvm.atomicrmw
  %b = llvm.atomicrmw add %g, %n monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.call @sm_atomic
  // CHECK-NEXT: llvm.cmpxchg
  %c = llvm.cmpxchg %g, %n, %n monotonic monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.call @sm_atomic
  // CHECK-NEXT: llvm.load
  %d = llvm.load %g atomic monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: %[[BYTES:.*]] = llvm.zext %[[N]] : i32 to i64
  // CHECK: llvm.call @sm_read(%{{.*}}, %{{.*}}, %[[BYTES]])
  // CHECK: llvm.call @sm_write
  // CHECK: "llvm.intr.memcpy"
  "llvm.intr.memcpy"(%s, %g, %n) <{isVolatile = false}> : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
  llvm.return
}

// The thread's own stack is nobody else's.
// CHECK-LABEL: llvm.func @stack
llvm.func @stack(%i: i32) -> i32 {
  // CHECK-NOT: llvm.call
  %a = llvm.alloca %i x i32 : (i32) -> !llvm.ptr
  %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  llvm.store %i, %b : i32, !llvm.ptr
  %c = llvm.load %b : !llvm.ptr -> i32
  llvm.return %c : i32
}

// CHECK-LABEL: llvm.func @trap
llvm.func @trap() {
  // CHECK: llvm.call @sm_trap
  // CHECK: llvm.unreachable
  "llvm.intr.trap"() : () -> ()
  llvm.unreachable
}

// Byval parameters are pointers to the caller's value; the kernel loses what says that it is one.
// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: i32, %{{.*}}: !llvm.ptr<1>) {
llvm.func @kernel(%maps: !llvm.ptr {llvm.byval = !llvm.array<2 x array<128 x i8>>, nvvm.grid_constant, llvm.align = 64 : i64},
                  %rows: i32, %terms: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, sm.kernel = {threads = 128 : i64}} {
  llvm.return
}
// CHECK-LABEL: llvm.func @kernel.call
// CHECK-SAME: (%[[ARGUMENTS:.*]]: !llvm.ptr)
// CHECK: %[[MAPS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[PLACE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[ROWS:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> i32
// CHECK: %[[TERMS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr<1>
// CHECK: llvm.call @kernel(%[[MAPS]], %[[ROWS]], %[[TERMS]])
