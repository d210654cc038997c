// RUN: alg-opt --convert-nvvm-to-simulator --split-input-file --verify-diagnostics %s

llvm.func @kernel(%i: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.inline_asm' op has no model in the simulator}}
  llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
  llvm.return
}

// -----

llvm.func @kernel(%x: f32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.inline_ptx' op has no model in the simulator}}
  nvvm.inline_ptx "tanh.approx.f32 $0, $0;" ro (%x : f32)
  llvm.return
}

// -----

llvm.func @kernel(%x: f32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.call_intrinsic' op has no model in the simulator}}
  %0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @elsewhere()
llvm.func @kernel() attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.call' op has no model in the simulator}}
  llvm.call @elsewhere() : () -> ()
  llvm.return
}

// -----

// Every op without a model is named, not the first one alone.
llvm.func @kernel(%x: f32, %a: i32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.rcp.approx.ftz.f' op has no model in the simulator}}
  %0 = nvvm.rcp.approx.ftz.f %x : f32
  // expected-error @+1 {{'nvvm.redux.sync' op has no model in the simulator}}
  %1 = nvvm.redux.sync add %a, %a : i32 -> i32
  llvm.return
}

// -----

llvm.func @kernel(%x: bf16) -> bf16 attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.fadd' op has no model in the simulator}}
  %0 = llvm.fadd %x, %x : bf16
  llvm.return %0 : bf16
}

// -----

llvm.func @kernel(%x: i32) -> i32 attributes {nvvm.kernel} {
  // expected-error @+1 {{'arith.addi' op has no model in the simulator}}
  %0 = arith.addi %x, %x : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{'llvm.mlir.global' op has no model: the only global of a kernel is an external array without elements in address space 3, its dynamic shared memory}}
llvm.mlir.global internal @static() {addr_space = 3 : i32} : !llvm.array<16 x i8>
llvm.func @kernel() attributes {nvvm.kernel} {
  llvm.return
}

// -----

// expected-error @+1 {{holds no kernel: no function has the attribute nvvm.kernel}}
module {
  llvm.func @function() {
    llvm.return
  }
}

// -----

// expected-error @+1 {{'func.func' op has no model: the module of a kernel holds functions and shared memory only}}
func.func @function() {
  return
}
