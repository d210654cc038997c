// Kernels of two layers with stages: a step may take several of one pipe, and kept rows are a buffer that the warpgroups write.
// RUN: alg-opt %s -split-input-file -sm-multi-buffer -canonicalize | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 48>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 48>, weights = <4 x 48>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 32, depth = 32, stages = 5, stationary = 2>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 2, stationary = 4>
!b = !sm.block<32 x 32 x bf16, swizzle 64>
!d = !sm.block<32 x 64 x bf16, swizzle 128>
!rows = !sm.block<128 x 64 x bf16, swizzle 64>
!x = !sm.maps<2 x 128 x 32 x bf16, row_dimension 3, swizzle 64>
!w = !sm.maps<1 x 32 x 32 x bf16, row_dimension 2, swizzle 64>
!w2 = !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>

// CHECK-LABEL: sm.kernel @layers(
// CHECK-SAME:    %[[W2:[a-z0-9_]+]]: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>)
// CHECK:         %[[C:.*]] = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
// CHECK-NEXT:    %[[B:.*]] = sm.allocate : <5 x 32 x 32 x bf16, swizzle 64>
// CHECK-NEXT:    %[[FIRST:.*]] = sm.staged_pipe : <5>
// CHECK-NEXT:    %[[D:.*]] = sm.allocate : <2 x 32 x 64 x bf16, swizzle 128>
// CHECK-NEXT:    %[[SECOND:.*]] = sm.staged_pipe : <2>
// Rows have a slot for each piece of each stage: those that come while others are multiplied have twice as many.
// CHECK-NEXT:    %[[X:.*]] = sm.allocate : <2 x 128 x 32 x bf16, swizzle 64>
// CHECK-NEXT:    %[[STAY:.*]] = sm.staged_pipe : <1>
// CHECK-NEXT:    %[[XG:.*]] = sm.allocate : <4 x 128 x 32 x bf16, swizzle 64>
// CHECK-NEXT:    %[[COME:.*]] = sm.staged_pipe : <2>
// So do kept rows, which come through no pipe.
// CHECK-NEXT:    %[[KEPT:.*]] = sm.allocate : <2 x 128 x 32 x bf16, swizzle 64>
// CHECK:         sm.partition @multiply
// CHECK:           sm.consumer_wait %[[STAY]][%[[HELD:.*]]] parity
// CHECK-NEXT:      scf.for %[[CHUNK:.*]] = %c0 to %c2 step %c1 iter_args(%[[STAGE:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NEXT:        %[[NONE:.*]] = sm.zero : <128 x 32>
// CHECK-NEXT:        sm.consumer_wait %[[FIRST]][%[[STAGE]]] parity
// The first products on sums that are zero overwrite them, so that nothing has to write zeros in front of them.
// CHECK:             %[[H:.*]] = sm.mma %[[X]][%c1], %[[B]][%[[STAGE]]], %[[NONE]] overwrite :
// CHECK-NEXT:        sm.consumer_release %[[FIRST]][%[[STAGE]]] after_products
// The warpgroup's threads have left the products that read the piece before, and see the new one behind the fence.
// CHECK-NEXT:        sm.sync
// CHECK-NEXT:        sm.write %[[H]] to %[[KEPT]][%[[CHUNK]]] : <128 x 32> to <2 x 128 x 32 x bf16, swizzle 64>
// CHECK-NEXT:        sm.fence
// CHECK-NEXT:        sm.sync
// CHECK:           sm.consumer_wait %[[COME]][%[[NUMBER:.*]]] parity
// CHECK-NEXT:      %[[ZERO:.*]] = sm.zero : <128 x 64>
// CHECK-NEXT:      %[[TOTAL:.*]]:5 = scf.for %[[CHUNK2:.*]] = %c0 to %c2 step %c1 iter_args(%[[SUM:.*]] = %[[ZERO]],
// CHECK-NEXT:        %[[NONE2:.*]] = sm.zero : <128 x 32>
// CHECK-NEXT:        %[[MADE:.*]]:3 = scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 iter_args(%[[BEFORE:.*]] = %[[NONE2]], %[[S0:.*]] = %{{.*}}, %[[P0:.*]] = %{{.*}})
// A step waits for both of its stages, and goes on from the one behind them.
// CHECK-NEXT:          sm.consumer_wait %[[FIRST]][%[[S0]]] parity %[[P0]]
// CHECK-NEXT:          %[[BEHIND0:.*]] = arith.addi %[[S0]], %c1
// CHECK-NEXT:          %[[WRAPS0:.*]] = arith.cmpi eq, %[[BEHIND0]], %c5
// CHECK:               %[[S1:.*]] = arith.select %[[WRAPS0]], %c0, %[[BEHIND0]]
// CHECK-NEXT:          %[[P1:.*]] = arith.xori %[[P0]]
// CHECK-NEXT:          sm.consumer_wait %[[FIRST]][%[[S1]]] parity %[[P1]]
// CHECK:               %[[S2:.*]] = arith.select
// CHECK-NEXT:          %[[P2:.*]] = arith.xori %[[P1]]
// Products of both stand beside each other: of the rows that came the piece of their stage, of those that stay the piece alone.
// CHECK-NEXT:          %[[PIECES:.*]] = arith.muli %[[NUMBER]], %c2
// CHECK-NEXT:          %[[PIECE:.*]] = arith.addi %[[PIECES]], %[[STEP]]
// CHECK-NEXT:          %[[HG:.*]] = sm.mma %[[XG]][%[[PIECE]]], %[[B]][%[[S0]]], %[[BEFORE]] :
// CHECK-NEXT:          %[[HT:.*]] = sm.mma %[[X]][%[[STEP]]], %[[B]][%[[S1]]], %[[HG]] :
// CHECK-DAG:           sm.consumer_release %[[FIRST]][%[[S0]]] after_products
// CHECK-DAG:           sm.consumer_release %[[FIRST]][%[[S1]]] after_products
// CHECK:               scf.yield %[[HT]], %[[S2]], %[[P2]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[FRAGMENT:.*]] = sm.fragment %[[MADE]]#0
// CHECK-NEXT:        %[[LAST:.*]] = arith.cmpi eq, %[[CHUNK2]], %c1
// CHECK-NEXT:        sm.consumer_wait %[[SECOND]][%[[T0:.*]]] parity
// CHECK:             sm.consumer_wait %[[SECOND]][%[[T1:.*]]] parity
// The last step multiplies 16 of the depth. Rows of registers have no stage, kept ones no stage but their piece.
// CHECK:             scf.if %[[LAST]]
// CHECK-NEXT:          %[[SHORT:.*]] = sm.mma_fragment %[[FRAGMENT]], %[[D]][%[[T0]]], %[[SUM]] depth 16 :
// CHECK-NEXT:          %[[SHORT2:.*]] = sm.mma %[[KEPT]][%[[CHUNK2]]], %[[D]][%[[T1]]], %[[SHORT]] depth 16 :
// CHECK-NEXT:          scf.yield %[[SHORT2]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %[[LONG:.*]] = sm.mma_fragment %[[FRAGMENT]], %[[D]][%[[T0]]], %[[SUM]] :
// CHECK-NEXT:          %[[LONG2:.*]] = sm.mma %[[KEPT]][%[[CHUNK2]]], %[[D]][%[[T1]]], %[[LONG]] :
// CHECK-NEXT:          scf.yield %[[LONG2]]
// CHECK-NEXT:        }
// CHECK-DAG:         sm.consumer_release %[[SECOND]][%[[T0]]] after_products
// CHECK-DAG:         sm.consumer_release %[[SECOND]][%[[T1]]] after_products
// Rows are released behind the loop that multiplies them, which waits for its products.
// CHECK-DAG:       sm.consumer_release %[[STAY]][%[[HELD]]] :
// CHECK-DAG:       sm.consumer_release %[[COME]][%[[NUMBER]]] :
// CHECK:           sm.write %[[TOTAL]]#0 to %[[C]]
// CHECK:         sm.partition @load
// CHECK:           sm.producer_acquire %[[STAY]]
// CHECK-NEXT:      sm.load %x[%c0] [%c0, %c0, %c0, %rows] to %[[X]][%c0] row 0
// CHECK-NEXT:      sm.load %x[%c0] [%c32, %c0, %c0, %rows] to %[[X]][%c1] row 0
// CHECK-NEXT:      sm.producer_commit %[[STAY]]
// CHECK:           sm.producer_acquire %[[COME]][%[[FILLED:.*]]] parity
// CHECK-NEXT:      %[[SLOT:.*]] = arith.muli %[[FILLED]], %c2
// CHECK-NEXT:      sm.load %x[%c0] [%c0, %c1, %c0, %rows] to %[[XG]][%[[SLOT]]] row 0
// CHECK:           sm.load %x[%c0] [%c32, %c1, %c0, %rows] to %[[XG]][%{{.*}}] row 0
// CHECK-NEXT:      sm.producer_commit %[[COME]][%[[FILLED]]]
sm.kernel @layers(%x: !x, %w: !w, %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index,
                  %terms: !sm.terms_table, %w2: !w2)
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %first = sm.pipe stages 5 : <!b>
  %second = sm.pipe stages 2 : <!d>
  %held = sm.pipe stages 1 : <!rows>
  %coming = sm.pipe stages 2 : <!rows>
  %kept = sm.kept_rows pieces 2 : !rows
  sm.partition @multiply warpgroups 2 registers 224 {
    scf.for %turn = %c0 to %rows step %c1 {
      %stay = sm.consume %held : <!rows> -> !rows
      scf.for %chunk = %c0 to %c2 step %c1 {
        %none = sm.zero : <128 x 32>
        %b = sm.consume %first : <!b> -> !b
        %h = sm.multiply_held %stay[%c1], [%b], %none : !rows, !b, <128 x 32>
        sm.keep %h to %kept[%chunk] : <128 x 32> to !rows
      }
      %come = sm.consume %coming : <!rows> -> !rows
      %zero = sm.zero : <128 x 64>
      %total = scf.for %chunk = %c0 to %c2 step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
        %none = sm.zero : <128 x 32>
        %made = scf.for %step = %c0 to %c2 step %c1 iter_args(%before = %none) -> (!sm.accumulator<128 x 32>) {
          %bg = sm.consume %first : <!b> -> !b
          %bt = sm.consume %first : <!b> -> !b
          %hg = sm.multiply_held %come[%step], [%bg], %before : !rows, !b, <128 x 32>
          %ht = sm.multiply_held %stay[%step], [%bt], %hg : !rows, !b, <128 x 32>
          scf.yield %ht : !sm.accumulator<128 x 32>
        }
        %fragment = sm.fragment %made : <128 x 32> to <128 x 32>
        %last = arith.cmpi eq, %chunk, %c1 : index
        %dg = sm.consume %second : <!d> -> !d
        %dt = sm.consume %second : <!d> -> !d
        %next = sm.multiply_fragment %fragment, %dg, %sum shallow %last to 16 : <128 x 32>, <32 x 64 x bf16, swizzle 128>, <128 x 64>
        %more = sm.multiply_held %kept[%chunk], [%dt], %next shallow %last to 16 : !rows, !d, <128 x 64>
        scf.yield %more : !sm.accumulator<128 x 64>
      }
      %mine = sm.warpgroup
      sm.write %total to %c[%mine] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
    }
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      scf.for %turn = %c0 to %rows step %c1 {
        %stay = sm.hold %x[%c0] [%c0, %c0, %c0, %rows] stages 1 : !x -> !rows
        sm.produce %held, %stay : <!rows>, !rows
        scf.for %chunk = %c0 to %c2 step %c1 {
          %b = sm.fetch %w[%c0] [%chunk, %c0, %c0, %c0] : !w -> !b
          sm.produce %first, %b : <!b>, !b
        }
        %come = sm.hold %x[%c0] [%c0, %c1, %c0, %rows] stages 2 : !x -> !rows
        sm.produce %coming, %come : <!rows>, !rows
        scf.for %chunk = %c0 to %c2 step %c1 {
          scf.for %step = %c0 to %c2 step %c1 {
            %bg = sm.fetch %w[%c0] [%chunk, %c1, %step, %c1] : !w -> !b
            sm.produce %first, %bg : <!b>, !b
            %bt = sm.fetch %w[%c0] [%chunk, %c1, %step, %c0] : !w -> !b
            sm.produce %first, %bt : <!b>, !b
          }
          %dg = sm.fetch %w2[%c0] [%c0, %c1, %chunk, %c1] : !w2 -> !d
          sm.produce %second, %dg : <!d>, !d
          %dt = sm.fetch %w2[%c0] [%c0, %c1, %chunk, %c0] : !w2 -> !d
          sm.produce %second, %dt : <!d>, !d
        }
      }
    }
  }
}

// -----

// Sums of two parts, each of which belongs to one warpgroup. It takes the stage of its own block, and multiplies where its condition
// is true; all stages are waited for and released by both.
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4, stationary = 1>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 4>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!rows = !sm.block<128 x 64 x bf16, swizzle 128>
!x = !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
!w = !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>
// CHECK-LABEL: sm.kernel @parts(
// CHECK:         %[[B:.*]] = sm.allocate : <3 x 64 x 64 x bf16, swizzle 128>
// CHECK-NEXT:    %[[BLOCKS:.*]] = sm.staged_pipe : <3>
// CHECK-NEXT:    %[[KEPT:.*]] = sm.allocate : <1 x 128 x 64 x bf16, swizzle 128>
sm.kernel @parts(%x: !x, %w: !w, %y: !x, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c = sm.allocate : <2 x 64 x 64 x bf16, swizzle 128>
  %blocks = sm.pipe stages 3 : <!b>
  %kept = sm.kept_rows pieces 1 : !rows
  sm.partition @multiply warpgroups 2 registers 224 {
    %h = sm.zero : <128 x 64>
    sm.keep %h to %kept[%c0] : <128 x 64> to !rows
    %sum = sm.zero : <128 x 64>
    %first = arith.cmpi ne, %rows, %c0 : index
    %second = arith.cmpi ne, %offset, %c0 : index
    // CHECK: sm.write %{{.*}} to %[[KEPT]][%c0]
    // CHECK: %[[ZERO:.*]] = sm.zero : <128 x 64>
    // CHECK: %[[IF0:.*]] = arith.cmpi ne, %rows, %c0
    // CHECK: %[[IF1:.*]] = arith.cmpi ne, %offset, %c0
    // CHECK: %[[FRAGMENT:.*]] = sm.fragment
    %fragment = sm.fragment %h : <128 x 64> to <128 x 64>
    // CHECK-NEXT: sm.consumer_wait %[[BLOCKS]][%c0]
    // CHECK-NEXT: sm.consumer_wait %[[BLOCKS]][%c1]
    // CHECK-NEXT: sm.consumer_wait %[[BLOCKS]][%c2]
    %d = sm.consume %blocks : <!b> -> !b
    %e = sm.consume %blocks : <!b> -> !b
    %f = sm.consume %blocks : <!b> -> !b
    // CHECK: %[[WARPGROUP:.*]] = sm.warpgroup
    // CHECK: %[[IN_SECOND:.*]] = arith.cmpi eq, %[[WARPGROUP]], %c1
    // CHECK: %[[MINE:.*]] = arith.select %[[IN_SECOND]], %[[IF1]], %[[IF0]] : i1
    // CHECK: %[[SOME:.*]] = scf.if %[[MINE]]
    // CHECK-NEXT: %[[NEXT:.*]] = sm.mma_fragment %[[FRAGMENT]], %[[B]][%c0], %[[ZERO]] :
    // CHECK-NEXT: scf.yield %[[NEXT]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[ZERO]]
    // CHECK-NEXT: }
    %some = sm.multiply_fragment %fragment, %d, %sum where [%first, %second] : <128 x 64>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
    // CHECK: %[[STAGE:.*]] = arith.select %{{.*}}, %c2, %c1 : index
    // CHECK: %[[ALL:.*]] = sm.mma %[[KEPT]][%c0], %[[B]][%[[STAGE]]], %[[SOME]] :
    %all = sm.multiply_held %kept[%c0], [%e, %f], %some : !rows, !b, <128 x 64>
    // CHECK-DAG: sm.consumer_release %[[BLOCKS]][%c0] after_products
    // CHECK-DAG: sm.consumer_release %[[BLOCKS]][%c1] after_products
    // CHECK-DAG: sm.consumer_release %[[BLOCKS]][%c2] after_products
    // CHECK: sm.write %[[ALL]]
    %mine = sm.warpgroup
    sm.write %all to %c[%mine] : <128 x 64> to <2 x 64 x 64 x bf16, swizzle 128>
  }
  sm.partition @load warpgroups 1 registers 56 {
    sm.elect {
      %d = sm.fetch %w[%c0] [%c0, %c0, %c0, %rows] : !w -> !b
      sm.produce %blocks, %d : <!b>, !b
      %e = sm.fetch %w[%c0] [%c0, %c0, %c0, %offset] : !w -> !b
      sm.produce %blocks, %e : <!b>, !b
      %f = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : !w -> !b
      sm.produce %blocks, %f : <!b>, !b
    }
  }
}
