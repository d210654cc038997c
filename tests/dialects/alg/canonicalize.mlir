// RUN: alg-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @gather_of_slots
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>
func.func @gather_of_slots(%x: tensor<?x8xf32>, %p0: index) -> tensor<?x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %v = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %y = alg.gather %v : !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %y : tensor<?x8xf32>
}

// -----

!w = !alg.slots<8x4xf32, rows(2 x 4), cols(2 x 2)>

// CHECK-LABEL: @slots_of_gather
// CHECK-SAME: (%[[W:.*]]: !weights
func.func @slots_of_gather(%w: !w) -> !w {
  // CHECK-NEXT: return %[[W]]
  %t = alg.gather %w : !w
  %v = alg.slots %t rows(2 x 4) cols(2 x 2) : tensor<8x4xf32>
  return %v : !w
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// Two layers meet without the tensor between them, because their rows start at the same position.
// CHECK-LABEL: @same_schedule
func.func @same_schedule(%x: tensor<?x8xf32>, %w: !w, %p0: index) -> !x {
  // CHECK: %[[Y:.*]] = alg.contract
  // CHECK-NEXT: alg.contract %[[Y]]
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %y = alg.contract %xs, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %t = alg.gather %y : !x
  %v = alg.slots %t rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %z = alg.contract %v, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  return %z : !x
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// A view that starts elsewhere stays, and so does one of rows that nothing is known about.
// CHECK-LABEL: @other_schedule
func.func @other_schedule(%x: tensor<?x8xf32>, %u: !x, %p0: index, %p1: index) -> (!x, !x) {
  // CHECK: %[[S:.*]] = alg.gather
  // CHECK: alg.slots %[[S]] rows(cyclic 2, %{{.*}}) cols(2 x 4)
  // CHECK: %[[T:.*]] = alg.gather
  // CHECK: alg.slots %[[T]] rows(cyclic 2, %{{.*}}) cols(2 x 4)
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %y = alg.map %xs : !x {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    alg.yield %n : f32
  }
  %s = alg.gather %y : !x
  %v = alg.slots %s rows(cyclic 2, %p1) cols(2 x 4) : tensor<?x8xf32>
  %t = alg.gather %u : !x
  %z = alg.slots %t rows(cyclic 2, %p1) cols(2 x 4) : tensor<?x8xf32>
  return %v, %z : !x, !x
}

// -----

#loose = #alg.algebra<"table({'dimension':2,'constants':[[0,0,1,'1'],[1,0,0,'1']]})", allow_nonassociative>
!x = !alg.slots<?x8xf32, plain(2)>
!w = !alg.slots<2x4x4xf32, plain(2)>

// The gather that separates two products over an algebra that is not associative stays.
// CHECK-LABEL: @separated
func.func @separated(%x: !x, %w: !w) -> !x {
  // CHECK: alg.contract
  // CHECK-NEXT: alg.gather
  // CHECK-NEXT: alg.slots
  // CHECK-NEXT: alg.contract
  %y = alg.contract %x, %w by #loose -> k : !x, !w
  %t = alg.gather %y : !x
  %v = alg.slots %t plain(2) : tensor<?x8xf32>
  %z = alg.contract %v, %w by #loose -> k : !x, !w
  return %z : !x
}

// -----

!x = !alg.slots<?x8xf32, rows(interval 2 x 3), cols(2 x 4)>

// CHECK-LABEL: @offsets
func.func @offsets(%x: tensor<?x8xf32>) -> (!x, !x, !x, !x) {
  // CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %five = arith.constant 5 : index
  %six = arith.constant 6 : index
  %thirteen = arith.constant 13 : index
  // CHECK: alg.slots %{{.*}} rows(interval 2 x 3) cols(2 x 4)
  %a = alg.slots %x rows(interval 2 x 3, %zero) cols(2 x 4) : tensor<?x8xf32>
  // CHECK-NEXT: alg.slots %{{.*}} rows(interval 2 x 3, %[[FIVE]]) cols(2 x 4)
  %b = alg.slots %x rows(interval 2 x 3, %five) cols(2 x 4) : tensor<?x8xf32>
  // CHECK-NEXT: alg.slots %{{.*}} rows(interval 2 x 3) cols(2 x 4)
  %c = alg.slots %x rows(interval 2 x 3, %six) cols(2 x 4) : tensor<?x8xf32>
  // CHECK-NEXT: alg.slots %{{.*}} rows(interval 2 x 3, %[[ONE]]) cols(2 x 4)
  %d = alg.slots %x rows(interval 2 x 3, %thirteen) cols(2 x 4) : tensor<?x8xf32>
  return %a, %b, %c, %d : !x, !x, !x, !x
}

// -----

!a = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!b = !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>
!c = !alg.slots<?x8xf32, rows(cyclic 2), cols(8 x 1)>

// CHECK-LABEL: @regroupings
// CHECK-SAME: (%[[A:.*]]: !activations
func.func @regroupings(%a: !a, %x: tensor<?x8xf32>, %p0: index) -> (!a, !c, !c, tensor<?x8xf32>, !b) {
  // CHECK-NEXT: %[[C:.*]] = alg.regroup %[[A]] : !activations{{[0-9]*}} to !activations
  // CHECK-NEXT: %[[V:.*]] = alg.slots %{{.*}} rows(cyclic 2, %{{.*}}) cols(8 x 1)
  // CHECK-NEXT: %[[T:.*]] = alg.gather %[[A]]
  // CHECK-NEXT: %[[W:.*]] = alg.slots %{{.*}} rows(cyclic 2, %{{.*}}) cols(4 x 2)
  // CHECK-NEXT: return %[[A]], %[[C]], %[[V]], %[[T]], %[[W]]
  %b = alg.regroup %a : !a to !b
  %back = alg.regroup %b : !b to !a
  %c = alg.regroup %b : !b to !c
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %v = alg.regroup %xs : !a to !c
  %t = alg.gather %b : !b
  %s = alg.gather %v : !c
  %w = alg.slots %s rows(cyclic 2, %p0) cols(4 x 2) : tensor<?x8xf32>
  return %back, %c, %v, %t, %w : !a, !c, !c, tensor<?x8xf32>, !b
}

// -----

!u = !alg.slots<8x4xf32, rows(2 x 4), cols(2 x 2)>
!v = !alg.slots<8x4xf32, rows(2 x 4), cols([1, 3])>

// CHECK-LABEL: @gathered_under_other_groups
func.func @gathered_under_other_groups(%u: !u) -> !v {
  // CHECK-NEXT: alg.regroup
  // CHECK-NEXT: return
  %t = alg.gather %u : !u
  %v = alg.slots %t rows(2 x 4) cols([1, 3]) : tensor<8x4xf32>
  return %v : !v
}

// -----

// A factor M(4) only refines the groups: 128 groups of 16 are 32 groups of 64.
// CHECK: #algebra = #alg.algebra<"Q(32)",
// CHECK-LABEL: @equal_groups
func.func @equal_groups(%x: tensor<?x2048xbf16>, %w: tensor<2048x6144xbf16>, %p0: index) -> tensor<?x6144xbf16> {
  // CHECK-NEXT: %[[X:.*]] = alg.slots %{{.*}} rows(cyclic 32, %{{.*}}) cols(32 x 64)
  // CHECK-NEXT: %[[W:.*]] = alg.slots %{{.*}} rows(32 x 64) cols(32 x 192)
  // CHECK-NEXT: %[[Y:.*]] = alg.contract %[[X]], %[[W]] by #algebra -> k
  // CHECK-NEXT: %[[T:.*]] = alg.gather %[[Y]]
  // CHECK-NEXT: return %[[T]]
  %xs = alg.slots %x rows(cyclic 32, %p0) cols(128 x 16) : tensor<?x2048xbf16>
  %ws = alg.slots %w rows(128 x 16) cols(128 x 48) : tensor<2048x6144xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(32)*M(4)"> -> k
      : !alg.slots<?x2048xbf16, rows(cyclic 32), cols(128 x 16)>, !alg.slots<2048x6144xbf16, rows(128 x 16), cols(128 x 48)>
  %y = alg.gather %ys : !alg.slots<?x6144xbf16, rows(cyclic 32), cols(128 x 48)>
  return %y : tensor<?x6144xbf16>
}

// -----

// Unequal groups alike, in the gradients too; M(2)*M(3) goes in two steps.
// CHECK: #algebra = #alg.algebra<"path(2)",
// CHECK-LABEL: @unequal_groups
func.func @unequal_groups(%dy: tensor<?x24xf32>, %w: tensor<30x24xf32>) -> tensor<?x30xf32> {
  // CHECK-NEXT: %[[Y:.*]] = alg.slots %{{.*}} rows(cyclic 2) cols(2 x 12)
  // CHECK-NEXT: %[[W:.*]] = alg.slots %{{.*}} rows([11, 19]) cols(2 x 12)
  // CHECK-NEXT: alg.contract %[[Y]], %[[W]] by #algebra -> i
  %dys = alg.slots %dy rows(cyclic 2) cols(12 x 2) : tensor<?x24xf32>
  %ws = alg.slots %w rows([1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4]) cols(12 x 2) : tensor<30x24xf32>
  %dxs = alg.contract %dys, %ws by #alg.algebra<"path(2)*M(2)*M(3)"> -> i
      : !alg.slots<?x24xf32, rows(cyclic 2), cols(12 x 2)>,
        !alg.slots<30x24xf32, rows([1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4]), cols(12 x 2)>
  %dx = alg.gather %dxs : !alg.slots<?x30xf32, rows(cyclic 2), cols([1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4])>
  return %dx : tensor<?x30xf32>
}

// -----

// A full matrix algebra is one dense product.
// CHECK: #algebra = #alg.algebra<"M(1)",
// CHECK-LABEL: @dense
func.func @dense(%x: tensor<?x8xf32>, %dy: tensor<?x12xf32>) -> tensor<8x12xf32> {
  // CHECK-NEXT: alg.slots %{{.*}} rows(cyclic 1) cols(1 x 8)
  // CHECK-NEXT: alg.slots %{{.*}} rows(cyclic 1) cols(1 x 12)
  // CHECK-NEXT: alg.contract %{{.*}}, %{{.*}} by #algebra -> j
  // CHECK-NEXT: alg.gather
  %xs = alg.slots %x rows(cyclic 1) cols(4 x 2) : tensor<?x8xf32>
  %dys = alg.slots %dy rows(cyclic 1) cols(4 x 3) : tensor<?x12xf32>
  %dws = alg.contract %xs, %dys by #alg.algebra<"M(4)"> -> j
      : !alg.slots<?x8xf32, rows(cyclic 1), cols(4 x 2)>, !alg.slots<?x12xf32, rows(cyclic 1), cols(4 x 3)>
  %dw = alg.gather %dws : !alg.slots<8x12xf32, rows(4 x 2), cols(4 x 3)>
  return %dw : tensor<8x12xf32>
}

// -----

// Neither a leading M(b), whose groups are not neighbours, nor one in the slot lift.
// CHECK-DAG: "M(2)*Q(2)"
// CHECK-DAG: "Q(2)*M(2)"
// CHECK-LABEL: @kept
func.func @kept(%x: !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>, %w: !alg.slots<8x8xf32, rows(4 x 2), cols(4 x 2)>,
                %p: !alg.slots<?x32xf32, plain(16)>, %q: !alg.slots<16x2x2xf32, plain(16)>)
    -> (!alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>, !alg.slots<?x32xf32, plain(16)>) {
  // CHECK-NOT: alg.regroup
  // CHECK: return
  %y = alg.contract %x, %w by #alg.algebra<"M(2)*Q(2)"> -> k
      : !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>, !alg.slots<8x8xf32, rows(4 x 2), cols(4 x 2)>
  %z = alg.contract %p, %q by #alg.algebra<"Q(2)*M(2)"> -> k
      : !alg.slots<?x32xf32, plain(16)>, !alg.slots<16x2x2xf32, plain(16)>
  return %y, %z : !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>, !alg.slots<?x32xf32, plain(16)>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>
!w = !alg.slots<8x8xf32, rows(4 x 2), cols(4 x 2)>

// A whole network becomes coarse: no regrouping is left between its products.
// CHECK: #algebra = #alg.algebra<"Q(2)",
// CHECK-LABEL: @network
func.func @network(%x: tensor<?x8xf32>, %residual: tensor<?x8xf32>, %wu: tensor<8x8xf32>, %wd: tensor<8x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NEXT: alg.slots %{{.*}} rows(cyclic 2) cols(2 x 4)
  // CHECK-NEXT: alg.slots %{{.*}} rows(2 x 4) cols(2 x 4)
  // CHECK-NEXT: alg.contract
  // CHECK-NEXT: alg.slots %{{.*}} rows(cyclic 2) cols(2 x 4)
  // CHECK-NEXT: alg.map
  // CHECK: alg.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: alg.slots %{{.*}} rows(2 x 4) cols(2 x 4)
  // CHECK-NEXT: alg.contract
  // CHECK-NEXT: alg.gather
  %xs = alg.slots %x rows(cyclic 2) cols(4 x 2) : tensor<?x8xf32>
  %rs = alg.slots %residual rows(cyclic 2) cols(4 x 2) : tensor<?x8xf32>
  %us = alg.slots %wu rows(4 x 2) cols(4 x 2) : tensor<8x8xf32>
  %ds = alg.slots %wd rows(4 x 2) cols(4 x 2) : tensor<8x8xf32>
  %h = alg.contract %xs, %us by #alg.algebra<"Q(2)*M(2)"> -> k : !x, !w
  %m = alg.map %h, %rs : !x {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    alg.yield %s : f32
  }
  %y = alg.contract %m, %ds by #alg.algebra<"Q(2)*M(2)"> -> k : !x, !w
  %t = alg.gather %y : !x
  return %t : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// CHECK-LABEL: @equal_products
func.func @equal_products(%x: !x, %w: !w, %v: !w) -> (!x, !x, !x, !x) {
  // CHECK-NEXT: %[[A:.*]] = alg.contract %{{.*}}, %[[W:.*]] by #{{.*}} -> k
  // CHECK-NEXT: %[[C:.*]] = alg.contract %{{.*}}, %{{.*}} by #{{.*}} -> k
  // CHECK-NEXT: %[[D:.*]] = alg.contract %{{.*}}, %[[W]] by #{{.*}} -> i
  // CHECK-NEXT: return %[[A]], %[[A]], %[[C]], %[[D]]
  %a = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %b = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> k : !x, !w
  %c = alg.contract %x, %v by #alg.algebra<"Q(2)"> -> k : !x, !w
  %d = alg.contract %x, %w by #alg.algebra<"Q(2)"> -> i : !x, !w
  return %a, %b, %c, %d : !x, !x, !x, !x
}

// -----

!x = !alg.slots<?x8xf32, plain(2)>

// CHECK-LABEL: @map_inputs
// CHECK-SAME: (%[[X:.*]]: !activations{{[0-9]*}}, %[[Y:.*]]: !activations
func.func @map_inputs(%x: !x, %y: !x) -> (!x, !x, !x) {
  // CHECK: %[[M:.*]] = alg.map %[[X]] :
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
  // CHECK-NEXT: arith.mulf %[[A]], %[[A]]
  %m = alg.map %x, %y, %x : !x {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    alg.yield %p : f32
  }
  %identity = alg.map %x, %y : !x {
  ^bb0(%a: f32, %b: f32):
    alg.yield %b : f32
  }
  // A constant still needs one input, which says what the result looks like.
  // CHECK: %[[Z:.*]] = alg.map %[[Y]] :
  %zeros = alg.map %x, %y : !x {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    alg.yield %zero : f32
  }
  // CHECK: return %[[M]], %[[Y]], %[[Z]]
  return %m, %identity, %zeros : !x, !x, !x
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// Operands of a kind that the body does not use, or that are there twice, go; the last view stays, which says what the
// result looks like.
// CHECK-LABEL: @map_operands
// CHECK-SAME: (%[[X:[a-z0-9]+]]: !activations, %[[Z:[a-z0-9]+]]: !activations, %[[B:[a-z0-9]+]]: tensor<8xf32>, %[[S:[a-z0-9]+]]: tensor<?xf32>, %{{.*}}: tensor<f32>)
func.func @map_operands(%x: !x, %z: !x, %b: tensor<8xf32>, %s: tensor<?xf32>, %n: tensor<f32>) -> (!x, !x) {
  // CHECK: alg.map %[[Z]] columns %[[B]] rows %[[S]] : (!activations, tensor<8xf32>, tensor<?xf32>) -> !activations {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[C:.*]]: f32, %[[R:.*]]: f32):
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[C]], %[[C]]
  // CHECK-NEXT: arith.addf %[[P]], %[[R]]
  %y = alg.map %x, %z columns %b, %b rows %s numbers %n : (!x, !x, tensor<8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<f32>) -> !x {
  ^bb0(%a: f32, %unused: f32, %c: f32, %d: f32, %r: f32, %e: f32):
    %p = arith.mulf %c, %d : f32
    %q = arith.addf %p, %r : f32
    alg.yield %q : f32
  }
  // An operand that is not a view is not the result.
  // CHECK: alg.map %[[X]] columns %[[B]]
  %u = alg.map %x columns %b : (!x, tensor<8xf32>) -> !x {
  ^bb0(%a: f32, %c: f32):
    alg.yield %c : f32
  }
  return %y, %u : !x, !x
}

// -----

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(4 x 2)>
!w = !alg.slots<8x8xbf16, rows(4 x 2), cols(4 x 2)>
!s = !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>

// Coarser groups under a map of sums: each view keeps its elements.
// CHECK: #algebra = #alg.algebra<"Q(2)",
// CHECK-LABEL: @sums
func.func @sums(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>, %b: tensor<8xbf16>) -> tensor<?x8xbf16> {
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #algebra -> k : !{{.*}}, !weights into f32
  // CHECK-NEXT: alg.map %{{.*}} columns %{{.*}} : (!activations{{[0-9]*}}, tensor<8xbf16>) -> !activations
  // CHECK-NOT: alg.regroup
  %xs = alg.slots %x rows(cyclic 2) cols(4 x 2) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(4 x 2) cols(4 x 2) : tensor<8x8xbf16>
  %s = alg.contract %xs, %ws by #alg.algebra<"Q(2)*M(2)"> -> k : !x, !w into f32
  %ys = alg.map %s columns %b : (!s, tensor<8xbf16>) -> !x {
  ^bb0(%a: f32, %c: bf16):
    %d = arith.extf %c : bf16 to f32
    %e = arith.addf %a, %d : f32
    %r = arith.truncf %e : f32 to bf16
    alg.yield %r : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xbf16>
}
