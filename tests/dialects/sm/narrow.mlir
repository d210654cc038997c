// The last columns of a group: blocks of which less is fetched, sums of which fewer are needed.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 200>, row_types = #alg.row_types<cyclic 2>>

// CHECK-LABEL: sm.kernel @narrow
sm.kernel @narrow(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 256 x bf16, row_dimension 2, swizzle 128>,
                %y: !sm.maps<2 x 64 x 256 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  %i = arith.constant 0 : index
  %last = arith.cmpi eq, %rows, %offset : index
  %a = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 256 x bf16, swizzle 128>
  %c = sm.allocate : <1 x 64 x 256 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <4>
  // CHECK: sm.fetch %{{.*}}[%{{.*}}] [%{{.*}}] narrow %[[LAST:.*]] to 32 : <1 x 64 x 256 x bf16, row_dimension 2, swizzle 128> -> <64 x 256 x bf16, swizzle 128>
  %block = sm.fetch %w[%i] [%i, %i, %i, %i] narrow %last to 32 : <1 x 64 x 256 x bf16, row_dimension 2, swizzle 128> -> <64 x 256 x bf16, swizzle 128>
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: sm.zero narrow %[[LAST]] to 200 : <64 x 256>
    %sums = sm.zero narrow %last to 200 : <64 x 256>
    %few = sm.zero : <64 x 200>
    // An instruction that reads the first columns of its stage.
    // CHECK: sm.mma %{{.*}} : <4 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 256 x bf16, swizzle 128>, <64 x 200>
    %next = sm.mma %a[%i], %b[%i], %few : <4 x 64 x 64 x bf16, swizzle 128>, <4 x 64 x 256 x bf16, swizzle 128>, <64 x 200>
    // CHECK: sm.write %{{.*}} : <64 x 200> to <1 x 64 x 256 x bf16, swizzle 128>
    sm.write %next to %c[%i] : <64 x 200> to <1 x 64 x 256 x bf16, swizzle 128>
    sm.elect {
      // CHECK: sm.store %{{.*}}[%{{.*}}] columns 200 to
      sm.store %c[%i] columns 200 to %y[%i] [%i, %i, %i, %i] : <1 x 64 x 256 x bf16, swizzle 128> to <2 x 64 x 256 x bf16, row_dimension 3, swizzle 128>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: sm.load %{{.*}} to %{{.*}}[%{{.*}}] narrow %[[LAST]] to 32 signal %{{.*}}[%{{.*}}]
      sm.load %w[%i] [%i, %i, %i, %i] to %b[%i] narrow %last to 32 signal %full[%i] : <1 x 64 x 256 x bf16, row_dimension 2, swizzle 128> to <4 x 64 x 256 x bf16, swizzle 128>, !sm.barriers<4>
    }
  }
}
