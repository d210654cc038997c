// The last columns of a group: a tile of their width beside the others, with sums of its own.
// RUN: alg-opt %s -sm-narrow-columns | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @some_are
sm.kernel @some_are(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                    %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                    %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                    %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %staging = sm.allocate : <1 x 64 x 128 x bf16, swizzle 128>
  %a = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 128 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: scf.for %[[TILE:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[STAGE:.*]] = %c0) -> (index)
    %end = scf.for %tile = %c0 to %rows step %c1 iter_args(%stage = %c0) -> (index) {
      // CHECK-NEXT: %[[LAST:.*]] = arith.cmpi eq, %[[TILE]], %{{.*}}
      %last = arith.cmpi eq, %tile, %offset : index
      // CHECK-NEXT: %[[BEHIND:.*]] = scf.if %[[LAST]] -> (index) {
      // CHECK-NEXT:   %[[FEW:.*]] = sm.zero : <64 x 32>
      // CHECK-NEXT:   %[[FOR:.*]]:2 = scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[FEW_SO_FAR:.*]] = %[[FEW]], %[[AT:.*]] = %[[STAGE]]) -> (!sm.accumulator<64 x 32>, index)
      // CHECK-NEXT:     %[[PRODUCT:.*]] = sm.mma %{{.*}}[%[[AT]]], %{{.*}}[%[[AT]]], %[[FEW_SO_FAR]] : <4 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 32>
      // CHECK:        %[[SETTLED:.*]] = sm.settle %[[FOR]]#0 : !sm.accumulator<64 x 32>
      // CHECK-NEXT:   %[[SCALED:.*]] = sm.map (%{{.*}} = %[[SETTLED]] : !sm.accumulator<64 x 32>) at [%c0, %c0] -> !sm.accumulator<64 x 32>
      // CHECK:        sm.write %[[SCALED]] to %[[STAGING:.*]][%c0] : <64 x 32> to <1 x 64 x 128 x bf16, swizzle 128>
      // CHECK:        sm.store %[[STAGING]][%c0] columns 32 to
      // CHECK:        scf.yield %[[FOR]]#1 : index
      // CHECK-NEXT: } else {
      // CHECK-NEXT:   sm.zero : <64 x 128>
      // CHECK:        sm.write %{{.*}} to %[[STAGING]][%c0] : <64 x 128> to
      // CHECK:        sm.store %[[STAGING]][%c0] to
      // CHECK:        scf.yield
      // CHECK-NEXT: }
      // CHECK-NEXT: scf.yield %[[BEHIND]] : index
      %zero = sm.zero narrow %last to 32 : <64 x 128>
      %sum:2 = scf.for %step = %c0 to %rows step %c1 iter_args(%so_far = %zero, %at = %stage) -> (!sm.accumulator<64 x 128>, index) {
        %product = sm.mma %a[%at], %b[%at], %so_far : <4 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 128 x bf16, swizzle 128>, <64 x 128>
        %next = arith.addi %at, %c1 : index
        scf.yield %product, %next : !sm.accumulator<64 x 128>, index
      }
      %settled = sm.settle %sum#0 : !sm.accumulator<64 x 128>
      %scaled = sm.map (%value = %settled : !sm.accumulator<64 x 128>) at [%c0, %c0] -> !sm.accumulator<64 x 128> {
        %twice = arith.addf %value, %value : f32
        sm.yield %twice : f32
      }
      sm.write %scaled to %staging[%c0] : <64 x 128> to <1 x 64 x 128 x bf16, swizzle 128>
      sm.elect {
        sm.store %staging[%c0] to %y[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 128 x bf16, swizzle 128> to <2 x 64 x 128 x bf16, row_dimension 3, swizzle 128>
      }
      scf.yield %sum#1 : index
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}

// Where all tiles are, nothing is written twice.
// CHECK-LABEL: sm.kernel @all_are
// CHECK-NOT: scf.if
// CHECK: sm.zero : <64 x 104>
// CHECK: sm.write %{{.*}} to %{{.*}} : <64 x 104> to <1 x 64 x 128 x bf16, swizzle 128>
// CHECK-NOT: scf.if
sm.kernel @all_are(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                   %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                   %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %staging = sm.allocate : <1 x 64 x 128 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    scf.for %tile = %c0 to %rows step %c1 {
      %always = arith.constant true
      %zero = sm.zero narrow %always to 104 : <64 x 128>
      sm.write %zero to %staging[%c0] : <64 x 128> to <1 x 64 x 128 x bf16, swizzle 128>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
  }
}
