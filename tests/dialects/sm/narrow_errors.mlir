// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func private @as_wide(%last: i1) {
  // expected-error @+1 {{is narrowed from 64 columns to a multiple of 8 below them, got 64}}
  %sums = sm.zero narrow %last to 64 : <64 x 64>
  return
}

// -----

func.func private @no_instruction(%last: i1) {
  // expected-error @+1 {{is narrowed from 64 columns to a multiple of 8 below them, got 20}}
  %sums = sm.zero narrow %last to 20 : <64 x 64>
  return
}

// -----

func.func private @no_condition() {
  // expected-error @+1 {{says where it is narrow together with its columns there}}
  %sums = "sm.zero"() {narrow_columns = 16 : i64} : () -> !sm.accumulator<64 x 64>
  return
}

// -----

func.func private @held_by_columns(%last: i1) {
  // expected-error @+1 {{is narrow where warpgroups hold rows of the sums, and instructions all columns; got '!sm.accumulator<32 x 64, transposed>'}}
  %sums = sm.zero narrow %last to 32 : <32 x 64, transposed>
  return
}

// -----

func.func private @plain(%w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8>, %i: index, %last: i1) {
  // expected-error @+1 {{is narrow where panels are copied, by tensor maps; threads copy what the map has}}
  %block = sm.fetch %w[%i] [%i, %i, %i, %i] narrow %last to 32 : <1 x 64 x 64 x bf16, row_dimension 2, vector 8> -> <64 x 64 x bf16>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 200>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @two_conditions(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 256 x bf16, row_dimension 2, swizzle 128>,
                %y: !sm.maps<2 x 64 x 256 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %last = arith.cmpi eq, %rows, %offset : index
  %b = sm.allocate : <4 x 64 x 256 x bf16, swizzle 128>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{is narrow where a condition holds, or made where one does, not both}}
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] where %last narrow %last to 32 : <1 x 64 x 256 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 256 x bf16, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 200>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @wider_than_the_stage(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 256 x bf16, row_dimension 2, swizzle 128>,
                %y: !sm.maps<2 x 64 x 256 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %last = arith.cmpi eq, %rows, %offset : index
  %c = sm.allocate : <1 x 64 x 256 x bf16, swizzle 128>
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // expected-error @+1 {{stores 1 to 256 columns of the stage, got 264}}
      sm.store %c[%i] columns 264 to %y[%i] [%i, %i, %i, %i] : <1 x 64 x 256 x bf16, swizzle 128> to <2 x 64 x 256 x bf16, row_dimension 3, swizzle 128>
    }
  }
}

// -----

func.func private @wider_sums(%a: !sm.buffer<4 x 64 x 64 x bf16, swizzle 128>, %b: !sm.buffer<4 x 64 x 128 x bf16, swizzle 128>,
                              %sums: !sm.accumulator<64 x 136>, %i: index) {
  // expected-error @+1 {{the product is 64 x 128, the sums are 64 x 136}}
  %next = sm.mma %a[%i], %b[%i], %sums : <4 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 136>
  return
}

// -----

func.func private @wider_result(%c: !sm.buffer<1 x 64 x 128 x bf16, swizzle 128>, %sums: !sm.accumulator<64 x 136>, %i: index) {
  // expected-error @+1 {{writes a warpgroup's 64 x 136 sums, but the stage has 64 x 128}}
  sm.write %sums to %c[%i] : <64 x 136> to <1 x 64 x 128 x bf16, swizzle 128>
  return
}
