// What does not go together with a transposed B.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @depth(%a: !sm.block<64 x 64 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{the depth of A is 64, that of B 32}}
  %next = sm.multiply %a, %b transposed, %sum : <64 x 64 x bf16>, <64 x 32 x bf16>, <64 x 64>
  return
}

// -----

func.func @columns(%a: !sm.block<64 x 64 x bf16>, %b: !sm.block<96 x 64 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{the product is 64 x 96, the sums are 64 x 64}}
  %next = sm.multiply %a, %b transposed, %sum : <64 x 64 x bf16>, <96 x 64 x bf16>, <64 x 64>
  return
}

// -----

// As it lies, the same block has the depth that its rows have.
func.func @straight(%a: !sm.block<64 x 64 x bf16>, %b: !sm.block<96 x 64 x bf16>, %sum: !sm.accumulator<64 x 96>) {
  // expected-error @+1 {{the depth of A is 64, that of B 96}}
  %next = sm.multiply %a, %b, %sum : <64 x 64 x bf16>, <96 x 64 x bf16>, <64 x 96>
  return
}

// -----

func.func @slots(%a: !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>, %b: !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>,
                 %i: index, %sum: !sm.accumulator<64 x 32>) {
  // expected-error @+1 {{the depth of A is 32, that of B 64}}
  %next = sm.mma %a[%i], %b[%i] transposed, %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 32 x 64 x bf16, swizzle 128>, <64 x 32>
  return
}

// -----

// Maps for parts cut the side that threads hold whole, into equal parts.
func.func @deliver(%sum: !sm.accumulator<128 x 64>, %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{stores 128 x 64 sums through maps for 64 x 64}}
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3>
  return
}

// -----

func.func @uneven(%sum: !sm.accumulator<64 x 80>, %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{stores 64 x 80 sums through maps for 64 x 64}}
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <64 x 80> to <2 x 64 x 64 x bf16, row_dimension 3>
  return
}
