// Two kernels never wait for each other: of steps that read across, one joins and the other does not.
// RUN: alg-opt %s --alg-fuse="results=2 remarks=false" | FileCheck %s

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// CHECK-LABEL: func.func private @crossed_0
// CHECK: alg.contract
// CHECK-NOT: alg.map
// CHECK-LABEL: func.func private @crossed_1
// CHECK: alg.contract
// CHECK: alg.map
// CHECK: alg.map
// CHECK-LABEL: func.func @crossed(
// CHECK-NEXT: %[[U:.*]] = call @crossed_0
// CHECK-NEXT: %[[R:.*]]:2 = call @crossed_1(%{{.*}}, %{{.*}}, %[[U]]) :
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
func.func @crossed(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %zs = alg.slots %z rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %g = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %u = alg.contract %zs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %as = alg.map %g, %u : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %bs = alg.map %u, %g : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    alg.yield %c : f32
  }
  %a = alg.gather %as : !x
  %b = alg.gather %bs : !x
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}
