// What has no kernels is refused at the product that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-alg-to-tile

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @three_layers(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %zs = alg.contract %ys, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{products of one kernel read the same activations with the same terms}}
  %us = alg.contract %zs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %u = alg.gather %us : !x
  return %u : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @other_algebra(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{the layers of a kernel are products (mode k) by one algebra in the lift by rows, of one element type}}
  %zs = alg.contract %ys, %ws by #alg.algebra<"T(2)"> -> k : !x, !w
  %z = alg.gather %zs : !x
  return %z : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @hidden_returned(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %zs = alg.contract %ys, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{reads what the first layer of a kernel of two has left to the products of the second, which is nowhere as a whole}}
  %y = alg.gather %ys : !x
  %z = alg.gather %zs : !x
  return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @gradient_of_layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{only products (mode k) read what other products of their kernel have left}}
  %zs = alg.contract %ys, %ws by #alg.algebra<"Q(2)"> -> i : !x, !w
  %z = alg.gather %zs : !x
  return %z : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @views_as_arguments(%xs: !x, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error @+1 {{both operands must be slot views of the function's arguments}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @computed_bank(%x: tensor<?x8xf32>, %u: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %w = arith.negf %u : tensor<8x8xf32>
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error @+1 {{both operands must be slot views of the function's arguments}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @not_gathered(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> !x {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{a kernel of products returns products and their maps, gathered, and nothing else}}
  return %ys : !x
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @not_returned(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  %n = arith.negf %y : tensor<?x8xf32>
  // expected-error @+1 {{a kernel of products returns products and their maps, gathered, and nothing else}}
  return %n : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf64, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf64, rows(2 x 4), cols(2 x 4)>

func.func @doubles(%x: tensor<?x8xf64>, %w: tensor<8x8xf64>, %p0: index) -> tensor<?x8xf64> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf64>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf64>
  // expected-error @+1 {{kernels compute on f32 or bf16, not on 'f64'}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf64>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @computed_bias(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %n = arith.negf %b : tensor<8xf32>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{what a product is mapped with must be an argument of the function}}
  %ys = alg.map %sums columns %n : (!x, tensor<8xf32>) -> !x {
  ^bb0(%sum: f32, %bias: f32):
    %biased = arith.addf %sum, %bias : f32
    alg.yield %biased : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @computed_operand(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %r: tensor<?x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %n = arith.negf %r : tensor<?x8xf32>
  %rs = alg.slots %n rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{what a product is mapped with must be an argument of the function}}
  %hs = alg.map %ys, %rs : !x {
  ^bb0(%v: f32, %e: f32):
    %s = arith.addf %v, %e : f32
    alg.yield %s : f32
  }
  %y = alg.gather %hs : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @computed_number(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %a: f32, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %b = arith.negf %a : f32
  %hs = alg.map %ys : !x {
  ^bb0(%v: f32):
    // expected-error @+1 {{what a product is mapped with must be an argument of the function}}
    %s = arith.addf %v, %b : f32
    alg.yield %s : f32
  }
  %y = alg.gather %hs : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @mapped_gradient(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>, %p0: index) -> tensor<8x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %dys = alg.slots %dy rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j : !x, !x
  // expected-error @+1 {{a gradient of the weight matrix cannot be mapped in its kernel}}
  %hs = alg.map %dws : !w {
  ^bb0(%v: f32):
    %s = arith.negf %v : f32
    alg.yield %s : f32
  }
  %dw = alg.gather %hs : !w
  return %dw : tensor<8x8xf32>
}

// -----

!w = !alg.slots<8x8xf32, rows([3, 5]), cols(2 x 4)>
!v = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @unequal_rows(%w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %ws = alg.slots %w rows([3, 5]) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error @+1 {{kernels multiply weight matrices by weight matrices in the lift by rows, where the rows of all types come in intervals of one width}}
  %ys = alg.contract %ws, %vs by #alg.algebra<"Q(2)"> -> k : !w, !v
  %y = alg.gather %ys : !w
  return %y : tensor<8x8xf32>
}

// -----

!w = !alg.slots<4x2x2xf32, plain(4)>

func.func @weights_of_slots(%w: tensor<4x2x2xf32>, %v: tensor<4x2x2xf32>) -> tensor<4x2x2xf32> {
  %ws = alg.slots %w plain(4) : tensor<4x2x2xf32>
  %vs = alg.slots %v plain(4) : tensor<4x2x2xf32>
  // expected-error @+1 {{kernels multiply weight matrices by weight matrices in the lift by rows}}
  %ys = alg.contract %ws, %vs by #alg.algebra<"M(2)"> -> k : !w, !w
  %y = alg.gather %ys : !w
  return %y : tensor<4x2x2xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @branch(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %hs = alg.map %ys : !x {
  ^bb0(%v: f32):
    %k = arith.cmpf ogt, %v, %v : f32
    // expected-error @+1 {{is no scalar code of arith or math, which is what kernels run on their sums}}
    %s = scf.if %k -> f32 {
      scf.yield %zero : f32
    } else {
      scf.yield %v : f32
    }
    alg.yield %s : f32
  }
  %y = alg.gather %hs : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @two_results(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  // expected-error @+1 {{a kernel of products returns products and their maps, gathered, and nothing else}}
  return %y, %x : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
!h = !alg.slots<?x8xf16, rows(cyclic 2), cols(2 x 4)>

func.func @half(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error @+1 {{kernels compute on f32 or bf16, not on 'f16'}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f16
  %hs = alg.map %ys : (!h) -> !x {
  ^bb0(%v: f16):
    %s = arith.extf %v : f16 to f32
    alg.yield %s : f32
  }
  %y = alg.gather %hs : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @other_rows(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %zs = alg.slots %z rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{products of one kernel read the same activations with the same terms}}
  %vs = alg.contract %zs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  %v = alg.gather %vs : !x
  return %y, %v : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// The same rows elsewhere: the positions differ.
func.func @other_positions(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %zs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{products of one kernel read the same activations with the same terms}}
  %vs = alg.contract %zs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  %v = alg.gather %vs : !x
  return %y, %v : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @other_mode(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{products of one kernel read the same activations with the same terms}}
  %vs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> i : !x, !w
  %y = alg.gather %ys : !x
  %v = alg.gather %vs : !x
  return %y, %v : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
!v = !alg.slots<8x6xf32, rows(2 x 4), cols(2 x 3)>

func.func @other_columns(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x6xf32>, %p0: index) -> (tensor<?x8xf32>, tensor<?x6xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %us = alg.slots %u rows(2 x 4) cols(2 x 3) : tensor<8x6xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{products of one kernel have results that are cut alike}}
  %vs = alg.contract %xs, %us by #alg.algebra<"Q(2)"> -> k : !x, !v
  %y = alg.gather %ys : !x
  %v = alg.gather %vs : !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>
  return %y, %v : tensor<?x8xf32>, tensor<?x6xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @two_gradients(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>, %dz: tensor<?x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dys = alg.slots %dy rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dzs = alg.slots %dz rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j : !x, !x
  // expected-error @+1 {{a gradient of the weight matrix has a kernel of its own, without other products}}
  %dvs = alg.contract %xs, %dzs by #alg.algebra<"Q(2)"> -> j : !x, !x
  %dw = alg.gather %dws : !w
  %dv = alg.gather %dvs : !w
  return %dw, %dv : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @gradient_twice(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dys = alg.slots %dy rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j : !x, !x
  %dw = alg.gather %dws : !w
  // expected-error @+1 {{a gradient of the weight matrix is the only result of its kernel}}
  return %dw, %dw : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xf32, rows(2 x 4), cols(2 x 3)>
!y = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>

func.func @map_of_rows(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>) -> (tensor<?x6xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 3) : tensor<8x6xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{maps in a kernel of products are of what is cut like their results}}
  %zs = alg.map %xs : !x {
  ^bb0(%v: f32):
    %s = arith.negf %v : f32
    alg.yield %s : f32
  }
  %y = alg.gather %ys : !y
  %z = alg.gather %zs : !x
  return %y, %z : tensor<?x6xf32>, tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @reduced(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{cannot be in a kernel of products, which has contractions and their maps}}
  %r = alg.reduce sum %xs over rows : !x -> tensor<8xf32>
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>

func.func @rounded_number(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>, %a: tensor<bf16>) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{single numbers are f32 in kernels, not 'bf16'}}
  %hs = alg.map %ys numbers %a : (!x, tensor<bf16>) -> !x {
  ^bb0(%v: bf16, %n: bf16):
    %s = arith.addf %v, %n : bf16
    alg.yield %s : bf16
  }
  %y = alg.gather %hs : !x
  return %y : tensor<?x8xbf16>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @no_result(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{a kernel of products returns what it computes}}
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// expected-error @+1 {{a kernel of products has a product of its own, not one in another operation}}
func.func @nested(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %c: i1) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = scf.if %c -> !x {
    %zs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
    scf.yield %zs : !x
  } else {
    scf.yield %xs : !x
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}
