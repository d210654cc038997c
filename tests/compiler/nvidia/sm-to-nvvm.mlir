// The function around a kernel: what a launch passes, where shared memory goes, which thread does what.
// RUN: alg-opt %s -sm-to-nvvm -mlir-use-nameloc-as-prefix | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 64>, weights = #alg.groups<4 x 64>,
                       out = #alg.groups<4 x 16>, row_types = #alg.row_types<cyclic 4>>

// CHECK: llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// Two maps of X, one of W, two of Y; two partitions of three warpgroups together.
// CHECK-LABEL: llvm.func @forward(
// CHECK-SAME: %maps: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<5 x array<128 x i8>>, nvvm.grid_constant},
// CHECK-SAME: %rows: i32, %offset: i32, %terms: !llvm.ptr<1>)
// CHECK-SAME: kernel_parameters = [{operand = "x", type = "tensor_map", value = "map", view = "longer_lines"},
// CHECK-SAME: {operand = "w", type = "tensor_map", value = "map", view = "bank"},
// CHECK-SAME: {type = "i32", value = "offset"}, {type = "address", value = "terms"}],
// CHECK-SAME: nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK-SAME: sm.kernel = {
// CHECK-SAME: boxes = {w = {columns = 16 : i64, rows = 64 : i64, swizzle = 32 : i64},
// CHECK-SAME: x = {columns = 64 : i64, rows = 128 : i64, swizzle = 128 : i64},
// CHECK-SAME: y = {columns = 16 : i64, rows = 64 : i64, swizzle = 64 : i64}},
// CHECK-SAME: cluster = 1 : i64, dependent_launch = true,
// CHECK-SAME: output = f32,
// Two stages of 16384 bytes, two of 2048, two of 4096, then four barriers of 8.
// CHECK-SAME: shared_bytes = 45088 : i64, terms = true, threads = 384 : i64,
// CHECK-SAME: tile = {columns = 16 : i64, consumers = 2 : i64, depth = 64 : i64, rows = 128 : i64, stages = 2 : i64}}
sm.kernel @forward(%x: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>,
                   %w: !sm.maps<1 x 64 x 16 x bf16, row_dimension 2, swizzle 32>,
                   %y: !sm.maps<2 x 64 x 16 x f32, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                   %terms: !sm.terms_table) attributes {layout = #layout, schedule = "by hand"} {
  // CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @shared : !llvm.ptr<3>
  // CHECK-DAG: %[[W_MAPS:.*]] = llvm.getelementptr %maps[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<128 x i8>
  // CHECK-DAG: %[[Y_MAPS:.*]] = llvm.getelementptr %maps[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<128 x i8>
  // CHECK-DAG: %[[B:.*]] = llvm.getelementptr %[[SHARED]][32768]
  // CHECK-DAG: %[[C:.*]] = llvm.getelementptr %[[SHARED]][36864]
  // CHECK-DAG: %[[FULL:.*]] = llvm.getelementptr %[[SHARED]][45056]
  // CHECK-DAG: %[[EMPTY:.*]] = llvm.getelementptr %[[SHARED]][45072]
  %a = sm.allocate : !sm.buffer<2 x 128 x 64 x bf16, swizzle 128>
  %b = sm.allocate : !sm.buffer<2 x 64 x 16 x bf16, swizzle 32>
  %c = sm.allocate : !sm.buffer<2 x 64 x 16 x f32, swizzle 64>
  %full = sm.barriers arrivals 1 : <2>
  %empty = sm.barriers arrivals 8 : <2>

  // One thread initialises every barrier with its arrivals, fences, and the whole block meets.
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[THREAD]], %{{.*}} : i32
  // CHECK: llvm.cond_br %[[FIRST]], ^[[INITIALIZE:bb[0-9]+]], ^[[MEET:bb[0-9]+]]
  // CHECK: ^[[INITIALIZE]]:
  // CHECK: nvvm.mbarrier.init %[[FULL]], %[[ONE:[0-9]+]]
  // CHECK: nvvm.mbarrier.init %{{.*}}, %[[ONE]]
  // CHECK: nvvm.mbarrier.init %[[EMPTY]], %[[EIGHT:[0-9]+]]
  // CHECK: nvvm.mbarrier.init %{{.*}}, %[[EIGHT]]
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK: ^[[MEET]]:
  // CHECK-NEXT: nvvm.barrier0
  sm.initialize %full, %empty : !sm.barriers<2>, !sm.barriers<2>
  %zero = arith.constant 0 : index
  %odd = arith.constant 1 : i32

  // Warpgroups 0 and 1 multiply.
  // CHECK: %[[WARPGROUP:.*]] = llvm.lshr %[[THREAD]], %{{.*}}
  // CHECK: %[[MINE:.*]] = llvm.icmp "ult" %[[WARPGROUP]], %{{.*}}
  // CHECK: llvm.cond_br %[[MINE]], ^[[MULTIPLY:bb[0-9]+]], ^[[OTHERS:bb[0-9]+]]
  // CHECK: ^[[MULTIPLY]]:
  // CHECK-NEXT: nvvm.setmaxregister increase 232
  sm.partition @multiply warpgroups 2 registers 232 {
    %sum = sm.zero : !sm.accumulator<128 x 16>
    %next = sm.mma %a[%zero], %b[%zero], %sum
        : <2 x 128 x 64 x bf16, swizzle 128>, <2 x 64 x 16 x bf16, swizzle 32>, <128 x 16>
    sm.mma_commit
    // CHECK: nvvm.wgmma.wait.group.sync.aligned 0
    sm.mma_wait 0
    // CHECK-NEXT: sm.settle %{{.*}} : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
    %done = sm.settle %next : !sm.accumulator<128 x 16>
    // The warpgroup's own stage, and one thread of the warpgroup.
    %group = sm.warpgroup
    // CHECK: %[[IN_WARPGROUP:.*]] = llvm.and %[[THREAD]], %{{.*}}
    // CHECK: %[[ELECTED:.*]] = llvm.icmp "eq" %[[IN_WARPGROUP]], %{{.*}}
    // CHECK: llvm.cond_br %[[ELECTED]], ^[[STORE:bb[0-9]+]], ^[[STORED:bb[0-9]+]]
    // CHECK: ^[[STORE]]:
    // CHECK: %[[AT:.*]] = llvm.mul %[[WARPGROUP]], %{{.*}} : i32
    // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[C]][%[[AT]]]
    // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y_MAPS]], %[[SLOT]], box
    sm.elect {
      sm.store %c[%group] to %y[%zero] [%zero, %zero, %zero, %zero]
          : <2 x 64 x 16 x f32, swizzle 64> to <2 x 64 x 16 x f32, row_dimension 3, swizzle 64>
    }
  }
  // CHECK: ^[[STORED]]:
  // CHECK-NEXT: llvm.br ^[[EXIT:bb[0-9]+]]

  // The rest loads; what a partition of one warpgroup calls its warpgroup is 0.
  // CHECK: nvvm.setmaxregister decrease 40
  // One thread does all of it: one that the first warp of the warpgroup elects.
  // CHECK: %[[FIRST_WARP:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
  // CHECK-NEXT: llvm.cond_br %[[FIRST_WARP]], ^[[ELECTION:bb[0-9]+]], ^
  // CHECK: ^[[ELECTION]]:
  // CHECK-NEXT: %[[CHOSEN:.*]] = nvvm.elect.sync -> i1
  // CHECK-NEXT: llvm.cond_br %[[CHOSEN]], ^[[LOAD:bb[0-9]+]], ^
  // CHECK: ^[[LOAD]]:
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      // CHECK: nvvm.griddepcontrol wait
      sm.wait_for_predecessor
      // CHECK: nvvm.read.ptx.sreg.ctaid.x
      // CHECK: nvvm.read.ptx.sreg.nctaid.x
      %block = sm.block_index
      %blocks = sm.block_count
      %where = arith.addi %block, %blocks : index
      // CHECK: %[[WORD_AT:.*]] = llvm.getelementptr %terms[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      // CHECK: llvm.load %[[WORD_AT]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %word = sm.read_terms %terms[%where]
      %depth = arith.index_cast %word : i32 to index
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[W_MAPS]], %{{.*}}, box
      sm.load %w[%zero] [%zero, %zero, %depth, %zero] to %b[%zero] signal %full[%zero]
          : <1 x 64 x 16 x bf16, row_dimension 2, swizzle 32> to <2 x 64 x 16 x bf16, swizzle 32>, !sm.barriers<2>
      // CHECK: nvvm.griddepcontrol launch_dependents
      sm.release_successor
    }
  }
  // CHECK: ^[[EXIT]]:
  // CHECK-NEXT: llvm.return
}
