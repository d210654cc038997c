// Several products of the same rows: their blocks pass through the pipe together, and their instructions are one group.
// RUN: alg-opt %s -sm-partition -canonicalize | FileCheck %s --check-prefix=PARTITIONS
// RUN: alg-opt %s -sm-partition -canonicalize -sm-multi-buffer -sm-insert-barriers -canonicalize | FileCheck %s --check-prefix=STAGES

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 96>, weights = #alg.groups<2 x 96>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 4>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
!block = !sm.block<64 x 64 x bf16, swizzle 128>
!sums = !sm.accumulator<64 x 64>

// PARTITIONS:       sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 64 x bf16, swizzle 128>>
// PARTITIONS:       sm.partition @multiply
// PARTITIONS:         %[[BLOCKS:.*]]:3 = sm.consume
// PARTITIONS-NEXT:    sm.multiply %[[BLOCKS]]#0, %[[BLOCKS]]#1,
// PARTITIONS-NEXT:    sm.multiply %[[BLOCKS]]#0, %[[BLOCKS]]#2,
// PARTITIONS:       sm.partition @load
// PARTITIONS:         %[[A:.*]] = sm.fetch %x
// PARTITIONS:         %[[B:.*]] = sm.fetch %w
// PARTITIONS:         %[[C:.*]] = sm.fetch %{{.*}}
// PARTITIONS-NEXT:    sm.produce %{{.*}}, %[[A]], %[[B]], %[[C]]

// STAGES-DAG:    %[[ROWS:.*]] = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
// STAGES-DAG:    sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
// STAGES:        sm.partition @multiply
// STAGES:          %[[LOOP:.*]]:4 = scf.for
// STAGES:            sm.wait
// STAGES:            %[[STEP:.*]]:2 = scf.if
// STAGES-NEXT:         sm.mma_fence
// STAGES-NEXT:         %[[SHALLOW:.*]] = sm.mma
// STAGES-NEXT:         %[[SHALLOW_TOO:.*]] = sm.mma
// STAGES-NEXT:         sm.mma_commit
// STAGES-NEXT:         scf.yield %[[SHALLOW]], %[[SHALLOW_TOO]]
// STAGES:              sm.mma_fence
// STAGES-NEXT:         sm.mma
// STAGES-NEXT:         sm.mma
// STAGES-NEXT:         sm.mma_commit
// STAGES:            sm.mma_wait 1
// STAGES:          sm.mma_wait 0
// STAGES:          sm.settle %[[LOOP]]#0
// STAGES:          sm.settle %[[LOOP]]#1
// STAGES:        sm.partition @load
// A slot takes three blocks of 8192 bytes.
// STAGES:            sm.expect {{.*}} 24576
// STAGES-COUNT-3:    sm.load
sm.kernel @product(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table, %w2: !w)
    attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = sm.zero : !sums
  %total:2 = scf.for %step = %c0 to %rows step %c1 iter_args(%gate = %zero, %up = %zero) -> (!sums, !sums) {
    %a = sm.fetch %x[%c0] [%step, %c0, %c0, %c0] : !x -> !block
    %b = sm.fetch %w[%c0] [%c0, %c0, %step, %c0] : !w -> !block
    %c = sm.fetch %w2[%c0] [%c0, %c0, %step, %c0] : !w -> !block
    %last = arith.cmpi eq, %step, %c1 : index
    %next = sm.multiply %a, %b, %gate shallow %last to 32 : !block, !block, !sums
    %other = sm.multiply %a, %c, %up shallow %last to 32 : !block, !block, !sums
    scf.yield %next, %other : !sums, !sums
  }
  %mapped = sm.map (%g = %total#0 : !sums, %u = %total#1 : !sums) at [%c0, %c0] -> !sums {
    %p = arith.mulf %g, %u : f32
    sm.yield %p : f32
  }
  sm.store_sums %mapped to %y[%c0] [%c0, %c0, %c0, %c0] : !sums to !x
}
