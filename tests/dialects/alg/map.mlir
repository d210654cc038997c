// SwiGLU between the projections of a feed-forward network, and operands that are smaller than the views.
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

!in = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!weights = !alg.slots<8x12xbf16, rows(2 x 4), cols(2 x 6)>
!sums = !alg.slots<?x12xf32, rows(cyclic 2), cols(2 x 6)>
!out = !alg.slots<?x12xbf16, rows(cyclic 2), cols(2 x 6)>

// Operands of every kind beside a product's sums, which are rounded once.
// CHECK-LABEL: @every_kind
// CHECK-SAME: %[[R:[a-z0-9]+]]: !activations{{[0-9]*}}, %[[B:[a-z0-9]+]]: tensor<12xbf16>, %[[C:[a-z0-9]+]]: tensor<12xf32>, %[[S:[a-z0-9]+]]: tensor<?xf32>, %[[E:[a-z0-9]+]]: tensor<f32>
func.func @every_kind(%x: !in, %w: !weights, %residual: !out, %bias: tensor<12xbf16>, %scale: tensor<12xf32>, %squares: tensor<?xf32>,
                      %epsilon: tensor<f32>) -> !out {
  %sums = alg.contract %x, %w by #q2 -> k : !in, !weights into f32
  // CHECK: alg.map %{{.*}}, %[[R]] columns %[[B]], %[[C]] rows %[[S]] numbers %[[E]] : (!activations{{[0-9]*}}, !activations{{[0-9]*}}, tensor<12xbf16>, tensor<12xf32>, tensor<?xf32>, tensor<f32>) -> !activations{{[0-9]*}} {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: bf16, %{{.*}}: bf16, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
  %y = alg.map %sums, %residual columns %bias, %scale rows %squares numbers %epsilon
      : (!sums, !out, tensor<12xbf16>, tensor<12xf32>, tensor<?xf32>, tensor<f32>) -> !out {
  ^bb0(%sum: f32, %r: bf16, %b: bf16, %c: f32, %s: f32, %e: f32):
    %shifted = arith.addf %s, %e : f32
    %root = math.rsqrt %shifted : f32
    %scaled = arith.mulf %sum, %root : f32
    %weighted = arith.mulf %scaled, %c : f32
    %wide_bias = arith.extf %b : bf16 to f32
    %biased = arith.addf %weighted, %wide_bias : f32
    %wide = arith.extf %r : bf16 to f32
    %added = arith.addf %biased, %wide : f32
    %rounded = arith.truncf %added : f32 to bf16
    alg.yield %rounded : bf16
  }
  return %y : !out
}

// Weight matrices are mapped by rows and columns as well, plain ones with numbers.
!plain = !alg.slots<2x4x3xf32, plain(2)>

// CHECK-LABEL: @banks
func.func @banks(%w: !up, %s: tensor<8xf32>, %p: !plain, %n: tensor<f32>) -> (!up, !plain) {
  // CHECK: alg.map %{{.*}} rows %{{.*}} : (!weights{{[0-9]*}}, tensor<8xf32>) -> !weights
  %v = alg.map %w rows %s : (!up, tensor<8xf32>) -> !up {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  // CHECK: alg.map %{{.*}} numbers %{{.*}} : (!weights{{[0-9]*}}, tensor<f32>) -> !weights
  %q = alg.map %p numbers %n : (!plain, tensor<f32>) -> !plain {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  return %v, %q : !up, !plain
}
