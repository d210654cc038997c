// Of programs that are named, kernels have one layer, whatever those of other programs have.
// RUN: alg-opt %s --alg-fuse="layers=true one-layer=apart,absent remarks=false" | FileCheck %s

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// CHECK-LABEL: func.func private @together_0
// CHECK-COUNT-2: alg.contract
// CHECK-LABEL: func.func @together(
// CHECK:       call @together_0
// CHECK-NEXT:  return
func.func @together(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func private @apart_0
// CHECK:       alg.contract
// CHECK-NOT:   alg.contract
// CHECK-LABEL: func.func private @apart_1
// CHECK:       alg.contract
// CHECK-NOT:   alg.contract
// CHECK-LABEL: func.func @apart(
func.func @apart(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %p0: index) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}
