// RUN: alg-opt %s -verify-diagnostics -split-input-file

!x = !alg.slots<4x8xf32, plain(2)>

func.func @none() -> !x {
  // expected-error @+1 {{needs at least one view}}
  %y = "alg.map"() ({
    %c = arith.constant 0.0 : f32
    alg.yield %c : f32
  }) : () -> !x
  return %y : !x
}

// -----

!x = !alg.slots<4x8xf32, plain(2)>
!z = !alg.slots<4x8xf32, plain(4)>

func.func @kinds(%x: !x, %z: !z) {
  // expected-error @+1 {{maps views that are cut alike, but one is '!alg.slots<4x8xf32, plain(4)>' and the result '!alg.slots<4x8xf32, plain(2)>'}}
  %y = alg.map %x, %z : (!x, !z) -> !x {
  ^bb0(%a: f32, %b: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<4x8xf32, plain(2)>

func.func @argument_count(%x: !x) {
  // expected-error @+1 {{has 2 operands, but its body has 1 arguments}}
  %y = alg.map %x, %x : !x {
  ^bb0(%a: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<4x8xf32, plain(2)>

func.func @argument_type(%x: !x) {
  // expected-error @+1 {{maps elements of 'f32', but its body has an argument of 'bf16'}}
  %y = alg.map %x : !x {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    alg.yield %b : f32
  }
  return
}

// -----

!x = !alg.slots<4x8xf32, plain(2)>

func.func @yield_type(%x: !x) {
  // expected-error @+1 {{maps to elements of 'f32', but its body yields 'bf16'}}
  %y = alg.map %x : !x {
  ^bb0(%a: f32):
    %b = arith.truncf %a : f32 to bf16
    alg.yield %b : bf16
  }
  return
}

// -----

!x = !alg.slots<4x8xf32, plain(2)>

func.func @effects(%x: !x, %m: memref<f32>) {
  %y = alg.map %x : !x {
  ^bb0(%a: f32):
    // expected-error @+1 {{has side effects, which the body of 'alg.map' must not have}}
    memref.store %a, %m[] : memref<f32>
    alg.yield %a : f32
  }
  return
}

// -----

func.func @offsets(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>) {
  %one = arith.constant 1 : index
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %zs = alg.slots %z rows(cyclic 2, %one) cols(2 x 4) : tensor<?x8xf32>
  // expected-error @+1 {{combines rows by their types, but one view starts at position 0 and another one at 1}}
  %y = alg.map %xs, %zs : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    alg.yield %c : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @long_column(%x: !x, %b: tensor<9xf32>) {
  // expected-error @+1 {{has one element for each column, that is 'tensor<8xf32>', not 'tensor<9xf32>'}}
  %y = alg.map %x columns %b : (!x, tensor<9xf32>) -> !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @static_rows(%x: !x, %s: tensor<4xf32>) {
  // expected-error @+1 {{has one element for each row, that is 'tensor<?xf32>', not 'tensor<4xf32>'}}
  %y = alg.map %x rows %s : (!x, tensor<4xf32>) -> !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @number(%x: !x, %n: tensor<1xf32>) {
  // expected-error @+1 {{operand #1 must be variadic of 0D tensor of floating-point values}}
  %y = alg.map %x numbers %n : (!x, tensor<1xf32>) -> !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!w = !alg.slots<2x4x3xf32, plain(2)>

func.func @plain_bank(%w: !w, %b: tensor<3xf32>) {
  // expected-error @+1 {{maps a plain weight matrix, which has neither rows nor columns}}
  %y = alg.map %w columns %b : (!w, tensor<3xf32>) -> !w {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @column_element(%x: !x, %b: tensor<8xbf16>) {
  // expected-error @+1 {{maps elements of 'bf16', but its body has an argument of 'f32'}}
  %y = alg.map %x columns %b : (!x, tensor<8xbf16>) -> !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @types_missing(%x: !x, %b: tensor<8xf32>) {
  // expected-error @+1 {{operands of columns, rows and numbers need their types: (TYPES) -> TYPE}}
  %y = alg.map %x columns %b : !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @type_count(%x: !x, %b: tensor<8xf32>) {
  // expected-error @+1 {{there are 2 operands, but 1 types}}
  %y = alg.map %x columns %b : (!x) -> !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %a : f32
  }
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @nothing_after_the_word(%x: !x) {
  // expected-error @+1 {{expected an operand after 'rows'}}
  %y = alg.map %x rows : !x {
  ^bb0(%a: f32):
    alg.yield %a : f32
  }
  return
}
