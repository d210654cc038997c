// Kernels of two layers in partitions: blocks of one type share a pipe, whichever layer multiplies them, and rows that are held have
// pipes of their own.
// RUN: alg-opt %s -split-input-file -sm-partition -canonicalize | FileCheck %s

#hidden = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 1, rows = 128, columns = 32, depth = 32, stages = 6, stationary = 2>
#schedule = #tile.staged<types = 1, rows = 128, columns = 64, depth = 32, stages = 2, stationary = 4>
!b = !sm.block<32 x 32 x bf16, swizzle 64>
!d = !sm.block<32 x 64 x bf16, swizzle 128>
!rows = !sm.block<128 x 64 x bf16, swizzle 64>

// CHECK-LABEL: sm.kernel @gated(
// CHECK-SAME:    %[[W2:[a-z0-9_]+]]: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2, swizzle 64>, %[[W3:[a-z0-9_]+]]: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>)
// Blocks that are multiplied by the same rows pass together. Each layer's pipe has as many stages as its schedule says, pipes of rows as
// many as are held at a time.
// CHECK:         %[[FIRST:.*]] = sm.pipe stages 6 : <!sm.block<32 x 32 x bf16, swizzle 64>, !sm.block<32 x 32 x bf16, swizzle 64>>
// CHECK-NEXT:    %[[SECOND:.*]] = sm.pipe stages 2 : <!sm.block<32 x 64 x bf16, swizzle 128>>
// CHECK-NEXT:    %[[STAY:.*]] = sm.pipe stages 1 : <!sm.block<128 x 64 x bf16, swizzle 64>>
// CHECK-NEXT:    %[[COME:.*]] = sm.pipe stages 2 : <!sm.block<128 x 64 x bf16, swizzle 64>>
// Kept rows are of no pipe. Their 128 rows take two warpgroups.
// CHECK-NEXT:    %[[KEPT:.*]] = sm.kept_rows pieces 2 : <128 x 64 x bf16, swizzle 64>
// CHECK-NEXT:    sm.partition @multiply warpgroups 2 registers 224 {
// CHECK-NEXT:      sm.wait_for_predecessor
// Blocks are consumed where the first of them was fetched.
// CHECK-NEXT:      %[[X:.*]] = sm.consume %[[STAY]] :
// CHECK-NEXT:      scf.for %[[CHUNK:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:        sm.zero
// CHECK-NEXT:        scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 iter_args(
// CHECK-NEXT:          %[[B:.*]]:2 = sm.consume %[[FIRST]] :
// CHECK-NEXT:          sm.multiply_held %[[X]][%[[STEP]]], [%[[B]]#0]
// CHECK-NEXT:          sm.multiply_held %[[X]][%[[STEP]]], [%[[B]]#1]
// CHECK:             sm.keep %{{.*}} to %[[KEPT]][%[[CHUNK]]]
// CHECK:           scf.for
// CHECK:             %[[TOTAL:.*]] = scf.if
// CHECK-NEXT:          %[[XG:.*]] = sm.consume %[[COME]] :
// CHECK-NEXT:          scf.for %[[CHUNK:.*]] = %c0 to %c2 step %c1 iter_args(
// CHECK-NEXT:            sm.zero
// CHECK-NEXT:            scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 iter_args(
// CHECK-NEXT:              %[[BG:.*]]:2 = sm.consume %[[FIRST]] :
// CHECK-NEXT:              %[[BT:.*]]:2 = sm.consume %[[FIRST]] :
// CHECK-NEXT:              sm.multiply_held %[[XG]][%[[STEP]]], [%[[BG]]#0]
// CHECK-NEXT:              sm.multiply_held %[[XG]][%[[STEP]]], [%[[BG]]#1]
// CHECK-NEXT:              sm.multiply_held %[[X]][%[[STEP]]], [%[[BT]]#0]
// CHECK-NEXT:              sm.multiply_held %[[X]][%[[STEP]]], [%[[BT]]#1]
// CHECK:                 %[[FRAGMENT:.*]] = sm.fragment
// CHECK-NEXT:            %[[DG:.*]] = sm.consume %[[SECOND]] :
// CHECK-NEXT:            %[[DT:.*]] = sm.consume %[[SECOND]] :
// CHECK-NEXT:            sm.multiply_fragment %[[FRAGMENT]], %[[DG]]
// CHECK-NEXT:            sm.multiply_held %[[KEPT]][%[[CHUNK]]], [%[[DT]]]
// CHECK:               } else {
// CHECK:                 %[[D:.*]] = sm.consume %[[SECOND]] :
// CHECK-NEXT:            sm.multiply_held %[[KEPT]][%{{.*}}], [%[[D]]]
// CHECK:               sm.store_sums %[[TOTAL]] to %y
// The other partition has the same loops and branches, without sums, and produces blocks where the last of them has been fetched.
// CHECK:         sm.partition @load warpgroups 1 registers 56 {
// CHECK-NEXT:      sm.elect {
// CHECK-NEXT:        sm.wait_for_predecessor
// CHECK-NEXT:        %[[L:.*]] = sm.hold %x[%c0] [%c0, %c1, %c0, %rows] stages 1 :
// CHECK-NEXT:        sm.produce %[[STAY]], %[[L]] :
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK-NEXT:          scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK-NEXT:            %[[L0:.*]] = sm.fetch %w[
// CHECK-NEXT:            %[[L1:.*]] = sm.fetch %[[W2]][
// CHECK-NEXT:            sm.produce %[[FIRST]], %[[L0]], %[[L1]] :
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.for %[[GROUP:.*]] = %c0 to %rows step %c1 {
// CHECK-NEXT:          arith.cmpi
// CHECK-NEXT:          scf.if
// CHECK-NEXT:            %[[L2:.*]] = sm.hold %x[%c0] [%c0, %[[GROUP]], %c0, %rows] stages 2 :
// CHECK-NEXT:            sm.produce %[[COME]], %[[L2]] :
// CHECK-NEXT:            scf.for %[[LC:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:              scf.for %[[LS:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:                %[[L3:.*]] = sm.fetch %w[%c0] [%[[LC]], %[[GROUP]], %[[LS]], %[[GROUP]]]
// CHECK-NEXT:                %[[L4:.*]] = sm.fetch %[[W2]][%c0] [%[[LC]], %[[GROUP]], %[[LS]], %[[GROUP]]]
// CHECK-NEXT:                sm.produce %[[FIRST]], %[[L3]], %[[L4]] :
// CHECK-NEXT:                %[[L5:.*]] = sm.fetch %w[%c0] [%[[LC]], %[[GROUP]], %[[LS]], %c1]
// CHECK-NEXT:                %[[L6:.*]] = sm.fetch %[[W2]][%c0] [%[[LC]], %[[GROUP]], %[[LS]], %c1]
// CHECK-NEXT:                sm.produce %[[FIRST]], %[[L5]], %[[L6]] :
// CHECK-NEXT:              }
// CHECK-NEXT:              %[[L7:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[GROUP]], %[[LC]], %[[GROUP]]]
// CHECK-NEXT:              sm.produce %[[SECOND]], %[[L7]] :
// CHECK-NEXT:              %[[L8:.*]] = sm.fetch %[[W3]][%c0] [%c0, %[[GROUP]], %[[LC]], %c1]
// CHECK-NEXT:              sm.produce %[[SECOND]], %[[L8]] :
// CHECK-NEXT:            }
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK-NEXT:              %[[L9:.*]] = sm.fetch %[[W3]][
// CHECK-NEXT:              sm.produce %[[SECOND]], %[[L9]] :
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        sm.release_successor
sm.kernel @gated(%x: !sm.maps<2 x 128 x 32 x bf16, row_dimension 3, swizzle 64>, %w: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2, swizzle 64>,
                 %y: !sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
                 %w2: !sm.maps<1 x 32 x 32 x bf16, row_dimension 2, swizzle 64>, %w3: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2, swizzle 128>)
    attributes {hidden_layout = #hidden, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %kept = sm.kept_rows pieces 2 : <128 x 64 x bf16, swizzle 64>
  sm.wait_for_predecessor
  %stay = sm.hold %x[%c0] [%c0, %c1, %c0, %rows] stages 1 : <2 x 128 x 32 x bf16, row_dimension 3, swizzle 64> -> <128 x 64 x bf16, swizzle 64>
  scf.for %chunk = %c0 to %c2 step %c1 {
    %none = sm.zero : <128 x 32>
    %made:2 = scf.for %step = %c0 to %c2 step %c1 iter_args(%gate = %none, %up = %none) -> (!sm.accumulator<128 x 32>, !sm.accumulator<128 x 32>) {
      %a = sm.fetch %w[%c0] [%chunk, %c1, %step, %c1] : <1 x 32 x 32 x bf16, row_dimension 2, swizzle 64> -> <32 x 32 x bf16, swizzle 64>
      %b = sm.fetch %w2[%c0] [%chunk, %c1, %step, %c1] : <1 x 32 x 32 x bf16, row_dimension 2, swizzle 64> -> <32 x 32 x bf16, swizzle 64>
      %g = sm.multiply_held %stay[%step], [%a], %gate : !rows, !b, <128 x 32>
      %u = sm.multiply_held %stay[%step], [%b], %up : !rows, !b, <128 x 32>
      scf.yield %g, %u : !sm.accumulator<128 x 32>, !sm.accumulator<128 x 32>
    }
    %h = sm.map (%v = %made#0 : !sm.accumulator<128 x 32>, %z = %made#1 : !sm.accumulator<128 x 32>) at [%c0, %c0] -> !sm.accumulator<128 x 32> {
      %p = arith.mulf %v, %z : f32
      sm.yield %p : f32
    }
    sm.keep %h to %kept[%chunk] : <128 x 32> to <128 x 64 x bf16, swizzle 64>
  }
  scf.for %group = %c0 to %rows step %c1 {
    %zero = sm.zero : <128 x 64>
    %other = arith.cmpi ne, %group, %offset : index
    %total = scf.if %other -> (!sm.accumulator<128 x 64>) {
      %come = sm.hold %x[%c0] [%c0, %group, %c0, %rows] stages 2 : <2 x 128 x 32 x bf16, row_dimension 3, swizzle 64> -> <128 x 64 x bf16, swizzle 64>
      %both = scf.for %chunk = %c0 to %c2 step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
        %none = sm.zero : <128 x 32>
        %made:2 = scf.for %step = %c0 to %c2 step %c1 iter_args(%gate = %none, %up = %none) -> (!sm.accumulator<128 x 32>, !sm.accumulator<128 x 32>) {
          %a = sm.fetch %w[%c0] [%chunk, %group, %step, %group] : <1 x 32 x 32 x bf16, row_dimension 2, swizzle 64> -> <32 x 32 x bf16, swizzle 64>
          %b = sm.fetch %w2[%c0] [%chunk, %group, %step, %group] : <1 x 32 x 32 x bf16, row_dimension 2, swizzle 64> -> <32 x 32 x bf16, swizzle 64>
          %a2 = sm.fetch %w[%c0] [%chunk, %group, %step, %c1] : <1 x 32 x 32 x bf16, row_dimension 2, swizzle 64> -> <32 x 32 x bf16, swizzle 64>
          %b2 = sm.fetch %w2[%c0] [%chunk, %group, %step, %c1] : <1 x 32 x 32 x bf16, row_dimension 2, swizzle 64> -> <32 x 32 x bf16, swizzle 64>
          %g = sm.multiply_held %come[%step], [%a], %gate : !rows, !b, <128 x 32>
          %u = sm.multiply_held %come[%step], [%b], %up : !rows, !b, <128 x 32>
          %g2 = sm.multiply_held %stay[%step], [%a2], %g : !rows, !b, <128 x 32>
          %u2 = sm.multiply_held %stay[%step], [%b2], %u : !rows, !b, <128 x 32>
          scf.yield %g2, %u2 : !sm.accumulator<128 x 32>, !sm.accumulator<128 x 32>
        }
        %h = sm.map (%v = %made#0 : !sm.accumulator<128 x 32>, %z = %made#1 : !sm.accumulator<128 x 32>) at [%c0, %c0] -> !sm.accumulator<128 x 32> {
          %p = arith.mulf %v, %z : f32
          sm.yield %p : f32
        }
        %fragment = sm.fragment %h : <128 x 32> to <128 x 32>
        %d = sm.fetch %w3[%c0] [%c0, %group, %chunk, %group] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> -> <32 x 64 x bf16, swizzle 128>
        %e = sm.fetch %w3[%c0] [%c0, %group, %chunk, %c1] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> -> <32 x 64 x bf16, swizzle 128>
        %next = sm.multiply_fragment %fragment, %d, %sum : <128 x 32>, <32 x 64 x bf16, swizzle 128>, <128 x 64>
        %more = sm.multiply_held %kept[%chunk], [%e], %next : !rows, !d, <128 x 64>
        scf.yield %more : !sm.accumulator<128 x 64>
      }
      scf.yield %both : !sm.accumulator<128 x 64>
    } else {
      %own = scf.for %chunk = %c0 to %c2 step %c1 iter_args(%sum = %zero) -> (!sm.accumulator<128 x 64>) {
        %e = sm.fetch %w3[%c0] [%c0, %c1, %chunk, %c1] : <1 x 32 x 64 x bf16, row_dimension 2, swizzle 128> -> <32 x 64 x bf16, swizzle 128>
        %more = sm.multiply_held %kept[%chunk], [%e], %sum : !rows, !d, <128 x 64>
        scf.yield %more : !sm.accumulator<128 x 64>
      }
      scf.yield %own : !sm.accumulator<128 x 64>
    }
    sm.store_sums %total to %y[%c0] [%c0, %group, %c0, %rows] : <128 x 64> to <2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>
  }
}

// -----

// Where the layers' blocks are of one type they share one pipe, which has the stages of both. Blocks of parts of the sums come one
// after the other.
#layout = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = <4 x 64>, weights = <4 x 64>, out = <4 x 64>,
                       row_types = <cyclic 4>>
#of_hidden = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 4, stationary = 1>
#schedule = #tile.staged<types = 2, rows = 64, columns = 64, depth = 64, stages = 3, stationary = 4>
!b = !sm.block<64 x 64 x bf16, swizzle 128>
!rows = !sm.block<128 x 64 x bf16, swizzle 128>
// CHECK-LABEL: sm.kernel @shared(
// CHECK:         %[[BLOCKS:.*]] = sm.pipe stages 7 : <!sm.block<64 x 64 x bf16, swizzle 128>>
// CHECK-NEXT:    %[[STAY:.*]] = sm.pipe stages 1 : <!sm.block<128 x 64 x bf16, swizzle 128>>
// CHECK-NOT:     sm.pipe
// CHECK:         sm.partition @multiply warpgroups 2
// CHECK:           %[[B0:.*]] = sm.consume %[[BLOCKS]] :
// CHECK-NEXT:      %[[B1:.*]] = sm.consume %[[BLOCKS]] :
// CHECK-NEXT:      %[[SUM:.*]] = sm.multiply_held %{{.*}}[%c0], [%[[B0]], %[[B1]]], %{{.*}} :
// CHECK-NEXT:      sm.keep %[[SUM]] to %[[KEPT:.*]][%c0]
// CHECK:           %[[FRAGMENT:.*]] = sm.fragment %[[SUM]]
// CHECK-NEXT:      %[[B2:.*]] = sm.consume %[[BLOCKS]] :
// CHECK-NEXT:      %[[B3:.*]] = sm.consume %[[BLOCKS]] :
// CHECK-NEXT:      %[[B4:.*]] = sm.consume %[[BLOCKS]] :
// CHECK-NEXT:      %[[SOME:.*]] = sm.multiply_fragment %[[FRAGMENT]], %[[B2]], %{{.*}} where{{ ?}}[%{{.*}}, %{{.*}}] :
// CHECK-NEXT:      %[[ALL:.*]] = sm.multiply_held %[[KEPT]][%c0], [%[[B3]], %[[B4]]], %[[SOME]] :
// CHECK-NEXT:      sm.store_sums_in_parts %[[ALL]]
// CHECK:         sm.partition @load
// CHECK-COUNT-5:   sm.produce %[[BLOCKS]]
// CHECK-NEXT:      sm.release_successor
sm.kernel @shared(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>,
                  %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>, %rows: index, %offset: index, %terms: !sm.terms_table,
                  %w2: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2, swizzle 128>)
    attributes {hidden_layout = #layout, hidden_schedule = #of_hidden, layout = #layout, schedule = #schedule} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = sm.kept_rows pieces 1 : !rows
  %stay = sm.hold %x[%c0, %c1] [%c0, %c0, %c0, %rows, %c0, %c1, %c1, %rows] stages 1 : <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128> -> !rows
  %none = sm.zero : <128 x 64>
  %a = sm.fetch %w[%c0] [%c0, %c0, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> !b
  %b = sm.fetch %w[%c0] [%c0, %c1, %c0, %c1] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> !b
  %h = sm.multiply_held %stay[%c0], [%a, %b], %none : !rows, !b, <128 x 64>
  sm.keep %h to %kept[%c0] : <128 x 64> to !rows
  %first = arith.cmpi ne, %rows, %c0 : index
  %second = arith.cmpi ne, %rows, %c1 : index
  %fragment = sm.fragment %h : <128 x 64> to <128 x 64>
  %d = sm.fetch %w2[%c0] [%c0, %rows, %c0, %rows] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> !b
  %e = sm.fetch %w2[%c0] [%c0, %rows, %c0, %c0] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> !b
  %f = sm.fetch %w2[%c0] [%c0, %rows, %c0, %c1] : <1 x 64 x 64 x bf16, row_dimension 2, swizzle 128> -> !b
  %some = sm.multiply_fragment %fragment, %d, %none where [%first, %second] : <128 x 64>, <64 x 64 x bf16, swizzle 128>, <128 x 64>
  %all = sm.multiply_held %kept[%c0], [%e, %f], %some : !rows, !b, <128 x 64>
  sm.store_sums_in_parts %all to %y[%c0, %c1] [%c0, %rows, %c0, %rows, %c0, %rows, %c1, %rows] : <128 x 64> to <2 x 64 x 64 x bf16, row_dimension 3, swizzle 128>
}
