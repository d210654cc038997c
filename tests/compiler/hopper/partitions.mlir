// Kernels of three and of five partitions, written by hand, through all passes to instructions.
// RUN: alg-opt %source_dir/tests/simulator/kernels/Inputs/three_partitions.mlir -sm-multi-buffer -canonicalize | FileCheck %s --check-prefix=STAGES
// RUN: alg-opt %source_dir/tests/simulator/kernels/Inputs/three_partitions.mlir -sm-multi-buffer -sm-insert-barriers -canonicalize -cse | FileCheck %s --check-prefix=BARRIERS
// RUN: alg-opt %source_dir/tests/simulator/kernels/Inputs/three_partitions.mlir -sm-multi-buffer -sm-insert-barriers -canonicalize -cse -sm-to-nvvm | FileCheck %s --check-prefix=NVVM
// RUN: alg-opt %source_dir/tests/simulator/kernels/Inputs/shared_pipe.mlir -sm-multi-buffer -sm-insert-barriers -canonicalize -cse | FileCheck %s --check-prefix=SHARED
// RUN: alg-opt %source_dir/tests/simulator/kernels/Inputs/shared_pipe.mlir -sm-multi-buffer -sm-insert-barriers -canonicalize -cse -sm-to-nvvm | FileCheck %s --check-prefix=FIVE

// Each pipe has stages of its own; of a result each warpgroup writes a slot.
// STAGES:      %[[A:.*]] = sm.allocate : <3 x 128 x 64 x bf16, swizzle 128>
// STAGES-NEXT: %[[B:.*]] = sm.allocate : <3 x 64 x 96 x bf16, swizzle 64>
// STAGES-NEXT: %[[OPERANDS:.*]] = sm.staged_pipe : <3>
// STAGES-NEXT: %[[C:.*]] = sm.allocate : <4 x 64 x 96 x bf16, swizzle 64>
// STAGES-NEXT: %[[RESULTS:.*]] = sm.staged_pipe : <2>
// STAGES:      sm.partition @multiply
// STAGES:        scf.for %{{.*}} iter_args(%[[STAGE0:.*]] = %c0, %[[PARITY0:.*]] = %c0_i32, %[[RESULT:.*]] = %c0, %[[EMPTY:.*]] = %c1_i32)
// STAGES:          %[[STEPS:.*]]:3 = scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[STAGE:.*]] = %[[STAGE0]], %[[PARITY:.*]] = %[[PARITY0]])
// STAGES-NEXT:       sm.consumer_wait %[[OPERANDS]][%[[STAGE]]] parity %[[PARITY]]
// STAGES-NEXT:       sm.mma %[[A]][%[[STAGE]]], %[[B]][%[[STAGE]]]
// STAGES-NEXT:       sm.consumer_release %[[OPERANDS]][%[[STAGE]]] after_products
// STAGES:          sm.producer_acquire %[[RESULTS]][%[[RESULT]]] parity %[[EMPTY]]
// STAGES-NEXT:     %[[WARPGROUP:.*]] = sm.warpgroup
// STAGES-NEXT:     %[[TWICE:.*]] = arith.muli %[[RESULT]], %c2
// STAGES-NEXT:     %[[SLOT:.*]] = arith.addi %[[TWICE]], %[[WARPGROUP]]
// STAGES-NEXT:     sm.write %[[STEPS]]#0 to %[[C]][%[[SLOT]]]
// STAGES-NEXT:     sm.producer_commit %[[RESULTS]][%[[RESULT]]]
// STAGES:      sm.partition @store
// STAGES:        sm.consumer_wait %[[RESULTS]][%[[STORED:.*]]] parity
// STAGES-NEXT:   %[[FIRST:.*]] = arith.muli %[[STORED]], %c2
// STAGES-NEXT:   sm.store %[[C]][%[[FIRST]]] to %y[%c1] [%[[COLUMN:.*]], %c0, %c0, %[[ROW:.*]]] :
// STAGES-NEXT:   %[[LOWER:.*]] = arith.addi %[[ROW]], %c64
// STAGES-NEXT:   %[[TWO:.*]] = arith.muli %[[STORED]], %c2
// STAGES-NEXT:   %[[SECOND:.*]] = arith.addi %[[TWO]], %c1
// STAGES-NEXT:   sm.store %[[C]][%[[SECOND]]] to %y[%c1] [%[[COLUMN]], %c0, %c0, %[[LOWER]]] :
// STAGES-NEXT:   sm.store_commit
// STAGES-NEXT:   sm.store_wait 0
// STAGES-NEXT:   sm.consumer_release %[[RESULTS]][%[[STORED]]] :
// STAGES:      sm.partition @load
// STAGES:        sm.producer_acquire %[[OPERANDS]]
// STAGES-NEXT:   sm.load %x
// STAGES-NEXT:   sm.load %w
// STAGES-NEXT:   sm.producer_commit %[[OPERANDS]]

// One thread announces operands, eight warps release them; eight warps fill a result, one thread releases it.
// BARRIERS:      %[[FULL0:.*]] = sm.barriers arrivals 1 : <3>
// BARRIERS-NEXT: %[[EMPTY0:.*]] = sm.barriers arrivals 8 : <3>
// BARRIERS:      %[[FULL1:.*]] = sm.barriers arrivals 8 : <2>
// BARRIERS-NEXT: %[[EMPTY1:.*]] = sm.barriers arrivals 1 : <2>
// BARRIERS-NEXT: sm.initialize %[[FULL0]], %[[EMPTY0]], %[[FULL1]], %[[EMPTY1]] :
// BARRIERS:      sm.partition @multiply
// BARRIERS:        sm.wait %[[FULL0]]
// BARRIERS:        sm.mma_wait 1
// BARRIERS:        sm.arrive %[[EMPTY0]]
// BARRIERS:        sm.mma_wait 0
// BARRIERS:        sm.arrive %[[EMPTY0]]
// BARRIERS:        %[[SETTLED:.*]] = sm.settle
// BARRIERS:        sm.wait %[[EMPTY1]]
// BARRIERS:        sm.write %[[SETTLED]]
// BARRIERS-NEXT:   sm.fence
// BARRIERS-NEXT:   sm.arrive %[[FULL1]][%{{.*}}] publish
// BARRIERS:      sm.partition @store
// BARRIERS:        sm.wait %[[FULL1]]
// BARRIERS:        sm.store_commit
// BARRIERS-NEXT:   sm.store_wait 0
// BARRIERS-NEXT:   sm.arrive %[[EMPTY1]]
// BARRIERS:      sm.partition @load
// BARRIERS:        sm.wait %[[EMPTY0]]
// BARRIERS-NEXT:   sm.expect %[[FULL0]]

// 512 threads start with 128 registers each.
// NVVM: llvm.func @forward_bf16
// NVVM-SAME: reqntid = array<i32: 512, 1, 1>
// NVVM: nvvm.setmaxregister increase 200
// NVVM: nvvm.setmaxregister decrease 56
// NVVM: nvvm.setmaxregister decrease 56
// NVVM-NOT: sm.arrive

// Four warps of either consumer release rows. What both loops have waited for serves both of their pipes.
// SHARED:      sm.barriers arrivals 1 : <3>
// SHARED-NEXT: sm.barriers arrivals 8 : <3>
// SHARED:      sm.barriers arrivals 1 : <2>
// SHARED-NEXT: sm.barriers arrivals 4 : <2>
// SHARED:      sm.barriers arrivals 1 : <4>
// SHARED-NEXT: sm.barriers arrivals 4 : <4>
// SHARED:      sm.barriers arrivals 4 : <1>
// SHARED-NEXT: sm.barriers arrivals 1 : <1>
// SHARED:      sm.barriers arrivals 4 : <2>
// SHARED-NEXT: sm.barriers arrivals 1 : <2>
// SHARED:      sm.partition @left
// SHARED:        sm.mma_wait 1
// SHARED-NOT:    sm.mma_wait
// SHARED:        sm.arrive
// SHARED-NOT:    sm.mma_wait
// SHARED:        sm.arrive
// SHARED:        sm.mma_wait 0
// SHARED-NOT:    sm.mma_wait
// SHARED:      sm.partition @right

// FIVE: reqntid = array<i32: 640, 1, 1>
