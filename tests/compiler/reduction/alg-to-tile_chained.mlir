// From a product and the one that multiplies its results to one kernel of vector reductions.
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,rows=4,hidden=32,columns=16,vector=8,cluster=4' | FileCheck %s
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 output=f32 schedule=reduce=16,hidden=64' | FileCheck %s --check-prefix=DEFAULTS
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a rows=3' | FileCheck %s --check-prefixes=CHOSEN,CLUSTER
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 rows=3' | FileCheck %s --check-prefixes=CHOSEN,BLOCK
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,rows=4,hidden=32,columns=16,vector=8,cluster=4 experts=5' | FileCheck %s --check-prefixes=CHECK,EXPERTS
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a rows=4096 experts=64' | FileCheck %s --check-prefix=MANY
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 rows=4096 experts=64' | FileCheck %s --check-prefix=MANY
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,cluster=9' 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,cluster=0' 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_80 schedule=reduce=16,hidden=32,cluster=2' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=48' 2>&1 | FileCheck %s --check-prefix=HIDDEN
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=3,hidden=32' 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,rows=17' 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=64,rows=16' 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,vector=16' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,columns=24' 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,columns=0' 2>&1 | FileCheck %s --check-prefix=NO-COLUMNS
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,columns=512' 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_80 schedule=reduce=8,rows=8,hidden=32,vector=4' 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not alg-opt %s '-convert-alg-to-tile=target=sm_90a schedule=reduce=16,hidden=32,depth=8' 2>&1 | FileCheck %s --check-prefix=NAME

// The operands are those of steps: rows, weight matrices of the first layer and of the second, and what maps read.
// CHECK-LABEL: tile.kernel @gated_bf16(
// CHECK-SAME:    %x: !tile.matrix<?x32xbf16>, %w: !tile.matrix<32x8192xbf16>, %w2: !tile.matrix<32x8192xbf16>, %w3: !tile.matrix<8192x48xbf16>, %[[BIAS:[a-z0-9]+]]: !tile.matrix<1x8192xbf16>, %[[SCALE:[a-z0-9_]+]]: !tile.matrix<?x1xf32>, %y: !tile.matrix<?x48xbf16>)
// EXPERTS-SAME:  attributes {experts, layout =
// CHECK-SAME:    in = <2 x 4096>, weights = <2 x 4096>, out = <2 x 24>, row_types = <cyclic 2>>, schedule = #tile.reduced<rows = 4, columns = 16, slices = 32, vector = 8, cluster = 4>}
// A task has all columns of a group; the threads of both layers are the same.
// CHECK-NEXT:    tile.forall (%r, %g, %{{.*}}) over [<batch, 4>, <groups, 1>, <columns, 32>] {
// CHECK-NEXT:      %[[LEFT:.*]] = tile.buffer : <4x8192xbf16>
// CHECK-NEXT:      tile.row_terms (%k) of (%r, %g) {
// CHECK-NEXT:        tile.layer attributes {layout = #tile.layout<{{.*}}, in = <2 x 16>, weights = <2 x 16>, out = <2 x 4096>, row_types = <cyclic 2>>, schedule = #tile.reduced<rows = 4, columns = 32, slices = 16, vector = 8, cluster = 4>} {
// CHECK-NEXT:          tile.for (%[[M:.*]]) over [<columns, 32>] {
// CHECK-NEXT:            %[[ZERO:.*]] = tile.zero : <4x32xf32>
// CHECK-NEXT:            %[[GATES:.*]] = tile.add_row_terms %x[%r], %w[%k, %[[M]]], %[[ZERO]]
// CHECK-NEXT:            %[[ZERO2:.*]] = tile.zero : <4x32xf32>
// CHECK-NEXT:            %[[UPS:.*]] = tile.add_row_terms %x[%r], %w2[%k, %[[M]]], %[[ZERO2]]
// CHECK-NEXT:            %[[H:.*]] = tile.map (%{{.*}} = %[[GATES]] : {{.*}}, %{{.*}} = %[[UPS]] : {{.*}}, %{{.*}} = %[[BIAS]][%k, %[[M]]] : !tile.matrix<1x8192xbf16>) -> !tile.fragment<4x32xbf16> {
// CHECK:                 tile.store_rows %[[H]] to %[[LEFT]][%r, %k, %[[M]]] : <4x32xbf16> to !tile.buffer<4x8192xbf16>
// CHECK:           tile.for (%[[N:.*]]) over [<columns, 16>] {
// CHECK:             %[[SUM:.*]] = tile.add_row_terms %[[LEFT]][%r], %w3[%g, %[[N]]], %{{.*}} : !tile.buffer<4x8192xbf16>, <8192x48xbf16>, <4x16xf32>
// CHECK-NEXT:        %[[Y:.*]] = tile.map (%{{.*}} = %[[SUM]] : {{.*}}, %{{.*}} = %[[SCALE]][%r] : !tile.matrix<?x1xf32>) -> !tile.fragment<4x16xbf16> {
// CHECK:             tile.store_rows %[[Y]] to %y[%r, %g, %[[N]]]
// CHECK-NOT:     tile.kernel

// What is left out: the default, and the widest vector that all groups are multiples of.
// DEFAULTS-LABEL: tile.kernel @gated_f32(
// DEFAULTS-SAME:    schedule = #tile.reduced<rows = 1, columns = 64, slices = 16, vector = 8>}
// DEFAULTS:         tile.buffer : <1x8192xbf16>
// DEFAULTS:         tile.layer {{.*}} schedule = #tile.reduced<rows = 1, columns = 64, slices = 16, vector = 8>}
// DEFAULTS:         tile.store_rows %{{.*}} to %y{{.*}} : <1x64xf32> to !tile.matrix<?x48xf32>

// Few rows get such a kernel without being told, with clusters where a device launches them.
// CHOSEN-LABEL:  tile.kernel @gated_bf16(
// CLUSTER-SAME:    schedule = #tile.reduced<rows = [[R:[1-4]]], columns = {{[0-9]+}}, slices = {{[0-9]+}}, vector = 8, cluster = [[C:[2-8]]]>}
// CLUSTER:         tile.layer {{.*}} schedule = #tile.reduced<rows = [[R]], columns = {{[0-9]+}}, slices = {{[0-9]+}}, vector = 8, cluster = [[C]]>}
// BLOCK-SAME:      schedule = #tile.reduced<rows = [[R:[1-4]]], columns = {{[0-9]+}}, slices = {{[0-9]+}}, vector = 8>}
// BLOCK:           tile.layer {{.*}} schedule = #tile.reduced<rows = [[R]], columns = {{[0-9]+}}, slices = {{[0-9]+}}, vector = 8>}

// Of experts it is such a kernel for any number of rows.
// MANY-LABEL:    tile.kernel @gated_bf16(
// MANY-SAME:       attributes {experts, layout = {{.*}}, schedule = #tile.reduced<rows = [[R:[0-9]+]], columns
// MANY:            tile.row_terms
// MANY:              tile.layer attributes {layout = {{.*}}, schedule = #tile.reduced<rows = [[R]], columns

// WIDE: error: the schedule reduce=16,hidden=32,cluster=9 is impossible: a cluster of 9 blocks: 1 to 8 run together
// EMPTY: is impossible: a cluster of 0 blocks: 1 to 8 run together
// NONE: is impossible: a cluster of 2 blocks, and devices of sm_80 launch none
// HIDDEN: is impossible: of the first layer: the columns of a block are 1, 2, 4, 8, 16 or 32 times the vector of 8, not 48
// THREADS: is impossible: of the first layer: 3 slices of 4 threads each are not 1 to 32 whole warps
// ROWS: is impossible: of the first layer: a block takes 1 to 16 rows of the batch, not 17
// REGISTERS: is impossible: of the first layer: a thread needs about {{[0-9]+}} registers for the sums of 16 rows
// VECTOR: is impossible: of the first layer: a thread reads 1, 2, 4 or 8 elements at a time, not 16
// COLUMNS: is impossible: 64 threads with vectors of 8 do not stand side by side in slices of 24 columns
// NO-COLUMNS: is impossible: 64 threads with vectors of 8 do not stand side by side in slices of 0 columns
// LAST: is impossible: of the second layer: the columns of a block are 1, 2, 4, 8, 16 or 32 times the vector of 8, not 512
// SHARED: is impossible: sums and hidden groups take {{[0-9]+}} bytes of shared memory, a block has 101376
// NAME: error: schedule 'reduce=16,hidden=32,depth=8': nothing in it is called 'depth'
// NAME: note: write a schedule of two layers for few rows as reduce=16,rows=4,hidden=64,columns=64,vector=8, followed by cluster=4
!x = !alg.slots<?x32xbf16, rows(cyclic 2), cols(2 x 16)>
!w = !alg.slots<32x8192xbf16, rows(2 x 16), cols(2 x 4096)>
!v = !alg.slots<8192x48xbf16, rows(2 x 4096), cols(2 x 24)>
!hidden_sums = !alg.slots<?x8192xf32, rows(cyclic 2), cols(2 x 4096)>
!hidden = !alg.slots<?x8192xbf16, rows(cyclic 2), cols(2 x 4096)>
!sums = !alg.slots<?x48xf32, rows(cyclic 2), cols(2 x 24)>
!y = !alg.slots<?x48xbf16, rows(cyclic 2), cols(2 x 24)>
func.func @gated(%x: tensor<?x32xbf16>, %gate: tensor<32x8192xbf16>, %up: tensor<32x8192xbf16>, %down: tensor<8192x48xbf16>, %p0: index,
                 %b: tensor<8192xbf16>, %scale: tensor<?xf32>) -> tensor<?x48xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 16) : tensor<?x32xbf16>
  %gates = alg.slots %gate rows(2 x 16) cols(2 x 4096) : tensor<32x8192xbf16>
  %ups = alg.slots %up rows(2 x 16) cols(2 x 4096) : tensor<32x8192xbf16>
  %downs = alg.slots %down rows(2 x 4096) cols(2 x 24) : tensor<8192x48xbf16>
  %g = alg.contract %xs, %gates by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %u = alg.contract %xs, %ups by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %hs = alg.map %g, %u columns %b : (!hidden_sums, !hidden_sums, tensor<8192xbf16>) -> !hidden {
  ^bb0(%a: f32, %c: f32, %bias: bf16):
    %wide = arith.extf %bias : bf16 to f32
    %biased = arith.addf %a, %wide : f32
    %product = arith.mulf %biased, %c : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %s = alg.contract %hs, %downs by #alg.algebra<"Q(2)"> -> k : !hidden, !v into f32
  %ys = alg.map %s rows %scale : (!sums, tensor<?xf32>) -> !y {
  ^bb0(%a: f32, %c: f32):
    %scaled = arith.mulf %a, %c : f32
    %rounded = arith.truncf %scaled : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !y
  return %y : tensor<?x48xbf16>
}
