// A gated projection with a norm before it and a residual after it: which operations share a kernel, and why others do not.
// RUN: alg-opt %s --alg-fuse=remarks=false | FileCheck %s
// RUN: alg-opt %s --alg-fuse -verify-diagnostics -o /dev/null

// The squares are summed as they are computed.
// CHECK-LABEL: func.func private @block_0
// CHECK-SAME: (%{{.*}}: tensor<?x8xbf16>, %{{.*}}: index) -> tensor<?xf32>
// CHECK: alg.map
// CHECK: alg.reduce sum
// CHECK-LABEL: func.func private @block_1
// CHECK-SAME: (%{{.*}}: tensor<?x8xbf16>, %{{.*}}: index, %{{.*}}: tensor<?xf32>) -> tensor<?x8xbf16>
// CHECK-NOT: alg.contract
// CHECK: alg.map %{{.*}} rows

// Two contractions of the same activations, and the map of both.
// CHECK-LABEL: func.func private @block_2
// CHECK-SAME: (%{{.*}}: tensor<?x8xbf16>, %{{.*}}: tensor<8x6xbf16>, %{{.*}}: tensor<8x6xbf16>, %{{.*}}: index) -> tensor<?x6xbf16>
// CHECK: %[[V:.*]] = alg.slots
// CHECK: %[[G:.*]] = alg.contract %[[V]]
// CHECK: %[[U:.*]] = alg.contract %[[V]]
// CHECK: %[[H:.*]] = alg.map %[[G]], %[[U]]
// CHECK: %[[T:.*]] = alg.gather %[[H]]
// CHECK-NEXT: return %[[T]]

// CHECK-LABEL: func.func private @block_3
// CHECK: %[[S:.*]] = alg.contract {{.*}} into f32
// CHECK: alg.map %[[S]], %{{.*}} :
// CHECK-LABEL: func.func @block(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xbf16>, %[[GATE:[a-z0-9]+]]: tensor<8x6xbf16>, %[[UP:[a-z0-9]+]]: tensor<8x6xbf16>, %[[DOWN:[a-z0-9]+]]: tensor<6x8xbf16>, %[[P0:[a-z0-9]+]]: index)
// CHECK-NEXT: %[[A:.*]] = call @block_0(%[[X]], %[[P0]])
// CHECK-NEXT: %[[B:.*]] = call @block_1(%[[X]], %[[P0]], %[[A]])
// CHECK-NEXT: %[[C:.*]] = call @block_2(%[[B]], %[[GATE]], %[[UP]], %[[P0]])
// CHECK-NEXT: %[[D:.*]] = call @block_3(%[[C]], %[[DOWN]], %[[X]], %[[P0]])
// CHECK-NEXT: return %[[D]]

#q2 = #alg.algebra<"Q(2)">
!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xbf16, rows(2 x 4), cols(2 x 3)>
!d = !alg.slots<6x8xbf16, rows(2 x 3), cols(2 x 4)>
!h = !alg.slots<?x6xbf16, rows(cyclic 2), cols(2 x 3)>
!s = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>
!t = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
func.func @block(%x: tensor<?x8xbf16>, %gate: tensor<8x6xbf16>, %up: tensor<8x6xbf16>, %down: tensor<6x8xbf16>, %p0: index) -> tensor<?x8xbf16> {
  %one = arith.constant 1.0 : f32
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xbf16>
  %gs = alg.slots %gate rows(2 x 4) cols(2 x 3) : tensor<8x6xbf16>
  %us = alg.slots %up rows(2 x 4) cols(2 x 3) : tensor<8x6xbf16>
  %ds = alg.slots %down rows(2 x 3) cols(2 x 4) : tensor<6x8xbf16>
  %squares = alg.map %xs : (!x) -> !t {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    %c = arith.mulf %b, %b : f32
    alg.yield %c : f32
  }
  // expected-note @+1 {{the step that it reads}}
  %sum = alg.reduce sum %squares over columns : !t -> tensor<?xf32>
  // expected-note @+2 {{the step that it reads}}
  // expected-remark @+1 {{the result of a reduction is known when all of its rows or columns have been read}}
  %ns = alg.map %xs rows %sum : (!x, tensor<?xf32>) -> !x {
  ^bb0(%a: bf16, %b: f32):
    %r = math.rsqrt %b : f32
    %c = arith.extf %a : bf16 to f32
    %d = arith.mulf %c, %r : f32
    %e = arith.truncf %d : f32 to bf16
    alg.yield %e : bf16
  }
  // expected-remark @+1 {{stays apart from the step that it reads: a contraction sums over groups of its operands, which other workers have to finish first}}
  %g = alg.contract %ns, %gs by #q2 -> k : !x, !w into f32
  // expected-remark @+1 {{stays apart from the step that it reads: a contraction sums over groups of its operands, which other workers have to finish first}}
  %u = alg.contract %ns, %us by #q2 -> k : !x, !w into f32
  // expected-note @+1 {{the step that it reads}}
  %hs = alg.map %g, %u : (!s, !s) -> !h {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %r = arith.divf %a, %q : f32
    %m = arith.mulf %r, %b : f32
    %e = arith.truncf %m : f32 to bf16
    alg.yield %e : bf16
  }
  // expected-remark @+1 {{stays apart from the step that it reads: a contraction sums over groups of its operands, which other workers have to finish first}}
  %sums = alg.contract %hs, %ds by #q2 -> k : !h, !d into f32
  %ys = alg.map %sums, %xs : (!t, !x) -> !x {
  ^bb0(%a: f32, %b: bf16):
    %r = arith.extf %b : bf16 to f32
    %m = arith.addf %a, %r : f32
    %e = arith.truncf %m : f32 to bf16
    alg.yield %e : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xbf16>
}
