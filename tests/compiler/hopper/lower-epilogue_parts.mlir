// Tiles that blocks divide are stored by parts, others whole: through the same maps, whose boxes are those of a part,
// each from a slot of its own.
// RUN: alg-opt %s -sm-lower-epilogue -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 128>,
                       row_types = <cyclic 4>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 64, stages = 4, split_k = 2, longest_first = 1>

// CHECK-LABEL: sm.kernel @parts
// CHECK-SAME: %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
sm.kernel @parts(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 128 x 64 x bf16, row_dimension 2, swizzle 128>,
                 %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[WHOLE:.*]] = sm.allocate : <1 x 64 x 128 x bf16, swizzle 128>
  // CHECK-DAG: %[[PART:.*]] = sm.allocate : <1 x 64 x 64 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    scf.for %tile = %c0 to %rows step %c1 {
      %sum = sm.zero : <64 x 128>
      %is_long = arith.cmpi slt, %tile, %offset : index
      scf.if %is_long {
        %half = sm.reduce_scatter %sum : <64 x 128> to <64 x 64>
        // Both wait for whatever has been stored before.
        // CHECK: sm.store_wait 0
        // CHECK: sm.write %{{.*}} to %[[PART]]
        // CHECK: sm.store %[[PART]][%{{.*}}] to %y
        sm.store_sums %half to %y[%c1] [%c0, %c0, %c0, %tile] : <64 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
      } else {
        // CHECK: } else {
        // CHECK: sm.store_wait 0
        // CHECK: sm.write %{{.*}} to %[[WHOLE]]
        // CHECK: sm.store %[[WHOLE]][%{{.*}}] to %y[%c1] [{{.*}}] : <1 x 64 x 128 x bf16, swizzle 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
        sm.store_sums %sum to %y[%c1] [%c0, %c0, %c0, %tile] : <64 x 128> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
      }
    }
    // Once behind the last tile.
    // CHECK: sm.elect {
    // CHECK-NEXT: sm.store_wait 0
    // CHECK-NOT: sm.store_wait
  }
}
