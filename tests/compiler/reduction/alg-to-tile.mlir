// From a product to a kernel of vector reductions.
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 schedule=reduce=16,rows=4,columns=32' | FileCheck %s
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=32' | FileCheck %s --check-prefix=CHOSEN
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 schedule=reduce=16,rows=4,columns=32 experts=3' | FileCheck %s --check-prefixes=CHECK,EXPERTS
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a rows=4096 experts=64' | FileCheck %s --check-prefix=EXPERTS-CHOSEN
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 rows=4096 experts=64' | FileCheck %s --check-prefix=EXPERTS-CHOSEN
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a rows=4096' | FileCheck %s --check-prefix=NETWORK
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=32,vector=8' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=32,columns=48' 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=3' 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=32,rows=17' 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=64,rows=8' 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=32,depth=8' 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK-LABEL: tile.kernel @few_bf16(
// CHECK-SAME: %x: !tile.matrix<?x80xbf16>, %w: !tile.matrix<80x400xbf16>, %[[BIAS:[a-z]+]]: !tile.matrix<1x400xbf16>, %y: !tile.matrix<?x400xbf16>
// EXPERTS-SAME: attributes {experts, layout =
// CHECK-SAME: schedule = #tile.reduced<rows = 4, columns = 32, slices = 16, vector = 4>
// CHECK: tile.forall (%r, %g, %n) over [<batch, 4>, <groups, 1>, <columns, 32>]
// CHECK-NEXT: %[[ZERO:.*]] = tile.zero
// CHECK-NEXT: %[[TOTAL:.*]] = tile.add_row_terms %x[%r], %w[%g, %n], %[[ZERO]]
// CHECK-NEXT: %[[BIASED:.*]] = tile.map (%[[V:.*]] = %[[TOTAL]] : !tile.fragment<4x32xf32>, %[[B:.*]] = %[[BIAS]][%g, %n] : !tile.matrix<1x400xbf16>)
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT:   %[[ADDED:.*]] = arith.addf %[[V]], %[[WIDE]] : f32
// CHECK-NEXT:   %[[ROUNDED:.*]] = arith.truncf %[[ADDED]] : f32 to bf16
// CHECK-NEXT:   tile.yield %[[ROUNDED]] : bf16
// CHECK-NEXT: }
// CHECK-NEXT: tile.store_rows %[[BIASED]] to %y[%r, %g, %n]
// CHOSEN: schedule = #tile.reduced<rows = 1, columns = 64, slices = 32, vector = 4>
// CHOSEN: %[[SUM:.*]] = tile.map {{.*}} : !tile.matrix<1x400xbf16>)
// CHOSEN: tile.store_rows %[[SUM]]
// Many rows are those of a network otherwise.
// EXPERTS-CHOSEN: attributes {experts, layout = {{.*}}, schedule = #tile.reduced<rows = {{[0-9]+}}, columns = {{[0-9]+}}, slices = {{[0-9]+}}, vector = 4>}
// EXPERTS-CHOSEN: tile.add_row_terms
// NETWORK-NOT: experts
// NETWORK: schedule = #tile.staged<
// VECTOR: error: the schedule reduce=32,vector=8 is impossible: groups of 20 and 100 columns are no multiples of 8 elements: threads read 4 at most
// COLUMNS: error: the schedule reduce=32,columns=48 is impossible: the columns of a block are 1, 2, 4, 8, 16 or 32 times the vector of 4, not 48
// THREADS: error: the schedule reduce=3 is impossible: 3 slices of 16 threads each are not 1 to 32 whole warps
// ROWS: error: the schedule reduce=32,rows=17 is impossible: a block takes 1 to 16 rows of the batch, not 17
// REGISTERS: error: the schedule reduce=64,rows=8 is impossible: a thread needs about 132 registers for the sums of 8 rows and what it reads, and 1024 threads leave it 64
// NAME: error: schedule 'reduce=32,depth=8': nothing in it is called 'depth'
// NAME: note: write a schedule of vector reductions as reduce=32,rows=4,columns=64,vector=8
func.func @few(%x: tensor<?x80xbf16>, %w: tensor<80x400xbf16>, %bias: tensor<400xbf16>, %p0: index) -> tensor<?x400xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 20) : tensor<?x80xbf16>
  %ws = alg.slots %w rows(4 x 20) cols(4 x 100) : tensor<80x400xbf16>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k
      : !alg.slots<?x80xbf16, rows(cyclic 4), cols(4 x 20)>, !alg.slots<80x400xbf16, rows(4 x 20), cols(4 x 100)> into f32
  %ys = alg.map %sums columns %bias : (!alg.slots<?x400xf32, rows(cyclic 4), cols(4 x 100)>, tensor<400xbf16>) -> !alg.slots<?x400xbf16, rows(cyclic 4), cols(4 x 100)> {
  ^bb0(%sum: f32, %b: bf16):
    %wide = arith.extf %b : bf16 to f32
    %biased = arith.addf %sum, %wide : f32
    %rounded = arith.truncf %biased : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !alg.slots<?x400xbf16, rows(cyclic 4), cols(4 x 100)>
  return %y : tensor<?x400xbf16>
}
