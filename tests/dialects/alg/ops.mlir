// Every operation, printed and read again, in the pretty and in the generic form.
// RUN: alg-opt %s | FileCheck %s
// RUN: alg-opt %s | alg-opt | FileCheck %s
// RUN: alg-opt %s --mlir-print-op-generic | alg-opt | FileCheck %s

#q32 = #alg.algebra<"Q(32)">

// CHECK-DAG: #algebra = #alg.algebra<"Q(32)", associative = true, unital = true, rank = [2016, 2016]>
// CHECK-DAG: !activations{{[0-9]*}} = !alg.slots<?x6144xbf16, rows(cyclic 32), cols(32 x 192)>

// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<?x2048xbf16>, %w: tensor<2048x6144xbf16>, %p0: index) -> tensor<?x6144xbf16> {
  // CHECK: %[[X:.*]] = alg.slots %{{.*}} rows(cyclic 32, %{{.*}}) cols(32 x 64) : tensor<?x2048xbf16>
  %xs = alg.slots %x rows(cyclic 32, %p0) cols(32 x 64) : tensor<?x2048xbf16>
  // CHECK: %[[W:.*]] = alg.slots %{{.*}} rows(32 x 64) cols(32 x 192) : tensor<2048x6144xbf16>
  %ws = alg.slots %w rows(32 x 64) cols(32 x 192) : tensor<2048x6144xbf16>
  // CHECK: %[[Y:.*]] = alg.contract %[[X]], %[[W]] by #algebra -> k : !activations{{[0-9]*}}, !weights
  %ys = alg.contract %xs, %ws by #q32 -> k
      : !alg.slots<?x2048xbf16, rows(cyclic 32), cols(32 x 64)>, !alg.slots<2048x6144xbf16, rows(32 x 64), cols(32 x 192)>
  // CHECK: alg.gather %[[Y]] : !activations
  %y = alg.gather %ys : !alg.slots<?x6144xbf16, rows(cyclic 32), cols(32 x 192)>
  return %y : tensor<?x6144xbf16>
}

// CHECK-LABEL: func.func @gradients
func.func @gradients(%x: tensor<64x6xf32>, %w: tensor<6x8xf32>, %dy: tensor<64x8xf32>)
    -> (tensor<64x6xf32>, tensor<6x8xf32>) {
  %xs = alg.slots %x rows(interval 2 x 16) cols([2, 4]) : tensor<64x6xf32>
  %ws = alg.slots %w rows([2, 4]) cols(2 x 4) : tensor<6x8xf32>
  %dys = alg.slots %dy rows(interval 2 x 16) cols(2 x 4) : tensor<64x8xf32>
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #{{.*}} -> i : !activations{{[0-9]*}}, !weights
  %dxs = alg.contract %dys, %ws by #alg.algebra<"Q(2)"> -> i
      : !alg.slots<64x8xf32, rows(interval 2 x 16), cols(2 x 4)>, !alg.slots<6x8xf32, rows([2, 4]), cols(2 x 4)>
  // CHECK: alg.contract %{{.*}}, %{{.*}} by #{{.*}} -> j : !activations{{[0-9]*}}, !activations
  %dws = alg.contract %xs, %dys by #alg.algebra<"Q(2)"> -> j
      : !alg.slots<64x6xf32, rows(interval 2 x 16), cols([2, 4])>, !alg.slots<64x8xf32, rows(interval 2 x 16), cols(2 x 4)>
  %dx = alg.gather %dxs : !alg.slots<64x6xf32, rows(interval 2 x 16), cols([2, 4])>
  %dw = alg.gather %dws : !alg.slots<6x8xf32, rows([2, 4]), cols(2 x 4)>
  return %dx, %dw : tensor<64x6xf32>, tensor<6x8xf32>
}

// CHECK-LABEL: func.func @plain_slots
func.func @plain_slots(%x: tensor<?x512xf32>, %w: tensor<4x128x256xf32>) -> tensor<?x1024xf32> {
  // CHECK: alg.slots %{{.*}} plain(4) : tensor<?x512xf32>
  %xs = alg.slots %x plain(4) : tensor<?x512xf32>
  // CHECK: alg.slots %{{.*}} plain(4) : tensor<4x128x256xf32>
  %ws = alg.slots %w plain(4) : tensor<4x128x256xf32>
  %ys = alg.contract %xs, %ws by #alg.algebra<"M(2)"> -> k
      : !alg.slots<?x512xf32, plain(4)>, !alg.slots<4x128x256xf32, plain(4)>
  %y = alg.gather %ys : !alg.slots<?x1024xf32, plain(4)>
  return %y : tensor<?x1024xf32>
}

// CHECK-LABEL: func.func @explicit_types
func.func @explicit_types(%x: tensor<7x8xf32>, %types: tensor<7xi32>) -> !alg.slots<7x8xf32, rows(explicit 4), cols(4 x 2)> {
  // CHECK: alg.slots %{{.*}} rows(explicit 4, %{{.*}}) cols(4 x 2) : tensor<7x8xf32>
  %xs = alg.slots %x rows(explicit 4, %types) cols(4 x 2) : tensor<7x8xf32>
  return %xs : !alg.slots<7x8xf32, rows(explicit 4), cols(4 x 2)>
}

!hidden = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// CHECK-LABEL: func.func @glue
func.func @glue(%gate: !hidden, %up: !hidden) -> !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)> {
  // CHECK: %[[H:.*]] = alg.map %{{.*}}, %{{.*}} : !activations{{[0-9]*}} {
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK:   %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
  // CHECK:   alg.yield %[[P]] : f32
  %h = alg.map %gate, %up : !hidden {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    alg.yield %p : f32
  }
  // CHECK: alg.regroup %[[H]] : !activations{{[0-9]*}} to !activations
  %r = alg.regroup %h : !hidden to !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>
  return %r : !alg.slots<?x8xf32, rows(cyclic 2), cols(4 x 2)>
}
