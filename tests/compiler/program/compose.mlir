// Two products in a row: x (w v) where that saves multiplications.
// RUN: alg-opt %s --alg-compose=rows=64 -split-input-file | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: alg-opt %s --alg-compose=rows=2 -split-input-file | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: alg-opt %s --alg-compose="rows=1 constant" -split-input-file | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: not alg-opt %s --alg-compose=rows=0 -split-input-file 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: products have at least one row, got 0

!x = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!w = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>
!h = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!v = !alg.slots<40x6xf32, rows(2 x 20), cols([2, 4])>
!y = !alg.slots<?x6xf32, rows(cyclic 2), cols([2, 4])>

// CHECK-LABEL: @wide_between
// CHECK-SAME: (%[[X:.*]]: !{{.*}}, %[[W:.*]]: !{{.*}}, %[[V:.*]]: !{{.*}})
func.func @wide_between(%x: !x, %w: !w, %v: !v) -> !y {
  // MANY-NEXT: %[[WV:.*]] = alg.contract %[[W]], %[[V]] by
  // MANY-NEXT: alg.contract %[[X]], %[[WV]] by
  // FEW-NEXT: %[[H:.*]] = alg.contract %[[X]], %[[W]] by
  // FEW-NEXT: alg.contract %[[H]], %[[V]] by
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %y : !y
}

// -----

!x = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!w = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>
!h = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!v = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>

// Two factors of low rank stay two.
// CHECK-LABEL: @narrow_between
func.func @narrow_between(%x: !x, %w: !w, %v: !v) -> !x {
  // CHECK-NEXT: %[[H:.*]] = alg.contract
  // CHECK-NEXT: alg.contract %[[H]]
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %y : !x
}

// -----

!x = !alg.slots<?x4xf32, rows(cyclic 2), cols(2 x 2)>
!w = !alg.slots<4x40xf32, rows(2 x 2), cols(2 x 20)>
!h = !alg.slots<?x40xf32, rows(cyclic 2), cols(2 x 20)>
!v = !alg.slots<40x4xf32, rows(2 x 20), cols(2 x 2)>

// The inner product is a result itself, is mapped, as by a bias, or belongs to another algebra.
// CHECK-LABEL: @something_between
// CHECK-NOT: !weights{{[0-9]*}}, !weights
func.func @something_between(%x: !x, %w: !w, %v: !v, %b: tensor<40xf32>) -> (!h, !x, !x, !x) {
  %h = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.contract %h, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  %s = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %i = alg.map %s columns %b : (!h, tensor<40xf32>) -> !h {
  ^bb0(%sum: f32, %bias: f32):
    %biased = arith.addf %sum, %bias : f32
    alg.yield %biased : f32
  }
  %z = alg.contract %i, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  %j = alg.contract %x, %w by #alg.algebra<"T(2)"> -> k : !x, !w
  %u = alg.contract %j, %v by #alg.algebra<"Q(2)"> -> k : !h, !v
  return %h, %y, %z, %u : !h, !x, !x, !x
}
