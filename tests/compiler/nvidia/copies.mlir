// Copies: one for each panel, the column coordinate advancing with the address.
// RUN: alg-opt %s -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<cyclic 4>>

// CHECK-LABEL: llvm.func @copies(
// CHECK-SAME: %[[MAPS:arg[0-9]+]]: !llvm.ptr {
// CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @shared
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK-DAG: %[[W_MAPS:.*]] = llvm.getelementptr %[[MAPS]][2]
// CHECK-DAG: %[[Y_MAPS:.*]] = llvm.getelementptr %[[MAPS]][3]
// CHECK-DAG: %[[B:.*]] = llvm.getelementptr %[[SHARED]][16384]
// CHECK-DAG: %[[C:.*]] = llvm.getelementptr %[[SHARED]][32768]
// CHECK: %[[INDEX:.*]] = nvvm.read.ptx.sreg.ctaid.x
sm.kernel @copies(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 32>,
    %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 32>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 64>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 32>, <64 x 64>
    sm.elect {
      // Panels of 32 columns: 64 rows of 64 bytes each.
      // CHECK: %[[Y_MAP:.*]] = llvm.getelementptr %[[Y_MAPS]][%[[INDEX]]] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<128 x i8>
      // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[C]]
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y_MAP]], %[[SLOT]], box[%[[INDEX]], %[[INDEX]], %[[INDEX]], %[[INDEX]]]
      // CHECK: %[[COLUMN:.*]] = llvm.add %[[INDEX]], %[[C32]]
      // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[SLOT]][4096]
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y_MAP]], %[[SECOND]], box[%[[COLUMN]], %[[INDEX]], %[[INDEX]], %[[INDEX]]]
      sm.store %c[%slot] to %y[%slot] [%slot, %slot, %slot, %slot]
          : <1 x 64 x 64 x bf16, swizzle 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 64>
      // CHECK: nvvm.cp.async.bulk.commit.group
      sm.store_commit
      // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
      sm.store_wait 1
      // CHECK: nvvm.cp.async.bulk.wait_group 0
      // CHECK-NOT: read
      sm.store_wait 0 written
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: nvvm.setmaxregister decrease 40
      // CHECK: %[[X_MAP:.*]] = llvm.getelementptr %[[MAPS]][%[[INDEX]]]
      // CHECK: %[[BARRIER_AT:.*]] = llvm.mul
      // CHECK: %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[%[[BARRIER_AT]]]
      // CHECK: %[[A_SLOT:.*]] = llvm.getelementptr %[[SHARED]]
      // CHECK: %[[A_CLUSTER:.*]] = llvm.addrspacecast %[[A_SLOT]] : !llvm.ptr<3> to !llvm.ptr<7>
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[A_CLUSTER]], %[[X_MAP]], %[[BARRIER]], box[%[[INDEX]], %[[INDEX]], %[[INDEX]], %[[INDEX]]]
      sm.load %x[%slot] [%slot, %slot, %slot, %slot] to %a[%slot] signal %full[%slot]
          : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> to <2 x 64 x 64 x bf16, swizzle 128>, !sm.barriers<2>
      // Panels of 16 columns: 64 rows of 32 bytes each.
      // CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.shared.cluster.global
      sm.load %w[%slot] [%slot, %slot, %slot, %slot] to %b[%slot] signal %full[%slot]
          : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 32> to <2 x 64 x 64 x bf16, swizzle 32>, !sm.barriers<2>
    }
  }
}
