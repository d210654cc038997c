// Why a product has no kernel for rows that are divided among experts.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-alg-to-tile="target=sm_90a rows=256 experts=5" -o /dev/null
// RUN: not alg-opt %S/alg-to-tile.mlir -convert-alg-to-tile="experts=5" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not alg-opt %S/alg-to-tile.mlir -convert-alg-to-tile="target=sm_90a experts=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not alg-opt %S/alg-to-tile.mlir -convert-alg-to-tile="target=sm_90a experts=5 schedule=rows=64,columns=64,depth=32,vector=4" 2>&1 | FileCheck %s --check-prefix=STAGED
// RUN: not alg-opt %S/alg-to-tile_chained.mlir -convert-alg-to-tile="target=sm_90a experts=5 schedule=rows=64,hidden=32,stationary=2" 2>&1 | FileCheck %s --check-prefix=STAGED-LAYERS
// RUN: not alg-opt %S/alg-to-tile.mlir -convert-alg-to-tile="target=sm_90a experts=5 schedule=reduce=3" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not alg-opt %S/alg-to-tile_chained.mlir -convert-alg-to-tile="target=sm_90a experts=5 schedule=reduce=16,hidden=48" 2>&1 | FileCheck %s --check-prefix=HIDDEN

// CPU: error: kernels whose rows are divided among experts are a GPU's, of at least one expert; got 5 for cpu
// NEGATIVE: error: kernels whose rows are divided among experts are a GPU's, of at least one expert; got -1 for sm_90a
// STAGED: error: the schedule rows=64,{{.*}} is impossible: a kernel of one layer whose rows are divided among experts is one of vector reductions, as reduce=16,rows=4,columns=64, or finds them in a list, which is for explicit row types
// STAGED-LAYERS: error: the schedule rows=64,{{.*}} is impossible: a kernel of two layers whose rows are divided among experts is one of vector reductions, as reduce=16,rows=4,hidden=64,columns=64
// THREADS: error: the schedule reduce=3 is impossible: 3 slices of 16 threads each are not 1 to 32 whole warps
// HIDDEN: error: the schedule reduce=16,hidden=48 is impossible: of the first layer: the columns of a block

!x = !alg.slots<?x32xf32, rows(cyclic 2), cols(2 x 16)>
!y = !alg.slots<?x32xf32, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xf32, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{on sm_90a kernels of experts multiply bf16, and these are f32}}
func.func @f32(%x: tensor<?x32xf32>, %w: tensor<32x32xf32>, %p0: index) -> tensor<?x32xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xf32>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xf32>
}

// -----

!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!y = !alg.slots<?x32xbf16, rows(cyclic 2), cols([8, 24])>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols([8, 24])>
// expected-error @+1 {{on sm_90a kernels of experts read groups of one width}}
func.func @widths(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols([8, 24]) : tensor<32x32xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}

// -----

!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols([8, 24])>
!y = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows([8, 24]), cols(2 x 16)>
// expected-error @+1 {{on sm_90a kernels of experts read groups of one width}}
func.func @input_widths(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols([8, 24]) : tensor<?x32xbf16>
  %ws = alg.slots %w rows([8, 24]) cols(2 x 16) : tensor<32x32xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}

// -----

!dy = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!dx = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{kernels whose rows are divided among experts compute no gradients}}
func.func @dx(%dy: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %dys = alg.slots %dy rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %dxs = alg.contract %dys, %ws by #alg.algebra<"Q(2)"> -> i : !dy, !w
  %dx = alg.gather %dxs : !dx
  return %dx : tensor<?x32xbf16>
}

// -----

!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!dy = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!dw = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{kernels whose rows are divided among experts compute no gradients}}
func.func @dw(%x: tensor<?x32xbf16>, %dy: tensor<?x32xbf16>, %p0: index) -> tensor<32x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %dys = alg.slots %dy rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j : !x, !dy
  %dw = alg.gather %dws : !dw
  return %dw : tensor<32x32xbf16>
}

// -----

// Of two layers the reasons are those of any kernel of both for few rows.
!x = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!hidden = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!y = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
!v = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{two layers have no kernel together: on sm_90a kernels of both for few rows compute row types from positions, and they are explicit}}
func.func @explicit_layers(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %v: tensor<32x32xbf16>, %types: tensor<?xi32>) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %vs = alg.slots %v rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}
