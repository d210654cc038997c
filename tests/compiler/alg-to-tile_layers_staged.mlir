// A function of two layers of products is one kernel where operands come in stages by the copy engine: a tile of hidden rows is made,
// and multiplied, some columns at a time.
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="target=sm_90a schedule=rows=128,hidden=32,depth=64,stages=4x3,stationary=2" | FileCheck %s
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="target=sm_90a schedule=rows=64,hidden=32,depth=32,stages=6x3,stationary=2,cluster_types=2" | FileCheck %s --check-prefix=CLUSTERS
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="target=sm_90a rows=256" | FileCheck %s --check-prefix=CHOSEN
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="target=sm_90a output=f32 schedule=rows=64,hidden=32,depth=32,stages=0x2,stationary=2,row_stages=1" | FileCheck %s --check-prefix=F32

!x = !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
!w = !alg.slots<256x384xbf16, rows(4 x 64), cols(4 x 96)>
!v = !alg.slots<384x256xbf16, rows(4 x 96), cols(4 x 64)>
!hidden_sums = !alg.slots<?x384xf32, rows(cyclic 4), cols(4 x 96)>
!hidden = !alg.slots<?x384xbf16, rows(cyclic 4), cols(4 x 96)>
!sums = !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>

// The operands are those of the CPU's kernels: the rows, the weight matrices of the first layer and of the second, what the maps of
// the first layer read (its bias), what those of the second read (the rows again, and its bias), and the result.
// CHECK-LABEL: tile.kernel @gated_bf16(
// CHECK-SAME:    %[[X:x]]: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x384xbf16>, %w2: !tile.matrix<256x384xbf16>, %w3: !tile.matrix<384x256xbf16>, %[[BIAS:[a-z0-9]+]]: !tile.matrix<1x384xbf16>, %[[RESIDUAL:[a-z0-9]+]]: !tile.matrix<?x256xbf16>, %[[BIAS2:[a-z0-9]+]]: !tile.matrix<1x256xf32>, %y: !tile.matrix<?x256xbf16>)
// The kernel's own layer is the second one. Its tiles have all columns of a group, and are as deep as the columns that the first
// layer makes at a time; stages and the groups of a turn are as the schedule says. Of the first layer it is said how many groups of
// rows are there at a time.
// CHECK-SAME:    in = <4 x 96>, weights = <4 x 96>, out = <4 x 64>, row_types = <cyclic 4>>, schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 3, stationary = 2>
// CHECK-NEXT:    tile.forall (%[[I:.*]], %[[R:.*]], %[[J:.*]], %[[N:.*]]) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 64>] {
// What lies between the layers is rounded to bf16, in which it is multiplied.
// CHECK-NEXT:      %[[HIDDEN:.*]] = tile.buffer : <128x384xbf16>
// CHECK-NEXT:      %[[ZERO:.*]] = tile.zero : <128x64xf32>
// CHECK-NEXT:      %[[TOTAL:.*]] = tile.terms (%[[K:.*]], %[[B:.*]], %{{.*}}) of (%[[I]], %[[J]]) carry(%[[SUM:.*]] = %[[ZERO]]) : !tile.fragment<128x64xf32> {
// A term makes the hidden group that it reads, and multiplies it right behind.
// CHECK-NEXT:        tile.once (%[[I]], %[[K]]) {
// CHECK-NEXT:          tile.layer attributes {layout = #tile.layout<{{.*}}, in = <4 x 64>, weights = <4 x 64>, out = <4 x 96>, row_types = <cyclic 4>>, schedule = #tile.staged<types = 1, rows = 128, columns = 32, depth = 64, stages = 4, stationary = 2>} {
// CHECK-NEXT:            tile.for (%[[M:.*]]) over [<columns, 32>] {
// CHECK-NEXT:              %[[ZERO1:.*]] = tile.zero : <128x32xf32>
// CHECK-NEXT:              %[[ZERO2:.*]] = tile.zero : <128x32xf32>
// CHECK-NEXT:              %[[MADE:.*]]:2 = tile.terms (%[[K1:.*]], %[[B1:.*]], %{{.*}}) of (%[[I]], %[[K]]) carry(%[[SUM1:.*]] = %[[ZERO1]], %[[SUM2:.*]] = %[[ZERO2]])
// CHECK-NEXT:                %[[NEXT1:.*]] = tile.mma %[[X]][%[[I]], %[[K1]], %[[R]]], %w[%[[B1]], %[[K]], %[[M]]], %[[SUM1]]
// CHECK-NEXT:                %[[NEXT2:.*]] = tile.mma %[[X]][%[[I]], %[[K1]], %[[R]]], %w2[%[[B1]], %[[K]], %[[M]]], %[[SUM2]]
// CHECK-NEXT:                tile.yield %[[NEXT1]], %[[NEXT2]]
// CHECK-NEXT:              }
// CHECK-NEXT:              %[[MAPPED:.*]] = tile.map (%{{.*}} = %[[MADE]]#0 : {{.*}}, %{{.*}} = %[[MADE]]#1 : {{.*}}, %{{.*}} = %[[BIAS]][%[[K]], %[[M]]] : !tile.matrix<1x384xbf16>) -> !tile.fragment<128x32xbf16> {
// CHECK:                   %[[MASK:.*]] = tile.mask rows(%[[I]], %[[R]]) columns(%[[K]], %[[M]]) : <128x32>
// CHECK-NEXT:              tile.store_held %[[MAPPED]] to %[[HIDDEN]][%[[I]], %[[R]], %[[K]], %[[M]]] mask %[[MASK]] : <128x32xbf16>, <128x384xbf16>, <128x32>
// CHECK:             %[[NEXT:.*]] = tile.mma %[[HIDDEN]][%[[I]], %[[K]], %[[R]]], %w3[%[[B]], %[[J]], %[[N]]], %[[SUM]] : !tile.buffer<128x384xbf16>
// CHECK-NEXT:        tile.yield %[[NEXT]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[Y:.*]] = tile.map (%{{.*}} = %[[TOTAL]] : {{.*}}, %{{.*}} = %[[RESIDUAL]][%[[I]], %[[R]], %[[J]], %[[N]]] : !tile.matrix<?x256xbf16>, %{{.*}} = %[[BIAS2]][%[[J]], %[[N]]] : !tile.matrix<1x256xf32>) -> !tile.fragment<128x64xbf16> {
// CHECK:           %[[OWN:.*]] = tile.mask rows(%[[I]], %[[R]]) columns(%[[J]], %[[N]]) : <128x64>
// CHECK-NEXT:      tile.store %[[Y]] to %y[%[[I]], %[[R]], %[[J]], %[[N]]] mask %[[OWN]]
// There is one kernel, and weight matrices are read as they are.
// CHECK-NOT:     tile.kernel
// CHECK-NOT:     func.func

// Clusters along the types are those of both layers.
// CLUSTERS-LABEL: tile.kernel @gated_bf16(
// CLUSTERS-SAME:    schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 32, stages = 3, cluster_types = 2, stationary = 2>
// CLUSTERS:         tile.layer attributes {{.*}} schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 32, stages = 6, cluster_types = 2, stationary = 2>

// Where no schedule is given, both layers get one that fits, with the same rows.
// CHOSEN-LABEL: tile.kernel @gated_bf16(
// CHOSEN-SAME:    schedule = #tile.staged<types = 1, rows = [[ROWS:[0-9]+]], columns = 64, depth = [[DEPTH:[0-9]+]], stages = {{[2-9]}}{{(, overlap = 1)?}}, stationary = {{[1-4]}}{{(, ping_pong = 2)?}}>
// CHOSEN:         tile.layer attributes {{.*}} schedule = #tile.staged<types = 1, rows = [[ROWS]], columns = [[DEPTH]], depth = {{[0-9]+}}, stages = {{[1-9][0-9]*}}{{(, overlap = 1)?}}, stationary = {{[12]}}{{(, ping_pong = 2)?}}>

// The result may be f32, what lies between stays bf16. No stages of the first layer are as many as fit.
// F32-LABEL:    tile.kernel @gated_f32(
// F32-SAME:       %y: !tile.matrix<?x256xf32>)
// F32:            tile.buffer : <64x384xbf16>
// F32:            tile.layer {{.*}} schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 32, stages = 16, stationary = 1>
// F32:            tile.store %{{.*}} to %y{{.*}} : <64x64xf32>, <?x256xf32>
func.func @gated(%x: tensor<?x256xbf16>, %gate: tensor<256x384xbf16>, %up: tensor<256x384xbf16>, %down: tensor<384x256xbf16>, %p0: index, %b2: tensor<256xf32>, %b: tensor<384xbf16>) -> tensor<?x256xbf16> {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %gates = alg.slots %gate rows(4 x 64) cols(4 x 96) : tensor<256x384xbf16>
  %ups = alg.slots %up rows(4 x 64) cols(4 x 96) : tensor<256x384xbf16>
  %downs = alg.slots %down rows(4 x 96) cols(4 x 64) : tensor<384x256xbf16>
  %g = alg.contract %xs, %gates by #alg.algebra<"Q(4)"> -> k : !x, !w into f32
  %u = alg.contract %xs, %ups by #alg.algebra<"Q(4)"> -> k : !x, !w into f32
  %hs = alg.map %g, %u columns %b : (!hidden_sums, !hidden_sums, tensor<384xbf16>) -> !hidden {
  ^bb0(%a: f32, %c: f32, %bias: bf16):
    %wide = arith.extf %bias : bf16 to f32
    %biased = arith.addf %a, %wide : f32
    %product = arith.mulf %biased, %c : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %s = alg.contract %hs, %downs by #alg.algebra<"Q(4)"> -> k : !hidden, !v into f32
  %ys = alg.map %s, %xs columns %b2 : (!sums, !x, tensor<256xf32>) -> !x {
  ^bb0(%a: f32, %c: bf16, %bias: f32):
    %biased = arith.addf %a, %bias : f32
    %wide = arith.extf %c : bf16 to f32
    %sum = arith.addf %biased, %wide : f32
    %rounded = arith.truncf %sum : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x256xbf16>
}

// -----

// Two products without maps: what is held are the sums, rounded. A hidden group has fewer columns than two steps make.
!x = !alg.slots<?x128xbf16, rows(interval 2 x 8), cols(2 x 64)>
!w = !alg.slots<128x80xbf16, rows(2 x 64), cols(2 x 40)>
!v = !alg.slots<80x128xbf16, rows(2 x 40), cols(2 x 64)>
!hidden = !alg.slots<?x80xbf16, rows(interval 2 x 8), cols(2 x 40)>

// CHECK-LABEL: tile.kernel @sequence_bf16(
// CHECK-SAME:    %x: !tile.matrix<?x128xbf16>, %w: !tile.matrix<128x80xbf16>, %w2: !tile.matrix<80x128xbf16>, %y: !tile.matrix<?x128xbf16>)
// CHECK:         %[[HIDDEN:.*]] = tile.buffer : <128x80xbf16>
// CHECK:         tile.once
// CHECK:           %[[SUM:.*]] = tile.terms (%{{.*}}, %{{.*}}, %{{.*}}) of
// CHECK-NEXT:        tile.mma %x[{{.*}}], %w[{{.*}}], %{{.*}}
// CHECK:           %[[ROUNDED:.*]] = tile.map (%[[V:.*]] = %[[SUM]] : !tile.fragment<128x32xf32>) -> !tile.fragment<128x32xbf16> {
// CHECK-NEXT:        arith.truncf %[[V]] : f32 to bf16
// CHECK:           tile.store_held %[[ROUNDED]] to %[[HIDDEN]]
// CHECK:         tile.mma %[[HIDDEN]][{{.*}}], %w2[{{.*}}], %{{.*}}
func.func @sequence(%x: tensor<?x128xbf16>, %w: tensor<128x80xbf16>, %v: tensor<80x128xbf16>) -> tensor<?x128xbf16> {
  %xs = alg.slots %x rows(interval 2 x 8) cols(2 x 64) : tensor<?x128xbf16>
  %ws = alg.slots %w rows(2 x 64) cols(2 x 40) : tensor<128x80xbf16>
  %vs = alg.slots %v rows(2 x 40) cols(2 x 64) : tensor<80x128xbf16>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !hidden, !v
  %y = alg.gather %ys : !x
  return %y : tensor<?x128xbf16>
}
