// The final form of a kernel: partitions, buffers with barriers, asynchronous copies and products.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 256>, weights = #alg.groups<4 x 256>,
                       out = #alg.groups<4 x 512>, row_types = #alg.row_types<cyclic 4>>
#schedule = #tile.schedule<types = 1, rows = 128, register_rows = 8, register_columns = 64, lanes = 16, weights = direct>

// CHECK: sm.kernel @forward(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>, %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index, %terms: !sm.terms_table)
sm.kernel @forward(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                   %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                   %y: !sm.maps<2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %zero = arith.constant 0 : index
  %odd = arith.constant 1 : i32
  // CHECK: sm.allocate : <3 x 128 x 64 x bf16, swizzle 128>
  %a = sm.allocate : !sm.buffer<3 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<3 x 64 x 96 x bf16, swizzle 64>
  %c = sm.allocate : !sm.buffer<2 x 64 x 96 x bf16, swizzle 64>
  // CHECK: sm.barriers arrivals 1 : <3>
  %full = sm.barriers arrivals 1 : <3>
  %empty = sm.barriers arrivals 8 : <3>
  // CHECK: sm.initialize %{{.*}}, %{{.*}} : !sm.barriers<3>, !sm.barriers<3>
  sm.initialize %full, %empty : !sm.barriers<3>, !sm.barriers<3>
  // CHECK: sm.partition @multiply warpgroups 2 registers 232
  sm.partition @multiply warpgroups 2 registers 232 {
    sm.wait_for_predecessor
    %sum = sm.zero : !sm.accumulator<128 x 96>
    // CHECK: sm.wait %{{.*}}[%{{.*}}] parity %{{.*}} : <3>
    sm.wait %full[%zero] parity %odd : <3>
    sm.mma_fence
    // CHECK: sm.mma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} negate depth 32 : <3 x 128 x 64 x bf16, swizzle 128>, <3 x 64 x 96 x bf16, swizzle 64>, <128 x 96>
    %next = sm.mma %a[%zero], %b[%zero], %sum negate depth 32
        : <3 x 128 x 64 x bf16, swizzle 128>, <3 x 64 x 96 x bf16, swizzle 64>, <128 x 96>
    sm.mma_commit
    sm.mma_wait 0
    sm.arrive %empty[%zero] : <3>
    // CHECK: sm.settle %{{.*}} : !sm.accumulator<128 x 96>
    %done = sm.settle %next : !sm.accumulator<128 x 96>
    sm.elect {
      sm.store_wait 0
    }
    sm.sync
    %group = sm.warpgroup
    // CHECK: sm.write %{{.*}} to %{{.*}}[%{{.*}}] : <128 x 96> to <2 x 64 x 96 x bf16, swizzle 64>
    sm.write %done to %c[%group] : <128 x 96> to <2 x 64 x 96 x bf16, swizzle 64>
    sm.fence
    sm.sync
    sm.elect {
      // CHECK: sm.store %{{.*}}[%{{.*}}] to %y[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
      sm.store %c[%group] to %y[%zero] [%zero, %zero, %zero, %zero]
          : <2 x 64 x 96 x bf16, swizzle 64> to <2 x 64 x 96 x bf16, row_dimension 3, swizzle 64>
      sm.store_commit
      // CHECK: sm.store_wait 0 written
      sm.store_wait 0 written
    }
  }
  // CHECK: sm.partition @load warpgroups 1 registers 40
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.wait_for_predecessor
      // CHECK: sm.read_terms %terms[%{{.*}}]
      %word = sm.read_terms %terms[%zero]
      %first = sm.block_index
      %count = sm.block_count
      sm.wait %empty[%zero] parity %odd : <3>
      // CHECK: sm.expect %{{.*}}[%{{.*}}] bytes 28672 : <3>
      sm.expect %full[%zero] bytes 28672 : <3>
      // CHECK: sm.load %x[%{{.*}}] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] signal %{{.*}}[%{{.*}}]
      sm.load %x[%zero] [%first, %count, %zero, %zero] to %a[%zero] signal %full[%zero]
          : <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128> to <3 x 128 x 64 x bf16, swizzle 128>, !sm.barriers<3>
      sm.load %w[%zero] [%zero, %zero, %zero, %zero] to %b[%zero] signal %full[%zero]
          : <1 x 64 x 96 x bf16, row_dimension 2, swizzle 64> to <3 x 64 x 96 x bf16, swizzle 64>, !sm.barriers<3>
      sm.release_successor
    }
  }
}

// A struct of registers settles as well: what the sums become further down.
// CHECK-LABEL: func.func @settle_registers
func.func @settle_registers(%sums: !llvm.struct<(f32, f32)>) -> !llvm.struct<(f32, f32)> {
  // CHECK: sm.settle %{{.*}} : !llvm.struct<(f32, f32)>
  %settled = sm.settle %sums : !llvm.struct<(f32, f32)>
  return %settled : !llvm.struct<(f32, f32)>
}
