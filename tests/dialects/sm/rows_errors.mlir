// RUN: alg-opt %s -split-input-file -verify-diagnostics

func.func @coordinates(%w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>, %i: index) {
  // expected-error @+1 {{takes the four coordinates column, group, segment (or depth) and row (or block), got 3}}
  %block = sm.locate %w[%i][%i, %i, %i] : <1 x 8 x 64 x bf16, row_dimension 2, vector 4>
  return
}

// -----

func.func @tensor_maps(%w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2>, %i: index) {
  // expected-error @+1 {{needs plain maps of rows at one distance, got '!sm.maps<1 x 8 x 64 x bf16, row_dimension 2>'}}
  %block = sm.locate %w[%i][%i, %i, %i, %i] : <1 x 8 x 64 x bf16, row_dimension 2>
  return
}

// -----

func.func @element(%x: !sm.view<<1 x 2 x 8 x f32, row_dimension 3, vector 4>>, %i: index) {
  // expected-error @+1 {{reads '!sm.piece<1 x 8 x bf16, vector 4>' through '!sm.maps<1 x 2 x 8 x f32, row_dimension 3, vector 4>'}}
  %piece = sm.read %x[%i] of 64 : <<1 x 2 x 8 x f32, row_dimension 3, vector 4>> to <1 x 8 x bf16, vector 4>
  return
}

// -----

func.func @rows_of_x(%x: !sm.view<<1 x 2 x 8 x bf16, row_dimension 3, vector 4>>, %i: index) {
  // expected-error @+1 {{reads one vector of each row of the weight matrix, or a part of one row of X, got '!sm.piece<2 x 8 x bf16, vector 4>'}}
  %piece = sm.read %x[%i] of 64 : <<1 x 2 x 8 x bf16, row_dimension 3, vector 4>> to <2 x 8 x bf16, vector 4>
  return
}

// -----

func.func @depth(%x: !sm.view<<1 x 2 x 8 x bf16, row_dimension 3, vector 4>>, %i: index) {
  // expected-error @+1 {{reads vectors of 4, which make up neither a depth of 62 nor 8 of it}}
  %piece = sm.read %x[%i] of 62 : <<1 x 2 x 8 x bf16, row_dimension 3, vector 4>> to <1 x 8 x bf16, vector 4>
  return
}

// -----

func.func @numbers(%x: !sm.piece<1 x 8 x bf16, vector 4>, %w: !sm.piece<4 x 4 x bf16, vector 4>, %sums: !sm.row_sums<64, slices 16, vector 4>) {
  // expected-error @+1 {{multiplies one row of as many numbers as the weight matrix has rows}}
  %next = sm.add_products %x, %w, %sums : <1 x 8 x bf16, vector 4>, <4 x 4 x bf16, vector 4>, <64, slices 16, vector 4>
  return
}

// -----

func.func @columns(%x: !sm.piece<1 x 8 x bf16, vector 4>, %w: !sm.piece<8 x 4 x bf16, vector 4>, %sums: !sm.row_sums<64, slices 16, vector 2>) {
  // expected-error @+1 {{has sums of 2 columns in a thread, and 4 of the weight matrix}}
  %next = sm.add_products %x, %w, %sums : <1 x 8 x bf16, vector 4>, <8 x 4 x bf16, vector 4>, <64, slices 16, vector 2>
  return
}

// -----

func.func @share(%sums: !sm.row_sums<64, slices 16, vector 4>, %buffer: !sm.sums_buffer<8 x 2 x 64>) {
  // expected-error @+1 {{leaves the sums of 1 rows, '!sm.row_sums<64, slices 16, vector 4>', for which '!sm.sums_buffer<8 x 2 x 64>' has no room of the right shape}}
  sm.share_sums %sums in %buffer : !sm.row_sums<64, slices 16, vector 4> in <8 x 2 x 64>
  return
}

// -----

func.func @collect(%buffer: !sm.sums_buffer<8 x 2 x 64>) {
  // expected-error @+1 {{makes '!sm.accumulator<2 x 64, threads 128>' of '!sm.sums_buffer<8 x 2 x 64>', whose threads and sums are others}}
  %sums = sm.collect_sums %buffer : <8 x 2 x 64> to <2 x 64, threads 128>
  return
}

// -----

// expected-error @+1 {{a thread has the sums of 1, 2, 4 or 8 columns, got 3}}
func.func private @vector(!sm.row_sums<48, slices 16, vector 3>)

// -----

// expected-error @+1 {{the columns are 1, 2, 4, 8, 16 or 32 times the 4 of a thread, got 48}}
func.func private @lanes(!sm.row_sums<48, slices 16, vector 4>)

// -----

// expected-error @+1 {{3 slices of 16 threads are no whole warps, or more than 1024 threads}}
func.func private @slices(!sm.row_sums<64, slices 3, vector 4>)

// -----

// expected-error @+1 {{threads read bf16 into registers, got 'f32'}}
func.func private @piece(!sm.piece<8 x 4 x f32, vector 4>)

// -----

// expected-error @+1 {{rows of 6 elements are not made of vectors of 4}}
func.func private @piece(!sm.piece<8 x 6 x bf16, vector 4>)

// -----

// expected-error @+1 {{1 to 32 warps leave at least one sum, got 33 of 2 x 64}}
func.func private @warps(!sm.sums_buffer<33 x 2 x 64>)

// -----

// expected-error @+1 {{the sums are dealt out among 1 to 1024 threads, got 2048}}
func.func private @threads(!sm.accumulator<2 x 64, threads 2048>)

// -----

func.func @product(%a: !sm.block<64 x 64 x bf16>, %b: !sm.block<64 x 64 x bf16>, %sums: !sm.accumulator<64 x 64, threads 256>) {
  // expected-error @+1 {{adds to sums of warps or warpgroups; here single threads hold them: '!sm.accumulator<64 x 64, threads 256>'}}
  %next = sm.multiply %a, %b, %sums : !sm.block<64 x 64 x bf16>, !sm.block<64 x 64 x bf16>, !sm.accumulator<64 x 64, threads 256>
  return
}

// -----

func.func @plus(%sums: !sm.accumulator<2 x 64, threads 256>, %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %i: index, %beta: f32) {
  // expected-error @+1 {{adds to what the result holds, which warps and warpgroups do; here single threads hold the sums}}
  sm.store_sums %sums to %y[%i][%i, %i, %i, %i] plus %beta : <2 x 64, threads 256> to !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 60>, weights = #alg.groups<2 x 60>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>

// expected-error @+1 {{takes the maps of X, W and Y, the rows, the offset, the terms table, the positions, the bytes of one}}
sm.kernel @rows(%x: !sm.maps<1 x 2 x 8 x bf16, row_dimension 3, vector 4>,
                %w: !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 4>,
                %y: !sm.maps<1 x 2 x 64 x bf16, row_dimension 3, vector 1>, %rows: index, %offset: index,
                %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = #tile.reduced<rows = 2, columns = 64, slices = 16, vector = 4>} {
}
