// Kernels of two layers in clusters along the types: of each layer what the blocks load for each other has a ring of its own, whose
// slots are free when all blocks have read them. What a block loads for itself, in boxes, waits for nobody else.
// RUN: alg-opt %s -sm-partition -canonicalize | FileCheck %s --check-prefix=PIPES
// RUN: alg-opt %s -sm-partition -sm-multi-buffer -canonicalize | FileCheck %s --check-prefix=STAGES
// RUN: alg-opt %s -sm-partition -sm-multi-buffer -sm-insert-barriers -canonicalize -cse | FileCheck %s --check-prefix=BARRIERS
// RUN: alg-opt %s -sm-partition -sm-lower-epilogue -sm-multi-buffer -sm-insert-barriers -sm-to-nvvm | FileCheck %s --check-prefix=DESCRIPTION

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 32>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 32>, weights = <4 x 32>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 32, depth = 64, stages = 5, cluster_types = 4, stationary = 1>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 7, cluster_types = 4, stationary = 4>
!b = !sm.block<64 x 32 x bf16, swizzle 64>
!d = !sm.block<32 x 64 x bf16, swizzle 128>
!rows = !sm.block<128 x 64 x bf16, swizzle 128>
!kept = !sm.block<128 x 32 x bf16, swizzle 64>
!x = !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 16 x 32 x bf16, row_dimension 2, swizzle 64>
!w2 = !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, swizzle 128>
!y = !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
// Of five stages of the first layer two are for what four blocks share, and three for the type's own: a step takes one of each. Of seven
// of the second layer three and four.
// PIPES-LABEL: sm.kernel @layers(
// PIPES:         %[[OWN:.*]] = sm.pipe stages 3 : <!sm.block<64 x 32 x bf16, swizzle 64>>
// PIPES-NEXT:    %[[SHARED:.*]] = sm.pipe stages 2 : <!sm.block<64 x 32 x bf16, swizzle 64>>
// PIPES-NEXT:    %[[NEXT_SHARED:.*]] = sm.pipe stages 3 : <!sm.block<32 x 64 x bf16, swizzle 128>>
// PIPES-NEXT:    %[[NEXT_OWN:.*]] = sm.pipe stages 4 : <!sm.block<32 x 64 x bf16, swizzle 128>>
// PIPES:         sm.partition @multiply
// PIPES:           sm.consume %[[OWN]] :
// PIPES:           scf.for
// PIPES:             %[[BG:.*]] = sm.consume %[[SHARED]] :
// PIPES-NEXT:        %[[BT:.*]] = sm.consume %[[OWN]] :
// PIPES-NEXT:        sm.multiply_held %{{.*}}, [%[[BG]]]
// PIPES-NEXT:        sm.multiply_held %{{.*}}, [%[[BT]]]
// PIPES:             %[[DG:.*]] = sm.consume %[[NEXT_SHARED]] :
// PIPES-NEXT:        %[[DT:.*]] = sm.consume %[[NEXT_OWN]] :
// PIPES-NEXT:        sm.multiply_fragment %{{.*}}, %[[DG]]
// PIPES-NEXT:        sm.multiply_held %{{.*}}, [%[[DT]]]
// PIPES:         sm.partition @load
// PIPES:           sm.produce %[[OWN]],
// PIPES:           scf.for
// PIPES:             %[[LG:.*]] = sm.fetch %w{{.*}} multicast
// PIPES-NEXT:        sm.produce %[[SHARED]], %[[LG]] :
// PIPES-NEXT:        %[[LT:.*]] = sm.fetch %w{{.*}} %offset] : <1 x 16 x 32
// PIPES-NEXT:        sm.produce %[[OWN]], %[[LT]] :
// PIPES-NEXT:        %[[MG:.*]] = sm.fetch {{.*}} multicast
// PIPES-NEXT:        sm.produce %[[NEXT_SHARED]], %[[MG]] :
// PIPES-NEXT:        %[[MT:.*]] = sm.fetch {{.*}} %offset] : <1 x 8 x 64
// PIPES-NEXT:        sm.produce %[[NEXT_OWN]], %[[MT]] :

// The runtime is told of a tile of all types of the cluster, which its blocks divide, of boxes as high as a part, and of the stages of
// both rings of each layer.
// DESCRIPTION-LABEL: llvm.func @layers(
// DESCRIPTION-SAME:    next_w = {columns = 64 : i64, rows = 8 : i64, swizzle = 128 : i64}, w = {columns = 32 : i64, rows = 16 : i64, swizzle = 64 : i64}
// DESCRIPTION-SAME:    cluster = 4 : i64
// DESCRIPTION-SAME:    schedule = "rows=128,hidden=32,depth=64,stages=5x7,stationary=4,row_stages=1,cluster_types=4"
// DESCRIPTION-SAME:    tile = {cluster_columns = 1 : i64, cluster_rows = 1 : i64, {{.*}} rows = 128 : i64, split = 4 : i64, stages = 5 : i64, types = 4 : i64}

// Rows of one's own come in four boxes, one below the other, of what is shared each block loads one for all.
// STAGES-LABEL: sm.kernel @layers(
// STAGES:         %[[B:.*]] = sm.allocate : <3 x 64 x 32 x bf16, swizzle 64>
// STAGES:         %[[BS:.*]] = sm.allocate : <2 x 64 x 32 x bf16, swizzle 64>
// STAGES:         %[[DS:.*]] = sm.allocate : <3 x 32 x 64 x bf16, swizzle 128>
// STAGES:         %[[D:.*]] = sm.allocate : <4 x 32 x 64 x bf16, swizzle 128>
// STAGES:         sm.partition @load
// STAGES:           %[[RANK:.*]] = sm.cluster_rank
// STAGES:           scf.for %[[GROUP:.*]] = %c0 to %rows
// STAGES:             sm.load %w[%c0] [%c0, %[[GROUP]], %c0, %[[GROUP]]] to %[[BS]][%{{.*}}] part %[[RANK]] of 4 multicast %c15 :
// STAGES-NEXT:        sm.producer_commit
// STAGES:             sm.producer_acquire
// STAGES-NEXT:        sm.load %w[%c0] [%c0, %[[GROUP]], %c0, %offset] to %[[B]][%[[STAGE:.*]]] row 0 :
// STAGES-NEXT:        sm.load %w[%c0] [%c0, %[[GROUP]], %c16, %offset] to %[[B]][%[[STAGE]]] row 16 :
// STAGES-NEXT:        sm.load %w[%c0] [%c0, %[[GROUP]], %c32, %offset] to %[[B]][%[[STAGE]]] row 32 :
// STAGES-NEXT:        sm.load %w[%c0] [%c0, %[[GROUP]], %c48, %offset] to %[[B]][%[[STAGE]]] row 48 :
// STAGES-NEXT:        sm.producer_commit
// STAGES:             sm.load %[[W2:.*]][%c0] [%c0, %[[GROUP]], %c0, %[[GROUP]]] to %[[DS]][%{{.*}}] part %[[RANK]] of 4 multicast %c15 :
// STAGES:             sm.load %[[W2]][%c0] [%c0, %[[GROUP]], %c0, %offset] to %[[D]][%[[NEXT:.*]]] row 0 :
// STAGES-NEXT:        sm.load %[[W2]][%c0] [%c0, %[[GROUP]], %c8, %offset] to %[[D]][%[[NEXT]]] row 8 :
// STAGES-NEXT:        sm.load %[[W2]][%c0] [%c0, %[[GROUP]], %c16, %offset] to %[[D]][%[[NEXT]]] row 16 :
// STAGES-NEXT:        sm.load %[[W2]][%c0] [%c0, %[[GROUP]], %c24, %offset] to %[[D]][%[[NEXT]]] row 24 :

// Eight warps of each of four blocks say that a slot of the shared rings is free, eight of one block that any other is.
// BARRIERS-LABEL: sm.kernel @layers(
// BARRIERS:         sm.allocate : <3 x 64 x 32
// BARRIERS-NEXT:    sm.barriers arrivals 1 : <3>
// BARRIERS-NEXT:    %[[OWN:.*]] = sm.barriers arrivals 8 : <3>
// BARRIERS-NEXT:    sm.allocate : <2 x 64 x 32
// BARRIERS-NEXT:    sm.barriers arrivals 1 : <2>
// BARRIERS-NEXT:    %[[SHARED:.*]] = sm.barriers arrivals 32 : <2>
// BARRIERS-NEXT:    sm.allocate : <3 x 32 x 64
// BARRIERS-NEXT:    sm.barriers arrivals 1 : <3>
// BARRIERS-NEXT:    %[[NEXT_SHARED:.*]] = sm.barriers arrivals 32 : <3>
// BARRIERS-NEXT:    sm.allocate : <4 x 32 x 64
// BARRIERS-NEXT:    sm.barriers arrivals 1 : <4>
// BARRIERS-NEXT:    %[[NEXT_OWN:.*]] = sm.barriers arrivals 8 : <4>
// BARRIERS-NEXT:    sm.allocate : <1 x 128 x 64
// BARRIERS-NEXT:    sm.barriers arrivals 1 : <1>
// BARRIERS-NEXT:    %[[STAY:.*]] = sm.barriers arrivals 8 : <1>
// BARRIERS-NEXT:    sm.allocate : <1 x 128 x 64
// BARRIERS-NEXT:    sm.barriers arrivals 1 : <1>
// BARRIERS-NEXT:    %[[COME:.*]] = sm.barriers arrivals 8 : <1>
// BARRIERS-NEXT:    sm.initialize {{.*}} cluster
// BARRIERS:         sm.partition @multiply
// BARRIERS:           sm.arrive %[[OWN]][%c0] :
// BARRIERS:           scf.for
// BARRIERS:             sm.arrive %[[SHARED]][%{{.*}}] at %c15 :
// BARRIERS:             sm.arrive %[[OWN]][%{{.*}}] :
// BARRIERS:             sm.arrive %[[COME]][%{{.*}}] :
// BARRIERS:             sm.arrive %[[NEXT_OWN]][%{{.*}}] :
// BARRIERS:             sm.arrive %[[NEXT_SHARED]][%{{.*}}] at %c15 :
// BARRIERS:           sm.arrive %[[STAY]][%c0] :
// Nobody leaves while another block may still send to it, or arrive at its barriers.
// BARRIERS-NEXT:      sm.cluster_sync
// The bytes of whole slots, in however many boxes, and whoever sends them.
// BARRIERS:         sm.partition @load
// BARRIERS:           scf.for
// BARRIERS:             sm.wait %[[SHARED]]
// BARRIERS-NEXT:        sm.expect %{{.*}} bytes 4096
// BARRIERS-NEXT:        sm.load {{.*}} multicast
// BARRIERS:             sm.wait %[[OWN]]
// BARRIERS-NEXT:        sm.expect %{{.*}} bytes 4096
// BARRIERS-COUNT-4:     sm.load {{.*}} row
// BARRIERS:             sm.wait %[[NEXT_SHARED]]
// BARRIERS-NEXT:        sm.expect %{{.*}} bytes 4096
// BARRIERS-NEXT:        sm.load {{.*}} multicast
// BARRIERS:           sm.cluster_sync
sm.kernel @layers(%x: !x, %w: !w, %y: !y, %rows: index, %offset: index, %terms: !sm.terms_table, %w2: !w2)
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %kept = sm.kept_rows pieces 1 : !kept
  %rank = sm.cluster_rank
  %stay = sm.hold %x[%c0] [%c0, %offset, %c0, %rows] stages 1 : !x -> !rows
  %none = sm.zero : <128 x 32>
  %a = sm.fetch %w[%c0] [%c0, %offset, %c0, %offset] : !w -> !b
  %h = sm.multiply_held %stay[%c0], [%a], %none : !rows, !b, <128 x 32>
  sm.keep %h to %kept[%c0] : <128 x 32> to !kept
  scf.for %group = %c0 to %rows step %c1 {
    %come = sm.hold %x[%c0] [%c0, %group, %c0, %rows] stages 1 : !x -> !rows
    %bg = sm.fetch %w[%c0] [%c0, %group, %c0, %group] part %rank of 4 multicast %c15 : !w -> !b
    %bt = sm.fetch %w[%c0] [%c0, %group, %c0, %offset] : !w -> !b
    %hg = sm.multiply_held %come[%c0], [%bg], %none : !rows, !b, <128 x 32>
    %ht = sm.multiply_held %stay[%c0], [%bt], %hg : !rows, !b, <128 x 32>
    %fragment = sm.fragment %ht : <128 x 32> to <128 x 32>
    %zero = sm.zero : <128 x 64>
    %dg = sm.fetch %w2[%c0] [%c0, %group, %c0, %group] part %rank of 4 multicast %c15 : !w2 -> !d
    %dt = sm.fetch %w2[%c0] [%c0, %group, %c0, %offset] : !w2 -> !d
    %next = sm.multiply_fragment %fragment, %dg, %zero : <128 x 32>, <32 x 64 x bf16, swizzle 128>, <128 x 64>
    %more = sm.multiply_held %kept[%c0], [%dt], %next : !kept, !d, <128 x 64>
    sm.store_sums %more to %y[%c0] [%c0, %group, %c0, %rows] : <128 x 64> to !y
  }
}
