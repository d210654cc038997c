// A B that has its columns as rows keeps saying so in its stage, whatever depth and sign are multiplied.
// RUN: alg-opt %s -sm-multi-buffer -canonicalize | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 96>, weights = <2 x 96>, out = <2 x 32>,
                       row_types = <cyclic 2>, mode = i>
#schedule = #tile.staged<types = 1, rows = 64, columns = 32, depth = 64, stages = 2>

// CHECK-LABEL: sm.kernel @transposed
sm.kernel @transposed(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                      %w: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>,
                      %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                      %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  // CHECK-DAG: %[[B:.*]] = sm.allocate : <2 x 32 x 64 x bf16, swizzle 128>
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<32 x 64 x bf16, swizzle 128>>
  sm.partition @multiply warpgroups 1 registers 240 {
    %zero = sm.zero : <64 x 32>
    %total = scf.for %step = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 32>) {
      %minus = arith.cmpi slt, %step, %offset : index
      %last = arith.cmpi eq, %step, %offset : index
      // CHECK: sm.mma %{{.*}}, %[[B]][%{{.*}}] transposed, %{{.*}} negate depth 32 :
      // CHECK: sm.mma %{{.*}}, %[[B]][%{{.*}}] transposed, %{{.*}} depth 32 :
      // CHECK: sm.mma %{{.*}}, %[[B]][%{{.*}}] transposed, %{{.*}} negate :
      // CHECK: sm.mma %{{.*}}, %[[B]][%{{.*}}] transposed, %{{.*}} :
      %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<32 x 64 x bf16, swizzle 128>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<32 x 64 x bf16, swizzle 128>
      %next = sm.multiply %a, %b transposed, %sum negate %minus shallow %last to 32 : <64 x 64 x bf16, swizzle 128>, <32 x 64 x bf16, swizzle 128>, <64 x 32>
      scf.yield %next : !sm.accumulator<64 x 32>
    }
    sm.store_sums %total to %y[%c0] [%c0, %c0, %c0, %c0] : <64 x 32> to <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      scf.for %step = %c0 to %rows step %c1 {
        %a = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
        // CHECK: sm.load %w[%c0] [%{{.*}}] to %[[B]][%{{.*}}] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> to <2 x 32 x 64 x bf16, swizzle 128>
        %b = sm.fetch %w[%c0] [%step, %c0, %c0, %c0] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> -> <32 x 64 x bf16, swizzle 128>
        sm.produce %pipe, %a, %b : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<32 x 64 x bf16, swizzle 128>>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<32 x 64 x bf16, swizzle 128>
      }
    }
  }
}
