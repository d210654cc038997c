// Why two layers have no kernel together for few rows on a GPU.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-alg-to-tile="target=sm_80 rows=3" -o /dev/null

!x = !alg.slots<?x32xf32, rows(cyclic 2), cols(2 x 16)>
!hidden = !alg.slots<?x32xf32, rows(cyclic 2), cols(2 x 16)>
!y = !alg.slots<?x32xf32, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xf32, rows(2 x 16), cols(2 x 16)>
!v = !alg.slots<32x32xf32, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{two layers have no kernel together: the target sm_80 computes on bf16, and they are f32}}
func.func @f32(%x: tensor<?x32xf32>, %w: tensor<32x32xf32>, %v: tensor<32x32xf32>, %p0: index) -> tensor<?x32xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xf32>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xf32>
  %vs = alg.slots %v rows(2 x 16) cols(2 x 16) : tensor<32x32xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xf32>
}

// -----

!x = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!hidden = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!y = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
!v = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{on sm_80 kernels of both for few rows compute row types from positions, and they are explicit}}
func.func @explicit(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %v: tensor<32x32xbf16>, %types: tensor<?xi32>) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %vs = alg.slots %v rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}

// -----

!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!hidden = !alg.slots<?x32xbf16, rows(cyclic 2), cols([8, 24])>
!y = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols([8, 24])>
!v = !alg.slots<32x32xbf16, rows([8, 24]), cols(2 x 16)>
// expected-error @+1 {{on sm_80 kernels of both for few rows read groups of one width}}
func.func @widths(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %v: tensor<32x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols([8, 24]) : tensor<32x32xbf16>
  %vs = alg.slots %v rows([8, 24]) cols(2 x 16) : tensor<32x32xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}

// -----

!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols([8, 24])>
!hidden = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!y = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows([8, 24]), cols(2 x 16)>
!v = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{on sm_80 kernels of both for few rows read groups of one width}}
func.func @input_widths(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %v: tensor<32x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols([8, 24]) : tensor<?x32xbf16>
  %ws = alg.slots %w rows([8, 24]) cols(2 x 16) : tensor<32x32xbf16>
  %vs = alg.slots %v rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}

// -----

!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!hidden = !alg.slots<?x131072xbf16, rows(cyclic 2), cols(2 x 65536)>
!y = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x131072xbf16, rows(2 x 16), cols(2 x 65536)>
!v = !alg.slots<131072x32xbf16, rows(2 x 65536), cols(2 x 16)>
// expected-error @+1 {{on sm_80 no schedule of both for few rows fits shared memory and registers}}
func.func @large(%x: tensor<?x32xbf16>, %w: tensor<32x131072xbf16>, %v: tensor<131072x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 65536) : tensor<32x131072xbf16>
  %vs = alg.slots %v rows(2 x 65536) cols(2 x 16) : tensor<131072x32xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}

// -----

!x = !alg.slots<?x1048576xbf16, rows(cyclic 1048576), cols(1048576 x 1)>
!hidden = !alg.slots<?x1048576xbf16, rows(cyclic 1048576), cols(1048576 x 1)>
!y = !alg.slots<?x1048576xbf16, rows(cyclic 1048576), cols(1048576 x 1)>
!w = !alg.slots<1048576x1048576xbf16, rows(1048576 x 1), cols(1048576 x 1)>
!v = !alg.slots<1048576x1048576xbf16, rows(1048576 x 1), cols(1048576 x 1)>
// expected-error @+1 {{on sm_80 kernels of both for few rows count less than 1048576 groups}}
func.func @groups(%x: tensor<?x1048576xbf16>, %w: tensor<1048576x1048576xbf16>, %v: tensor<1048576x1048576xbf16>, %p0: index) -> tensor<?x1048576xbf16> {
  %xs = alg.slots %x rows(cyclic 1048576, %p0) cols(1048576 x 1) : tensor<?x1048576xbf16>
  %ws = alg.slots %w rows(1048576 x 1) cols(1048576 x 1) : tensor<1048576x1048576xbf16>
  %vs = alg.slots %v rows(1048576 x 1) cols(1048576 x 1) : tensor<1048576x1048576xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(1048576)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(1048576)"> -> k : !hidden, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x1048576xbf16>
}

// -----

!sums = !alg.slots<?x32xf32, rows(cyclic 2), cols(2 x 16)>
!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!hidden = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!y = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
!v = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>
// expected-error @+1 {{on sm_80 the second layer computes one product and writes one result}}
func.func @several(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %v: tensor<32x32xbf16>, %u: tensor<32x32xbf16>, %p0: index) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %vs = alg.slots %v rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %us = alg.slots %u rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %as = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v into f32
  %bs = alg.contract %hs, %us by #alg.algebra<"Q(2)"> -> k : !hidden, !v into f32
  %ys = alg.map %as, %bs : (!sums, !sums) -> !y {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}
