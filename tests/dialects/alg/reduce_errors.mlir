// RUN: alg-opt %s -verify-diagnostics -split-input-file

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @shape(%x: !x) {
  // expected-error @+1 {{over columns of '!alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>' is 'tensor<?xf32>', not 'tensor<8xf32>'}}
  %s = alg.reduce sum %x over columns : !x -> tensor<8xf32>
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @number(%x: !x) {
  // expected-error @+1 {{over all of '!alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>' is 'tensor<f32>', not 'tensor<1xf32>'}}
  %s = alg.reduce sum %x over all : !x -> tensor<1xf32>
  return
}

// -----

!w = !alg.slots<2x4x3xf32, plain(2)>

func.func @plain_bank(%w: !w) {
  // expected-error @+1 {{reduces a plain weight matrix, which has neither rows nor columns; reduce it over all}}
  %s = alg.reduce sum %w over rows : !w -> tensor<3xf32>
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @narrow_maximum(%x: !x) {
  // expected-error @+1 {{gives the maximum of 'f32' as it is, and 'bf16' does not hold them all}}
  %s = alg.reduce maximum %x over columns : !x -> tensor<?xbf16>
  return
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

func.func @word(%x: !x) {
  // expected-error @+1 {{for attribute 'reduction' [sum, maximum]}}
  %s = alg.reduce mean %x over columns : !x -> tensor<?xf32>
  return
}
