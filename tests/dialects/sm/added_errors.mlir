// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func private @rounded(%sums: !sm.accumulator<64 x 32>, %dw: !sm.maps<1 x 64 x 32 x bf16, row_dimension 2, swizzle 64>, %i: index) {
  // expected-error @+1 {{lets the copy engine add, which it does to f32, through tensor maps; got '!sm.maps<1 x 64 x 32 x bf16, row_dimension 2, swizzle 64>'}}
  sm.store_sums %sums added to %dw[%i] [%i, %i, %i, %i] : <64 x 32> to <1 x 64 x 32 x bf16, row_dimension 2, swizzle 64>
  return
}

// -----

func.func private @by_threads(%sums: !sm.accumulator<64 x 32>, %dw: !sm.maps<1 x 64 x 32 x f32, row_dimension 2, vector 4>, %i: index) {
  // expected-error @+1 {{lets the copy engine add, which it does to f32, through tensor maps; got '!sm.maps<1 x 64 x 32 x f32, row_dimension 2, vector 4>'}}
  sm.store_sums %sums added to %dw[%i] [%i, %i, %i, %i] : <64 x 32> to <1 x 64 x 32 x f32, row_dimension 2, vector 4>
  return
}
