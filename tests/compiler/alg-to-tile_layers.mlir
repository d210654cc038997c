// A function of two layers of products is one kernel for each way to read weight matrices, and a packing kernel for the weight
// matrices of each layer.
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v3 rows=256" | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v4 rows=256" | FileCheck %s --check-prefixes=CHECK,WIDE

!x = !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
!w = !alg.slots<256x384xbf16, rows(4 x 64), cols(4 x 96)>
!v = !alg.slots<384x256xbf16, rows(4 x 96), cols(4 x 64)>
!hidden_sums = !alg.slots<?x384xf32, rows(cyclic 4), cols(4 x 96)>
!hidden = !alg.slots<?x384xbf16, rows(cyclic 4), cols(4 x 96)>
!sums = !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>

// The operands are the rows, the weight matrices of the first layer and of the second, what the maps of the first layer read (its
// bias), what those of the second read (the rows again, and its bias), and the result.
// CHECK-LABEL: tile.kernel @gated_packed(
// CHECK-SAME:    %[[X:x]]: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x384xbf16, panels [[PANEL:[0-9]+]] x 1>, %w2: !tile.matrix<256x384xbf16, panels [[PANEL]] x 1>, %w3: !tile.matrix<384x256xbf16, panels [[PANEL3:[0-9]+]] x 1>, %[[BIAS:[a-z0-9]+]]: !tile.matrix<1x384xbf16>, %[[RESIDUAL:[a-z0-9]+]]: !tile.matrix<?x256xbf16>, %[[BIAS2:[a-z0-9]+]]: !tile.matrix<1x256xf32>, %y: !tile.matrix<?x256xbf16>)
// The kernel's own layer is the second one. Layers own the same rows, and each has register tiles of its own.
// CHECK-SAME:    in = <4 x 96>, weights = <4 x 96>, out = <4 x 64>, row_types = <cyclic 4>>, schedule = #tile.schedule<types = 1, rows = [[ROWS:[0-9]+]], register_rows = [[LAST_ROWS:[0-9]+]], register_columns = [[PANEL3]], lanes = [[LANES:[0-9]+]], weights = packed>
// CHECK-NEXT:    tile.forall (%[[I:.*]], %[[R:.*]], %{{.*}}) over [<types, 1>, <rows, [[ROWS]]>, <groups, 0>] {
// CHECK-NEXT:      %[[HELD:.*]] = tile.layer attributes {layout = #tile.layout<{{.*}}, in = <4 x 64>, weights = <4 x 64>, out = <4 x 96>, row_types = <cyclic 4>>, schedule = #tile.schedule<types = 1, rows = [[ROWS]], register_rows = [[FIRST_ROWS:[0-9]+]], register_columns = [[PANEL]], lanes = [[LANES]], weights = packed>} -> !tile.buffer<[[ROWS]]x256xf32> {
// CHECK-NEXT:        %[[MADE:.*]] = tile.hold %[[X]][%[[I]], %[[R]]]
// CHECK-NEXT:        tile.yield %[[MADE]]
// CHECK-NEXT:      }
// What lies between the layers stays in a buffer, rounded to bf16 and kept in f32, in which it is multiplied.
// CHECK-NEXT:      %[[HIDDEN:.*]] = tile.buffer : <[[ROWS]]x384xf32>
// Before an output group come those hidden groups that its terms read, each once.
// CHECK-NEXT:      tile.for (%[[J:.*]]) over [<groups, 1>] {
// CHECK-NEXT:        tile.for (%[[T:.*]]) over [<types, 1>] {
// CHECK-NEXT:          tile.terms (%[[K:.*]], %{{.*}}, %{{.*}}) of (%[[T]], %[[J]]) {
// CHECK-NEXT:            tile.once (%[[T]], %[[K]]) {
// CHECK-NEXT:              tile.layer attributes {layout = #tile.layout<{{.*}}, out = <4 x 96>, {{.*}}register_rows = [[FIRST_ROWS]], {{.*}}>} {
// CHECK-NEXT:                tile.for (%[[N:.*]]) over [<columns, [[PANEL]]>] {
// CHECK-NEXT:                  tile.for (%[[S:.*]]) over [<rows, [[FIRST_ROWS]]>] {
// Where there are 32 registers both weight matrices are multiplied side by side; where there are 16, one after the other.
// WIDE:                          tile.terms (%[[K1:.*]], %[[B1:.*]], %{{.*}}) of (%[[T]], %[[K]]) carry
// WIDE-NEXT:                       tile.mma %[[HELD]][%[[T]], %[[K1]], %[[S]]], %w[%[[B1]], %[[K]], %[[N]]]
// WIDE-NEXT:                       tile.mma %[[HELD]][%[[T]], %[[K1]], %[[S]]], %w2[%[[B1]], %[[K]], %[[N]]]
// NARROW:                        tile.terms (%[[K1:.*]], %[[B1:.*]], %{{.*}}) of (%[[T]], %[[K]]) carry
// NARROW-NEXT:                     tile.mma %[[HELD]][%[[T]], %[[K1]], %[[S]]], %w[%[[B1]], %[[K]], %[[N]]]
// NARROW:                        tile.terms (%[[K1:.*]], %[[B1:.*]], %{{.*}}) of (%[[T]], %[[K]]) carry
// NARROW-NEXT:                     tile.mma %[[HELD]][%[[T]], %[[K1]], %[[S]]], %w2[%[[B1]], %[[K]], %[[N]]]
// CHECK:                         %[[MAPPED:.*]] = tile.map ({{.*}}, %{{.*}} = %[[BIAS]][%[[K]], %[[N]]] : !tile.matrix<1x384xbf16>) -> !tile.fragment<[[FIRST_ROWS]]x[[PANEL]]xbf16> {
// CHECK:                         %[[MASK:.*]] = tile.mask rows(%[[T]], %[[S]]) columns(%[[K]], %[[N]]) : <[[FIRST_ROWS]]x[[PANEL]]>
// CHECK-NEXT:                    tile.store_held %[[MAPPED]] to %[[HIDDEN]][%[[T]], %[[S]], %[[K]], %[[N]]] mask %[[MASK]]
// Then the panels of the output group itself, from hidden rows.
// CHECK:           tile.for (%[[M:.*]]) over [<columns, [[PANEL3]]>] {
// CHECK-NEXT:        tile.for (%[[T2:.*]]) over [<types, 1>] {
// CHECK-NEXT:          tile.for (%[[S2:.*]]) over [<rows, [[LAST_ROWS]]>] {
// CHECK-NOT:             tile.layer
// CHECK:                 %[[TOTAL:.*]] = tile.terms (%[[K2:.*]], %[[B2:.*]], %{{.*}}) of (%[[T2]], %[[J]]) carry
// CHECK-NEXT:              tile.mma %[[HIDDEN]][%[[T2]], %[[K2]], %[[S2]]], %w3[%[[B2]], %[[J]], %[[M]]]
// CHECK:                 %[[Y:.*]] = tile.map (%{{.*}} = %[[TOTAL]] : {{.*}}, %{{.*}} = %[[RESIDUAL]][%[[T2]], %[[S2]], %[[J]], %[[M]]] : !tile.matrix<?x256xbf16>, %{{.*}} = %[[BIAS2]][%[[J]], %[[M]]] : !tile.matrix<1x256xf32>) -> !tile.fragment<[[LAST_ROWS]]x[[PANEL3]]xbf16> {
// CHECK:                 tile.store %[[Y]] to %y[%[[T2]], %[[S2]], %[[J]], %[[M]]]
// CHECK-NOT:             tile.store
// One kernel packs any weight matrix of the first layer, another one those of the second: panels are as wide as register tiles.
// CHECK-LABEL: tile.kernel @gated_pack(
// CHECK-SAME:    %w: !tile.matrix<256x384xbf16>, %packed: !tile.matrix<256x384xbf16, panels [[PANEL]] x 1>)
// CHECK-SAME:    out = <4 x 96>
// CHECK:         tile.copy %w
// CHECK-LABEL: tile.kernel @gated_pack_next(
// CHECK-SAME:    %w: !tile.matrix<384x256xbf16>, %packed: !tile.matrix<384x256xbf16, panels [[PANEL3]] x 1>)
// CHECK-SAME:    out = <4 x 64>
// CHECK:         tile.copy %w
// Copies of the first layer's weight matrices are its own buffers, of which there is one for each.
// CHECK-LABEL: tile.kernel @gated_copied(
// CHECK-SAME:    %w: !tile.matrix<256x384xbf16>, %w2: !tile.matrix<256x384xbf16>, %w3: !tile.matrix<384x256xbf16>,
// CHECK:         %[[MADE:.*]]:3 = tile.layer attributes {{.*}}weights = copied>} -> !tile.buffer<{{[0-9]+}}x256xf32>, !tile.buffer<256x[[C:[0-9]+]]xbf16, panels [[C]] x 1>, !tile.buffer<256x[[C]]xbf16, panels [[C]] x 1> {
// CHECK-NEXT:      tile.hold
// CHECK-NEXT:      tile.buffer
// CHECK-NEXT:      tile.buffer
// CHECK-NEXT:      tile.yield
// CHECK:         %[[HIDDEN:.*]] = tile.buffer : <{{[0-9]+}}x384xf32>
// CHECK-NEXT:    %[[STAGE:.*]] = tile.buffer : <384x[[C3:[0-9]+]]xbf16, panels [[C3]] x 1>
// CHECK:         tile.once (%[[T:.*]], %[[K:.*]]) {
// CHECK:           tile.for (%[[N:.*]]) over [<columns, [[C]]>] {
// CHECK-NEXT:        tile.terms (%{{.*}}, %[[B:.*]], %{{.*}}) of (%[[T]], %[[K]]) {
// CHECK-NEXT:          tile.copy %w[%[[B]], %[[K]], %[[N]]] to %[[MADE]]#1
// CHECK-NEXT:          tile.copy %w2[%[[B]], %[[K]], %[[N]]] to %[[MADE]]#2
// CHECK:             tile.mma %[[MADE]]#0[{{.*}}], %[[MADE]]#1
// CHECK:             tile.mma %[[MADE]]#0[{{.*}}], %[[MADE]]#2
// CHECK:             tile.store_held %{{.*}} to %[[HIDDEN]]
// CHECK:         tile.copy %w3[{{.*}}] to %[[STAGE]]
// CHECK:         tile.mma %[[HIDDEN]][{{.*}}], %[[STAGE]]
// CHECK:         tile.store
// CHECK-LABEL: tile.kernel @gated_direct(
// CHECK-NOT:     tile.copy
// CHECK:         tile.mma %[[HELD:.*]][{{.*}}], %w[
// CHECK:         tile.mma %[[HELD]][{{.*}}], %w2[
// CHECK:         tile.store_held %{{.*}} to %[[HIDDEN:.*]][
// CHECK:         tile.mma %[[HIDDEN]][{{.*}}], %w3[
// CHECK-NOT:   func.func
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

// Two products without maps: hidden rows are the sums. One weight matrix is multiplied twice, and is two operands. The algebra is
// a tensor product, and the types of the rows come as a vector.
!x = !alg.slots<?x16xf32, rows(explicit 4), cols(4 x 4)>
!w = !alg.slots<16x16xf32, rows(4 x 4), cols(4 x 4)>

// CHECK-LABEL: tile.kernel @sequence_packed(
// CHECK-SAME:    %x: !tile.matrix<?x16xf32>, %w: !tile.matrix<16x16xf32, panels {{.*}}>, %w2: !tile.matrix<16x16xf32, panels {{.*}}>, %y: !tile.matrix<?x16xf32>)
// CHECK-SAME:    row_types = <explicit 4>
// CHECK:         %[[HIDDEN:.*]] = tile.buffer : <{{[0-9]+}}x16xf32>
// CHECK:         tile.once
// CHECK:           %[[SUM:.*]] = tile.terms (%{{.*}}, %{{.*}}, %{{.*}}) of
// CHECK-NEXT:        tile.mma %{{.*}}, %w[{{.*}}], %{{.*}}
// CHECK-NOT:       tile.map
// CHECK:           tile.store_held %[[SUM]] to %[[HIDDEN]]
// CHECK:         %[[LAST:.*]] = tile.terms (%{{.*}}, %{{.*}}, %{{.*}}) of
// CHECK-NEXT:      tile.mma %[[HIDDEN]][{{.*}}], %w2[{{.*}}], %{{.*}}
// CHECK:         tile.store %[[LAST]] to %y
// CHECK-LABEL: tile.kernel @sequence_pack(
// CHECK-LABEL: tile.kernel @sequence_pack_next(
// CHECK-LABEL: tile.kernel @sequence_copied(
// CHECK-LABEL: tile.kernel @sequence_direct(
func.func @sequence(%x: tensor<?x16xf32>, %w: tensor<16x16xf32>, %types: tensor<?xi32>) -> tensor<?x16xf32> {
  %xs = alg.slots %x rows(explicit 4, %types) cols(4 x 4) : tensor<?x16xf32>
  %ws = alg.slots %w rows(4 x 4) cols(4 x 4) : tensor<16x16xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)*Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %ws by #alg.algebra<"Q(2)*Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x16xf32>
}

// -----

// Two products of what the first layer leaves, and their map; a bias of the second layer alone.
!x = !alg.slots<?x9xf32, rows(cyclic 3), cols(3 x 3)>
!w = !alg.slots<9x12xf32, rows(3 x 3), cols(3 x 4)>
!v = !alg.slots<12x9xf32, rows(3 x 4), cols(3 x 3)>
!hidden = !alg.slots<?x12xf32, rows(cyclic 3), cols(3 x 4)>

// CHECK-LABEL: tile.kernel @several_direct(
// CHECK-SAME:    %x: !tile.matrix<?x9xf32>, %w: !tile.matrix<9x12xf32>, %w2: !tile.matrix<12x9xf32>, %w3: !tile.matrix<12x9xf32>, %[[BIAS:[a-z0-9]+]]: !tile.matrix<1x9xf32>, %y: !tile.matrix<?x9xf32>)
// CHECK:         tile.mma %{{.*}}, %w[
// CHECK:         %[[MAPPED:.*]] = tile.map
// CHECK:           math.tanh
// CHECK:         tile.store_held %[[MAPPED]] to %[[HIDDEN:.*]][
// CHECK:         tile.mma %[[HIDDEN]][{{.*}}], %w2[
// CHECK:         tile.mma %[[HIDDEN]][{{.*}}], %w3[
// CHECK:         tile.map ({{.*}}, %{{.*}} = %[[BIAS]][
// CHECK:         tile.store
func.func @several(%x: tensor<?x9xf32>, %w: tensor<9x12xf32>, %v: tensor<12x9xf32>, %u: tensor<12x9xf32>, %b: tensor<9xf32>) -> tensor<?x9xf32> {
  %xs = alg.slots %x rows(cyclic 3) cols(3 x 3) : tensor<?x9xf32>
  %ws = alg.slots %w rows(3 x 3) cols(3 x 4) : tensor<9x12xf32>
  %vs = alg.slots %v rows(3 x 4) cols(3 x 3) : tensor<12x9xf32>
  %us = alg.slots %u rows(3 x 4) cols(3 x 3) : tensor<12x9xf32>
  %s = alg.contract %xs, %ws by #alg.algebra<"T(3)"> -> k : !x, !w
  %hs = alg.map %s : !hidden {
  ^bb0(%a: f32):
    %c = math.tanh %a : f32
    alg.yield %c : f32
  }
  %as = alg.contract %hs, %vs by #alg.algebra<"T(3)"> -> k : !hidden, !v
  %bs = alg.contract %hs, %us by #alg.algebra<"T(3)"> -> k : !hidden, !v
  %ys = alg.map %as, %bs columns %b : (!x, !x, tensor<9xf32>) -> !x {
  ^bb0(%a: f32, %c: f32, %bias: f32):
    %product = arith.mulf %a, %c : f32
    %sum = arith.addf %product, %bias : f32
    alg.yield %sum : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x9xf32>
}
