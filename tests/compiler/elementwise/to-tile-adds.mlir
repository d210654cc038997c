// RUN: alg-opt %s --convert-elementwise-to-tile=adds --split-input-file --verify-diagnostics | FileCheck %s

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>

// CHECK-LABEL: tile.elementwise @f over [?, 8] (%x: bf16 per <element>, %x2: f32 per <call>)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %x : bf16 to f32
// CHECK-NEXT: tile.sum %[[WIDE]] per <column> into bf16 held by %x2
func.func private @f(%a: tensor<?x8xbf16>) -> tensor<8xbf16> {
  %v = alg.slots %a rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %y = alg.reduce sum %v over rows : !x -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}

// -----

!x = !alg.slots<?x8xbf16, rows(cyclic 2), cols(2 x 4)>
func.func private @f(%a: tensor<?x8xbf16>) -> tensor<8xbf16> {
  %v = alg.slots %a rows(cyclic 2) cols(2 x 4) : tensor<?x8xbf16>
  %y = alg.reduce maximum %v over rows : !x -> tensor<8xbf16>
  // expected-error@+1 {{returns something else than sums over rows, which alone are added to what results held}}
  return %y : tensor<8xbf16>
}
