// The gradients of a projection are its contraction with another index open; kept values come after the gradients of
// the results.
// RUN: alg-opt %s --alg-differentiate="arguments=0 name=dx" --alg-differentiate="arguments=1 name=dw" --alg-differentiate="arguments=3 name=dbias" | FileCheck %s
// RUN: alg-opt %s --alg-differentiate="function=gated arguments=x,1 keeping=gated_keeping" | FileCheck %s --check-prefix=KEPT

#q2 = #alg.algebra<"Q(2)">
!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xbf16, rows(2 x 4), cols(2 x 3)>
!y = !alg.slots<?x6xbf16, rows(cyclic 2), cols(2 x 3)>
!s = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>

func.func @forward(%x: tensor<?x8xbf16>, %w: tensor<8x6xbf16>, %p0: index, %b: tensor<6xbf16>) -> tensor<?x6xbf16> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 3) : tensor<8x6xbf16>
  %sums = alg.contract %xs, %ws by #q2 -> k : !x, !w into f32
  %ys = alg.map %sums columns %b : (!s, tensor<6xbf16>) -> !y {
  ^bb0(%a: f32, %c: bf16):
    %d = arith.extf %c : bf16 to f32
    %e = arith.addf %a, %d : f32
    %f = arith.truncf %e : f32 to bf16
    alg.yield %f : bf16
  }
  %y = alg.gather %ys : !y
  return %y : tensor<?x6xbf16>
}

// CHECK-LABEL: func.func @dx
// CHECK-SAME: (%[[DY:.*]]: tensor<?x6xbf16>, %[[W:.*]]: tensor<8x6xbf16>, %[[P0:.*]]: index) -> tensor<?x8xbf16> {
// CHECK-DAG: %[[WS:.*]] = alg.slots %[[W]] rows(2 x 4) cols(2 x 3)
// CHECK-DAG: %[[DYS:.*]] = alg.slots %[[DY]] rows(cyclic 2, %[[P0]]) cols(2 x 3)
// CHECK-NEXT: %[[DXS:.*]] = alg.contract %[[DYS]], %[[WS]] by #{{.*}} -> i : !{{.*}}, !weights{{[0-9]*$}}
// CHECK-NEXT: %[[DX:.*]] = alg.gather %[[DXS]]
// CHECK-NEXT: return %[[DX]]

// CHECK-LABEL: func.func @dw
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xbf16>, %[[DY:.*]]: tensor<?x6xbf16>, %[[P0:.*]]: index) -> tensor<8x6xbf16> {
// CHECK-NEXT: %[[XS:.*]] = alg.slots %[[X]] rows(cyclic 2, %[[P0]]) cols(2 x 4)
// CHECK-NEXT: %[[DYS:.*]] = alg.slots %[[DY]] rows(cyclic 2, %[[P0]]) cols(2 x 3)
// CHECK-NEXT: %[[DWS:.*]] = alg.contract %[[XS]], %[[DYS]] by #{{.*}} -> j
// CHECK-NEXT: %[[DW:.*]] = alg.gather %[[DWS]]
// CHECK-NEXT: return %[[DW]]

// The sum over rows is of f32 elements.
// CHECK-LABEL: func.func @dbias
// CHECK-SAME: (%[[P0:.*]]: index, %[[DY:.*]]: tensor<?x6xbf16>) -> tensor<6xbf16> {
// CHECK-NEXT: %[[DYS:.*]] = alg.slots %[[DY]]
// CHECK-NEXT: %[[WIDE:.*]] = alg.map %[[DYS]] : (!{{.*}}) -> !{{.*}} {
// CHECK: arith.extf
// CHECK: %[[DB:.*]] = alg.reduce sum %[[WIDE]] over rows : !{{.*}} -> tensor<6xbf16>
// CHECK-NEXT: return %[[DB]]

// The map is computed again from the sums that are kept. The second product is not needed.
// KEPT-LABEL: func.func @gated_gradient
// KEPT-SAME: (%[[DY:.*]]: tensor<?x6xbf16>, %[[SUMS:.*]]: tensor<?x6xf32>, %{{.*}}: tensor<?x8xbf16>, %{{.*}}: tensor<8x6xbf16>, %{{.*}}: tensor<6x6xbf16>)
// KEPT-SAME: -> (tensor<?x8xbf16>, tensor<8x6xbf16>)
// KEPT-NOT: -> k
// KEPT: alg.slots %[[SUMS]] rows(cyclic 2) cols(2 x 3) : tensor<?x6xf32>
// KEPT-NOT: -> k
// KEPT-LABEL: func.func @gated_keeping
// KEPT: %[[FIRST:.*]] = alg.contract {{.*}} into f32
// KEPT: %[[Y:.*]] = alg.gather
// KEPT-NEXT: %[[KEPT:.*]] = alg.gather %[[FIRST]]
// KEPT-NEXT: return %[[Y]], %[[KEPT]] : tensor<?x6xbf16>, tensor<?x6xf32>
!v = !alg.slots<6x6xbf16, rows(2 x 3), cols(2 x 3)>
func.func @gated(%x: tensor<?x8xbf16> loc("x"), %w: tensor<8x6xbf16> loc("w"), %v: tensor<6x6xbf16> loc("v")) -> tensor<?x6xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 3) : tensor<8x6xbf16>
  %vs = alg.slots %v rows(2 x 3) cols(2 x 3) : tensor<6x6xbf16>
  %sums = alg.contract %xs, %ws by #q2 -> k : !x, !w into f32
  %hs = alg.map %sums : (!s) -> !y {
  ^bb0(%a: f32):
    %t = math.tanh %a : f32
    %f = arith.truncf %t : f32 to bf16
    alg.yield %f : bf16
  }
  %ys = alg.contract %hs, %vs by #q2 -> k : !y, !v
  %y = alg.gather %ys : !y
  return %y : tensor<?x6xbf16>
}
