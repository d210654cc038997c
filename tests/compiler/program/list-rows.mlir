// Rows whose types follow from a position become rows whose types are given.
// RUN: alg-opt %s --alg-list-rows --mlir-print-local-scope | FileCheck %s

!x = !alg.slots<?x8xf32, rows(interval 2 x 3), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>
#algebra = #alg.algebra<"Q(2)">

// Views of the same rows, before and behind the products, have the types of one vector, which stands where the position stood.
// CHECK-LABEL: func.func @gated(
// CHECK-SAME:      %[[X:.*]]: tensor<?x8xf32>, %{{.*}}: tensor<8x8xf32>, %[[TYPES:.*]]: tensor<?xi32>, %[[Z:.*]]: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:         alg.slots %[[X]] rows(explicit 2, %[[TYPES]]) cols(2 x 4)
// CHECK:         alg.slots %[[Z]] rows(explicit 2, %[[TYPES]]) cols(2 x 4)
// CHECK-NOT:     interval
// CHECK:         return
func.func @gated(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p0: index, %z: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %zs = alg.slots %z rows(interval 2 x 3, %p0) cols(2 x 4) : tensor<?x8xf32>
  %sums = alg.contract %xs, %ws by #algebra -> k : !x, !w
  %ys = alg.map %sums, %zs : (!x, !x) -> !x {
  ^bb0(%sum: f32, %other: f32):
    %both = arith.addf %sum, %other : f32
    alg.yield %both : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// Batches of one size have as many types.
// CHECK-LABEL: func.func @sized(
// CHECK-SAME:      tensor<6x8xf32>, %{{.*}}: tensor<8x8xf32>, %{{.*}}: tensor<6xi32>)
func.func @sized(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>, %p0: index) -> tensor<6x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<6x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #algebra -> k : !alg.slots<6x8xf32, rows(cyclic 2), cols(2 x 4)>, !w
  %y = alg.gather %ys : !alg.slots<6x8xf32, rows(cyclic 2), cols(2 x 4)>
  return %y : tensor<6x8xf32>
}

// Explicit types stay, and so do functions without types.
// CHECK-LABEL: func.func @given(
// CHECK-SAME:      %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<8x8xf32>, %{{.*}}: tensor<?xi32>)
func.func @given(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %types: tensor<?xi32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %ys = alg.contract %xs, %ws by #algebra -> k : !alg.slots<?x8xf32, rows(explicit 2), cols(2 x 4)>, !w
  %y = alg.gather %ys : !alg.slots<?x8xf32, rows(explicit 2), cols(2 x 4)>
  return %y : tensor<?x8xf32>
}
