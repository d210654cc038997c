// RUN: alg-opt %s --convert-elementwise-to-tile | FileCheck %s

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
!f = !alg.slots<?x8xf32, rows(cyclic 2), cols(2 x 4)>
#q2 = #alg.algebra<"Q(2)">

// Squares are summed as they are computed. p0 is read by nobody.
// CHECK-LABEL: tile.elementwise @squares over [?, 8] (%x: bf16 per <element>)
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %x : bf16 to f32
// CHECK-NEXT:    %[[SQUARE:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : f32
// CHECK-NEXT:    tile.sum %[[SQUARE]] per <row> into f32
func.func private @squares(%x: tensor<?x8xbf16>, %p0: index) -> tensor<?xf32> {
  %xs = alg.slots %x rows(cyclic 2, %p0) cols(2 x 4) : tensor<?x8xbf16>
  %s = alg.map %xs : (!x) -> !f {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    %c = arith.mulf %b, %b : f32
    alg.yield %c : f32
  }
  %y = alg.reduce sum %s over columns : !f -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Operands of each kind, a constant one among them, and a number from outside.
// CHECK-LABEL: tile.elementwise @scale over [?, 8] (%x: bf16 per <element>, %x2: bf16 per <column>, %x3: f32 per <row>, %x4: f32 per <call>, %x5: f32 per <call>)
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:     arith.mulf %x3, %x4
// CHECK-DAG:     arith.mulf %{{.*}}, %[[TWO]]
// CHECK-DAG:     arith.mulf %{{.*}}, %x5
// CHECK:         tile.put %{{.*}} : bf16
func.func private @scale(%x: tensor<?x8xbf16>, %w: tensor<8xbf16>, %r: tensor<?xf32>, %n: tensor<f32>,
                         %scalar: f32) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %two = arith.constant dense<2.0> : tensor<f32>
  %ys = alg.map %xs columns %w rows %r numbers %n, %two : (!x, tensor<8xbf16>, tensor<?xf32>, tensor<f32>, tensor<f32>) -> !x {
  ^bb0(%a: bf16, %b: bf16, %c: f32, %d: f32, %e: f32):
    %aw = arith.extf %a : bf16 to f32
    %bw = arith.extf %b : bf16 to f32
    %0 = arith.mulf %c, %d : f32
    %1 = arith.mulf %aw, %bw : f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.mulf %2, %e : f32
    %4 = arith.mulf %3, %scalar : f32
    %5 = arith.truncf %4 : f32 to bf16
    alg.yield %5 : bf16
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xbf16>
}

// CHECK-LABEL: tile.elementwise @largest over [?, 8] (%x: bf16 per <element>)
// CHECK:         %[[WIDE:.*]] = arith.extf %x
// CHECK:         tile.maximum %[[WIDE]] per <column> into bf16
func.func private @largest(%x: tensor<?x8xbf16>) -> tensor<8xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %y = alg.reduce maximum %xs over rows : !x -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// CHECK-LABEL: tile.elementwise @statistics over [?] (%x: f32 per <element>, %x2: f32 per <element>)
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %x, %x2 : f32
// CHECK-NEXT:    tile.put %[[SUM]] : f32
func.func private @statistics(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %a, %b : tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: tile.elementwise @numbers over [] (%x: f32 per <call>)
func.func private @numbers(%a: tensor<f32>) -> tensor<f32> {
  %y = arith.negf %a : tensor<f32>
  return %y : tensor<f32>
}

// The weights of the slot lift are three-dimensional.
// CHECK-LABEL: tile.elementwise @weights over [2, 3, 4] (%x: f32 per <element>, %x2: f32 per <element>)
func.func private @weights(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %as = alg.slots %a plain(2) : tensor<2x3x4xf32>
  %bs = alg.slots %b plain(2) : tensor<2x3x4xf32>
  %ys = alg.map %as, %bs : !alg.slots<2x3x4xf32, plain(2)> {
  ^bb0(%c: f32, %d: f32):
    %e = arith.addf %c, %d : f32
    alg.yield %e : f32
  }
  %y = alg.gather %ys : !alg.slots<2x3x4xf32, plain(2)>
  return %y : tensor<2x3x4xf32>
}

// Products and programs stay.
// CHECK-LABEL: func.func private @product
func.func private @product(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<?x8xbf16> {
  %xs = alg.slots %x rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %ws = alg.slots %w rows(2 x 4) cols(2 x 4) : tensor<8x8xbf16>
  %ys = alg.contract %xs, %ws by #q2 -> k : !x, !alg.slots<8x8xbf16, rows(2 x 4), cols(2 x 4)>
  %y = alg.gather %ys : !x
  return %y : tensor<?x8xbf16>
}
// CHECK-LABEL: func.func @program
func.func @program(%x: tensor<?x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<?x8xbf16> {
  %y = call @product(%x, %w) : (tensor<?x8xbf16>, tensor<8x8xbf16>) -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
