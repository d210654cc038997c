// Sums and maxima over columns, rows and all of a view.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s -canonicalize | FileCheck %s --check-prefix=CANONICAL

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xf32, rows(2 x 4), cols([2, 4])>
!p = !alg.slots<4x8xf32, plain(2)>
!q = !alg.slots<2x4x3xf64, plain(2)>

// CHECK-LABEL: @reductions
func.func @reductions(%x: !x, %w: !w, %p: !p, %q: !q)
    -> (tensor<?xf32>, tensor<8xbf16>, tensor<?xbf16>, tensor<8xf32>, tensor<6xf32>, tensor<4xf64>, tensor<f64>) {
  // CHECK: alg.reduce sum %{{.*}} over columns : !activations{{[0-9]*}} -> tensor<?xf32>
  %0 = alg.reduce sum %x over columns : !x -> tensor<?xf32>
  // CHECK: alg.reduce sum %{{.*}} over rows : !activations{{[0-9]*}} -> tensor<8xbf16>
  %1 = alg.reduce sum %x over rows : !x -> tensor<8xbf16>
  // CHECK: alg.reduce maximum %{{.*}} over columns : !activations{{[0-9]*}} -> tensor<?xbf16>
  %2 = alg.reduce maximum %x over columns : !x -> tensor<?xbf16>
  // CHECK: alg.reduce maximum %{{.*}} over columns : !weights{{[0-9]*}} -> tensor<8xf32>
  %3 = alg.reduce maximum %w over columns : !w -> tensor<8xf32>
  // CHECK: alg.reduce sum %{{.*}} over rows : !weights{{[0-9]*}} -> tensor<6xf32>
  %4 = alg.reduce sum %w over rows : !w -> tensor<6xf32>
  // CHECK: alg.reduce sum %{{.*}} over columns : !activations{{[0-9]*}} -> tensor<4xf64>
  %5 = alg.reduce sum %p over columns : !p -> tensor<4xf64>
  // CHECK: alg.reduce sum %{{.*}} over all : !weights{{[0-9]*}} -> tensor<f64>
  %6 = alg.reduce sum %q over all : !q -> tensor<f64>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<?xf32>, tensor<8xbf16>, tensor<?xbf16>, tensor<8xf32>, tensor<6xf32>, tensor<4xf64>, tensor<f64>
}

// CANONICAL-LABEL: @regrouped
// CANONICAL-SAME: (%[[W:.*]]: !weights
func.func @regrouped(%w: !w) -> tensor<6xf32> {
  // CANONICAL-NEXT: alg.reduce sum %[[W]] over rows
  %r = alg.regroup %w : !w to !alg.slots<8x6xf32, rows(4 x 2), cols(3 x 2)>
  %s = alg.reduce sum %r over rows : !alg.slots<8x6xf32, rows(4 x 2), cols(3 x 2)> -> tensor<6xf32>
  return %s : tensor<6xf32>
}
