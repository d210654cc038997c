// RUN: alg-opt --convert-nvvm-to-simulator --split-input-file --verify-diagnostics %s

llvm.func @kernel(%v: vector<2xi32>) -> vector<2xi32> attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.udiv' op has no model in this form: vectors are divided and shifted by constants only}}
  %0 = llvm.udiv %v, %v : vector<2xi32>
  llvm.return %0 : vector<2xi32>
}

// -----

llvm.func @kernel(%v: vector<2xi32>) -> vector<2xi32> attributes {nvvm.kernel} {
  %counts = llvm.mlir.constant(dense<[31, 32]> : vector<2xi32>) : vector<2xi32>
  // expected-error @+1 {{'llvm.shl' op has no model in this form: vectors are divided and shifted by constants only}}
  %0 = llvm.shl %v, %counts : vector<2xi32>
  llvm.return %0 : vector<2xi32>
}
