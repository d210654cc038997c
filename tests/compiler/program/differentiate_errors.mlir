// RUN: alg-opt %s -split-input-file -verify-diagnostics --alg-differentiate

!x = !alg.slots<?x4xf32, plain(2)>

func.func @forward(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x4xf32>
  %ys = alg.map %xs : !x {
  ^bb0(%a: f32):
    // expected-error @+1 {{'math.copysign' op has no rule of differentiation}}
    %b = math.copysign %a, %a : f32
    alg.yield %b : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x4xf32>
}

// -----

!x = !alg.slots<?x4xf32, plain(2)>

func.func @forward(%x: tensor<?x4xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x4xf32>
  %zs = alg.slots %z plain(2) : tensor<?x4xf32>
  %ys = alg.map %xs, %zs : !x {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'math.powf' op has a gradient for constant exponents alone}}
    %c = math.powf %a, %b : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x4xf32>
}

// -----

func.func @forward(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has no rule of differentiation}}
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

!x = !alg.slots<?x4xf32, plain(2)>

func.func @forward(%n: tensor<f32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %xs = alg.slots %x plain(2) : tensor<?x4xf32>
  %number = tensor.extract %n[] : tensor<f32>
  %ys = alg.map %xs : !x {
  ^bb0(%a: f32):
    // expected-error @+1 {{uses a number from outside of the map, which has no gradient: make it an operand}}
    %c = arith.mulf %a, %number : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{no result depends on argument 1}}
func.func @forward(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{has no argument of floats}}
func.func @forward(%x: index) -> index {
  return %x : index
}

// -----

func.func private @forward_gradient()

// expected-error @+1 {{there is a function 'forward_gradient' already}}
func.func @forward(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{only a function of one block has a gradient}}
func.func private @forward(tensor<?xf32>) -> tensor<?xf32>

// -----

// expected-error @+1 {{there is no function 'forward'}}
module {
}
