// Sums of tiles that three blocks divide: each block sends two of its parts, and adds up the third of all.
// RUN: alg-opt %s -sm-reduce-in-cluster -canonicalize -cse | FileCheck %s
// RUN: alg-opt %s -sm-reduce-in-cluster -sm-multi-buffer -sm-insert-barriers -canonicalize -cse | FileCheck %s --check-prefix=BARRIERS

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 96>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 96, depth = 64, stages = 4, split_k = 3>

// CHECK-LABEL: sm.kernel @tiles
// BARRIERS-LABEL: sm.kernel @tiles
sm.kernel @tiles(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>,
                 %w: !sm.maps<1 x 64 x 96 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>, %rows: index, %offset: index,
                 %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // Of 48 sums of a thread 16 are a part. Four warps of each of two others arrive.
  // CHECK: %[[EXCHANGE:.*]] = sm.allocate_reduction_buffer : <1 x 3 x 16>
  // CHECK: %[[RECEIVED:.*]] = sm.barriers arrivals 8 : <1>
  // CHECK: %[[READ:.*]] = sm.barriers arrivals 8 : <1>
  // CHECK: sm.initialize %[[RECEIVED]], %[[READ]] cluster
  // The stages are the block's own, and the cluster meets for all barriers together.
  // BARRIERS: %[[RECEIVED:.*]] = sm.barriers arrivals 8 : <1>
  // BARRIERS: %[[READ:.*]] = sm.barriers arrivals 8 : <1>
  // BARRIERS: %[[FULL:.*]] = sm.barriers arrivals 1 : <4>
  // BARRIERS: %[[EMPTY:.*]] = sm.barriers arrivals 4 : <4>
  // BARRIERS-NEXT: sm.initialize %[[RECEIVED]], %[[READ]], %[[FULL]], %[[EMPTY]] cluster
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>>
  sm.partition @multiply warpgroups 1 registers 240 {
    // The parity goes through tiles, also those that do not exist.
    // CHECK: scf.for %[[TILE:.*]] = %c0 to %rows step %offset iter_args(%[[PARITY:.*]] = %c0_i32) -> (i32) {
    scf.for %tile = %c0 to %rows step %offset {
      %exists = arith.cmpi slt, %tile, %rows : index
      // CHECK: %[[LAST:.*]] = scf.if %{{.*}} -> (i32) {
      scf.if %exists {
        %zero = sm.zero : <64 x 96>
        // CHECK: %[[SUMS:.*]] = scf.for
        %total = scf.for %step = %c0 to %offset step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<64 x 96>) {
          %a, %b = sm.consume %pipe : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>> -> !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>
          %next = sm.multiply %a, %b, %sum : <64 x 64 x bf16, swizzle 128>, <64 x 96 x bf16, swizzle 64>, <64 x 96>
          scf.yield %next : !sm.accumulator<64 x 96>
        }
        // BARRIERS: sm.mma_wait 0
        // BARRIERS: sm.arrive %[[EMPTY]][%{{.*}}] : <4>
        // BARRIERS: %[[SETTLED:.*]] = sm.settle
        // BARRIERS: sm.send %[[SETTLED]]
        // CHECK: %[[WARPGROUP:.*]] = sm.warpgroup
        // CHECK: %[[RANK:.*]] = sm.cluster_rank
        // CHECK: %[[SELF:.*]] = arith.shli %c1, %[[RANK]]
        // CHECK: %[[OTHERS:.*]] = arith.subi %c7, %[[SELF]]
        // The others have read what they got for the tile before.
        // CHECK: %[[NEXT:.*]] = arith.xori %[[PARITY]], %c1_i32
        // CHECK: sm.wait %[[READ]][%[[WARPGROUP]]] parity %[[NEXT]] cluster
        // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %c0
        // CHECK: scf.if %[[FIRST]] {
        // CHECK-NEXT: sm.send %[[SUMS]] to %[[EXCHANGE]][%[[WARPGROUP]]] as 0 : <64 x 96> to <1 x 3 x 16>
        // CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[RANK]], %c1
        // CHECK: scf.if %[[SECOND]] {
        // CHECK-NEXT: sm.send %[[SUMS]] to %[[EXCHANGE]][%[[WARPGROUP]]] as 1
        // CHECK: scf.if
        // CHECK-NEXT: sm.send %[[SUMS]] to %[[EXCHANGE]][%[[WARPGROUP]]] as 2
        // CHECK: sm.arrive %[[RECEIVED]][%[[WARPGROUP]]] at %[[OTHERS]] publish
        // CHECK-NEXT: sm.wait %[[RECEIVED]][%[[WARPGROUP]]] parity %[[PARITY]] cluster
        // CHECK: %[[MINE:.*]] = scf.if %[[FIRST]] -> (!sm.accumulator<64 x 32>) {
        // CHECK-NEXT: %[[PART:.*]] = sm.add_received %[[SUMS]], %[[EXCHANGE]][%[[WARPGROUP]]] as 0 : <64 x 96>, <1 x 3 x 16> to <64 x 32>
        // CHECK-NEXT: scf.yield %[[PART]]
        // CHECK: scf.if %[[SECOND]]
        // CHECK-NEXT: sm.add_received %[[SUMS]], %[[EXCHANGE]][%[[WARPGROUP]]] as 1
        // CHECK: sm.add_received %[[SUMS]], %[[EXCHANGE]][%[[WARPGROUP]]] as 2
        // CHECK: sm.arrive %[[READ]][%[[WARPGROUP]]] at %[[OTHERS]] publish
        %mine = sm.reduce_scatter %total : <64 x 96> to <64 x 32>
        // CHECK-NEXT: sm.store_sums %[[MINE]] to %y
        sm.store_sums %mine to %y[%c0] [%c0, %c0, %c0, %tile] : <64 x 32> to <2 x 64 x 32 x bf16, row_dimension 3, swizzle 64>
        // CHECK-NEXT: scf.yield %[[NEXT]] : i32
        // CHECK-NEXT: } else {
        // CHECK-NEXT: scf.yield %[[PARITY]] : i32
      }
      // CHECK: scf.yield %[[LAST]] : i32
    }
    // BARRIERS: sm.cluster_sync
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %p0 = sm.fetch %x[%c0] [%c0, %c0, %c0, %c0] : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> <64 x 64 x bf16, swizzle 128>
      %p1 = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 96 x bf16, row_dimension 2, swizzle 64> -> <64 x 96 x bf16, swizzle 64>
      sm.produce %pipe, %p0, %p1 : <!sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>>, !sm.block<64 x 64 x bf16, swizzle 128>, !sm.block<64 x 96 x bf16, swizzle 64>
    }
  }
}
