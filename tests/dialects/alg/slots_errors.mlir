// RUN: alg-opt %s -verify-diagnostics -split-input-file

func.func @cover(%x: tensor<?x2048xf32>) {
  // expected-error @+1 {{32 groups of 63 cover 2016 columns, the tensor has 2048}}
  %xs = alg.slots %x rows(cyclic 32) cols(32 x 63) : tensor<?x2048xf32>
  return
}

// -----

func.func @cover_unequal(%w: tensor<2048x12xf32>) {
  // expected-error @+1 {{3 groups of [640, 512, 900] cover 2052 rows, the tensor has 2048}}
  %ws = alg.slots %w rows([640, 512, 900]) cols(3 x 4) : tensor<2048x12xf32>
  return
}

// -----

func.func @dynamic_columns(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{the columns are cut into groups and need a static number, not '?'}}
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<4x?xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{a view with rows and columns has rank 2, not 3}}
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<2x4x8xf32>
  return
}

// -----

func.func @integers(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{slots hold floating-point elements, not 'i32'}}
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<4x8xi32>
  return
}

// -----

func.func @plain_width(%x: tensor<?x10xf32>) {
  // expected-error @+1 {{10 columns cannot be cut into 4 slots of equal width}}
  %xs = alg.slots %x plain(4) : tensor<?x10xf32>
  return
}

// -----

func.func @plain_bank(%w: tensor<3x4x4xf32>) {
  // expected-error @+1 {{a weight matrix of 4 slots needs a first dimension of 4}}
  %ws = alg.slots %w plain(4) : tensor<3x4x4xf32>
  return
}

// -----

func.func @plain_rank(%w: tensor<4xf32>) {
  // expected-error @+1 {{a plain view has rank 2 (activations) or 3 (weight matrix), not 1}}
  %ws = alg.slots %w plain(4) : tensor<4xf32>
  return
}

// -----

func.func @no_slots(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{an algebra has at least one slot, got plain(0)}}
  %xs = alg.slots %x plain(0) : tensor<4x8xf32>
  return
}

// -----

func.func @bank_offset(%w: tensor<4x8xf32>, %p0: index) {
  // expected-error @+1 {{the rows of a weight matrix have no offset}}
  %ws = alg.slots %w rows(2 x 2, %p0) cols(2 x 4) : tensor<4x8xf32>
  return
}

// -----

func.func @no_types(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'alg.slots' op has an explicit schedule: it takes the vector of the types and no offset}}
  %xs = alg.slots %x rows(explicit 2) cols(2 x 4) : tensor<4x8xf32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @few_types(%x: tensor<4x8xf32>, %types: tensor<3xi32>) {
  // expected-error @+1 {{expects different type than prior uses: 'tensor<4xi32>' vs 'tensor<3xi32>'}}
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 4) : tensor<4x8xf32>
  return
}

// -----

func.func @few_types_generic(%x: tensor<4x8xf32>, %types: tensor<3xi32>) {
  // expected-error @+1 {{'alg.slots' op needs one type for each row, that is 'tensor<4xi32>', not 'tensor<3xi32>'}}
  %xs = "alg.slots"(%x, %types) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (tensor<4x8xf32>, tensor<3xi32>) -> !alg.slots<4x8xf32, rows(explicit 2), cols(2 x 4)>
  return
}

// -----

func.func @other_tensor(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'alg.slots' op is a view of 'tensor<5x8xf32>', but its operand is 'tensor<4x8xf32>'}}
  %xs = "alg.slots"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (tensor<4x8xf32>) -> !alg.slots<5x8xf32, rows(cyclic 2), cols(2 x 4)>
  return
}

// -----

func.func @plain_offset(%x: tensor<4x8xf32>, %p0: index) {
  // expected-error @+1 {{'alg.slots' op has no row types, so it takes neither an offset nor types}}
  %xs = "alg.slots"(%x, %p0) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (tensor<4x8xf32>, index) -> !alg.slots<4x8xf32, plain(2)>
  return
}

// -----

func.func @negative_offset(%x: tensor<4x8xf32>) {
  %p0 = arith.constant -1 : index
  // expected-error @+1 {{'alg.slots' op starts at position -1; positions count from 0}}
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<4x8xf32>
  return
}

// -----

// expected-error @+1 {{expected row types or groups, found #alg.algebra}}
func.func private @rows(!alg.slots<4x8xf32, rows(#alg.algebra<"Q(2)">), cols(2 x 4)>)

// -----

// expected-error @+1 {{an algebra has at least one slot, got plain(-1)}}
func.func private @plain(!alg.slots<4x8xf32, plain(-1)>)
