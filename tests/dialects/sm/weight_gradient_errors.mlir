// What does not go together with products over rows.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @depth(%a: !sm.block<64 x 32 x bf16>, %b: !sm.block<32 x 64 x bf16>, %sum: !sm.accumulator<32 x 64, warps 1 x 1>) {
  // expected-error @+1 {{the depth of A is 64, that of B 32}}
  %next = sm.multiply %a transposed, %b, %sum : <64 x 32 x bf16>, <32 x 64 x bf16>, <32 x 64, warps 1 x 1>
  return
}

// -----

func.func @rows(%a: !sm.block<32 x 48 x bf16>, %b: !sm.block<32 x 64 x bf16>, %sum: !sm.accumulator<32 x 64, warps 1 x 1>) {
  // expected-error @+1 {{the product is 48 x 64, the sums are 32 x 64}}
  %next = sm.multiply %a transposed, %b, %sum : <32 x 48 x bf16>, <32 x 64 x bf16>, <32 x 64, warps 1 x 1>
  return
}

// -----

func.func @slots(%a: !sm.buffer<2 x 32 x 64 x bf16, swizzle 128>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>,
                 %i: index, %sum: !sm.accumulator<64 x 64, warps 2 x 2>) {
  // expected-error @+1 {{the depth of A is 32, that of B 64}}
  %next = sm.mma %a[%i] transposed, %b[%i], %sum : <2 x 32 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64, warps 2 x 2>
  return
}

// -----

func.func @parts(%a: !sm.block<64 x 128 x bf16>, %b: !sm.block<64 x 64 x bf16>, %i: index, %sum: !sm.accumulator<128 x 64>) {
  // expected-error @+1 {{has parts of the rows of A, which is transposed}}
  %next = sm.multiply %a transposed, %b, %sum part %i of 2 : <64 x 128 x bf16>, <64 x 64 x bf16>, <128 x 64>
  return
}

// -----

func.func @engine(%sum: !sm.accumulator<64 x 64>, %dw: !sm.maps<1 x 64 x 64 x f32, row_dimension 2>, %i: index, %beta: f32) {
  // expected-error @+1 {{adds to what the result holds, which only threads with plain maps can read}}
  sm.store_sums %sum to %dw[%i] [%i, %i, %i, %i] plus %beta : <64 x 64> to <1 x 64 x 64 x f32, row_dimension 2>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = j>

// expected-error @+1 {{takes the maps of X, dY and dW, the rows, the offset, the terms table and beta, got}}
sm.kernel @dw(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3, vector 8>, %dy: !sm.maps<3 x 32 x 96 x bf16, row_dimension 3, vector 8>,
              %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, vector 2>, %rows: index, %offset: index,
              %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = j>

// expected-error @+1 {{the terms table, beta and a plain map of dW, through which threads add to it, got}}
sm.kernel @nothing_beside(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3>, %dy: !sm.maps<3 x 32 x 96 x bf16, row_dimension 3>,
              %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2>, %rows: index, %offset: index,
              %terms: !sm.terms_table, %beta: f32) attributes {layout = #layout, schedule = "by hand"} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = j>

// expected-error @+1 {{adds to dW through '!sm.maps<1 x 64 x 96 x bf16, row_dimension 2, vector 2>', which are no plain maps of what it stores through '!sm.maps<1 x 64 x 96 x f32, row_dimension 2>'}}
sm.kernel @another_type(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3>, %dy: !sm.maps<3 x 32 x 96 x bf16, row_dimension 3>,
              %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2>, %rows: index, %offset: index, %terms: !sm.terms_table,
              %beta: f32, %dw_plain: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, vector 2>) attributes {layout = #layout, schedule = "by hand"} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>, mode = j>

// expected-error @+1 {{takes the maps of X, dY and dW, the rows, the offset, the terms table and beta, got}}
sm.kernel @plain_twice(%x: !sm.maps<3 x 32 x 64 x bf16, row_dimension 3>, %dy: !sm.maps<3 x 32 x 96 x bf16, row_dimension 3>,
              %dw: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, vector 2>, %rows: index, %offset: index, %terms: !sm.terms_table,
              %beta: f32, %dw_plain: !sm.maps<1 x 64 x 96 x f32, row_dimension 2, vector 2>) attributes {layout = #layout, schedule = "by hand"} {
}
