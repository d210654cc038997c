// The forms that a kernel passes through: blocks as values, pipes, stages.
// RUN: alg-opt %s | alg-opt | FileCheck %s

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = #alg.groups<2 x 64>, weights = #alg.groups<2 x 64>,
                       out = #alg.groups<2 x 64>, row_types = #alg.row_types<cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 3>

sm.kernel @values(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                  %y: !sm.maps<2 x 64 x 64 x f32, row_dimension 3>, %rows: index, %offset: index,
                  %terms: !sm.terms_table) attributes {layout = #layout, schedule = #schedule} {
  %i = arith.constant 0 : index
  %parity = arith.constant 1 : i32
  %minus = arith.constant true
  %sum = sm.zero : <64 x 64>
  // CHECK: %[[A:.*]] = sm.fetch %x[%[[I:.*]]] [%[[I]], %[[I]], %[[I]], %[[I]]] : <2 x 64 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
  %a = sm.fetch %x[%i] [%i, %i, %i, %i] : <2 x 64 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
  %b = sm.fetch %w[%i] [%i, %i, %i, %i] : <1 x 64 x 64 x bf16, row_dimension 2> -> <64 x 64 x bf16>
  // CHECK: sm.multiply %[[A]], %{{.*}}, %{{.*}} : <64 x 64 x bf16>, <64 x 64 x bf16>, <64 x 64>
  %next = sm.multiply %a, %b, %sum : <64 x 64 x bf16>, <64 x 64 x bf16>, <64 x 64>
  // CHECK: sm.multiply %[[A]], %{{.*}}, %{{.*}} negate %{{.*}} :
  %signed = sm.multiply %a, %b, %next negate %minus : <64 x 64 x bf16>, <64 x 64 x bf16>, <64 x 64>
  // CHECK: sm.multiply %[[A]], %{{.*}}, %{{.*}} negate %[[MINUS:.*]] shallow %[[MINUS]] to 48 :
  %other = sm.multiply %a, %b, %signed negate %minus shallow %minus to 48 : <64 x 64 x bf16>, <64 x 64 x bf16>, <64 x 64>
  // CHECK: sm.store_sums %{{.*}} to %y[%[[I]]] [%[[I]], %[[I]], %[[I]], %[[I]]] : <64 x 64> to <2 x 64 x 64 x f32, row_dimension 3>
  sm.store_sums %other to %y[%i] [%i, %i, %i, %i] : <64 x 64> to <2 x 64 x 64 x f32, row_dimension 3>
  // CHECK: sm.zero : <24 x 128, transposed>
  %few_rows = sm.zero : <24 x 128, transposed>
  // CHECK: %[[PIPE:.*]] = sm.pipe : <!sm.block<64 x 64 x bf16>>
  %pipe = sm.pipe : <!sm.block<64 x 64 x bf16>>
  // CHECK: %[[STAGED:.*]] = sm.staged_pipe : <3>
  %staged = sm.staged_pipe : <3>
  sm.partition @multiply warpgroups 1 registers 240 {
    // CHECK: sm.consume %[[PIPE]] : <!sm.block<64 x 64 x bf16>> -> !sm.block<64 x 64 x bf16>
    %taken = sm.consume %pipe : <!sm.block<64 x 64 x bf16>> -> !sm.block<64 x 64 x bf16>
    // CHECK: sm.await_turn %[[I]] parity %{{.*}}
    sm.await_turn %i parity %parity
    // CHECK: sm.skip %[[PIPE]], %[[I]] : <!sm.block<64 x 64 x bf16>>
    sm.skip %pipe, %i : <!sm.block<64 x 64 x bf16>>
    // CHECK: sm.pass_turn to %[[I]]
    sm.pass_turn to %i
    // CHECK: sm.consumer_wait %[[STAGED]][%[[I]]] parity %{{.*}} : <3>
    sm.consumer_wait %staged[%i] parity %parity : <3>
    // CHECK: sm.consumer_release %[[STAGED]][%[[I]]] after_products : <3>
    sm.consumer_release %staged[%i] after_products : <3>
  }
  sm.partition @load warpgroups 1 registers 40 {
    sm.elect {
      %c = sm.fetch %x[%i] [%i, %i, %i, %i] : <2 x 64 x 64 x bf16, row_dimension 3> -> <64 x 64 x bf16>
      // CHECK: sm.produce %[[PIPE]], %{{.*}} : <!sm.block<64 x 64 x bf16>>, !sm.block<64 x 64 x bf16>
      sm.produce %pipe, %c : <!sm.block<64 x 64 x bf16>>, !sm.block<64 x 64 x bf16>
      // CHECK: sm.producer_acquire %[[STAGED]][%[[I]]] parity %{{.*}} : <3>
      sm.producer_acquire %staged[%i] parity %parity : <3>
      // CHECK: sm.producer_commit %[[STAGED]][%[[I]]] : <3>
      sm.producer_commit %staged[%i] : <3>
    }
  }
}
