// What has no kernels is refused at the product that is at fault.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-alg-to-tile

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @two(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  // expected-error @+1 {{a second product in one function cannot be lowered: kernels compute one projection each}}
  %zs = alg.contract %ys, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
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
  // expected-error @+1 {{the product must be mapped, gathered and returned, and nothing else}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  return %ys : !x
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @not_returned(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error @+1 {{the product must be mapped, gathered and returned, and nothing else}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  %n = arith.negf %y : tensor<?x8xf32>
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
  // expected-error @+1 {{the bias must be an argument of the function}}
  %ys = alg.contract %xs, %ws bias %n by #alg.algebra<"Q(2)"> -> k : !x, !w, tensor<8xf32>
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
  // expected-error @+1 {{a gradient of the bank cannot be mapped in its kernel}}
  %hs = alg.map %dws : !w {
  ^bb0(%v: f32):
    %s = arith.negf %v : f32
    alg.yield %s : f32
  }
  %dw = alg.gather %hs : !w
  return %dw : tensor<8x8xf32>
}

// -----

!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

func.func @banks(%w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  // expected-error @+1 {{kernels multiply activations, not banks by banks}}
  %ys = alg.contract %ws, %vs by #alg.algebra<"Q(2)"> -> k : !w, !w
  %y = alg.gather %ys : !w
  return %y : tensor<8x8xf32>
}

// -----

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>

func.func @into(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  // expected-error @+1 {{kernels store results in the operands' element type, 'bf16', not in 'f32'}}
  %y = alg.gather %ys : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %y : tensor<?x8xf32>
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
  // expected-error @+1 {{the product must be mapped, gathered and returned, and nothing else}}
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
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
