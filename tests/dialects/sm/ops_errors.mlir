// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a block has at most 256 rows, the side of a tensor map's box, got 264}}
func.func private @rows(!sm.block<264 x 64 x bf16>)

// -----

// expected-error @+1 {{elements must be f32 or bf16, got 'f16'}}
func.func private @elements(!sm.block<64 x 64 x f16>)

// -----

// expected-error @+1 {{the swizzle spans 32, 64 or 128 bytes, or 0 where none is assigned, got 16}}
func.func private @swizzle(!sm.buffer<2 x 64 x 64 x bf16, swizzle 16>)

// -----

// expected-error @+1 {{a row of 48 elements is 96 bytes, which panels of 128 bytes do not divide}}
func.func private @panels(!sm.buffer<2 x 64 x 48 x bf16, swizzle 128>)

// -----

// expected-error @+1 {{the rows of a block lie along dimension 3 (rows of X and Y) or 2 (the weight matrix), got 1}}
func.func private @dimension(!sm.maps<1 x 64 x 64 x bf16, row_dimension 1>)

// -----

// expected-error @+1 {{an operand has at least one map, got 0}}
func.func private @maps(!sm.maps<0 x 64 x 64 x bf16, row_dimension 3>)

// -----

// expected-error @+1 {{a buffer has at least one stage, got 0}}
func.func private @slots(!sm.buffer<0 x 64 x 64 x bf16>)

// -----

// expected-error @+1 {{a pipe has at least one stage, got 0}}
func.func private @stages(!sm.staged_pipe<0>)

// -----

// expected-error @+1 {{a ring has at least one barrier, got 0}}
func.func private @barriers(!sm.barriers<0>)

// -----

// expected-error @+1 {{the sums of a warpgroup have 64 rows; 96 is not a multiple of it}}
func.func private @sums(!sm.accumulator<96 x 64>)

// -----

// expected-error @+1 {{tensor-core instructions have 8 to 256 columns, a multiple of 8, got 264}}
func.func private @columns(!sm.accumulator<64 x 264>)

// -----

// expected-error @+1 {{a pipe passes blocks, got 'i32'}}
func.func private @pipe(!sm.pipe<i32>)

// -----

func.func @depth(%a: !sm.block<64 x 64 x bf16>, %b: !sm.block<32 x 64 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{the depth of A is 64, that of B 32}}
  %0 = sm.multiply %a, %b, %sum : <64 x 64 x bf16>, <32 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @shape(%a: !sm.buffer<2 x 64 x 64 x bf16>, %b: !sm.buffer<2 x 64 x 32 x bf16>, %i: index, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{the product is 64 x 32, the sums are 64 x 64}}
  %0 = sm.mma %a[%i], %b[%i], %sum : <2 x 64 x 64 x bf16>, <2 x 64 x 32 x bf16>, <64 x 64>
  return
}

// -----

func.func @multiple(%a: !sm.block<64 x 24 x bf16>, %b: !sm.block<24 x 64 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{the depth must be a multiple of 16, got 24}}
  %0 = sm.multiply %a, %b, %sum : <64 x 24 x bf16>, <24 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @f32(%a: !sm.block<64 x 64 x f32>, %b: !sm.block<64 x 64 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{multiplies bf16, got 'f32' and 'bf16'}}
  %0 = sm.multiply %a, %b, %sum : <64 x 64 x f32>, <64 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @coordinates(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{takes the four coordinates column, group, segment (or depth) and row (or block), got 2}}
  %0 = sm.fetch %x[%i] [%i, %i] : <1 x 64 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
  return
}

// -----

func.func @boxes(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{the maps are for blocks of 64 x 64 x 'bf16', the other side has 32 x 64 x 'bf16'}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] : <1 x 64 x 64 x bf16, row_dimension 3> -> <32 x 64 x bf16>
  return
}

// -----

func.func @swizzles(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, swizzle 64>, %i: index) {
  // expected-error @+1 {{copies boxes with a swizzle of 64 bytes to or from blocks with 128}}
  %0 = sm.fetch %x[%i] [%i, %i, %i, %i] : <1 x 64 x 64 x bf16, row_dimension 3, swizzle 64> -> <64 x 64 x bf16, swizzle 128>
  return
}

// -----

func.func @deliver(%sum: !sm.accumulator<64 x 64>, %y: !sm.maps<1 x 64 x 48 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{stores 64 x 64 sums through maps for 64 x 48}}
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <64 x 64> to <1 x 64 x 48 x bf16, row_dimension 3>
  return
}

// -----

func.func @write(%sum: !sm.accumulator<128 x 64>, %slots: !sm.buffer<2 x 128 x 64 x bf16>, %i: index) {
  // expected-error @+1 {{writes a warpgroup's 64 x 64 sums, but the stage has 128 x 64}}
  sm.write %sum to %slots[%i] : <128 x 64> to <2 x 128 x 64 x bf16>
  return
}

// -----

func.func @threads(%barriers: !sm.barriers<2>, %i: index) {
  // expected-error @+1 {{is for one thread of a warpgroup: put it inside an sm.elect}}
  sm.expect %barriers[%i] bytes 16 : <2>
  return
}

// -----

func.func @pending() {
  // expected-error @+1 {{leaves 0 to 7 groups unfinished, got 8}}
  sm.mma_wait 8
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @stores(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.elect {
      // expected-error @+1 {{cannot leave -1 groups unfinished}}
      sm.store_wait -1
    }
  }
}

// -----

func.func @elect() {
  // expected-error @+1 {{elects a thread of a partition's warpgroups, but no sm.partition is around it}}
  sm.elect {
  }
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
// expected-error @+1 {{takes the maps of X, W and Y, the rows, the offset, the terms table, of experts whose rows are listed their number, and what several products and maps take beside, which is maps, numbers of columns and numbers, got ('index')}}
sm.kernel @operands(%rows: index) attributes {layout = #layout, schedule = 0} {
}

// -----

// expected-error @+1 {{needs the #tile.layout of the kernel that it came from, got 0 : i64}}
sm.kernel @layout(%rows: index) attributes {layout = 0, schedule = 0} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
// expected-error @+1 {{has partitions that take 69632 registers together, of 64512 that their 384 threads start with}}
sm.kernel @registers(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                     %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                     %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  sm.partition @multiply warpgroups 2 registers 232 {
  }
  sm.partition @load warpgroups 1 registers 80 {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @partition(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  // expected-error @+1 {{gets 24 to 256 registers per thread, a multiple of 8, got 100}}
  sm.partition @multiply warpgroups 2 registers 100 {
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @allocate(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                    %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index,
                    %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  // expected-error @+1 {{needs the swizzle of its blocks: assign it before}}
  %a = sm.allocate : <2 x 64 x 64 x bf16>
}

// -----

func.func @part(%a: !sm.buffer<2 x 64 x 64 x bf16>, %b: !sm.buffer<2 x 64 x 64 x bf16>, %i: index, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{multiplies a part of the depth of 64, which is a multiple of 16 below it, got 64}}
  %0 = sm.mma %a[%i], %b[%i], %sum depth 64 : <2 x 64 x 64 x bf16>, <2 x 64 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @part(%a: !sm.buffer<2 x 64 x 64 x bf16>, %b: !sm.buffer<2 x 64 x 64 x bf16>, %i: index, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{multiplies a part of the depth of 64, which is a multiple of 16 below it, got 0}}
  %0 = sm.mma %a[%i], %b[%i], %sum depth 0 : <2 x 64 x 64 x bf16>, <2 x 64 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @part(%a: !sm.buffer<2 x 64 x 64 x bf16>, %b: !sm.buffer<2 x 64 x 64 x bf16>, %i: index, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{multiplies a part of the depth of 64, which is a multiple of 16 below it, got 24}}
  %0 = sm.mma %a[%i], %b[%i], %sum depth 24 : <2 x 64 x 64 x bf16>, <2 x 64 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @part(%a: !sm.block<64 x 32 x bf16>, %b: !sm.block<32 x 64 x bf16>, %last: i1, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{multiplies a part of the depth of 32, which is a multiple of 16 below it, got 32}}
  %0 = sm.multiply %a, %b, %sum shallow %last to 32 : <64 x 32 x bf16>, <32 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @part(%a: !sm.block<64 x 32 x bf16>, %b: !sm.block<32 x 64 x bf16>, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{says where blocks are shallow together with their depth there}}
  %0 = sm.multiply %a, %b, %sum {shallow_depth = 16} : <64 x 32 x bf16>, <32 x 64 x bf16>, <64 x 64>
  return
}

// -----

// expected-error @+1 {{the sums of a warpgroup have 64 columns; 96 is not a multiple of it}}
func.func private @f(!sm.accumulator<24 x 96, transposed>)

// -----

// expected-error @+1 {{tensor-core instructions have 8 to 256 rows, a multiple of 8, got 12}}
func.func private @f(!sm.accumulator<12 x 64, transposed>)

// -----

// expected-error @+1 {{expected 'warps', 'threads' or 'transposed'}}
func.func private @f(!sm.accumulator<12 x 64, upright>)

// -----

func.func @part(%sum: !sm.accumulator<24 x 128, transposed>, %slots: !sm.buffer<2 x 64 x 128 x bf16, swizzle 128>, %i: index) {
  // expected-error @+1 {{writes a warpgroup's 24 x 64 sums, but the stage has 64 x 128}}
  sm.write %sum to %slots[%i] : <24 x 128, transposed> to <2 x 64 x 128 x bf16, swizzle 128>
  return
}
