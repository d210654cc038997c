// What products in kernels of two layers refuse, message by message.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @held_shallow(%rows: !sm.block<64 x 128 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{says where blocks are shallow together with their depth there}}
  %next = sm.multiply_held %rows[%i], [%b], %sum {shallow_depth = 16} : !sm.block<64 x 128 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @held_pieces(%rows: !sm.block<64 x 96 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{has rows of 96 columns, which are no pieces of the depth of B, 64}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<64 x 96 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 32>
  return
}

// -----

// A stage of a buffer is a piece.
func.func @held_stages(%rows: !sm.buffer<2 x 64 x 32 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{has rows of 32 columns, which are no pieces of the depth of B, 64}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.buffer<2 x 64 x 32 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @held_depth(%rows: !sm.block<64 x 128 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index, %last: i1) {
  // expected-error @+1 {{multiplies a part of the depth of 64, which is a multiple of 16 below it, got 24}}
  %next = sm.multiply_held %rows[%i], [%b], %sum shallow %last to 24 : !sm.block<64 x 128 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @held_sums(%rows: !sm.block<64 x 128 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32, warps 2 x 2>, %i: index) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 32, warps 2 x 2>'}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<64 x 128 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 32, warps 2 x 2>
  return
}

// -----

func.func @held_elements(%rows: !sm.block<64 x 128 x bf16>, %b: !sm.block<64 x 32 x f32>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{multiplies bf16, got 'f32'}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<64 x 128 x bf16>, !sm.block<64 x 32 x f32>, <64 x 32>
  return
}

// -----

func.func @held_shape(%rows: !sm.block<128 x 128 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{the product is 128 x 32, the sums are 64 x 32}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<128 x 128 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @held_parts(%rows: !sm.block<128 x 64 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<128 x 32>, %i: index) {
  // expected-error @+1 {{has something for each of 3 parts, which do not cut up 128 rows into whole warpgroups of 64}}
  %next = sm.multiply_held %rows[%i], [%b, %b, %b], %sum : !sm.block<128 x 64 x bf16>, !sm.block<64 x 32 x bf16>, <128 x 32>
  return
}

// -----

func.func @fragment_parts(%rows: !sm.fragment<64 x 64>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %mine: i1) {
  // expected-error @+1 {{has something for each of 2 parts, which do not cut up 64 rows into whole warpgroups of 64}}
  %next = sm.multiply_fragment %rows, %b, %sum where [%mine, %mine] : <64 x 64>, <64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @fragment_shallow(%rows: !sm.fragment<64 x 64>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>) {
  // expected-error @+1 {{says where blocks are shallow together with their depth there}}
  %next = sm.multiply_fragment %rows, %b, %sum {shallow_depth = 16} : <64 x 64>, <64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @fragment_part(%rows: !sm.fragment<64 x 64>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %last: i1) {
  // expected-error @+1 {{multiplies a part of the depth of 64, which is a multiple of 16 below it, got 64}}
  %next = sm.multiply_fragment %rows, %b, %sum shallow %last to 64 : <64 x 64>, <64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @fragment_depth(%rows: !sm.fragment<64 x 64>, %b: !sm.block<32 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>) {
  // expected-error @+1 {{the depth of the rows is 64, that of B 32}}
  %next = sm.multiply_fragment %rows, %b, %sum : <64 x 64>, <32 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @fragment_sums(%rows: !sm.fragment<64 x 64>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{the product is 64 x 32, the sums are 64 x 64}}
  %next = sm.multiply_fragment %rows, %b, %sum : <64 x 64>, <64 x 32 x bf16>, <64 x 64>
  return
}

// -----

func.func @mma_part(%rows: !sm.fragment<64 x 64>, %b: !sm.buffer<2 x 64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{multiplies a part of the depth of 64, which is a multiple of 16 below it, got 0}}
  %next = sm.mma_fragment %rows, %b[%i], %sum depth 0 : <64 x 64>, <2 x 64 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @mma_sums(%rows: !sm.fragment<64 x 64>, %b: !sm.buffer<2 x 64 x 64 x bf16>, %sum: !sm.accumulator<64 x 64, transposed>, %i: index) {
  // expected-error @+1 {{is for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 64, transposed>'}}
  %next = sm.mma_fragment %rows, %b[%i], %sum : <64 x 64>, <2 x 64 x 64 x bf16>, <64 x 64, transposed>
  return
}

// -----

func.func @mma_elements(%rows: !sm.fragment<64 x 64>, %b: !sm.buffer<2 x 64 x 32 x f32>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{multiplies bf16, got 'f32'}}
  %next = sm.mma_fragment %rows, %b[%i], %sum : <64 x 64>, <2 x 64 x 32 x f32>, <64 x 32>
  return
}

// -----

func.func @mma_depth(%rows: !sm.fragment<64 x 64>, %b: !sm.buffer<2 x 32 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{the depth of the rows is 64, that of B 32}}
  %next = sm.mma_fragment %rows, %b[%i], %sum : <64 x 64>, <2 x 32 x 32 x bf16>, <64 x 32>
  return
}

// -----

// Instructions of single warps always add.
func.func @overwrite(%a: !sm.buffer<2 x 64 x 64 x bf16>, %b: !sm.buffer<2 x 64 x 64 x bf16>, %sum: !sm.accumulator<64 x 64, warps 2 x 2>, %i: index) {
  // expected-error @+1 {{overwrites sums of warpgroups, whose instructions can; others add}}
  %next = sm.mma %a[%i], %b[%i], %sum overwrite : <2 x 64 x 64 x bf16>, <2 x 64 x 64 x bf16>, <64 x 64, warps 2 x 2>
  return
}

// -----

func.func @held_step(%rows: !sm.block<64 x 48 x bf16>, %b: !sm.block<24 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{the depth must be a multiple of 16, got 24}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<64 x 48 x bf16>, !sm.block<24 x 32 x bf16>, <64 x 32>
  return
}

// -----

func.func @unlike_blocks(%rows: !sm.block<128 x 64 x bf16>, %a: !sm.block<64 x 32 x bf16>, %b: !sm.block<64 x 32 x bf16, swizzle 64>, %sum: !sm.accumulator<128 x 32>, %i: index) {
  // expected-error @+1 {{has blocks of different types for the parts of its sums}}
  %next = "sm.multiply_held"(%rows, %i, %a, %b, %sum) {operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>} : (!sm.block<128 x 64 x bf16>, index, !sm.block<64 x 32 x bf16>, !sm.block<64 x 32 x bf16, swizzle 64>, !sm.accumulator<128 x 32>) -> !sm.accumulator<128 x 32>
  return
}

// -----

func.func @held_f32(%rows: !sm.block<64 x 64 x f32>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 32>, %i: index) {
  // expected-error @+1 {{multiplies rows of bf16, got 'f32'}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<64 x 64 x f32>, !sm.block<64 x 32 x bf16>, <64 x 32>
  return
}

// -----

// Three blocks are no two beside each other.
func.func @held_three(%rows: !sm.block<64 x 64 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 96>, %i: index) {
  // expected-error @+1 {{has something for each of 3 parts, which do not cut up 64 rows into whole warpgroups of 64}}
  %next = sm.multiply_held %rows[%i], [%b, %b, %b], %sum : !sm.block<64 x 64 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 96>
  return
}

// -----

// One block does not make twice as many columns.
func.func @held_one(%rows: !sm.block<64 x 64 x bf16>, %b: !sm.block<64 x 32 x bf16>, %sum: !sm.accumulator<64 x 64>, %i: index) {
  // expected-error @+1 {{the product is 64 x 32, the sums are 64 x 64}}
  %next = sm.multiply_held %rows[%i], [%b], %sum : !sm.block<64 x 64 x bf16>, !sm.block<64 x 32 x bf16>, <64 x 64>
  return
}

// -----

func.func @beside_of_warps(%a: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>,
                           %sum: !sm.accumulator<64 x 128, warps 2 x 2>, %i: index) {
  // expected-error @+1 {{has two stages beside each other for sums of warpgroups that hold rows, got '!sm.accumulator<64 x 128, warps 2 x 2>'}}
  %next = sm.mma %a[%i], %b[%i] beside %b, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 128, warps 2 x 2>, !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  return
}

// -----

func.func @beside_unlike(%a: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>,
                         %c: !sm.buffer<3 x 64 x 64 x bf16, swizzle 128>, %sum: !sm.accumulator<64 x 128>, %i: index) {
  // expected-error @+1 {{goes from a stage to one beside it as from panel to panel: both are alike, of one swizzled panel of columns, got '!sm.buffer<2 x 64 x 64 x bf16, swizzle 128>' and '!sm.buffer<3 x 64 x 64 x bf16, swizzle 128>'}}
  %next = sm.mma %a[%i], %b[%i] beside %c, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 128>, !sm.buffer<3 x 64 x 64 x bf16, swizzle 128>
  return
}

// -----

// Two panels of 32 columns.
func.func @beside_panels(%a: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 64>,
                         %sum: !sm.accumulator<64 x 128>, %i: index) {
  // expected-error @+1 {{goes from a stage to one beside it as from panel to panel: both are alike, of one swizzled panel of columns}}
  %next = sm.mma %a[%i], %b[%i] beside %b, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 64>, <64 x 128>, !sm.buffer<2 x 64 x 64 x bf16, swizzle 64>
  return
}

// -----

func.func @beside_transposed(%a: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>,
                             %sum: !sm.accumulator<64 x 128>, %i: index) {
  // expected-error @+1 {{goes from a stage to one beside it as from panel to panel}}
  %next = sm.mma %a[%i], %b[%i] transposed beside %b, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 128>, !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  return
}

// -----

func.func @beside_columns(%a: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>,
                          %sum: !sm.accumulator<64 x 96>, %i: index) {
  // expected-error @+1 {{multiplies two stages of 64 columns, the sums have 96}}
  %next = sm.mma %a[%i], %b[%i] beside %b, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 96>, !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  return
}

// -----

func.func @beside_depth(%a: !sm.buffer<2 x 64 x 32 x bf16, swizzle 64>, %b: !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>,
                        %sum: !sm.accumulator<64 x 128>, %i: index) {
  // expected-error @+1 {{the depth of A is 32, that of B 64}}
  %next = sm.mma %a[%i], %b[%i] beside %b, %sum : <2 x 64 x 32 x bf16, swizzle 64>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 128>, !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  return
}

// -----

// Instructions count the bytes to the next panel without a sign.
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
sm.kernel @beside_before(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>, %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %rows: index, %offset: index, %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %up = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %gate = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    %i = sm.block_index
    %sum = sm.zero : <64 x 128>
    // expected-error @+1 {{goes from a stage to one behind it: the buffer beside B is allocated after it}}
    %next = sm.mma %gate[%i], %gate[%i] beside %up, %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 128>, !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}
