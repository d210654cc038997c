// RUN: alg-opt %s -split-input-file -verify-diagnostics --alg-list-rows

func.func @constant(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %p0 = arith.constant 3 : index
  // expected-error @+1 {{has rows from a position on that is no argument of the function}}
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %y = alg.gather %xs : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %y : tensor<?x8xf32>
}

// -----

func.func @nowhere(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{has rows from a position on that is no argument of the function}}
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %y = alg.gather %xs : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %y : tensor<?x8xf32>
}

// -----

func.func @two(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %p0: index, %p1: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  // expected-error @+1 {{has rows from another position on than}}
  %zs = alg.slots %z rows(cyclic 2, %p1) cols(2 x 4) : tensor<?x8xf32>
  %a = alg.gather %xs : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  %b = alg.gather %zs : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

func.func @read(%x: tensor<?x8xf32>, %p0: index) -> (tensor<?x8xf32>, index) {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %y = alg.gather %xs : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  // expected-error @+1 {{reads the position of the rows, of which there is none once their types are listed}}
  return %y, %p0 : tensor<?x8xf32>, index
}
