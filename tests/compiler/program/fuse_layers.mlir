// With layers, products join the kernel that makes their rows: an output slot of the second layer needs the hidden groups of its own
// row alone, and whoever owns the row makes them.
// RUN: alg-opt %s --alg-fuse="layers=true" -split-input-file -verify-diagnostics | FileCheck %s --implicit-check-not="func.func private"

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x6xbf16, rows(2 x 4), cols(2 x 3)>
!d = !alg.slots<6x8xbf16, rows(2 x 3), cols(2 x 4)>
!h = !alg.slots<?x6xbf16, rows(cyclic 2), cols(2 x 3)>
!s = !alg.slots<?x6xf32, rows(cyclic 2), cols(2 x 3)>
!t = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>

// Gate, up, their map with a bias, down, and a map of its sums with a bias and the residual: no hidden tensor is left between calls.
// CHECK-LABEL: func.func private @network_0
// CHECK-SAME:  (%{{.*}}: tensor<?x8xbf16>, %{{.*}}: tensor<8x6xbf16>, %{{.*}}: tensor<8x6xbf16>, %{{.*}}: tensor<6x8xbf16>, %{{.*}}: index, %{{.*}}: tensor<6xf32>, %{{.*}}: tensor<8xf32>) -> tensor<?x8xbf16>
// CHECK:       %[[X:.*]] = alg.slots
// CHECK:       %[[G:.*]] = alg.contract %[[X]]
// CHECK:       %[[U:.*]] = alg.contract %[[X]]
// CHECK:       %[[H:.*]] = alg.map %[[G]], %[[U]] columns %{{.*}}
// CHECK:       %[[S:.*]] = alg.contract %[[H]]
// CHECK:       %[[Y:.*]] = alg.map %[[S]], %[[X]] columns %{{.*}}
// CHECK:       %[[T:.*]] = alg.gather %[[Y]]
// CHECK-NEXT:  return %[[T]]
// CHECK-LABEL: func.func @network(
// CHECK-SAME:  %[[ROWS:[a-z0-9_]+]]: tensor<?x8xbf16>, %[[GATE:[a-z0-9_]+]]: tensor<8x6xbf16>, %[[UP:[a-z0-9_]+]]: tensor<8x6xbf16>, %[[DOWN:[a-z0-9_]+]]: tensor<6x8xbf16>, %[[B:[a-z0-9_]+]]: tensor<6xf32>, %[[B2:[a-z0-9_]+]]: tensor<8xf32>, %[[P:[a-z0-9_]+]]: index)
// CHECK-NEXT:  %[[R:.*]] = call @network_0(%[[ROWS]], %[[GATE]], %[[UP]], %[[DOWN]], %[[P]], %[[B]], %[[B2]])
// CHECK-NEXT:  return %[[R]]
func.func @network(%x: tensor<?x8xbf16>, %gate: tensor<8x6xbf16>, %up: tensor<8x6xbf16>, %down: tensor<6x8xbf16>, %b: tensor<6xf32>, %b2: tensor<8xf32>, %p0: index) -> tensor<?x8xbf16> {
  %one = arith.constant 1.0 : f32
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xbf16>
  %gs = alg.slots %gate rows(2 x 4) cols(2 x 3) : tensor<8x6xbf16>
  %us = alg.slots %up rows(2 x 4) cols(2 x 3) : tensor<8x6xbf16>
  %ds = alg.slots %down rows(2 x 3) cols(2 x 4) : tensor<6x8xbf16>
  %g = alg.contract %xs, %gs by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %u = alg.contract %xs, %us by #alg.algebra<"Q(2)"> -> k : !x, !w into f32
  %hs = alg.map %g, %u columns %b : (!s, !s, tensor<6xf32>) -> !h {
  ^bb0(%a: f32, %c: f32, %bias: f32):
    %biased = arith.addf %a, %bias : f32
    %n = arith.negf %biased : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %r = arith.divf %biased, %q : f32
    %m = arith.mulf %r, %c : f32
    %e = arith.truncf %m : f32 to bf16
    alg.yield %e : bf16
  }
  %sums = alg.contract %hs, %ds by #alg.algebra<"Q(2)"> -> k : !h, !d into f32
  %ys = alg.map %sums, %xs columns %b2 : (!t, !x, tensor<8xf32>) -> !x {
  ^bb0(%a: f32, %c: bf16, %bias: f32):
    %biased = arith.addf %a, %bias : f32
    %r = arith.extf %c : bf16 to f32
    %m = arith.addf %biased, %r : f32
    %e = arith.truncf %m : f32 to bf16
    alg.yield %e : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xbf16>
}

// -----

!x = !alg.slots<?x9xf32, rows(cyclic 3), cols(3 x 3)>
!w = !alg.slots<9x12xf32, rows(3 x 3), cols(3 x 4)>
!d = !alg.slots<12x9xf32, rows(3 x 4), cols(3 x 3)>
!h = !alg.slots<?x12xf32, rows(cyclic 3), cols(3 x 4)>

// A network without a gate, by triangular matrices.
// CHECK-LABEL: func.func private @gateless_0
// CHECK-SAME:  (%{{.*}}: tensor<?x9xf32>, %{{.*}}: tensor<9x12xf32>, %{{.*}}: tensor<12x9xf32>) -> tensor<?x9xf32>
// CHECK:       %[[U:.*]] = alg.contract
// CHECK:       %[[H:.*]] = alg.map %[[U]]
// CHECK:       %[[S:.*]] = alg.contract %[[H]]
// CHECK:       %[[T:.*]] = alg.gather %[[S]]
// CHECK-NEXT:  return %[[T]]
// CHECK-LABEL: func.func @gateless(
// CHECK-NEXT:  call @gateless_0
// CHECK-NEXT:  return
func.func @gateless(%x: tensor<?x9xf32>, %up: tensor<9x12xf32>, %down: tensor<12x9xf32>) -> tensor<?x9xf32> {
  %xs = alg.slots %x rows(cyclic 3) cols(3 x 3) : tensor<?x9xf32>
  %us = alg.slots %up rows(3 x 3) cols(3 x 4) : tensor<9x12xf32>
  %ds = alg.slots %down rows(3 x 4) cols(3 x 3) : tensor<12x9xf32>
  %u = alg.contract %xs, %us by #alg.algebra<"T(3)"> -> k : !x, !w
  %hs = alg.map %u : !h {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  %ys = alg.contract %hs, %ds by #alg.algebra<"T(3)"> -> k : !h, !d
  %y = alg.gather %ys : !x
  return %y : tensor<?x9xf32>
}

// -----

!x = !alg.slots<?x16xf32, rows(interval 4 x 2), cols(4 x 4)>
!w = !alg.slots<16x16xf32, rows(4 x 4), cols(4 x 4)>

// Two products without a map between them, by a tensor product of algebras. They are not composed here: nobody asked for that.
// CHECK-LABEL: func.func private @sequence_0
// CHECK:       %[[H:.*]] = alg.contract
// CHECK-NEXT:  %{{.*}} = alg.slots
// CHECK-NEXT:  %[[S:.*]] = alg.contract %[[H]]
// CHECK-NEXT:  alg.gather %[[S]]
// CHECK-LABEL: func.func @sequence(
// CHECK-NEXT:  call @sequence_0
// CHECK-NEXT:  return
func.func @sequence(%x: tensor<?x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>, %p0: index) -> tensor<?x16xf32> {
  %xs = alg.slots %x rows(interval 4 x 2, %p0) cols(4 x 4) : tensor<?x16xf32>
  %ws = alg.slots %w rows(4 x 4) cols(4 x 4) : tensor<16x16xf32>
  %vs = alg.slots %v rows(4 x 4) cols(4 x 4) : tensor<16x16xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)*Q(2)"> -> k : !x, !w
  %ys = alg.contract %hs, %vs by #alg.algebra<"Q(2)*Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !x
  return %y : tensor<?x16xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(explicit 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// A map of a map between the products, and one of the second layer's results with something that is computed beside it. Types of the
// rows come as a vector.
// CHECK-LABEL: func.func private @maps_0
// CHECK-SAME:  (%{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<8x8xf32>, %{{.*}}: tensor<8x8xf32>, %{{.*}}: tensor<?xi32>) -> tensor<?x8xf32>
// CHECK:       %[[X:.*]] = alg.slots
// CHECK:       %[[U:.*]] = alg.contract %[[X]]
// CHECK:       %[[M:.*]] = alg.map %[[U]]
// CHECK:       %[[H:.*]] = alg.map %[[M]]
// CHECK:       %[[S:.*]] = alg.contract %[[H]]
// CHECK:       %[[N:.*]] = alg.map %[[X]]
// CHECK:       alg.map %[[S]], %[[N]]
// CHECK-LABEL: func.func @maps(
// CHECK-NEXT:  call @maps_0
// CHECK-NEXT:  return
func.func @maps(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %types: tensor<?xi32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %sums = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ms = alg.map %sums : !x {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    alg.yield %b : f32
  }
  %hs = alg.map %ms : !x {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    alg.yield %b : f32
  }
  %zs = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ns = alg.map %xs : !x {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    alg.yield %b : f32
  }
  %ys = alg.map %zs, %ns : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}

// -----

!x = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
!w = !alg.slots<8x8xf32, rows(2 x 4), cols(2 x 4)>

// Two products of what the first layer leaves, which neither of them could join alone: their map brings all of them together.
// CHECK-LABEL: func.func private @two_of_hidden_0(
// CHECK-COUNT-3: alg.contract
// CHECK:       alg.map
// CHECK-LABEL: func.func @two_of_hidden(
// CHECK-NEXT:  call @two_of_hidden_0
// CHECK-NEXT:  return
func.func @two_of_hidden(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xf32>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %vs = alg.slots %v rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %us = alg.slots %u rows(2 x 4) cols(2 x 4) : tensor<8x8xf32>
  %hs = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %as = alg.contract %hs, %vs by #alg.algebra<"Q(2)"> -> k : !x, !w
  %bs = alg.contract %hs, %us by #alg.algebra<"Q(2)"> -> k : !x, !w
  %ys = alg.map %as, %bs : !x {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    alg.yield %c : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xf32>
}
