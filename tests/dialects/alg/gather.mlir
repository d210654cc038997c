// The tensor of a view is the one that the view was made of, in every kind.
// RUN: alg-opt %s | FileCheck %s

// CHECK-LABEL: @gather
func.func @gather(%x: !alg.slots<?x8xbf16, rows(explicit 2), cols([3, 5])>, %w: !alg.slots<8x4xbf16, rows([3, 5]), cols(2 x 2)>,
                  %p: !alg.slots<6x8xf32, plain(4)>, %q: !alg.slots<4x2x3xf32, plain(4)>)
    -> (tensor<?x8xbf16>, tensor<8x4xbf16>, tensor<6x8xf32>, tensor<4x2x3xf32>) {
  // CHECK-COUNT-4: alg.gather
  %0 = alg.gather %x : !alg.slots<?x8xbf16, rows(explicit 2), cols([3, 5])>
  %1 = alg.gather %w : !alg.slots<8x4xbf16, rows([3, 5]), cols(2 x 2)>
  %2 = alg.gather %p : !alg.slots<6x8xf32, plain(4)>
  %3 = alg.gather %q : !alg.slots<4x2x3xf32, plain(4)>
  return %0, %1, %2, %3 : tensor<?x8xbf16>, tensor<8x4xbf16>, tensor<6x8xf32>, tensor<4x2x3xf32>
}
