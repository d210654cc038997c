// Of panels that are not loaded no bytes are awaited.
// RUN: alg-opt %s -sm-insert-barriers -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 160>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 128, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @narrow
sm.kernel @narrow(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 128 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 128 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %even = arith.constant 0 : i32
  %a = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 128 x bf16, swizzle 128>
  %staged = sm.staged_pipe : <4>
  sm.partition @multiply warpgroups 1 registers 240 {
    sm.consumer_wait %staged[%c0] parity %even : <4>
    sm.consumer_release %staged[%c0] : <4>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %last = arith.cmpi eq, %rows, %offset : index
      // 64 x 64 of X and the first panel of W, and elsewhere the second: 8192 bytes each.
      // CHECK: %[[MORE:.*]] = arith.select %{{.*}}, %c0, %c8192
      // CHECK: sm.expect %[[FULL:.*]][%c0] bytes 16384 plus %[[MORE]] : <4>
      // CHECK: sm.load %w{{.*}} narrow %{{.*}} to 32 signal %[[FULL]][%c0]
      sm.producer_acquire %staged[%c0] parity %even : <4>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c0] narrow %last to 32 : <1 x 64 x 128 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 128 x bf16, swizzle 128>
      sm.producer_commit %staged[%c0] : <4>
      // All panels have some of 72 columns.
      // CHECK: sm.expect %[[FULL]][%c1] bytes 24576 : <4>
      sm.producer_acquire %staged[%c1] parity %even : <4>
      sm.load %x[%c0] [%c0, %c0, %c0, %c0] to %a[%c1] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 64 x 64 x bf16, swizzle 128>
      sm.load %w[%c0] [%c0, %c0, %c0, %c0] to %b[%c1] narrow %last to 72 : <1 x 64 x 128 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 128 x bf16, swizzle 128>
      sm.producer_commit %staged[%c1] : <4>
    }
  }
}
