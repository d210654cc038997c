// Rows of experts whose types are given are found by a list: threads copy them, on every target.
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_90a rows=4096 experts=5' | FileCheck %s
// RUN: alg-opt %s '-convert-alg-to-tile=target=sm_80 rows=4096 experts=5' | FileCheck %s

!x = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!y = !alg.slots<?x32xbf16, rows(explicit 2), cols(2 x 16)>
!w = !alg.slots<32x32xbf16, rows(2 x 16), cols(2 x 16)>

// CHECK-LABEL: tile.kernel @explicit_bf16(
// CHECK-SAME:    attributes {experts, layout = #{{.*}}, schedule = #tile.staged<{{.*}}warps = {{.*}}vector = 8>}
func.func @explicit(%x: tensor<?x32xbf16>, %w: tensor<32x32xbf16>, %types: tensor<?xi32>) -> tensor<?x32xbf16> {
  %xs = alg.slots %x rows(explicit 2, %types) cols(2 x 16) : tensor<?x32xbf16>
  %ws = alg.slots %w rows(2 x 16) cols(2 x 16) : tensor<32x32xbf16>
  %ys = alg.contract %xs, %ws by #alg.algebra<"Q(2)"> -> k : !x, !w
  %y = alg.gather %ys : !y
  return %y : tensor<?x32xbf16>
}
