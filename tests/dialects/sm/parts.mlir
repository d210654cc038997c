// Rows of several types, one below the other.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: sm.kernel @types
sm.kernel @types(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: sm.fetch_parts %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c0, %c1, %offset] part %rows : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
  %a = sm.fetch_parts %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c0, %c1, %offset] part %rows : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
  %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %zero = sm.zero : <128 x 64>
  // CHECK: sm.multiply %{{.*}}, %{{.*}}, %{{.*}} part %rows of 2 : <128 x 64 x bf16, swizzle 128>
  %sum = sm.multiply %a, %b, %zero part %rows of 2 : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  // CHECK: sm.store_sums_in_parts %{{.*}} to %y[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c0, %c1, %offset] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
  sm.store_sums_in_parts %sum to %y[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c0, %c1, %offset] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
}

// CHECK-LABEL: sm.kernel @loads
sm.kernel @loads(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <4>
  %wanted = arith.cmpi slt, %rows, %offset : index
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: sm.expect %{{.*}}[%c0] bytes 8192 plus %rows : <4>
      sm.expect %full[%c0] bytes 8192 plus %rows : <4>
      // CHECK: sm.load %x[%c1] [%c0, %c0, %c0, %c0] to %{{.*}}[%c0] row 64 where %{{.*}} signal %{{.*}}[%c0] :
      sm.load %x[%c1] [%c0, %c0, %c0, %c0] to %a[%c0] row 64 where %wanted signal %full[%c0]
          : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>, !sm.barriers<4>
    }
  }
}

// CHECK-LABEL: sm.kernel @held
sm.kernel @held(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[HELD:.*]] = sm.hold %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c1, %offset] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 192 x bf16, swizzle 128>
  %held = sm.hold %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c1, %offset] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 192 x bf16, swizzle 128>
  %a = sm.fetch_parts %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c0, %c1, %offset] part %rows : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <128 x 64 x bf16, swizzle 128>
  %b = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
  %zero = sm.zero : <128 x 64>
  // CHECK: sm.multiply %{{.*}}, %{{.*}}, %{{.*}} part %rows of 2 held %[[HELD]][%offset] : !sm.block<128 x 192 x bf16, swizzle 128> : <128 x 64 x bf16, swizzle 128>
  %sum = sm.multiply %a, %b, %zero part %rows of 2 held %held[%offset] : !sm.block<128 x 192 x bf16, swizzle 128> : <128 x 64 x bf16, swizzle 128>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
}
