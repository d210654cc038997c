// A part of a slot, where a condition holds; a barrier that expects what the conditions say.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4>

// CHECK-LABEL: llvm.func @types(
sm.kernel @types(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                  %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = sm.allocate : <4 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : <4 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <4>
  sm.initialize %full : !sm.barriers<4>
  %slot = sm.block_index
  %wanted = arith.cmpi slt, %rows, %offset : index
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : <128 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <4 x 128 x 64 x bf16, swizzle 128>, <4 x 64 x 64 x bf16, swizzle 128>, <128 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: %[[ALWAYS:.*]] = llvm.mlir.constant(8192 : i32)
      // CHECK: %[[BYTES:.*]] = llvm.add %{{.*}}, %[[ALWAYS]] : i32
      // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
      sm.expect %full[%slot] bytes 8192 plus %rows : <4>
      // 64 rows of 128 bytes further on.
      // CHECK: llvm.cond_br %{{.*}}, ^[[LOAD:.*]], ^[[ON:.*]]
      // CHECK: ^[[LOAD]]:
      // CHECK: %[[PART:.*]] = llvm.getelementptr %{{.*}}[8192]
      // CHECK: %[[TARGET:.*]] = llvm.addrspacecast %[[PART]]
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TARGET]]
      // CHECK: llvm.br ^[[ON]]
      sm.load %x[%c1] [%c0, %c0, %c0, %c0] to %a[%slot] row 64 where %wanted signal %full[%slot]
          : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <4 x 128 x 64 x bf16, swizzle 128>, !sm.barriers<4>
    }
  }
}
