// RUN: alg-opt %s --convert-elementwise-to-tile --split-input-file --verify-diagnostics

!x = !alg.slots<?x8xf64, rows(cyclic 2), cols(2 x 4)>
func.func private @f(%x: tensor<?x8xf64>) -> tensor<?xf64> {
  // expected-error@+1 {{kernels compute on f32 or bf16, not on 'f64'}}
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf64>
  %y = alg.reduce sum %xs over columns : !x -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
func.func private @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %s = alg.reduce sum %xs over columns : !x -> tensor<?xf32>
  // expected-error@+1 {{reads the result of a reduction, which is known when all of its rows or columns have been read: that is a kernel of its own}}
  %ys = alg.map %xs rows %s : (!x, tensor<?xf32>) -> !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  // expected-error@+1 {{reads a constant of different elements: make it an argument}}
  %y = arith.addf %a, %c : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func private @f(%a: tensor<?xf32>, %b: tensor<8xf32>) -> (tensor<?xf32>, tensor<8xf32>) {
  %c = arith.negf %a : tensor<?xf32>
  // expected-error@+1 {{an element-wise kernel goes over tensors of one shape, but of 'tensor<?xf32>' and of 'tensor<8xf32>'}}
  %d = arith.negf %b : tensor<8xf32>
  return %c, %d : tensor<?xf32>, tensor<8xf32>
}

// -----

!x = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
func.func private @f(%x: tensor<8x8xf32>, %v: tensor<8xf32>) -> tensor<8x8xf32> {
  %xs = alg.slots %x rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error@+1 {{an argument is read per row and per column by one kernel; give it twice}}
  %ys = alg.map %xs columns %v rows %v : (!x, tensor<8xf32>, tensor<8xf32>) -> !x {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %b, %c : f32
    alg.yield %d : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<8x8xf32>
}

// -----

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
func.func private @f(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ys = alg.map %xs : !x {
  ^bb0(%a: bf16):
    // expected-error@+1 {{computes with 'bf16'; tile.elementwise computes in f32: widen its operands}}
    %c = arith.mulf %a, %a : bf16
    alg.yield %c : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xbf16>
}

// -----

// expected-error@+1 {{computes nothing: no element-wise kernel is made of it}}
func.func private @f(%p0: index) {
  return
}

// -----

func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has no place in an element-wise kernel, which maps views, reduces them and computes with tensors by arith and math}}
  %y = builtin.unrealized_conversion_cast %a : tensor<8xf32> to tensor<8xf32>
  return %y : tensor<8xf32>
}
