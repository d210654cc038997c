// RUN: alg-opt %s | FileCheck %s

!fine = !alg.slots<?x8xf32, rows(cyclic 2), cols([1, 2, 2, 3])>
!coarse = !alg.slots<?x8xf32, rows(cyclic 2), cols([3, 5])>
!fine_bank = !alg.slots<8x4xf32, rows([1, 2, 2, 3]), cols(4 x 1)>
!coarse_bank = !alg.slots<8x4xf32, rows([3, 5]), cols(2 x 2)>

// CHECK-LABEL: @both_ways
func.func @both_ways(%x: !fine, %w: !coarse_bank) -> (!coarse, !fine_bank) {
  // CHECK: alg.regroup %{{.*}} : !activations{{[0-9]*}} to !activations
  %a = alg.regroup %x : !fine to !coarse
  // CHECK: alg.regroup %{{.*}} : !weights{{[0-9]*}} to !weights
  %b = alg.regroup %w : !coarse_bank to !fine_bank
  return %a, %b : !coarse, !fine_bank
}
