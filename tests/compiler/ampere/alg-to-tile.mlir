// From a product to the schedule of a kernel whose threads copy.
// RUN: alg-opt %s -split-input-file '-convert-alg-to-tile=target=sm_80 output=f32 rows=512' | FileCheck %s
// RUN: alg-opt %s -split-input-file '-convert-alg-to-tile=target=sm_80 schedule=rows=32,columns=48,depth=16,warps=2x3,stages=2' | FileCheck %s --check-prefix=GIVEN
// RUN: alg-opt %s -split-input-file '-convert-alg-to-tile=target=sm_80 vector=1' | FileCheck %s --check-prefix=SINGLE
// RUN: alg-opt %s -split-input-file '-convert-alg-to-tile=target=sm_80 schedule=rows=16,warps=1x4,vector=2 vector=1' | FileCheck %s --check-prefix=SINGLE
// RUN: not alg-opt %s -split-input-file '-convert-alg-to-tile=target=sm_80 schedule=rows=48' 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not alg-opt %s -split-input-file '-convert-alg-to-tile=target=sm_80 vector=8' 2>&1 | FileCheck %s --check-prefix=VECTOR

// 20 and 100 features are multiples of 4: threads copy 4 elements at a time.
// CHECK-LABEL: tile.kernel @odd_f32(
// CHECK-SAME: %x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x400xbf16>, %y: !tile.matrix<?x400xf32>
// CHECK-SAME: schedule = #tile.staged<types = 1, rows = {{[0-9]+}}, columns = {{[0-9]+}}, depth = {{[0-9]+}}, stages = {{[0-9]+}}, warps = {{[0-9]+}} x {{[0-9]+}}, vector = 4>
// GIVEN: schedule = #tile.staged<types = 1, rows = 32, columns = 48, depth = 16, stages = 2, warps = 2 x 3, vector = 4>
// SINGLE: schedule = #tile.staged<{{.*}}, vector = 1>
// ROWS: error: the schedule rows=48,columns=128,depth=32,stages=0,warps=2x2,vector=0 is impossible: 48 rows: a tile has up to 256, a multiple of 16 for each of 2 rows of warps
// VECTOR: error: vectors of 8: input groups of 20 and output groups of 100 features are multiples of 4 at most
func.func @odd(%x: tensor<?x80xbf16>, %w: tensor<80x400xbf16>, %p0: index) -> tensor<?x400xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 20) : tensor<?x80xbf16>
  %ws = alg.slots %w rows(4 x 20) cols(4 x 100) : tensor<80x400xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x80xbf16, rows(cyclic 4), cols(4 x 20)>, !alg.slots<80x400xbf16, rows(4 x 20), cols(4 x 100)>
  %y = alg.gather %ys : !alg.slots<?x400xbf16, rows(cyclic 4), cols(4 x 100)>
  return %y : tensor<?x400xbf16>
}
