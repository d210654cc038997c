// Rows in joined runs: the number of a row in its segment is a place in a run and a run. What adds to the number does so
// before.
// RUN: alg-opt %s -split-input-file -sm-to-nvvm | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<interval 4 x 8>>

// CHECK-LABEL: llvm.func @runs(
// CHECK-SAME: joins_runs = true
// CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG: %[[WITHIN:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-DAG: %[[BOX:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[INDEX:.*]] = nvvm.read.ptx.sreg.ctaid.x
// The segment's first row, and the place in the run behind it.
// CHECK-DAG: %[[SEGMENT:.*]] = llvm.mul %[[INDEX]], %[[EIGHT]]
// CHECK-DAG: %[[PLACE:.*]] = llvm.and %[[INDEX]], %[[WITHIN]]
// CHECK-DAG: %[[ROW:.*]] = llvm.add %[[SEGMENT]], %[[PLACE]]
// CHECK-DAG: %[[NUMBER:.*]] = llvm.lshr %[[INDEX]], %[[BITS]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%[[INDEX]], %[[INDEX]], %[[ROW]], %[[NUMBER]]]
// The second box of the stage is 32 rows further down.
// CHECK: %[[BELOW:.*]] = llvm.add %[[INDEX]], %[[BOX]]
// CHECK-DAG: %[[PLACE_BELOW:.*]] = llvm.and %[[BELOW]], %[[WITHIN]]
// CHECK-DAG: %[[ROW_BELOW:.*]] = llvm.add %[[SEGMENT]], %[[PLACE_BELOW]]
// CHECK-DAG: %[[NUMBER_BELOW:.*]] = llvm.lshr %[[BELOW]], %[[BITS]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%[[INDEX]], %[[INDEX]], %[[ROW_BELOW]], %[[NUMBER_BELOW]]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%[[INDEX]], %[[INDEX]], %{{.*}}, %{{.*}}]
sm.kernel @runs(%x: !sm.maps<4 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8>,
    %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
    %y: !sm.maps<4 x 32 x 64 x bf16, row_dimension 3, swizzle 128, run 8>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %c = sm.allocate : !sm.buffer<1 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 4 : <2>
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot], %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64>
    sm.elect {
      sm.store %c[%slot] to %y[%slot] [%slot, %slot, %slot, %slot]
          : <1 x 64 x 64 x bf16, swizzle 128> to <4 x 32 x 64 x bf16, row_dimension 3, swizzle 128, run 8>
    }
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.load %x[%slot] [%slot, %slot, %slot, %slot] to %a[%slot] signal %full[%slot]
          : <4 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8> to <2 x 64 x 64 x bf16, swizzle 128>, !sm.barriers<2>
    }
  }
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 64>, row_types = #alg.row_types<interval 4 x 8>, mode = j>

// Of a gradient of the weight matrix the fifth map has all rows as they lie: one run.
// CHECK-LABEL: llvm.func @all_rows(
// CHECK-DAG: %[[FIFTH:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[INDEX:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[ALL:.*]] = llvm.icmp "eq" %[[INDEX]], %[[FIFTH]]
// CHECK: %[[WITHIN:.*]] = llvm.add
// CHECK: %[[QUOTIENT:.*]] = llvm.lshr %[[INDEX]]
// CHECK-DAG: %[[ROW:.*]] = llvm.select %[[ALL]], %[[INDEX]], %[[WITHIN]]
// CHECK-DAG: %[[NUMBER:.*]] = llvm.select %[[ALL]], %[[NONE]], %[[QUOTIENT]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%[[INDEX]], %[[INDEX]], %[[ROW]], %[[NUMBER]]]
sm.kernel @all_rows(%x: !sm.maps<5 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8>,
    %dy: !sm.maps<5 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8>,
    %dw: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
    %beta: f32, %plain: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, vector 8>)
    attributes {layout = #layout, schedule = "by hand"} {
  %a = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 64 x bf16, swizzle 128>
  %full = sm.barriers arrivals 1 : <2>
  sm.initialize %full : !sm.barriers<2>
  %slot = sm.block_index
  sm.partition @multiply warpgroups 1 registers 240 {
    %sum = sm.zero : !sm.accumulator<64 x 64>
    %next = sm.mma %a[%slot] transposed, %b[%slot], %sum : <2 x 64 x 64 x bf16, swizzle 128>, <2 x 64 x 64 x bf16, swizzle 128>, <64 x 64>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      sm.load %x[%slot] [%slot, %slot, %slot, %slot] to %a[%slot] signal %full[%slot]
          : <5 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8> to <2 x 64 x 64 x bf16, swizzle 128>, !sm.barriers<2>
    }
  }
}
