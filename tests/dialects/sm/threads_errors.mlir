// RUN: alg-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{threads move 1, 2, 4 or 8 elements at a time, got 16}}
func.func private @vector(!sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 16>)

// -----

// expected-error @+1 {{rows of 20 elements are not made of vectors of 8}}
func.func private @rows(!sm.maps<1 x 64 x 20 x bf16, row_dimension 3, vector 8>)

// -----

// expected-error @+1 {{gives its vector twice}}
func.func private @twice(!sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8, vector 8>)

// -----

// expected-error @+1 {{expected 'swizzle', 'vector', 'unequal', 'listed' or 'run'}}
func.func private @keyword(!sm.maps<1 x 64 x 64 x bf16, row_dimension 3, lanes 8>)

// -----

// expected-error @+1 {{gives its listed twice}}
func.func private @twice(!sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8, listed, listed>)

// -----

// expected-error @+1 {{the copy engine looks nothing up: only plain maps, those with a vector, are listed}}
func.func private @engine_lists(!sm.maps<1 x 64 x 64 x bf16, row_dimension 3, listed>)

// -----

// expected-error @+1 {{the copy engine looks nothing up: only plain maps, those with a vector, are of unequal groups}}
func.func private @engine_groups(!sm.maps<1 x 64 x 64 x bf16, row_dimension 2, unequal>)

// -----

// expected-error @+1 {{rows of X and Y are listed, which lie along dimension 3, got 2}}
func.func private @listed_bank(!sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8, listed>)

// -----

// expected-error @+1 {{one map has all rows of a list, got 2}}
func.func private @two_lists(!sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8, listed>)

// -----

func.func @no_list(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>, %i: index) {
  // expected-error @+1 {{reads the row list of '!sm.maps<2 x 64 x 64 x bf16, row_dimension 3, vector 8>', which are not listed}}
  %0 = sm.read_row_list %x[%i] : <2 x 64 x 64 x bf16, row_dimension 3, vector 8>
  return
}

// -----

// expected-error @+1 {{the sums are cut among 1 to 32 warps, got 8 x 8}}
func.func private @warps(!sm.accumulator<128 x 128, warps 8 x 8>)

// -----

// expected-error @+1 {{each of 4 x 1 warps holds tiles of 16 x 8, which does not cut up 96 x 64}}
func.func private @rows(!sm.accumulator<96 x 64, warps 4 x 1>)

// -----

// expected-error @+1 {{each of 1 x 4 warps holds tiles of 16 x 8, which does not cut up 64 x 48}}
func.func private @columns(!sm.accumulator<64 x 48, warps 1 x 4>)

// -----

// expected-error @+1 {{the sums take 256 registers of a thread, of 255}}
func.func private @registers(!sm.accumulator<128 x 64, warps 1 x 1>)

// -----

func.func @load(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %a: !sm.buffer<2 x 64 x 64 x bf16>, %i: index) {
  // expected-error @+1 {{is made by threads and needs plain maps, those with a vector}}
  sm.copy %x[%i] [%i, %i, %i, %i] to %a[%i] : <1 x 64 x 64 x bf16, row_dimension 3> to <2 x 64 x 64 x bf16>
  return
}

// -----

func.func @elements(%x: !sm.maps<1 x 64 x 64 x f32, row_dimension 3, vector 4>, %a: !sm.buffer<2 x 64 x 64 x f32>, %i: index) {
  // expected-error @+1 {{copies operands of bf16, got 'f32'}}
  sm.copy %x[%i] [%i, %i, %i, %i] to %a[%i] : <1 x 64 x 64 x f32, row_dimension 3, vector 4> to <2 x 64 x 64 x f32>
  return
}

// -----

func.func @shapes(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 4>, %a: !sm.buffer<2 x 64 x 32 x bf16>, %i: index) {
  // expected-error @+1 {{the maps are for blocks of 64 x 64 x 'bf16', the other side has 64 x 32 x 'bf16'}}
  sm.copy %x[%i] [%i, %i, %i, %i] to %a[%i] : <1 x 64 x 64 x bf16, row_dimension 3, vector 4> to <2 x 64 x 32 x bf16>
  return
}

// -----

func.func @wait() {
  // expected-error @+1 {{cannot leave -1 groups unfinished}}
  sm.copy_wait -1
  return
}

// -----

func.func @deliver(%sum: !sm.accumulator<64 x 64, warps 2 x 2>, %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3>, %i: index) {
  // expected-error @+1 {{stores sums of single warps, which go through plain maps: give them a vector}}
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <64 x 64, warps 2 x 2> to <1 x 64 x 64 x bf16, row_dimension 3>
  return
}

// -----

func.func @deliver(%sum: !sm.accumulator<64 x 64, transposed>, %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2>, %i: index) {
  // expected-error @+1 {{stores sums of warpgroups that hold columns, which go through tensor maps: take away their vector}}
  sm.store_sums %sum to %y[%i] [%i, %i, %i, %i] : <64 x 64, transposed> to <1 x 64 x 64 x bf16, row_dimension 3, vector 2>
  return
}

// -----

func.func @sign(%a: !sm.buffer<2 x 64 x 64 x bf16>, %i: index, %minus: i1, %sum: !sm.accumulator<64 x 64>) {
  // expected-error @+1 {{takes its sign as a value for sums of single warps only; wgmma has it in the instruction}}
  %0 = sm.mma %a[%i], %a[%i], %sum negate_if %minus : <2 x 64 x 64 x bf16>, <2 x 64 x 64 x bf16>, <64 x 64>
  return
}

// -----

func.func @signs(%a: !sm.buffer<2 x 64 x 64 x bf16>, %i: index, %minus: i1, %sum: !sm.accumulator<64 x 64, warps 2 x 2>) {
  // expected-error @+1 {{has a sign as an attribute and one as a value}}
  %0 = sm.mma %a[%i], %a[%i], %sum negate negate_if %minus : <2 x 64 x 64 x bf16>, <2 x 64 x 64 x bf16>, <64 x 64, warps 2 x 2>
  return
}

// -----

func.func @scaled(%sum: !sm.accumulator<64 x 64>, %c: f32) {
  // expected-error @+1 {{scales sums of single warps; give the accumulator its warps}}
  %0 = sm.add_scaled %sum, %c, %sum : <64 x 64>
  return
}

// -----

func.func @write(%sum: !sm.accumulator<64 x 64, warps 2 x 2>, %slots: !sm.buffer<2 x 64 x 64 x bf16>, %i: index) {
  // expected-error @+1 {{writes sums of warpgroups; those of single warps are stored straight to memory}}
  sm.write %sum to %slots[%i] : <64 x 64, warps 2 x 2> to <2 x 64 x 64 x bf16>
  return
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @partitions(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8>,
             %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8>,
             %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
             %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  sm.partition @multiply warpgroups 1 registers 128 {
    // expected-error @+1 {{is for all threads of the block: it cannot stand in an sm.partition}}
    sm.block_sync
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @loads(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8>,
             %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8>,
             %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
             %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  %a = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %i = arith.constant 0 : index
  sm.partition @load warpgroups 1 registers 128 {
    sm.elect {
      // expected-error @+1 {{needs tensor maps; threads copy through plain ones with sm.copy}}
      sm.load %x[%i] [%i, %i, %i, %i] to %a[%i] : <1 x 64 x 64 x bf16, row_dimension 3, vector 8> to <2 x 64 x 64 x bf16, swizzle 128>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
sm.kernel @stores(%x: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 8>,
             %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8>,
             %y: !sm.maps<1 x 64 x 64 x bf16, row_dimension 3, vector 2>, %rows: index, %offset: index,
             %terms: !sm.terms_table) attributes {layout = #layout, schedule = 0} {
  %a = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %i = arith.constant 0 : index
  sm.partition @multiply warpgroups 1 registers 128 {
    sm.elect {
      // expected-error @+1 {{needs tensor maps, got plain ones}}
      sm.store %a[%i] to %y[%i] [%i, %i, %i, %i] : <2 x 64 x 64 x bf16, swizzle 128> to <1 x 64 x 64 x bf16, row_dimension 3, vector 2>
    }
  }
}
