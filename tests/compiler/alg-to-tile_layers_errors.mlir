// Two layers that have no kernel together on a GPU, and schedules that are none of theirs.
// RUN: alg-opt %s -split-input-file -verify-diagnostics -convert-alg-to-tile="target=sm_90a"
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_80" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=rows=32,hidden=64,stationary=2" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=hidden=48,stationary=2" 2>&1 | FileCheck %s --check-prefix=HIDDEN
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=depth=8,stationary=2" 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=stationary=5" 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=stages=0x1,stationary=2" 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=hidden=32,depth=32,stages=3x2,stationary=2" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=rows=256,stationary=2" 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=rows=192,stages=0x16,stationary=2" 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=row_stages=3,stationary=2" 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=types=2,stationary=2" 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=rows=64,columns=64" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not alg-opt %S/alg-to-tile_layers_staged.mlir -split-input-file -convert-alg-to-tile="target=sm_90a schedule=stages=4" 2>&1 | FileCheck %s --check-prefix=PAIR

// Where threads copy, a kernel has one layer.
// THREADS: error: two layers have no kernel together: the kernels of sm_80 compute one

// ROWS: error: the schedule rows=32,hidden=64,depth=64,stages=0x2,stationary=2 is impossible: 32 rows of 1 types: a tile has 64 for each of 1 to 4 warpgroups
// HIDDEN: is impossible: 48 hidden columns at a time: they are one swizzled panel wide, 16, 32 or 64
// DEPTH: is impossible: a depth of 8: a stage is one swizzled panel of X deep, 16, 32 or 64
// GROUPS: is impossible: 5 groups in a turn, of 4
// A step multiplies a block of the group's own weight matrix and one of the type's.
// NEXT: is impossible: 1 stages of the second layer's blocks: a step takes 2, and there are at most 16
// Those of the step before are still being read.
// STAGES: is impossible: 3 stages: 4 to 16 are possible
// REGISTERS: is impossible: {{[0-9]+}} registers of a thread, of {{[0-9]+}} that 4 warpgroups leave it
// MEMORY: is impossible: 0 stages of 8192 bytes fit beside 122880 bytes for rows, the hidden group and the result and 131072 of the second layer's blocks: 2 are needed
// AHEAD: is impossible: 3 groups of X at a time: 1, or 2 so that one comes ahead
// TYPES: is impossible: 2 types in a tile, and maps that read rows: those of one type do
// Schedules of two layers have other entries than those of one.
// NAME: error: schedule 'rows=64,columns=64': nothing in it is called 'columns'
// NAME: note: write a schedule of two layers as rows=64,hidden=64,depth=64,stages=4x2,stationary=8
// PAIR: error: schedule 'stages=4': '4' is not of the form 2x4

!x = !alg.slots<?x128xf32, rows(cyclic 2), cols(2 x 64)>
!w = !alg.slots<128x128xf32, rows(2 x 64), cols(2 x 64)>
// expected-error @+1 {{two layers have no kernel together: the target sm_90a computes on bf16, and they are f32}}
func.func @f32(%x: tensor<?x128xf32>, %w: tensor<128x128xf32>, %v: tensor<128x128xf32>, %p0: index) -> tensor<?x128xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 64) : tensor<?x128xf32>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 64) : tensor<128x128xf32>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 64) : tensor<128x128xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xf32>
}

// -----

// Several output groups read a hidden group.
!x = !alg.slots<?x192xbf16, rows(cyclic 3), cols(3 x 64)>
!w = !alg.slots<192x192xbf16, rows(3 x 64), cols(3 x 64)>
// expected-error @+1 {{on sm_90a only products of a graph have one kernel: elsewhere several output groups read a hidden group, which would have to stay for all of them, or be made again}}
func.func @incomplete(%x: tensor<?x192xbf16>, %w: tensor<192x192xbf16>, %v: tensor<192x192xbf16>, %p0: index) -> tensor<?x192xbf16> {
  %xs = alg.slots %x rows(cyclic 3, %p0) cols(3 x 64) : tensor<?x192xbf16>
  %ws = alg.slots %w rows(3 x 64) cols(3 x 64) : tensor<192x192xbf16>
  %vs = alg.slots %v rows(3 x 64) cols(3 x 64) : tensor<192x192xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"T(3)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"T(3)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x192xbf16>
}

// -----

// No tensor map addresses groups of 60.
!x = !alg.slots<?x128xbf16, rows(cyclic 2), cols(2 x 64)>
!w = !alg.slots<128x120xbf16, rows(2 x 64), cols(2 x 60)>
!v = !alg.slots<120x128xbf16, rows(2 x 60), cols(2 x 64)>
!hidden = !alg.slots<?x120xbf16, rows(cyclic 2), cols(2 x 60)>
// expected-error @+1 {{on sm_90a the copy engine brings the blocks of both, and it cannot address these: groups are multiples of 8 features, of one width, and row types cyclic or intervals}}
func.func @widths(%x: tensor<?x128xbf16>, %w: tensor<128x120xbf16>, %v: tensor<120x128xbf16>, %p0: index) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 60) : tensor<128x120xbf16>
  %vs = alg.slots %v rows(2 x 60) cols(2 x 64) : tensor<120x128xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xbf16>
}

// -----

// Rows of explicit types lie anywhere.
!x = !alg.slots<?x128xbf16, rows(explicit 2), cols(2 x 64)>
!w = !alg.slots<128x128xbf16, rows(2 x 64), cols(2 x 64)>
// expected-error @+1 {{on sm_90a the copy engine brings the blocks of both, and it cannot address these}}
func.func @explicit(%x: tensor<?x128xbf16>, %w: tensor<128x128xbf16>, %v: tensor<128x128xbf16>, %types: tensor<?xi32>) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xbf16>
}

// -----

// What the first layer leaves is multiplied from registers, by one weight matrix.
!x = !alg.slots<?x128xbf16, rows(cyclic 2), cols(2 x 64)>
!sums = !alg.slots<?x128xf32, rows(cyclic 2), cols(2 x 64)>
!w = !alg.slots<128x128xbf16, rows(2 x 64), cols(2 x 64)>
// expected-error @+1 {{on sm_90a the second layer computes one product and writes one result}}
func.func @several(%x: tensor<?x128xbf16>, %w: tensor<128x128xbf16>, %v: tensor<128x128xbf16>, %u: tensor<128x128xbf16>, %p0: index) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %us = alg.slots %u rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %as = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %bs = alg.contract %hs, %us by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %ys = alg.map %as, %bs : (!sums, !sums) -> !x {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xbf16>
}

// -----

// Hidden tiles are narrower than those that a map could read beside them.
!x = !alg.slots<?x128xbf16, rows(cyclic 2), cols(2 x 64)>
!sums = !alg.slots<?x128xf32, rows(cyclic 2), cols(2 x 64)>
!w = !alg.slots<128x128xbf16, rows(2 x 64), cols(2 x 64)>
// expected-error @+1 {{on sm_90a maps between the layers read no elements of another matrix}}
func.func @elements(%x: tensor<?x128xbf16>, %w: tensor<128x128xbf16>, %v: tensor<128x128xbf16>, %p0: index) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %as = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %hs = alg.map %as, %xs : (!sums, !x) -> !x {
  ^bb0(%a: f32, %b: bf16):
    %wide = arith.extf %b : bf16 to f32
    %sum = arith.addf %a, %wide : f32
    %rounded = arith.truncf %sum : f32 to bf16
    alg.yield %rounded : bf16
  }
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xbf16>
}

// -----

!x = !alg.slots<?x128xbf16, rows(cyclic 2), cols(2 x 64)>
!w = !alg.slots<128x128xbf16, rows(2 x 64), cols(2 x 64)>
!v = !alg.slots<128x528xbf16, rows(2 x 64), cols(2 x 264)>
!y = !alg.slots<?x528xbf16, rows(cyclic 2), cols(2 x 264)>
// expected-error @+1 {{on sm_90a a tile has all columns of an output group, at most 256, and there are 264}}
func.func @wide(%x: tensor<?x128xbf16>, %w: tensor<128x128xbf16>, %v: tensor<128x528xbf16>, %p0: index) -> tensor<?x528xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 264) : tensor<128x528xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x528xbf16>
}

// -----

// Rows of one group of X take more than there is.
!x = !alg.slots<?x8192xbf16, rows(cyclic 2), cols(2 x 4096)>
!w = !alg.slots<8192x128xbf16, rows(2 x 4096), cols(2 x 64)>
!v = !alg.slots<128x128xbf16, rows(2 x 64), cols(2 x 64)>
!hidden = !alg.slots<?x128xbf16, rows(cyclic 2), cols(2 x 64)>
// expected-error @+1 {{on sm_90a no schedule of both fits shared memory and registers}}
func.func @deep(%x: tensor<?x8192xbf16>, %w: tensor<8192x128xbf16>, %v: tensor<128x128xbf16>, %p0: index) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4096) : tensor<?x8192xbf16>
  %ws = alg.slots %w rows(2 x 4096) cols(2 x 64) : tensor<8192x128xbf16>
  %vs = alg.slots %v rows(2 x 64) cols(2 x 64) : tensor<128x128xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !hidden
  return %y : tensor<?x128xbf16>
}
