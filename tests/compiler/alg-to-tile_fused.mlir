// Several products of the same rows, and maps of their sums, are one kernel: its operands are the rows, a weight matrix for each
// product, what the maps read, and the results.
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v4 rows=256" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="cpu=x86-64-v3 rows=256" | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="target=sm_80 rows=256" | FileCheck %s --check-prefixes=STAGED,AMPERE
// RUN: alg-opt %s -split-input-file -convert-alg-to-tile="target=sm_90a rows=256" | FileCheck %s --check-prefixes=STAGED,HOPPER

!x = !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
!w = !alg.slots<256x384xbf16, rows(4 x 64), cols(4 x 96)>
!sums = !alg.slots<?x384xf32, rows(cyclic 4), cols(4 x 96)>
!h = !alg.slots<?x384xbf16, rows(cyclic 4), cols(4 x 96)>

// The sums of gate and up, one map of both, rounded where its type says so. Where there are 32 registers both weight matrices are
// multiplied side by side; where there are 16, one after the other.
// CHECK-LABEL: tile.kernel @gated_packed(
// CHECK-SAME:    %x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x384xbf16, panels [[PANEL:[0-9]+]] x 1>, %w2: !tile.matrix<256x384xbf16, panels [[PANEL]] x 1>, %y: !tile.matrix<?x384xbf16>)
// CHECK:         %[[HELD:.*]] = tile.hold %x
// CHECK-NOT:     tile.hold
// WIDE:          %[[TOTAL:.*]]:2 = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %{{.*}}, %sum_{{[0-9]+}} = %{{.*}})
// WIDE-NEXT:       %[[GATE:.*]] = tile.mma %[[HELD]][%t, %k, %s], %w[%b, %j, %n], %sum :
// WIDE-NEXT:       %[[UP:.*]] = tile.mma %[[HELD]][%t, %k, %s], %w2[%b, %j, %n], %sum_{{[0-9]+}} :
// WIDE-NEXT:       tile.yield %[[GATE]], %[[UP]]
// WIDE:          %[[HIDDEN:.*]] = tile.map (%{{.*}} = %[[TOTAL]]#0 : !tile.fragment<{{.*}}xf32>, %{{.*}} = %[[TOTAL]]#1 : !tile.fragment<{{.*}}xf32>) -> !tile.fragment<{{.*}}xbf16> {
// NARROW:        %[[GATE:.*]] = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %{{[0-9]+}})
// NARROW-NEXT:     tile.mma %[[HELD]][%t, %k, %s], %w[%b, %j, %n], %sum :
// NARROW:        %[[UP:.*]] = tile.terms (%k, %b, %c) of (%t, %j) carry(%sum = %{{[0-9]+}})
// NARROW-NEXT:     tile.mma %[[HELD]][%t, %k, %s], %w2[%b, %j, %n], %sum :
// NARROW:        %[[HIDDEN:.*]] = tile.map (%{{.*}} = %[[GATE]] : !tile.fragment<{{.*}}xf32>, %{{.*}} = %[[UP]] : !tile.fragment<{{.*}}xf32>) -> !tile.fragment<{{.*}}xbf16> {
// CHECK:           math.exp
// CHECK:           arith.truncf
// CHECK:         tile.store %[[HIDDEN]] to %y
// CHECK-NOT:     tile.store
// One kernel packs any of the weight matrices.
// CHECK-LABEL: tile.kernel @gated_pack(
// CHECK-SAME:    %w: !tile.matrix<256x384xbf16>, %packed: !tile.matrix<256x384xbf16, panels [[PANEL]] x 1>)
// CHECK-LABEL: tile.kernel @gated_copied(
// CHECK:         %[[FIRST:.*]] = tile.buffer
// CHECK-NEXT:    %[[SECOND:.*]] = tile.buffer
// CHECK:         tile.terms (%k, %b, %c) of (%t, %j) {
// CHECK-NEXT:      tile.copy %w[%b, %j, %n] to %[[FIRST]]
// CHECK-NEXT:      tile.copy %w2[%b, %j, %n] to %[[SECOND]]
// CHECK:         tile.mma %{{.*}}, %[[FIRST]]
// CHECK:         tile.mma %{{.*}}, %[[SECOND]]
// CHECK-LABEL: tile.kernel @gated_direct(
// CHECK-NOT:     tile.copy
// CHECK:         tile.mma %{{.*}}, %w[
// CHECK:         tile.mma %{{.*}}, %w2[
// On a GPU straight from memory.
// STAGED-LABEL: tile.kernel @gated_bf16(
// STAGED-SAME:    %x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x384xbf16>, %w2: !tile.matrix<256x384xbf16>, %y: !tile.matrix<?x384xbf16>)
// AMPERE-SAME:    schedule = #tile.staged<types = 1, rows = {{.*}}, warps =
// HOPPER-SAME:    schedule = #tile.staged<types = 1, rows =
// STAGED:         %[[TOTAL:.*]]:2 = tile.terms
// STAGED-NEXT:      %{{.*}} = tile.mma %x[%i, %k, %r], %w[%b, %g, %n], %sum :
// STAGED-NEXT:      %{{.*}} = tile.mma %x[%i, %k, %r], %w2[%b, %g, %n], %sum_{{[0-9]+}} :
// STAGED:         tile.map
// STAGED:         tile.store %{{.*}} to %y
func.func @gated(%x: tensor<?x256xbf16>, %gate: tensor<256x384xbf16>, %up: tensor<256x384xbf16>, %p0: index) -> tensor<?x384xbf16> {
  %one = arith.constant 1.0 : f32
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 64) : tensor<?x256xbf16>
  %gates = alg.slots %gate rows(4 x 64) cols(4 x 96) : tensor<256x384xbf16>
  %ups = alg.slots %up rows(4 x 64) cols(4 x 96) : tensor<256x384xbf16>
  %g = alg.contract %xs, %gates by #alg.algebra<"Q(4)"> -> k : !x, !w into f32
  %u = alg.contract %xs, %ups by #alg.algebra<"Q(4)"> -> k : !x, !w into f32
  %hs = alg.map %g, %u : (!sums, !sums) -> !h {
  ^bb0(%a: f32, %b: f32):
    %negative = arith.negf %a : f32
    %power = math.exp %negative : f32
    %sum = arith.addf %power, %one : f32
    %silu = arith.divf %a, %sum : f32
    %product = arith.mulf %silu, %b : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %h = alg.gather %hs : !h
  return %h : tensor<?x384xbf16>
}

// -----

// The rows are added to their own product: they are two operands of the kernel, under two names. A second result has a
// type of its own, and a map of arguments alone is as large as a tile.
!x = !alg.slots<?x256xbf16, rows(cyclic 4), cols(4 x 64)>
!w = !alg.slots<256x256xbf16, rows(4 x 64), cols(4 x 64)>
!sums = !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>

// CHECK-LABEL: tile.kernel @residual_packed(
// CHECK-SAME:    %x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x256xbf16, panels {{.*}}>, %[[X:[a-z0-9_]+]]: !tile.matrix<?x256xbf16>, %[[SCALE:[a-z0-9_]+]]: !tile.matrix<?x1xf32>, %y: !tile.matrix<?x256xbf16>, %y2: !tile.matrix<?x256xf32>)
// CHECK:         %[[TOTAL:.*]] = tile.terms
// CHECK:         %[[SCALED:.*]] = tile.map (%[[E:.*]] = %[[X]][%t, %s, %j, %n] : !tile.matrix<?x256xbf16>, %[[F:.*]] = %[[SCALE]][%t, %s] : !tile.matrix<?x1xf32>, %{{.*}} = %[[TOTAL]] : !tile.fragment<[[TILE:[0-9x]+]]xf32>) -> !tile.fragment<[[TILE]]xf32> {
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[E]] : bf16 to f32
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[F]] : f32
// CHECK-NEXT:      tile.yield %[[PRODUCT]] : f32
// CHECK:         %[[ADDED:.*]] = tile.map (%{{.*}} = %[[TOTAL]] : {{.*}}, %{{.*}} = %[[SCALED]] : {{.*}}) -> !tile.fragment<[[TILE]]xbf16>
// CHECK:         tile.store %[[ADDED]] to %y[
// CHECK-NEXT:    tile.store %[[TOTAL]] to %y2[
// STAGED-LABEL: tile.kernel @residual_bf16(
// STAGED-SAME:    %x: !tile.matrix<?x256xbf16>, %w: !tile.matrix<256x256xbf16>, %{{.*}}: !tile.matrix<?x256xbf16>, %{{.*}}: !tile.matrix<?x1xf32>, %y: !tile.matrix<?x256xbf16>, %y2: !tile.matrix<?x256xf32>)
// STAGED:         tile.store %{{.*}} to %y[
// STAGED-NEXT:    tile.store %{{.*}} to %y2[
func.func @residual(%x: tensor<?x256xbf16>, %w: tensor<256x256xbf16>, %f: tensor<?xf32>) -> (tensor<?x256xbf16>, tensor<?x256xf32>) {
  %xs = alg.slots %x rows(cyclic 4) cols(4 x 64) : tensor<?x256xbf16>
  %ws = alg.slots %w rows(4 x 64) cols(4 x 64) : tensor<256x256xbf16>
  %s = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k : !x, !w into f32
  %rs = alg.map %xs rows %f : (!x, tensor<?xf32>) -> !sums {
  ^bb0(%e: bf16, %scale: f32):
    %wide = arith.extf %e : bf16 to f32
    %product = arith.mulf %wide, %scale : f32
    alg.yield %product : f32
  }
  %ys = alg.map %s, %rs : (!sums, !sums) -> !x {
  ^bb0(%a: f32, %r: f32):
    %sum = arith.addf %a, %r : f32
    %rounded = arith.truncf %sum : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %ys : !x
  %y2 = alg.gather %s : !sums
  return %y, %y2 : tensor<?x256xbf16>, tensor<?x256xf32>
}

// -----

// Gradients of activations by two weight matrices, added up; the sums are not rounded between.
!dy = !alg.slots<?x384xbf16, rows(cyclic 4), cols(4 x 96)>
!w = !alg.slots<256x384xbf16, rows(4 x 64), cols(4 x 96)>
!sums = !alg.slots<?x256xf32, rows(cyclic 4), cols(4 x 64)>

// CHECK-LABEL: tile.kernel @gradient(
// CHECK-SAME:    %dy: !tile.matrix<?x384xbf16>, %w: !tile.matrix<256x384xbf16>, %w2: !tile.matrix<256x384xbf16>, %dx: !tile.matrix<?x256xf32>)
// CHECK:         tile.copy %w[
// CHECK-NEXT:    tile.copy %w2[
// STAGED-LABEL: tile.kernel @gradient_f32(
// STAGED-SAME:    %dy: !tile.matrix<?x384xbf16>, %w: !tile.matrix<256x384xbf16>, %w2: !tile.matrix<256x384xbf16>, %dx: !tile.matrix<?x256xf32>)
func.func @gradient(%dy: tensor<?x384xbf16>, %w: tensor<256x384xbf16>, %v: tensor<256x384xbf16>, %p0: index) -> tensor<?x256xf32> {
  %dys = alg.slots %dy rows(cyclic 4, %p0) cols(4 x 96) : tensor<?x384xbf16>
  %ws = alg.slots %w rows(4 x 64) cols(4 x 96) : tensor<256x384xbf16>
  %vs = alg.slots %v rows(4 x 64) cols(4 x 96) : tensor<256x384xbf16>
  %a = alg.contract %dys, %ws by #alg.algebra<"Q(4)"> -> i : !dy, !w into f32
  %b = alg.contract %dys, %vs by #alg.algebra<"Q(4)"> -> i : !dy, !w into f32
  %sum = alg.map %a, %b : !sums {
  ^bb0(%one: f32, %other: f32):
    %both = arith.addf %one, %other : f32
    alg.yield %both : f32
  }
  %dx = alg.gather %sum : !sums
  return %dx : tensor<?x256xf32>
}

// -----

// Sums of bf16 that nobody rounds are stored as they are.
!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>

// CHECK-LABEL: tile.kernel @into_packed(
// CHECK-SAME:    %y: !tile.matrix<?x8xf32>)
// CHECK-NOT:     tile.map
// STAGED-LABEL: tile.kernel @into_f32(
// STAGED-SAME:    %y: !tile.matrix<?x8xf32>)
// STAGED-NOT:     tile.map
func.func @into(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %y = alg.gather %ys : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %y : tensor<?x8xf32>
}
