// RUN: alg-opt %s -verify-diagnostics -split-input-file

func.func @type(%xs: !alg.slots<4x8xf32, plain(2)>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation 'tensor<8x4xf32>'}}
  %x = "alg.gather"(%xs) : (!alg.slots<4x8xf32, plain(2)>) -> tensor<8x4xf32>
  return
}

// -----

func.func @operand(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{operand #0 must be a tensor seen as the slots of an algebra, but got 'tensor<4x8xf32>'}}
  %y = "alg.gather"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
