// SwiGLU between the projections of a feed-forward network.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!up = !alg.slots<8x12xf32, rows(2 x 4), cols(2 x 6)>
!down = !alg.slots<12x8xf32, rows(2 x 6), cols(2 x 4)>
!hidden = !alg.slots<?x12xf32, rows(cyclic 2), cols(2 x 6)>

#q2 = #alg.algebra<"Q(2)">

// CHECK-LABEL: @swiglu
func.func @swiglu(%x: !x, %wg: !up, %wu: !up, %wd: !down) -> !x {
  %g = alg.contract %x, %wg by #q2 -> k : !x, !up
  %u = alg.contract %x, %wu by #q2 -> k : !x, !up
  %one = arith.constant 1.0 : f32
  // CHECK: %[[H:.*]] = alg.map %{{.*}}, %{{.*}} : !activations{{[0-9]*}} {
  // CHECK:   math.exp
  // CHECK:   alg.yield %{{.*}} : f32
  // CHECK: } {fast}
  %h = alg.map %g, %u : !hidden {
  ^bb0(%gate: f32, %value: f32):
    %negative = arith.negf %gate : f32
    %power = math.exp %negative : f32
    %sum = arith.addf %power, %one : f32
    %silu = arith.divf %gate, %sum : f32
    %product = arith.mulf %silu, %value : f32
    alg.yield %product : f32
  } {fast}
  // CHECK: alg.contract %[[H]]
  %y = alg.contract %h, %wd by #q2 -> k : !hidden, !down
  return %y : !x
}
